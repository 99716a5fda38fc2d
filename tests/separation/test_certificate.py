"""Certificates: they verify, they travel as JSON, no change of them or of the data passes, numbers are read exactly."""

from __future__ import annotations

import ast
import copy
import hashlib
import json
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exact_oracle import augmented, rows_of, solve
from scipy import sparse

from discriminant import Certificate, datasets, separability
from discriminant.separation import certificate, proof_file
from discriminant.separation.verification import Term

SOURCE = Path(certificate.__file__)
LEVELS = np.eye(3)[[0, 0, 1, 1, 2, 2]]
LINE = np.array([[0.1, 0.7], [0.3, 0.5], [0.2, 0.6], [0.4, 0.4]])
SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.5, 0.25]])
TRIANGLE = np.array([[0, 0], [4, 0], [0, 4], [1, 0], [4, 1], [0, 3], [1, 1], [-1, -1]])

CASES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "complete": (*datasets.or_function(), {}),
    "decimals": (*datasets.table(1, 2), {}),
    "overlap": (*datasets.table(1, 3), {}),
    "xor": (*datasets.xor(), {}),
    "quasi": (SQUARE, [0, 1, 0, 1, 1], {}),
    "quasi, rank-deficient": (LEVELS, [0, 1, 0, 1, 1, 1], {}),
    "rank-deficient": (np.c_[SQUARE, SQUARE.sum(axis=1)], [0, 1, 1, 0, 1], {}),
    "line": (LINE, [0, 0, 1, 1], {}),
    "float reading": (LINE, [0, 0, 1, 1], {"reading": "float"}),
    "float overlap": (np.r_[LINE, LINE[:2]], [0, 0, 1, 1, 1, 0], {"reading": "float"}),
    "three classes": (*datasets.table(1, 2, 4), {}),
    "three classes, touching": (np.array([[0], [1], [2], [2], [3]]), list("abbcc"), {}),
    "triangle": (TRIANGLE, list("abcabcab"), {}),
    "three classes, overlap": (np.repeat(SQUARE[:3], 3, axis=0), list("abc" * 3), {}),
    "no intercept": (SQUARE - 0.5, ["n", "p", "n", "p", "n"], {"intercept": False}),
    "no intercept, overlap": (SQUARE, [0, 1, 1, 0, 1], {"intercept": False}),
    "zero row": (SQUARE, [0, 1, 1, 1, 1], {"intercept": False}),
    "counts": (np.c_[LEVELS, [1, 2, 3, 4, 5, 6]], [2, 0, 1, 3, 0, 0], {"family": "poisson"}),
    "counts, overlap": (SQUARE, [1, 0, 3, 2, 0], {"family": "poisson"}),
    "counts, complete": (SQUARE, [0] * 5, {"family": "poisson"}),
    "csr": (sparse.csr_array(SQUARE), [0, 1, 0, 1, 1], {}),
    "float32": (LINE.astype(np.float32), [0, 0, 1, 1], {}),
    "int64": (np.array([[2**60], [2**60 + 1], [2**60 + 2]]), [0, 1, 0], {}),
    "wide": (np.eye(4)[:3], [0, 1, 0], {}),
    "tiny": (SQUARE * 1e-150, [0, 1, 1, 0, 1], {}),
}
every_case = pytest.mark.parametrize("case", CASES)


def proved(case: str) -> tuple[Certificate, Any, Any]:
    X, y, options = CASES[case]
    return separability(X, y, **options).certificate, X, y


def dumped(content: dict[str, Any]) -> str:
    return json.dumps(content, separators=(",", ":"))


def sealed(content: dict[str, Any]) -> str:
    """JSON text with a checksum that fits."""
    content = {key: value for key, value in content.items() if key != "checksum"}
    return dumped(content | {"checksum": hashlib.sha256(dumped(content).encode()).hexdigest()})


def genuine(proof: Certificate, X: Any, y: Any) -> bool:
    """Whether what a certificate says is true, by another solver."""
    patterns = augmented(X.toarray() if sparse.issparse(X) else X, proof.intercept, proof.reading)
    if proof.family == "poisson":
        return solve(rows_of(patterns, [value > 0 for value in y], 0)).verdict == proof.verdict
    index = {label: k for k, group in enumerate(proof.groups) for label in group}
    own = [index.get(label, -1) for label in np.asarray(y).tolist()]
    return solve(rows_of(patterns, own, len(proof.groups))).verdict == proof.verdict


# What is true verifies ----------------------------------------------------------------------------------------------


@every_case
def test_certificates_verify_and_travel(case: str) -> None:
    proof, X, y = proved(case)
    assert proof.verify(X, y) is True
    assert genuine(proof, X, y)
    text = proof.to_json()
    again = Certificate.from_json(text)
    assert again == proof
    assert again.to_json() == text
    assert again.verify(X, y) is True
    assert sealed(json.loads(text)) == text  # the checksum is that of the content
    assert pickle.loads(pickle.dumps(proof)) == copy.deepcopy(proof) == proof
    dense = X.toarray() if sparse.issparse(X) else X
    assert proof.verify(np.asfortranarray(dense), np.asarray(y))
    assert proof.verify(sparse.csr_array(dense), y)
    assert dense.dtype == np.float32 or proof.verify(dense.tolist(), y)


def test_the_cases_have_all_verdicts() -> None:
    seen = {(proof.verdict, proof.family, len(proof.groups) > 2) for proof, _, _ in map(proved, CASES)}
    assert len(seen) == 9


@every_case
def test_the_short_proof(case: str) -> None:
    """Weights add up to one for each class, and with an intercept both classes have the same mean: the point."""
    proof, X, y = proved(case)
    if not proof.relations or len(proof.groups) != 2:
        assert proof.point is None
        return
    assert len(proof.support) <= proof.n_features + 2
    X = X.toarray() if sparse.issparse(X) else X
    means = {}
    for label in np.unique(y).tolist():
        chosen = [s for s in proof.support if s.label == label]
        assert all(y[s.row] == label and s.weight > 0 for s in chosen)
        if chosen:
            assert sum(s.weight for s in chosen) == 1
            rows = {s.row: augmented(X[[s.row]], True, proof.reading)[0] for s in chosen}
            means[label] = tuple(sum(s.weight * Fraction(rows[s.row][j + 1], rows[s.row][0]) for s in chosen)
                                 for j in range(proof.n_features))  # fmt: skip
    assert proof.point in means.values()
    if proof.intercept:
        assert set(means.values()) == {proof.point}


def test_frames() -> None:
    pd = pytest.importorskip("pandas")
    X, y = datasets.table(1, 3)
    proof = separability(X, y).certificate
    assert proof.verify(pd.DataFrame(X, columns=["a", "b"]), pd.Series(y))
    with pytest.raises(ValueError, match="no number"):
        proof.verify(pd.DataFrame({"a": ["u"] * 20, "b": ["v"] * 20}), y)


# What is changed does not -------------------------------------------------------------------------------------------


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


def places(value: Any) -> list[list[Any]]:
    """Paths to all whole numbers of a nested list."""
    if not isinstance(value, list):
        return [[]]
    return [[k, *path] for k, part in enumerate(value) for path in places(part)]


def nudge(content: dict[str, Any], field: str, rng: np.random.Generator) -> None:
    """Change one number of a field."""
    paths = places(content[field]) if isinstance(content[field], list) else []
    if not paths:
        return
    *path, last = paths[rng.integers(len(paths))]
    target = content[field]
    for k in path:
        target = target[k]
    old = int(target[last], 16) if isinstance(target[last], str) else target[last]
    new = [old + 1, old - 1, -old, 0, 2 * old, old + 2**70, old // 2][rng.integers(7)]
    target[last] = new if abs(new) < 2**53 else hex(new)


def shuffle(content: dict[str, Any], field: str, rng: np.random.Generator) -> None:
    """Drop, repeat or exchange parts of a list, or of one within it."""
    if not isinstance(content[field], list) or not content[field]:
        return
    target = content[field]
    if isinstance(target[0], list) and target[0] and rng.random() < 0.5:
        target = target[rng.integers(len(target))]
    k, j = rng.integers(len(target), size=2)
    match rng.integers(4):
        case 0:
            del target[k]
        case 1:
            target.append(copy.deepcopy(target[k]))
        case 2:
            target[k], target[j] = target[j], target[k]
        case 3:
            content[field] = []


def rename(content: dict[str, Any], field: str, rng: np.random.Generator) -> None:
    """Another word, shape, label or answer."""
    options: dict[str, list[Any]] = {
        "verdict": ["complete", "quasi", "overlap"],
        "reading": ["decimal", "float"],
        "family": ["classes", "poisson"],
        "intercept": [True, False],
        "n_rows": [content["n_rows"] + 1, content["n_rows"] - 1, 0],
        "n_features": [content["n_features"] + 1, content["n_features"] - 1, 0],
        "groups": [content["groups"][::-1], content["groups"][1:], [*content["groups"], [7]], [[8], [9]], [[0, 1]]],
        "point": [None, [[0, 1]] * content["n_features"]],
        "kernel": [[], [*content["kernel"], [0] * len(content["direction"])]],
        "relations": [[], content["relations"] * 2, [[]]],
        "direction": [[0] * len(content["direction"]), [1] * len(content["direction"]), []],
    }
    choices = options[field]
    content[field] = choices[rng.integers(len(choices))]


FIELDS = ["direction", "kernel", "relations", "point", "groups", "verdict", "reading", "family", "intercept", "n_rows",
          "n_features"]  # fmt: skip
NUMBERS = FIELDS[:4]


@pytest.mark.parametrize("chunk", range(4))
def test_what_verifies_after_a_change_is_true(chunk: int) -> None:
    """With the old checksum none passes; with a new one, only what is a proof again."""
    rng = np.random.default_rng(chunk)
    known = {case: proved(case) for case in CASES}
    refused = passed = 0
    while refused < 500:
        proof, X, y = known[list(CASES)[rng.integers(len(CASES))]]
        content = json.loads(proof.to_json())
        before = copy.deepcopy(content)
        for _ in range(rng.integers(1, 4)):
            change: Callable[..., None] = [nudge, shuffle, rename][rng.integers(3)]
            change(content, str(rng.choice(FIELDS if change is rename else NUMBERS)), rng)
        if content == before:
            continue
        with pytest.raises(ValueError, match=r"."):
            Certificate.from_json(dumped(content))
        try:
            changed = Certificate.from_json(sealed(content))
            assert changed.verify(X, y) is True
        except ValueError:
            refused += 1
            continue
        passed += 1
        assert genuine(changed, X, y), changed
    assert passed > 10  # the other rows of a proof are a proof again


@every_case
def test_another_verdict_is_never_proved(case: str) -> None:
    proof, X, y = proved(case)
    for verdict in {"complete", "quasi", "overlap"} - {proof.verdict}:
        for changed in (replace(proof, verdict=verdict), replace(proof, verdict=verdict, relations=(), kernel=())):
            with pytest.raises(ValueError, match="the certificate fails"):
                changed.verify(X, y)


def test_empty_claims_are_refused() -> None:
    """Nothing about no classes, one class, or classes that the data have not, is a proof."""
    X, y = datasets.xor()
    proof = separability(X, y).certificate
    for groups in ((), ((1,),), ((7,), (8,)), ((1,), (7,)), ((1,), (1,)), ((-1, 1), ())):
        for relations in (proof.relations, ()):
            for verdict in ("complete", "quasi", "overlap"):
                empty = replace(proof, groups=groups, relations=relations, point=None, kernel=(), verdict=verdict)
                with pytest.raises(ValueError, match="the certificate fails"):
                    empty.verify(X, y)


def test_floats_and_machine_integers_prove_nothing() -> None:
    X, y = datasets.or_function()
    proof = separability(X, y).certificate
    for kind in (float, np.int64, np.float64, Fraction, bool):
        with pytest.raises(ValueError, match="numbers that are not whole"):
            replace(proof, direction=tuple(map(kind, (-1, 2, 2)))).verify(X, y)
    assert replace(proof, direction=(-1, 2, 2)).verify(X, y)
    proof = separability(*datasets.xor()).certificate
    term = proof.relations[0][0]
    halved = (Term(term.row, term.own, term.rival, Fraction(1, 2)),)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="numbers that are not whole"):
        replace(proof, relations=(halved,)).verify(*datasets.xor())


@every_case
def test_other_data(case: str, rng: np.random.Generator) -> None:
    proof, X, y = proved(case)
    X = X.toarray() if sparse.issparse(X) else np.asarray(X)
    y = np.asarray(y)
    for shape in (X[1:], X[:, 1:], np.c_[X, X[:, 0]], X.ravel(), X[None]):
        with pytest.raises(ValueError, match=r"."):
            proof.verify(shape, y)
    for labels in (y[1:], np.r_[y, y[:1]], np.c_[y, y], None, [[]] * len(y), np.full(len(y), {}, object)):
        with pytest.raises(ValueError, match=r"."):
            proof.verify(X, labels)
    refused = 0
    for _ in range(20):
        i, j = int(rng.integers(len(X))), int(rng.integers(X.shape[1]))
        moved, flipped, rows = X.copy(), y.copy(), rng.permutation(len(X))
        moved[i, j] += 1 if X.dtype.kind == "i" else 10 * np.abs(X).max()
        flipped[i] = rng.choice(y) if proof.family == "classes" else 1 - (y[i] > 0)
        for Z, labels in ((moved, y), (X, flipped), (X[rows], y)):
            try:
                assert proof.verify(Z, labels) is True
            except ValueError:
                refused += 1
            else:
                assert genuine(proof, Z, labels)
    assert refused > 0 or proof.verdict == "complete"


def test_each_condition_has_its_words() -> None:
    X, y = datasets.table(1, 3)
    overlap = separability(X, y).certificate
    row = overlap.support[0].row
    moved, flipped = X.copy(), y.copy()
    moved[row] += 1e-9
    flipped[row] = y[y != y[row]][0]
    with pytest.raises(ValueError, match="do not add up to zero"):
        overlap.verify(moved, y)
    with pytest.raises(ValueError, match="X contains NaN"):
        overlap.verify(moved * np.nan, y)
    with pytest.raises(ValueError, match="complex"):
        overlap.verify(moved * 1j, y)
    with pytest.raises(ValueError, match=f"row {row} is not a pattern of the class that a relation names"):
        overlap.verify(X, flipped)
    with pytest.raises(ValueError, match="shared point is not"):
        replace(overlap, point=(Fraction(0), Fraction(1))).verify(X, y)
    with pytest.raises(ValueError, match="do not span the boundary"):
        replace(separability(LINE, [0, 0, 1, 1]).certificate, kernel=(), relations=(), point=None).verify(
            LINE, [0, 0, 1, 1]
        )
    with pytest.raises(ValueError, match=r"it speaks of X of shape \(20, 2\), not of \(19, 2\)"):
        overlap.verify(X[1:], y[1:])
    X, y = datasets.table(1, 2)
    complete = separability(X, y).certificate
    with pytest.raises(ValueError, match=r"row \d+ lies on the wrong side of b"):
        replace(complete, direction=tuple(-v for v in complete.direction)).verify(X, y)
    with pytest.raises(ValueError, match="it proves 'overlap', yet it says 'complete'"):
        replace(complete, direction=(0, 0, 0)).verify(X, y)
    X, y, _ = CASES["quasi, rank-deficient"]
    quasi = separability(X, y).certificate
    with pytest.raises(ValueError, match="a vector of the kernel moves it off"):
        replace(quasi, kernel=(*quasi.kernel, (1, 2, 3, 5))).verify(X, y)


# The question that is proved ------------------------------------------------------------------------------------------


def forged(proof: Certificate, **changes: Any) -> Certificate:
    """The certificate that a file with such fields and a checksum that fits holds."""
    return Certificate.from_json(sealed(json.loads(proof.to_json()) | changes))


THREE = np.array([[0, 0], [1, 0], [4, 4], [5, 4], [9, 0], [9, 1]]), np.array([0, 0, 1, 1, 2, 2])


def test_a_certificate_states_its_question() -> None:
    X, y = THREE
    s = separability(X, y)
    assert s.certificate.kind == "linear"
    assert s.certificate.question.startswith("one linear machine for the classes 0, 1 and 2, with an intercept")
    for part, kind, words in (
        (s.total[0], "total", "a plane between the classes {1, 2} and 0, with"),
        (s.pairwise[0, 2], "pairwise", "a plane between the classes 0 and 2, without the rows of 1, with an"),
        (separability(X[:4], y[:4], intercept=False), "two classes", "the classes 0 and 1, without an intercept"),
        (separability(X, y, family="poisson", reading="float"), "poisson", "Poisson regression, with an intercept"),
    ):
        assert part.certificate.kind == kind
        assert words in part.certificate.question
        assert part.certificate.reading in part.certificate.question
    many = separability(np.arange(20)[:, None], np.arange(20)).certificate
    assert "for the classes 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 8 more, with" in many.question
    assert Certificate.from_json(s.pairwise[0, 2].certificate.to_json()) == s.pairwise[0, 2].certificate


def test_a_class_that_is_left_out_in_silence_is_refused() -> None:
    X, y = THREE
    two = separability(X[:4], y[:4]).certificate
    with pytest.raises(ValueError, match="y holds 2, of which it says nothing"):
        forged(two, n_rows=6).verify(X, y)
    stated = forged(two, n_rows=6, others=[2])
    assert stated.verify(X, y)
    assert stated.kind == "pairwise"
    assert stated.differences(y) == ["it leaves out the class 2"]
    with pytest.raises(ValueError, match="names a label twice"):
        forged(two, n_rows=6, others=[2, 1]).verify(X, y)
    with pytest.raises(ValueError, match="names a label twice"):
        forged(two, n_rows=6, groups=[[0, 2], [1, 2]]).verify(X, y)


def test_labels_and_counts_that_are_none() -> None:
    """NaN is equal to nothing, not even to itself, and a count is not below zero."""
    nan = float("nan")
    proof = separability([[0], [1]], [0, 1]).certificate
    for groups, others in ((((nan,), (1,)), ()), (((0,), (1, nan)), ()), (((0,), (1,)), (nan,))):
        for y in ([0, 1], np.array([nan, 1], object), np.array([0, nan])):
            with pytest.raises(ValueError, match="no label: NaN"):
                replace(proof, groups=groups, others=others).verify([[0], [1]], y)
    with pytest.raises(ValueError, match="y holds nan, of which it says nothing"):
        proof.verify([[0], [1]], [0, nan])
    counts = separability([[0], [1]], [0, 3], family="poisson").certificate
    for y in ([-1, 3], [nan, 3], [0, float("inf")], ["a", "b"], [None, 3]):
        with pytest.raises(ValueError, match="y holds what is no"):
            counts.verify([[0], [1]], y)


def test_merged_classes_are_another_question() -> None:
    X, y = THREE
    merged = separability(X, np.minimum(y, 1)).certificate
    with pytest.raises(ValueError, match="y holds 2"):
        merged.verify(X, y)
    stated = forged(merged, groups=[[0], [1, 2]])
    assert stated.verify(X, y)
    assert stated.differences(y) == ["it takes 1, 2 for one class"]
    assert forged(merged, groups=[[0], [1, 2]], others=[7]).kind == "merged"


def test_classes_in_another_order_are_the_same_question_and_another_proof() -> None:
    X, y = THREE
    proof = separability(X[:4], y[:4]).certificate
    with pytest.raises(ValueError, match="wrong side"):
        forged(proof, groups=[[1], [0]]).verify(X[:4], y[:4])
    turned = forged(proof, groups=[[1], [0]], direction=[_plain(-value) for value in proof.direction])
    assert turned.verify(X[:4], y[:4])
    assert turned.differences(y[:4]) == []


def test_the_intercept_and_the_reading_belong_to_the_question() -> None:
    X, y = np.array([[1.0], [2.0]]), [0, 1]
    through = separability(X, y, intercept=False).certificate
    assert (through.verdict, separability(X, y).verdict) == ("overlap", "complete")
    assert through.differences(y) == ["its planes go through the origin"]
    assert through.differences(y, intercept=False) == []
    with pytest.raises(ValueError, match="the certificate fails"):
        forged(through, intercept=True).verify(X, y)
    decimal = separability(LINE, [0, 0, 1, 1], reading="float").certificate
    assert decimal.differences([0, 0, 1, 1]) == ["it reads numbers in the sense of 'float', not 'decimal'"]
    with pytest.raises(ValueError, match="the certificate fails"):
        forged(decimal, reading="decimal").verify(LINE, [0, 0, 1, 1])
    counts = separability(X, y, family="poisson").certificate
    assert counts.differences(y) == ["it is about counts"]
    assert separability(X, y).certificate.differences(y, family="poisson") == ["it is about classes"]
    assert separability(X, ["a", "b"]).certificate.differences(["a", "c"]) == [
        "it leaves out the class 'c'", "it speaks of the class 'b', which y does not hold",
    ]  # fmt: skip


def test_dropped_and_repeated_rows() -> None:
    X, y = datasets.table(1, 3)
    proof = separability(X, y).certificate
    relations = json.loads(proof.to_json())["relations"]
    with pytest.raises(ValueError, match="shape"):
        proof.verify(X[:-1], y[:-1])
    with pytest.raises(ValueError, match=r"not a pattern of the class|do not add up"):
        forged(proof, n_rows=len(X) - 5).verify(X[5:], y[5:])
    with pytest.raises(ValueError, match="do not add up to zero"):
        forged(proof, relations=[[*relations[0], relations[0][0]], *relations[1:]]).verify(X, y)
    with pytest.raises(ValueError, match="do not add up to zero"):
        forged(proof, relations=[relations[0][1:], *relations[1:]]).verify(X, y)
    (row, own, rival, weight), *rest = [list(term) for term in proof.relations[0]]
    split = [[row, own, rival, hex(2 * weight - 1)], [row, own, rival, 1]]
    doubled = [[*term[:3], hex(2 * term[3])] for term in rest]
    exact = [[*split, *doubled], *relations[1:]]
    made = [[[_plain(value) for value in term] for term in relation] for relation in exact]
    assert forged(proof, relations=made).verify(X, y)  # a weight in two parts is the same weight


def _plain(value: int | str) -> int | str:
    """A number as certificates write it."""
    number = int(value, 16) if isinstance(value, str) else value
    return number if abs(number) < 2**53 else hex(number)


def test_huge_numbers_prove_no_more_than_small_ones() -> None:
    X, y = datasets.or_function()
    proof = separability(X, y).certificate
    far = hex(1 << 500_000)
    with pytest.raises(ValueError, match="wrong side"):
        forged(proof, direction=[far, far, far]).verify(X, y)
    with pytest.raises(ValueError, match="number of more than 131,072 digits"):
        forged(proof, direction=[hex(1 << 600_000), far, far])


# Hostile text -------------------------------------------------------------------------------------------------------

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


def test_the_span_of_a_boundary_without_a_kernel() -> None:
    """A proof on wide data has no kernel: each row of the boundary is a combination of those of the relations."""
    X = np.zeros((5, 150))
    X[:, :2] = [[0, 0], [2, 0], [1, 0], [0, 1], [0, 1]]
    y = [0, 0, 1, 1, 1]
    proof = separability(X, y).certificate
    assert (proof.verdict, proof.kernel) == ("quasi", ())
    assert proof.verify(X, y)
    assert len(proof.to_json()) < 3000
    apart = np.array([*X[:3], *X[:1], *X[:1]])
    apart[3:, 5] = 1, 2  # the last rows lie on b = 0 too, and outside of the span
    with pytest.raises(ValueError, match="do not span the boundary"):
        replace(proof, verdict="overlap", direction=(0,) * 151).verify(apart, [0, 0, 1, 0, 1])


# The files on their own -----------------------------------------------------------------------------------------------


def own_files() -> dict[str, ast.Module]:
    """The certificate's file and all those that it reads, which lie beside it, as syntax trees."""
    trees: dict[str, ast.Module] = {}
    waiting = [SOURCE.stem]
    while waiting:
        name = waiting.pop()
        if name not in trees:
            trees[name] = ast.parse(SOURCE.with_stem(name).read_text(encoding="utf-8"))
            nodes = [node for node in ast.walk(trees[name]) if isinstance(node, ast.ImportFrom) and node.level]
            assert all(node.level == 1 and node.module for node in nodes)  # none of another room
            waiting += [str(node.module) for node in nodes]
    return trees


def test_the_check_imports_no_solver() -> None:
    trees = own_files()
    assert set(trees) == {"certificate", "verification", "quick_check", "digits", "proof_file", "rows"}
    for tree in trees.values():
        names = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.add(node.module or "")
        assert names - set(sys.stdlib_module_names) <= {"numpy", "numpy.typing", "collections.abc"}
        used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        assert not used & {"linalg", "lstsq", "solve", "inv", "qr", "svd", "import_module", "__import__"}


ALONE = """
import importlib, sys, types
for name in ("scipy", "sklearn", "flint", "highspy", "numba", "discriminant"):
    sys.modules[name] = None  # an import of it fails
alone = sys.modules["alone"] = types.ModuleType("alone")
alone.__path__ = [sys.argv[1]]  # the folder; its __init__ is not run
module = importlib.import_module("alone.certificate")
print(module.Certificate.from_json(sys.argv[2]).verify([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]))
print(*sorted(name for name in sys.modules if name.startswith("alone.")))
"""


def test_the_check_runs_alone() -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    text = separability(X, y).certificate.to_json()
    command = [sys.executable, "-c", ALONE, str(SOURCE.parent), text]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["True", " ".join(f"alone.{name}" for name in sorted(own_files()))]
