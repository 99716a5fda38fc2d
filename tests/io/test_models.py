"""Model files: every estimator comes back bit for bit, in another process too; what is not a model is refused."""

from __future__ import annotations

import os
import pickle
import random
import signal
import subprocess
import sys
import time
import warnings
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
from discriminant.io._restored import procedures


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


def is_first(name: str) -> bool:
    """Whether it is the first case of a class, or has a kernel of the most common kind."""
    return " " not in name or "gaussian" in name


@pytest.mark.parametrize(
    "name", [name if is_first(name) else pytest.param(name, marks=pytest.mark.ci) for name in WEIGHTED]
)
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


@pytest.mark.ci
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


@pytest.mark.ci
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


@pytest.mark.ci
def test_a_model_file_needs_no_polars(tmp_path: Path) -> None:
    io.save(fitted("Perceptron")[0], tmp_path / "model.json")
    (tmp_path / "a.csv").write_text("x,y\n1,2\n", encoding="utf-8")
    code = (
        "import sys; sys.modules['polars'] = None\n"
        f"from discriminant import io\nprint(io.load({str(tmp_path / 'model.json')!r}))\n"
        f"try:\n    io.read({str(tmp_path / 'a.csv')!r})\nexcept ImportError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "polars is missing, which this needs: pip install 'discriminant[io]'."
    assert done.stdout.startswith("Perceptron("), done.stderr
