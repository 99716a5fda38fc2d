"""Whether the attributes of a model file have the types and shapes that their class says, and agree with each other.

Tests: ``tests/io/test_models.py``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from .._guards.held import held_by, is_floats, is_number
from .._guards.validation import all_finite
from ..solution import Report, Status
from ._errors import not_a_model


def names_of(kind: type) -> tuple[set[str], set[str]]:
    """The attributes that a model of a class must have, and those that it may have."""
    held = held_by(kind)
    return {name for name in held if not name.endswith("?")}, {name.rstrip("?") for name in held}


def check(kind: type, fitted: dict[str, Any]) -> None:
    """Refuse attributes that are unknown, missing, of a wrong type or shape, or that contradict each other."""
    needed, allowed = names_of(kind)
    if odd := sorted((set(fitted) - allowed) | (needed - set(fitted))):
        state = "unknown" if odd[0] in fitted else "missing"
        raise not_a_model(f"the attribute {odd[0]!r} of {kind.__name__} is {state}.")
    sizes = _sizes(fitted)
    for line, shape in held_by(kind).items():
        name = line.rstrip("?")
        if name not in fitted:
            continue
        if callable(shape):
            if not shape(fitted[name], sizes):
                raise not_a_model(f"{name} of {kind.__name__} is not what a fit leaves there.")
            continue
        for option in shape.split(" | "):
            known = dict(sizes)
            if _fits(fitted[name], option.split(), known):
                sizes = known
                break
        else:
            raise not_a_model(f"{name} of {kind.__name__} should be {shape!r}.")
    _agree(fitted, sizes)


def _sizes(fitted: dict[str, Any]) -> dict[str, int]:
    d, classes, multiclass = (fitted.get(name) for name in ("n_features_in_", "classes_", "multiclass_"))
    if type(d) is not int or not 1 <= d < 2**31:
        raise not_a_model(f"n_features_in_={d!r} is no number of features.")
    sizes = {"d": d}
    if not isinstance(classes, np.ndarray):
        return sizes
    sizes["c"] = c = classes.size
    counts = {"two-category": 1, "one-vs-rest": c, "one-vs-one": c * (c - 1) // 2, "kesler": c, "linear-machine": c}
    if not isinstance(multiclass, str) or multiclass not in counts or (multiclass == "two-category" and c != 2):
        raise not_a_model(f"multiclass_={multiclass!r} does not suit {c} classes.")
    if "subclasses_" not in fitted and "coefs_" not in fitted:
        sizes["k"] = counts[multiclass]
    return sizes


def _fits(value: Any, shape: list[str], sizes: dict[str, int]) -> bool:
    """Whether the value is of the kind and shape; dimensions met for the first time are noted."""
    kind, *letters = shape
    if not KINDS[kind](value):
        return False
    if letters == ["*"] or not letters:
        return True
    if len(letters) != value.ndim:
        return False
    for letter, size in zip(letters, value.shape, strict=True):
        fixed = int(letter) if letter.isdigit() else sizes["d"] + 1 if letter == "1+d" else None
        if size != (sizes.setdefault(letter, size) if fixed is None else fixed):
            return False
    return True


def _is_matrix(value: Any) -> bool:
    entries = value.data if sparse.issparse(value) else value
    return getattr(value, "ndim", 0) == 2 and is_floats(entries)


def _is_labels(value: Any) -> bool:
    """Distinct labels in order, as ``fit`` makes them."""
    if not isinstance(value, np.ndarray) or value.ndim != 1 or value.size < 2:
        return False
    if value.dtype.kind != "O":
        return bool(np.all(value[:-1] < value[1:])) and (value.dtype.kind != "f" or all_finite(value))
    entries = value.tolist()
    if len({str if isinstance(each, str) else float for each in entries}) > 1:
        return False
    finite = all(not isinstance(each, float) or math.isfinite(each) for each in entries)
    return finite and all(one < other for one, other in pairwise(entries))


def _is_texts(value: Any) -> bool:
    fits = isinstance(value, np.ndarray) and value.dtype == object and value.ndim == 1
    return fits and all(isinstance(each, str) for each in value) and len(set(value)) == value.size


def _is_history(value: Any) -> bool:
    needed = {"criterion", "step", "corrections"}
    names = needed | {"errors", "problem", "weights", "weights_problem", "patterns", "validation", "gap", "gap_problem"}
    if not isinstance(value, dict) or not needed <= set(value) <= names:
        return False
    if not all(isinstance(column, np.ndarray) and column.dtype.kind in "fi" for column in value.values()):
        return False
    passes = [value[name] for name in ("errors", "criterion", "step", "corrections", "problem") if name in value]
    return all(column.ndim == 1 and column.size == passes[0].size for column in passes)


def _is_array(value: Any, kinds: str) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in kinds


KINDS: dict[str, Callable[[Any], bool]] = {
    "float": is_floats,
    "any": lambda value: _is_array(value, "f"),
    "int": lambda value: _is_array(value, "iu"),
    "matrix": _is_matrix,
    "labels": _is_labels,
    "texts": _is_texts,
    "number": is_number,
    "anynumber": lambda value: type(value) in (int, float),
    "count": lambda value: type(value) is int and value >= 0,
    "text": lambda value: isinstance(value, str),
    "flag": lambda value: isinstance(value, bool),
    "none": lambda value: value is None,
    "status": lambda value: isinstance(value, Status),
    "report": lambda value: isinstance(value, Report),
    "history": _is_history,
    "layers": lambda value: isinstance(value, list) and len(value) > 0 and all(map(is_floats, value)),
}


def _agree(fitted: dict[str, Any], sizes: dict[str, int]) -> None:
    """Refuse attributes that say one thing twice and not alike, or that point outside of each other."""
    if ("weights_" in fitted) != ("coef_" in fitted):
        raise not_a_model("weights_ and coef_ belong together.")
    for names, sentence, holds in AGREEMENTS:
        if set(names) <= set(fitted) and not holds(sizes, *(fitted[name] for name in names)):
            raise not_a_model(f"{sentence}.")
    if "report_" in fitted:
        _check_report(fitted["report_"].to_dict(), fitted)


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
    owners = [history[name] for name in ("problem", "weights_problem", "gap_problem") if name in history]
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


def _check_report(facts: dict[str, Any], fitted: dict[str, Any]) -> None:
    """Refuse a report with facts that reports do not hold, or that the attributes contradict."""
    known = all(name in FACTS and isinstance(fact, FACTS[name]) for name, fact in facts.items())
    if not known or not all(isinstance(note, str) for note in facts.get("notes", [])):
        raise not_a_model("its report is not one that a fit writes.")
    status = fitted.get("status_")
    told = facts.get("status"), facts.get("reason", status and status.sentence)
    if status is not None and told != (status.name, status.sentence):
        raise not_a_model("its report tells of another fit.")
    for fact, name in REPORTED.items():
        if name in fitted and facts.get(fact, fitted[name]) != fitted[name]:
            raise not_a_model(f"its report tells of other {fact.removeprefix('n_')}.")
    if facts.get("multiclass") not in (None, fitted.get("multiclass_")):
        raise not_a_model("its report tells of other classes.")


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
REPORTED = {"iterations": "n_iter_", "corrections": "n_corrections_", "n_features": "n_features_in_"}
# Attributes that must not contradict each other, where they are there; what is wrong if they do; whether they agree.
AGREEMENTS: list[tuple[tuple[str, ...], str, Callable[..., Any]]] = [
    (("weights_", "coef_", "intercept_"), "weights_ is not intercept_ and coef_", _same_weights),
    (("support_", "alpha_"), "support_ points outside of the training rows", _inside),
    (("support_", "_n_rows"), "support_ points outside of the training rows", _inside),
    (("support_", "alpha_"), "support_ is not where alpha_ is positive", _supporting),
    (("alpha_", "dual_coef_", "X_fit_"), "alpha_ is not the size of dual_coef_", _same_alpha),
    (("width_", "margin_"), "width_ is not twice margin_", lambda sizes, w, m: np.array_equal(w, 2 * m)),
    (("n_support_",), "n_support_ does not count the support vectors", _counted),
    (("history_",), "its history tells of problems that it has not", _told),
    (("subclasses_", "multiclass_"), "subclasses_ are not those of the classes", _ordered),
    (("dual_coef_", "_strengths", "multiclass_"), "dual_coef_ does not follow from the multipliers", _same_strengths),
    (("coefs_", "intercepts_", "_units", "n_outputs_", "n_layers_"), "the layers do not follow each other", _chained),
    (("n_outputs_", "multiclass_"), "the outputs are not those of the classes", _outputs),
]
