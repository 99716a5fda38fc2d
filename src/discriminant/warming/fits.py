"""Tiny fits that between them call every compiled pass: dense and CSR, float32 and float64.

A procedure of the registry is fitted as it is and in its variants, to two classes and to three. What else a pass needs
stands here: ``SETTINGS`` that lead to it, or tables of a size from which on it is used. A test fails when a function is
left without machine code.

Tests: ``tests/warming/test_run.py``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

import discriminant

from .._blocks.blocks import make_block
from .._blocks.roles import Roles
from ..comparison.methods import AS_IT_IS, VARIANTS
from ..svm.cocoa import HingeProblem, local_round

ITERATIONS = 70  # of procedures that take as many as they may; some compile nothing for the first fifty
FORMS = ("dense64", "dense32", "csr64", "csr32")
SIZES = ("large", "small")

SETTINGS: dict[str, list[dict[str, Any]]] = {
    "Adatron": [{"kernel": "gaussian"}],
    "BalancedWinnow": [{"start": [1.0, 1.0, 1.0]}],
    "GradientDescent": [{"criterion": "logistic"}, {"schedule": 1e-6}],
    "LogisticDiscriminant": [{"penalty": "firth"}, {"loss": "squared"}],
    "MinOver": [{"kernel": "gaussian"}],
    "SupportVectorMachine": [{"loss": "squared_hinge"}, {"kernel": "polynomial"}],
}
# rows, columns and classes of further tables, by procedure, with the settings that go with them
TABLES: dict[str, list[tuple[tuple[int, int, int], dict[str, Any]]]] = {
    "LogisticDiscriminant": [((1_500, 3, 2), {}), ((1_500, 3, 3), {}), ((350_000, 3, 2), {})],
    "MultilayerPerceptron": [((1_500, 3, 2), {}), ((1_500, 3, 3), {})],
    "SupportVectorMachine": [
        ((1_500, 3, 2), {}),
        ((1_500, 3, 2), {"loss": "squared_hinge"}),
        ((5_000, 3, 2), {"kernel": "gaussian", "C": 1e-3}),
        ((1_100, 1_600, 2), {"C": 1e-6}),
        ((1_100, 130, 2), {"kernel": "gaussian"}),
        ((60, 3, 12), {"kernel": "gaussian"}),
        ((60, 3, 12), {}),
    ],
}
FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "separability": lambda X, y: str(discriminant.separability(X, y)),
    "integer_search": lambda X, y: discriminant.integer_search(X, y),
    "minimum_removals": lambda X, y: discriminant.minimum_removals(X, y),
}
SMALL = [(12, 2, 2), (12, 2, 3)]  # rows, columns and classes of the tables of all of these,
LARGE = {"separability": [(1_500, 3, 2), (400, 120, 2), (300, 320, 2), (300, 320, 3)]}  # and of some


def names(size: str = "small") -> list[str]:
    """What there is to do with tables of a size, the longest first."""
    kinds = [kind for kinds in discriminant._PROCEDURES.values() for kind in kinds]
    known = sorted([*kinds, *FUNCTIONS], key=lambda name: name not in TABLES and name not in FUNCTIONS)
    return known if size == "small" else [name for name in known if name in TABLES or name in LARGE]


def run(name: str, form: str, size: str) -> None:
    """All fits of a procedure, or calls of a function, to such tables; that some are refused is no matter."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for call in _calls(name, form, size):
            with suppress(ValueError, RuntimeError):
                call()


def _calls(name: str, form: str, size: str) -> Iterator[Callable[[], Any]]:
    small = size == "small"
    if name in FUNCTIONS:
        for shape in SMALL if small else LARGE[name]:
            yield partial(FUNCTIONS[name], *table(shape, form))
        return
    if name == "SupportVectorMachine" and small:
        yield partial(_round_on_a_block, *table(SMALL[0], form))
    settings = [*(AS_IT_IS | VARIANTS.get(name, {})).values(), *SETTINGS.get(name, [])]
    for shape, chosen in [(shape, chosen) for chosen in settings for shape in SMALL] if small else TABLES[name]:
        yield partial(_fit, name, chosen, *table(shape, form))


def _round_on_a_block(X: Any, y: Any) -> None:
    """A round of the hinge on a cluster, whose blocks keep their multipliers."""
    block = make_block(X, y, None, 0, "", X.dtype, X.shape[1])
    problem = HingeProblem(Roles(np.unique(y), None, 1), 1.0, np.zeros(X.shape[1]), 1.0, 1.0)
    local_round(block, None, problem, np.zeros(X.shape[1] + 1), 0.0, 0)


def _fit(name: str, settings: dict[str, Any], X: Any, y: Any) -> None:
    model = getattr(discriminant, name)(**settings)
    known = model.get_params(deep=False)
    if "max_iter" in known:
        model.set_params(max_iter=ITERATIONS)
    if "random_state" in known:
        model.set_params(random_state=0)
    model.fit(X, y.astype(X.dtype) if name.endswith("Regressor") else y)
    model.predict(X)
    str(model.report_)


def table(shape: tuple[int, int, int], form: str) -> tuple[Any, Any]:
    """Clouds of so many rows, columns and classes that overlap a little."""
    n, d, c = shape
    rng = np.random.default_rng(0)
    y = np.arange(n) % c
    X = rng.standard_normal((n, d)) + np.where(np.arange(d) == 0, y[:, None], 0)
    X = X.astype(np.float32 if form.endswith("32") else np.float64)
    if not form.startswith("csr"):
        return X, y
    from scipy import sparse

    return sparse.csr_matrix(X), y
