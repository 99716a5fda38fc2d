"""Imports during which no garbage is looked for."""

from __future__ import annotations

import gc

import pytest

from discriminant._guards.lazy import uncollected


@pytest.mark.parametrize("collects", [True, False])
def test_garbage_is_looked_for_again_if_it_was_before(collects: bool) -> None:
    gc.enable() if collects else gc.disable()
    try:
        with uncollected():
            assert not gc.isenabled()
            with uncollected():
                assert not gc.isenabled()
            assert not gc.isenabled()
        assert gc.isenabled() == collects
        with pytest.raises(ImportError), uncollected():
            raise ImportError
        assert gc.isenabled() == collects
    finally:
        gc.enable()
