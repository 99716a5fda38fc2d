"""A proof as a file: a changed character is noticed, and hostile text is refused within its time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from certificate_cases import dumped, every_case, proved, sealed

from discriminant import Certificate, datasets, separability
from discriminant.separation import proof_file


@every_case
def test_a_changed_character_is_noticed(case: str, rng: np.random.Generator) -> None:
    text = proved(case)[0].to_json()
    for _ in range(60):
        i, letter = int(rng.integers(len(text))), chr(int(rng.integers(33, 127)))
        kind = rng.integers(3)
        changed = text[:i] + ("" if kind == 0 else letter) + text[i + (kind < 2) :]
        try:
            same = json.loads(changed) == json.loads(text)  # such as -0 for 0
        except ValueError:
            same = False
        if not same:
            with pytest.raises(ValueError, match=r"."):
                Certificate.from_json(changed)


GOOD = json.loads(separability(*datasets.xor()).certificate.to_json())
WRONG: list[Any] = [None, 0, 1, -1, 0.5, True, "", "x", "0x", "0x1", [], [[]], [None], [[None]], [[[]]], [[[1, 2]]], {},
                    {"a": 1}, [[1, 0]] * 2, [["1", "0"]], 10**40, [[[0, 0, 1, 0.5]]], [[[0, 0, 1, True]]]]  # fmt: skip


@pytest.mark.parametrize("field", [key for key in GOOD if key != "checksum"])
def test_wrong_types(field: str) -> None:
    X, y = datasets.xor()
    for value in WRONG:
        if value == GOOD[field] and type(value) is type(GOOD[field]):
            continue
        text = sealed(GOOD | {field: value})
        try:
            assert Certificate.from_json(text).verify(X, y)
        except ValueError:
            continue
        assert (field, value) == ("point", None)  # a proof all the same
    less = {key: value for key, value in GOOD.items() if key != field}
    with pytest.raises(ValueError, match="this is no certificate"):
        Certificate.from_json(sealed(less))


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "null", "0", "[]", "{}", '"a"', "NaN", "{", "\x00", "\ud800", b"{}", b"", None, 3, bytearray(b"{}"),
        "[" * 100_000, "[" * 900 + "]" * 900, '{"checksum":' * 5000, "9" * 5000, "1e999999999", "-Infinity",
        json.dumps({"checksum": "9" * 64}),
        dumped(GOOD).replace('"n_rows":4', '"n_rows":NaN'),
        dumped(GOOD).replace('"n_rows":4', '"n_rows":1e400'),
        dumped(GOOD).replace('"n_rows":4', '"n_rows":' + "9" * 5000),
        dumped(GOOD).replace('"n_rows":4', '"n_rows":5,"n_rows":5'),
        dumped(GOOD).replace('"verdict":', '"verdict":"complete","verdict":'),
        sealed(GOOD | {"comment": "true"}),
        sealed(GOOD | {"others": []}),
        sealed(GOOD | {"others": [[2]]}),
        sealed(GOOD | {"version": 2}),
        sealed(GOOD | {"version": True}),
        sealed(GOOD | {"format": "other"}),
        sealed(dict(reversed(GOOD.items()))),
        dumped(GOOD | {"checksum": None}),
        dumped(GOOD)[:-1],
        dumped(GOOD) * 2,
    ],
    ids=range(38),
)  # fmt: skip
def test_hostile_text(text: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        Certificate.from_json(text)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda n: '{"format":"' + '\\"' * n + '"}', "this is no certificate"),
        (lambda n: "{" + ",".join(f'"k{i}":1' for i in range(n)) + ',"k0":1}', "a field twice"),
        (lambda n: '{"checksum":"","n_rows":' + "9" * n + "}", "decimal number of more than"),
        (lambda n: sealed(GOOD | {"direction": ["0x" + "f" * n] * 3}), "number of more than"),
        (lambda n: "[" * n, "this is no certificate"),
        (lambda n: '{"a":' * n, "this is no certificate"),
    ],
    ids=["quotes", "keys", "digits", "hexadecimal", "lists", "objects"],
)
def test_the_time_of_hostile_text_is_bounded(make: Callable[[int], str], message: str) -> None:
    text = make(200_000)
    began = time.process_time()
    with pytest.raises(ValueError, match=message):
        Certificate.from_json(text)
    assert time.process_time() - began < 3


def test_numbers_of_thousands_of_digits_travel() -> None:
    huge = 10**20_000 + 7
    X, y = [[0.0], [1.0]], [0, 1]
    proof = replace(separability(X, y).certificate, direction=(-huge, 2 * huge))
    assert Certificate.from_json(proof.to_json()) == proof
    assert Certificate.from_json(proof.to_json()).verify(X, y)


def test_a_file_that_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof_file, "LARGEST", 100)
    with pytest.raises(ValueError, match="at most 100 characters"):
        Certificate.from_json(sealed(GOOD))
