"""What must hold of the functions, whatever the data: their proofs hold, and their numbers keep to their bounds."""

from __future__ import annotations

import traceback
from collections.abc import Callable

import numpy as np
from hard_cases import Case
from hard_data import Data
from promises import Refused, Trial, estimator, finite, fit, transformer, width_of
from scipy import sparse

import discriminant as D
from discriminant import Status


def verdict(trial: Trial, data: Data) -> None:
    """The verdict on separability: its proof holds, and a row with two labels is no complete separation."""
    found = trial.call("separability", D.separability, data.X, data.y, progress=False)
    trial.must("verify", found.certificate.verify, data.X, data.y)
    trial.must("text", str, found)
    plane = trial.must("hyperplane", lambda: found.hyperplane)
    trial.hold(found.verdict in ("complete", "quasi", "overlap"), f"the verdict is {found.verdict}")
    trial.hold((found.verdict == "overlap") == (plane is None), f"the verdict is {found.verdict}, the plane {plane}")
    if isinstance(data.X, np.ndarray) and data.X.dtype.kind == "f":
        rows = np.unique(data.X, axis=0, return_inverse=True)[1]
        shared = len(set(rows.tolist())) < len(set(zip(rows.tolist(), np.ravel(data.y).tolist(), strict=True)))
        trial.hold(not shared or found.verdict != "complete", "complete, but a row has two labels")


def levels(trial: Trial, data: Data) -> None:
    """The verdict on ordered levels: its proof holds, and parallel planes do no more than one for each pair."""
    found = trial.call("separability", D.separability, data.X, data.y, family="cumulative", progress=False)
    trial.must("verify", found.certificate.verify, data.X, data.y)
    trial.must("text", str, found)
    if found.verdict == "complete":
        apart = trial.must("separability", D.separability, data.X, data.y, progress=False).pairwise
        trial.hold(apart.verdict == "complete", f"levels are complete, and a pair of them is {apart.verdict}")


def removals(trial: Trial, data: Data) -> None:
    """What is left after the removals is separable."""
    found = trial.call("minimum_removals", D.minimum_removals, data.X, data.y, time_limit=1.0)
    trial.hold(found.lower_bound <= len(found), "more rows must be removed than were")
    kept = np.setdiff1d(np.arange(np.shape(data.X)[0]), found.rows)
    X, y = data.X.tocsr() if sparse.issparse(data.X) else np.asarray(data.X), np.ravel(data.y)
    if np.unique(y[kept]).size > 1:
        left = trial.call("separability", D.separability, X[kept], y[kept], progress=False)
        trial.hold(left.verdict == "complete", f"what is left has the verdict {left.verdict}")


def margins(trial: Trial, data: Data) -> None:
    """The margins of a fitted model are finite."""
    model = trial.call("fit", D.Perceptron(max_iter=20).fit, data.X, data.y)
    found = trial.call("margins", D.margins, model, data.X, data.y)
    trial.hold(bool(np.all(np.isfinite(found.geometric))), "a margin is not finite")


def diagnosis(trial: Trial, data: Data) -> None:
    """A fitted model and the verdict on its data agree."""
    model = trial.call("fit", D.Perceptron(max_iter=20).fit, data.X, data.y)
    found = trial.call("diagnose", model.diagnose, data.X, data.y)
    separated = model.status_ is Status.SEPARATED
    trial.hold(not separated or found.verdict == "complete", f"SEPARATED, but the verdict is {found.verdict}")


def kesler(trial: Trial, data: Data) -> None:
    """Kesler's construction holds no number that X does not."""
    made = trial.call("kesler", D.kesler, data.X, data.y)
    trial.hold(bool(np.all(np.isfinite(made.data if sparse.issparse(made) else made))), "a row is not finite")


def path(trial: Trial, data: Data) -> None:
    """The machines along a path of costs are finite."""
    for model in trial.call("svm_path", D.svm_path, data.X, data.y, [0.01, 1.0, 100.0]):
        finite(trial, model)


def left_out(trial: Trial, data: Data) -> None:
    """The leave-one-out error keeps to its bound; it fits a machine a row, so that the table must be small."""
    if width_of(data.X) > 100 or np.unique(np.ravel(data.y).astype(str)).size > 3:
        return
    model = trial.call("fit", fit, D.SupportVectorMachine(), data)
    error, bound = trial.call("leave_one_out", D.leave_one_out, model, data.X, data.y, data.sample_weight)
    trial.hold(0 <= error <= bound <= 1, f"the error {error} exceeds its bound {bound}")


def integers(trial: Trial, data: Data) -> None:
    """Integer weights that are found separate."""
    a = trial.call("integer_search", D.integer_search, data.X, data.y, 2)
    if a is not None:
        last = np.asarray(data.y) == np.unique(data.y)[-1]
        g = (data.X if sparse.issparse(data.X) else np.asarray(data.X, np.float64)) @ a[1:] + a[0]
        trial.hold(bool(np.all(np.where(last, g > 0, g < 0))), "the weights do not separate")


FUNCTIONS: dict[str, Callable[[Trial, Data], None]] = {
    "separability": verdict,
    "separability of levels": levels,
    "minimum_removals": removals,
    "margins": margins,
    "diagnose": diagnosis,
    "kesler": kesler,
    "svm_path": path,
    "leave_one_out": left_out,
    "integer_search": integers,
}


def examine(case: Case, tell: Callable[[str], None] = lambda stage: None) -> Trial:
    """Put one case to the test."""
    trial = Trial(tell)
    function = FUNCTIONS.get(case.subject)
    try:
        data = case.data()
        if function is not None:
            function(trial, data)
        elif case.subject.startswith("PolynomialMap"):
            transformer(trial, case, data)
        else:
            estimator(trial, case, data)
    except Refused:
        return trial  # what may be refused was; what may not is among the findings
    except Exception as error:  # an answer of a kind that nobody expects
        trial.find("wrong answer", f"{type(error).__name__}: {error} ({traceback.extract_tb(error.__traceback__)[-1]})")
    return trial
