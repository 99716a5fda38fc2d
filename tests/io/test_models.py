"""Model files: every estimator comes back bit for bit, in another process too; what is not a model is refused."""

from __future__ import annotations

import base64
import json
import os
import pickle
import random
import resource
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from io_cases import CASES, DAYS, ESTIMATORS, TEXTS, X, Y, answers, fitted
from sklearn.utils.validation import has_fit_parameter

import discriminant as D
from discriminant import io, mercer, schedules
from discriminant._engine.files import replacing, write_whole
from discriminant.io._json import DEEPEST, checksum, written
from discriminant.io._restored import procedures
from discriminant.io.models import read_model as _read


def same(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert one.keys() == other.keys()
    for name, value in one.items():
        assert value.dtype == other[name].dtype
        assert value.tobytes() == other[name].tobytes() or value.tolist() == other[name].tolist(), name


@pytest.mark.parametrize("name", CASES)
def test_it_comes_back_bit_for_bit(name: str) -> None:
    model, given = fitted(name)
    text = io.dumps(model)
    again = io.loads(text)
    same(answers(model, given), answers(again, given))
    assert type(again) is type(model)
    assert repr(again) == repr(model)
    assert io.dumps(again) == text
    for attribute in ("classes_", "coef_", "intercept_", "support_", "dual_coef_"):
        if attribute in vars(model):
            one, other = getattr(model, attribute), getattr(again, attribute)
            assert np.array_equal(one, other)
            assert np.asarray(one).dtype == np.asarray(other).dtype
    if hasattr(model, "report_"):
        assert str(again.report_) == str(model.report_)
        assert again.status_ is model.status_
        assert again.history_.keys() == model.history_.keys() if hasattr(model, "history_") else True


WEIGHTED = [name for name in CASES if name != "by hand" and has_fit_parameter(CASES[name][0], "sample_weight")]


@pytest.mark.parametrize("name", WEIGHTED)
def test_it_comes_back_where_rows_have_weight_zero(name: str) -> None:
    model, given = fitted(name, weighted=True)
    same(answers(model, given), answers(io.loads(io.dumps(model)), given))


def test_every_estimator_is_in_the_table() -> None:
    assert {kind.__name__ for kind in ESTIMATORS} == set(procedures())


CHILD = """
import base64, pickle, sys, warnings
sys.path.insert(0, sys.argv[1])
from io_cases import answers
from discriminant import io
for path, given, wanted in pickle.load(open(sys.argv[2], "rb")):
    found = answers(io.load(path), given)
    assert found.keys() == wanted.keys(), path
    for name, value in wanted.items():
        same = value.tobytes() == found[name].tobytes() or value.tolist() == found[name].tolist()
        assert same and value.dtype == found[name].dtype, (path, name)
print("the same")
"""


def test_another_process_predicts_the_same_bits(tmp_path: Path) -> None:
    tasks = []
    for number, name in enumerate(CASES):
        model, given = fitted(name)
        io.save(model, tmp_path / f"{number}.json")
        tasks.append((tmp_path / f"{number}.json", given, answers(model, given)))
    (tmp_path / "tasks").write_bytes(pickle.dumps(tasks))
    command = [sys.executable, "-c", CHILD, str(Path(__file__).parents[1]), str(tmp_path / "tasks")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == "the same\n", done.stderr


ONLINE = ["Perceptron", "Relaxation", "BalancedWinnow", "WidrowHoff", "rls", "WidrowHoffRegressor", "averaged",
          "RecursiveLeastSquares", "FisherDiscriminant", "KernelPerceptron gaussian", "adaptive"]  # fmt: skip


@pytest.mark.parametrize("name", ONLINE)
def test_a_loaded_model_goes_on_learning_as_the_saved_one(name: str) -> None:
    model, given = fitted(name)
    first, second = io.loads(io.dumps(model)), pickle.loads(pickle.dumps(model))
    y = X[:, 0] if "Regressor" in name else Y == 0 if name == "adaptive" else Y
    for each in (first, second):
        each.partial_fit(given, y)
    same(answers(first, given), answers(second, given))
    assert str(first.report_) == str(second.report_)


@pytest.mark.parametrize("name", ["MultilayerPerceptron", "MultilayerPerceptronRegressor", "by hand"])
def test_a_loaded_network_goes_on_learning(name: str) -> None:
    model, given = fitted(name)
    again = io.loads(io.dumps(model))
    y = X[:, 0] if "Regressor" in name else np.array(["a", "b"])[(Y == 0) * 1] if name == "by hand" else Y
    with warnings.catch_warnings(action="ignore"):
        again.partial_fit(given, y)
    assert not np.array_equal(again.coefs_[0], model.coefs_[0])


def test_feature_names_are_kept() -> None:
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    model = D.LeastSquares().fit(frame, TEXTS)
    again = io.loads(io.dumps(model))
    assert again.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert again.feature_names_in_.dtype == object
    assert np.array_equal(again.predict(frame), model.predict(frame))


def test_a_plane_through_large_data_needs_no_rows(rng: np.random.Generator) -> None:
    large = rng.standard_normal((40_000, 4))
    model = D.SupportVectorMachine(tol=0.1).fit(large, large[:, 0] + rng.standard_normal(40_000) > 0)
    again = io.loads(io.dumps(model))
    assert np.array_equal(again.decision_function(large), model.decision_function(large))
    with pytest.raises(AttributeError, match="no longer in memory"):
        _ = again.support_vectors_


def test_the_recipe_travels_with_the_model(tmp_path: Path) -> None:
    frame = pl.DataFrame({"size": [1.0, 2, 4, None], "color": ["red", "blue", "red", "red"], "target": list("abab")})
    recipe = io.Recipe(missing="median", standardize=True)
    given, y, _ = recipe.fit(frame)
    with warnings.catch_warnings(action="ignore"):
        io.save(D.Perceptron().fit(given, y), tmp_path / "model.json", recipe)
    _, again = io.load_with_recipe(tmp_path / "model.json")
    assert again is not None
    assert np.array_equal(again.apply(frame), given)
    with pytest.raises(io.ModelFileError, match="the recipe makes 3 columns"):
        io.loads(io.dumps(fitted("Perceptron")[0], recipe))


REFUSED = {
    "a function of your own": D.SupportVectorMachine(kernel=lambda A, B: A @ B.T),
    "kernel is a function": D.SupportVectorMachine(kernel=mercer.Custom(lambda A, B: A @ B.T)),
    "schedule is a function": D.Perceptron(schedule=lambda k: 1 / k, max_iter=5),
    "schedule is a function of": D.Perceptron(schedule=schedules.Custom(lambda k: 1 / k), max_iter=5),
    "random_state holds a RandomState": D.Perceptron(random_state=np.random.RandomState(0), max_iter=5),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_code_is_not_saved(sentence: str, tmp_path: Path) -> None:
    with warnings.catch_warnings(action="ignore"):
        model = REFUSED[sentence].fit(X, Y)
    with pytest.raises(io.ModelFileError, match=sentence):
        io.save(model, tmp_path / "model.json")
    assert not list(tmp_path.iterdir())


class MyPerceptron(D.Perceptron):
    pass


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (D.Perceptron(), "has learned nothing yet"),
        (MyPerceptron(), "is no estimator of this library"),
        ("a text", "is no estimator of this library"),
    ],
)
def test_what_is_no_fitted_model_is_not_saved(model: Any, sentence: str) -> None:
    with pytest.raises(io.ModelFileError, match=sentence):
        io.dumps(model)


def test_weights_that_are_not_finite_are_refused() -> None:
    model = pickle.loads(pickle.dumps(fitted("Perceptron")[0]))
    model.coef_[0, 0] = model.weights_[0, 1] = np.nan
    with pytest.raises(
        io.ModelFileError, match=r"cannot be saved, for it could not be loaded: (coef|weights)_ of Perc"
    ):
        io.dumps(model)


def test_what_could_not_be_loaded_is_not_saved(tmp_path: Path) -> None:
    """Saving makes the checks of loading: of types, shapes, agreement, the recipe, and the trial."""
    model = pickle.loads(pickle.dumps(fitted("HoKashyap")[0]))
    model.margins_[0, 0] = np.nan
    (tmp_path / "model.json").write_text("the old one")
    with pytest.raises(io.ModelFileError, match=r"this HoKashyap cannot be saved.*: margins_ of HoKashyap should be"):
        io.save(model, tmp_path / "model.json")
    assert (tmp_path / "model.json").read_text() == "the old one"
    model = D.LeastSquares().fit(X[:100], np.where(Y[:100] == 0, np.datetime64("NaT"), DAYS[1]))
    with pytest.raises(io.ModelFileError, match="classes_ of LeastSquares should be"):
        io.dumps(model)


# --- files that are not models


def signed(content: dict[str, Any]) -> str:
    """A content with a checksum that fits."""
    rest = {name: value for name, value in content.items() if name != "checksum"}
    try:
        return json.dumps(rest | {"checksum": checksum(rest)})
    except (ValueError, TypeError):
        return json.dumps(rest | {"checksum": "0" * 64})


def content_of(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(io.dumps(fitted(name)[0]))
    return found


def edited(path: str, value: Any, name: str = "Perceptron") -> str:
    """The file of a model with one value changed, or taken out, and the checksum made anew."""
    content = content_of(name)
    *steps, last = path.split("/")
    part = content
    for step in steps:
        part = part[int(step)] if isinstance(part, list) else part[step]
    if value is ...:
        del part[last]
    else:
        part[int(last) if isinstance(part, list) else last] = value
    return signed(content)


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


def test_a_file_that_cannot_be_read_is_told_by_name(tmp_path: Path) -> None:
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    for name, sentence in (("binary.json", "it is not text"), ("none.json", "No such file"), ("", "Is a directory")):
        with pytest.raises(io.ModelFileError, match=sentence):
            io.load(tmp_path / name)
    with pytest.raises(io.ModelFileError, match="cannot be written"):
        io.save(fitted("Perceptron")[0], tmp_path / "nowhere" / "model.json")


def test_size_is_bounded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    io.save(fitted("Perceptron")[0], tmp_path / "model.json")
    monkeypatch.setattr("discriminant.io._json.LARGEST", 1000)
    monkeypatch.setattr("discriminant.io.models.LARGEST", 1000)
    with pytest.raises(io.ModelFileError, match="more than 1,000"):
        io.load(tmp_path / "model.json")
    with pytest.raises(io.ModelFileError, match="at most 1,000"):
        io.dumps(fitted("Perceptron")[0])


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


# --- mutants

MUTANTS = 2000
POOL: list[Any] = [
    None, True, False, -1, 0, 1, 2**70, 1e308, -0.5, "", "x", "__import__('os').system('true')", [], [[]], {}, {"a": 1},
    {"$float": "nan"}, {"$float": "inf"}, {"$tuple": []}, {"$dict": [[1, 2]]}, {"$status": "BUDGET"}, "U3",
    "one-vs-one", {"$kernel": {"name": "Gaussian", "parameters": {"sigma": 1.0}}}, "float32", "int64",
    "object", "U1000000000", "S1000000000", "datetime64[as]", "SupportVectorMachine",
    {"$array": {"dtype": "float64", "shape": [1], "order": "C", "values": [1.0]}},
    {"$object": "os.system"}, {"$bytes": "x"}, {"$date": "2000-02-29"}, {"$timedelta": {"days": 10**9}},
]  # fmt: skip
HUGE = [2**26, 2**31 - 2, 2**31, 3 * 10**9, 10**18, 2**63, 10**4000, 1e308]
WATCHED = {"exec", "compile", "os.system", "os.exec", "os.posix_spawn", "subprocess.Popen", "pickle.find_class"}
BASES = [
    "Perceptron", "SupportVectorMachine sigma 2", "MultilayerPerceptron float32", "WidrowHoff",
    "LogisticDiscriminant csr", "KernelPerceptron gaussian csr", "FisherDiscriminant", "hard margin", "PolynomialMap",
    "RidgeRegressor gaussian", "SupportVectorMachine gaussian csr", "interactions", "days", "bytes",
]  # fmt: skip


def places(part: Any) -> list[tuple[Any, Any]]:
    """All (container, key) pairs of a JSON value; of a long list a few entries."""
    keys = list(part) if isinstance(part, dict) else list(range(len(part))) if isinstance(part, list) else []
    keys = keys if len(keys) < 40 else [*keys[:3], *keys[-3:]]
    return [(part, key) for key in keys] + [place for key in keys for place in places(part[key])]


def mutant(content: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    content = json.loads(json.dumps(content))
    found = places(content)
    part, key = chance.choice(found)
    change = chance.choice(["replace", "replace", "delete", "add", "swap", "nudge", "huge", "longer"])
    if change == "replace":
        part[key] = chance.choice(POOL)
    elif change == "huge":  # everywhere, since a number that stands for a size must agree with itself
        numbers = [each[there] for each, there in found if type(each[there]) in (int, float)] or [0]
        old, new = chance.choice(numbers), chance.choice(HUGE)
        for each, there in found:
            each[there] = new if each[there] == old and type(each[there]) is type(old) else each[there]
    elif change == "longer" and isinstance(part[key], list | str):
        part[key] = part[key] * chance.choice([2, 50_000 // (len(part[key]) + 1)])
    elif change == "delete":
        del part[key]
    elif change == "add" and isinstance(part, dict):
        part[chance.choice(["extra", "$array", "coef_", "__class__", "_vectors"])] = chance.choice(POOL)
    elif change == "swap":
        other, there = chance.choice(found)
        part[key], other[there] = json.loads(json.dumps(other[there])), json.loads(json.dumps(part[key]))
    elif isinstance(part[key], int | float) and not isinstance(part[key], bool):
        part[key] += chance.choice([1, -1, 0.5])
    else:
        part[key] = [part[key]]
    return content


def damaged(text: str, chance: random.Random) -> str:
    """One bit flipped, a piece cut out or doubled, a name given twice."""
    data = bytearray(text.encode())
    place = chance.randrange(len(data))
    kind = chance.randrange(4)
    if kind == 0:
        data[place] ^= 1 << chance.randrange(8)
    elif kind == 3:
        begin = data.find(b'"', place)
        data[begin:begin] = data[begin : data.find(b",", begin) + 1]
    elif kind == 1:
        del data[place : place + chance.randrange(1, 50)]
    else:
        data[place:place] = data[place : place + chance.randrange(1, 50)]
    return data.decode(errors="replace")


class LateError(BaseException):
    """More than two seconds; no handler of Exception takes it for a refusal."""


@contextmanager
def bounded() -> Iterator[None]:
    """Two seconds of processor time, and one gigabyte more than there is now."""

    def late(*_: Any) -> None:
        raise LateError

    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limits, handler = resource.getrlimit(resource.RLIMIT_AS), signal.signal(signal.SIGVTALRM, late)
    resource.setrlimit(resource.RLIMIT_AS, (size + 2**30, limits[1]))
    signal.setitimer(signal.ITIMER_VIRTUAL, 2)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, limits)
        signal.signal(signal.SIGVTALRM, handler)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs the size of the process from /proc")
def test_no_mutant_passes_for_what_it_is_not() -> None:
    chance, events, watching = random.Random(0), [], [False]

    def hook(event: str, given: Any) -> None:
        if watching[0] and (event in WATCHED or (event == "open" and given[1] not in (None, "r", "rb"))):
            events.append((event, given))

    sys.addaudithook(hook)
    first = io.Recipe(missing="median", standardize=True)
    given, y, _ = first.fit(pl.DataFrame({"size": [1.0, 2, 4], "color": ["red", "blue", "red"], "target": [0, 1, 1]}))
    texts = [io.dumps(fitted(name)[0]) for name in BASES] + [io.dumps(D.LeastSquares().fit(given, y), first)]
    for text in texts:
        io.loads(text)  # what is imported lazily is there before we watch
    accepted, sentences = 0, []
    for number in range(MUTANTS):
        text = texts[number % len(texts)]
        resigned = number // len(texts) % 2 == 0
        text = signed(mutant(json.loads(text), chance)) if resigned else damaged(text, chance)
        watching[0] = True
        try:
            with bounded():
                model, recipe = _read(text)
        except io.ModelFileError as error:
            sentences.append(str(error))
            continue
        finally:
            watching[0] = False
        # What is taken means what the file says, no more and no less: written anew it is the same content.
        accepted += 1
        content, again = json.loads(text), json.loads(io.dumps(model, recipe))
        for each in (content, again):
            each.pop("library"), each.pop("checksum")
        assert written(content, True) == written(again, True)
        with np.errstate(all="ignore"):
            answers(model, np.zeros((2, model.n_features_in_)))
    assert not events
    assert accepted + len(sentences) == MUTANTS
    assert len(sentences) > 0.8 * MUTANTS
    assert all(0 < len(sentence) < 900 and "more memory" not in sentence for sentence in sentences)


def test_a_damaged_file_without_a_new_checksum_is_never_another_model() -> None:
    chance = random.Random(1)
    for number in range(200):
        text = io.dumps(fitted(BASES[number % len(BASES)])[0])
        broken = damaged(text, chance)
        try:
            model = io.loads(broken)
        except io.ModelFileError:
            continue
        assert io.dumps(model) == text


# --- written in one step


def killed_while_saving(texts: list[str], path: Path, delay: float) -> None:
    """Write in a child that is killed some time after it began."""
    begun, tell = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(tell, b"!")
            while True:
                for text in texts:
                    write_whole(path, text)
        finally:
            os._exit(1)
    os.read(begun, 1)
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(begun)
    os.close(tell)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_killing_a_save_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    chance = random.Random(0)
    texts = [io.dumps(fitted(name)[0]) for name in ("LeastSquares", "Perceptron")]
    path = tmp_path / "model.json"
    begun = time.perf_counter()
    write_whole(path, texts[0])
    span = time.perf_counter() - begun
    found, left = [], []
    for _ in range(60):
        killed_while_saving(texts[::-1], path, chance.uniform(0, 3 * span))
        found.append(texts.index(path.read_text()))
        left.append(len(list(tmp_path.glob(".*.part"))))
    assert set(found) == {0, 1}
    assert sum(left) > 5, "few were killed in the midst of writing"
    assert max(left) == 1, "the next one did not clean up"
    assert type(io.load(path)).__name__ == ["LeastSquares", "Perceptron"][found[-1]]
    io.save(fitted("Perceptron")[0], tmp_path / "other.json")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["model.json", "other.json"]


def test_what_others_write_is_left_alone(tmp_path: Path) -> None:
    strange = [".model.json.0123456789ab.part", ".a.discriminant-b.part.txt", "a.discriminant-b.part"]
    for name in strange:
        (tmp_path / name).touch()
    (tmp_path / ".link.discriminant-b.part").symlink_to(tmp_path / strange[0])
    with replacing(tmp_path / "model.json") as file:
        file.write(b"one")
        write_whole(tmp_path / "model.json", b"two")
        write_whole(tmp_path / "other.json", b"three")
    assert (tmp_path / "model.json").read_bytes() == b"one", "a writer that lives keeps its file"
    names = [*strange, ".link.discriminant-b.part", "model.json", "other.json"]
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(names)


@pytest.mark.parametrize(
    ("earlier", "mask", "mode"), [(0o604, 0o022, 0o604), (None, 0o022, 0o644), (None, 0o077, 0o600)]
)
def test_nobody_else_reads_a_file_before_it_is_whole(tmp_path: Path, earlier: int, mask: int, mode: int) -> None:
    path = tmp_path / ("ä" * 120)  # 240 bytes: a temporary name must not be longer than the system takes
    if earlier is not None:
        path.touch(mode=earlier)
        path.chmod(earlier)
    before = os.umask(mask)
    try:
        with replacing(path) as file:
            file.write(b"secret")
            modes = [each.stat().st_mode & 0o777 for each in tmp_path.glob(".*.part")]
    finally:
        os.umask(before)
    assert modes == [0o600]
    assert path.stat().st_mode & 0o777 == mode


FILL = """
import resource, signal, sys
from discriminant._engine.files import write_whole
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_whole(sys.argv[1], "x" * 5000)
except OSError as error:
    print(error)
"""


def test_a_full_disk_is_told_with_the_name_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text("the old one")
    command = [sys.executable, "-c", FILL, str(tmp_path / "model.json")]
    said = subprocess.run(command, capture_output=True, text=True).stdout
    assert said == f"[Errno 27] File too large: '{tmp_path / 'model.json'}'\n"
    assert [each.read_text() for each in tmp_path.iterdir()] == ["the old one"]
    with pytest.raises(io.ModelFileError, match=r"'/dev/full' cannot be written: No space left on device\."):
        io.save(fitted("Perceptron")[0], "/dev/full")
    with pytest.raises(OSError, match=r"No such file or directory: '.*/nowhere/model.json'"):
        write_whole(tmp_path / "nowhere" / "model.json", b"")


def test_a_save_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.json"
    io.save(fitted("Perceptron")[0], path)
    path.chmod(0o640)
    before = path.read_text()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(io.ModelFileError, match="No space left"):
            io.save(fitted("HoKashyap")[0], path)
    assert path.read_text() == before
    assert [each.name for each in tmp_path.iterdir()] == ["model.json"]
    io.save(fitted("HoKashyap")[0], path)
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_model_file_needs_no_polars(tmp_path: Path) -> None:
    io.save(fitted("Perceptron")[0], tmp_path / "model.json")
    code = (
        "import sys; sys.modules['polars'] = None\n"
        f"from discriminant import io\nprint(io.load({str(tmp_path / 'model.json')!r}))\n"
        "try:\n    io.read('a.csv')\nexcept ImportError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "polars is missing, which this needs: pip install 'discriminant[io]'."
    assert done.stdout.startswith("Perceptron("), done.stderr


def test_numbers_are_exact_text() -> None:
    values = [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, 2.0**-1074]
    model = D.LeastSquaresRegressor().fit(np.eye(6), np.arange(6.0))
    model.coef_, model.weights_ = np.array(values), np.r_[model.intercept_, values]
    again = io.loads(io.dumps(model))
    assert again.coef_.tobytes() == model.coef_.tobytes()
    assert base64.b64encode(again.weights_.tobytes()) == base64.b64encode(model.weights_.tobytes())
