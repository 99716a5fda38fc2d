"""Every procedure under a name for tables and command lines; nothing is imported before it is called.

A name is that of the class in kebab-case, with a word for a variant: ``perceptron``, ``perceptron-batch``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from typing import Any

MAX_ITER = 1000  # steps after which a procedure that has hardly moved for long is left alone


@dataclass(frozen=True)
class Procedure:
    """A class of this package by name, with the parameters of a variant; calling it makes the estimator."""

    kind: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self) -> Any:
        """The estimator."""
        return getattr(import_module("discriminant"), self.kind)(**self.parameters)

    def __str__(self) -> str:
        return f"{self.kind}({', '.join(f'{name}={value!r}' for name, value in self.parameters.items())})"

    @property
    def summary(self) -> str:
        """What it does in a sentence, as its class says; imports it."""
        lines = inspect.cleandoc(getattr(import_module("discriminant"), self.kind).__doc__).splitlines()
        return " ".join(lines[: lines.index("")] if "" in lines else lines)


def _of(kind: str, **parameters: Any) -> Procedure:
    return Procedure(kind, parameters)


METHODS: dict[str, Procedure] = {
    "perceptron": _of("Perceptron"),
    "perceptron-batch": _of("Perceptron", batch=True),
    "perceptron-margin": _of("Perceptron", margin=10.0),
    "perceptron-radius-bias": _of("Perceptron", bias="radius"),
    "perceptron-averaged": _of("Perceptron", average=True),
    "perceptron-pocket": _of("Perceptron", pocket=True),
    "perceptron-slack": _of("Perceptron", slack=3.0, multiclass="one-vs-rest"),
    "kernel-perceptron": _of("KernelPerceptron"),
    "kernel-perceptron-gaussian": _of("KernelPerceptron", kernel="gaussian"),
    "balanced-winnow": _of("BalancedWinnow"),
    "relaxation": _of("Relaxation"),
    "relaxation-batch": _of("Relaxation", batch=True),
    "min-over": _of("MinOver"),
    "min-over-fixed-step": _of("MinOver", step="fixed"),
    "adatron": _of("Adatron"),
    "gradient-descent": _of("GradientDescent"),
    "newton-descent": _of("NewtonDescent"),
    "newton-descent-logistic": _of("NewtonDescent", criterion="logistic"),
    "least-squares": _of("LeastSquares"),
    "least-squares-fisher": _of("LeastSquares", targets="fisher"),
    "fisher-discriminant": _of("FisherDiscriminant"),
    "widrow-hoff": _of("WidrowHoff"),
    "widrow-hoff-batch": _of("WidrowHoff", batch=True),
    "recursive-least-squares": _of("RecursiveLeastSquares"),
    "ho-kashyap": _of("HoKashyap", max_iter=MAX_ITER),
    "ho-kashyap-descent": _of("HoKashyap", variant="descent", eta="optimal", max_iter=MAX_ITER),
    "linear-program": _of("LinearProgram"),
    "linear-program-minimax": _of("LinearProgram", criterion="minimax"),
    "support-vector-machine": _of("SupportVectorMachine"),
    "support-vector-machine-dear-slack": _of("SupportVectorMachine", C=1000.0),
    "support-vector-machine-gaussian": _of("SupportVectorMachine", kernel="gaussian"),
    "logistic-discriminant": _of("LogisticDiscriminant"),
    "logistic-discriminant-unpenalized": _of("LogisticDiscriminant", penalty=None),
    "piecewise-linear-machine": _of("PiecewiseLinearMachine"),
    "multilayer-perceptron": _of("MultilayerPerceptron"),
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
}


def full_name(name: str) -> str:
    """The name in ``METHODS`` of a procedure, by that name, a short one or that of its class.

    An unknown one is refused with its neighbors.
    """
    plain = name.strip().lower().replace("_", "-") if isinstance(name, str) else name
    classes = {procedure.kind.lower(): key for key, procedure in reversed(METHODS.items())}
    found = ALIASES.get(plain, classes.get(plain, plain)) if isinstance(plain, str) else None
    if found in METHODS:
        return str(found)
    near = get_close_matches(str(plain), [*METHODS, *ALIASES], 3, 0.5) or ["perceptron", "svm", "least-squares"]
    raise ValueError(
        f"methods: {name!r} is unknown; did you mean {', '.join(near)}? comparison.METHODS lists them all."
    )


def chosen(methods: str | Iterable[str] | Mapping[str, Any]) -> dict[str, Callable[[], Any]]:
    """Name and maker of each procedure that was asked for: all, some by name, or estimators of the user's own."""
    if isinstance(methods, Mapping):
        return {str(name): maker if _makes(maker) else _Copy(maker) for name, maker in methods.items()}
    if isinstance(methods, str):
        methods = METHODS if methods == "all" else methods.split(",")
    return {name: METHODS[name] for name in map(full_name, methods)}


def _makes(thing: Any) -> bool:
    """Whether it is a class or a function that makes an estimator, rather than one."""
    return callable(thing) and (inspect.isclass(thing) or not hasattr(thing, "fit"))


@dataclass(frozen=True)
class _Copy:
    """Makes unfitted copies of an estimator."""

    estimator: Any

    def __call__(self) -> Any:
        """The estimator."""
        from sklearn.base import clone  # heavy; whoever only lists the names has no use for it

        return clone(self.estimator)
