"""A package that is missing is named, with the command that installs it."""

import math

import pytest

from discriminant._engine.extras import needed


def test_what_is_there_is_imported_and_what_is_missing_is_named() -> None:
    assert needed("math", "all") is math
    with pytest.raises(ImportError, match=r"^no_such_package is missing, .*pip install 'discriminant\[plot\]'\.$"):
        needed("no_such_package.part", "plot")
