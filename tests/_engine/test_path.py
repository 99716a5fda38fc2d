"""The recorded weights: thinned when they are full, closed by the present ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from discriminant._engine.path import Path, copy_into
from discriminant._engine.rows import compiled


def test_a_path_is_thinned_when_it_is_full() -> None:
    for room in (4, 5, 8):
        path = Path(np.zeros(1), wanted=True)
        path.rows = path.rows[:room]
        for k in range(1, 101):
            path.add(np.array([float(k)]))
            made, used, stride = path.cursor
            assert made == k
            assert used <= room
            np.testing.assert_array_equal(path.rows[:used, 0], np.arange(0, k + 1, stride))
            assert used == k // stride + 1
            assert used > room / 2 - 1 or k < room


def test_corrections_between_two_rows_may_come_together() -> None:
    one_by_one, together = (Path(np.zeros(1), wanted=True) for _ in range(2))
    one_by_one.rows, together.rows = np.zeros((4, 1)), np.zeros((4, 1))
    k = 0
    while k < 100:
        some = min(together.gap, 3)
        for j in range(k + 1, k + some + 1):
            one_by_one.add(np.array([float(j)]))
        k += some
        together.add(np.array([float(k)]), some)
        assert together.cursor.tolist() == one_by_one.cursor.tolist()
        np.testing.assert_array_equal(together.rows, one_by_one.rows)
    assert together.gap <= together.cursor[2] > 1
    together.add(np.array([-1.0]), 0)  # nothing was corrected
    assert together.cursor[0] == k
    assert Path(np.zeros(1), wanted=False).gap > 10**9


def test_a_closed_path_ends_with_the_present_weights() -> None:
    a = np.zeros(2)
    path = Path(a, wanted=True)
    path.rows = np.zeros((4, 2))
    for k in range(1, 6):
        a = a + 1
        path.add(a)
        rows = path.so_far(a)
        assert rows is not None
        assert rows[-1].tolist() == [k, k]
    assert Path(a, wanted=False).so_far(a) is None


@compiled
def _copied(source: Any, target: Any) -> None:
    copy_into(source, target)


def test_copy_into() -> None:
    for run in (copy_into, _copied):
        target = np.zeros(3)
        run(np.array([1.0, 2, 3]), target)
        assert target.tolist() == [1, 2, 3]
