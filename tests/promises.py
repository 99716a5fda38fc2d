"""What must hold of every estimator and function, whatever the data.

Every call ends, raises ``ValueError`` or nothing, and gives no warning but the package's own. A refused fit leaves the
model as it was. An accepted one is finite, repeatable, says what is so, and comes back from a file as it went.
"""

from __future__ import annotations

import re
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from hard_cases import Case
from hard_data import KINDS, WEIGHTS, Data, ordinary
from minima import excess
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import has_fit_parameter

import discriminant as D
from discriminant import Status, io

# What scikit-learn says to every estimator's user, and its checks of estimators ask for.
THEIRS = re.compile("feature names|column-vector y was passed")
OURS = (D.NotConvergedWarning, D.InfiniteEstimateWarning, D.FitInterruptedWarning)
# A ValueError with such words is one of numpy, scipy or Python that has slipped through: it names no parameter.
FOREIGN_WORDS = re.compile(
    "broadcast|infs or NaNs|zero-size|cannot convert|math domain|cannot reshape|at least one array|inhomogeneous|"
    "mismatch in its core|out of bounds|setting an array element|read-only|not aligned|empty sequence|n_splits"
)

# Why a procedure may refuse even good data: it was asked for a plane without errors, for a step that is too long for
# them, or for more memory than there is.
WITH_REASON = re.compile(
    "separa|without errors|given two classes|linearly independent|given fewer than|a dense|[Ss]tandardize|diverges|GiB|"
    "too many columns"
)
BAD_PATTERNS = frozenset(
    {"integers beyond float", "longdouble beyond float64", "text", "None", "complex", "NaN", "inf", "empty"}
    | {name for name in KINDS if name.startswith(("CSR index", "CSR indptr"))}
)
BAD_LABELS = frozenset(
    {"label NaN", "a label too few", "negative weight", "weight NaN", "weight inf", "a weight too few", "all weights 0"}
)


class Finding(NamedTuple):
    """A promise that was broken: what sort, at which call, and the words."""

    sort: str
    stage: str
    text: str


SORTS = ("hang", "abort", "foreign exception", "leaked warning", "wrong answer")


class Refused(Exception):
    """The call raised a ``ValueError``, as it may."""


class Trial:
    """The calls of one case, and what was wrong with them."""

    def __init__(self, tell: Callable[[str], None] = lambda stage: None) -> None:
        self.findings: list[Finding] = []
        self.calls = 0
        self.stage = ""
        self._tell = tell

    def call(self, stage: str, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """What the function returns; ``Refused`` where it raises."""
        self.stage = stage
        self._tell(stage)
        self.calls += 1
        with warnings.catch_warnings(record=True, action="always") as caught:
            try:
                return function(*args, **options)
            except Exception as error:
                if not allowed(error):
                    self.find("foreign exception", f"{type(error).__name__}: {error} ({place(error)})")
                raise Refused(str(error)) from error
            finally:
                for warning in caught:
                    if not issubclass(warning.category, OURS) and not THEIRS.search(str(warning.message)):
                        where = f"{Path(warning.filename).name}:{warning.lineno}"
                        self.find("leaked warning", f"{warning.category.__name__}: {warning.message} ({where})")

    def must(self, stage: str, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """The same of a call that there is no reason to refuse."""
        try:
            return self.call(stage, function, *args, **options)
        except Refused as refused:
            self.find("wrong answer", f"refused without need: {refused}")
            raise

    def find(self, sort: str, text: str) -> None:
        """Note a broken promise, once for each stage."""
        finding = Finding(sort, self.stage, " ".join(text.split())[:300])
        if finding not in self.findings:
            self.findings.append(finding)

    def hold(self, true: bool, text: str) -> None:
        """Note a wrong answer unless ``true``."""
        if not true:
            self.find("wrong answer", text)


def allowed(error: Exception) -> bool:
    """Whether a caller may meet this exception."""
    if isinstance(error, TypeError):  # scikit-learn's own checks raise it for what is no table at all
        return bool(re.search("dtype|sparse|uniformly strings or numbers", str(error)))
    ours = type(error) is ValueError or type(error).__module__.startswith("discriminant")
    return (ours and not FOREIGN_WORDS.search(str(error))) or isinstance(error, NotFittedError)


def place(error: BaseException) -> str:
    """Where it was raised, as far as this package knows: the last of its lines."""
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if "discriminant" in frame.filename]
    return f"{Path(lines[-1].filename).name}:{lines[-1].lineno}" if lines else "outside of discriminant"


def estimator(trial: Trial, case: Case, data: Data) -> None:
    """A classifier or regressor: fit, predict, save, fit again, be refused, go on."""
    good = ordinary(np.random.default_rng(case.seed), width_of(data.X), 18)
    after_a_refusal(trial, case, good, data)
    portions(trial, case, good, data)
    model = case.estimator()
    trial.call("fit", fit, model, data)
    trial.hold(not impossible(case, data), "what is no table of numbers was accepted")
    trial.hold(all(map(same, memory(data.X), memory(case.data().X))), "the fit has changed the caller's X")
    finite(trial, model)
    predicted = trial.must("predict", model.predict, data.X)
    honest(trial, model, data, predicted)
    again = clone(model)
    trial.must("fit again", fit, again, data)
    trial.hold(same(answers(model), answers(again)), "a second fit gives another model")
    loaded = trial.must("load", io.loads, trial.must("save", io.dumps, model))
    trial.hold(same(trial.must("predict of the loaded", loaded.predict, data.X), predicted), "the loaded model differs")
    if model.status_ is Status.CONVERGED:
        over = excess(model, data)
        trial.hold(over <= 1e-3, f"CONVERGED {over:.2%} above the minimum")


def fit(model: Any, data: Data) -> Any:
    """Fit with the weights, where there are any."""
    if data.sample_weight is None or not has_fit_parameter(model, "sample_weight"):
        return model.fit(data.X, data.y)
    return model.fit(data.X, data.y, sample_weight=data.sample_weight)


def impossible(case: Case, data: Data, kinds: frozenset[str] = BAD_PATTERNS | BAD_LABELS) -> bool:
    """Whether there is no right answer but an error."""
    if not has_fit_parameter(case.estimator(), "sample_weight"):
        kinds -= WEIGHTS.keys()
    if getattr(data.X, "nnz", 0) == 0:  # nothing of it could be spoilt
        kinds = frozenset(kind for kind in kinds if not kind.startswith("CSR"))
    return bool(kinds & set(case.kinds))


def memory(X: Any) -> list[Any]:
    """The arrays of an array or a CSR matrix; of other containers none, for they hand out copies."""
    return [X] if isinstance(X, np.ndarray) else [X.data, X.indices, X.indptr] if hasattr(X, "indptr") else []


def width_of(X: Any) -> int:
    """The columns of X, where it has any."""
    shape = np.shape(X)
    return shape[1] if len(shape) == 2 and shape[1] else 3


def after_a_refusal(trial: Trial, case: Case, good: Data, data: Data) -> None:
    """A model that was fitted to good data meets the others: predictions or an error; a refused fit changes nothing."""
    model = case.estimator()
    try:
        trial.call("fit of good data", fit, model, good)
    except Refused as refused:
        trial.hold(bool(WITH_REASON.search(str(refused))), f"good data are refused: {refused}")
        return
    for name in ("predict", "decision_function", "predict_proba", "transform"):
        try:
            trial.call(f"{name} after good data", getattr(model, name, len), data.X)
        except Refused:
            continue
        accepted = hasattr(model, name) and impossible(case, data, BAD_PATTERNS)
        trial.hold(not accepted, "what is no table of numbers was accepted")
    before, told = dict(vars(model)), answers(model)
    try:
        trial.call("fit", fit, model, data)
    except Refused:
        now = vars(model)
        changed = sorted(
            name for name in before.keys() | now.keys() if before.get(name, model) is not now.get(name, model)
        )
        trial.hold(not changed, f"a refused fit has changed {', '.join(changed)}")
        trial.hold(same(told, answers(model)), "a refused fit has changed the numbers of the model")


def portions(trial: Trial, case: Case, good: Data, data: Data) -> None:
    """A refused portion between two good ones leaves no trace."""
    with_it, without = case.estimator(), case.estimator()
    if not hasattr(with_it, "partial_fit"):
        return
    options = {"classes": np.unique(good.y)} if hasattr(with_it, "decision_function") else {}
    try:
        for model in (with_it, without):
            trial.call("partial_fit of good data", model.partial_fit, good.X, good.y, **options)
    except Refused as refused:  # some parameters need all patterns at once
        reason = re.search(f"partial_fit|{WITH_REASON.pattern}", str(refused))
        trial.hold(bool(reason), f"a good portion is refused: {refused}")
        return
    n = np.shape(data.X)[0] if np.ndim(data.X) or sparse.issparse(data.X) else 0
    try:
        trial.call("partial_fit", with_it.partial_fit, data.X, np.resize(good.y, n), sample_weight=data.sample_weight)
    except Refused:
        for model in (with_it, without):
            trial.must("partial_fit after a refused portion", model.partial_fit, good.X, good.y)
        trial.hold(same(answers(with_it), answers(without)), "a refused portion has left a trace")


def answers(model: Any) -> dict[str, Any]:
    """The numbers that a model publishes."""
    return {
        name: np.array(value)
        for name, value in vars(model).items()
        if name.endswith("_") and not name.startswith("_") and isinstance(value, np.ndarray | float | np.number)
    }


def same(one: Any, other: Any) -> bool:
    """Whether two answers are the same to the last bit."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    one, other = np.asarray(one), np.asarray(other)
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f" and other.dtype.kind == "f")


# What is infinite for a reason that its documentation and the report give.
MAY_BE_INFINITE = {
    ("MinOver", "gap_"): "of a plane that leaves errors",
    ("Adatron", "gap_"): "of a plane that leaves errors",
    ("SupportVectorMachine", "margin_"): "where w = 0",
    ("SupportVectorMachine", "width_"): "where w = 0",
}


def finite(trial: Trial, model: Any) -> None:
    """What a model publishes is finite."""
    report = trial.must("report", str, getattr(model, "report_", ""))
    for name, value in answers(model).items():
        if value.dtype.kind == "f" and not np.all(np.isfinite(value)):
            explained = (type(model).__name__, name) in MAY_BE_INFINITE and name in report
            trial.hold(explained, f"{name} is not finite")


def honest(trial: Trial, model: Any, data: Data, predicted: Any) -> None:
    """Predictions are labels, and the status says what is so."""
    if not hasattr(model, "classes_"):
        trial.hold(bool(np.all(np.isfinite(predicted))), "predictions are not finite")
        return
    y = np.ravel(np.asarray(data.y))
    trial.hold(bool(np.isin(predicted, model.classes_).all()), "predictions are not labels")
    weighted = data.sample_weight is not None and has_fit_parameter(model, "sample_weight")
    counted = np.asarray(data.sample_weight) > 0 if weighted else np.ones(len(y), bool)
    wrong = (predicted != y)[counted]
    if model.status_ is Status.SEPARATED:
        trial.hold(not wrong.any(), f"SEPARATED, but {wrong.sum()} of {wrong.size} rows are wrong")
    undecided = trial.must("undecided", model.undecided, data.X)[counted] if hasattr(model, "undecided") else wrong
    if getattr(model, "multiclass_", "") == "one-vs-rest":  # small classes may claim no row: the largest score decides
        undecided = tied(model.decision_function(data.X))[counted]
    if model.status_ is Status.CONVERGED and not same_rows(data.X) and not penalized_away(model, data.X):
        trial.hold(not np.all(wrong | undecided), f"CONVERGED with {wrong.size} of {wrong.size} rows wrong")


def tied(scores: Any) -> Any:
    """Which rows have no single largest discriminant."""
    return (scores == scores.max(axis=1, keepdims=True)).sum(axis=1) > 1


def same_rows(X: Any) -> bool:
    """Whether no discriminant could tell any row from another."""
    dense = X.toarray() if sparse.issparse(X) else np.asarray(X, np.float64)
    return bool(np.all(dense == dense[:1]))


def penalized_away(model: Any, X: Any) -> bool:
    """Whether features are so small beside the penalty that its minimum has no weights for them, to rounding."""
    largest = np.abs(X.data if sparse.issparse(X) else np.asarray(X, np.float64)).max(initial=0)
    return hasattr(model, "C") and bool(model.C * max(largest, 1e-150) ** 2 < np.finfo(np.float64).eps)


def transformer(trial: Trial, case: Case, data: Data) -> None:
    """The map of features: on good data, then on these."""
    model = case.estimator()
    if width_of(data.X) < 100:
        trial.must("fit of good data", model.fit, ordinary(np.random.default_rng(0), width_of(data.X), 12).X)
    for stage, call in (("transform after good data", getattr(model, "transform", len)), ("fit", clone(model).fit)):
        before = dict(vars(model))
        try:
            trial.call(stage, call, data.X)
            trial.hold(not impossible(case, data, BAD_PATTERNS), "what is no table of numbers was accepted")
        except Refused:
            trial.hold(vars(model) == before, "what was refused has changed the model")
