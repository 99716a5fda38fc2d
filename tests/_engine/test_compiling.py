"""What a pass calls is a part of it."""

from __future__ import annotations

import copy
import gc
import importlib
import itertools
import pickle
import subprocess
import sys
import warnings
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.caching import NullCache
from numba.core.compiler import CompilerBase
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


@inlined
def _least(x: Any) -> Any:
    return min(x, 0.0)


@inlined
def _least_of_parts(x: Any) -> Any:
    return _least(x) + _least(-x)


@compiled
def _least_of_all(x: Any) -> Any:
    return _least(x) + _least_of_parts(x) + min(x, 1.0)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """Which functions numba compiles, and whether Python looks for garbage meanwhile."""
    made, compile_extra = list[tuple[str, bool]](), CompilerBase.compile_extra

    def watched(self: Any, function: Any) -> Any:
        made.append((function.__name__, gc.isenabled()))
        return compile_extra(self, function)

    monkeypatch.setattr(CompilerBase, "compile_extra", watched)
    monkeypatch.setattr(_least_of_all.made, "_cache", NullCache())
    return made


def test_a_rule_is_compiled_once_whoever_calls_it(made: list[tuple[str, bool]]) -> None:
    """The pass, or another part of it; and so are numba's own functions."""
    assert _least_of_all(2.0) == -1
    names = sorted(name for name, _ in made if name != "impl")  # numba's own; an earlier pass may have needed it too
    assert names == ["_least", "_least_of_all", "_least_of_parts"]
    assert len(made) <= len(names) + 1


@pytest.mark.parametrize("wanted", [True, False])
def test_no_garbage_is_looked_for_while_something_is_compiled(wanted: bool, made: list[tuple[str, bool]]) -> None:
    """And afterwards it is, if it was before."""
    try:
        gc.enable() if wanted else gc.disable()
        assert _least_of_all(np.float32(2) if wanted else 2) == -1
        assert gc.isenabled() is wanted
    finally:
        gc.enable()
    assert made
    assert not any(collects for _, collects in made)


@compiled
def _doubled(x: Any) -> Any:
    both = _both(x)
    return 2 * both[0], 2 * both[1]


def test_a_pass_may_call_another() -> None:
    assert _doubled(1.0) == _doubled.py_func(1.0) == (4, 6)


def test_a_pass_is_known_by_its_name() -> None:
    assert (_both.__name__, _both.__module__) == ("_both", __name__)
    assert pickle.loads(pickle.dumps(_both)) is copy.deepcopy(_both) is _both
    with pytest.raises(AttributeError, match="__nothing__"):
        getattr(_both, name := "__nothing__")
    with pytest.raises(AttributeError, match="nothing"):
        getattr(_both, name.strip("_"))


def test_numba_is_imported_by_the_first_call() -> None:
    code = """import sys, numpy as np
from discriminant._engine.rows import compiled, row_sqnorm
from discriminant.error_correcting.visits import count_errors
assert "numba" not in sys.modules and count_errors.py_func.__name__ == "count_errors"
found = count_errors(np.eye(2), np.array([1, 0], np.int32), 0, 2, np.array([0.0, 1.0, -1.0]), 3)
print(found, "numba" in sys.modules)"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["(0,", "True)", "True"], done.stderr


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
