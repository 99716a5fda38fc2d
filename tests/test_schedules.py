"""Schedules: their values, the conditions they claim against long partial sums, state, and bad input."""

import copy
import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from discriminant import schedules
from discriminant.schedules import Adaptive, Conditions, Constant, Custom, Harmonic, Linear, Optimal, ScalarRLS

M = 2**20


# Values


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        (Constant(0.5), [0.5, 0.5, 0.5, 0.5]),
        (Harmonic(3.0), [3.0, 1.5, 1.0, 0.75]),
        (Linear(0.5), [0.5, 1.0, 1.5, 2.0]),
        (Custom(lambda k: 1 / k**2), [1.0, 1 / 4, 1 / 9, 1 / 16]),
        (Adaptive(2.0), [2.0, 2.0, 2.0, 2.0]),
    ],
)
def test_values_are_the_calls(schedule, expected):
    np.testing.assert_array_equal(schedule.values(1, 4), expected)
    np.testing.assert_array_equal(schedule.values(3, 2), expected[2:])
    assert [schedule(k) for k in range(1, 5)] == expected
    assert type(schedule(np.int64(2))) is float
    assert schedule.values(1, 0).shape == (0,)
    assert schedule.values(1, 3).dtype == np.float64


@pytest.mark.parametrize(
    "schedule", [Constant(), Harmonic(), Linear(), Adaptive(), ScalarRLS(), Custom(float), Optimal()]
)
def test_steps_are_numbered_from_one(schedule):
    for k in (0, -1, 1.5, "1"):
        with pytest.raises(ValueError, match=r"k=.* must be a whole number >= 1; steps are numbered from 1"):
            schedule(k)
    with pytest.raises(ValueError, match="count=-1 must be a whole number >= 0"):
        schedule.values(1, -1)


@pytest.mark.parametrize("kind", [Constant, Harmonic, Linear, Adaptive, ScalarRLS])
@pytest.mark.parametrize("eta", [0, -1.0, np.nan, np.inf, "1", None, True, [1.0]])
def test_eta_is_positive_and_finite(kind, eta):
    with pytest.raises(ValueError, match=r"eta=.* must be a number > 0; use"):
        kind(eta)


def test_repr():
    assert [repr(s) for s in (Constant(), Harmonic(np.float32(0.5)), Linear(2))] == [
        "Constant(eta=1.0)",
        "Harmonic(eta=0.5)",
        "Linear(eta=2.0)",
    ]
    assert repr(Adaptive()) == "Adaptive(eta=1.0, factor=0.5, patience=5)"
    assert repr(ScalarRLS()) == "ScalarRLS(eta=1.0)"
    assert repr(Optimal()) == "Optimal()"
    assert repr(Custom(abs)) == "Custom(abs)"


# Conditions (28)–(30), (68), (69)


def observed_conditions(eta):
    """What partial sums up to M say: a divergent sum still grows over the last doubling, a convergent one does not."""
    sums, squares = np.cumsum(eta), np.cumsum(eta**2)
    ratio = squares / sums**2
    diverges = bool(sums[-1] - sums[M // 2 - 1] > 1e-2 * eta[0])
    return Conditions(
        eq28=bool(np.all(eta >= 0)),
        eq29=diverges,
        eq30=bool(ratio[-1] < 0.02 and ratio[-1] < 0.7 * ratio[M // 1024]),
        eq68=diverges,
        eq69=bool(squares[-1] - squares[M // 2 - 1] < 1e-2 * eta[0] ** 2),
    )


@pytest.mark.parametrize("schedule", [Constant(0.3), Harmonic(0.3), Linear(0.3)])
def test_conditions_of_programmed_schedules(schedule):
    assert schedule.conditions() == observed_conditions(schedule.values(1, M))
    assert schedule.conditions().variable_increment is True
    assert schedule.conditions().stochastic_approximation is isinstance(schedule, Harmonic)


def test_conditions_of_scalar_rls(rng):
    """Problem 23(b): norms between positive bounds."""
    schedule = ScalarRLS(0.5)
    assert schedule.conditions() == observed_conditions(schedule.after(rng.uniform(1.0, 5.0, size=M)))


def test_conditions_of_adaptive(rng):
    """The rate falls a hundredfold and more, and then stays."""
    schedule, eta = Adaptive(patience=3), np.empty(M)
    for step in range(M // 4096):
        schedule.observe(errors=rng.integers(1, 3 + 1000 // (step + 1) ** 2))
        eta[4096 * step : 4096 * (step + 1)] = schedule.values(1 + 4096 * step, 4096)
    assert eta[-1] < 0.01
    assert schedule.conditions()[:4] == observed_conditions(eta)[:4] == (True, True, True, True)
    assert schedule.conditions().eq69 is False  # the rate has a positive lower bound: see the test of it below


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda k: k**-2.0, (True, False, False, False, True)),
        (lambda k: np.where(np.log2(k) % 1 == 0, k, 0.0), (True, True, False, True, False)),
        (lambda k: 1 / k - (k == 5), (False, True, True, True, True)),
        (lambda k: k**-0.5, (True, True, True, True, False)),
    ],
)
def test_the_observation_can_tell(function, expected):
    """The check above would notice a schedule that fails a condition."""
    assert observed_conditions(function(np.arange(1.0, M + 1))) == expected


def test_unknown_conditions():
    for schedule in (Custom(float), Optimal()):
        assert schedule.conditions() == (True, None, None, None, None)
        assert schedule.conditions().variable_increment is None
        assert schedule.conditions().stochastic_approximation is None
    assert Conditions(None, False, None, None, True).variable_increment is False


@pytest.mark.parametrize("name", ["constant", "1/k", "k"])
def test_variable_increment_rule_ends(name):
    """Eq. 27 with a margin on separable samples."""
    eta, k, a = schedules.get(name), 0, np.zeros(2)
    Y = np.array([[1.0, 0.5], [1.0, 2.0], [-1.0, 3.0]])
    while np.any(Y @ a <= 0.5) and k < 10_000:
        k += 1
        a = a + eta(k) * Y[np.argmax(Y @ a <= 0.5)]
    assert np.all(Y @ a > 0.5)


# Adaptive


@given(
    errors=st.lists(st.integers(0, 200), min_size=1, max_size=40),
    patience=st.integers(1, 6),
    factor=st.sampled_from([0.25, 0.5, 0.8]),
)
def test_adaptive_rule(errors, patience, factor):
    """Never rises, is the power of factor next above the least recent errors, and keeps away from 0."""
    schedule, rates, first, least = Adaptive(1.0, factor, patience), [1.0], 0, 1.0
    for i, count in enumerate(errors):
        schedule.observe(errors=count)
        rates.append(schedule(i + 1))
        first = first or count
        mean = np.mean(errors[max(0, i + 1 - patience) : i + 1])
        least = min(least, mean / first) if mean else least
    assert all(later <= earlier for earlier, later in itertools.pairwise(rates))
    assert factor * rates[-1] < least * (1 + 1e-9)
    assert least <= rates[-1] * (1 + 1e-9)
    assert rates[-1] * patience * max(first, 1) >= 1 - 1e-9


def test_adaptive_by_hand():
    schedule = Adaptive(eta=2.0, factor=0.5, patience=2)
    rates = []
    for errors in (0, 8, 8, 0, 4, 0, 0, 0, 1, 9, 9):
        schedule.observe(errors=errors)
        rates.append(schedule(1))
    # means of two from the first 8 on: 4, 8, 4, 2, 2, 0, 0, 1/2, 5, 9
    assert rates == [2.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.125, 0.125, 0.125]
    schedule.observe(sqnorm=1.0)
    assert schedule(1) == 0.125
    schedule.reset()
    assert schedule(1) == 2.0
    schedule.observe(errors=1)
    assert schedule(1) == 2.0, "the errors before the reset are forgotten"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"factor": 1.0}, "factor=1.0 must be a number > 0 and < 1"),
        ({"factor": 0}, "factor=0 must be a number > 0 and < 1"),
        ({"factor": np.nan}, "factor=nan must be a number > 0 and < 1"),
        ({"patience": 0}, "patience=0 must be a whole number >= 1"),
        ({"patience": 2.5}, "patience=2.5 must be a whole number >= 1"),
    ],
)
def test_bad_adaptive(arguments, message):
    with pytest.raises(ValueError, match=message):
        Adaptive(**arguments)


@pytest.mark.parametrize("errors", [-1, np.nan, np.inf, "few"])
def test_bad_errors(errors):
    with pytest.raises(ValueError, match=r"errors=.* must be a number >= 0"):
        Adaptive().observe(errors=errors)


# Optimal

SIZES = st.floats(-3, 3)


@given(B=arrays(float, (4, 3), elements=SIZES), g=arrays(float, 3, elements=SIZES), other=st.floats(0.0, 3.0))
def test_optimal_length_minimizes_the_quadratic(B, g, other):
    """Problem 12: no other length gives a lower J(a − ηg) = J(a) − η‖g‖² + ½η² gᵗHg."""
    H = B.T @ B + np.eye(3)
    eta = Optimal().length(g, H)
    model = [-length * (g @ g) + 0.5 * length**2 * (g @ H @ g) for length in (eta, other * eta, other)]
    assert model[0] <= min(model[1:]) + 1e-9
    assert eta >= 0


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_optimal_length_at_any_scale(scale):
    assert Optimal().length([scale, 2 * scale], [[2.0, 0.0], [0.0, 4.0]]) == pytest.approx(5 / 18, rel=1e-14)


def test_optimal_length_without_curvature():
    for H in ([[0.0, 0.0], [0.0, 0.0]], [[-1.0, 0.0], [0.0, -1.0]], [[np.nan, 0.0], [0.0, 1.0]]):
        with pytest.raises(ValueError, match=r"hessian must give ∇JᵗH∇J > 0.*use a number or '1/k'"):
            Optimal().length([1.0, 1.0], H)
    assert Optimal().length([0.0, 0.0], np.eye(2)) == 0.0
    with pytest.raises(ValueError, match="'optimal' is no function of k; use length"):
        Optimal()(1)


# Scalar recursive least squares


@given(sqnorms=st.lists(st.floats(0, 100), min_size=1, max_size=20), eta=st.sampled_from([0.01, 1.0, 7.0]))
def test_scalar_rls_recursion_is_the_closed_form(sqnorms, eta):
    """Problem 23(a), and the same by observing one sample after the other."""
    schedule, inverse, recursion, observed = ScalarRLS(eta), 1 / eta, [], []
    closed = schedule.after(sqnorms)
    for k, sqnorm in enumerate(sqnorms, start=1):
        schedule.observe(sqnorm=sqnorm)
        observed.append(schedule(k + 1))
        inverse += sqnorm
        recursion.append(1 / inverse)
    np.testing.assert_allclose(closed, recursion)
    np.testing.assert_allclose(observed, recursion)


def test_scalar_rls_goes_on_from_what_it_saw():
    schedule = ScalarRLS()
    assert schedule(1) == 1.0
    schedule.observe(sqnorm=3.0)
    schedule.observe(errors=5)  # passed over
    np.testing.assert_array_equal(schedule.after([1.0, 5.0]), [1 / 5, 1 / 10])
    np.testing.assert_array_equal(schedule.values(2, 1), [1 / 4])
    for first, count in ((1, 1), (3, 1), (2, 2)):
        with pytest.raises(ValueError, match=r"'rls' needs ‖y‖² .* got 1; call observe"):
            schedule.values(first, count)
    schedule.reset()
    assert schedule(1) == 1.0
    for bad in (-1.0, np.nan):
        with pytest.raises(ValueError, match="sqnorm must be finite and ≥ 0"):
            schedule.observe(sqnorm=bad)


# Custom


@pytest.mark.parametrize("value", [-0.5, np.nan, np.inf, "fast", None, True, 1j, [1.0]])
def test_custom_values_are_checked(value):
    schedule = Custom(lambda k: 1.0 if k < 3 else value)
    assert schedule(2) == 1.0
    with pytest.raises(ValueError, match=r"η\(3\)=.* must be a number >= 0"):
        schedule.values(1, 5)


def test_custom_takes_any_real_number():
    for value in (0, 2, np.float32(0.5), np.int64(3), Fraction(1, 4)):
        assert Custom(lambda k, value=value: value)(1) == float(value)
    with pytest.raises(ValueError, match="function=3 must be callable"):
        Custom(3)


def test_custom_gets_plain_integers():
    asked = []
    Custom(lambda k: asked.append(k) or 1.0).values(2, 3)
    assert asked == [2, 3, 4]
    assert all(type(k) is int for k in asked)


# get


@pytest.mark.parametrize(
    ("given_as", "schedule"),
    [
        (0.1, Constant(0.1)),
        (2, Constant(2.0)),
        (np.float64(0.5), Constant(0.5)),
        ("constant", Constant()),
        ("1/k", Harmonic()),
        ("harmonic", Harmonic()),
        ("k", Linear()),
        ("linear", Linear()),
        ("adaptive", Adaptive()),
        ("optimal", Optimal()),
        ("rls", ScalarRLS()),
        (abs, Custom(abs)),
        (Harmonic(3.0), Harmonic(3.0)),
    ],
)
def test_get(given_as, schedule):
    assert schedules.get(given_as) == schedule
    assert schedules.get(schedule) == schedule
    assert schedule.name in {"constant", "harmonic", "linear", "adaptive", "optimal", "rls", "custom"}
    assert schedule.needs == {"adaptive": "errors", "optimal": "curvature", "rls": "norms"}.get(schedule.name)


@pytest.mark.parametrize("wrong", [0, -1, 0.0, np.nan, np.inf, True, None, [1.0], {}, "fast", b"1/k"])
def test_get_refuses(wrong):
    with pytest.raises(ValueError, match=r"schedule=.* must be .*1/k.*number > 0.*; (choose|did)") as caught:
        schedules.get(wrong)
    assert repr(wrong) in str(caught.value)


@pytest.mark.parametrize(("typo", "name"), [("harmonc", "harmonic"), ("constnt", "constant"), ("adaptiv", "adaptive")])
def test_get_suggests(typo, name):
    with pytest.raises(ValueError, match=f"did you mean '{name}'"):
        schedules.get(typo)


def test_state_never_leaks():
    for original, told in ((Adaptive(patience=1), {"errors": 8}), (ScalarRLS(), {"sqnorm": 3.0})):
        original.observe(**told)
        original.observe(**dict.fromkeys(told, 1))
        before = copy.deepcopy(original.__dict__)
        first, second = schedules.get(original), schedules.get(original)
        assert first(1) == second(1) == 1.0, "fresh, whatever the original has seen"
        first.observe(**told)
        first.observe(**dict.fromkeys(told, 1))
        assert second(1) == 1.0
        assert original.__dict__ == before
