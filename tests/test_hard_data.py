"""Hard data for every estimator and function: a fixed list of what `make fuzz` draws at random; and Ctrl-C."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hard_cases import ESTIMATORS, Case
from hard_data import KINDS, ordinary
from minima import excess
from portions import rest_in_ci
from promised_functions import FUNCTIONS
from promises import Refused, Trial
from sklearn.base import BaseEstimator
from supervised import Supervisor, supervisor

import discriminant as D

SUBJECTS = [*ESTIMATORS, *FUNCTIONS]
NAMES = sorted({subject.split("(")[0] for subject in SUBJECTS})
EACH = 2  # kinds of trouble for each subject: all of them turn up, each with several subjects
COSTLY = ("wide sparse", "very wide", "50 classes")  # seconds each; make fuzz tries them

# Each of these broke a promise once: a hang, an abort, a foreign exception, a leaked warning or a wrong answer.
ONCE_BROKEN = """
Perceptron() | NaN | 0
BalancedWinnow() | NaN | 0
MultilayerPerceptron((5,), max_iter=20) | NaN | 0
RecursiveLeastSquares(order='random') | inf | 76
KernelPerceptron('gaussian') | times 1e+09 | 1
SupportVectorMachine() | times 1e-310 | 0
SupportVectorMachine() | times 1e-300 | 0
SupportVectorMachine(1e10) | a row twice + zeros | 530
SupportVectorMachine(kernel='gaussian', probability=True) | wide | 618
HoKashyap() | weights 0 | 0
LogisticDiscriminant(tol=0) | ordinary | 0
LogisticDiscriminant(C=1e10) | None + weights 0 | 125
GradientDescent(criterion='squared') | ordinary | 0
NewtonDescent(criterion='squared') | wide | 492
WidrowHoff(batch=True, schedule='optimal') | far on one axis | 102
GradientDescent(criterion='hinge', max_iter=50) | ordinary | 0
GradientDescent() | far 1e+06 | 3
FisherDiscriminant() | denormal weights | 0
FisherDiscriminant() | wide sparse | 0
FisherDiscriminant(within='equal', threshold='midpoint') | float32 denormal | 8
LinearProgram() | integers beyond float | 0
RidgeRegressor() | date objects | 81
WidrowHoffRegressor(batch=True) | one row a class + text labels | 68
Perceptron(slack=1.0, multiclass='one-vs-rest') | no columns + bool + pandas | 698
FisherDiscriminant(shrinkage='auto') | wide sparse | 35
RidgeRegressor(kernel='gaussian') | CSR of 64-bit indices | 562
RidgeRegressor(kernel='gaussian') | CSR index beyond | 0
Perceptron() | CSR indptr decreasing | 0
WidrowHoffRegressor() | CSR index negative | 0
PolynomialMap() | CSR indptr short | 0
integer_search | CSR with doubled entries | 153
integer_search | integers beyond float | 48
integer_search | very wide | 532
kesler | numbers and words | 425
RecursiveLeastSquares() | float32 large | 360
Adatron(kernel='gaussian', max_iter=500) | negative zeros | 440
Relaxation() | longdouble beyond float64 | 0
LeastSquares() | labels of 1e300 | 0
WidrowHoffRegressor(batch=True) | one class of weight 0 | 424
WidrowHoff(batch=True, schedule='optimal') | 20 classes + float32 | 63
GradientDescent(criterion='logistic', multiclass='one-vs-one') | denormal weights | 214
FisherDiscriminant(shrinkage=0.5, n_components=1) | times 1e-310 + bool + whole weights | 390
minimum_removals | 50 classes | 391
separability | wide, a row twice | 0
"""


def cases(name: str, turn: int) -> list[Case]:
    """The cases of one estimator or function."""
    kinds = [kind for kind in KINDS if kind not in COSTLY]
    return [
        Case(subject, (kinds[(EACH * number + turn) % len(kinds)],), number)
        for number, subject in enumerate(SUBJECTS)
        if subject.split("(")[0] == name
    ]


@pytest.fixture(scope="module")
def child() -> Iterator[Supervisor]:
    with supervisor() as made:
        yield made


@pytest.mark.parametrize("turn", rest_in_ci(range(EACH)))
@pytest.mark.parametrize("name", NAMES)
def test_every_promise_holds(name: str, turn: int, child: Supervisor) -> None:
    found = {str(case): findings for case in cases(name, turn) if (findings := child.examine(case))}
    assert not found


@pytest.mark.parametrize("text", ONCE_BROKEN.strip().splitlines())
def test_what_was_broken_once_holds(text: str, child: Supervisor) -> None:
    assert not child.examine(Case.read(text))


def test_every_estimator_and_every_kind_is_tried() -> None:
    public = [
        name for name in D.__all__ if inspect.isclass(kind := getattr(D, name)) and issubclass(kind, BaseEstimator)
    ]
    assert set(public) <= set(NAMES)
    tried = [case for name in NAMES for turn in range(EACH) for case in cases(name, turn)]
    assert {kind for case in tried for kind in case.kinds} == set(KINDS) - set(COSTLY)


def test_a_case_can_be_read_and_makes_the_same_data() -> None:
    case = Case("Perceptron(batch=True)", ("far 1e+09", "weights 0"), 7)
    assert Case.read(str(case)) == case
    assert all(np.array_equal(one, other) for one, other in zip(case.data(), case.data(), strict=True))


def raising(error: Exception) -> Any:
    raise error


@pytest.mark.parametrize(
    ("error", "sort"),
    [
        (ValueError("X contains NaN"), None),
        (D.NotSeparableError("the classes overlap"), None),
        (ValueError("operands could not be broadcast together"), "foreign exception"),
        (np.linalg.LinAlgError("did not converge"), "foreign exception"),
        (OverflowError("int too large"), "foreign exception"),
        (IndexError("out of range"), "foreign exception"),
    ],
)
def test_which_exceptions_are_foreign(error: Exception, sort: str | None) -> None:
    trial = Trial()
    with pytest.raises(Refused):
        trial.call("fit", raising, error)
    assert [finding.sort for finding in trial.findings] == ([sort] if sort else [])


@pytest.mark.parametrize("category", [RuntimeWarning, D.NotConvergedWarning])
def test_which_warnings_leak(category: type[Warning]) -> None:
    trial = Trial()
    trial.call("fit", warnings.warn, "something", category)
    assert [finding.sort for finding in trial.findings] == ["leaked warning"] * (category is RuntimeWarning)


@pytest.mark.parametrize(
    "model", [D.LeastSquares(), D.LinearProgram(), D.LogisticDiscriminant(), D.SupportVectorMachine()]
)
def test_the_oracles_know_a_minimum(model: Any) -> None:
    data = ordinary(np.random.default_rng(4), 2, 20)
    data = data._replace(y=data.y % 2)
    assert excess(model.fit(*data), data) < 1e-3
    model.coef_ = model.coef_ + 0.5
    assert excess(model, data) > 1e-3


@pytest.mark.ci
@pytest.mark.skipif(os.name != "posix", reason="sends signals to processes")
def test_ctrl_c() -> None:
    """Three of the trials of `make interrupts`, on small tables, with patience for a busy machine."""
    names = ("Perceptron()", "separability of 20 classes", "check")
    options = [f"--only={name}" for name in names] + ["--trials=3", "--share=0.05", "--longest=0.7", "--slow=5"]
    tool = Path(__file__).parents[1] / "tools" / "interrupts.py"
    done = subprocess.run([sys.executable, tool, *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
