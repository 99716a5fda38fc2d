"""The recorded weights: thinned when they are full, closed by the present ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from discriminant._engine.path import Path, copy_into, record
from discriminant._engine.rows import compiled


def test_a_path_is_thinned_when_it_is_full() -> None:
    for run in (record, record.py_func):
        for room in (4, 5, 8):
            path, cursor = np.full((room, 1), np.nan), np.array([0, 1, 1])
            path[0] = 0
            for k in range(1, 101):
                run(path, cursor, np.array([float(k)]))
                used, stride = cursor[1], cursor[2]
                assert cursor[0] == k
                assert used <= room
                np.testing.assert_array_equal(path[:used, 0], np.arange(0, k + 1, stride))
                assert used == k // stride + 1
                assert used > room / 2 - 1 or k < room


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
