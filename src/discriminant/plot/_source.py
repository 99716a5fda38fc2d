"""The Python that makes a run again, bit for bit.  Tests: ``tests/plot/test_recording.py``."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..mercer import Kernel

ALWAYS = ("record", "random_state")  # parameters that every recording sets, where the procedure has them


def source_of(model: Any, X: NDArray[Any], y: NDArray[Any], classes: list[str]) -> str:
    """A program of public names: the data, the fit, and what it learned, printed."""
    kind = type(model).__name__
    known = model.get_params(deep=False)
    always = {name: known[name] for name in ALWAYS if known.get(name) is not None}
    written = {name: literal_of(value) for name, value in (changed(model) | always).items()}
    given = ", ".join(f"{name}={text}" for name, text in written.items() if text is not None)
    own = [f"# {name} was an object of your own: add it." for name, text in written.items() if text is None]
    others = [name for name in ("mercer",) if f"{name}." in given]
    named = "; ".join(f"{k} is {label!r}" for k, label in enumerate(classes))
    lines = [
        "import numpy as np",
        "",
        f"from discriminant import {', '.join([kind, *others])}",
        "",
        f"X = np.array({_rows(X)})",
        f"y = np.array({y.tolist()})  # {named}",
        *own,
        f"model = {kind}({given}).fit(X, y)",
        "print(model.report_)",
        f"print({_learned(model)})",
    ]
    return "\n".join(lines) + "\n"


def changed(model: Any) -> dict[str, Any]:
    """The parameters that are not the defaults of the class, without those that any recording sets."""
    defaults = {name: each.default for name, each in inspect.signature(type(model)).parameters.items()}
    given = model.get_params(deep=False)
    own = {name: value for name, value in given.items() if name not in ALWAYS}
    return {name: value for name, value in own.items() if literal_of(value) != literal_of(defaults[name])}


def _rows(X: NDArray[Any]) -> str:
    return "[\n" + "".join(f"    {row},\n" for row in X.tolist()) + "]"


def _learned(model: Any) -> str:
    if hasattr(model, "weights_"):
        return "model.weights_.tolist()"
    if hasattr(model, "coefs_"):
        return "[weights.tolist() for weights in model.coefs_], [bias.tolist() for bias in model.intercepts_]"
    return "model.intercept_.tolist(), model.dual_coef_.tolist()"


def literal_of(value: Any) -> str | None:
    """How Python writes a value; None of one that has no such form."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    if isinstance(value, Kernel):
        return f"mercer.{value!r}"
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()})"
    if isinstance(value, list | tuple):
        parts = [literal_of(each) for each in value]
        if None in parts:
            return None
        inner = ", ".join(map(str, parts))
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' * (len(parts) == 1)})"
    return None
