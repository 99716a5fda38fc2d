"""What a fit leaves behind: why it stopped, what it did, and a report that says so in plain words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from html import escape
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ._guards.state import Changing


class Status(Enum):
    """Why a fit stopped; every member carries its sentence.

    Members from best to worst: ``SEPARATED``, ``CONVERGED``, ``NOT_SEPARABLE``, ``CYCLES``, ``BUDGET``, ``STOPPED``.

    Examples
    --------
    >>> from discriminant import Status
    >>> print(Status.SEPARATED)
    separated: every training pattern lies strictly on its own side
    >>> Status.BUDGET.sentence
    'the budget of iterations ran out before the procedure had finished'
    """

    SEPARATED = "every training pattern lies strictly on its own side"
    CONVERGED = "the criterion has reached its minimum to the tolerance asked for"
    NOT_SEPARABLE = "no linear discriminant separates the training patterns, and there is evidence of it"
    CYCLES = "the same weights came back, so that the corrections repeat for ever"
    BUDGET = "the budget of iterations ran out before the procedure had finished"
    STOPPED = "the fit was told to stop; the weights are those of that moment"

    @property
    def sentence(self) -> str:
        """The reason in words."""
        return self.value

    @property
    def finished(self) -> bool:
        """Whether the procedure did what it set out to do."""
        return self in (Status.SEPARATED, Status.CONVERGED)

    @staticmethod
    def worst(statuses: Iterable[Status]) -> Status:
        """The member that stands last among ``statuses``: the verdict on several problems taken together."""
        return max(statuses, key=list(Status).index)

    def __str__(self) -> str:
        return f"{self.name.lower().replace('_', ' ')}: {self.value}"


class Epoch(NamedTuple):
    """One iteration as the history keeps it."""

    errors: int
    criterion: float
    step: float
    corrections: int
    status: Status | None = None


HISTORY = ("errors", "criterion", "step", "corrections")
EMPTY = np.empty((0, len(HISTORY)))


class Epochs(Changing, Sequence[Epoch]):
    """Epochs kept as the rows of a growing table: a stream of portions makes very many, and each reads them all."""

    def __init__(self, epochs: Iterable[Epoch] = (), table: NDArray[np.float64] = EMPTY) -> None:
        self._rows = np.concatenate([table, np.empty((16, len(HISTORY)))])
        self._size = len(table)
        self.extend(epochs)

    def append(self, epoch: Epoch) -> None:
        self.extend([epoch])

    def extend(self, epochs: Iterable[Epoch]) -> None:
        self.join(np.array([epoch[: len(HISTORY)] for epoch in epochs], np.float64).reshape(-1, len(HISTORY)))

    def join(self, table: NDArray[np.float64]) -> None:
        """Append the rows of such a table."""
        size = self._size + len(table)
        if size > len(self._rows):
            self._rows = np.concatenate([self._rows, np.empty((max(size, len(self._rows)), len(HISTORY)))])
        self._rows[self._size : size] = table
        self._size = size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, i: Any) -> Any:
        errors, criterion, step, corrections = self.table[i].tolist()
        return Epoch(int(errors), criterion, step, int(corrections))

    @property
    def table(self) -> NDArray[np.float64]:
        """One row an epoch, the columns of ``HISTORY``."""
        return self._rows[: self._size]

    @property
    def corrections(self) -> int:
        return int(self.table[:, HISTORY.index("corrections")].sum())


@dataclass(frozen=True, kw_only=True)
class Findings:
    """What a rule finds beside weights and status; a procedure adds fields of its own."""

    notes: Sequence[str] = ()
    details: Mapping[str, Any] = field(default_factory=dict)  # lines of the report that are the procedure's own
    inseparable: bool = False


F = TypeVar("F", bound=Findings)


@dataclass
class Solution(Generic[F]):
    """The outcome of one problem: augmented weights, one row a discriminant, and how they came about."""

    weights: NDArray[Any]
    status: Status
    epochs: Sequence[Epoch]
    findings: F
    path: NDArray[Any] | None = None

    @property
    def n_iter(self) -> int:
        return len(self.epochs)

    @property
    def n_corrections(self) -> int:
        return self.recorded.corrections

    @property
    def recorded(self) -> Epochs:
        return self.epochs if isinstance(self.epochs, Epochs) else Epochs(self.epochs)


def history_of(solutions: Sequence[Solution[Any]]) -> dict[str, NDArray[Any]]:
    """Arrays over all iterations; with several problems, ``"problem"`` says whose iteration each entry is."""
    table = np.concatenate([solution.recorded.table for solution in solutions])
    kinds = (np.int64, np.float64, np.float64, np.int64)
    history: dict[str, NDArray[Any]] = {
        name: column.astype(kind) for name, column, kind in zip(HISTORY, table.T, kinds, strict=True)
    }
    if len(solutions) > 1:
        history["problem"] = np.repeat(np.arange(len(solutions)), [s.n_iter for s in solutions])
    paths = [solution.path for solution in solutions if solution.path is not None]
    if paths:
        history["weights"] = paths[0] if len(paths) == 1 else np.concatenate(paths)
        if len(solutions) > 1:
            history["weights_problem"] = np.repeat(np.arange(len(paths)), [len(path) for path in paths])
    return history


# What can be said of several problems together, by the name of a detail: how, and in which word.
TOGETHER: dict[str, tuple[str, Callable[[list[float]], float]]] = {
    "criterion value": ("total", sum),
    "rounds": ("total", sum),
    "duality gap": ("largest", max),
    "KKT violation": ("largest", max),
    "gradient": ("largest", max),
    "Newton decrement": ("largest", max),
    "margin": ("smallest", min),
}


def details_of(solutions: Sequence[Solution[Any]]) -> dict[str, Any]:
    """The procedure's own lines of a report: of several problems, totals and the worst; the rest would mislead."""
    own = [dict(solution.findings.details) for solution in solutions]
    for details in own:
        if isinstance(gap := details.get("duality gap"), float) and gap < 0:  # by rounding
            details["duality gap"] = 0.0
    if len(own) == 1:
        return own[0]
    together: dict[str, Any] = {}
    for name, first in own[0].items():
        values: list[Any] = [details.get(name) for details in own]
        if name in TOGETHER and all(isinstance(value, int | float) for value in values):
            word, whole = TOGETHER[name]
            together[f"{word} {name}"] = whole(values)
        elif all(value == first for value in values):
            together[name] = first
    return together


def numbered(solutions: Sequence[Solution[Any]]) -> list[str]:
    """The notes of several problems, each with the number of its problem."""
    if len(solutions) == 1:
        return list(solutions[0].findings.notes)
    notes = [(p, note) for p, solution in enumerate(solutions) for note in solution.findings.notes]
    return [f"Problem {p} (row {p} of coef_): {note}" for p, note in notes]


def epochs_of(history: dict[str, NDArray[Any]], count: int = 1) -> list[Epochs]:
    """The epochs of each of ``count`` problems, from the history of them all: the reverse of ``history_of``."""
    size = next((len(history[name]) for name in HISTORY if name in history), 0)
    table = np.column_stack([history.get(name, np.zeros(size)) for name in HISTORY]).astype(np.float64)
    problem = history.get("problem", np.zeros(size, np.int64))
    return [Epochs(table=table[problem == p]) for p in range(count)]


class Report:
    """Why a fit stopped and what it means, as text (``print``) or as data (``to_dict``).

    What needs a look at the training data (the scale of the features, the bound of the perceptron theorem) is
    computed when the report is first read, while the data are still in memory.

    Parameters
    ----------
    facts : dict
        What is known at the end of the fit.
    later : callable, default=None
        Called with these facts when the report is read; returns further ones.

    Examples
    --------
    >>> from discriminant import Perceptron, datasets
    >>> model = Perceptron().fit(*datasets.or_function())
    >>> print(model.report_)  # doctest: +ELLIPSIS
    Perceptron: separated: every training pattern lies strictly on its own side
      minimized       J_p(a) = sum of b - a'y over the patterns with a'y <= b
      iterations      6
      corrections     9 (the theorem allows at most 27)
      errors          0 of 4 patterns in the last iteration
      features        sizes from 1 (feature 0) to 1 (feature 0)
      note            With 4 patterns in 2 dimensions random labels are separable with probability 0.88: ...
    >>> model.report_.to_dict()["corrections"]
    9
    """

    def __init__(self, facts: dict[str, Any], later: Callable[[dict[str, Any]], dict[str, Any]] | None = None) -> None:
        self._facts = facts
        self._later = later

    def to_dict(self) -> dict[str, Any]:
        """All facts, as plain numbers, strings and lists."""
        if self._later is not None:
            self._facts = self._facts | self._later(self._facts)
            self._later = None
        return dict(self._facts)

    def add(self, facts: dict[str, Any]) -> None:
        """Add facts that were found after the fit, in place of earlier ones of the same name."""
        self._facts = self.to_dict() | facts

    def headline(self) -> str:
        """The first sentence: who stopped, and why."""
        return f"{self._facts['procedure']}: {Status[self._facts['status']]}"

    @property
    def unfinished(self) -> bool:
        """Whether the procedure ended before it had done what it set out to do; a stop on request is not that."""
        status = Status[self._facts["status"]]
        return not status.finished and status is not Status.STOPPED

    def warning(self) -> str:
        """What was minimized, whether the classes overlap, what to try: no number, so that equal reasons read alike."""
        facts, left = self._facts, ""
        if facts["errors"] is not None:
            left = f"The classes {'are not' if facts['inseparable'] else 'may not be'} linearly separable. "
        return (
            f"{self.headline()}. Minimized: {facts['criterion']}. {left}report_ has the numbers. To try: "
            f"{facts['remedy']}"
        )

    def __str__(self) -> str:
        return self.text()

    def text(self, **further: str) -> str:
        """The report in lines, one a fact.

        Parameters
        ----------
        **further : str
            Lines to end with, by their names.

        Returns
        -------
        str
            What ``print`` shows, and these lines.
        """
        shown = self._lines() | further
        width = max([15, *map(len, shown)])
        return "\n".join([self.headline(), *(f"  {name:<{width}} {text}" for name, text in shown.items())])

    def _lines(self) -> dict[str, Any]:
        """What is told below the first sentence, by name."""
        facts = self.to_dict()
        rows = {"minimized": facts["criterion"], **self._iterations(facts)}
        rows |= {
            name: f"{value:.4g}" if isinstance(value, float) else value for name, value in facts["details"].items()
        }
        rows |= {"features": facts.get("scale"), "note": " ".join(facts["notes"])}
        rows |= {name: facts.get(name) for name in ("verdict", "proof", "remedy")}
        return {name: text for name, text in rows.items() if text not in (None, "")}

    def _repr_html_(self) -> str:
        return html_facts(self.headline(), self._lines().items())

    @staticmethod
    def _iterations(facts: dict[str, Any]) -> dict[str, str]:
        """The lines of an iterative procedure; a direct one has none."""
        if facts["errors"] is None:
            return {}
        bound, left = facts.get("bound"), f"of {facts['n_samples']:,} patterns in the last iteration"
        if facts.get("multiclass") in ("one-vs-rest", "one-vs-one"):
            left = "in the last iterations of all problems"
        # Rounding may have pushed a whole bound just below itself.
        allowed = "" if bound is None else f" (the theorem allows at most {np.floor(bound * (1 + 1e-12)):,.0f})"
        return {
            "iterations": f"{facts['iterations']:,}",
            "corrections": f"{facts['corrections']:,}{allowed}",
            "errors": f"{facts['errors']:,} {left}",
        }

    __repr__ = __str__

    def __reduce__(self) -> tuple[type[Report], tuple[dict[str, Any]]]:
        return Report, (self.to_dict(),)


def html_facts(headline: str, lines: Iterable[tuple[str, Any]]) -> str:
    """A sentence and named facts below it, as notebooks show them."""
    left = ' style="text-align: left; vertical-align: top"'
    rows = "".join(f"<tr><th{left}>{escape(name)}</th><td{left}>{escape(str(text))}</td></tr>" for name, text in lines)
    return f"<p><b>{escape(headline)}</b></p><table>{rows}</table>"
