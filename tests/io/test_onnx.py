"""ONNX files: onnxruntime says of 1,000 patterns what the model says."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from io_cases import CASES, X, Y, fitted
from scipy import sparse

import discriminant as D
from discriminant import io

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")


def session(path: Path) -> Any:
    return runtime.InferenceSession(path, providers=["CPUExecutionProvider"])


def said(path: Path, given: Any) -> dict[str, Any]:
    run = session(path)
    return dict(zip([each.name for each in run.get_outputs()], run.run(None, {"X": given}), strict=True))


UNTYPED = ["bytes", "days", "moments", "seconds", "spans"]  # cases whose labels ONNX has no type for
GRAPHS = [name for name, case in CASES.items() if not isinstance(case[0], D.PolynomialMap) and name not in UNTYPED]


@pytest.mark.parametrize("name", GRAPHS)
def test_the_runtime_says_the_same(name: str, tmp_path: Path, rng: np.random.Generator) -> None:
    model, seen = fitted(name)
    io.export_onnx(model, tmp_path / "model.onnx")
    given = rng.uniform(X.min(axis=0) - 1, X.max(axis=0) + 1, (1000, 4))
    given = given @ X.T if seen.shape[1] == 150 else given
    single = seen.dtype == np.float32
    given = given.astype(seen.dtype)
    found = said(tmp_path / "model.onnx", given)
    tol = {"rtol": 1e-4, "atol": 1e-4} if single else {"rtol": 1e-9, "atol": 1e-9}
    if "value" in found:
        np.testing.assert_allclose(found["value"], model.predict(given), **tol)
        return
    scores = model.decision_function(given)
    # Votes are whole numbers: where a pair is nearly tied, single precision may count it otherwise.
    np.testing.assert_allclose(found["scores"], scores, **tol)
    assert np.array_equal(found["label"], model.predict(given))
    assert ("probabilities" in found) == hasattr(model, "predict_proba")
    if "probabilities" in found:
        np.testing.assert_allclose(found["probabilities"], model.predict_proba(given), **tol)


def test_a_recipe_becomes_part_of_the_graph(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"size": [1.0, None, 4, 7], "color": ["red", "blue", "red", None], "target": ["no", "no", "yes", "yes"]}
    )
    recipe = io.Recipe(missing="median", standardize=True)
    given, y, _ = recipe.fit(frame)
    model = D.LogisticDiscriminant().fit(given, y)
    io.export_onnx(model, tmp_path / "model.onnx", recipe)
    nan = np.nan
    found = said(tmp_path / "model.onnx", np.array([[1, 0, 1.0], [nan, 1, 0], [4, 0, 1], [7, nan, nan]]))
    assert found["label"].tolist() == model.predict(given).tolist()
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(given), rtol=1e-12)
    properties = {each.key: each.value for each in onnx.load(tmp_path / "model.onnx").metadata_props}
    assert json.loads(properties["feature_names"]) == ["size", "color=blue", "color=red"]
    assert properties["procedure"] == "LogisticDiscriminant"
    with pytest.raises(io.ModelFileError, match="the recipe makes 3 columns"):
        io.export_onnx(fitted("Perceptron")[0], tmp_path / "model.onnx", recipe)


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (D.Perceptron(), "has learned nothing yet"),
        (D.PolynomialMap().fit(X), "has no graph"),
        (D.SupportVectorMachine(kernel=lambda A, B: A @ B.T).fit(X, Y), "a function of your own"),
    ],
)
def test_what_has_no_graph_is_refused(model: Any, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(io.ModelFileError, match=sentence):
        io.export_onnx(model, tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", UNTYPED)
def test_labels_that_a_graph_cannot_hold_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(io.ModelFileError, match="fit to labels of text or numbers"):
        io.export_onnx(fitted(name)[0], tmp_path / "model.onnx")


def test_sparse_patterns_become_dense_constants(tmp_path: Path) -> None:
    model, _ = fitted("SupportVectorMachine gaussian csr")
    assert sparse.issparse(model.support_vectors_)
    io.export_onnx(model, tmp_path / "model.onnx")
    assert np.array_equal(said(tmp_path / "model.onnx", X)["label"], model.predict(X))


def test_the_extra_is_named_where_it_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    model = D.LeastSquares().fit(*D.datasets.or_function())
    with pytest.raises(ImportError, match=r"^onnx is missing, which this needs: pip install 'discriminant\[onnx\]'\.$"):
        io.export_onnx(model, tmp_path / "a.onnx")
