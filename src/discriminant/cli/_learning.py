"""A fit with a progress bar, which Ctrl-C ends early with a usable model.  Tests: ``tests/cli/test_command.py``."""

from __future__ import annotations

import inspect
import re
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from ..comparison.methods import Procedure
from ._errors import CommandError
from ._lean import import_sklearn
from ._methods import REGRESSORS, make
from ._options import Training
from ._output import progress, told_later, warn, watched
from ._tables import check_labels, learnable

if TYPE_CHECKING:
    from ..io import Recipe


class _Passes:
    """A scikit-learn callback that tells how many passes are done, of how many at most."""

    def __init__(self, update: Callable[[float, float | None], None]) -> None:
        self.update = update
        self.done, self.total = 0, None

    def setup(self, estimator: Any, context: Any) -> None:
        self.total = context.max_subtasks
        self.update(0, self.total)

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None: ...

    def on_fit_task_end(self, estimator: Any, context: Any) -> None:
        self.done += 1
        self.update(self.done, self.total)

    def teardown(self, estimator: Any, context: Any) -> None: ...


@contextmanager
def _ended_while_compiling() -> Iterator[None]:
    """Let Ctrl-C end a fit at once while its procedure is being compiled, which takes seconds the first time.

    A fit hears Ctrl-C between its passes, and keeps what it has learned; before the first one there is nothing to keep.
    """
    from numba.core.event import Listener, install_listener

    class Compiling(Listener):
        def __init__(self) -> None:
            self.handlers: list[Any] = []

        def on_start(self, event: Any) -> None:
            if threading.current_thread() is threading.main_thread():
                self.handlers.append(signal.signal(signal.SIGINT, signal.default_int_handler))

        def on_end(self, event: Any) -> None:
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGINT, self.handlers.pop())

    with install_listener("numba:compiler_lock", Compiling()):
        yield


class Learned(NamedTuple):
    """A fitted model, what it was fitted to (with weights or None), and whether Ctrl-C ended it early.

    ``held`` are the rows, with their labels, that were held out for a test.
    """

    model: Any
    recipe: Any
    X: Any
    y: Any
    weights: Any
    interrupted: bool
    held: tuple[Any, Any] | None = None


def learned(
    given: Training,
    procedure: Procedure,
    prepare: Callable[[Recipe], Any],
    scaled: bool = False,
    training: Callable[[Any], Any] | None = None,
) -> Learned:
    """The model of a table; ``prepare`` may refuse its columns before the fit.

    It also imports what is needed after the fit, where nobody who has pressed Ctrl-C waits for it. Features may be
    ``scaled`` though nobody said so; ``training`` tells by the labels which rows to learn from.
    """
    recipe, X, y, w = learnable(given, scaled=scaled, training=training)
    import_sklearn()
    prepare(recipe)
    model = make(procedure, given.settings, given.seed)
    if procedure not in REGRESSORS.values():
        check_labels(y, recipe.target, "--method logistic", insist=given.method is None)
    if training is None:
        return Learned(model, recipe, X, y, w, learn(model, X, y, w))
    kept = training(y)
    held, X, y, w = (X[~kept], y[~kept]), X[kept], y[kept], None if w is None else w[kept]
    return Learned(model, recipe, X, y, w, learn(model, X, y, w), held)


def learn(model: Any, X: Any, y: Any, w: Any, **more: Any) -> bool:
    """Fit the model; tell whether Ctrl-C ended it early."""
    from sklearn.base import is_regressor

    from ..exceptions import FitInterruptedWarning

    if is_regressor(model) and y.dtype.kind not in "biuf":
        raise CommandError(f"--target: {type(model).__name__} predicts numbers, and the column holds {y[0].item()!r}.")
    given = more | ({} if w is None else {"sample_weight": w})
    if w is not None and "sample_weight" not in inspect.signature(model.fit).parameters:
        raise CommandError(f"--weights: {type(model).__name__} takes no weights; leave the option out.")
    kind, shape = type(model).__name__, f"{X.shape[0]:,} rows of {X.shape[1]:,} features"
    with (
        told_later(f"Fitting {kind} to {shape}."),
        warnings.catch_warnings(record=True, action="always", category=UserWarning) as caught,
        progress(f"fitting {kind}") as update,
        _ended_while_compiling(),
    ):
        if watched() and hasattr(model, "set_callbacks"):
            model.set_callbacks(_Passes(update))
            try:
                model.fit(X, y, **given)
            finally:
                model.set_callbacks()
        else:
            model.fit(X, y, **given)
    said = [w.message for w in caught if not issubclass(w.category, FitInterruptedWarning)]
    for text in dict.fromkeys(map(_briefly, said)):
        warn(text)
    return any(issubclass(warning.category, FitInterruptedWarning) for warning in caught)


def _briefly(warning: Warning | str) -> str:
    """The first sentence of a warning about a fit, whose report tells the rest."""
    text = " ".join(str(warning).split())
    return re.split(r"(?<=\.) (?=[A-Z])", text, maxsplit=1)[0] if hasattr(warning, "report") else text
