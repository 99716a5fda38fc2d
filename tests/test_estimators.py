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


EVERY = parametrize_with_checks([kind() for kind in ESTIMATORS], expected_failed_checks=expected_failures)
NAMES, CASES, IDS = EVERY.args[0], list(EVERY.args[1]), EVERY.kwargs["ids"]
# Twins take the paths of another check, as much work, and a fifth of all the time: scipy's older class of sparse
# containers, after its newer one, and a read-only table of float64, after one of float32.
TWINS = ("check_estimator_sparse_matrix", "check_classifiers_train(readonly_memmap=True)")


def is_twin(case: Any) -> bool:
    _, check = getattr(case, "values", case)
    return IDS(check) in TWINS


@pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
@pytest.mark.parametrize(NAMES, [case for case in CASES if not is_twin(case)], ids=IDS)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.ci
@pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
@pytest.mark.parametrize(NAMES, [case for case in CASES if is_twin(case)], ids=IDS)
def test_scikit_learn_checks_that_are_twins(estimator: Any, check: Any) -> None:
    check(estimator)


ORDER_OF_VISITS = {
    "Perceptron", "KernelPerceptron", "BalancedWinnow", "Relaxation", "WidrowHoff", "WidrowHoffRegressor", "MinOver",
    "Adatron", "MultilayerPerceptron", "MultilayerPerceptronRegressor",
}  # fmt: skip


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_exemptions_are_few_and_have_a_reason(kind: Any) -> None:
    exempt = expected_failures(kind)
    if kind.__name__ in ORDER_OF_VISITS | {"LinearProgram"}:
        allowed = {f"check_sample_weight_equivalence_on_{data}_data" for data in ("dense", "sparse")}
        allowed |= {"check_class_weight_classifiers"} if kind.__name__ == "Perceptron" else set()
        assert set(exempt) <= allowed
        assert all(len(reason) > 20 for reason in exempt.values())
    else:
        assert not exempt


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_it_constructs_without_arguments_from_plain_values(kind: Any) -> None:
    for name, value in kind().get_params(deep=False).items():
        assert isinstance(value, int | float | str | tuple | None), name
