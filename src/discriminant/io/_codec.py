"""Values of parameters and fitted attributes as JSON, and back: an explicit list of kinds, nothing else.

Plain values stay as they are. The rest is an object with one name that begins with "$": ``$array``, ``$csr``,
``$tuple``, ``$dict``, ``$float`` (what JSON has no number for), ``$bytes``, ``$date``, ``$datetime``, ``$timedelta``,
``$kernel``, ``$schedule``, ``$criterion``, ``$status``, ``$report``, ``$record``. Nothing in a file makes more memory
than the file itself takes, but for the bounds below. Reading makes objects of the classes listed here, of the records
that estimators hold (``_guards/held.py``), and of no others.

Tests: ``tests/io/test_models.py``.
"""

from __future__ import annotations

import dataclasses
import re
from collections import deque
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import Any, Literal

import numpy as np
from scipy import sparse

from .. import criteria, mercer, schedules
from .._guards.held import RECORDS
from .._guards.validation import all_finite
from ..solution import Report, Status
from ._errors import ModelFileError, not_a_model

FLOATS = ("float64", "float32", "float16")
NUMBERS = (*FLOATS, "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool")
ROOM = 2**25  # characters that an array of texts may take, each as much as the longest, whatever their lengths
WIDEST = 2**26  # columns of a sparse matrix: a kernel needs four bytes for each, however few have entries
MOST_KEYS = 2**12  # of a dict, other than text: numbers can be chosen such that each is compared with all others
TIMEDELTA = ("days", "seconds", "microseconds")
TEXTS = re.compile(r"([US])([1-9][0-9]{0,9})")
TIMES = re.compile(r"(datetime64|timedelta64)(\[[0-9]{0,9}(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\])?")
ENDLESS = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}
KERNELS = {kind.__name__: kind for kind in dict.fromkeys(mercer.NAMES.values())}
SCHEDULES: dict[str, type[schedules.Schedule]] = {
    name: getattr(schedules, name) for name in ("Constant", "Harmonic", "Linear", "Adaptive", "Optimal", "ScalarRLS")
}
CRITERIA = {name: criteria.get(name) for name in criteria.names()}


def encoded(value: Any, name: str) -> Any:
    """A value as JSON data; ``name`` tells in an error where it stood."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, np.generic) and not isinstance(value, np.void | bytes):
        return encoded(value.item(), name)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if np.isfinite(value) else {"$float": _endless(value)}
    if isinstance(value, list):
        return [encoded(each, name) for each in value]
    if type(value) in RECORDS.values():  # a record may be a tuple too
        return {"$record": _record(value, name)}
    for kinds, tag, write in WRITERS:
        if isinstance(value, kinds):
            return {tag: write(value, name)}
    if isinstance(value, dict):
        return _encoded_dict(value, name)
    if isinstance(value, type) and value in CRITERIA.values():
        return {"$criterion": next(key for key, kind in CRITERIA.items() if kind is value)}
    raise _refusal(value, name)


def decoded(data: Any) -> Any:
    if data is None or isinstance(data, bool | str | int):
        return data
    if isinstance(data, float):
        if not np.isfinite(data):
            raise not_a_model("a number in it is too large.")
        return data
    if isinstance(data, list):
        return [decoded(each) for each in data]
    tags = [key for key in data if key.startswith("$")]
    if not tags:
        return {key: decoded(each) for key, each in data.items()}
    if len(data) > 1 or tags[0] not in READERS:
        raise not_a_model(f"{tags[0]!r} is unknown in it, or not alone.")
    return READERS[tags[0]](data[tags[0]])


def _refusal(value: Any, name: str) -> ModelFileError:
    if isinstance(value, mercer.Custom | schedules.Custom) or callable(value):
        return ModelFileError(
            f"{name} is a function of your own, and a model file holds no code; take a kernel or schedule of the "
            "library, by its name or with parameters."
        )
    kind = type(value).__name__
    if isinstance(value, mercer.Kernel | schedules.Schedule):
        return ModelFileError(f"{name} is a {kind}, a class of your own, and a model file holds no code; take ours.")
    return ModelFileError(f"{name} holds a {kind}, which a model file cannot hold; give plain numbers, text or arrays.")


def _encoded_dict(value: dict[Any, Any], name: str) -> Any:
    if all(isinstance(key, str) and not key.startswith("$") for key in value):
        return {key: encoded(each, f"{name}[{key!r}]") for key, each in value.items()}
    return {"$dict": [[encoded(key, name), encoded(each, name)] for key, each in value.items()]}


# --- arrays


def _endless(value: float) -> str:
    return "nan" if value != value else "inf" if value > 0 else "-inf"


def _array(value: np.ndarray[Any, Any], name: str) -> dict[str, Any]:
    order: Literal["C", "F"] = "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"
    flat = value.ravel(order=order)
    text, values = flat.dtype.name, flat.tolist()
    if flat.dtype.kind in "US":
        width = flat.itemsize // np.dtype(f"{flat.dtype.kind}1").itemsize
        longest = max(map(len, values), default=0) or 1
        text = f"{flat.dtype.kind}{width if width * flat.size <= ROOM else longest}"
        values = [each.decode("latin-1") if isinstance(each, bytes) else each for each in values]
    elif flat.dtype.kind in "mM":
        values = flat.astype(np.int64).tolist()
    elif flat.dtype.kind == "O":
        if not all(isinstance(each, str | int | float | bool) for each in values):
            raise ModelFileError(f"{name} holds objects other than text and numbers, which a model file cannot hold.")
        values = [encoded(each, name) for each in values]
    elif text not in NUMBERS:
        raise ModelFileError(f"{name} is an array of {flat.dtype}, which a model file cannot hold: convert it.")
    elif flat.dtype.kind == "f" and not all_finite(flat):
        values = [each if np.isfinite(each) else _endless(each) for each in values]
    return {"dtype": text, "shape": list(value.shape), "order": order, "values": values}


def _read_array(data: Any) -> np.ndarray[Any, Any]:
    text, shape, order, values = _fields(data, "dtype", "shape", "order", "values")
    if not (isinstance(values, list) and isinstance(shape, list) and all(type(n) is int and n >= 0 for n in shape)):
        raise not_a_model("an array in it has no shape or no values.")
    if order not in ("C", "F") or len(shape) > 8 or np.prod(shape, dtype=object) != len(values):
        raise not_a_model(f"an array of shape {shape} in it has {len(values):,} values.")
    flat = _typed(text, values) if isinstance(text, str) else None
    if flat is None:
        raise not_a_model(f"an array of {text!r} in it has values of another type.")
    return flat.reshape(shape, order=order)


def _typed(text: str, values: list[Any]) -> np.ndarray[Any, Any] | None:
    """The values as a vector of the type that ``text`` names, if every one of them is of that type."""
    kinds = set(map(type, values))
    if text in FLOATS and kinds <= {float, str}:
        values = [ENDLESS.get(each) if isinstance(each, str) else each for each in values] if str in kinds else values
        with np.errstate(over="ignore"):
            return None if None in values else np.array(values, np.float64).astype(text)
    if text == "bool" and kinds <= {bool}:
        return np.array(values, bool)
    if text in NUMBERS and text[0] in "iu" and kinds <= {int}:
        return np.array(values, text)  # numpy refuses what does not fit
    if text == "object" and kinds <= {str, int, float, bool}:
        flat = np.empty(len(values), object)
        flat[:] = values
        return flat
    if TIMES.fullmatch(text) and kinds <= {int}:
        return np.array(values, np.int64).astype(text)
    if (match := TEXTS.fullmatch(text)) and kinds <= {str}:
        return _texts(match[1], int(match[2]), values)
    return None


def _texts(kind: str, width: int, values: list[str]) -> np.ndarray[Any, Any] | None:
    """Texts, or bytes, of one width, unless most of that would be air."""
    lengths = list(map(len, values))
    if max(lengths, default=0) > width or width * len(values) > max(ROOM, 4 * sum(lengths)):
        return None
    return np.array([each.encode("latin-1") for each in values] if kind == "S" else values, f"{kind}{width}")


def _csr(value: Any, name: str) -> dict[str, Any]:
    if value.format != "csr":
        raise ModelFileError(f"{name} is a sparse matrix of format {value.format}, not CSR: convert it.")
    parts = {part: _array(getattr(value, part), name) for part in ("data", "indices", "indptr")}
    return {"kind": "array" if isinstance(value, sparse.sparray) else "matrix", "shape": list(value.shape), **parts}


def _read_csr(data: Any) -> Any:
    kind, shape, *parts = _fields(data, "kind", "shape", "data", "indices", "indptr")
    arrays = [_read_array(part) for part in parts]
    fits = kind in ("array", "matrix") and isinstance(shape, list) and len(shape) == 2
    fits = fits and all(type(n) is int and 0 <= n < 2**62 for n in shape) and all(each.ndim == 1 for each in arrays)
    _expect(fits, "a sparse matrix in it")
    if shape[1] > WIDEST:
        raise not_a_model(f"a sparse matrix has {shape[1]:,} columns, more than {WIDEST:,}.")
    if arrays[0].dtype.kind != "f" or arrays[1].dtype != arrays[2].dtype or arrays[1].dtype.kind != "i":
        raise not_a_model("a sparse matrix in it has numbers of a wrong type.")
    made = (sparse.csr_array if kind == "array" else sparse.csr_matrix)(tuple(arrays), shape=tuple(shape))
    made.check_format(full_check=True)
    made.indices, made.indptr = arrays[1:]  # scipy has narrowed 64-bit ones
    return made


# --- objects of the library


def _object(kinds: dict[str, Any]) -> Callable[[Any, str], dict[str, Any]]:
    """A writer of objects of the listed classes: name, parameters and, where it changes, state."""

    def writer(value: Any, name: str) -> dict[str, Any]:
        if kinds.get(type(value).__name__) is not type(value):
            raise _refusal(value, name)
        given, state = (
            {each.name: getattr(value, each.name) for each in dataclasses.fields(value) if each.init is init}
            for init in (True, False)
        )
        written = {key: encoded(each, f"{name}.{key}") for key, each in given.items()}
        plain = {key: list(each) if isinstance(each, deque) else each for key, each in state.items()}
        more = {"state": encoded(plain, name)} if kinds is SCHEDULES else {}
        return {"name": type(value).__name__, "parameters": written} | more

    return writer


def _made(kinds: dict[str, Any], data: Any, *more: str) -> tuple[Any, list[Any]]:
    """An object of a listed class from its name and parameters; its constructor checks them."""
    name, parameters, *rest = _fields(data, "name", "parameters", *more)
    if not isinstance(name, str) or name not in kinds or not isinstance(parameters, dict):
        raise not_a_model(f"{name!r} is none of {', '.join(kinds)}.")
    wanted = {each.name for each in dataclasses.fields(kinds[name]) if each.init}
    if set(parameters) != wanted:
        raise not_a_model(f"{name} has the parameters {', '.join(sorted(wanted)) or 'none'}.")
    return kinds[name](**{key: decoded(each) for key, each in parameters.items()}), rest


def _read_schedule(data: Any) -> Any:
    made, (state,) = _made(SCHEDULES, data, "state")
    what = f"the state of {type(made).__name__}"
    wanted = {each.name: getattr(made, each.name) for each in dataclasses.fields(made) if not each.init}
    given = decoded(state)
    _expect(isinstance(given, dict) and set(given) == set(wanted), what)
    for key, fresh in wanted.items():
        value = given[key]
        entries = value if isinstance(fresh, deque) and isinstance(value, list) else [value]
        _expect(all(type(each) in (int, float) and 0 <= each < np.inf for each in entries), what)
        setattr(made, key, deque(entries, fresh.maxlen) if isinstance(fresh, deque) else value)
    return made


def _record(value: Any, name: str) -> dict[str, Any]:
    kind = type(value)
    names = kind._fields if hasattr(kind, "_fields") else [each.name for each in dataclasses.fields(kind)]
    return {"name": kind.__name__, "fields": {each: encoded(getattr(value, each), name) for each in names}}


def _read_record(data: Any) -> Any:
    name, given = _fields(data, "name", "fields")
    kind = _one_of(RECORDS, "record")(name)
    _expect(isinstance(given, dict), f"the record {name}")
    return kind(**{key: decoded(each) for key, each in given.items()})


def _read_report(data: Any) -> Report:
    facts = decoded(data)
    _expect(isinstance(facts, dict), "its report")
    return Report(facts)


def _read_dict(data: Any) -> dict[Any, Any]:
    pairs = decoded(data)
    fits = isinstance(pairs, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in pairs)
    _expect(fits, "a table in it")
    if len(pairs) > MOST_KEYS:
        raise not_a_model(f"a table in it has {len(pairs):,} keys, more than {MOST_KEYS:,}.")
    return dict(pairs)


def _read_tuple(data: Any) -> tuple[Any, ...]:
    _expect(isinstance(data, list), "a tuple in it")
    return tuple(decoded(data))


def _read_timedelta(data: Any) -> timedelta:
    parts = _fields(data, *TIMEDELTA)
    _expect(set(map(type, parts)) == {int}, "a time in it")
    return timedelta(*parts)


def _one_of(table: Mapping[str, Any], what: str) -> Callable[[Any], Any]:
    def reader(data: Any) -> Any:
        if not isinstance(data, str) or data not in table:
            raise not_a_model(f"{data!r} is no {what}.")
        return table[data]

    return reader


def _text(read: Callable[[str], Any]) -> Callable[[Any], Any]:
    """A reader of what is written as text; ``read`` raises a ValueError for a text that stands for nothing."""

    def reader(data: Any) -> Any:
        if not isinstance(data, str):
            raise not_a_model(f"{data!r} should be text.")
        return read(data)

    return reader


def _fields(data: Any, *names: str) -> list[Any]:
    if not isinstance(data, dict) or set(data) != set(names):
        raise not_a_model(f"a part of it should have the fields {', '.join(names)}.")
    return [data[name] for name in names]


def _expect(fits: bool, what: str) -> None:
    if not fits:
        raise not_a_model(f"{what} is not as it should be.")


# A datetime is a date too, so it must come first.
WRITERS: list[tuple[Any, str, Callable[[Any, str], Any]]] = [
    (tuple, "$tuple", lambda value, name: [encoded(each, name) for each in value]),
    (np.ndarray, "$array", _array),
    (bytes, "$bytes", lambda value, name: value.decode("latin-1")),
    (datetime, "$datetime", lambda value, name: value.isoformat()),
    (date, "$date", lambda value, name: value.isoformat()),
    (timedelta, "$timedelta", lambda value, name: {key: getattr(value, key) for key in TIMEDELTA}),
    ((sparse.spmatrix, sparse.sparray), "$csr", _csr),
    (mercer.Kernel, "$kernel", _object(KERNELS)),
    (schedules.Schedule, "$schedule", _object(SCHEDULES)),
    (Status, "$status", lambda value, name: value.name),
    (Report, "$report", lambda value, name: encoded(value.to_dict(), name)),
]
READERS: dict[str, Callable[[Any], Any]] = {
    "$record": _read_record,
    "$tuple": _read_tuple,
    "$array": _read_array,
    "$bytes": _text(lambda text: text.encode("latin-1")),
    "$datetime": _text(datetime.fromisoformat),
    "$date": _text(date.fromisoformat),
    "$timedelta": _read_timedelta,
    "$csr": _read_csr,
    "$kernel": lambda data: _made(KERNELS, data)[0],
    "$schedule": _read_schedule,
    "$status": _one_of(Status.__members__, "status"),
    "$report": _read_report,
    "$criterion": _one_of(CRITERIA, "criterion"),
    "$float": _one_of(ENDLESS, "number"),
    "$dict": _read_dict,
}
