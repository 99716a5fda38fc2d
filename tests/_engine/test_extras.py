"""A package that is missing is named, with the command that installs it."""

import math
import sys

import pytest

from discriminant._engine.extras import Later, needed


def test_what_is_there_is_imported_and_what_is_missing_is_named() -> None:
    assert needed("math", "all") is math
    with pytest.raises(ImportError, match=r"^no_such_package is missing, .*pip install 'discriminant\[plot\]'\.$"):
        needed("no_such_package.part", "plot")


def test_a_module_is_imported_when_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    later, missing = Later("wave", "sound"), Later("no_such_module", "sound")
    monkeypatch.delitem(sys.modules, "wave", raising=False)
    assert later.Error is sys.modules["wave"].Error is later.Error
    with pytest.raises(ImportError, match=r"no_such_module is missing, which this needs: pip install .*\[sound\]"):
        missing.anything  # noqa: B018
