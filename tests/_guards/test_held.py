"""What a class says of its fitted attributes holds for its subclasses too, unless they say otherwise."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from discriminant._guards.held import RECORDS, held_by, is_floats, is_number, optional, storable


class Base:
    _held = {"a_": "float d", "b_": "count", "c_?": "text", "d_": "flag"}


class Derived(Base):
    _held = optional({"a_": "float d"}) | {"b_": None, "c_": "text", "e_": lambda value, sizes: True}


def test_lines_of_a_base_hold_unless_a_subclass_has_another() -> None:
    assert list(held_by(Derived)) == ["d_", "a_?", "c_", "e_"]
    assert held_by(Base) == Base._held
    assert held_by(object) == {}


def test_a_record_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    class Place(NamedTuple):
        x: float

    monkeypatch.setattr("discriminant._guards.held.RECORDS", dict(RECORDS))
    assert storable(Place) is Place


def test_finite_floats_of_some_shape() -> None:
    assert is_floats(np.zeros((2, 3)))
    assert is_floats(np.zeros((2, 3)), (3, 2), (2, 3))
    assert not is_floats(np.zeros((2, 3)), (3, 2))
    assert not is_floats(np.array([np.nan]))
    assert not is_floats(np.zeros(2, int))
    assert is_number(1.5)
    assert not is_number(float("inf"))
    assert not is_number(True)
