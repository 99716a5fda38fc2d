"""One way to run a fit, for classifiers, regressors and networks: drive the rules, let callbacks listen, publish once.

``fit`` makes a problem of the data and hands it to ``_learn``; ``partial_fit`` hands a portion to ``_pass_over``, which
goes on with the rules of the portion before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from copy import copy
from dataclasses import fields
from functools import cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from .._blocks.problem import Outline
from .._engine.callbacks import CallbackSupportMixin, Listener
from .._engine.driver import Plan, Rule, Watch, drive, watching
from .._guards.parameters import PASSES, Constraint, check_parameters, refused
from .._guards.state import F
from .._guards.validation import finite_floats
from ..solution import Epochs, Report, Solution
from ..unfinished import warn_of
from .inherited_docs import DocumentedEstimator
from .kept_rule import KeptRule

Solutions = list[Solution[Any]]


class SolvingEstimator(DocumentedEstimator, CallbackSupportMixin):
    """Base of the estimators that make one solution of each problem: ``_solutions`` is the mathematics."""

    report_: Report
    history_: dict[str, NDArray[Any]]
    _parameters: dict[str, Constraint] = {}
    _rules: list[Rule]  # with which partial_fit goes on; none after a fit, which it continues from the weights
    _portions: list[Epochs]  # the epochs of all portions so far, one table a problem
    _solutions: Callable[..., Solutions]  # of a problem, under a watch and before a listener
    _publish: Callable[..., None]  # sets the fitted attributes

    def _check_parameters(self) -> None:
        """Refuse parameters that make no sense, by name, before the data are looked at."""
        check_parameters(self)

    def _learn(self, problem: Any, X: Any, y: Any, sample_weight: Any, **options: Any) -> Solutions:
        """Solve, publish, warn; X, y and the weights as the user gave them are for the callbacks."""
        listener = Listener(self, X, y, sample_weight)
        self._rules = []
        with nullcontext(problem.blocks.watch) if isinstance(problem, Outline) else watching() as watch:
            solutions = self._solutions(problem, watch, listener, **options)
            self._publish(solutions, problem, X)
            self._portions = [solution.recorded for solution in solutions]
            listener.finish()
        self._warn(watch, solutions)
        return solutions

    def _problems(self, problem: Any) -> list[Any]:
        """The problems that each have a solution of their own."""
        return [problem]

    def _warn(self, watch: Watch, solutions: Solutions) -> None:
        warn_of(self.report_, watch.interrupted)


class IterativeEstimator(SolvingEstimator):
    """Base of the procedures that the driver runs: ``_begin`` makes the rule, the rest is here.

    Parameters
    ----------
    order
        The rows' order, or a new permutation each pass.
    start : array of shape (d+1,) or one row a discriminant
        Augmented start vector (w₀, w); None is zero.
    max_iter : int
        At most so many passes over the data, or steps.
    record
        ``"weights"`` keeps the path of the weights in ``history_["weights"]``.
    random_state : int, RandomState instance or None
        Seed of the random order.

    Attributes
    ----------
    n_iter_, n_corrections_ : int
        Passes or steps, a last one without corrections included, and changes of the weights.
    history_ : dict of arrays
        ``"errors"``, ``"criterion"``, ``"step"``, ``"corrections"`` of each pass, as met on the way; ``"problem"``
        tells whose pass it is where one against the rest, or one against one, makes several problems.
    """

    max_iter: int
    start: Any
    _begin: Callable[..., Rule]  # the rule of a problem, from a start vector; ``online`` for portions of data
    _begun_with: dict[str, Any]  # the parameters of the rules

    _parameters = {"max_iter": PASSES}

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if vars(self).get("batch") and (order := vars(self).get("order", "cyclic")) != "cyclic":
            raise refused("order", order, "'cyclic' where batch=True looks at all patterns at once", "drop one")

    def _plan(self, kind: Any = Plan, **given: Any) -> Any:
        """How the rules of this fit are to run: what a plan of this kind asks for by the names of the parameters."""
        known = vars(self)
        asked = {name: known[name] for name in _names(kind) if name in known}
        if issubclass(kind, Plan):
            asked["record"], asked["shares"] = asked.get("record") == "weights", self._shares()
        return kind(**asked | given)

    def _shares(self) -> int:
        """How many rules there are, which share the memory for paths."""
        return 1

    def _starts(self, problem: Any, n_problems: int) -> list[NDArray[Any]]:
        """The augmented start vectors of each problem."""
        return start_vectors(self.start, problem, n_problems)

    def _solutions(self, problem: Any, watch: Watch, listener: Listener, **options: Any) -> Solutions:
        problems = self._problems(problem)
        listener.open(int(self.max_iter) * len(problems))
        starts = self._starts(problem, len(problems))
        solutions: Solutions = []
        for part, start in zip(problems, starts, strict=True):
            before, after = [solution.weights for solution in solutions], starts[len(solutions) + 1 :]
            rule = self._begin(part, start, online=False)
            solutions.append(self._driven(rule, part, watch, listener, before, after))
        return solutions

    def _driven(
        self,
        rule: Rule,
        problem: Any,
        watch: Watch,
        listener: Listener,
        before: Sequence[NDArray[Any]] = (),
        after: Sequence[NDArray[Any]] = (),
    ) -> Solution[Any]:
        """Drive one problem; callbacks see the model as it would be if the fit ended now."""
        journal = getattr(getattr(problem, "blocks", None), "journal", None)
        if journal is not None and not (problem.spread or hasattr(rule, "by_rounds")):
            if rule.path is not None:
                raise refused("checkpoint", str(journal.path), "None where record='weights'", "drop one of them")
            return KeptRule(rule, journal, str(len(before))).driven(problem, int(self.max_iter), watch)
        if not listener.heard:
            return drive(rule, problem, int(self.max_iter), watch)

        def end(epochs: int) -> bool:
            def attributes() -> dict[str, Any]:
                seen: Any = copy(self)
                seen._set_weights(np.concatenate([*before, rule.answer, *after]))
                return {**seen.__dict__, "n_iter_": epochs}

            return listener.end(attributes)

        return drive(rule, problem, int(self.max_iter), watch, listener.begin, end)

    def _run_on_blocks(self, rules: list[Rule], outline: Outline) -> None:
        """Drive rules that find their rows in blocks, and publish; Ctrl-C leaves what they have."""
        watch = outline.blocks.watch
        solutions = [drive(rule, outline, int(self.max_iter), watch) for rule in rules]
        self._rules = []
        self._publish(solutions, outline, None)
        self._portions = [solution.recorded for solution in solutions]
        self._warn(watch, solutions)

    def _streams(self) -> bool:
        """Whether the rule corrects pattern by pattern, with no number for each of them: else no ``partial_fit``."""
        return not any(getattr(self, name, False) for name in ("batch", "dual", "slack"))

    def _has_begun(self) -> bool:
        """Whether there are weights that ``partial_fit`` can go on from."""
        return hasattr(self, "status_")

    def _pass_over(self, problem: Any, X: Any, first: bool) -> None:
        """One pass over a portion of data, published together with the portions before."""
        problems = self._problems(problem)
        if first:
            self._rules, self._portions = [], [Epochs() for _ in problems]
        self._rules = self._continued(problem, problems, first)
        with watching() as watch:
            solutions = [drive(rule, part, 1, watch) for rule, part in zip(self._rules, problems, strict=True)]
        for solution, past in zip(solutions, self._portions, strict=True):
            past.extend(solution.epochs)
            solution.epochs = past
        self._publish(solutions, problem, X)
        if watch.interrupted:
            self._warn(watch, solutions)

    def _continued(self, problem: Any, problems: list[Any], first: bool) -> list[Rule]:
        """The rules of the last portion; new ones where there are none, or parameters have changed."""
        parameters = {name: value for name, value in vars(self).items() if name.strip("_") == name}
        if self._rules and _equal(parameters, self._begun_with):
            return self._rules
        self._begun_with = parameters
        return self._resume(problem, problems, first)

    def _resume(self, problem: Any, problems: list[Any], first: bool) -> list[Rule]:
        """Rules that go on from the present weights, or begin."""
        starts = self._starts(problem, len(problems))
        if not first:
            A = np.atleast_2d(self._resumed_from()).astype(problem.dtype)
            starts = [A] if len(problems) == 1 else list(A[:, None])
        rules = [self._begin(part, start.copy(), online=True) for part, start in zip(problems, starts, strict=True)]
        for rule, past in zip(rules, self._portions, strict=True):
            rule.k = past.corrections
        return rules

    def _resumed_from(self) -> NDArray[Any]:
        """The start vectors with which a rule goes on where the fit ended."""
        weights: NDArray[Any] = vars(self)["weights_"]
        return weights


def start_vectors(start: Any, problem: Any, n_problems: int, rows: int = 1) -> list[NDArray[Any]]:
    """Augmented vectors to start from, so many rows for each problem: zero, or what the parameter ``start`` says."""
    shape = (n_problems * rows, problem.n_features + 1)
    A = np.zeros(shape, problem.dtype)
    if start is not None:
        wanted = f"{shape[1:]} or {shape}" if shape[0] > 1 else f"{shape[1:]}"
        remedy = f"give finite weights, an augmented vector (w0, w) of shape {wanted}"
        A[:] = finite_floats("start", start, problem.dtype, remedy, shape, shape[1:])
    return [part.copy() for part in A.reshape(n_problems, rows, -1)]


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))


def _equal(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(
        value is other[name] or np.array_equal(value, other[name]) for name, value in one.items()
    )


def available_when(check: Callable[[Any], bool]) -> Callable[[F], F]:
    """scikit-learn's ``available_if``, typed."""
    return cast(Callable[[F], F], available_if(check))


streaming = available_when(lambda estimator: estimator._streams())
