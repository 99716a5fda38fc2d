"""Every public estimator is a scikit-learn citizen: its own checks, names, dtypes, callbacks, Ctrl-C."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

import discriminant

ESTIMATORS = [
    value
    for name in discriminant.__all__
    if inspect.isclass(value := getattr(discriminant, name)) and issubclass(value, BaseEstimator)
]


def expected_failures(estimator: Any) -> dict[str, str]:
    return getattr(estimator, "_expected_failed_checks", {})


@pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
@parametrize_with_checks([kind() for kind in ESTIMATORS], expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)
