"""Errors and warnings carry their evidence, and a warning is shown once a place."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import pytest

from discriminant import FitInterruptedWarning, NotConvergedWarning, NotSeparableError, Report, UndecidedError
from discriminant.exceptions import warn_user


def facts(**more: Any) -> dict[str, Any]:
    return {
        "procedure": "Perceptron", "status": "BUDGET", "criterion": "J", "iterations": 1_000, "corrections": 2_345,
        "errors": 7, "n_samples": 10_000, "bound": None, "inseparable": False, "details": {}, "notes": [],
        "remedy": "this or that.",
    } | more  # fmt: skip


@pytest.mark.parametrize("kind", [NotConvergedWarning, FitInterruptedWarning])
def test_a_warning_carries_its_report(kind: Any) -> None:
    report = Report(facts())
    for warning in (kind("stopped", report), pickle.loads(pickle.dumps(kind("stopped", report)))):
        assert str(warning) == "stopped"
        assert warning.report.to_dict() == report.to_dict()
    assert kind("alone").report is None


def test_not_separable_is_a_value_error_with_its_proof() -> None:
    for error in (NotSeparableError("no", [1, 2]), pickle.loads(pickle.dumps(NotSeparableError("no", [1, 2])))):
        assert isinstance(error, ValueError)
        assert str(error) == "no"
        assert error.certificate == [1, 2]
    assert NotSeparableError("no").certificate is None


def test_undecided_is_a_timeout_with_what_is_known() -> None:
    error = UndecidedError("too long", 2.0, n_wrong=3, pairs={("a", "b"): "quasi"}, excluded=("complete",), passes=4)
    for each in (error, pickle.loads(pickle.dumps(error))):
        assert isinstance(each, TimeoutError)
        assert (str(each), each.seconds, each.plane, each.n_wrong) == ("too long", 2.0, None, 3)
        assert (each.pairs, each.excluded, each.passes) == ({("a", "b"): "quasi"}, ("complete",), 4)


def test_a_warning_is_shown_once_a_place_unless_someone_catches_it() -> None:
    def warn(text: str) -> None:
        for _ in range(2):
            with warnings.catch_warnings():  # after which Python has forgotten what it has shown
                pass
            warn_user(NotConvergedWarning(text), once=True)

    def shown(action: Any) -> int:
        with warnings.catch_warnings(record=True, action=action) as caught:
            warn("one")
            warn("another")
        return len(caught)

    assert [shown(action) for action in ("default", "always", "ignore", "default")] == [2, 4, 0, 2]
    with pytest.raises(NotConvergedWarning):
        shown("error")
    with warnings.catch_warnings(record=True) as caught:
        warnings.resetwarnings()
        warnings.filterwarnings("always", message="o", module="tests|test_exceptions")
        warnings.filters.append(("default", None, Warning, "__main__", 0))  # type: ignore[attr-defined]
        warn("one")
        warn("another")
    assert [str(warning.message) for warning in caught] == ["one", "one", "another"]
