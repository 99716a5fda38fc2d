"""Every procedure on one data set: one table, with a proved verdict on the data above it.

Each procedure is fitted to the folds of one cross-validation, the same for all, and then to all rows. Its row tells the
share of errors on the rows that it has seen and on those that it has not, its margin, its corrections, its time, and
why it stopped. A procedure that cannot work with the data has the reason in its row, and the others go on.

The features are taken as they are: a rule that suffers from their scales shows it, which is part of the answer.

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5, Table 5.1 and the computer exercises, which ask for such
comparisons.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_random_state

from .._engine.extras import needed
from .._engine.problem import check_weight
from .._guards.parameters import refused
from .._guards.validation import check_indices, explained
from ..exceptions import UndecidedError
from ..separation.verdict import Separability, pose
from ..separation.words import headline
from .methods import ALIASES, LARGE, LONG, SLOW, chosen
from .table import as_html, as_text, columns
from .tasks import Row, Task, check_jobs, make_folds, run

CHANCE = 2.0  # standard deviations that are no evidence yet
LEFT_OUT = f"left out: it takes long with more than {LARGE:,} rows; name it to run it"


@dataclass(eq=False, repr=False)
class Comparison(Sequence[Row]):
    """The table that :func:`compare` makes; it prints as text, and shows as HTML in a notebook.

    Parameters
    ----------
    rows : list of Row
        The procedures, in the order in which they were named; printed, they stand by rank.
    verdict : Separability
        Whether the classes can be separated at all, with the proof.
    X, y : arrays
        The data of the fits.
    sample_weight : array or None
        Their weights.
    feature_names : list of str
        The names of the columns.
    folds : int
        Parts of the cross-validation; 0 without one.
    random_state : int
        The seed.
    notes : list of str
        What else there is to know.
    undecided : UndecidedError, default=None
        What is known where the seconds for the verdict were not enough; to ask ``verdict`` is then to search again.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, Table 5.1.

    Examples
    --------
    >>> from discriminant import compare, datasets
    >>> found = compare(*datasets.table(1, 2), ["perceptron", "ho-kashyap"], n_jobs=1)
    >>> found.verdict.verdict, [row.method for row in found], found["perceptron"].corrections
    ('complete', ['perceptron', 'ho-kashyap'], 33)
    >>> found.best.train_error
    0.0
    """

    rows: list[Row]
    verdict: Separability
    X: Any
    y: NDArray[Any]
    sample_weight: NDArray[np.float64] | None
    feature_names: list[str]
    folds: int
    random_state: int
    notes: list[str]
    undecided: UndecidedError | None = None

    @property
    def best(self) -> Row | None:
        """The least cross-validated error (else training error); then the largest margin; then the first."""
        first = next(iter(self.ranked), None)
        return None if first is None or first.train_error is None else first

    @property
    def ranked(self) -> list[Row]:
        """The rows by their cross-validated error (else training error), then by margin; failed ones last."""
        low = -np.inf
        return sorted(
            self.rows,
            key=lambda row: (
                row.train_error is None,
                _shown_error(row),
                -(low if row.margin is None else row.margin),
            ),
        )

    @property
    def ties(self) -> list[Row]:
        """The best row, and those whose further errors on unseen rows may be chance: a sign test, row by row."""
        best = self.best
        if best is None:
            return []
        return [row for row in self.ranked if row is best or _may_be_chance(row, best)]

    @property
    def classes(self) -> dict[Any, int]:
        """The labels, each with the number of its rows."""
        labels, counts = np.unique(self.y, return_counts=True)
        return dict(zip(labels.tolist(), counts.tolist(), strict=True))

    def __getitem__(self, key: Any) -> Any:
        """A row by its place or by the name of its procedure."""
        if not isinstance(key, str):
            return self.rows[key]
        found = next((row for row in self.rows if row.method in (key, ALIASES.get(key))), None)
        if found is None:
            raise KeyError(f"{key!r} was not compared; there are {', '.join(row.method for row in self.rows)}")
        return found

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the data and the models, as what JSON can hold.

        Returns
        -------
        dict
            ``rows`` has a dict for each procedure, ``verdict`` the verdict on the data with its proof in a sentence;
            where it is "undecided", ``proof`` is None, and ``undecided`` tells what is known.
        """
        table = columns(self.rows)
        return {
            "format": "discriminant-comparison",
            "version": 1,
            "n_rows": len(self.y),
            "n_features": self.X.shape[1],
            "feature_names": self.feature_names,
            "classes": [{"label": label, "rows": count} for label, count in self.classes.items()],
            "folds": self.folds,
            "random_state": self.random_state,
            "verdict": self.verdict.verdict if self.undecided is None else "undecided",
            "proof": self.verdict.evidence() if self.undecided is None else None,
            "undecided": None if self.undecided is None else self.undecided.to_dict(),
            "best": None if self.best is None else self.best.method,
            "notes": self.notes,
            "rows": [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)],
        }

    def to_polars(self) -> Any:
        """The table as a polars frame.

        Returns
        -------
        polars.DataFrame
            One row for each procedure.
        """
        return needed("polars", "io").DataFrame(columns(self.rows), strict=False)

    def to_pandas(self) -> Any:
        """The table as a pandas frame.

        Returns
        -------
        pandas.DataFrame
            One row for each procedure.
        """
        return needed("pandas", "io").DataFrame(columns(self.rows))

    def report(
        self,
        path: str | os.PathLike[str],
        features: Sequence[Any] | None = None,
        title: str = "",
        command: str = "",
    ) -> Path:
        """Write one HTML page that needs nothing else: verdict and proof, table, pictures, words for everybody.

        Parameters
        ----------
        path : path
            The file; what was there is replaced at once and as a whole.
        features : pair of indices or names, default=None
            The two features of the pictures of regions; by default those whose class means differ most.
        title : str, default=""
            What the data are called.
        command : str, default=""
            The command that made the comparison, which the page then shows.

        Returns
        -------
        Path
            Where the page is.
        """
        plot = import_module("discriminant.plot")  # by name and when asked: pictures live in a room above this one
        return cast(Path, plot.report(self, path, features=features, title=title, command=command))

    def __str__(self) -> str:
        return as_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_html(self)


def compare(
    X: Any,
    y: Any,
    methods: str | Iterable[str] | Mapping[str, Any] = "all",
    cv: Any = 5,
    *,
    sample_weight: Any = None,
    feature_names: Sequence[str] | None = None,
    n_jobs: int | None = None,
    random_state: Any = 0,
    progress: Callable[[int, int, str], None] | None = None,
    max_seconds: float | None = 5.0,
) -> Comparison:
    """Fit every procedure to one data set, and compare them.

    Parameters
    ----------
    X : array, CSR matrix or data frame of shape (n, d)
        Patterns. They are taken as they are; standardize them first to see what that changes.
    y : array of shape (n,)
        Labels of two or more classes.
    methods : "all", list of names or dict, default="all"
        Names of ``comparison.METHODS``, or short ones: "svm", "logistic", "mlp", "fisher". A dict gives a name to
        classifiers of your own, or to functions that make them; those of scikit-learn will do. With more than 5,000
        rows "all" leaves out those that would take minutes; their rows say so.
    cv : int, splitter, iterable of folds or None, default=5
        Folds of the cross-validation, the same for all procedures. A number means so many shuffled folds with the
        classes in equal shares, at most as many as the smallest class has rows; None or 0 leaves it out.
    sample_weight : array of shape (n,), default=None
        Weights of the rows, in the fits and in the errors. Rows of weight zero are left out.
    feature_names : list of str, default=None
        Names of the columns; by default those of a frame, else x0, x1, …
    n_jobs : int, default=None
        Processes that share the procedures. -1 takes one for each core, and so does None unless the data are tiny.
        The results do not depend on it.
    random_state : int, default=0
        Seed of the folds and of every procedure that draws at random.
    progress : callable, default=None
        Called as ``progress(done, total, name)`` after each procedure, and once before the first.
    max_seconds : float or None, default=5.0
        Seconds that the verdict may take, and each of its sentences; the procedures have no limit. A verdict that takes
        longer is told as undecided. None waits for it.

    Returns
    -------
    Comparison
        The table. Ctrl-C ends it early; what was not run says so in its row.

    See Also
    --------
    separability : The verdict alone.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, Table 5.1.

    Examples
    --------
    >>> from discriminant import compare, datasets
    >>> found = compare(*datasets.xor(), ["perceptron", "svm"], cv=None, n_jobs=1)
    >>> found.verdict.verdict, found["perceptron"].status.name, found["perceptron"].train_error
    ('overlap', 'CYCLES', 0.5)
    >>> found["perceptron"].warnings[0][:67]
    'Perceptron: cycles: the same weights came back, so that the correct'
    """
    makers = chosen(methods)
    if not makers:
        raise refused("methods", methods, "one or more names", 'name at least one procedure, or "all"')
    check_jobs(n_jobs)
    tell = progress if progress is not None else (lambda done, total, name: None)
    tell(0, len(makers), "separability")
    X = X if hasattr(X, "shape") else np.asarray(X)
    check_indices(X)
    names, notes = _names(X, feature_names), list[str]()
    y = np.asarray(y)
    weight = None if sample_weight is None else check_weight(sample_weight, X.shape[0], np.dtype(np.float64))
    if weight is not None and not np.all(weight > 0):
        kept = np.flatnonzero(weight > 0)
        notes.append(f"{weight.size - kept.size:,} rows of weight zero are left out; rows are counted without them.")
        X, y, weight = X.iloc[kept] if hasattr(X, "iloc") else X[kept], y[kept], weight[kept]
    verdict = pose(X, y, progress=False, feature_names=names, max_seconds=max_seconds)  # also refuses what is no data
    undecided = _undecided(verdict)
    notes += [] if undecided is None else [str(undecided)]
    try:
        table = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
    except ValueError as error:
        raise explained(error) from None
    y = verdict.question.y
    given = isinstance(random_state, int | np.integer)
    seed = int(random_state if given else check_random_state(random_state).randint(2**31 - 1))
    folds = make_folds(cv, table, y, seed, notes)
    left_out = SLOW if isinstance(methods, str) and methods == "all" and len(y) > LARGE else ()
    tasks = [Task(name, make, table, y, weight, folds, seed) for name, make in makers.items() if name not in left_out]
    done = {row.method: row for row in run(tasks, n_jobs, tell, LONG)}
    rows = [done.get(name, Row(name, failure=LEFT_OUT)) for name in makers]
    return Comparison(rows, verdict, table, y, weight, names, len(folds), seed, notes, undecided)


def _undecided(verdict: Separability) -> UndecidedError | None:
    """Ask for what the table and the page tell of the verdict, now and not when they are printed."""
    try:
        verdict.evidence()
        headline(verdict)
    except UndecidedError as error:
        return error
    return None


def _names(X: Any, given: Sequence[str] | None) -> list[str]:
    if given is None:
        given = list(getattr(X, "columns", ())) or [f"x{j}" for j in range(np.shape(X)[1] if np.ndim(X) == 2 else 0)]
    names = [str(name) for name in given]
    if len(np.shape(X)) == 2 and len(names) != np.shape(X)[1]:
        raise refused("len(feature_names)", len(names), f"{np.shape(X)[1]}", "give a name for each column of X")
    return names


def _may_be_chance(row: Row, best: Row) -> bool:
    """Whether errors that only one of the two makes are as many for both, to two standard deviations."""
    if row.missed is None or best.missed is None:
        return False
    differences = row.missed - best.missed
    return bool(differences.sum() <= CHANCE * np.sqrt(np.sum(differences**2)))


def _shown_error(row: Row) -> float:
    """The error on unseen rows, or where it is not known the other one, which flatters, after all of these."""
    return row.cv_error if row.cv_error is not None else 1.0 + (row.train_error or 0.0)
