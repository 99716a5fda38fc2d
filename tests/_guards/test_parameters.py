"""What a parameter may be: one table on each class, one form of message."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from discriminant import (
    BalancedWinnow,
    GradientDescent,
    KernelPerceptron,
    MultilayerPerceptron,
    MultilayerPerceptronRegressor,
    NewtonDescent,
    Perceptron,
    PiecewiseLinearMachine,
    Relaxation,
)
from discriminant._guards.parameters import Choice, Number, Or, suggestion, table_of

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")


def small() -> tuple[Any, Any]:
    """Twelve patterns of two classes that a plane separates with room to spare."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(12, 3))
    y = np.arange(12) % 2
    X[:, 0] += np.where(y == 1, 4, -4)
    return X, y


BAD_PARAMETERS: dict[str, list[Any]] = {
    "max_iter": [0, -1, 2.5, True, "many"],
    "margin": [-1.0, float("nan"), "wide"],
    "schedule": [-1.0, 0, "fast", None, float("inf")],
    "eta": [-1.0, 0.0, "fast"],
    "alpha": [1.0, 0.5, "big"],
    "slack": [-1.0, "some"],
    "tol": [-1.0, "small"],
    "cache_size": [0, "all"],
    "n_subclasses": [0, 2.5, (1, 2, 3)],
    "order": ["sorted", None],
    "bias": ["none", None],
    "record": ["everything", True],
    "multiclass": ["both", None],
    "criterion": ["best", None],
    "kernel": ["quadratic", None],
    "start": [[1.0], [float("nan")] * 4, "zero"],
}


# What a parameter is also called: an eta that is no number is read as a schedule, the criteria call the margins b.
ALSO = {"eta": "eta|schedule", "margin": "margin|b"}


# The descents take any finite margins; the start of the piecewise machine is read by itself.
PASSED_OVER = {("GradientDescent", "margin", -1.0), ("NewtonDescent", "margin", -1.0)}


PASSED_OVER |= {("PiecewiseLinearMachine", "start", "zero")}


PROCEDURES = [Perceptron, KernelPerceptron, BalancedWinnow, Relaxation, GradientDescent, NewtonDescent]


PROCEDURES += [PiecewiseLinearMachine]


@pytest.mark.parametrize("kind", PROCEDURES)
def test_bad_parameters_are_refused_by_name_and_value(kind: Any) -> None:
    X, y = small()
    tried = 0
    for name in kind().get_params():
        for value in BAD_PARAMETERS.get(name, []):
            if (kind.__name__, name, value if isinstance(value, float) else str(value)) in PASSED_OVER:
                continue
            with pytest.raises(ValueError) as caught:  # noqa: PT011  # the message is looked at below
                kind(**{name: value}).fit(X, y)
            message = str(caught.value)
            assert re.search(rf"\b({ALSO.get(name, name)})\b", message), (name, value, message)
            shown = repr(value).strip("()[]'") in message or name == "start" or " b " in f" {message}"
            assert shown, (name, value, message)
            assert re.search("give|choose|use|needs|did you mean|pass", message), (name, value, message)
            tried += 1
    assert tried >= 10


def test_relaxation_needs_eta_between_0_and_2() -> None:
    for eta in (-0.5, 0, 2, 2.5):
        with pytest.raises(ValueError, match=rf"eta={eta} must be .*; relaxation needs 0 < eta < 2"):
            Relaxation(eta=eta).fit(*small())
    with pytest.raises(ValueError, match=r"eta=3.* must be .*; single-sample relaxation needs 0 < eta < 2"):
        Relaxation(eta=lambda k: 3.0).fit(*small())


def test_parameters_are_looked_at_before_the_data() -> None:
    with pytest.raises(ValueError, match="margin=-1"):
        Perceptron(margin=-1).fit(None, None)


@pytest.mark.parametrize(
    ("constraint", "good", "bad", "message"),
    [
        (Number("give one", 0), [1, 0.5, np.float32(2)], [0, -1, np.nan, True, "1", 1j], "must be a number > 0; give"),
        (Number("give one", 0, 1, closed=True), [0, 0.5], [1, -0.1], "must be a number >= 0 and < 1; give one"),
        (
            Number("give one", 1, closed=True, whole=True),
            [1, np.int64(3)],
            [0, 1.0, True],
            "must be a whole number",
        ),
        (
            Choice((None, "auto", True)),
            [None, "auto", True, np.True_],
            ["Auto", 1, 0],
            "must be one of None, 'auto', True",
        ),
        (
            Or(("auto", None), Number("give one", 0)),
            ["auto", None, 2],
            ["aut", 0],
            "must be 'auto', None or a ",
        ),
    ],
)
def test_constraints(constraint: Any, good: list[Any], bad: list[Any], message: str) -> None:
    for value in good:
        assert constraint("name", value) == value
    for value in bad:
        with pytest.raises(ValueError, match=re.escape(f"name={value!r} {message}")):
            constraint("name", value)


def test_a_name_that_is_nearly_right_is_suggested() -> None:
    assert suggestion("Cyclik", ["random", "cyclic"]) == ["cyclic"]
    assert suggestion("zzz", ["random", "cyclic"]) == []
    with pytest.raises(ValueError, match="order='cylic' must be one of 'cyclic', 'random'; did you mean 'cyclic'"):
        Perceptron(order="cylic").fit([[0.0], [1.0]], [0, 1])


def test_the_tables_of_the_bases_hold_too() -> None:
    assert {"max_iter", "activation", "loss"} <= table_of(MultilayerPerceptron).keys()
    assert "loss" not in table_of(MultilayerPerceptronRegressor)
