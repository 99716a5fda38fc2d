"""Mutants of model files: none passes for what it is not, and none runs anything."""

from __future__ import annotations

import json
import random
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from io_cases import answers, fitted
from model_files import signed

import discriminant as D
from discriminant import io
from discriminant.io._json import written
from discriminant.io.models import read_model as _read

# --- mutants


MUTANTS = 2000
POOL: list[Any] = [
    None, True, False, -1, 0, 1, 2**70, 1e308, -0.5, "", "x", "__import__('os').system('true')", [], [[]], {}, {"a": 1},
    {"$float": "nan"}, {"$float": "inf"}, {"$tuple": []}, {"$dict": [[1, 2]]}, {"$status": "BUDGET"}, "U3",
    "one-vs-one", {"$kernel": {"name": "Gaussian", "parameters": {"sigma": 1.0}}}, "float32", "int64",
    "object", "U1000000000", "S1000000000", "datetime64[as]", "SupportVectorMachine",
    {"$array": {"dtype": "float64", "shape": [1], "order": "C", "values": [1.0]}},
    {"$object": "os.system"}, {"$bytes": "x"}, {"$date": "2000-02-29"}, {"$timedelta": {"days": 10**9}},
]  # fmt: skip
HUGE = [2**26, 2**31 - 2, 2**31, 3 * 10**9, 10**18, 2**63, 10**4000, 1e308]
WATCHED = {"exec", "compile", "os.system", "os.exec", "os.posix_spawn", "subprocess.Popen", "pickle.find_class"}
BASES = [
    "Perceptron", "SupportVectorMachine sigma 2", "MultilayerPerceptron float32", "WidrowHoff",
    "LogisticDiscriminant csr", "KernelPerceptron gaussian csr", "FisherDiscriminant", "hard margin", "PolynomialMap",
    "RidgeRegressor gaussian", "SupportVectorMachine gaussian csr", "interactions", "days", "bytes",
]  # fmt: skip


def places(part: Any) -> list[tuple[Any, Any]]:
    """All (container, key) pairs of a JSON value; of a long list a few entries."""
    keys = list(part) if isinstance(part, dict) else list(range(len(part))) if isinstance(part, list) else []
    keys = keys if len(keys) < 40 else [*keys[:3], *keys[-3:]]
    return [(part, key) for key in keys] + [place for key in keys for place in places(part[key])]


def mutant(content: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    content = json.loads(json.dumps(content))
    found = places(content)
    part, key = chance.choice(found)
    change = chance.choice(["replace", "replace", "delete", "add", "swap", "nudge", "huge", "longer"])
    if change == "replace":
        part[key] = chance.choice(POOL)
    elif change == "huge":  # everywhere, since a number that stands for a size must agree with itself
        numbers = [each[there] for each, there in found if type(each[there]) in (int, float)] or [0]
        old, new = chance.choice(numbers), chance.choice(HUGE)
        for each, there in found:
            each[there] = new if each[there] == old and type(each[there]) is type(old) else each[there]
    elif change == "longer" and isinstance(part[key], list | str):
        part[key] = part[key] * chance.choice([2, 50_000 // (len(part[key]) + 1)])
    elif change == "delete":
        del part[key]
    elif change == "add" and isinstance(part, dict):
        part[chance.choice(["extra", "$array", "coef_", "__class__", "_vectors"])] = chance.choice(POOL)
    elif change == "swap":
        other, there = chance.choice(found)
        part[key], other[there] = json.loads(json.dumps(other[there])), json.loads(json.dumps(part[key]))
    elif isinstance(part[key], int | float) and not isinstance(part[key], bool):
        part[key] += chance.choice([1, -1, 0.5])
    else:
        part[key] = [part[key]]
    return content


def damaged(text: str, chance: random.Random) -> str:
    """One bit flipped, a piece cut out or doubled, a name given twice."""
    data = bytearray(text.encode())
    place = chance.randrange(len(data))
    kind = chance.randrange(4)
    if kind == 0:
        data[place] ^= 1 << chance.randrange(8)
    elif kind == 3:
        begin = data.find(b'"', place)
        data[begin:begin] = data[begin : data.find(b",", begin) + 1]
    elif kind == 1:
        del data[place : place + chance.randrange(1, 50)]
    else:
        data[place:place] = data[place : place + chance.randrange(1, 50)]
    return data.decode(errors="replace")


class LateError(BaseException):
    """More than two seconds; no handler of Exception takes it for a refusal."""


@contextmanager
def bounded() -> Iterator[None]:
    """Two seconds of processor time, and one gigabyte more than there is now."""

    def late(*_: Any) -> None:
        raise LateError

    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limits, handler = resource.getrlimit(resource.RLIMIT_AS), signal.signal(signal.SIGVTALRM, late)
    resource.setrlimit(resource.RLIMIT_AS, (size + 2**30, limits[1]))
    signal.setitimer(signal.ITIMER_VIRTUAL, 2)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, limits)
        signal.signal(signal.SIGVTALRM, handler)


@pytest.mark.ci
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs the size of the process from /proc")
def test_no_mutant_passes_for_what_it_is_not() -> None:
    chance, events, watching = random.Random(0), [], [False]

    def hook(event: str, given: Any) -> None:
        if watching[0] and (event in WATCHED or (event == "open" and given[1] not in (None, "r", "rb"))):
            events.append((event, given))

    sys.addaudithook(hook)
    first = io.Recipe(missing="median", standardize=True)
    given, y, _ = first.fit(pl.DataFrame({"size": [1.0, 2, 4], "color": ["red", "blue", "red"], "target": [0, 1, 1]}))
    texts = [io.dumps(fitted(name)[0]) for name in BASES] + [io.dumps(D.LeastSquares().fit(given, y), first)]
    for text in texts:
        io.loads(text)  # what is imported lazily is there before we watch
    accepted, sentences = 0, []
    for number in range(MUTANTS):
        text = texts[number % len(texts)]
        resigned = number // len(texts) % 2 == 0
        text = signed(mutant(json.loads(text), chance)) if resigned else damaged(text, chance)
        watching[0] = True
        try:
            with bounded():
                model, recipe = _read(text)
        except io.ModelFileError as error:
            sentences.append(str(error))
            continue
        finally:
            watching[0] = False
        # What is taken means what the file says, no more and no less: written anew it is the same content.
        accepted += 1
        content, again = json.loads(text), json.loads(io.dumps(model, recipe))
        for each in (content, again):
            each.pop("library"), each.pop("checksum")
        assert written(content, True) == written(again, True)
        with np.errstate(all="ignore"):
            answers(model, np.zeros((2, model.n_features_in_)))
    assert not events
    assert accepted + len(sentences) == MUTANTS
    assert len(sentences) > 0.8 * MUTANTS
    assert all(0 < len(sentence) < 900 and "more memory" not in sentence for sentence in sentences)


def test_a_damaged_file_without_a_new_checksum_is_never_another_model() -> None:
    chance = random.Random(1)
    for number in range(200):
        text = io.dumps(fitted(BASES[number % len(BASES)])[0])
        broken = damaged(text, chance)
        try:
            model = io.loads(broken)
        except io.ModelFileError:
            continue
        assert io.dumps(model) == text
