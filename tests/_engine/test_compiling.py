"""What a pass calls is a part of it."""

from __future__ import annotations

import importlib
import itertools
import warnings
from typing import Any

import numba
import numpy as np
import pytest
from sklearn.utils.validation import has_fit_parameter

import discriminant
from discriminant._engine.rows import compiled, inlined


@inlined
def _one_more(x: Any) -> Any:
    return x + 1


@inlined
def _two_more(x: Any) -> Any:
    return _one_more(x) + 1


@compiled
def _both(x: Any) -> Any:
    return _one_more(x), _two_more(x)


def test_rules_of_one_signature_stay_apart() -> None:
    """A part is known to numba by an object of its own, also where it calls another part."""
    assert _both(1.0) == (_one_more(1.0), _two_more(1.0)) == (2, 3)


def test_a_foreign_function_may_call_a_rule() -> None:
    """A part brings along what it calls, and numba still knows all its own methods."""

    @numba.njit
    def foreign(x: Any) -> Any:
        return _two_more(np.flip(x)).cumsum()

    assert foreign(np.array([2.0, 1.0])).tolist() == [3, 7]


# a procedure, its compiled pass, how many forms that has, and the settings that may lead to one of its own
PASSES: list[tuple[str, str, int, list[dict[str, Any]]]] = [
    (  # two classes or a machine, without and with what the average and the slack need
        "Perceptron", "error_correcting.perceptron._epoch", 4,
        [{}, {"average": True}, {"slack": 1.0, "multiclass": "one-vs-rest"}, {"batch": True}, {"bias": "radius"}],
    ),
    ("Perceptron", "error_correcting.pocket._visits", 2, [{"pocket": True}]),
    ("Relaxation", "error_correcting.relaxation._epoch", 2, [{}, {"batch": True}]),
    ("BalancedWinnow", "error_correcting.winnow._epoch", 1, [{}]),
    ("PiecewiseLinearMachine", "error_correcting.piecewise._epoch", 1, [{}, {"n_subclasses": 1}]),
    ("KernelPerceptron", "error_correcting.kernel_perceptron._epoch", 1, [{}]),
    ("MinOver", "error_correcting.margin_rule._updates", 2, [{}, {"step": "fixed"}]),  # with a kernel or without
    ("Adatron", "error_correcting.margin_rule._updates", 2, [{}]),
    ("WidrowHoff", "squared_error.widrow_hoff._epoch", 1, [{}, {"batch": True}, {"dual": True}, {"schedule": "rls"}]),
    ("RecursiveLeastSquares", "squared_error.recursive_least_squares._epoch", 1, [{}, {"forgetting": 0.9}]),
]  # fmt: skip
OPTIONS: list[dict[str, Any]] = [
    {}, {"record": "weights"}, {"order": "random"}, {"margin": 1.0}, {"schedule": "1/k"}, {"eta": 0.5},
    {"kernel": "gaussian"}, {"record": "weights", "kernel": "gaussian"},
]  # fmt: skip


@pytest.mark.parametrize(("name", "place", "count", "variants"), PASSES)
def test_a_pass_is_compiled_in_few_forms(
    name: str, place: str, count: int, variants: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the path nor weights, order, margin or steps take one: whoever asks for them need not wait again."""
    module, _, function = place.rpartition(".")
    home, forms = importlib.import_module(f"discriminant.{module}"), set()
    compiled_pass = getattr(home, function)

    def spy(*args: Any) -> Any:
        forms.add(tuple(map(numba.typeof, args)))
        return compiled_pass(*args)

    monkeypatch.setattr(home, function, spy)
    kind, X = getattr(discriminant, name), np.random.default_rng(0).normal(size=(12, 2))
    for variant, options, classes in itertools.product(variants, OPTIONS, (2, 3)):
        model = kind(**variant)
        ordered_batch = "batch" in variant and "order" in options
        if ordered_batch or options.keys() & variant.keys() or not options.keys() <= model.get_params().keys():
            continue
        y, model = np.arange(12) % classes, model.set_params(max_iter=3, **options)
        for weights in ({}, {"sample_weight": np.arange(12) + 1.0}):
            if not weights or has_fit_parameter(model, "sample_weight"):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    model.fit(X, y, **weights)
    assert len(forms) == count
