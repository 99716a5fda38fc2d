"""Iterative parameter mixing: an error-correcting rule on many blocks of rows at once, which may lie on many machines.

Problem: find a with aᵗy > b for all normalized patterns, where the patterns lie in S blocks.  In each round every block
makes one pass from the same weights, and the mean of what they come to begins the next round:

    a⁽ⁱ⁾(n+1) = one pass of the rule over block i, from a(n)        i = 1, …, S
    a(n+1)    = Σ a⁽ⁱ⁾(n+1) / S

Theorem (McDonald, Hall, Mann, Theorem 3): on patterns that some â separates, âᵗy ≥ γ, with ‖y‖ ≤ β, the corrections of
all rounds, each divided by S, number at most ‖â‖²β²/γ², as those of one perceptron do; for the mean of vectors that
have come nearer to â has come nearer itself.  So there are at most S times as many corrections, and it ends.  For the
relaxation with margin b the same holds of the mistakes aᵗy ≤ 0: each brings a nearer to âb/γ by η(2−η)b²/β² in the
square, so that there are at most S ‖a(1) − âb/γ‖²β² / (η(2−η)b²) of them.

Symbols: A the weights, S the blocks that hold a pattern of the problem, η the step, b the margin.

Source: R. McDonald, K. Hall, G. Mann, *Distributed Training Strategies for the Structured Perceptron*, 2010, Figure 3
and Theorem 3.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from .._blocks.blocks import Block, Blocks
from .._blocks.problem import StreamedProblem
from .._blocks.roles import Roles
from .._blocks.survey import survey
from .._engine.driver import Watch, drive, interrupt_raises
from .._engine.problem import Problem
from .._guards.parameters import refused
from ..schedules import Schedule, get
from ..solution import Epoch, Findings, Solution, Status
from .corrections import all_errors, theorem_bound
from .perceptron import Perceptron
from .relaxation import Relaxation
from .visits import Array


class Mixture(NamedTuple):
    """What every block has to know: the model, the problem without its blocks, and R² over all of them."""

    model: Any
    problem: Any
    squared_radius: float = 0.0

    def portion(self, block: Block) -> Problem | None:
        """The problem of one block; None where the block has no pattern of it."""
        portion: Problem = self.problem.portion(block)
        return portion if portion.part.any() else None


@dataclass(frozen=True, kw_only=True)
class MixingFindings(Findings):
    """What the bound asks for; ``online`` because no pass saw all patterns."""

    start: Array
    blocks: int
    online: bool = True


def _squared_radius(block: Block, mixture: Mixture) -> float:
    problem = mixture.portion(block)
    return 0.0 if problem is None else problem.squared_radius()


def _pass(block: Block, mixture: Mixture, A: Array, k: int, n: int) -> tuple[Any, ...]:
    """One pass over a block, from A: the weights, how many blocks these are of, corrections, errors, criterion.

    Of the relaxation, which corrects beyond the last error, the errors of A itself end it: they come last.
    """
    problem = mixture.portion(block)
    if problem is None:
        return np.zeros_like(A), 0, 0, 0, 0.0, 0
    model = copy(mixture.model)  # blocks of one worker share what they were sent
    if model.order != "cyclic":  # a permutation of its own for every block and round
        seed = np.random.SeedSequence([0 if model.random_state is None else int(model.random_state), block.first, n])
        model.random_state = int(seed.generate_state(1)[0])
    rule = model._begin(problem, A.copy(), online=True)
    rule.k = k
    if isinstance(model, Perceptron) and model.bias == "radius":
        rule.bias = A.dtype.type(mixture.squared_radius)
    epoch = rule.epoch(problem, Watch())
    left = all_errors(problem, A[0] if len(A) == 1 else A, Watch()) if isinstance(model, Relaxation) else epoch.errors
    return rule.answer, 1, rule.k - k, epoch.errors, epoch.criterion, left


def _lowest(block: Block, mixture: Mixture, A: Array) -> float:
    """The smallest margin of a pattern, or its lead over the strongest rival."""
    problem = mixture.portion(block)
    if problem is None:
        return np.inf
    g, labels = np.asarray(problem.source @ A[:, 1:].T + A[:, 0])[problem.part], problem.labels[problem.part]
    if len(A) == 1:
        return float(((2 * labels - 1) * g[:, 0]).min())
    rows = np.arange(labels.size)
    own = g[rows, labels]
    g[rows, labels] = -np.inf
    return float((own - g.max(axis=1)).min())


class MixedRule:
    """The rule of one problem: an epoch is a round."""

    path = None

    def __init__(self, blocks: Blocks, mixture: Mixture, A: Array) -> None:
        self.blocks, self.mixture, self.A, self.start = blocks, mixture, A, A.copy()
        self.k, self.rounds, self.shards = 0, 0, 1
        self.schedule = _schedule(mixture.model)

    @property
    def answer(self) -> Array:
        return self.A

    @property
    def findings(self) -> MixingFindings:
        note = f"Iterative parameter mixing: {self.shards} blocks made each pass from the mean of their weights."
        return MixingFindings(notes=[note], start=self.start, blocks=self.shards, details={"blocks": self.shards})

    def epoch(self, problem: Any, watch: Watch) -> Epoch:
        self.rounds += 1
        mean_k = self.k // self.shards
        total, self.shards, corrections, errors, criterion, left = self.blocks.total(
            _pass, self.mixture, self.A, mean_k, self.rounds
        )
        relaxed = isinstance(self.mixture.model, Relaxation)
        ended = not left if relaxed else not corrections
        if ended:  # A was clean before this pass
            corrections = 0
        else:
            self.A = np.asarray(total / self.A.dtype.type(self.shards), self.A.dtype)
        self.k += int(corrections)
        step = float(self.schedule(max(self.k // self.shards, 1)))
        status = (Status.CONVERGED if left else Status.SEPARATED) if ended else None
        return Epoch(int(left if ended else errors), float(criterion), step, int(corrections), status)


def check_mixing(model: Any) -> None:
    """Refuse what has no form for blocks that are passed over at the same time."""
    plain = {"pocket": False, "average": False, "slack": 0, "patience": None, "record": None}
    for name, wanted in plain.items():
        if (value := getattr(model, name, wanted)) != wanted:
            raise refused(name, value, f"{wanted} where blocks are passed over at the same time", "leave it out")
    if model.random_state is not None and not isinstance(model.random_state, int | np.integer):
        raise refused("random_state", model.random_state, "a whole number or None for blocks", "give a seed")


def fit_mixed(model: Any, blocks: Blocks) -> None:
    """Fit a perceptron or a relaxation to blocks, and publish it."""
    check_mixing(model)
    with interrupt_raises():  # there are no weights before the classes are known
        found = survey(blocks)
    model.classes_, tally = found.classes, found.tally
    whole = StreamedProblem(
        blocks,
        found.n_rows,
        found.classes.size,
        int(tally.rows.sum()),
        Roles(found.classes),
        float(tally.heaviest.max()),
    )
    whole = model._balanced(whole, tally)
    problems = model._problems(whole)
    starts, solutions, mixtures = model._starts(whole, len(problems)), list[Solution[Any]](), list[Mixture]()
    for problem, start in zip(problems, starts, strict=True):
        mixture = Mixture(_settings(model), replace(problem, blocks=None))
        mixtures.append(mixture._replace(squared_radius=max(blocks.gather(_squared_radius, mixture))))
        solutions.append(drive(MixedRule(blocks, mixtures[-1], start), whole, int(model.max_iter), blocks.watch))
    model._rules, model._portions = [], [solution.recorded for solution in solutions]
    model._publish(solutions, whole, None)
    if len(solutions) == 1 and not whole.heaviest and solutions[0].status is Status.SEPARATED:
        model.report_.add(_bounded(model, blocks, mixtures[0], solutions[0]))
    model._warn(blocks.watch, solutions)


def _settings(model: Any) -> Any:
    """The model as the blocks need it: its parameters and classes, and nothing of an earlier fit."""
    bare = type(model)(**model.get_params(deep=False))
    bare.classes_, bare.multiclass_ = model.classes_, model.multiclass_
    return bare


def _schedule(model: Any) -> Schedule:
    eta = model.schedule if isinstance(model, Perceptron) else model.eta
    return get(1.0 if eta is None else eta)


def _bounded(model: Any, blocks: Blocks, mixture: Mixture, solution: Solution[Any]) -> dict[str, Any]:
    """What the theorem allows, from the longest pattern and the smallest margin of the answer."""
    schedule, S = _schedule(model), solution.findings.blocks
    if schedule.name != "constant":
        return {}
    relaxed, eta = isinstance(model, Relaxation), float(schedule(1))
    constant = np.sqrt(mixture.squared_radius) if not relaxed and model.bias == "radius" else 1.0
    kesler = 2.0 if len(solution.weights) > 1 else 1.0
    beta = float(np.sqrt(kesler * (mixture.squared_radius + constant**2)))
    gamma = min(blocks.gather(_lowest, mixture, solution.weights))
    scale = np.r_[1 / constant, np.ones(blocks.n_features)]
    answer, start = (part.astype(np.float64) * scale for part in (solution.weights, solution.findings.start))
    if not relaxed:
        bound = theorem_bound(answer, beta, gamma, start=start, margin=float(model.margin), eta=(eta, eta))
        return {} if bound is None else {"bound": S * bound}
    mistakes = int(solution.recorded.table[:, 0].sum())
    way = float(np.sum((start - answer * (model.margin / gamma)) ** 2))
    most = S * way * beta**2 / (eta * (2 - eta) * model.margin**2)
    details = model.report_.to_dict()["details"]
    return {"details": details | {"mistakes": f"{mistakes:,} (the theorem allows at most {np.floor(most):,.0f})"}}
