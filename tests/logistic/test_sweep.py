"""Sums at many points: those of each point, and finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from logistic_cases import noisy
from numpy.testing import assert_allclose
from scipy import sparse

from discriminant.logistic.firth import FirthCriterion
from discriminant.logistic.likelihood import Likelihood
from discriminant.logistic.sweep import Sweep

Rng = np.random.Generator


@pytest.fixture
def sweep(rng: Rng) -> Sweep:
    X, y = noisy(rng, 700, 3)
    likelihood = Likelihood(X + 2, y.astype(np.int32), rng.uniform(0.5, 2, size=700), 1, 0.0)
    return Sweep(likelihood, 0.3 * rng.normal(size=4), rng.normal(size=(4, 4)))


def test_a_sweep_is_the_likelihood_at_every_point(rng: Rng, sweep: Sweep) -> None:
    U = rng.normal(size=(5, 4))
    U[4] *= 300  # scores far out
    sparse_rows = Likelihood(sparse.csr_matrix(sweep.likelihood.X), *_rest(sweep.likelihood))
    for used in (sweep, Sweep(sparse_rows, sweep.a, sweep.T)):
        values, gradients, informations = used.look(U)
        for k, u in enumerate(U):
            a = (sweep.a + sweep.T @ u)[None]
            look = sweep.likelihood.look(a)
            assert_allclose(values[k], look.value, rtol=1e-12)
            assert_allclose(gradients[k], sweep.T.T @ look.gradient[0], rtol=1e-9, atol=1e-9)
            assert_allclose(informations[k], sweep.T.T @ sweep.likelihood.hessian(a) @ sweep.T, rtol=1e-9, atol=1e-9)


def _rest(likelihood: Likelihood) -> tuple[Any, ...]:
    return likelihood.own, likelihood.v, 1, 0.0, likelihood.center


def test_the_gradient_of_the_penalty_is_that_of_firths_criterion(rng: Rng, sweep: Sweep) -> None:
    U = 0.5 * rng.normal(size=(3, 4))
    pulls = sweep.penalty_gradients(U, np.linalg.inv(sweep.look(U).informations))
    criterion = FirthCriterion(sweep.likelihood)
    for u, pull in zip(U, pulls, strict=True):
        a = (sweep.a + sweep.T @ u)[None]
        place = criterion.place(a)
        assert place is not None
        wanted = criterion.gradient(a, place) - place.look.gradient[0]
        assert_allclose(pull, sweep.T.T @ wanted, rtol=1e-8, atol=1e-10)


def test_third_derivatives_are_differences_of_the_informations(rng: Rng, sweep: Sweep) -> None:
    Q, h = rng.normal(size=(3, 4)), 1e-5
    for q, bend in zip(Q, sweep.third_derivatives(Q), strict=True):
        up, down = sweep.look(np.array([h * q, -h * q])).informations
        assert_allclose(bend, (up - down) @ q / (2 * h), rtol=1e-6, atol=1e-4)
