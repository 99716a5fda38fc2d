"""A test of very many cases: `make test` runs some of them, `make ci` the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def rest_in_ci(cases: Iterable[Any], count: int = 1) -> list[Any]:
    """The cases, all but the first ``count`` of them marked ``ci``."""
    return [case if k < count else pytest.param(case, marks=pytest.mark.ci) for k, case in enumerate(cases)]
