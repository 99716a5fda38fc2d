"""Whether the attributes of a model file have the types and shapes of the table, and agree with each other."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..solution import Report, Status
from ..squared_error.class_statistics import ClassStatistics
from ..squared_error.widrow_hoff_parameters import Progress
from ._attributes import HELD, names_of
from ._errors import ModelFileError


class _NoFitError(Exception):
    """The value is not of this kind or shape."""


def check(procedure: str, fitted: dict[str, Any]) -> None:
    """Refuse attributes that are unknown, missing, of a wrong type or shape, or that contradict each other."""
    needed, allowed = names_of(procedure)
    if odd := sorted((set(fitted) - allowed) | (needed - set(fitted))):
        state = "unknown" if odd[0] in fitted else "missing"
        raise ModelFileError(f"this is no model file: the attribute {odd[0]!r} of {procedure} is {state}.")
    sizes = _sizes(fitted)
    for line, shapes in HELD[procedure].items():
        name = line.rstrip("?")
        if name not in fitted:
            continue
        for shape in shapes.split(" | "):
            known = dict(sizes)
            try:
                _fit(fitted[name], shape.split(), known)
            except _NoFitError:
                continue
            sizes = known
            break
        else:
            raise ModelFileError(f"this is no model file: {name} of {procedure} should be {shapes!r}.")
    _agree(fitted, sizes)


def _sizes(fitted: dict[str, Any]) -> dict[str, int]:
    """The dimensions that are known beforehand."""
    d, classes, multiclass = (fitted.get(name) for name in ("n_features_in_", "classes_", "multiclass_"))
    if type(d) is not int or not 1 <= d < 2**31:
        raise ModelFileError(f"this is no model file: n_features_in_={d!r} is no number of features.")
    sizes = {"d": d}
    if not isinstance(classes, np.ndarray):
        return sizes
    sizes["c"] = c = classes.size
    counts = {"two-category": 1, "one-vs-rest": c, "one-vs-one": c * (c - 1) // 2, "kesler": c, "linear-machine": c}
    if not isinstance(multiclass, str) or multiclass not in counts or (multiclass == "two-category" and c != 2):
        raise ModelFileError(f"this is no model file: multiclass_={multiclass!r} does not suit {c} classes.")
    if "subclasses_" not in fitted and "coefs_" not in fitted:
        sizes["k"] = counts[multiclass]
    return sizes


def _fit(value: Any, shape: list[str], sizes: dict[str, int]) -> None:
    """Raise unless the value is of the kind and shape; dimensions met for the first time are noted."""
    kind, *letters = shape
    if not KINDS[kind](value):
        raise _NoFitError
    if letters == ["*"] or not letters:
        return
    if len(letters) != value.ndim:
        raise _NoFitError
    for letter, size in zip(letters, value.shape, strict=True):
        if letter.isdigit():
            wanted = int(letter)
        elif letter == "1+d":
            wanted = sizes["d"] + 1
        else:
            wanted = sizes.setdefault(letter, size)
        if size != wanted:
            raise _NoFitError


def _is_array(kinds: str, finite: bool = True) -> Callable[[Any], bool]:
    def fits(value: Any) -> bool:
        right = isinstance(value, np.ndarray) and value.dtype.kind in kinds
        return right and (not finite or value.dtype.kind != "f" or bool(np.all(np.isfinite(value))))

    return fits


def _is_matrix(value: Any) -> bool:
    entries = value.data if sparse.issparse(value) else value
    return getattr(value, "ndim", 0) == 2 and _is_array("f")(entries)


def _is_labels(value: Any) -> bool:
    """Distinct labels in order, as ``fit`` makes them."""
    if not isinstance(value, np.ndarray) or value.ndim != 1 or value.size < 2:
        return False
    if value.dtype.kind != "O":
        return bool(np.all(value[:-1] < value[1:])) and (value.dtype.kind != "f" or bool(np.all(np.isfinite(value))))
    entries = value.tolist()
    if len({str if isinstance(each, str) else float for each in entries}) > 1:
        return False
    finite = all(not isinstance(each, float) or math.isfinite(each) for each in entries)
    return finite and all(one < other for one, other in pairwise(entries))


def _is_texts(value: Any) -> bool:
    fits = isinstance(value, np.ndarray) and value.dtype == object and value.ndim == 1
    return fits and all(isinstance(each, str) for each in value) and len(set(value)) == value.size


def _is_history(value: Any) -> bool:
    names = {"errors", "criterion", "step", "corrections", "problem", "weights", "weights_problem", "validation"}
    if not isinstance(value, dict) or not {"criterion", "step", "corrections"} <= set(value) <= names:
        return False
    if not all(isinstance(column, np.ndarray) and column.dtype.kind in "fi" for column in value.values()):
        return False
    passes = [value[name] for name in ("errors", "criterion", "step", "corrections", "problem") if name in value]
    return all(column.ndim == 1 and column.size == passes[0].size for column in passes)


def _is_layers(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 0 and all(map(_is_array("f"), value))


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _is_progress(value: Any) -> bool:
    entries = value if isinstance(value, list) else [value]
    return all(
        isinstance(each, Progress)
        and type(each.k) is int
        and each.k >= 0
        and hasattr(each.schedule, "needs")
        and _is_number(each.largest)
        and _is_number(each.size)
        for each in entries
    )


KINDS: dict[str, Callable[[Any], bool]] = {
    "float": _is_array("f"),
    "any": _is_array("f", finite=False),
    "int": _is_array("iu"),
    "matrix": _is_matrix,
    "labels": _is_labels,
    "texts": _is_texts,
    "number": _is_number,
    "anynumber": lambda value: type(value) in (int, float),
    "count": lambda value: type(value) is int and value >= 0,
    "text": lambda value: isinstance(value, str),
    "flag": lambda value: isinstance(value, bool),
    "none": lambda value: value is None,
    "status": lambda value: isinstance(value, Status),
    "report": lambda value: isinstance(value, Report),
    "history": _is_history,
    "layers": _is_layers,
    "progress": _is_progress,
    "state": lambda value: isinstance(value, tuple) and len(value) == 4,
    "statistics": lambda value: isinstance(value, ClassStatistics),
}


class Agreement(NamedTuple):
    """Attributes that must not contradict each other, where they are there."""

    names: tuple[str, ...]
    sentence: str
    holds: Callable[..., Any]


def _agree(fitted: dict[str, Any], sizes: dict[str, int]) -> None:
    """Refuse attributes that say one thing twice and not alike, or that point outside of each other."""
    if ("weights_" in fitted) != ("coef_" in fitted):
        raise ModelFileError("this is no model file: weights_ and coef_ belong together.")
    for names, sentence, holds in AGREEMENTS:
        if set(names) <= set(fitted) and not holds(sizes, *(fitted[name] for name in names)):
            raise ModelFileError(f"this is no model file: {sentence}.")


def _same_weights(sizes: dict[str, int], weights: Any, coef: Any, intercept: Any) -> bool:
    W = np.atleast_2d(weights)
    same = np.array_equal(W[:, 1:], np.atleast_2d(coef))
    return same and np.array_equal(W[:, 0], np.atleast_1d(np.asarray(intercept, W.dtype)))


def _inside(sizes: dict[str, int], rows: Any, training: Any) -> bool:
    n = training if isinstance(training, int) else len(training)
    return bool(np.all((rows >= 0) & (rows < n))) and np.unique(rows).size == rows.size


def _counted(sizes: dict[str, int], counts: Any) -> bool:
    return bool(np.all(counts >= 0)) and int(counts.sum()) == sizes["s"]


def _told(sizes: dict[str, int], history: dict[str, Any]) -> bool:
    owners = [history[name] for name in ("problem", "weights_problem") if name in history]
    return all(np.all((owner >= 0) & (owner < sizes.get("k", 1))) for owner in owners)


def _ordered(sizes: dict[str, int], subclasses: Any, multiclass: str) -> bool:
    if multiclass != "kesler":
        return False
    return np.array_equal(np.unique(subclasses), np.arange(sizes["c"])) and bool(np.all(np.diff(subclasses) >= 0))


def _same_strengths(sizes: dict[str, int], dual: Any, strengths: Any, multiclass: str) -> bool:
    c = sizes["c"]
    rows = {"two-category": 1, "one-vs-one": c - 1, "one-vs-rest": c}.get(multiclass)
    return len(strengths) == rows and np.array_equal(strengths.astype(dual.dtype), dual)


def _chained(sizes: dict[str, int], W: Any, b: Any, units: Any, n_outputs: int, n_layers: int) -> bool:
    sizes_of = units.tolist()
    return (
        [layer.shape for layer in W] == list(pairwise(sizes_of))
        and [layer.shape for layer in b] == [(size,) for size in sizes_of[1:]]
        and len({layer.dtype for layer in (*W, *b)}) == 1
        and sizes_of[0] == sizes["d"]
        and (n_outputs, n_layers) == (sizes_of[-1], len(sizes_of))
    )


def _outputs(sizes: dict[str, int], n_outputs: int, multiclass: str) -> bool:
    return n_outputs == {"two-category": 1, "kesler": sizes["c"]}.get(multiclass)


def _is_state(sizes: dict[str, int], state: Any) -> bool:
    A, V, D, least = state
    p = sizes["d"] + 1
    arrays = all(map(_is_array("f"), (A, V, D)))
    return arrays and (A.shape, V.shape, D.shape) == ((sizes["k"], p), (p, p), (p,)) and _is_number(least)


def _is_statistics(sizes: dict[str, int], held: ClassStatistics) -> bool:
    c, d = sizes["c"], sizes["d"]
    if not all(map(_is_array("f"), (held.counts, held.means, held.scatters))):
        return False
    shapes = held.counts.shape, held.means.shape
    return (
        shapes == ((c,), (c, d))
        and held.scatters.shape in ((0, 0, 0), (1, d, d), (c, d, d))
        and bool(np.all(held.counts > 0))
    )


def _is_facts(value: Any) -> bool:
    """Whether a report holds the facts that reports hold, of their types."""
    facts = value.to_dict()
    known = all(name in FACTS and isinstance(fact, FACTS[name]) for name, fact in facts.items())
    return known and all(isinstance(note, str) for note in facts.get("notes", []))


def _same_fact(fact: str) -> Callable[..., bool]:
    return lambda sizes, report, value: report.to_dict().get(fact, value) == value


def _same_status(sizes: dict[str, int], report: Report, status: Status) -> bool:
    facts = report.to_dict()
    return (facts.get("status"), facts.get("reason", status.sentence)) == (status.name, status.sentence)


def _supporting(sizes: dict[str, int], support: Any, alpha: Any) -> bool:
    return np.array_equal(np.sort(support), np.flatnonzero(np.atleast_2d(alpha.T).any(axis=0)))


def _same_alpha(sizes: dict[str, int], alpha: Any, dual: Any, X: Any) -> bool:
    return np.array_equal(np.abs(dual), np.abs(np.atleast_2d(alpha.T)))


Text, Whole, Real = (str, type(None)), (int, type(None)), (int, float, type(None))
FACTS: dict[str, Any] = {
    "procedure": str, "status": str, "reason": str, "criterion": str, "multiclass": str, "scale": Text, "verdict": Text,
    "proof": Text, "remedy": Text, "iterations": int, "corrections": int, "errors": Whole, "n_samples": int,
    "n_features": int, "n_classes": int, "bound": Real, "inseparable": bool, "details": dict, "notes": list,
    "separability": list,
}  # fmt: skip
AGREEMENTS = [
    Agreement(("weights_", "coef_", "intercept_"), "weights_ is not intercept_ and coef_", _same_weights),
    Agreement(("support_", "alpha_"), "support_ points outside of the training rows", _inside),
    Agreement(("support_", "_n_rows"), "support_ points outside of the training rows", _inside),
    Agreement(("support_", "alpha_"), "support_ is not where alpha_ is positive", _supporting),
    Agreement(("alpha_", "dual_coef_", "X_fit_"), "alpha_ is not the size of dual_coef_", _same_alpha),
    Agreement(("width_", "margin_"), "width_ is not twice margin_", lambda sizes, w, m: np.array_equal(w, 2 * m)),
    Agreement(("n_support_",), "n_support_ does not count the support vectors", _counted),
    Agreement(("history_",), "its history tells of problems that it has not", _told),
    Agreement(("subclasses_", "multiclass_"), "subclasses_ are not those of the classes", _ordered),
    Agreement(
        ("dual_coef_", "_strengths", "multiclass_"), "dual_coef_ does not follow from the multipliers", _same_strengths
    ),
    Agreement(
        ("coefs_", "intercepts_", "_units", "n_outputs_", "n_layers_"), "the layers do not follow each other", _chained
    ),
    Agreement(("n_outputs_", "multiclass_"), "the outputs are not those of the classes", _outputs),
    Agreement(("_state",), "the state of the recursion does not fit", _is_state),
    Agreement(("_statistics",), "the statistics do not fit", _is_statistics),
    Agreement(("report_",), "its report is not one that a fit writes", lambda sizes, report: _is_facts(report)),
    Agreement(("report_", "status_"), "its report tells of another fit", _same_status),
    Agreement(("report_", "n_iter_"), "its report tells of other iterations", _same_fact("iterations")),
    Agreement(("report_", "n_corrections_"), "its report tells of other corrections", _same_fact("corrections")),
    Agreement(("report_", "n_features_in_"), "its report tells of other features", _same_fact("n_features")),
    Agreement(("report_", "multiclass_"), "its report tells of other classes", _same_fact("multiclass")),
]
