"""Models as ONNX graphs of plain operators, for runtimes that know no Python.

The input ``X`` is the numeric matrix, one row a pattern, in the float type of the fit; the columns of zeros and ones
that stand for texts are made before, while medians and standardization of a recipe are part of the graph. All is
computed in double precision.

Classifiers give ``label``, ``scores`` (as ``decision_function``) and, where the model has them,
``probabilities``; regressors give ``value``.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

import discriminant

from .. import mercer
from .._engine.extras import needed
from ..multiclass import pairs
from ._errors import ModelFileError
from ._json import written
from .models import check_fitted, write_model

if TYPE_CHECKING:
    from .recipe import Recipe

OPSET, IR = 17, 8  # known to runtimes since 2022
PLAIN = {"sigmoid": "Sigmoid", "tanh": "Tanh", "relu": "Relu", "linear": "Identity"}


class _Graph:
    """Nodes and constants, with names made up on the way."""

    def __init__(self) -> None:
        self.onnx = needed("onnx", "onnx")
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def op(self, kind: str, *inputs: Any, name: str | None = None, **options: Any) -> str:
        """Add an operator on outputs by name and on constants; the name of its own output."""
        given = [each if isinstance(each, str) else self.constant(each) for each in inputs]
        name = name or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, given, [name], **options))
        return name

    def constant(self, value: Any) -> str:
        """Add a constant; floats in double precision, text as text."""
        array = np.asarray(value)
        array = array.astype(np.float64) if array.dtype.kind == "f" else array
        name = f"constant_{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def affine(self, X: str, W: Any, b: Any) -> str:
        return self.op("Add", self.op("MatMul", X, W), b)


def export_onnx(model: Any, path: str | os.PathLike[str], recipe: Recipe | None = None) -> None:
    """Write a fitted model as an ONNX file (needs the extra ``onnx``).

    Parameters
    ----------
    model : estimator
        A fitted classifier or regressor of this library: planes, kernels, networks.
    path : path
        The file, which is replaced in one step.
    recipe : Recipe, default=None
        Its medians and its standardization become part of the graph. The input is the matrix before these, with the
        columns ``recipe.feature_names``; the columns of zeros and ones that stand for texts must be made outside.

    Raises
    ------
    ModelFileError
        For a model that has no graph: one that is not fitted, or with a kernel of your own.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import onnxruntime
    >>> from discriminant import SupportVectorMachine, datasets, io
    >>> X, y = datasets.xor()
    >>> model = SupportVectorMachine(C=10.0, kernel="gaussian").fit(X, y)
    >>> with TemporaryDirectory() as folder:
    ...     io.export_onnx(model, Path(folder, "xor.onnx"))
    ...     session = onnxruntime.InferenceSession(Path(folder, "xor.onnx"), providers=["CPUExecutionProvider"])
    >>> session.run(["label"], {"X": X})[0].tolist() == model.predict(X).tolist()
    True
    """
    _check(model, recipe)
    graph = _Graph()
    onnx = graph.onnx
    x = graph.op("Cast", "X", to=onnx.TensorProto.DOUBLE)
    if recipe is not None:
        x = _prepared(graph, recipe, x)
    outputs = _classifier(graph, model, x) if hasattr(model, "classes_") else _regressor(graph, model, x)
    kind = onnx.helper.np_dtype_to_tensor_dtype(_dtype(model))
    given = onnx.helper.make_tensor_value_info("X", kind, ["rows", model.n_features_in_])
    made = onnx.helper.make_model(
        onnx.helper.make_graph(graph.nodes, type(model).__name__, [given], outputs, graph.constants),
        opset_imports=[onnx.helper.make_opsetid("", OPSET)],
        producer_name="discriminant",
        producer_version=discriminant.__version__,
        ir_version=IR,
    )
    names = recipe.feature_names if recipe is not None else getattr(model, "feature_names_in_", np.empty(0)).tolist()
    onnx.helper.set_model_props(made, {"procedure": type(model).__name__, "feature_names": written(names)})
    onnx.checker.check_model(made)
    write_model(path, made.SerializeToString())


def _check(model: Any, recipe: Recipe | None) -> None:
    if not hasattr(model, "predict") or not type(model).__module__.startswith("discriminant."):
        raise ModelFileError(f"a {type(model).__name__} has no graph; give a classifier or regressor of this library.")
    check_fitted(model, recipe)
    kernel = getattr(model, "kernel", None)
    if kernel is not None and isinstance(mercer.get(kernel), mercer.Custom):
        raise ModelFileError("kernel is a function of your own, for which there is no graph; take one of the library.")


def _dtype(model: Any) -> Any:
    found = (vars(model)[name] for name in ("coef_", "dual_coef_", "coefs_") if name in vars(model))
    held: Any = next(found, np.empty(0))
    return held[0].dtype if isinstance(held, list) else held.dtype


def _prepared(graph: _Graph, recipe: Recipe, x: str) -> str:
    """Medians in place of NaN, then the standardization."""
    if recipe.missing == "median":
        fills = [
            value
            for column in recipe.columns
            for value in ([column.fill] if column.levels is None else [level == column.fill for level in column.levels])
        ]
        x = graph.op("Where", graph.op("IsNaN", x), np.array(fills, np.float64), x)
    if recipe.standardize:
        x = graph.op("Div", graph.op("Sub", x, recipe.means), recipe.scales)
    return x


# --- discriminants


def _scores(graph: _Graph, model: Any, x: str) -> str:
    """The discriminants, (rows, number of weight vectors)."""
    if "coefs_" in vars(model):
        for place, (W, b) in enumerate(zip(model.coefs_, model.intercepts_, strict=True)):
            x = graph.affine(x, W, b)
            x = _fired(graph, model.activation, x) if place < len(model.coefs_) - 1 else x
        return x
    if "coef_" in vars(model):
        return graph.affine(x, np.atleast_2d(model.coef_).T, np.atleast_1d(model.intercept_))
    strengths, rows, support = _expansion(model)
    K = _kernel(graph, mercer.get(model.kernel), x, rows, support)
    return graph.affine(K, strengths, np.atleast_1d(model.intercept_))


def _fired(graph: _Graph, activation: str, x: str) -> str:
    """What hidden units make of their activation inputs."""
    if activation == "threshold":
        return graph.op("Cast", graph.op("Greater", x, 0.0), to=graph.onnx.TensorProto.DOUBLE)
    return graph.op(PLAIN[activation], x)


def _expansion(model: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
    """Strengths, patterns and indices of the training rows that a kernel expansion is made of."""
    if "_strengths" in vars(model):
        strengths, support, rows = model._spread(), model.support_, model.support_vectors_
    else:
        dual = np.atleast_2d(model.dual_coef_)
        support = np.flatnonzero(dual.any(axis=0))
        if support.size == 0:  # a graph needs a row to multiply by nothing
            support = np.zeros(1, np.int64)
        strengths, rows = dual[:, support].T, model.X_fit_[support]
    return strengths, rows.toarray() if sparse.issparse(rows) else rows, support


def _kernel(graph: _Graph, kernel: mercer.Kernel, x: str, rows: NDArray[Any], support: NDArray[np.int64]) -> str:
    """K(x, z) for the patterns z of the expansion."""
    Z = rows.astype(np.float64)
    if isinstance(kernel, mercer.Precomputed):
        return graph.op("Gather", x, support.astype(np.int64), axis=1)
    if isinstance(kernel, mercer.Gaussian):
        # Far from the origin the products would swallow the distances, so all move by the mean, as in mercer.
        center = Z.mean(axis=0)
        z = (Z - center) / kernel.sigma
        u = graph.op("Div", graph.op("Sub", x, center), float(kernel.sigma))
        own = graph.op("ReduceSum", graph.op("Mul", u, u), np.array([1]), keepdims=1)
        both = graph.op("MatMul", u, -2 * z.T)
        apart = graph.op("Add", graph.op("Add", both, own), (z**2).sum(axis=1))
        return graph.op("Exp", graph.op("Neg", graph.op("Max", apart, 0.0)))
    products = graph.op("MatMul", x, Z.T)
    if isinstance(kernel, mercer.Polynomial):
        return graph.op("Pow", graph.op("Add", products, float(kernel.coef0)), float(kernel.degree))
    if isinstance(kernel, mercer.Sigmoid):
        return graph.op("Tanh", graph.op("Add", graph.op("Mul", products, float(kernel.a)), float(kernel.b)))
    return products


def _decision(graph: _Graph, model: Any, S: str) -> tuple[str, bool]:
    """``decision_function``, and whether it is one number a row."""
    c = model.classes_.size
    if "subclasses_" in vars(model):
        parts = []
        for i in range(c):
            own = graph.op("Gather", S, np.flatnonzero(model.subclasses_ == i), axis=1)
            parts.append(graph.op("ReduceMax", own, axes=[1], keepdims=1))
        if c == 2:
            return graph.op("Sub", parts[1], parts[0]), True
        return graph.op("Concat", *parts, axis=1), False
    if model.multiclass_ != "one-vs-one":
        return S, model.multiclass_ == "two-category"
    first, second = np.zeros((2, c * (c - 1) // 2, c))
    for p, (i, j) in enumerate(pairs(c)):
        first[p, i] = second[p, j] = 1
    zero = graph.constant(0.0)
    won = [
        graph.op("MatMul", graph.op("Cast", graph.op(kind, S, zero), to=11), side)
        for kind, side in (("Less", first), ("Greater", second))
    ]
    confidence = graph.op("MatMul", S, second - first)
    size = graph.op("Add", graph.op("Abs", confidence), 1.0)
    squashed = graph.op("Div", confidence, graph.op("Mul", size, 3.0))
    return graph.op("Add", graph.op("Add", *won), squashed), False


def _classifier(graph: _Graph, model: Any, x: str) -> list[Any]:
    onnx = graph.onnx
    S = _scores(graph, model, x)
    decision, flat = _decision(graph, model, S)
    if flat:
        axis = graph.constant(np.array([1]))
        index = graph.op("Squeeze", graph.op("GreaterOrEqual", decision, 0.0), axis)
        index = graph.op("Cast", index, to=onnx.TensorProto.INT64)
        graph.op("Squeeze", decision, axis, name="scores")
    else:
        index = graph.op("ArgMax", decision, axis=1, keepdims=0)
        graph.op("Identity", decision, name="scores")
    labels = _labels(model.classes_)
    graph.op("Gather", labels, index, name="label")
    text = labels.dtype.kind in "OU"
    kind = onnx.TensorProto.STRING if text else onnx.helper.np_dtype_to_tensor_dtype(labels.dtype)
    info, double = onnx.helper.make_tensor_value_info, onnx.TensorProto.DOUBLE
    outputs = [info("label", kind, ["rows"]), info("scores", double, ["rows"] if flat else ["rows", None])]
    if hasattr(model, "predict_proba"):
        graph.op("Identity", _probabilities(graph, model, S, decision), name="probabilities")
        outputs.append(info("probabilities", double, ["rows", model.classes_.size]))
    return outputs


def _labels(classes: NDArray[Any]) -> NDArray[Any]:
    if classes.dtype.kind in "OU":
        return classes.astype(object)
    if classes.dtype.kind not in "biuf":
        raise ModelFileError(f"classes_ holds {classes.dtype}, which a graph cannot; fit to labels of text or numbers.")
    kinds = {"b": np.bool_, "f": np.float64}
    return classes.astype(kinds.get(classes.dtype.kind, np.int64))


def _probabilities(graph: _Graph, model: Any, S: str, decision: str) -> str:
    """``predict_proba``: sigmoids or softmax of the discriminants, or what least squares makes of them."""
    if "sigmoids_" in vars(model):
        a, b = model.sigmoids_.T
        inner = graph.op("Add", graph.op("Mul", decision, -a), -b)
        return _shares(graph, graph.op("Sigmoid", inner), len(a))
    if hasattr(model, "_posteriors"):
        k = model.intercept_.size
        start = model._posteriors(np.zeros((1, k)))
        slope = model._posteriors(np.eye(k)) - start  # it is an affine function of the discriminants
        P = graph.affine(S, slope, start[0])
        if k == 1:
            P = graph.op("Concat", graph.op("Sub", 1.0, P), P, axis=1)
        P = graph.op("Clip", P, 0.0, 1.0)
        return _shares(graph, P, max(2, k))
    if "_total" in vars(model):
        S = graph.op("Mul", S, float(model._total))
    if model.multiclass_ == "two-category":
        return graph.op("Concat", graph.op("Sigmoid", graph.op("Neg", S)), graph.op("Sigmoid", S), axis=1)
    if getattr(model, "loss", None) == "squared":
        return _shares(graph, graph.op("Sigmoid", S), model.classes_.size)
    return graph.op("Softmax", S, axis=1)


def _shares(graph: _Graph, P: str, c: int) -> str:
    """Rows divided by their sum; equal shares where that is zero, and 1 - p beside p where there is one column."""
    if c == 1:
        return graph.op("Concat", graph.op("Sub", 1.0, P), P, axis=1)
    total = graph.op("ReduceSum", P, np.array([1]), keepdims=1)
    empty = graph.op("Cast", graph.op("Equal", total, 0.0), to=graph.onnx.TensorProto.DOUBLE)
    whole = graph.op("Add", total, graph.op("Mul", empty, float(c)))
    return graph.op("Div", graph.op("Add", P, empty), whole)


def _regressor(graph: _Graph, model: Any, x: str) -> list[Any]:
    values, double = _scores(graph, model, x), graph.onnx.TensorProto.DOUBLE
    info = graph.onnx.helper.make_tensor_value_info
    flat = getattr(model, "_flat", True)
    graph.op(*(("Squeeze", values, np.array([1])) if flat else ("Identity", values)), name="value")
    return [info("value", double, ["rows"] if flat else ["rows", model.n_outputs_])]
