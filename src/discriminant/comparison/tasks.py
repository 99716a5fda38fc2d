"""The work of ``compare``: one task for each procedure, done here or in another process, and the row it leaves.

A task fits its procedure to the folds first and to all rows last, which is timed: nothing is left to compile then. It
raises nothing; what fails is told in the row.

Tests: ``tests/comparison/test_run.py``.
"""

from __future__ import annotations

import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils.parallel import Parallel, delayed

from .._engine.threads import one_blas_thread
from .._guards.parameters import refused
from ..exceptions import FitInterruptedWarning
from ..margin_distribution import geometric_margins
from ..solution import Status

INTERRUPTED = "not run: Ctrl-C was pressed before its turn"

TINY = 50_000  # numbers of X, one count for each procedure; less work than what other processes import and load

Judged = list[tuple[NDArray[np.intp], NDArray[np.intp]]]  # rows, and the places of the classes named for them
Folds = list[tuple[NDArray[np.intp], NDArray[np.intp]]]


@dataclass(frozen=True, eq=False)
class Row:
    """One procedure on the data; what could not be had is None, and ``failure`` or ``warnings`` tell why.

    Parameters
    ----------
    method : str
        Its name.
    train_error, cv_error : float or None
        Share of errors, by weight where there are weights: on the rows of the fit, and the mean over the folds.
    cv_std : float or None
        Standard deviation over the folds.
    confusion : array of int of shape (c, c) or None
        Rows of each class, in the order of the labels, by the class that was named: those of the folds when they were
        not seen, or all rows without folds.
    missed : array of int of shape (n,) or None
        How often each row was wrong when it was not seen.
    margin : float or None
        Smallest geometric margin of the rows, negative with errors; None where the boundary is no plane.
    corrections : int or None
        Changes of the weights; None for a procedure that finds them at once.
    iterations : int or None
        Passes or steps.
    seconds : float or None
        Time of the fit to all rows, after those to the folds: nothing is compiled any more.
    status : Status or None
        Why the fit stopped.
    failure : str or None
        What the procedure says where it fails.
    warnings : tuple of str
        What it says where it does not, but is not content.
    model : object
        The fitted model.
    """

    method: str
    train_error: float | None = None
    cv_error: float | None = None
    cv_std: float | None = None
    confusion: NDArray[np.int64] | None = field(default=None, repr=False)
    missed: NDArray[np.int64] | None = field(default=None, repr=False)
    margin: float | None = None
    corrections: int | None = None
    iterations: int | None = None
    seconds: float | None = None
    status: Status | None = None
    failure: str | None = None
    warnings: tuple[str, ...] = ()
    model: Any = field(default=None, repr=False)

    @property
    def sentence(self) -> str:
        """Why it stopped, or why it failed."""
        return self.failure or ("" if self.status is None else self.status.sentence)


class Attempt(NamedTuple):
    """One fit: the model with its share of errors on the rows that judge it, or why there is none."""

    model: Any
    error: float
    named: Any  # for each of these rows, the place of the class among all
    seconds: float
    warnings: list[str]
    failure: str | None


@dataclass(frozen=True)
class Task:
    """One procedure, and all that it needs; ``row`` does the work, in whatever process."""

    method: str
    make: Callable[[], Any]
    X: Any
    y: NDArray[Any]
    weight: NDArray[np.float64] | None
    folds: Folds
    seed: int

    def row(self) -> Row:
        with one_blas_thread():  # the same bits whatever shares the machine
            folds = [self._attempt(train, test) for train, test in self.folds]
            whole = self._attempt(None, None)
            margin = smallest(None if whole.model is None else geometric_margins(whole.model, self.X, self.y))
        failed = [f"in fold {i} of {len(folds)}: {part.failure}" for i, part in enumerate(folds, 1) if part.failure]
        errors = [] if failed else [part.error for part in folds]
        judged = [(test, part.named) for (_, test), part in zip(self.folds, folds, strict=True)] if errors else []
        said = [text for part in folds for text in part.warnings[:1]]
        in_folds = [f"In {len(said)} of {len(folds)} folds: {said[0]}"] if said else []
        row = Row(
            self.method,
            cv_error=float(np.mean(errors)) if errors else None,
            cv_std=float(np.std(errors)) if errors else None,
            confusion=self._confusion(judged or ([] if whole.failure else [(np.arange(len(self.y)), whole.named)])),
            missed=self._missed(judged) if judged else None,
            failure=whole.failure or next(iter(failed), None),
            warnings=tuple(whole.warnings or in_folds),
        )
        if whole.model is None:
            return row
        return replace(
            row,
            train_error=whole.error,
            margin=margin,
            corrections=_corrections(whole.model),
            iterations=_whole(getattr(whole.model, "n_iter_", None)),
            seconds=whole.seconds,
            status=getattr(whole.model, "status_", None),
            model=whole.model,
        )

    def _confusion(self, judged: Judged) -> NDArray[np.int64] | None:
        """How many rows of each class are given which name; a name that is no class counts for none."""
        own, c = self._places(self.y), np.unique(self.y).size
        counts = np.zeros((c, c), np.int64)
        for rows, named in judged:
            np.add.at(counts, (own[rows][named >= 0], named[named >= 0]), 1)
        return counts if judged else None

    def _missed(self, judged: Judged) -> NDArray[np.int64]:
        own, missed = self._places(self.y), np.zeros(len(self.y), np.int64)
        for rows, named in judged:
            np.add.at(missed, rows, named != own[rows])
        return missed

    def _places(self, labels: NDArray[Any]) -> NDArray[np.intp]:
        """The place of each label among the classes, -1 for what is none, of whatever type it is."""
        place = {label: k for k, label in enumerate(np.unique(self.y).tolist())}
        return np.array([place.get(label, -1) for label in labels.tolist()], np.intp)

    def _attempt(self, train: NDArray[np.intp] | None, test: NDArray[np.intp] | None) -> Attempt:
        """Fit to some rows and judge by others; None means all. Ctrl-C in a fit ends the whole comparison."""
        X, y, weight = self._rows(train)
        model, error, named, seconds, failure = None, np.nan, None, 0.0, None
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                model = self.make()
                if "random_state" in model.get_params():
                    model.set_params(random_state=self.seed)
                start = time.perf_counter()
                model.fit(X, y) if weight is None else model.fit(X, y, sample_weight=weight)
                seconds = time.perf_counter() - start
                X, y, weight = self._rows(test)
                answers = np.asarray(model.predict(X))
                error = float(np.average(answers != y, weights=weight))
                named = self._places(answers)
            except Exception as problem:
                model, failure = None, f"{type(problem).__name__}: {_line(problem)}"
        if any(issubclass(warning.category, FitInterruptedWarning) for warning in caught):
            raise KeyboardInterrupt
        return Attempt(model, error, named, seconds, list(dict.fromkeys(_line(w.message) for w in caught)), failure)

    def _rows(self, rows: NDArray[np.intp] | None) -> tuple[Any, NDArray[Any], NDArray[np.float64] | None]:
        if rows is None:
            return self.X, self.y, self.weight
        return self.X[rows], self.y[rows], None if self.weight is None else self.weight[rows]


def smallest(distances: NDArray[np.float64] | None) -> float | None:
    """The margin of the whole; None where it is none, or too large for a number."""
    return None if distances is None or not np.isfinite(distances.min()) else float(distances.min())


def check_jobs(n_jobs: Any) -> None:
    """Refuse what is no number of processes."""
    if n_jobs is not None and (not isinstance(n_jobs, int | np.integer) or isinstance(n_jobs, bool) or n_jobs == 0):
        raise refused("n_jobs", n_jobs, "a whole number but 0, or None", "give 1 or more, or None for one a core")


def run(
    tasks: list[Task], n_jobs: int | None, tell: Callable[[int, int, str], None], long: Sequence[str] = ()
) -> list[Row]:
    """The rows in the order of the tasks, by several processes where there are several tasks.

    They begin with the ``long`` ones, in that order, so that none is left alone with one at the end.
    """
    rows = [Row(task.method, failure=INTERRUPTED) for task in tasks]
    if n_jobs is None:
        n_jobs = -1 if sum(np.prod(task.X.shape) for task in tasks) > TINY else 1
    if n_jobs == 1 or len(tasks) == 1:
        found: Iterator[tuple[int, Row]] = map(_numbered, range(len(tasks)), tasks)
    else:
        turns = {method: turn for turn, method in enumerate(long)}
        order = sorted(range(len(tasks)), key=lambda i: turns.get(tasks[i].method, len(turns)))
        workers = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
        with _deaf_children():
            found = workers(delayed(_numbered)(i, tasks[i]) for i in order)
    try:
        for done, (i, row) in enumerate(found, 1):
            rows[i] = row
            tell(done, len(tasks), row.method)
    except KeyboardInterrupt:
        pass
    return rows


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Processes that start here do not hear Ctrl-C, which a terminal sends to all of them: this one ends them.

    One that breaks off an import would print where. What is ignored when a process starts stays so; that takes 0.01 s.
    """
    heard = signal.getsignal(signal.SIGINT)
    ours = threading.current_thread() is threading.main_thread() and heard is not None
    if ours:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        if ours:
            signal.signal(signal.SIGINT, heard)


def _numbered(i: int, task: Task) -> tuple[int, Row]:
    return i, task.row()


def make_folds(cv: Any, X: Any, y: NDArray[Any], seed: int, notes: list[str]) -> Folds:
    """The parts of the cross-validation; fewer than asked for where a class is small."""
    if cv is None or (isinstance(cv, int) and cv == 0):
        return []
    if isinstance(cv, int | np.integer):
        if isinstance(cv, bool) or cv < 2:
            raise refused("cv", cv, "a whole number >= 2, or None", "give the number of folds")
        smallest = int(np.unique(y, return_counts=True)[1].min())
        if smallest < 2:
            notes.append("A class has one row only, so that no cross-validation is possible.")
            return []
        if smallest < cv:
            notes.append(f"The smallest class has {smallest} rows: {smallest} folds instead of {cv}.")
        cv = StratifiedKFold(min(int(cv), smallest), shuffle=True, random_state=seed)
    return list(check_cv(cv, y, classifier=True).split(X, y))


def _corrections(model: Any) -> int | None:
    """Changes of the weights; scikit-learn's iterations for its own estimators; None where all was found at once."""
    history = getattr(model, "history_", None)
    if history is None:
        return _whole(getattr(model, "n_iter_", None))
    return int(model.n_corrections_) if len(history["corrections"]) else None


def _whole(value: Any) -> int | None:
    """A count as an int: the largest where there are several."""
    return None if value is None else int(np.max(value))


def _line(message: Any) -> str:
    return " ".join(str(message).split())
