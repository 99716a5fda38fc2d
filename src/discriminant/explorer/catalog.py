"""What a page can choose from: the procedures with their equations and controls, the data sets, the generators.

A control is read from the class: the table of its parameters says what each may be, the constructor its default, the
docstring what it does. Only a few that the tables leave to functions are written out here.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

import discriminant

from .. import criteria, datasets, mercer
from .._guards.parameters import Choice, Number, Or, refused, table_of, unknown
from ..comparison.methods import METHODS, Procedure, full_name, kebab
from ..plot.page import telling_features
from ..plot.recording import equation
from .messages import MOST_CLASSES, MOST_POINTS, Json

GROUPS = {
    "error_correcting": "Error-correcting",
    "descent": "Descent",
    "squared_error": "Squared error",
    "linear_programming": "Linear programming",
    "svm": "Support vectors",
    "logistic": "Logistic",
    "mlp": "Networks",
}
LEFT_OUT = (  # that make no sense here: how it is recorded, seeded, weighted, stored; arrays
    "record", "random_state", "class_weight", "start", "cache_size", "priors", "losses", "R", "n_components",
    "time_limit", "probability",
)  # fmt: skip
KERNELS: dict[str, Any] = {
    "linear": "linear",
    "polynomial": "polynomial",
    "Polynomial(degree=2)": mercer.Polynomial(degree=2),
    "gaussian": "gaussian",
    **{f"Gaussian(sigma={sigma})": mercer.Gaussian(sigma=sigma) for sigma in (0.1, 0.25, 0.5, 2.0, 5.0)},
}
RATES = (0.001, 0.01, 0.1, 0.5, 1.0, 1.5)
# What the tables of the classes leave to a function, or allow where it does not learn: a few values that the control
# offers, by parameter, or by class and parameter where it differs.
OFFERED: dict[str, tuple[Any, ...]] = {
    "kernel": tuple(KERNELS),
    "schedule": (0.01, 0.1, 1.0, 10.0, "1/k", "k", "adaptive"),
    "GradientDescent.schedule": ("auto", 0.001, 0.01, 0.1, 1.0, "1/k", "optimal"),
    "WidrowHoff.schedule": (None, 0.001, 0.01, 0.1, "1/k"),
    "LogisticDiscriminant.schedule": (None, 0.01, 0.1, 1.0),
    "Relaxation.eta": (None, 0.5, 1.0, 1.5, 1.9),
    "HoKashyap.eta": (None, 0.1, 0.5, 0.9, 0.99, "optimal"),
    "GradientDescent.criterion": tuple(name for name in criteria.names() if criteria.get(name).has_gradient),
    "NewtonDescent.criterion": tuple(name for name in criteria.names() if criteria.get(name).has_hessian),
    "LeastSquares.targets": ("ones", "fisher"),
    "GradientDescent.margin": (None, 0.1, 1.0, 10.0),
    "NewtonDescent.margin": (None, 0.1, 1.0, 10.0),
    "MultilayerPerceptron.activation": ("sigmoid", "tanh", "relu", "linear"),  # thresholds do not learn
    "hidden": ((), (2,), (3,), (4,), (8,), (16,), (64,), (4, 4), (8, 8)),
    "n_subclasses": (1, 2, 3, 4, 6),
    "patience": (None, 10, 50, 200),
    "batch_size": ("auto", 1, 2, 4, 8, 32),
    "shrinkage": (None, "auto", 0.1, 0.5, 0.9),
}
TITLES = {  # that are not just the words of the class
    "HoKashyap": "Ho-Kashyap", "WidrowHoff": "Widrow-Hoff", "MinOver": "MinOver", "BalancedWinnow": "Balanced Winnow",
}  # fmt: skip
WORDS = {  # of a variant
    "radius-bias": "bias of the radius", "large-c": "large C", "fixed-step": "fixed step",
    "gaussian": "Gaussian kernel", "fisher": "Fisher's targets",
}  # fmt: skip


@cache
def procedures() -> list[Json]:
    """Every procedure of the package, as a page lists them."""
    return [_procedure(name, procedure) for name, procedure in METHODS.items()]


def _procedure(name: str, procedure: Procedure) -> Json:
    kind = getattr(discriminant, procedure.kind)
    words = name.removeprefix(kebab(procedure.kind)).strip("-")
    title = TITLES.get(procedure.kind, kebab(procedure.kind).replace("-", " ").capitalize())
    room = kind.__module__.split(".")[1]
    return {
        "name": name,
        "title": f"{title}, {WORDS.get(words, words)}" if words else title,
        "kind": procedure.kind,
        "group": GROUPS[room],
        "sentence": procedure.summary,
        "equation": equation(kind),
        "iterative": "max_iter" in inspect.signature(kind).parameters,
        "linear": procedure.parameters.get("kernel", "linear") == "linear" and room != "mlp",
        "parameters": controls(kind, procedure.parameters),
    }


def controls(kind: type, chosen: Any = None) -> list[Json]:
    """The controls of a class; ``chosen`` are the parameters of a variant, in place of the defaults."""
    table, help = table_of(kind), helps(kind)
    listed = []
    for name, parameter in inspect.signature(kind).parameters.items():
        default = dict(chosen or {}).get(name, parameter.default)
        shape = None if name in LEFT_OUT else _shape(kind, name, table.get(name), default)
        if shape is not None:
            facts = {
                "name": name,
                "label": name.replace("_", " "),
                "default": plain(default),
                "help": help.get(name, ""),
            }
            listed.append({**facts, "low": None, "high": None, "closed": True, "whole": False, "options": None} | shape)
    return listed


def _shape(kind: Any, name: str, constraint: Any, default: Any) -> Json | None:
    """What sort of control it is, and what it allows; None where there is none."""
    offered = OFFERED.get(f"{kind.__name__}.{name}", OFFERED.get(name))
    if name == "multiclass":
        offered = kind._strategies if len(kind._strategies) > 1 else None
    elif isinstance(constraint, Choice) or isinstance(default, bool):
        options = constraint.options if isinstance(constraint, Choice) else (True, False)
        if set(map(repr, options)) == {"True", "False"}:
            return {"control": "flag"}
        offered = offered or options
    elif isinstance(constraint, Number) or (offered is None and isinstance(default, int | float)):
        return _number(constraint if isinstance(constraint, Number) else Number(""), isinstance(default, int))
    elif isinstance(constraint, Or):
        offered = offered or (*constraint.options, *(rate for rate in RATES if _allows(constraint, rate)))
    if not offered:
        return None
    options = tuple(offered) if plain(default) in map(plain, offered) else (default, *offered)
    return {"control": "choice", "options": [plain(option) for option in options]}


def _number(constraint: Number, whole: bool) -> Json:
    low, high = (None if math.isinf(end) else end for end in (constraint.low, constraint.high))
    return {
        "control": "number",
        "low": low,
        "high": high,
        "closed": constraint.closed,
        "whole": constraint.whole or whole,
    }


def _allows(constraint: Or, value: float) -> bool:
    try:
        constraint("", value)
    except ValueError:
        return False
    return True


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    return list(value) if isinstance(value, tuple) else value


def helps(kind: type) -> dict[str, str]:
    """What the docstring of a class says of each parameter."""
    text = inspect.getdoc(kind) or ""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n-+$|\Z)", text, re.M | re.S)
    sentences: dict[str, str] = {}
    for block in re.split(r"^(?=\w)", section[1] if section else "", flags=re.M):
        names, _, described = block.partition("\n")
        for name in names.partition(":")[0].split(","):
            sentences[name.strip()] = " ".join(described.split()).replace("``", "")
    return sentences


def estimator(procedure: str, parameters: Json, seed: int) -> Any:
    """The estimator that a page has chosen; a value that no control offers is refused by name."""
    name = full_name(procedure)
    method = METHODS[name]
    kind = getattr(discriminant, method.kind)
    offered = {control["name"]: control for control in controls(kind, method.parameters)}
    chosen = {}
    for parameter, value in parameters.items():
        if parameter not in offered:
            raise ValueError(f"{parameter}={value!r} is no control of {method.kind}; there are {', '.join(offered)}.")
        chosen[parameter] = value_of(parameter, value, offered[parameter])
    model = method().set_params(**chosen)
    return model.set_params(random_state=seed) if "random_state" in model.get_params() else model


def value_of(name: str, value: Any, control: Json) -> Any:
    """What a value of a control stands for."""
    if control["control"] == "flag" and not isinstance(value, bool):
        raise refused(name, value, "true or false", "tick it or not")
    if control["control"] == "number":
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise refused(name, value, "a number", "give one")
        return int(value) if control["whole"] and value == int(value) else value
    if control["control"] == "choice":
        if not any(type(value) is type(option) and value == option for option in _with_floats(control["options"])):
            raise refused(name, value, f"one of {', '.join(map(repr, control['options']))}", "choose one of these")
        if name == "kernel":
            return KERNELS[value]
    return tuple(value) if isinstance(value, list) else value


def _with_floats(options: list[Any]) -> list[Any]:
    """With 1 beside 1.0: JavaScript writes both the same way."""
    whole = [int(option) for option in options if isinstance(option, float) and option.is_integer()]
    return [*options, *whole]


# --- data sets

PAIRS = ((1, 2), (1, 3), (2, 4), (1, 2, 3))  # of the categories of the books' table
NOT_LISTED = (  # the first have generators here, the others lose their sense with a third feature
    "redundant", "planted_margin", "overlap", "gaussian_pair", "seven", "parity", "boolean",
)  # fmt: skip


@cache
def data_sets() -> dict[str, tuple[str, Callable[[], datasets.Dataset]]]:
    """The data sets that fit on a plane, by name: a title, and what loads each."""
    fitting: dict[str, tuple[str, Callable[[], datasets.Dataset]]] = {}
    for name in datasets.names():
        if name not in NOT_LISTED:
            data = datasets.load(name)
            n, d = data.X.shape
            if d >= 2 and n <= MOST_POINTS and data.y.dtype.kind in "iu" and 2 <= len(set(data.y)) <= MOST_CLASSES:
                fitting[name.replace("_", "-")] = (_title(name), partial(datasets.load, name))
        if name == "table":
            for pair in PAIRS:
                title = f"Table, {', '.join(map(omega, pair))}"
                fitting["-".join(["table", *map(str, pair)])] = (title, partial(datasets.table, *pair))
    return fitting


def omega(k: int) -> str:
    """The name of the k-th class, as the books write it."""
    return f"ω{chr(ord('₀') + k)}"


def _title(name: str) -> str:
    words = re.sub(
        r"\b(or|and|xor|svm)\b", lambda word: word[0].upper(), name.removesuffix("_function").replace("_", " ")
    )
    return words[0].upper() + words[1:]


def listed() -> list[Json]:
    """The data sets, as a page lists them."""
    entries = []
    for name, (title, load) in data_sets().items():
        data = load()
        entries.append(
            {
                "name": name,
                "title": title,
                "description": data.description,
                "n": len(data.y),
                "classes": len(set(data.y.tolist())),
            }
        )
    return entries


def data_set(name: str) -> tuple[Json, str]:
    """The points of a data set, of many features those two whose class means differ most; and its title."""
    loaders = data_sets()
    if name not in loaders:
        raise unknown("name", name, "a data set", loaders)
    title, load = loaders[name]
    data = load()
    names = [re.sub(r"^ω(\d)$", lambda match: omega(int(match[1])), name) for name in data.target_names]
    return points_of(data.X, data.y, data.feature_names, names), title


def points_of(X: Any, y: Any, features: Any, names: Any = ()) -> Json:
    """Points as a page has them; ``names`` are those of the sorted labels."""
    X = np.asarray(X, np.float64)
    chosen = [0, 1] if X.shape[1] == 2 else telling_features(X, np.asarray(y))
    labels, own = np.unique(np.asarray(y), return_inverse=True)
    shown = list(names) if len(names) == len(labels) else labels.tolist()
    return {
        "x": X[:, chosen].tolist(),
        "y": own.tolist(),
        "classes": [str(each) for each in shown],
        "features": [str(features[j]) for j in chosen],
    }
