"""Every known answer is found again by means of its own: exact arithmetic, a linear program, a plain run."""

import copy
import itertools
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from discriminant import datasets

BOOKS = [
    "pseudoinverse_example",
    "xor_signed",
    "hessian_example",
    "inseparable_six",
    "margin_six",
    "symmetric_six",
    "slides_eight",
    "slides_five",
    "half_space_example",
    "collinear_three",
    "perceptron_example",
    "svm_three",
    "logistic_four",
    "or_function",
    "and_function",
    "xor",
    "parity",
    "boolean",
]
PAIRS = list(itertools.permutations([1, 2, 3, 4], 2))
SMALL = [datasets.load(name) for name in BOOKS] + [datasets.table(*pair) for pair in PAIRS]
each_small = pytest.mark.parametrize("dataset", SMALL, ids=[d.name for d in SMALL])


def patterns(dataset):
    """The patterns y as fractions of the decimals that the book prints, those of class 0 negated."""
    signs = 2 * dataset.y - 1
    return [
        [int(z) * v for v in (1, *(Fraction(str(x)) for x in row))] for row, z in zip(dataset.X, signs, strict=True)
    ]


def dot(a, y):
    return sum(p * q for p, q in zip(a, y, strict=True))


def add(a, y):
    return [p + q for p, q in zip(a, y, strict=True)]


def verdict(Z):
    """Maximize Σu with z_i b ≥ u_i, 0 ≤ u ≤ 1: u is 1 on the separated rows and 0 on the others."""
    Z = sparse.csr_array(Z, dtype=float)
    n, p = Z.shape
    found = linprog(
        np.repeat([0.0, -1.0], [p, n]),
        A_ub=sparse.hstack([-Z, sparse.eye_array(n)]),
        b_ub=np.zeros(n),
        bounds=[(None, None)] * p + [(0, 1)] * n,
    )
    assert found.status == 0
    separated = found.x[p:] > 0.5
    return "complete" if separated.all() else "quasi" if separated.any() else "overlap"


def two_class(X, positive):
    return np.where(positive, 1, -1)[:, None] * np.column_stack([np.ones(len(X)), X])


def kesler(X, y):
    classes, Y = np.unique(y), np.column_stack([np.ones(len(X)), X])
    rows = []
    for label, pattern in zip(y, Y, strict=True):
        for rival in classes[classes != label]:
            rows.append(np.kron((classes == label).astype(int) - (classes == rival), pattern))
    return np.array(rows)


def batch_perceptron(Y):
    a, steps = [0] * len(Y[0]), 0
    while wrong := [y for y in Y if dot(a, y) <= 0]:
        a, steps = add(a, [sum(column) for column in zip(*wrong, strict=True)]), steps + 1
    return a, steps


def fixed_increment(Y, a):
    """Algorithm 4: (the weights after each correction, the weights at the start of each pass), ending at a repeat."""
    path, starts = [list(a)], []
    while path[-1] not in starts:
        starts.append(path[-1])
        for y in Y:
            if dot(path[-1], y) <= 0:
                path.append(add(path[-1], y))
    return path, [*starts, path[-1]]


class TestDataset:
    def test_it_unpacks(self):
        dataset = datasets.xor()
        X, y = dataset
        assert X is dataset.X
        assert y is dataset.y

    def test_answers_are_attributes_and_read_only(self):
        dataset = datasets.or_function()
        assert dataset.corrections == dataset.answers["corrections"] == 9
        assert "corrections" in dir(dataset)
        with pytest.raises(TypeError):
            dataset.answers["corrections"] = 8
        with pytest.raises(AttributeError):
            dataset.corrections = 8
        with pytest.raises(AttributeError, match="or_function has no 'no_such_answer'; its answers are separable"):
            _ = dataset.no_such_answer

    def test_copies(self):
        for dataset in (datasets.xor_signed(), datasets.gaussian_pair(random_state=0)):
            for other in (pickle.loads(pickle.dumps(dataset)), copy.deepcopy(dataset)):
                np.testing.assert_array_equal(other.X, dataset.X)
                assert list(other.answers) == list(dataset.answers)
                assert repr(other) == repr(dataset)

    def test_each_call_gives_its_own_arrays(self):
        datasets.table(1, 2).X[:] = 0
        datasets.table(1, 2).solution[:] = 0
        assert datasets.table(1, 2).X.any()
        assert datasets.table(1, 2).solution.any()


class TestNames:
    @pytest.mark.parametrize("name", datasets.names())
    def test_all_load(self, name):
        dataset = datasets.load(name)
        n, d = dataset.X.shape
        assert dataset.name == name
        assert dataset.X.dtype == np.float64
        assert dataset.X.flags.c_contiguous
        assert dataset.y.shape == (n,)
        assert len(dataset.feature_names) == d
        assert dataset.source
        assert dataset.description
        if "regression" not in name and "gradient" not in name:
            assert dataset.y.dtype.kind == "i"
            assert len(dataset.target_names) == len(np.unique(dataset.y))

    def test_arguments_are_passed_on(self):
        assert datasets.load("table", 1, 3).separable is False
        assert datasets.load("parity", d=4).X.shape == (16, 4)

    def test_unknown(self):
        with pytest.raises(ValueError, match="name = 'irises' is no data set; give one of table"):
            datasets.load("irises")

    def test_names_are_public(self):
        assert set(datasets.names()) < set(datasets.__all__)


class TestAnswers:
    @each_small
    def test_solutions_separate_and_proofs_prove(self, dataset):
        Y = patterns(dataset)
        if dataset.separable:
            assert all(dot(map(Fraction, dataset.solution.tolist()), y) > 0 for y in Y)
        else:
            assert "solution" not in dataset.answers
            rows, weights = dataset.support, [Fraction(v).limit_denominator(1000) for v in dataset.multipliers]
            assert [sum(itertools.compress(weights, dataset.y[rows] == label)) for label in (0, 1)] == [1, 1]
            assert min(weights) > 0
            for column in zip(*[Y[i] for i in rows], strict=True):
                assert dot(weights, column) == 0
            sides = [dataset.y[rows] == label for label in (0, 1)]
            for side in sides:
                hull = dataset.multipliers[side] @ dataset.X[rows[side]]
                np.testing.assert_allclose(hull, dataset.point, rtol=1e-14, atol=1e-14)

    @each_small
    def test_verdicts(self, dataset):
        assert verdict(two_class(dataset.X, dataset.y == 1)) == dataset.verdict

    @each_small
    def test_least_squares_and_fewest_errors(self, dataset):
        Y = two_class(dataset.X, dataset.y == 1)
        if "mse" in dataset.answers:
            np.testing.assert_allclose(np.linalg.lstsq(Y, np.ones(len(Y)))[0], dataset.mse, rtol=1e-12)
        if dataset.answers.get("fewest_errors") == 1:
            assert any(verdict(np.delete(Y, i, axis=0)) == "complete" for i in range(len(Y)))
        if "min_perceptron_criterion" in dataset.answers:
            n, p = Y.shape
            found = linprog(
                np.repeat([0.0, 1.0], [p, n]),
                A_ub=-np.hstack([Y, np.eye(n)]),
                b_ub=-np.ones(n),
                bounds=[(None, None)] * p + [(0, None)] * n,
            )
            assert found.fun == pytest.approx(dataset.min_perceptron_criterion, abs=1e-9)


class TestTable:
    def test_some_cells(self):
        X, y = datasets.table()
        assert X.shape == (40, 2)
        assert y.tolist() == [*[1] * 10, *[2] * 10, *[3] * 10, *[4] * 10]
        assert X[0].tolist() == [0.1, 1.1]
        assert X[19].tolist() == [4.1, -2.2]
        assert X[22].tolist() == [2.9, 2.1]
        assert X[39].tolist() == [-8.0, -6.3]
        # The sums of the eight columns of the book's table
        assert X.reshape(4, 10, 2).sum(axis=1).round(1).tolist() == [
            [21.6, 24.9],
            [39.5, -8.4],
            [-15.7, 35.3],
            [-59.9, -61.4],
        ]

    def test_the_first_category_is_positive(self):
        dataset = datasets.table(3, 2)
        assert dataset.y.tolist() == [*[1] * 10, *[0] * 10]
        assert dataset.target_names == ("ω2", "ω3")
        np.testing.assert_array_equal(dataset.X[:10], datasets.table().X[20:30])
        assert datasets.table(4, 1, 2).y[0] == 4

    @pytest.mark.parametrize("pair", PAIRS)
    def test_batch_perceptron(self, pair):
        dataset = datasets.table(*pair)
        if not dataset.separable:
            assert set(pair) == {1, 3}
            return
        a, steps = batch_perceptron(patterns(dataset))
        assert [float(v) for v in a] == dataset.solution.tolist()
        assert steps == dataset.corrections

    def test_the_worked_numbers(self):
        assert datasets.table(1, 2).corrections == 23
        assert datasets.table(3, 2).corrections == 16
        assert datasets.table(3, 2).solution.tolist() == [19, -41.4, 48.6]
        assert round(datasets.table(1, 3).min_perceptron_criterion, 5) == 6.11668

    def test_ho_kashyap(self):
        dataset = datasets.table(4, 2)
        Y = two_class(dataset.X, dataset.y == 1)
        inverse, b, k = np.linalg.pinv(Y), np.ones(20), 1
        while not (Y @ (a := inverse @ b) > 0).all():
            e = Y @ a - b
            b, k = b + (e + np.abs(e)) / 2, k + 1
        assert k == dataset.ho_kashyap_steps

    @pytest.mark.parametrize("chosen", [*itertools.combinations([1, 2, 3, 4], 3), (1, 2, 3, 4)])
    def test_linear_machines(self, chosen):
        dataset = datasets.table(*chosen)
        X, y = dataset
        assert verdict(kesler(X, y)) == dataset.verdict
        assert (dataset.verdict == "complete") == dataset.separable
        weakest = ("overlap", "quasi", "complete")
        assert min((verdict(two_class(X, y == i)) for i in chosen), key=weakest.index) == dataset.total
        pairs = [datasets.table(*pair).verdict for pair in itertools.combinations(chosen, 2)]
        assert min(pairs, key=weakest.index) == dataset.pairwise

    @pytest.mark.parametrize("categories", [(1,), (1, 1), (0, 1), (1, 5), ("1", "2")])
    def test_bad_categories(self, categories):
        with pytest.raises(ValueError, match="categories = "):
            datasets.table(*categories)


class TestPatternClassification:
    def test_pseudoinverse(self):
        dataset = datasets.pseudoinverse_example()
        Y = two_class(dataset.X, dataset.y == 1)
        np.testing.assert_allclose(np.linalg.pinv(Y), dataset.pseudoinverse, atol=1e-14)

    def test_hessian(self):
        dataset = datasets.hessian_example()
        Y = two_class(dataset.X, dataset.y == 1)
        np.testing.assert_array_equal(2 * Y.T @ Y, dataset.hessian)
        gradient = -2 * Y.T @ np.ones(6)
        assert gradient @ gradient / (gradient @ dataset.hessian @ gradient) == pytest.approx(dataset.optimal_rate)
        assert dataset.optimal_rate == pytest.approx(0.00392907, rel=1e-5)

    def test_optimal_rate_of_eq_95(self):
        dataset = datasets.inseparable_six()
        Y = two_class(dataset.X, dataset.y == 1)
        step = Y.T @ np.abs(Y @ np.zeros(3) - 1)
        assert step @ step / ((Y @ step) @ (Y @ step)) == pytest.approx(dataset.optimal_rate)
        assert dataset.optimal_rate == pytest.approx(0.0193050, rel=1e-5)

    @pytest.mark.parametrize("t", [0.0, 0.7, 2.0])
    def test_margin_six_meets_the_kuhn_tucker_conditions(self, t):
        dataset = datasets.margin_six()
        alpha = dataset.alpha + t * dataset.alpha_direction
        self.kuhn_tucker(dataset, alpha)
        z = 2 * dataset.y - 1
        w = (alpha * z) @ dataset.X
        assert alpha.sum() - w @ w / 2 == pytest.approx(dataset.dual_value)

    def test_svm_three_meets_the_kuhn_tucker_conditions(self):
        dataset = datasets.svm_three()
        self.kuhn_tucker(dataset, dataset.alpha)

    @staticmethod
    def kuhn_tucker(dataset, alpha):
        z, w = 2 * dataset.y - 1, dataset.solution[1:]
        g = z * (dataset.X @ w + dataset.solution[0])
        assert alpha @ z == pytest.approx(0)
        assert alpha.min() >= 0
        np.testing.assert_allclose((alpha * z) @ dataset.X, w, atol=1e-15)
        assert g.min() == pytest.approx(1)
        np.testing.assert_allclose(alpha * (g - 1), 0, atol=1e-15)
        assert dataset.margin == pytest.approx(1 / np.linalg.norm(w))

    def test_xor_signed(self):
        dataset = datasets.xor_signed()
        X, z = dataset.X, 2 * dataset.y - 1
        K = (1 + X @ X.T) ** 2
        weights = dataset.alpha * z
        np.testing.assert_allclose(K @ weights, dataset.discriminant(X))
        assert 1 / math.sqrt(weights @ K @ weights) == pytest.approx(dataset.margin)

    @given(st.tuples(st.integers(-40, 40), st.integers(-40, 40)))
    def test_symmetric_six(self, c):
        """The conditions of Problem 32 against least squares itself, away from their boundaries."""
        c1, c2 = c[0] / 16, c[1] / 16
        dataset = datasets.symmetric_six((c1 + 2 * c2, 2 * c1 - 4 * c2))
        omega1 = dataset.X[:3]
        lms = np.linalg.lstsq(omega1, np.ones(3))[0]
        if np.abs(omega1 @ lms).min() > 1e-9:
            assert dataset.mse_separates == (omega1 @ lms > 0).all()
        assert dataset.separable == (max(c) > 0)
        if dataset.separable:
            assert (two_class(dataset.X, dataset.y == 1) @ dataset.solution > 0).all()
        np.testing.assert_array_equal(dataset.X[3:], -omega1)

    @pytest.mark.parametrize("third", [(1.0,), (np.nan, 1.0), ((1.0, 2.0),)])
    def test_symmetric_six_bad_point(self, third):
        with pytest.raises(ValueError, match="third = "):
            datasets.symmetric_six(third)


class TestSlides:
    def test_eight_points(self):
        dataset = datasets.slides_eight()
        path, starts = fixed_increment(patterns(dataset), [1, 1, 1])
        assert path[-1] == dataset.solution.tolist()
        assert len(path) - 1 == dataset.corrections == 180
        assert len(starts) - 1 == dataset.passes == 56
        assert (two_class(dataset.X, dataset.y == 1) @ dataset.mse <= 0).sum() == dataset.mse_errors
        assert dataset.mse.round(5).tolist() == [-1.18702, 0.07461, 0.19592]

    def test_five_points(self):
        dataset = datasets.slides_five()
        path, starts = fixed_increment(patterns(dataset), [1, 1, 1])
        assert path[:4] == dataset.path.tolist()
        assert starts[-1] == dataset.cycle_state.tolist() == [26, 15, -17]
        assert starts.index(starts[-1]) < len(starts) - 2


class TestTheoryAndPractice:
    def test_perceptron_example(self):
        dataset = datasets.perceptron_example()
        assert fixed_increment(patterns(dataset), [0, 0, 0])[0] == dataset.path.tolist()
        assert dataset.corrections == 2

    def test_or(self):
        dataset = datasets.or_function()
        Y = patterns(dataset)
        path, _ = fixed_increment(Y, [0, 0, 0])
        assert path == dataset.path.tolist()
        assert len(path) - 1 == dataset.corrections == 9
        counts = [sum(add(a, y) == b for a, b in itertools.pairwise(path)) for y in Y]
        assert counts == dataset.alpha.tolist()

    def test_or_with_the_bias_update_of_the_radius(self):
        """Table 2.2 with R² = 2: the bias moves by 2."""
        dataset = datasets.or_function()
        doubled = [[2 * y[0], *y[1:]] for y in patterns(dataset)]
        a, alpha = [0, 0, 0], [0] * 4
        while wrong := [y for y in patterns(dataset) if dot(a, y) <= 0]:
            for i, y in enumerate(patterns(dataset)):
                if dot(a, y) <= 0:
                    a, alpha[i] = add(a, doubled[i]), alpha[i] + 1
        assert not wrong
        assert a == dataset.radius_solution.tolist()
        assert alpha == dataset.radius_alpha.tolist()

    def test_other_solution(self):
        dataset = datasets.collinear_three()
        assert all(dot(dataset.other_solution, y) > 0 for y in patterns(dataset))
        half = datasets.half_space_example()
        np.testing.assert_array_equal(half.X @ half.solution[1:] + half.solution[0], half.values)

    def test_logistic_four(self):
        dataset = datasets.logistic_four()
        Y, a = np.column_stack([np.ones(4), dataset.X]), np.zeros(3)
        for step in range(1, 221):
            output = 1 / (1 + np.exp(-Y @ a))
            a = a + dataset.eta * Y.T @ ((dataset.y - output) * output * (1 - output))
            if step == 1:
                np.testing.assert_allclose(a, dataset.first_step, atol=1e-15)
            if step == 9:
                np.testing.assert_allclose(a, dataset.ninth_step, atol=1e-8)
            assert ((Y @ a > 0) == dataset.y).all() == (step == dataset.first_separated)

    def test_regression_and_gradient(self):
        X, y = datasets.regression_example()
        np.testing.assert_array_equal(X @ [1, 2], y)
        dataset = datasets.gradient_example()
        gradient = 2 * (dataset.weights @ dataset.X[0] - dataset.y[0]) * dataset.X[0]
        np.testing.assert_array_equal(gradient, dataset.gradient)

    def test_xor(self):
        dataset = datasets.xor()
        X = dataset.X
        lifted = np.column_stack([np.ones(4), X, X[:, 0] * X[:, 1]])
        assert ((lifted @ dataset.lifted_solution > 0) == dataset.y).all()
        hidden, output = dataset.network
        units = 1 / (1 + np.exp(-(1 / (1 + np.exp(-X @ hidden))) @ output))
        np.testing.assert_allclose(units.ravel(), dataset.network_outputs, atol=5e-5)


class TestBoolean:
    @pytest.mark.parametrize(("n", "threshold_functions"), [(1, 4), (2, 14), (3, 104)])
    def test_the_number_of_threshold_functions(self, n, threshold_functions):
        tables = itertools.product((0, 1), repeat=2**n)
        assert sum(datasets.boolean(values, n).separable for values in tables) == threshold_functions

    @pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
    @pytest.mark.parametrize(
        ("name", "function"),
        [
            ("or", any),
            ("and", all),
            ("nor", lambda bits: not any(bits)),
            ("nand", lambda bits: not all(bits)),
            ("xor", lambda bits: sum(bits) % 2),
            ("xnor", lambda bits: 1 - sum(bits) % 2),
            ("majority", lambda bits: 2 * sum(bits) > len(bits)),
        ],
    )
    def test_names(self, name, function, n):
        named, own = datasets.boolean(name, n), datasets.boolean(lambda *bits: function(bits), n)
        np.testing.assert_array_equal(named.y, own.y)
        assert named.separable == own.separable
        for dataset in (named, own):
            if dataset.separable:
                assert (two_class(dataset.X, dataset.y == 1) @ dataset.solution > 0).all()

    def test_rows_are_in_the_order_of_the_truth_table(self):
        assert datasets.boolean("or", 2).X.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
        np.testing.assert_array_equal(datasets.boolean("and", 2).y, datasets.and_function().y)

    @pytest.mark.parametrize("d", [1, 2, 3, 5])
    def test_parity(self, d):
        dataset = datasets.parity(d)
        assert dataset.X.shape == (2**d, d)
        assert dataset.pieces.shape == (d + 1, d + 1)
        g = dataset.pieces[:, 0] + dataset.X @ dataset.pieces[:, 1:].T
        ordered = np.sort(g, axis=1)
        assert (ordered[:, -1] > ordered[:, -2]).all()
        np.testing.assert_array_equal(dataset.piece_classes[g.argmax(axis=1)], dataset.y)
        np.testing.assert_array_equal(dataset.y, dataset.X.sum(axis=1) % 2)
        assert verdict(two_class(dataset.X, dataset.y == 1)) == dataset.verdict
        assert dataset.separable == (d == 1)

    @pytest.mark.parametrize(
        ("function", "n"), [("maybe", 2), ([0, 1], 2), ([0, 1, 2, 0], 2), (None, 2), ("or", 0), ("or", 21), ("or", 2.0)]
    )
    def test_bad_input(self, function, n):
        with pytest.raises(ValueError, match=r"function = |number of variables"):
            datasets.boolean(function, n)


class TestSeven:
    @pytest.mark.parametrize("flips", [0, 2, 5])
    def test_the_solution_separates(self, flips):
        dataset = datasets.seven(501, flips=flips, random_state=0)
        assert dataset.X.shape == (501, 36)
        assert set(np.unique(dataset.X)) == {0, 1}
        assert (two_class(dataset.X, dataset.y == 1) @ dataset.solution > 0).all()
        assert (np.abs(dataset.X[dataset.y == 1] - dataset.image.ravel()).sum(axis=1) == flips).all()

    @pytest.mark.parametrize("kwargs", [{"n": 1}, {"flips": 6}, {"flips": -1}, {"flips": 1.5}])
    def test_bad_input(self, kwargs):
        with pytest.raises(ValueError, match=f"{next(iter(kwargs))} = "):
            datasets.seven(**kwargs)


GENERATORS = ["redundant", "planted_margin", "overlap", "gaussian_pair", "seven"]


class TestGenerators:
    @pytest.mark.parametrize("name", GENERATORS)
    def test_seeds(self, name):
        def draw(random_state):
            return datasets.load(name, n=40, random_state=random_state)

        for X, y in (draw(7), draw(np.random.default_rng(7))):
            np.testing.assert_array_equal(X, draw(7).X)
            np.testing.assert_array_equal(y, draw(7).y)
        assert not np.array_equal(draw(7).X, draw(8).X)
        assert not np.array_equal(draw(None).X, draw(None).X)
        assert draw(np.random.RandomState(7)).X.shape[0] == 40
        with pytest.raises(ValueError, match="random_state = 'seed'"):
            draw("seed")

    def test_redundant(self):
        dataset = datasets.redundant(random_state=0)
        X, y = dataset
        assert X.shape == (2000, 100)
        assert y.sum() == 1000
        assert ((X[y == 1, :10] >= 1) & (X[y == 1, :10] <= 2)).all()
        assert ((X[y == 0, :10] <= -1) & (X[y == 0, :10] >= -2)).all()
        assert np.abs(X[:, 10:]).max() <= 2
        assert X[:, 10:].min() < -1.99
        assert X[:, 10:].max() > 1.99
        distances = two_class(X, y == 1) @ dataset.solution / np.linalg.norm(dataset.solution[1:])
        assert distances.min() >= dataset.margin

    @pytest.mark.parametrize("d", [1, 2, 7, 60])
    @pytest.mark.parametrize("margin", [1e-3, 0.1, 0.9])
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    @pytest.mark.parametrize("as_csr", [False, True])
    def test_planted_margin(self, d, margin, dtype, as_csr):
        dataset = datasets.planted_margin(101, d, margin=margin, random_state=d, sparse=as_csr, dtype=dtype)
        assert dataset.X.dtype == dtype
        assert sparse.issparse(dataset.X) == as_csr
        if as_csr:
            assert dataset.X.format == "csr"
            assert dataset.X.has_canonical_format
            assert dataset.X.indices.dtype == dataset.X.indptr.dtype == np.int32
        X = (dataset.X.toarray() if as_csr else dataset.X).astype(np.float64)
        w0, w = dataset.solution[0], dataset.solution[1:]
        assert np.linalg.norm(w) == pytest.approx(1)
        assert np.linalg.norm(X, axis=1).max() <= 1
        assert ((2 * dataset.y - 1) * (X @ w + w0)).min() >= margin
        assert set(dataset.y[dataset.facing]) == {0, 1}
        gap = np.linalg.norm(X[dataset.facing[0]] - X[dataset.facing[1]])
        assert gap / 2 == pytest.approx(margin, rel=1e-5 if dtype == np.float64 else 1e-2)

    def test_sparse_rows_are_short(self):
        X, _ = datasets.planted_margin(50, 10_000, random_state=0, sparse=True)
        assert X.nnz == 50 * 20
        assert X.indices.max() > 9000

    @pytest.mark.parametrize("d", [1, 2, 3, 8])
    @pytest.mark.parametrize("flip", [0.0, 0.3])
    def test_overlap(self, d, flip):
        dataset = datasets.overlap(60, d, flip=flip, random_state=d)
        assert verdict(two_class(dataset.X, dataset.y == 1)) == dataset.verdict == "overlap"
        Y = patterns(dataset)
        weights = [Fraction(v).limit_denominator(100) for v in dataset.multipliers]
        for column in zip(*[Y[i] for i in dataset.support], strict=True):
            assert dot(weights, column) == 0
        for side in (dataset.y[dataset.support] == label for label in (0, 1)):
            assert sum(itertools.compress(weights, side)) == 1
            hull = dataset.multipliers[side] @ dataset.X[dataset.support[side]]
            np.testing.assert_allclose(hull, dataset.point, atol=1e-14)
        others = np.setdiff1d(np.arange(60), dataset.support)
        wrong = (dataset.X[others] @ dataset.plane[1:] + dataset.plane[0] > 0) != dataset.y[others]
        assert wrong.mean() == pytest.approx(flip, abs=0.2)

    def test_gaussian_pair_equal_covariances(self):
        S = np.array([[2.0, 0.5], [0.5, 1.0]])
        dataset = datasets.gaussian_pair(20_000, [[1, 0], [-1, 1]], covariances=S, prior=0.3, random_state=0)
        X, y = dataset
        g = X @ dataset.bayes[1:] + dataset.bayes[0]
        np.testing.assert_allclose(dataset.posterior.log_odds(X), g, atol=1e-12)
        np.testing.assert_allclose(dataset.posterior(X), 1 / (1 + np.exp(-g)), atol=1e-12)
        assert ((g > 0) != y).mean() == pytest.approx(dataset.bayes_error, abs=0.01)
        assert np.minimum(dataset.posterior(X), 1 - dataset.posterior(X)).mean() == pytest.approx(
            dataset.bayes_error, abs=0.005
        )
        assert y.mean() == pytest.approx(0.3, abs=0.01)
        np.testing.assert_allclose(np.cov(X[y == 0].T), S, atol=0.1)

    def test_gaussian_pair_unequal_covariances(self):
        covariances = [np.eye(2), [[4.0, 1.0], [1.0, 2.0]]]
        dataset = datasets.gaussian_pair(20_000, covariances=covariances, random_state=0)
        assert "bayes" not in dataset.answers
        p = dataset.posterior(dataset.X)
        for low, high in itertools.pairwise(np.linspace(0, 1, 6)):
            inside = (p >= low) & (p < high)
            assert dataset.y[inside].mean() == pytest.approx(p[inside].mean(), abs=0.03)

    def test_gaussian_pair_with_one_mean(self):
        assert datasets.gaussian_pair(means=[[0], [0]], prior=0.3).bayes_error == 0.3

    @pytest.mark.parametrize(
        ("name", "kwargs", "words"),
        [
            ("redundant", {"n": 1}, "n = 1 is too small"),
            ("redundant", {"d": 5}, "informative = 10 is more than d = 5"),
            ("redundant", {"d": 2.5}, "d = 2.5 must be a whole number"),
            ("planted_margin", {"margin": 0}, "margin = 0"),
            ("planted_margin", {"margin": 0.95}, "margin = 0.95"),
            ("planted_margin", {"dtype": np.int64}, "dtype = int64"),
            ("overlap", {"n": 4, "d": 2}, "n = 4 is too small; give at least 5"),
            ("overlap", {"flip": 0.6}, "flip = 0.6"),
            ("gaussian_pair", {"prior": 1}, "prior = 1"),
            ("gaussian_pair", {"means": [1, 2]}, "means = "),
            ("gaussian_pair", {"covariances": np.eye(3)}, r"covariances has shape \(3, 3\)"),
            ("gaussian_pair", {"covariances": -np.eye(2)}, "positive definite"),
        ],
    )
    def test_bad_input(self, name, kwargs, words):
        with pytest.raises(ValueError, match=words):
            datasets.load(name, **kwargs)


class TestClassics:
    @pytest.mark.parametrize("name", ["iris", "wine"])
    def test_three_classes(self, name):
        dataset = datasets.load(name)
        X, y = dataset
        X = (X - X.mean(axis=0)) / X.std(axis=0) if name == "wine" else X
        assert verdict(kesler(X, y)) == dataset.verdict
        for i, expected in enumerate(dataset.rest):
            assert verdict(two_class(X, y == i)) == expected
        for (i, j), expected in dataset.pairwise.items():
            both = (y == i) | (y == j)
            assert verdict(two_class(X[both], y[both] == i)) == expected

    def test_breast_cancer(self):
        X, y = datasets.breast_cancer()
        assert datasets.breast_cancer().target_names == ("malignant", "benign")
        assert verdict(two_class((X - X.mean(axis=0)) / X.std(axis=0), y == 1)) == datasets.breast_cancer().verdict

    def test_digits(self):
        """The fixed-increment rule for linear machines, in integers, ends."""
        X, y = datasets.digits()
        Y = np.column_stack([np.ones(len(X)), X]).astype(np.int64)
        a, errors = np.zeros((10, 65), dtype=np.int64), True
        while errors:
            errors = False
            for pattern, i in zip(Y, y, strict=True):
                g = a @ pattern
                own, g[i] = g[i], np.iinfo(np.int64).min
                j = g.argmax()
                if own <= g[j]:
                    a[i] += pattern
                    a[j] -= pattern
                    errors = True
        assert datasets.digits().separable
        assert ((Y @ a.T).argmax(axis=1) == y).all()
