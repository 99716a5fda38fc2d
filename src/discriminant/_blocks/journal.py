"""Checkpoints: what a fit on blocks has found so far, in a JSON file from which a killed one goes on.

A procedure on blocks is a sequence of rounds whose results follow from those before, so that the results of the rounds
are all that has to be kept: a fit that begins again is given them, and finds itself where it was.  In the midst of a
pass the sum of the blocks so far is kept.  A rule that corrects row by row is kept as it is after a pass: its numbers
and arrays.

The file is replaced as a whole, so that a kill at any moment leaves the old one or the new one.  It is data alone:
numbers, texts, arrays and the records of ``_guards/held.py``; reading it runs no code, and what is not the work of this
very fit on these very data is refused.

Tests: ``tests/_blocks/test_journal.py``.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import time
from collections import deque
from collections.abc import Callable
from copy import copy, deepcopy
from dataclasses import fields, is_dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Literal

import numpy as np
from scipy import sparse

from .._engine.files import write_whole
from .._guards.held import RECORDS
from .._guards.parameters import refused

FORMAT, VERSION = "discriminant checkpoint", 2  # 1 did not tell the order of an array
LARGEST = 2**32  # bytes of a file


class _OtherFileError(Exception):
    """The file is not the work of this fit, and why."""


class Journal:
    """The rounds of a fit that are done, and a file that holds them; ``every`` so many seconds it is written."""

    def __init__(self, path: str | os.PathLike[str], identity: Any, every: float) -> None:
        self.path, self.every = _writable(path), every
        self.identity = json.loads(json.dumps(identity, default=str))
        self.rounds: list[str] = []  # as they are written
        self.given: deque[Any] = deque()  # rounds of an earlier run, which this one is given
        self.partial: Any = None
        self.rules: dict[str, Any] = {}
        self._saved, self._news = time.monotonic(), False
        self._latest: Any = None  # of the present round
        if self.path.exists():
            self._open()

    def known(self, name: str) -> Any:
        """The result of the next round where an earlier run has it, else None."""
        if not self.given:
            return None
        done, result = self.given.popleft()
        if done != name:
            raise self._refusal(f"its rounds are others ({done}, not {name})")
        return result

    def begun(self, name: str) -> tuple[int, Any]:
        """The blocks of the coming round that an earlier run has done, and their sum."""
        found, self.partial = self.partial, None
        return (0, None) if found is None or found[0] != name else (found[1], found[2])

    def offer(self, name: str, blocks: int, total: Any) -> None:
        """So many blocks of the present round are done."""
        self._latest = [name, blocks, total]
        self._heard()

    def close(self, name: str, result: Any) -> None:
        """The present round is done."""
        self.rounds.append(json.dumps(encoded((name, result))))
        self._latest = None
        self._heard()

    def keep(self, place: str, state: Any) -> None:
        """What a rule has come to after a pass."""
        self.rules[place] = deepcopy(state)  # the next pass changes its arrays, and may not end
        self._heard()

    def save(self) -> None:
        """Write what the file does not hold yet: the fit ends before its time."""
        if self._news:
            self._write(self._latest)

    def remove(self) -> None:
        """The fit is over."""
        self.path.unlink(missing_ok=True)

    def _heard(self) -> None:
        self._news = True
        if time.monotonic() - self._saved >= self.every:
            self._write(self._latest)

    def _write(self, partial: Any) -> None:
        parts = {"of": json.dumps(self.identity), "rounds": f"[{','.join(self.rounds)}]"}
        parts |= {"partial": json.dumps(encoded(partial)), "rules": json.dumps(encoded(self.rules))}
        content = ",".join(f'"{name}":{text}' for name, text in parts.items())
        head = {"format": FORMAT, "version": VERSION, "checksum": hashlib.sha256(content.encode()).hexdigest()}
        write_whole(self.path, json.dumps(head)[:-1] + "," + content + "}\n")
        self._saved, self._news = time.monotonic(), False

    def _open(self) -> None:
        try:
            if self.path.stat().st_size > LARGEST:
                raise _OtherFileError("it is too large for one")
            text = self.path.read_text(encoding="utf-8")
            found = json.loads(text)
            if found["format"] != FORMAT or found["version"] != VERSION:
                raise _OtherFileError("it is none, or of another version")
            content = text[text.index('"of":') : text.rindex("}")]
            if hashlib.sha256(content.encode()).hexdigest() != found["checksum"]:
                raise _OtherFileError("its checksum does not fit its content")
            if found["of"] != self.identity:
                raise _OtherFileError(
                    "it is of another model, other parameters or other data, or of blocks of another size"
                )
            self.rounds = [json.dumps(each) for each in found["rounds"]]
            self.given = deque(tuple(decoded(each)) for each in found["rounds"])
            partial, rules = decoded(found["partial"]), decoded(found["rules"])
            if partial is not None and not (isinstance(partial, list) and len(partial) == 3):
                raise _OtherFileError("it is damaged")
            self.partial, self.rules = partial, dict(rules)
        except _OtherFileError as error:
            raise self._refusal(str(error)) from None
        except (KeyError, TypeError, IndexError, ValueError, RecursionError) as error:
            raise self._refusal(f"it is no checkpoint ({type(error).__name__})") from None

    def _refusal(self, why: str) -> ValueError:
        return refused("checkpoint", os.fspath(self.path), f"the file of this fit, and {why}", "give another name")


def _writable(given: Any) -> Path:
    """The path, if a file can be written there: better told now than after a minute's work."""
    wanted, remedy = "the path of a file that can be written", "name one in a folder that is there"
    if not isinstance(given, str | os.PathLike):
        raise refused("checkpoint", given, wanted, remedy)
    path = Path(given)
    if path.exists() and not path.is_file():
        raise refused("checkpoint", os.fspath(given), wanted, "it is there, and is no file")
    try:
        with TemporaryFile(dir=Path(os.path.realpath(path)).parent):
            return path
    except OSError as error:
        raise refused("checkpoint", os.fspath(given), f"{wanted} ({error.strerror})", remedy) from None


def encoded(value: Any) -> Any:
    """A value as JSON data, exactly; arrays by their bytes."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, np.generic):
        return encoded(np.asarray(value))
    if isinstance(value, int):
        return {"int": str(value)}
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufU":
        order: Literal["C", "F"] = "F" if value.flags.fnc else "C"  # of the columns or the rows: BLAS rounds otherwise
        data = base64.b64encode(value.tobytes(order)).decode()
        return {"array": [value.dtype.str, list(value.shape), order, data]}
    if sparse.issparse(value):
        parts = value.tocsr()
        return {"csr": [encoded(part) for part in (parts.data, parts.indices, parts.indptr)] + [list(parts.shape)]}
    if type(value).__name__ in RECORDS and is_dataclass(value):
        return {"record": [type(value).__name__, [encoded(getattr(value, each.name)) for each in fields(value)]]}
    if isinstance(value, tuple):
        return {"tuple": [encoded(each) for each in value]}
    if isinstance(value, list | deque):
        return [encoded(each) for each in value]
    if isinstance(value, dict):
        return {"dict": [[encoded(key), encoded(each)] for key, each in value.items()]}
    raise TypeError(f"a {type(value).__name__} cannot stand in a checkpoint")


def decoded(data: Any) -> Any:
    """The value of JSON data, of the kinds that ``encoded`` writes and no others."""
    if data is None or isinstance(data, bool | str):
        return data
    if isinstance(data, list):
        return [decoded(each) for each in data]
    if not isinstance(data, dict) or len(data) != 1:
        raise TypeError("what stands there is none of the known kinds")
    ((kind, content),) = data.items()
    return READERS[kind](content)


def _array(content: Any) -> Any:
    text, shape, order, data = content
    dtype = np.dtype(text)
    if dtype.kind not in "biufU" or order not in ("C", "F") or not all(type(n) is int and n >= 0 for n in shape):
        raise TypeError("an array is of a kind that is not read")
    return np.frombuffer(base64.b64decode(data, validate=True), dtype).reshape(shape, order=order).copy(order="K")


def _csr(content: Any) -> Any:
    made = sparse.csr_array(tuple(decoded(part) for part in content[:3]), shape=tuple(content[3]))
    made.check_format(full_check=True)
    return made


def _record(content: Any) -> Any:
    name, values = content
    return RECORDS[name](*map(decoded, values))


READERS: dict[str, Callable[[Any], Any]] = {
    "int": int, "float": float.fromhex, "array": _array, "csr": _csr, "record": _record,
    "tuple": lambda content: tuple(map(decoded, content)),
    "dict": lambda content: {decoded(key): decoded(each) for key, each in content},
}  # fmt: skip


def state_of(thing: Any) -> dict[str, Any]:
    """The numbers, texts and arrays of an object, and of the objects with such state that it holds."""
    state: dict[str, Any] = {}
    for name, value in vars(thing).items():
        if name in getattr(thing, "UNSAVED", ()):
            continue
        if hasattr(value, "observe"):  # a schedule
            state[name] = {"state": state_of(value)}
            continue
        try:
            encoded(value)
        except TypeError:
            continue  # what is made anew: the plan, the patterns, the path
        state[name] = value
    return state


def restore(thing: Any, state: dict[str, Any]) -> None:
    """Put an object into such a state; each value must be of the kind that stands there."""
    for name, value in state.items():
        now = getattr(thing, name)
        if isinstance(value, dict) and set(value) == {"state"} and hasattr(now, "observe"):
            value = copy(now)  # what another holds stays as it is
            restore(value, state[name]["state"])
        elif isinstance(now, np.ndarray) and (value.dtype, value.shape) != (now.dtype, now.shape):
            raise ValueError(f"the checkpoint holds {name} of shape {value.shape}, not {now.shape}; give another name.")
        elif isinstance(now, tuple) and hasattr(now, "_fields"):
            value = type(now)(*value)
        vars(thing)[name] = value  # a frozen object too
