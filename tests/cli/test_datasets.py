"""``discriminant datasets``: all of them, and one as a table."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import discriminant
from discriminant.cli import _tables
from discriminant.cli._options import Rows

from .conftest import Outcome


def test_datasets(inside: Callable[..., Outcome]) -> None:
    found = inside("datasets", "--json").json
    names = [entry["name"] for entry in found["datasets"]]
    assert [name.replace("-", "_") for name in names] == list(discriminant.datasets.names())
    iris = next(entry for entry in found["datasets"] if entry["name"] == "iris")
    assert (iris["rows"], iris["columns"], iris["classes"]) == (150, 4, 3)
    listed = inside("datasets").out
    assert all(name in listed for name in names)
    table = inside("datasets", "svm-three")
    assert table.out == "x1,x2,target\n2.0,1.0,0\n1.0,3.0,0\n6.0,3.0,1\n"
    assert inside("datasets", "svm-three", "--json").json["data"] == [[2.0, 1.0, 0], [1.0, 3.0, 0], [6.0, 3.0, 1]]


def test_datasets_are_the_same_each_time(inside: Callable[..., Outcome]) -> None:
    assert inside("datasets", "overlap").out == inside("datasets", "overlap").out


def test_a_data_set_to_stdout_and_to_a_file(inside: Callable[..., Outcome], tmp_path: Path) -> None:
    found = inside("datasets", "xor", "--json", "-o", tmp_path / "xor.csv")
    assert found.json["rows"] == len((tmp_path / "xor.csv").read_text().splitlines()) - 1 == 4
    assert inside("datasets", "xor", "-o", tmp_path / "none" / "xor.csv").code == 2


def test_data_sets_need_no_table_and_are_read_as_one_would_be(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = {name: _tables.learnable(Rows(name)) for name in discriminant.datasets.names()}
    monkeypatch.setattr(_tables, "_as_it_is", lambda given: None)
    for name, (recipe, X, y, w) in plain.items():
        known, *read = _tables.learnable(Rows(name))
        assert (recipe.to_dict(), recipe.reading, w) == (known.to_dict(), known.reading, read[2]), name
        assert np.array_equal(X, read[0]), name
        assert np.array_equal(y, read[1]), name
        assert (X.dtype, y.dtype, X.flags.c_contiguous) == (read[0].dtype, read[1].dtype, True), name


@pytest.mark.parametrize("given", [{"target": "x1"}, {"drop": "x1"}, {"features": "x1"}])
def test_who_asks_for_less_than_a_data_set_gets_a_table(given: dict[str, str]) -> None:
    assert _tables._as_it_is(Rows("xor", **given)) is None
    assert len(_tables.learnable(Rows("xor", **given))[0].feature_names) < 3
