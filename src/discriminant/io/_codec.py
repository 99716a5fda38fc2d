"""Values of parameters and fitted attributes as JSON, and back: an explicit list of kinds, nothing else.

Plain values stay as they are. The rest is an object with one name that begins with "$": ``$array``, ``$csr``,
``$tuple``, ``$dict``, ``$float`` (what JSON has no number for), ``$kernel``, ``$schedule``, ``$criterion``,
``$status``, ``$report``, ``$record``. Reading makes objects of the classes listed here and of no others.
"""

from __future__ import annotations

import dataclasses
import re
from collections import deque
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from scipy import sparse

from .. import criteria, mercer, schedules
from .._lms import Progress
from ..fisher import ClassStatistics
from ..solution import Report, Status
from ._errors import ModelFileError

NUMBERS = ("float64", "float32", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool")
ROOM = 2**20  # characters that the texts of an array may take beyond what they need
ENDLESS = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}
KERNELS = {kind.__name__: kind for kind in dict.fromkeys(mercer.NAMES.values())}
SCHEDULES = {
    kind.__name__: kind
    for kind in (
        schedules.Constant, schedules.Harmonic, schedules.Linear, schedules.Adaptive, schedules.Optimal,
        schedules.ScalarRLS,
    )
}  # fmt: skip
CRITERIA = {name: criteria.get(name) for name in criteria.names()}
RECORDS: dict[str, type[Any]] = {"Progress": Progress, "ClassStatistics": ClassStatistics}


def encoded(value: Any, name: str) -> Any:
    """A value as JSON data; ``name`` tells in an error where it stood."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, np.generic) and not isinstance(value, np.void | np.datetime64 | np.timedelta64):
        return encoded(value.item(), name)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if np.isfinite(value) else {"$float": _endless(value)}
    if isinstance(value, list):
        return [encoded(each, name) for each in value]
    for kinds, tag, write in WRITERS:
        if isinstance(value, kinds):
            return {tag: write(value, name)}
    if isinstance(value, dict):
        return _encoded_dict(value, name)
    if isinstance(value, type) and value in CRITERIA.values():
        return {"$criterion": next(key for key, kind in CRITERIA.items() if kind is value)}
    raise ModelFileError(_refusal(value, name))


def decoded(data: Any) -> Any:
    """The value that JSON data stand for."""
    if data is None or isinstance(data, bool | str | int):
        return data
    if isinstance(data, float):
        if not np.isfinite(data):
            raise ModelFileError("this is no model file: a number in it is too large.")
        return data
    if isinstance(data, list):
        return [decoded(each) for each in data]
    tags = [key for key in data if key.startswith("$")]
    if not tags:
        return {key: decoded(each) for key, each in data.items()}
    if len(data) > 1 or tags[0] not in READERS:
        raise ModelFileError(f"this is no model file: {tags[0]!r} is unknown in it, or not alone.")
    return READERS[tags[0]](data[tags[0]])


def _refusal(value: Any, name: str) -> str:
    if isinstance(value, mercer.Custom | schedules.Custom) or callable(value):
        return (
            f"{name} is a function of your own, and a model file holds no code: take a kernel or schedule of the "
            "library, by its name or with parameters."
        )
    return f"{name} holds a {type(value).__name__}, which a model file cannot hold: give plain numbers, text or arrays."


def _encoded_dict(value: dict[Any, Any], name: str) -> Any:
    if all(isinstance(key, str) and not key.startswith("$") for key in value):
        return {key: encoded(each, f"{name}[{key!r}]") for key, each in value.items()}
    return {"$dict": [[encoded(key, name), encoded(each, name)] for key, each in value.items()]}


# --- arrays


def _endless(value: float) -> str:
    return "nan" if value != value else "inf" if value > 0 else "-inf"


def _array(value: np.ndarray[Any, Any], name: str) -> dict[str, Any]:
    kind = value.dtype
    if kind.kind == "U":
        longest = max(map(len, value.ravel().tolist()), default=0) or 1
        width = kind.itemsize // 4
        kind = kind if width * value.size <= ROOM else np.dtype(f"U{longest}")
        text = f"U{kind.itemsize // 4}"
    elif kind.kind == "O":
        text = "object"
        if not all(isinstance(each, str | int | float | bool) for each in value.ravel().tolist()):
            raise ModelFileError(f"{name} holds objects other than text and numbers, which a model file cannot hold.")
    elif kind.name in NUMBERS:
        text = kind.name
    else:
        raise ModelFileError(f"{name} is an array of {kind}, which a model file cannot hold: convert it.")
    order: Literal["C", "F"] = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
    values = value.ravel(order=order).tolist()
    if kind.kind == "f" and not np.all(np.isfinite(value)):
        values = [each if np.isfinite(each) else _endless(each) for each in values]
    elif kind.kind == "O":
        values = [encoded(each, name) for each in values]
    return {"dtype": text, "shape": list(value.shape), "order": order, "values": values}


def _read_array(data: Any) -> np.ndarray[Any, Any]:
    text, shape, order, values = _fields(data, "dtype", "shape", "order", "values")
    if not (isinstance(values, list) and isinstance(shape, list) and all(type(n) is int and n >= 0 for n in shape)):
        raise ModelFileError("this is no model file: an array in it has no shape or no values.")
    if order not in ("C", "F") or len(shape) > 8 or np.prod(shape, dtype=object) != len(values):
        raise ModelFileError(f"this is no model file: an array of shape {shape} in it has {len(values):,} values.")
    flat = _typed(text, values)
    return flat.reshape(shape, order=order)


def _typed(text: Any, values: list[Any]) -> np.ndarray[Any, Any]:
    """The values as a vector of the type that ``text`` names; every one of them must be of that type."""
    kinds = set(map(type, values))
    if isinstance(text, str) and (match := re.fullmatch(r"U([1-9][0-9]{0,9})", text)) and kinds <= {str}:
        width, longest = int(match[1]), max(map(len, values), default=0)
        if longest <= width and (width * len(values) <= ROOM or width == (longest or 1)):
            return np.array(values, dtype=text) if values else np.empty(0, text)
    elif text == "object" and kinds <= {str, int, float, bool}:
        flat = np.empty(len(values), object)
        flat[:] = values
        return flat
    elif text in ("float64", "float32") and kinds <= {float, str}:
        if str in kinds:
            values = [ENDLESS[each] if isinstance(each, str) and each in ENDLESS else each for each in values]
        if set(map(type, values)) <= {float}:
            flat = np.array(values, np.float64)
            with np.errstate(over="ignore"):
                return flat.astype(text)
    elif text == "bool" and kinds <= {bool}:
        return np.array(values, bool)
    elif text in NUMBERS and text[0] in "iu" and kinds <= {int}:
        return np.array(values, text)  # numpy refuses what does not fit
    raise ModelFileError(f"this is no model file: an array of {text!r} in it has values of another type.")


def _csr(value: Any, name: str) -> dict[str, Any]:
    if value.format != "csr":
        raise ModelFileError(f"{name} is a sparse matrix of format {value.format}, not CSR: convert it.")
    parts = {part: _array(getattr(value, part), name) for part in ("data", "indices", "indptr")}
    return {"kind": "array" if isinstance(value, sparse.sparray) else "matrix", "shape": list(value.shape), **parts}


def _read_csr(data: Any) -> Any:
    kind, shape, *parts = _fields(data, "kind", "shape", "data", "indices", "indptr")
    arrays = [_read_array(part) for part in parts]
    fits = kind in ("array", "matrix") and isinstance(shape, list) and len(shape) == 2
    if not fits or not all(type(n) is int and 0 <= n < 2**62 for n in shape) or any(each.ndim != 1 for each in arrays):
        raise ModelFileError("this is no model file: a sparse matrix in it is not as it should be.")
    if arrays[0].dtype.kind != "f" or arrays[1].dtype != arrays[2].dtype or arrays[1].dtype.kind != "i":
        raise ModelFileError("this is no model file: a sparse matrix in it has numbers of a wrong type.")
    made = (sparse.csr_array if kind == "array" else sparse.csr_matrix)(tuple(arrays), shape=tuple(shape))
    made.check_format(full_check=True)
    return made


# --- objects of the library


def _parameters(value: Any, name: str) -> dict[str, Any]:
    """The parameters of a dataclass, by their names."""
    chosen = [each.name for each in dataclasses.fields(value) if each.init]
    return {each: encoded(getattr(value, each), f"{name}.{each}") for each in chosen}


def _kernel(value: Any, name: str) -> dict[str, Any]:
    if KERNELS.get(type(value).__name__) is not type(value):
        raise ModelFileError(_refusal(value, name) if isinstance(value, mercer.Custom) else _own(value, name))
    return {"name": type(value).__name__, "parameters": _parameters(value, name)}


def _own(value: Any, name: str) -> str:
    return f"{name} is a {type(value).__name__}, a class of your own, and a model file holds no code: take ours."


def _schedule(value: Any, name: str) -> dict[str, Any]:
    if SCHEDULES.get(type(value).__name__) is not type(value):
        raise ModelFileError(_refusal(value, name) if isinstance(value, schedules.Custom) else _own(value, name))
    state = {each.name: getattr(value, each.name) for each in dataclasses.fields(value) if not each.init}
    plain = {key: list(each) if isinstance(each, deque) else each for key, each in state.items()}
    return {"name": type(value).__name__, "parameters": _parameters(value, name), "state": encoded(plain, name)}


def _made(kinds: dict[str, Any], data: Any, *more: str) -> tuple[Any, list[Any]]:
    """An object of a listed class from its name and parameters; its constructor checks them."""
    name, parameters, *rest = _fields(data, "name", "parameters", *more)
    if not isinstance(name, str) or name not in kinds or not isinstance(parameters, dict):
        raise ModelFileError(f"this is no model file: {name!r} is none of {', '.join(kinds)}.")
    wanted = {each.name for each in dataclasses.fields(kinds[name]) if each.init}
    if set(parameters) != wanted:
        raise ModelFileError(f"this is no model file: {name} has the parameters {', '.join(sorted(wanted)) or 'none'}.")
    return kinds[name](**{key: decoded(each) for key, each in parameters.items()}), rest


def _read_schedule(data: Any) -> Any:
    made, (state,) = _made(SCHEDULES, data, "state")
    wanted = {each.name: getattr(made, each.name) for each in dataclasses.fields(made) if not each.init}
    given = decoded(state)
    if not isinstance(given, dict) or set(given) != set(wanted):
        raise ModelFileError(f"this is no model file: the state of {type(made).__name__} is not as it should be.")
    for key, fresh in wanted.items():
        value = given[key]
        entries = value if isinstance(fresh, deque) and isinstance(value, list) else [value]
        if not all(type(each) in (int, float) and 0 <= each < np.inf for each in entries):
            raise ModelFileError(f"this is no model file: the state of {type(made).__name__} is not as it should be.")
        setattr(made, key, deque(entries, fresh.maxlen) if isinstance(fresh, deque) else value)
    return made


def _record(value: Any, name: str) -> dict[str, Any]:
    kind = type(value)
    names = kind._fields if hasattr(kind, "_fields") else [each.name for each in dataclasses.fields(kind)]
    return {"name": kind.__name__, "fields": {each: encoded(getattr(value, each), name) for each in names}}


def _read_record(data: Any) -> Any:
    name, given = _fields(data, "name", "fields")
    if not isinstance(name, str) or name not in RECORDS or not isinstance(given, dict):
        raise ModelFileError(f"this is no model file: {name!r} is no record.")
    return RECORDS[name](**{key: decoded(each) for key, each in given.items()})


def _read_report(data: Any) -> Report:
    facts = decoded(data)
    if not isinstance(facts, dict):
        raise ModelFileError("this is no model file: its report is not as it should be.")
    return Report(facts)


def _read_status(data: Any) -> Status:
    if not isinstance(data, str) or data not in Status.__members__:
        raise ModelFileError(f"this is no model file: {data!r} is no status.")
    return Status[data]


def _read_float(data: Any) -> float:
    if not isinstance(data, str) or data not in ENDLESS:
        raise ModelFileError(f"this is no model file: {data!r} is no number.")
    return float(ENDLESS[data])


def _read_dict(data: Any) -> dict[Any, Any]:
    pairs = decoded(data)
    if not isinstance(pairs, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise ModelFileError("this is no model file: a table in it is not as it should be.")
    return dict(pairs)


def _read_criterion(data: Any) -> Any:
    if not isinstance(data, str) or data not in CRITERIA:
        raise ModelFileError(f"this is no model file: {data!r} is no criterion.")
    return CRITERIA[data]


def _read_tuple(data: Any) -> tuple[Any, ...]:
    if not isinstance(data, list):
        raise ModelFileError("this is no model file: a tuple in it is not as it should be.")
    return tuple(decoded(data))


def _fields(data: Any, *names: str) -> list[Any]:
    if not isinstance(data, dict) or set(data) != set(names):
        raise ModelFileError(f"this is no model file: a part of it should have the fields {', '.join(names)}.")
    return [data[name] for name in names]


# A record is a tuple too, so it must come first.
WRITERS: list[tuple[Any, str, Callable[[Any, str], Any]]] = [
    (tuple(RECORDS.values()), "$record", _record),
    (tuple, "$tuple", lambda value, name: [encoded(each, name) for each in value]),
    (np.ndarray, "$array", _array),
    ((sparse.spmatrix, sparse.sparray), "$csr", _csr),
    (mercer.Kernel, "$kernel", _kernel),
    (schedules.Schedule, "$schedule", _schedule),
    (Status, "$status", lambda value, name: value.name),
    (Report, "$report", lambda value, name: encoded(value.to_dict(), name)),
]
READERS: dict[str, Callable[[Any], Any]] = {
    "$record": _read_record,
    "$tuple": _read_tuple,
    "$array": _read_array,
    "$csr": _read_csr,
    "$kernel": lambda data: _made(KERNELS, data)[0],
    "$schedule": _read_schedule,
    "$status": _read_status,
    "$report": _read_report,
    "$criterion": _read_criterion,
    "$float": _read_float,
    "$dict": _read_dict,
}
