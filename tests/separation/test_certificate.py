"""Certificates: they verify, they travel as JSON, they state their question, and they are checked on their own."""

from __future__ import annotations

import ast
import copy
import json
import pickle
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from certificate_cases import CASES, LINE, every_case, genuine, proved, sealed
from exact_oracle import augmented
from scipy import sparse

from discriminant import Certificate, datasets, separability
from discriminant.separation import certificate

SOURCE = Path(certificate.__file__)


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


# The question that is proved ----------------------------------------------------------------------------------------


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
    with pytest.raises(ValueError, match="a label is 2, of which it says nothing"):
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
    with pytest.raises(ValueError, match="a label is nan, of which it says nothing"):
        proof.verify([[0], [1]], [0, nan])
    counts = separability([[0], [1]], [0, 3], family="poisson").certificate
    for y in ([-1, 3], [nan, 3], [0, float("inf")], ["a", "b"], [None, 3]):
        with pytest.raises(ValueError, match="y holds what is no"):
            counts.verify([[0], [1]], y)


def test_merged_classes_are_another_question() -> None:
    X, y = THREE
    merged = separability(X, np.minimum(y, 1)).certificate
    with pytest.raises(ValueError, match="a label is 2"):
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
    with pytest.raises(ValueError, match="20 rows of 2 columns, and here are"):
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


# The files on their own ---------------------------------------------------------------------------------------------


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
    assert set(trees) == {"certificate", "verification", "quick_check", "digits", "proof_file", "rows", "cuts"}
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
