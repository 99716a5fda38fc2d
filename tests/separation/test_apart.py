"""Of many classes: who can be told from all others, and who from whom not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from discriminant import datasets, separability
from discriminant.separation import apart
from discriminant.separation.apart import each_pair, joined, pair_verdicts, told_apart


def kinds_of_iris() -> Any:
    flowers = datasets.iris()
    return separability(flowers.X, np.array(flowers.target_names)[flowers.y])


def test_iris() -> None:
    s = kinds_of_iris()
    assert str(s).splitlines()[:2] == [
        "quasi: setosa can be told apart from each of the others; versicolor and virginica cannot be told apart by any "
        "straight cut.",
        "  pairs          versicolor / virginica overlap, setosa / versicolor complete, setosa / virginica complete",
    ]


def test_pairs_that_the_machine_has_apart_are_not_asked_for() -> None:
    s = kinds_of_iris()
    assert list(pair_verdicts(s).values()) == ["complete", "complete", "overlap"]
    assert s.pairwise.decided == {("versicolor", "virginica"): "overlap"}


@pytest.mark.parametrize("seed", range(8))
def test_verdicts_are_those_of_each_pair(seed: int) -> None:
    generator = np.random.default_rng(seed)
    X, y = generator.integers(0, 4, (14, 2)), np.arange(14) % 4
    s = separability(X, y)
    expected = {pair: separability(X[np.isin(y, pair)], y[np.isin(y, pair)]).verdict for pair in s.pairwise}
    assert pair_verdicts(s) == expected


def test_numbers_are_classes_and_all_alike_are_said_at_once() -> None:
    assert told_apart(separability(*datasets.iris())).startswith(
        "class 0 can be told apart from each of the others; cl"
    )
    X = np.tile([[0], [1]], (3, 1))
    assert told_apart(separability(X, np.repeat([0, 1, 2], 2))) == (
        "any two of the 3 classes cannot be told apart by any straight cut"
    )


def test_pairs_apart_but_not_together() -> None:
    """Three classes on a circle, each in two places: each two are apart, and no machine does it for all."""
    X, y = datasets.table(1, 2, 4)
    s = separability(X, y)
    assert str(s).startswith("complete: all 3 classes can be told apart: a linear machine separates them strictly.")
    assert set(pair_verdicts(s).values()) == {"complete"}
    assert s.pairwise.decided == {}  # it follows


def test_classes_that_touch() -> None:
    s = separability([[0], [1], [1], [2], [9]], list("aabbc"))
    assert told_apart(s) == (
        "c can be told apart from each of the others; a and b touch, so that every straight cut between them has rows "
        "on itself"
    )


def test_what_takes_too_long_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "SECONDS", 0.0)
    s = kinds_of_iris()
    assert told_apart(s) == (
        "setosa can be told apart from each of the others; 1 of 3 pairs of classes would take longer to decide"
    )
    assert each_pair(s).startswith("versicolor / virginica undecided, setosa / versicolor complete")
    monkeypatch.setattr(apart, "SECONDS", 60.0)
    assert "cannot be told apart" in told_apart(s)  # asked again with more time
    monkeypatch.setattr(apart, "MOST", 1)
    assert "would take longer" in told_apart(kinds_of_iris())


def test_names_in_a_row() -> None:
    assert (joined(["a"]), joined(["a", "b", "c"])) == ("a", "a, b and c")
    assert joined(list("abcdefghijklmnop")).endswith("k, l and 4 more")
