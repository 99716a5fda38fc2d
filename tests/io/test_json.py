"""What is no model is refused in one sentence, soon, and before it takes memory."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from io_cases import fitted
from model_files import edited, signed

import discriminant as D
from discriminant import io
from discriminant.io._json import DEEPEST

# --- files that are not models


WRONG = {
    "not JSON": lambda: "{",
    "it should be one JSON object": lambda: "[]",
    "its format should be": lambda: edited("format", "pickle"),
    "version 2": lambda: edited("version", 2),
    "version True": lambda: edited("version", True),
    "'extra' is unknown": lambda: edited("extra", 1),
    "'recipe' is missing": lambda: edited("recipe", ...),
    "its checksum does not fit": lambda: io.dumps(fitted("Perceptron")[0]).replace('"max_iter":40', '"max_iter":41'),
    "'os.system' is no procedure": lambda: edited("procedure", "os.system"),
    "'BaseEstimator' is no procedure": lambda: edited("procedure", "BaseEstimator"),
    "'eta' of Perceptron is unknown": lambda: edited("parameters/eta", 1.0),
    "'margin' of Perceptron is missing": lambda: edited("parameters/margin", ...),
    "margin=-1.0": lambda: edited("parameters/margin", -1.0),
    "max_iter='many'": lambda: edited("parameters/max_iter", "many"),
    "'foo_' of Perceptron is unknown": lambda: edited("fitted/foo_", 1),
    "'predict' of Perceptron is unknown": lambda: edited("fitted/predict", "os.system"),
    "'coef_' of Perceptron is missing": lambda: edited("fitted/coef_", ...),
    "has 11 values": lambda: edited("fitted/coef_/$array/values", [1.0] * 11),
    "coef_ of Perceptron should be": lambda: edited("fitted/coef_/$array/shape", [4, 3]),
    "values of another type": lambda: edited("fitted/coef_/$array/values/0", "1.0"),
    "array of 'V8'": lambda: edited("fitted/coef_/$array/dtype", "V8"),
    "weights_ is not intercept_ and coef_": lambda: edited("fitted/coef_/$array/values/0", 12345.0),
    "classes_ of Perceptron": lambda: edited("fitted/classes_/$array/values", [0, 0, 1]),
    "does not suit 3 classes": lambda: edited("fitted/multiclass_", "two-category"),
    "report tells of other classes": lambda: edited("fitted/multiclass_", "one-vs-rest"),
    "multiclass='one-vs-rest' and 'kesler' disagree": lambda: edited("parameters/multiclass", "one-vs-rest"),
    "n_features_in_=5|should be": lambda: edited("fitted/n_features_in_", 5),
    "'GONE' is no status": lambda: edited("fitted/status_/$status", "GONE"),
    "its report tells of other iterations": lambda: edited("fitted/report_/$report/iterations", 7),
    "its report is not one": lambda: edited("fitted/report_/$report/advice", "run me"),
    "width_ is not twice": lambda: edited("fitted/width_/$array/values/0", 7.0, "SupportVectorMachine gaussian"),
    "does not follow from the multipliers": lambda: edited(
        "fitted/dual_coef_/$array/values/0", 7.0, "SupportVectorMachine gaussian"
    ),
    "its report tells of another fit": lambda: edited("fitted/report_/$report/procedure", "HoKashyap"),
    "'nan' is no number|another type|should be": lambda: edited("fitted/coef_/$array/values/0", "nan"),
    "'\\$object' is unknown": lambda: edited("fitted/coef_", {"$object": "os.system"}),
    "is unknown in it, or not alone": lambda: edited("fitted/coef_", {"$status": "BUDGET", "$float": "nan"}),
    "none of Linear": lambda: edited("parameters/kernel", {"$kernel": {"name": "Custom", "parameters": {}}}, "MinOver"),
    "Gaussian has the parameters sigma": lambda: edited(
        "parameters/kernel", {"$kernel": {"name": "Gaussian", "parameters": {}}}, "MinOver"
    ),
    "sigma=-1": lambda: edited("parameters/kernel/$kernel/parameters/sigma", -1.0, "SupportVectorMachine sigma 2"),
    "points outside": lambda: edited("fitted/support_/$array/values/0", 150, "SupportVectorMachine gaussian"),
    "does not count": lambda: edited("fitted/n_support_/$array/values/0", 7, "SupportVectorMachine gaussian"),
    "dual_coef_ does not follow": lambda: edited(
        "fitted/_strengths/$array/values/0", 0.123, "SupportVectorMachine gaussian"
    ),
    "layers do not follow": lambda: edited("fitted/_units/$array/values/1", 63, "MultilayerPerceptron"),
    "and the layers disagree": lambda: edited("parameters/hidden", 63, "MultilayerPerceptron"),
    "a map of this degree": lambda: edited("fitted/n_terms_", 16, "PolynomialMap"),
    "a map of this degree has not 15": lambda: edited("parameters/degree", 2**70, "PolynomialMap"),
    "is too large": lambda: edited("fitted/n_terms_", 99_999_999, "PolynomialMap"),
    "outputs are not those": lambda: edited("fitted/multiclass_", "one-vs-one", "MultilayerPerceptron"),
    "has version|its library": lambda: edited("library", 7),
    "a model does not write so": lambda: edited("fitted/report_/$report/details", {"$dict": [["a", 1]]}),
    "sparse matrix|index|indices": lambda: edited(
        "fitted/X_fit_/$csr/indices/values/0", 4, "KernelPerceptron gaussian csr"
    ),
}


@pytest.mark.parametrize("sentence", WRONG)
def test_what_is_no_model_is_refused_in_one_sentence(sentence: str) -> None:
    with pytest.raises(io.ModelFileError, match=sentence) as caught:
        io.loads(WRONG[sentence]())
    assert len(str(caught.value)) < 900
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"format": "discriminant model", "format": "x"}', "'format' stands in it twice"),
        ('{"format": NaN}', "NaN is no number of JSON"),
        ("[" * 100_000, f"more than {DEEPEST} deep"),
        ('{"a": ' + "9" * 5000 + "}", "digits"),
        (b"{}", "not a bytes"),
    ],
)
def test_the_text_is_read_strictly(text: Any, sentence: str) -> None:
    with pytest.raises(io.ModelFileError, match=sentence):
        io.loads(text)


# --- files that would keep the reader busy


def quotes(n: int) -> str:
    return '{"format": "' + '\\"' * n


HOSTILE: dict[str, Callable[[int], str]] = {
    "escaped quotes": quotes,
    "escaped quotes that end": lambda n: quotes(n) + '"}',
    "quotes": lambda n: '"' * n,
    "backslashes": lambda n: '"' + "\\" * n,
    "nested lists": lambda n: "[" * n,
    "lists": lambda n: f"[{','.join(['[[]]'] * n)}]",
    "brackets": lambda n: "[]" * n,
    "long numbers": lambda n: f"[{','.join(['9' * 4000] * (n // 4000))}]",
    "one number": lambda n: f"[{'9' * n}]",
    "a fraction": lambda n: f"[0.{'9' * n}, 1e-{'0' * n}1]",
    "whitespace": lambda n: " " * n + "{}" + "\n" * n,
    "keys": lambda n: json.dumps(dict.fromkeys(range(n))),
    "a key twice": lambda n: json.dumps(dict.fromkeys(range(n)))[:-1] + f', "{n - 1}": 0}}',
    "labels": lambda n: edited("fitted/classes_/$array/values", list(range(n))),
    "an unknown attribute": lambda n: edited("fitted/" + "x" * n, 0),
    "many unknown attributes": lambda n: edited("fitted/report_/$report", {f"{k}": k for k in range(n)}),
    "numbers of one hash": lambda n: edited("parameters/max_iter", {"$dict": [[k * (2**61 - 1), 0] for k in range(n)]}),
    "one long text": lambda n: edited(
        "fitted/classes_/$array", {"dtype": f"U{n}", "shape": [n], "order": "C", "values": ["x" * n] + ["y"] * (n - 1)}
    ),
}


def processor_time(text: str) -> float:
    """The least of three, since other processes disturb the caches."""
    spans = []
    for _ in range(3):
        begun = time.process_time()
        with pytest.raises(io.ModelFileError):
            io.loads(text)
        spans.append(time.process_time() - begun)
    return min(spans)


@pytest.mark.parametrize("shape", HOSTILE)
def test_twice_the_text_never_takes_four_times_the_time(shape: str) -> None:
    n = 8_000
    once, twice = processor_time(HOSTILE[shape](n)), processor_time(HOSTILE[shape](2 * n))
    assert twice < 4 * once + 0.02, "more than linear, and more than a clock is wrong by"
    assert twice < 2


def test_a_map_of_high_degree_is_refused_before_it_is_made() -> None:
    """Of four features no more than four can be multiplied; a degree of one feature is a pass over it each."""
    content = json.loads(edited("parameters/degree", 3 * 10**9, "interactions"))
    content["fitted"]["n_terms_"] = 16
    assert io.loads(signed(content)).transform(np.ones((1, 4))).shape == (1, 15)
    content["parameters"] = {"degree": 999_999, "interaction_only": False}
    content["fitted"] |= {"n_features_in_": 1, "n_terms_": 10**6}
    with pytest.raises(io.ModelFileError, match="must be at most 1000"):
        io.loads(signed(content))


# --- written in one step


def test_numbers_are_exact_text() -> None:
    values = [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, 2.0**-1074]
    model = D.LeastSquaresRegressor().fit(np.eye(6), np.arange(6.0))
    model.coef_, model.weights_ = np.array(values), np.r_[model.intercept_, values]
    again = io.loads(io.dumps(model))
    assert again.coef_.tobytes() == model.coef_.tobytes()
    assert base64.b64encode(again.weights_.tobytes()) == base64.b64encode(model.weights_.tobytes())
