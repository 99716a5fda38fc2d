"""The bounds hold on plain runs, and their closed forms are the minima they claim to be."""

import copy
import itertools
import math
import pickle
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from bound_cases import OR_X, OR_Y, dot, normalized, points, radius_perceptron, vectors
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize_scalar

from discriminant import bounds, samples


def fixed_increment(Y, a, eta=1, margin=0):
    """Algorithm 5 with constant η in exact arithmetic: the number of corrections."""
    a, corrections, clean = list(map(Fraction, a)), 0, False
    while not clean:
        clean = True
        for y in Y:
            if dot(a, y) <= margin:
                a, corrections, clean = [p + eta * q for p, q in zip(a, y, strict=True)], corrections + 1, False
    return corrections


def kesler_increment(X, labels, c):
    """Eq. 115 from zero: the number of corrections."""
    Y = [(1, *map(int, x)) for x in X]
    a, corrections, clean = [[0] * len(Y[0]) for _ in range(c)], 0, False
    while not clean:
        clean = True
        for y, i in zip(Y, labels, strict=True):
            j = max((j for j in range(c) if j != i), key=lambda j: dot(a[j], y))
            if dot(a[i], y) <= dot(a[j], y):
                a[i] = [p + q for p, q in zip(a[i], y, strict=True)]
                a[j] = [p - q for p, q in zip(a[j], y, strict=True)]
                corrections, clean = corrections + 1, False
    return corrections


class TestPerceptron:
    def test_or(self):
        bound = bounds.perceptron(OR_X, OR_Y, [-1, 2, 2])
        assert bound == 27
        assert (bound.corrections, bound.alpha, bound.gamma) == (27, 3.0, 1.0)
        assert bound.beta == math.sqrt(3)
        assert fixed_increment(normalized(OR_X, OR_Y), (0, 0, 0)) == 9

    def test_the_slides_eight_points_obey_it(self):
        X = [(1, 6), (7, 2), (8, 9), (9, 9), (2, 1), (2, 2), (2, 4), (7, 1)]
        y = [1, 1, 1, 1, 0, 0, 0, 0]
        assert fixed_increment(normalized(X, y), (1, 1, 1)) == 180
        assert bounds.perceptron(X, y, [-37, 4, 6], start=[1, 1, 1]).corrections >= 180

    @given(points, vectors, vectors, st.integers(1, 3), st.integers(0, 4))
    def test_no_run_exceeds_it(self, X, a, start, eta, margin):
        y = [int(dot(a, (1, *x)) > 0) for x in X]
        assume(len(set(y)) == 2 and all(dot(a, (1, *x)) for x in X))
        bound = bounds.perceptron(X, y, a, start=start, eta=eta, margin=margin)
        assert fixed_increment(normalized(X, y), start, eta, margin) <= bound.corrections

    @given(points, vectors, vectors, st.floats(0.1, 10), st.floats(0, 10))
    def test_it_is_the_minimum_over_alpha(self, X, a, start, eta, margin):
        y = [int(dot(a, (1, *x)) > 0) for x in X]
        assume(len(set(y)) == 2 and all(dot(a, (1, *x)) for x in X))
        bound = bounds.perceptron(X, y, a, start=start, eta=eta, margin=margin)
        beta2, gamma = max(dot(p, p) for p in normalized(X, y)), min(dot(a, p) for p in normalized(X, y))
        need = (beta2 + 2 * margin / eta) / (2 * gamma)

        def k0(alpha):
            return np.sum((np.array(start) / eta - alpha * np.array(a)) ** 2) / (2 * gamma * (alpha - need))

        found = minimize_scalar(lambda s: k0(need + math.exp(s)), bounds=(-30, 30), method="bounded")
        assert bound.alpha >= need * (1 - 1e-12)
        assert bound <= found.fun * (1 + 1e-9) + 1e-9
        if np.linalg.norm(np.array(start) / eta - need * np.array(a)) > 1e-6:
            assert bound == pytest.approx(k0(bound.alpha), rel=1e-6, abs=1e-6)

    def test_a_start_far_along_the_solution(self):
        """With â = (−1, 2, 2), length 3, and t = 9/2: k₀ = 3(√(s² + 2) − s), s = 3·10⁹ − 9/2, which is about 3/s."""
        bound = bounds.perceptron(OR_X, OR_Y, [-1, 2, 2], start=[-1e9, 2e9 + 1, 2e9 - 1])
        assert bound == pytest.approx(3 / (3e9 - 4.5), rel=1e-9)

    @given(points, vectors)
    def test_zero_start_is_correctly_rounded(self, X, a):
        y = [int(dot(a, (1, *x)) > 0) for x in X]
        assume(len(set(y)) == 2 and all(dot(a, (1, *x)) for x in X))
        Y = normalized(X, y)
        exact = Fraction(max(dot(p, p) for p in Y) * dot(a, a), min(dot(a, p) for p in Y) ** 2)
        assert bounds.perceptron(X, y, a) == float(exact)

    @given(points, st.lists(vectors, min_size=3, max_size=3))
    def test_many_classes_obey_keslers_bound(self, X, machine):
        g = np.array([[dot(a, (1, *x)) for a in machine] for x in X])
        labels = g.argmax(axis=1)
        ordered = np.sort(g, axis=1)
        assume(len(set(labels)) == 3 and (ordered[:, -1] > ordered[:, -2]).all())
        bound = bounds.perceptron(X, labels, machine)
        rows = []
        for x, i in zip(X, labels, strict=True):
            for j in {0, 1, 2} - {int(i)}:
                row = np.zeros((3, 3))
                row[i], row[j] = (1, *x), -np.array((1, *x))
                rows.append(row.ravel())
        rows, a = np.array(rows), np.ravel(machine)
        assert bound == pytest.approx((rows**2).sum(axis=1).max() * (a @ a) / (rows @ a).min() ** 2, rel=1e-12)
        assert bound.beta == pytest.approx(np.sqrt((rows**2).sum(axis=1).max()))
        assert kesler_increment(X, labels, 3) <= bound.corrections

    def test_solutions_come_in_many_forms(self):
        expected = bounds.perceptron(OR_X, OR_Y, [-1, 2, 2])
        for name in ("weights_", "a", "weights"):
            assert bounds.perceptron(OR_X, OR_Y, SimpleNamespace(**{name: np.array([-1, 2, 2])})) == expected
        assert bounds.perceptron(OR_X, OR_Y, [[-1, 2, 2]]) == expected
        assert bounds.perceptron(OR_X, np.array(["no", "yes", "yes", "yes"]), [-1, 2, 2]) == expected

    @pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, bool])
    @pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csr_matrix, sparse.coo_array])
    def test_storage_does_not_matter(self, form, dtype):
        start = [0.3, -1.0, 0.2]
        expected = bounds.perceptron(OR_X, OR_Y, [-1, 2, 2], start=start, margin=0.5)
        assert bounds.perceptron(form(OR_X.astype(dtype)), OR_Y, [-1, 2, 2], start=start, margin=0.5) == expected

    def test_float32_is_measured_in_float64(self, rng):
        X = rng.standard_normal((50, 3)).astype(np.float32)
        a = np.array([0.1, 1, -2, 3])
        y = (X.astype(float) @ a[1:] + a[0] > 0).astype(int)
        assert bounds.perceptron(X, y, a) == bounds.perceptron(X.astype(np.float64), y, a)

    def test_repeated_csr_entries_add_up_and_stay(self):
        X = sparse.csr_array((np.array([1.0, 2.0, 1.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
        assert bounds.radius(X) == 3.0
        dense = np.array([[3.0, 0.0], [0.0, 1.0]])
        assert bounds.perceptron(X, [1, 0], [-1, 1, -1]) == bounds.perceptron(dense, [1, 0], [-1, 1, -1])
        assert X.nnz == 3

    def test_blocks_do_not_matter(self, rng, monkeypatch):
        X, a = rng.standard_normal((100, 3)), np.array([0.1, 1, -2, 3])
        y = (X @ a[1:] + a[0] > 0).astype(int)
        whole = bounds.perceptron(X, y, a), bounds.radius(X)
        monkeypatch.setattr(samples, "BLOCK_SIZE", 7)
        assert (bounds.perceptron(X, y, a), bounds.radius(X)) == pytest.approx(whole, rel=1e-14)

    @pytest.mark.parametrize("power", [-600, 600])
    def test_a_solution_of_any_size_gives_the_same_bound(self, power):
        start = [0.3, -1.0, 0.2]
        scaled = np.ldexp(np.array([-1.0, 2.0, 2.0]), power)
        for kwargs in ({}, {"start": start}, {"start": start, "eta": 0.5, "margin": 2.0}):
            bound, expected = (
                bounds.perceptron(OR_X, OR_Y, scaled, **kwargs),
                bounds.perceptron(OR_X, OR_Y, [-1, 2, 2], **kwargs),
            )
            assert bound == expected
            assert bound.gamma == math.ldexp(expected.gamma, power)
            assert bound.alpha == pytest.approx(math.ldexp(expected.alpha, -power), rel=1e-15)

    def test_huge_patterns(self):
        bound = bounds.perceptron([[3e200, 4e200], [-3e200, 4e200]], [1, 0], [0, 1, 0])
        assert bound == pytest.approx(25 / 9)
        assert bound.beta == pytest.approx(5e200)

    def test_from_numbers_agrees_with_the_data(self):
        for kwargs in ({}, {"start": [1, 1, 1]}, {"start": [1, -1, 0], "eta": 0.1, "margin": 0.3}):
            full = bounds.perceptron(OR_X, OR_Y, [-1, 2, 2], **kwargs)
            short = bounds.perceptron_from_numbers([-1, 2, 2], full.beta, full.gamma, **kwargs)
            assert short == pytest.approx(full, rel=1e-14)
            assert short.corrections == full.corrections
            assert (short.alpha, short.beta, short.gamma) == pytest.approx((full.alpha, full.beta, full.gamma))

    def test_rounding_never_loses_a_correction(self):
        assert bounds.PerceptronBound(math.nextafter(27, 0), 1.0, 1.0, 1.0).corrections == 27
        assert bounds.PerceptronBound(26.9, 1.0, 1.0, 1.0).corrections == 26

    def test_copies_keep_everything(self):
        bound = bounds.perceptron(OR_X, OR_Y, [-1, 2, 2])
        for other in (copy.deepcopy(bound), pickle.loads(pickle.dumps(bound))):
            assert (other, other.alpha, other.beta, other.gamma) == (bound, bound.alpha, bound.beta, bound.gamma)

    @pytest.mark.parametrize(
        ("kwargs", "words"),
        [
            ({"solution": [1, 0, 0]}, "solution does not separate: gamma = -1 "),
            ({"solution": [0, 1, 1]}, "gamma = 0 must be positive"),
            ({"solution": [0, 0, 0]}, "gamma = 0 must be positive"),
            ({"solution": [-1, 2]}, "solution has 2 weights"),
            ({"solution": [[-1, 2, 2]] * 3}, "for 3 classes, .* y 2 classes"),
            ({"solution": [-1, 2, np.nan]}, "solution must be finite"),
            ({"solution": "abc"}, "solution must hold real numbers"),
            ({"y": [0, 1, 1]}, r"y has shape \(3,\)"),
            ({"y": [0, 1, 2, 2]}, "for 2 classes, .* y 3 classes"),
            ({"X": [[0, 0], [0, np.nan], [1, 0], [1, 1]]}, "X must be finite"),
            ({"X": [0, 0, 1, 1]}, r"X has shape \(4,\)"),
            ({"X": np.empty((0, 2)), "y": []}, r"X has shape \(0, 2\)"),
            ({"start": [1, 2]}, "start has 2 weights, the solution 3"),
            ({"start": [1, 2, np.inf]}, "start must be finite"),
            ({"eta": 0}, "eta=0 must be a number > 0"),
            ({"eta": "fast"}, "eta='fast' must be a number"),
            ({"margin": -1}, "margin=-1 must be a number >= 0"),
            ({"margin": np.inf}, "margin=inf must be a number"),
        ],
    )
    def test_bad_input(self, kwargs, words):
        with pytest.raises(ValueError, match=words):
            bounds.perceptron(**{"X": OR_X, "y": OR_Y, "solution": [-1, 2, 2], **kwargs})

    @pytest.mark.parametrize(("beta", "gamma", "words"), [(0, 1, "beta=0"), (1, 0, "gamma=0"), (1, -2, "=-2")])
    def test_bad_numbers(self, beta, gamma, words):
        with pytest.raises(ValueError, match=words):
            bounds.perceptron_from_numbers([1, 1], beta, gamma)


class TestLearningMachines:
    def test_numbers(self):
        assert bounds.novikoff(2, 0.5) == 64
        assert bounds.freund_schapire(2, 1, 0.5) == 144
        assert bounds.freund_schapire(2, 0, 0.5) == bounds.novikoff(2, 0.5) == bounds.embedding_strength(2, 0.5)
        assert bounds.novikoff(1e300, 1e-300) == math.inf

    @given(st.integers(0, 2**32))
    def test_novikoff_holds(self, seed):
        rng = np.random.default_rng(seed)
        X = rng.uniform(-1, 1, (30, 2))
        w, b = np.array([math.cos(seed), math.sin(seed)]), rng.uniform(-0.3, 0.3)
        g = X @ w + b
        X, g = X[np.abs(g) > 0.1], g[np.abs(g) > 0.1]
        assume(abs(b) <= bounds.radius(X))
        assert radius_perceptron(X, np.sign(g)) <= bounds.novikoff(bounds.radius(X), np.abs(g).min())

    @given(st.integers(0, 2**32))
    def test_freund_schapire_holds_in_the_first_pass(self, seed):
        rng = np.random.default_rng(seed)
        X = rng.uniform(-1, 1, (40, 2))
        w = np.array([math.cos(seed), math.sin(seed)])
        z = np.where((X @ w > 0) ^ (rng.uniform(size=40) < 0.05), 1, -1)
        D = np.linalg.norm(np.maximum(0, 0.5 - z * (X @ w)))
        assert radius_perceptron(X, z, passes=1) <= bounds.freund_schapire(bounds.radius(X), D, 0.5)

    @pytest.mark.parametrize(
        ("call", "words"),
        [
            (lambda: bounds.novikoff(0, 1), "R=0 must be a number > 0"),
            (lambda: bounds.novikoff(1, -1), "gamma=-1 must be a number > 0"),
            (lambda: bounds.novikoff(math.nan, 1), "R=nan must be a number"),
            (lambda: bounds.freund_schapire(1, -1, 1), "D=-1 must be a number >= 0"),
            (lambda: bounds.embedding_strength(None, 1), "R=None must be a number"),
        ],
    )
    def test_bad_input(self, call, words):
        with pytest.raises(ValueError, match=words):
            call()


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_radius(form, scale):
    assert bounds.radius(form(scale * np.array([[3.0, 4.0], [0.0, -2.0]]))) == pytest.approx(5 * scale)
    assert bounds.radius(form(np.zeros((2, 2)))) == 0


def test_support_vector():
    assert bounds.support_vector(SimpleNamespace(alpha_=np.array([0.1, 0, 0.1]))) == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="must have one alpha_"):
        bounds.support_vector(SimpleNamespace())


class TestCover:
    def test_points_on_a_line_by_enumeration(self):
        for n in range(1, 9):
            labelings = list(itertools.product((0, 1), repeat=n))
            separable = sum(sum(p != q for p, q in itertools.pairwise(labels)) <= 1 for labels in labelings)
            assert bounds.cover(n, 1) == separable / len(labelings)

    @given(st.integers(1, 60), st.integers(1, 60))
    def test_it_is_the_formula(self, n, d):
        exact = Fraction(sum(math.comb(n - 1, i) for i in range(d + 1)), 2 ** (n - 1))
        assert bounds.cover(n, d) == float(exact)
        assert bounds.cover(n, d + 1, intercept=False) == bounds.cover(n, d)

    @pytest.mark.parametrize("d", [5, 900, 1400, 1500, 1501, 1600, 2990])
    def test_large_n_agrees_with_integers(self, d, monkeypatch):
        approximate = bounds.cover(3001, d)
        monkeypatch.setattr(bounds, "EXACT_COUNTS", 10_000)
        assert approximate == pytest.approx(bounds.cover(3001, d), rel=1e-9)

    def test_capacity(self):
        assert bounds.cover(1_000_000, 499_999) == pytest.approx(0.5, abs=1e-12)
        assert bounds.cover(1_000_000, 400_000) == 0
        assert bounds.cover(1_000_000, 600_000) == 1
        assert bounds.cover(3, 2) == 1

    @pytest.mark.parametrize(("n", "d", "words"), [(0, 1, "n=0"), (1.5, 1, "n=1.5"), (3, 0, "d=0"), (3, "2", "d='2'")])
    def test_bad_input(self, n, d, words):
        with pytest.raises(ValueError, match=words):
            bounds.cover(n, d)
