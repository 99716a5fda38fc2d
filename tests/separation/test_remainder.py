"""What is left of a separated regression: the published examples of ppmlhdfe, and fits of the rest by other programs.

The tables and their separated rows are those of the primer and of the benchmarks of ppmlhdfe, sergiocorreia/ppmlhdfe on
GitHub, guides/nonexistence_primer.md, guides/nonexistence_benchmarks.md and guides/csv.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from discriminant import datasets, separability

# y, then the columns; those after the bar of the name are factors
PUBLISHED: dict[str, tuple[str, str, list[int], list[str]]] = {
    "primer, one column": ("x", "0 1  0 1  0 0  1 0  2 0  3 0", [0, 1], ["x"]),
    "primer, two columns": ("x1 x2", "0 2 -1  0 -1 2  0 0 0  1 0 0  2 5 -10  3 6 -12", [0], ["x2"]),
    "primer, a factor": ("| id", "0 1  0 1  0 2  1 2  2 3  3 3", [0, 1], []),
    "primer, two factors": ("| id1 id2", "0 1 1  1 1 1  0 2 1  0 2 2  1 2 2", [2], []),
    "primer, tiny means": (
        "| id1 id2", "0 1 1  1 1 1  0 2 1  0 2 2  1 2 2  1e-6 2 1  1e-6 2 1  1e-6 2 1", [], [],
    ),
    "benchmark, no convergence": (
        "x1 x2 x3",
        "0 0 1 0  0 0 0 0  0 0 0 0  0 0 0 0  0 1 9 0  2 21 21 21  3 0 0 0  5 0 0 0  7 0 0 0  10 -18 -18 0",
        [0, 4], ["x2"],
    ),
    "example1": (
        "x1 x2 x3 x4",
        """0 0 0 2 10  0 0 0 0 -2  0 0 0 0 6  0 0 0 4 5  0 1 0 0 3  2 0 0 0 3  2 0 0 0 4  2 0 0 -2 15  2 0 0 0 -7
        4 0 0 -3 15  6 -3 -3 0 4  6 0 0 0 4""",
        [4], ["x2"],
    ),
    "fe3": (
        "x1 | i j",
        """0 0 1 1  0 3 1 1  0 -2 1 1  0 2 1 3  0 2 1 5  0 0 1 6  0 7 4 1  0 1 4 4  0 2 4 5  0 1 6 1  0 -2 8 4  0 3 8 6
        1 -5 1 1  1 1 1 3  5 -2 6 3  7 2 1 3""",
        [4, 5, 6, 7, 8, 10, 11], [],  # the page speaks of eight; its own z vanishes on the tenth row
    ),
}  # fmt: skip
FE1 = """2 0 0 2 1  0 0 0 4 2  0 0 0 1 1  1 1 0 4 3  0 0 1 2 2  0 0 0 2 2  1 0 0 5 4  0 1 2 2 3  1 0 0 1 1  0 0 0 2 2
0 2 0 1 3  0 0 0 1 3  0 1 0 2 2  0 0 1 5 2  0 0 1 2 4  0 0 0 1 2  0 0 0 1 1  2 0 0 1 2"""


def table(names: str, text: str) -> tuple[Any, Any, list[str]]:
    """Columns and counts; a factor has a column for each level but the first."""
    plain, _, factors = names.partition("|")
    width = 1 + len(plain.split()) + len(factors.split())
    values = np.array(text.split(), float).reshape(-1, width)
    columns, called = [*values.T[1 : 1 + len(plain.split())]], plain.split()
    for name, column in zip(factors.split(), values.T[1 + len(plain.split()) :], strict=True):
        for level in np.unique(column)[1:]:
            columns.append((column == level).astype(float))
            called.append(f"{name}={level:g}")
    return np.column_stack(columns), values[:, 0], called


def poisson(X: Any, y: Any, **options: Any) -> Any:
    return sm.GLM(y, sm.add_constant(X, has_constant="add"), family=sm.families.Poisson(), **options).fit(tol=1e-12)


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_rows_are_found_and_the_rest_has_a_finite_estimate(name: str) -> None:
    names, text, separated, dropped = PUBLISHED[name]
    X, y, called = table(names, text)
    s = separability(X, y, family="poisson")
    rows, columns = s.limiting_design()
    assert_array_equal(np.flatnonzero(~rows), separated)
    assert s.certificate.verify(X, y)
    assert set(dropped) <= {called[j] for j in np.flatnonzero(~columns)}
    fit = poisson(X[rows][:, columns], y[rows])
    assert np.linalg.matrix_rank(fit.model.exog) == fit.model.exog.shape[1]
    assert np.all(np.isfinite(fit.params))
    assert np.abs(fit.model.score(fit.params)).max() < 1e-8
    assert separability(fit.model.exog, y[rows], family="poisson", intercept=False).verdict == "overlap"


def test_published_estimates_are_those_of_the_rest() -> None:
    X, y, _ = table(*PUBLISHED["example1"][:2])
    rows, columns = separability(X, y, family="poisson").limiting_design()
    fit = poisson(X[rows][:, columns], y[rows])
    assert_allclose(fit.params[[0, 2, 3]], [0.59095, -0.47085, -0.03779], atol=5e-6)  # R's glm prints the same of these
    X, y, _ = table(*PUBLISHED["benchmark, no convergence"][:2])
    rows, columns = separability(X, y, family="poisson").limiting_design()
    assert poisson(X[rows][:, columns], y[rows]).params[2] == pytest.approx(0.066, abs=5e-4)


def test_four_observations_of_fe1_are_separated() -> None:
    X, y, _ = table("x1 x2 | i j", FE1)
    s = separability(X, y, family="poisson")
    assert s.separated_rows.size == 4
    assert np.all(X[s.separated_rows, 1] > 0)  # all with x2 above zero, and no others


def test_weights_offsets_and_exposures_leave_the_rest_finite() -> None:
    X, y, _ = table(*PUBLISHED["example1"][:2])
    rows, columns = separability(X, y, family="poisson").limiting_design()
    rest, rng = X[rows][:, columns], np.random.default_rng(0)
    for options in (
        {"freq_weights": rng.integers(1, 4, rows.sum())},
        {"var_weights": rng.uniform(0.1, 3, rows.sum())},
        {"offset": rng.normal(size=rows.sum())},
        {"exposure": rng.uniform(1, 9, rows.sum())},
    ):
        fit = poisson(rest, y[rows], **options)
        assert np.abs(fit.params).max() < 10
        whole = {key: np.insert(values, np.flatnonzero(~rows), values[0]) for key, values in options.items()}
        assert_allclose(poisson(X, y, **whole).params[3:], fit.params[2:], atol=1e-6)


def test_two_classes_and_the_forms_of_x() -> None:
    X, y = datasets.endometrial()
    for form in (X, sparse.csr_matrix(X), X.astype(np.float32)):
        rows, columns = separability(form, y).limiting_design()
        assert_array_equal(rows, X[:, 0] == 0)
        assert_array_equal(columns, [False, True, True])
    rows, columns = separability(X, y > 2, family="poisson").limiting_design()  # all counts are zero
    assert not rows.any()
    assert not columns.any()
    rows, columns = separability(X[:, 1:], y).limiting_design()
    assert rows.all()
    assert columns.all()


def test_more_than_two_classes_are_refused() -> None:
    for family in ("classes", "cumulative"):
        with pytest.raises(ValueError, match="belongs to two classes or to counts"):
            separability([[0], [1], [2]], [0, 1, 2], family=family).limiting_design()
