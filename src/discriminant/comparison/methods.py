"""Every procedure under a name for tables and command lines; nothing is imported before it is called.

A name is that of the class in kebab-case, with a word for a variant: ``perceptron``, ``perceptron-batch``. The classes
are those of the registry, the table in ``discriminant/__init__.py``.

Tests: ``tests/comparison/test_run.py``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import discriminant

MAX_ITER = 1000  # steps after which a procedure that has hardly moved for long is left alone


@dataclass(frozen=True)
class Procedure:
    """A class of this package by name, with the parameters of a variant; calling it makes the estimator."""

    kind: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self) -> Any:
        return getattr(discriminant, self.kind)(**self.parameters)

    def __str__(self) -> str:
        return f"{self.kind}({', '.join(f'{name}={value!r}' for name, value in self.parameters.items())})"

    @property
    def summary(self) -> str:
        """What it does in a sentence, as its class says; read from its file, for to import it takes seconds."""
        home = next(module for module, kinds in discriminant._PROCEDURES.items() if self.kind in kinds)
        source = Path(discriminant.__file__).parent.joinpath(*home.split(".")).with_suffix(".py")
        found = re.search(rf'^class {self.kind}\b.*?"""(.+?)(?:\n\n|""")', source.read_text("utf-8"), re.M | re.S)
        assert found is not None, f"{self.kind} has no docstring"
        return " ".join(found[1].split())


def kebab(kind: str) -> str:
    """``HoKashyap`` as ``ho-kashyap``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", kind).lower()


# The variants of a class by a word that follows its name, with their parameters; "" is what its own name stands for.
VARIANTS: dict[str, dict[str, dict[str, Any]]] = {
    "Perceptron": {
        "batch": {"batch": True},
        "margin": {"margin": 10.0},
        "radius-bias": {"bias": "radius"},
        "averaged": {"average": True},
        "pocket": {"pocket": True},
        "slack": {"slack": 3.0, "multiclass": "one-vs-rest"},
    },
    "KernelPerceptron": {"gaussian": {"kernel": "gaussian"}},
    "Relaxation": {"batch": {"batch": True}},
    "MinOver": {"fixed-step": {"step": "fixed"}},
    "NewtonDescent": {"logistic": {"criterion": "logistic"}},
    "LeastSquares": {"fisher": {"targets": "fisher"}},
    "WidrowHoff": {"batch": {"batch": True}},
    "HoKashyap": {
        "": {"max_iter": MAX_ITER},
        "descent": {"variant": "descent", "eta": "optimal", "max_iter": MAX_ITER},
    },
    "LinearProgram": {"minimax": {"criterion": "minimax"}},
    "SupportVectorMachine": {"large-c": {"C": 1000.0}, "gaussian": {"kernel": "gaussian"}},
    "LogisticDiscriminant": {"unpenalized": {"penalty": None}},
}
AS_IT_IS: dict[str, dict[str, Any]] = {"": {}}
METHODS: dict[str, Procedure] = {
    f"{kebab(kind)}-{word}".rstrip("-"): Procedure(kind, parameters)
    for kinds in discriminant._PROCEDURES.values()
    for kind in kinds
    if not kind.endswith("Regressor")
    for word, parameters in (AS_IT_IS | VARIANTS.get(kind, {})).items()
}
LARGE = 5_000  # rows from which "all" leaves out those that need minutes there
SLOW = (
    "perceptron-pocket",
    "kernel-perceptron",
    "kernel-perceptron-gaussian",
    "balanced-winnow",
    "min-over-fixed-step",
    "adatron",
    "support-vector-machine-gaussian",
    "piecewise-linear-machine",
)
LONG = (  # that compile or run longest, the longest first
    "multilayer-perceptron",
    "support-vector-machine",
    "gradient-descent",
    "logistic-discriminant",
    "min-over-fixed-step",
    "ho-kashyap-descent",
    "piecewise-linear-machine",
    "adatron",
)
ALIASES = {
    "svm": "support-vector-machine",
    "logistic": "logistic-discriminant",
    "mlp": "multilayer-perceptron",
    "fisher": "fisher-discriminant",
    "minover": "min-over",
    "support-vector-machine-dear-slack": "support-vector-machine-large-c",  # its name in older files
}


def full_name(name: str) -> str:
    """The name in ``METHODS`` of a procedure, by that name, a short one or that of its class."""
    plain = str(name).strip().lower().replace("_", "-")
    classes = {procedure.kind.lower(): key for key, procedure in reversed(METHODS.items())}
    found = (classes | ALIASES).get(plain, plain)
    if isinstance(name, str) and found in METHODS:
        return found
    from .._guards.parameters import suggestion  # NumPy with it, which nobody needs who names what there is

    near = suggestion(plain, [*METHODS, *ALIASES], 3, 0.5) or ["perceptron", "svm", "least-squares"]
    raise ValueError(f"methods={name!r} must be names in comparison.METHODS; did you mean {', '.join(near)}?")


def chosen(methods: str | Iterable[str] | Mapping[str, Any]) -> dict[str, Callable[[], Any]]:
    """Name and maker of each procedure that was asked for: all, some by name, or estimators of the user's own."""
    if isinstance(methods, Mapping):
        return {str(name): maker if _makes(maker) else partial(_copy, maker) for name, maker in methods.items()}
    if isinstance(methods, str):
        methods = METHODS if methods == "all" else methods.split(",")
    return {name: METHODS[name] for name in map(full_name, methods)}


def _makes(thing: Any) -> bool:
    """Whether it is a class or a function that makes an estimator, rather than one."""
    return callable(thing) and (inspect.isclass(thing) or not hasattr(thing, "fit"))


def _copy(estimator: Any) -> Any:
    from sklearn.base import clone  # heavy; whoever only lists the names has no use for it

    return clone(estimator)
