"""The least-squares solver: every way against LAPACK, and the choice between them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import Ridge

from discriminant import (
    FisherDiscriminant,
    GradientDescent,
    HoKashyap,
    LeastSquares,
    LeastSquaresRegressor,
    LinearProgram,
    NewtonDescent,
    RecursiveLeastSquares,
    RidgeRegressor,
    WidrowHoff,
    WidrowHoffRegressor,
)
from discriminant._engine.driver import Watch
from discriminant._engine.moments import moments
from discriminant.squared_error import solver as _squares
from discriminant.squared_error.solver import solve


def reference(X: NDArray[Any], T: NDArray[Any], v: NDArray[Any] | None, alpha: float) -> NDArray[Any]:
    """LAPACK's minimum-norm solution, or scikit-learn's ridge."""
    root = np.ones((len(X), 1)) if v is None else np.sqrt(v)[:, None]
    if alpha == 0:
        return np.linalg.lstsq(root * np.c_[np.ones(len(X)), X], root * T, rcond=None)[0]
    ridge = Ridge(alpha=alpha, solver="svd").fit(X, T, sample_weight=v)
    return np.vstack([ridge.intercept_, ridge.coef_.T])


SHAPES = {"tall": (400, 7), "square": (30, 30), "wide": (20, 50), "one column": (50, 1), "two rows": (2, 3)}


@pytest.mark.parametrize("alpha", [0.0, 0.7])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_agrees_with_the_oracle(
    shape: tuple[int, int], kind: str, weighted: bool, alpha: float, rng: np.random.Generator
) -> None:
    X, T = rng.normal(size=shape), rng.normal(size=(shape[0], 2))
    v = rng.uniform(0.1, 2, shape[0]) if weighted else None
    answer = solve(X if kind == "dense" else sparse.csr_array(X), T, v, alpha)
    np.testing.assert_allclose(answer.weights, reference(X, T, v, alpha), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("shape", [(200, 6), (5, 12)], ids=["tall", "wide"])
def test_rank_deficient_data_give_the_shortest_answer(
    shape: tuple[int, int], kind: str, rng: np.random.Generator
) -> None:
    X = rng.normal(size=shape)
    X = np.c_[X, X[:, 0], np.ones(shape[0])]
    X = np.vstack([X, X[:1]])  # a repeated row with another target: the dual is singular too
    T = rng.normal(size=(len(X), 1))
    answer = solve(X if kind == "dense" else sparse.csr_array(X), T)
    assert answer.solver == "svd"
    assert answer.rank == np.linalg.matrix_rank(np.c_[np.ones(len(X)), X])
    np.testing.assert_allclose(answer.weights, reference(X, T, None, 0.0), rtol=1e-8, atol=1e-10)


def test_ill_conditioned_data(rng: np.random.Generator) -> None:
    U, _, Vt = np.linalg.svd(rng.normal(size=(300, 8)), full_matrices=False)
    X, T = U * np.logspace(0, -8, 8) @ Vt, rng.normal(size=(300, 1))
    answer = solve(X, T)
    Y = np.c_[np.ones(300), X]
    assert answer.solver == "svd"
    assert answer.condition > 1e7
    np.testing.assert_allclose(Y @ answer.weights, Y @ reference(X, T, None, 0.0), atol=1e-8)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize("shape", [(300, 5), (10, 40)], ids=["tall", "wide"])
def test_far_from_the_origin(shape: tuple[int, int], alpha: float, rng: np.random.Generator) -> None:
    """Fitted values do not depend on the origin, so the answer near zero is the reference."""
    X, T = rng.normal(size=shape), rng.normal(size=(shape[0], 1))
    if alpha == 0 and shape[0] < shape[1]:
        T = X[:, :1]  # interpolation: any exact solution fits
    far = X + 1e6
    near, moved = solve(X, T, None, alpha).weights, solve(far, T, None, alpha).weights
    fit = far @ moved[1:] + moved[0]
    np.testing.assert_allclose(fit, X @ near[1:] + near[0], atol=2e-7)


def test_lsqr_on_a_large_sparse_matrix(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_squares, "WIDE", 20)
    for shape in ((400, 60), (60, 200)):
        X = sparse.random_array(shape, density=0.2, format="csr", rng=rng)
        T, v = rng.normal(size=(shape[0], 2)), rng.uniform(0.5, 2, shape[0])
        for alpha in (0.0, 0.5):
            answer = solve(X, T, v, alpha)
            assert answer.solver == "lsqr"
            np.testing.assert_allclose(answer.weights, reference(X.toarray(), T, v, alpha), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("shape", [(500, 4), (8, 20)])
@pytest.mark.parametrize("alpha", [0.0, 2.0])
def test_criterion_and_gradient_are_those_of_the_answer(
    shape: tuple[int, int], alpha: float, rng: np.random.Generator
) -> None:
    X, T, v = rng.normal(size=shape), rng.normal(size=(shape[0], 1)), rng.uniform(0.5, 2, shape[0])
    answer = solve(X, T, v, alpha)
    Y = np.c_[np.ones(shape[0]), X]
    r = Y @ answer.weights - T
    w = answer.weights[1:]
    value = np.sum(v * r[:, 0] ** 2) + alpha * np.sum(w**2)
    gradient = 2 * (Y.T * v) @ r + 2 * alpha * np.vstack([[0.0], w])
    assert answer.criterion == pytest.approx(value, rel=1e-9, abs=1e-18)
    assert np.linalg.norm(gradient) < 1e-9
    assert answer.gradient < 1e-9


@pytest.mark.parametrize(("kind", "offset"), [("dense", 0.0), ("dense", 1e7), ("csr", 0.0)])
def test_moments_in_blocks(kind: str, offset: float, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discriminant._engine.threads.BLOCK", 7)
    X, T, v = rng.normal(size=(50, 3)) + offset, rng.normal(size=(50, 2)), rng.uniform(0.5, 2, 50)
    m = moments(sparse.csr_array(X) if kind == "csr" else X, T, v)
    mean = v @ X / v.sum()
    np.testing.assert_allclose(m.mean, mean)
    np.testing.assert_allclose(m.scatter, ((X - mean).T * v) @ (X - mean), rtol=1e-7)
    np.testing.assert_allclose(m.cross, ((X - mean).T * v) @ (T - v @ T / v.sum()), atol=1e-6)


def test_same_bits_whatever_the_number_of_threads(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    X, T = rng.normal(size=(40_000, 12)), rng.normal(size=(40_000, 1))
    answers = []
    for threads in (1, 2, 5):
        monkeypatch.setattr("discriminant._engine.threads.os.cpu_count", lambda threads=threads: threads)
        answers.append(solve(X, T).weights)
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])


def test_float32_is_summed_in_double(rng: np.random.Generator) -> None:
    X = rng.normal(size=(5000, 3)).astype(np.float32)
    T = rng.normal(size=(5000, 1))
    np.testing.assert_allclose(solve(X, T).weights, reference(X.astype(np.float64), T, None, 0.0), rtol=1e-9)


# Numbers at the ends of their range, in every procedure that lives on squares or linear programs

PROCEDURES: list[Any] = [
    GradientDescent(max_iter=20), GradientDescent(criterion="hinge", max_iter=20), NewtonDescent(),
    NewtonDescent(criterion="mean_squared"), NewtonDescent(criterion="logistic", max_iter=20),
    WidrowHoff(max_iter=10), WidrowHoff(batch=True, max_iter=10), WidrowHoffRegressor(max_iter=10),
    WidrowHoff(batch=True, schedule="optimal", max_iter=10), RecursiveLeastSquares(), HoKashyap(max_iter=20),
    FisherDiscriminant(),
    FisherDiscriminant(shrinkage="auto"), RidgeRegressor(), RidgeRegressor(kernel="gaussian"), LeastSquares(),
    LeastSquares(targets="fisher"), LeastSquaresRegressor(), LinearProgram(),
]  # fmt: skip
TINY = 5e-324


@pytest.mark.parametrize("model", PROCEDURES, ids=repr)
@pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
def test_extreme_numbers_give_an_answer_or_a_remedy(model: Any, rng: np.random.Generator) -> None:
    """No numpy warning, no foreign error, nothing that is not finite; and some of these can be answered."""
    y = np.arange(16) % 2
    X = rng.normal(size=(16, 3)) + 2 * y[:, None]
    weights = [np.full(16, TINY), np.where(y, TINY, 1.0), np.full(16, 1e-300), np.full(16, 1e300), np.full(16, 1.7e308)]
    cases: list[tuple[Any, Any]] = [(X, weight) for weight in weights]
    cases += [(scale * X, None) for scale in (1e-310, 1e-300, 1e-150, 1e150, 1e300)]
    cases += [(sparse.csr_array(1e-300 * X), None), ((1e-42 * X).astype(np.float32), None)]
    answered = 0
    for data, weight in cases:
        if weight is not None and getattr(model, "shrinkage", None) == "auto":
            continue
        refused = None
        try:
            model.fit(data, y, weight) if weight is not None else model.fit(data, y)
        except ValueError as error:
            refused = error
        if refused is not None:
            assert not isinstance(refused, np.linalg.LinAlgError)
            assert re.search("give|[Dd]ivide|multiply|[Ss]cale|[Tt]ake", str(refused)), refused
            continue
        answered += 1
        assert np.all(np.isfinite(getattr(model, "weights_", model.intercept_)))
        assert np.all(np.isfinite(np.asarray(model.predict(data), float)))
        str(model.report_)
    assert answered >= 2


@pytest.mark.parametrize("model", PROCEDURES, ids=repr)
@pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning", "ignore::discriminant.FitInterruptedWarning")
def test_ctrl_c_in_the_first_pass(model: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pressed before anything is known: the start vector, or KeyboardInterrupt from what has nothing before its end."""

    @contextmanager
    def pressed() -> Iterator[Watch]:
        watch = Watch()
        watch.interrupted = True
        yield watch

    for name, module in list(sys.modules.items()):
        if name.startswith("discriminant.") and hasattr(module, "watching"):
            monkeypatch.setattr(module, "watching", pressed)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
    direct = isinstance(model, LeastSquares | FisherDiscriminant | LinearProgram)
    with pytest.raises(KeyboardInterrupt) if direct else nullcontext():
        model.fit(X, y)
    if not direct:
        assert model.predict(X).shape == (40,)
