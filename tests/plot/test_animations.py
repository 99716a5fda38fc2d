"""A GIF has a picture for each correction and one of the answer."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from PIL import Image
from portions import rest_in_ci
from sklearn.linear_model import LogisticRegression

from discriminant import KernelPerceptron, LeastSquares, MultilayerPerceptron, Perceptron, datasets, plot

X, y = datasets.or_function()


def frames(path: Path) -> int:
    with Image.open(path) as image:
        return image.n_frames


def test_a_picture_for_each_correction_and_the_answer(tmp_path: Path) -> None:
    model, before = Perceptron(), plt.get_fignums()
    assert plot.animate(model, X, y, tmp_path / "or.gif", seconds=2) == tmp_path / "or.gif"
    assert frames(tmp_path / "or.gif") == 11  # nine corrections, the start and the answer
    assert not hasattr(model, "weights_")
    assert sorted(tmp_path.iterdir()) == [tmp_path / "or.gif"]
    assert plt.get_fignums() == before
    with Image.open(tmp_path / "or.gif") as image:
        assert image.info["duration"] == 180
        assert image.info["loop"] == 0


SORTS = [
    MultilayerPerceptron((3,), max_iter=5),
    KernelPerceptron("gaussian"),
    LeastSquares(),
    Perceptron(multiclass="one-vs-rest", max_iter=5),
]


@pytest.mark.parametrize("model", rest_in_ci(SORTS), ids=lambda model: type(model).__name__)
def test_every_sort_of_procedure(model: object, tmp_path: Path) -> None:
    plot.animate(model, X, y, tmp_path / "run.gif")
    assert frames(tmp_path / "run.gif") >= 1


@pytest.mark.ci
def test_the_same_run_gives_the_same_file_and_a_page_is_a_replay(tmp_path: Path) -> None:
    for name in ("a", "b"):
        plot.animate(Perceptron(order="random"), X, y, tmp_path / f"{name}.gif")
    assert (tmp_path / "a.gif").read_bytes() == (tmp_path / "b.gif").read_bytes()
    plot.animate(Perceptron(), X, y, tmp_path / "a.html")
    assert '"title":"Perceptron"' in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_bad_input_gives_a_sentence(tmp_path: Path) -> None:
    for call, message in (
        (lambda: plot.animate(Perceptron(), X, y, tmp_path / "or.mp4"), "ends in .gif or .html"),
        (lambda: plot.animate(Perceptron(), *datasets.iris(), tmp_path / "or.gif"), "choose one or two features"),
        (lambda: plot.animate(LogisticRegression(), X, y, tmp_path / "or.gif"), "a classifier of this package"),
        (lambda: plot.animate(Perceptron(), X, y, tmp_path / "or.gif", seconds=0), "seconds=0 must be a number > 0"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    assert not list(tmp_path.iterdir())
