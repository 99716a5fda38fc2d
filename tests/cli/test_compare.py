"""``discriminant compare``: the table, the page, an interrupt."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Outcome, command


def test_comparison(tables: Path) -> None:
    methods = "perceptron,svm,fisher"
    found = command("compare", "table.csv", "--methods", methods, "--cv", "2", "--jobs", "1", "--json", cwd=tables)
    assert (found.code, found.err) == (0, "")
    rows = found.json["rows"]
    assert [row["method"] for row in rows] == ["perceptron", "support-vector-machine", "fisher-discriminant"]
    assert found.json["verdict"] == "complete"


def test_the_table_stands_by_rank_and_has_nothing_of_python(inside: Callable[..., Outcome], tables: Path) -> None:
    line = ["--methods", "perceptron,balanced-winnow,fisher", "--cv", "2", "--jobs", "1", "--max-seconds", "1e-9"]
    out = inside("compare", tables / "table.csv", *line).out
    shares = [float(share) for share in re.findall(r"([\d.]+) % ± ", out)]
    assert (len(shares), shares) == (3, sorted(shares))
    assert "--max-seconds 1e-09 must be larger" in out
    assert not re.search(r"\w+Error:|\w=|\(X, y\)|None|True", out)


def test_features_of_different_scale_are_told_of(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    rows = "".join(f"{i * 1000},{i % 7},{'ab'[i % 2]}\n" for i in range(30))
    (tmp_path / "wide.csv").write_text(f"wide,narrow,y\n{rows}")
    line = ["compare", tmp_path / "wide.csv", "--methods", "fisher,svm", "--cv", "2", "--jobs", "1"]
    notes = inside(*line, "--json").json["notes"]
    assert [
        bool(re.fullmatch(r"wide spreads [\d,]+ times as widely as narrow: --standardize .*", n)) for n in notes
    ] == [1]
    assert inside(*line, "--json", "--standardize").json["notes"] == [
        "Each feature was brought to mean 0 and standard deviation 1 before."
    ]
    assert "--standardize brings all features to one scale." in inside(*line).out


@pytest.mark.parametrize("method", ["perceptron", "svm", "logistic", "fisher"])
def test_huge_numbers_have_a_remedy_of_the_command_line(
    inside: Callable[..., Outcome], tmp_path: Path, method: str
) -> None:
    rows = "".join(f"{(i * 37 % 11 + 1) * 1e299},{i * 1e-300},{'ab'[i % 2]}\n" for i in range(30))
    (tmp_path / "huge.csv").write_text(f"huge,tiny,y\n{rows}")
    found = inside("compare", tmp_path / "huge.csv", "--methods", method, "--cv", "2", "--jobs", "1")
    assert found.code == 0
    assert "StandardScaler" not in found.out
    assert "--standardize" in found.out


def test_report_is_one_page(inside: Callable[..., Outcome], tables: Path, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    line = [
        "compare",
        tables / "table.csv",
        "--methods",
        "perceptron,svm",
        "--cv",
        "2",
        "--jobs",
        "1",
        "--axes",
        "x1,x0",
    ]
    found = inside(*line, "--html", path)
    assert found.code == 0
    assert str(path) in found.err
    assert "support-vector-machine" in found.out
    page = path.read_text()
    assert "<html" in page
    assert "x1" in page


def test_names_with_commas(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('"x, cm",y,label\n1,1,no\n2,1,yes\n')
    found = inside("fit", tmp_path / "a.csv", "-t", "label", "--features", '"x, cm",y', "--json")
    assert found.json["features"] == ["x, cm", "y"]


def test_an_interrupted_comparison_prints_its_table_and_draws_nothing(
    inside: Callable[..., Outcome], tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from discriminant import FisherDiscriminant

    def pressed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(FisherDiscriminant, "fit", pressed)
    line = ["--methods", "least-squares,fisher", "--cv", "0", "--jobs", "1", "--html", tmp_path / "report.html"]
    found = inside("compare", tables / "table.csv", *line)
    assert found.code == 130
    assert "fisher-discriminant: not run: Ctrl-C was pressed" in found.out
    assert re.search(r"least-squares +0\.0 %", found.out)
    assert found.err.endswith("is not written: its pictures would take longer than Ctrl-C may.\nInterrupted.\n")
    assert not list(tmp_path.iterdir())
