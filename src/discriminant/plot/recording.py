"""A fit as data: every step of it, what was corrected, the curve, the regions, and the Python that makes it again.

``record`` runs a procedure once and gives what a page needs to replay it: a ``head`` with what holds for the whole
run, and ``steps``, each [weights, pattern, η, weights before, factor]. All of it is plain numbers, texts and lists, so
that it can be JSON.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._guards.parameters import refused
from ..base.course import Course, bias_unit, corrected, course_of, curve_of, kept_of
from ..base.iterative import SolvingEstimator
from ._maps import Snapshots, maps_of
from ._source import changed, source_of
from ._style import dense, labels, names_of, table

VERSION = 1
SEED = 0  # of a procedure that draws at random and was given no seed: a recording must come out the same again
CLOSE = 1e-12  # relative difference up to which the answer is the last vector on the way but for rounding
MOST_CLASSES = 6  # that a page has colors for
NOTHING = (-1, None, None, None)  # of a step that no correction led to: no pattern, no η, no weights before, no factor

Recording = dict[str, Any]


def record(
    model: Any,
    X: Any,
    y: Any,
    *,
    classes: Sequence[str] | None = None,
    features: Sequence[str] | None = None,
    about: Mapping[str, Any] | None = None,
) -> Recording:
    """Run a procedure on patterns of one or two features, and give the run as data.

    A copy of ``model`` is fitted. ``classes`` are the names of the labels 0, 1, …, which y must hold then; ``about``
    is what the head shall say beside what is known here, such as the name of the procedure.
    """
    X, y, points = _points(X, y, model, classes, features)
    model, snapshots = rerun(model, X, y)
    found = course_of(model, X)
    head = {
        "version": VERSION,
        "procedure": None,
        "title": type(model).__name__,
        "equation": equation(type(model)),
        "parameters": {name: _plain(value) for name, value in changed(model).items()},
        "seed": _plain(model.get_params(deep=False).get("random_state")),
        "points": points,
        "one_feature": X.shape[1] == 1,
    } | dict(about or {})
    if _is_linear(model):
        steps, answer = _linear_steps(model, found, X, y)
        numbers = [0, 1] if found is None else found.numbers[found.kept].tolist()
        numbers += numbers[-1:] * (len(steps) - len(numbers))  # the answer is no correction
        maps = None
    else:
        steps, numbers = _blank_steps(model, found, snapshots, X, y)
        answer = None if found or snapshots.models else "direct"
        maps = maps_of(model, found, snapshots, X, numbers)
    head |= _facts(model, found, X, y, numbers, maps is None)
    head |= {"answer": answer, "maps": maps, "python": source_of(model, X, y, points["classes"])}
    return {"head": _finite(head), "steps": _finite(steps)}


def rerun(model: Any, X: NDArray[Any], y: NDArray[Any]) -> tuple[Any, Snapshots]:
    """A copy of the model, fitted with its weights recorded, seeded if it draws; of a network, states on the way."""
    from sklearn.base import clone

    model, snapshots = clone(_ours(model)), Snapshots()
    known = model.get_params(deep=False)
    chosen: dict[str, Any] = {"record": "weights"} if "record" in known and "hidden" not in known else {}
    if "random_state" in known and known["random_state"] is None:
        chosen["random_state"] = SEED
    model.set_params(**chosen)
    if "hidden" in known:  # the weights of a network are none of a plane
        model.set_callbacks(snapshots)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the report says it
        model.fit(X, y)
    return model, snapshots


def _ours(model: Any) -> Any:
    """The model, if it is one whose steps are known."""
    from sklearn.base import is_classifier

    if not (isinstance(model, SolvingEstimator) and is_classifier(model)):
        raise refused("model", model, "a classifier of this package", "give one such as Perceptron()")
    return model


def equation(kind: type) -> list[str]:
    """The indented lines of the docstring of a procedure's file: the equations as the book prints them."""
    module = inspect.getmodule(kind)
    lines = ((module.__doc__ if module else None) or "").splitlines()
    return [re.sub(r"\s{2,}", "   ", line.strip()) for line in lines if line.startswith("    ")]


def _points(
    X: Any, y: Any, model: Any, classes: Sequence[str] | None, features: Sequence[str] | None
) -> tuple[NDArray[np.float64], NDArray[np.int64], dict[str, Any]]:
    """The patterns as floats, the labels as indices of their classes, and both as the head has them."""
    names = names_of(X, model, features) if np.ndim(X) == 2 else []
    X = np.ascontiguousarray(dense(table(X)))
    if X.shape[1] not in (1, 2):
        raise refused("X.shape", X.shape, "(n, 1) or (n, 2)", "choose one or two features: X[:, [0, 1]]")
    y = labels(y, len(X))
    if classes is None:
        found, own = np.unique(y, return_inverse=True)
        classes, y = [str(label) for label in found.tolist()], own
    if len(classes) > MOST_CLASSES:
        raise refused("y", f"<{len(classes)} classes>", f"labels of at most {MOST_CLASSES} classes", "take fewer")
    plane = X if X.shape[1] == 2 else np.column_stack([X, np.zeros(len(X))])
    points = {"x": plane.tolist(), "y": y.tolist(), "classes": list(classes), "features": [*names, ""][:2]}
    return X, y.astype(np.int64), points


def _is_linear(model: Any) -> bool:
    """Whether the largest of its discriminants decides, so that weights tell everything."""
    return hasattr(model, "weights_") and model.multiclass_ != "one-vs-one"


def _linear_steps(model: Any, found: Course | None, X: NDArray[Any], y: NDArray[Any]) -> tuple[list[Any], str | None]:
    """[weights, pattern, η, weights before, factor] from a(1) to the answer; and what sort of answer the last one is.

    The weights before are given where the step before is not the correction before.
    """
    answer = np.atleast_2d(model.weights_).astype(np.float64)
    if found is None:
        return [[[0.0] * answer.size, *NOTHING], [answer.ravel().tolist(), *NOTHING]], "direct"
    planes = found.planes(X).astype(np.float64)
    weights = planes[found.kept]
    steps = [
        [each.ravel().tolist(), made.pattern, made.eta, None, made.factor]
        for each, made in zip(weights, corrected(model, found, X, y), strict=True)
    ]
    for k in found.changed():
        steps[k][3] = planes[found.kept[k] - 1].ravel().tolist()
    size = max(float(np.abs(answer).max()), np.finfo(np.float64).tiny)
    last = np.abs(weights[-1] - answer).max() / size if weights[-1].shape == answer.shape else np.inf
    if last <= CLOSE:  # but for rounding the same
        steps[-1][0] = answer.ravel().tolist()
        return steps, None
    steps.append([answer.ravel().tolist(), *NOTHING])
    return steps, next((name for name in ("average", "pocket") if getattr(model, name, False)), "final")


def _blank_steps(
    model: Any, found: Course | None, snapshots: Snapshots, X: NDArray[Any], y: NDArray[Any]
) -> tuple[list[Any], list[int]]:
    """The same without weights, for what has no plane, with the number of each step: the maps tell what is decided."""
    if found is not None:
        made = corrected(model, found, X, y)
        return [[None, each.pattern, each.eta, None, each.factor] for each in made], found.numbers[found.kept].tolist()
    etas = [None, *(np.asarray(model.history_["step"], np.float64).tolist() or [None])]
    numbers = np.union1d(kept_of(len(etas)), [epoch for epoch in snapshots.models if epoch < len(etas)]).astype(int)
    return [[None, -1, etas[k], None, None] for k in numbers], numbers.tolist()


def _facts(
    model: Any, found: Course | None, X: NDArray[Any], y: NDArray[Any], numbers: list[int], linear: bool
) -> dict[str, Any]:
    """What the head says of the run."""
    report = model.report_.to_dict()
    rows = _row_classes(model)
    return {
        "kind": "linear" if linear else "maps",
        "n_steps": len(numbers) - 1,
        "rows": len(rows),
        "row_class": rows,
        "batch": found is None or not found.single,
        "level": _level(model) if len(rows) == 1 else None,
        "curve": curve_of(model, found, report["criterion"], numbers),
        "bound": report["bound"],
        "thinned": bool(np.max(np.diff(numbers), initial=0) > 1),
        "numbers": numbers,  # of corrections, or epochs, until each step
        "bias_unit": bias_unit(model, X),
        "support": np.asarray(model.support_).tolist() if hasattr(model, "support_") else None,
        "final": {
            "status": model.status_.name,
            "sentence": model.report_.headline(),
            "report": str(model.report_),
            "errors": int(np.sum(model.predict(X) != y)),
            "iterations": int(model.n_iter_),
            "corrections": int(model.n_corrections_),
            "margin": _margin(model, X, y) if linear and len(rows) == 1 else None,
        },
    }


def _row_classes(model: Any) -> list[int]:
    """For each discriminant the class that it speaks for."""
    if len(model.classes_) == 2 and not hasattr(model, "subclasses_"):
        return [int(model.classes_[1])]
    owner = getattr(model, "subclasses_", np.arange(len(model.classes_)))
    return [int(label) for label in model.classes_[owner]]


def _level(model: Any) -> float | None:
    """The functional margin b that the procedure asks for, where it has one."""
    if hasattr(model, "support_") and hasattr(model, "C"):
        return 1.0
    margin = getattr(model, "margin", None) if hasattr(model, "order") else None
    return float(margin) if margin else None


def _margin(model: Any, X: NDArray[Any], y: NDArray[Any]) -> float | None:
    """The smallest distance of a pattern from the plane, negative for one on the wrong side."""
    length = float(np.hypot.reduce(model.coef_[0]))
    if not (0 < length < np.inf):
        return None
    z = np.where(y == model.classes_[1], 1.0, -1.0)
    return float(np.min(z * model.decision_function(X)) / length)


def _plain(value: Any) -> Any:
    """A parameter as JSON has it; what is none of its values, as Python writes it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, tuple):
        return list(value)
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)


def _finite(value: Any) -> Any:
    """The same with None for numbers that JSON cannot write."""
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_finite(each) for each in value]
    return value
