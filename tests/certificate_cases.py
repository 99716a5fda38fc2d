"""Problems of every kind whose certificates are tried, and certificates with a checksum that fits."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
import pytest
from exact_oracle import augmented, rows_of, solve
from scipy import sparse

from discriminant import Certificate, datasets, separability

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
