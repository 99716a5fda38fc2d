"""What is said of a verdict: single columns that separate, pairs of row and rival, collinearity, scales."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from exact_oracle import augmented, rows_of, solve
from scipy import sparse
from verdict_cases import tied_problem

from discriminant import datasets, separability
from discriminant.separation.words import COMMAND, lines

# Primary food of 219 alligators by lake and size (Agresti, Categorical Data Analysis): fish, invertebrates, reptiles,
# birds, other.
FOODS = ["fish", "invertebrate", "reptile", "bird", "other"]
ALLIGATORS = {
    "Hancock small": (23, 4, 2, 2, 8), "Hancock large": (7, 0, 1, 3, 5), "Oklawaha small": (5, 11, 1, 0, 3),
    "Oklawaha large": (13, 8, 6, 1, 0), "Trafford small": (5, 11, 2, 1, 5), "Trafford large": (8, 7, 6, 3, 5),
    "George small": (16, 19, 1, 2, 3), "George large": (17, 1, 0, 1, 3),
}  # fmt: skip

# Hepatitis after a transfusion, of 4,588 patients by whether blood with surrogate markers was withheld and whether
# donors were already screened for hepatitis C (Bull, Lewinger and Lee, Statistics in Medicine 26, 2007, of whom the
# estimates of hepatitis C are infinite): none, hepatitis C, neither A nor B nor C.
HEPATITIS = {(0, 0): (389, 5, 3), (0, 1): (1864, 5, 11), (1, 0): (400, 0, 2), (1, 1): (1896, 3, 10)}


def alligators() -> tuple[pd.DataFrame, list[str]]:
    """One column of zeros and ones for each lake and size but the first, and the food of each animal."""
    place = [where for where, counts in ALLIGATORS.items() for _ in range(sum(counts))]
    food = [name for counts in ALLIGATORS.values() for name, n in zip(FOODS, counts, strict=True) for _ in range(n)]
    columns = {f"at={where}": [int(each == where) for each in place] for where in list(ALLIGATORS)[1:]}
    return pd.DataFrame(columns), food


def row(s: Any, name: str) -> str:
    """What stands behind a name in the printout."""
    return next((line[17:] for line in str(s).splitlines() if line[2:17].strip() == name), "")


def test_a_level_that_goes_with_one_class() -> None:
    southern = [1] * 15 + [0] * 10
    y = [True] * 15 + [True, False] * 5
    s = separability(np.c_[southern, np.arange(25) % 3], y, feature_names=["southern=yes", "age"])
    assert row(s, "because") == "all 15 rows with southern=yes are True"
    assert row(s, "coefficients") == "southern=yes +inf; 2 finite"
    s = separability(np.c_[1 - np.array(southern), np.arange(25) % 3], y, feature_names=["southern=no", "age"])
    assert row(s, "because") == "all 15 rows without southern=no are True"
    assert row(s, "coefficients") == "intercept +inf, southern=no -inf; 1 finite"
    both = separability(np.c_[1 - np.array(southern), southern], y, feature_names=["southern=no", "southern=yes"])
    assert row(both, "because") == "all 15 rows with southern=yes are True"  # the same rows, said once


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_thresholds(kind: str) -> None:
    X = np.array([[1.0, 5], [2, 5], [2, 6], [3, 5], [4, 6]])
    stored = sparse.csr_array(X) if kind == "csr" else X
    touching = separability(stored[:, [0]], [0, 0, 1, 1, 1])
    assert row(touching, "because") == "all 2 rows with x0 > 2 are 1, the row with x0 < 2 is 0"
    apart = separability(stored, [0, 0, 0, 1, 1])
    assert row(apart, "because") == "x0 alone separates them, at most 2 of 0 and at least 3 of 1"
    turned = separability(stored, [1, 1, 1, 0, 0])
    assert row(turned, "because") == "x0 alone separates them, at most 2 of 1 and at least 3 of 0"
    at_zero = separability([[-1.0], [-0.0], [1.0]], [0, 0, 1])
    assert row(at_zero, "because") == "x0 alone separates them, at most 0 of 0 and at least 1 of 1"


def test_planes_through_the_origin_meet_a_column_at_zero_only() -> None:
    X, y = np.array([[1, 0], [1, 0], [2, 1], [2, -1]]), [0, 1, 1, 1]
    assert "x0=2" in row(separability(X, y), "because")
    assert "x0" not in row(separability(X, y, intercept=False), "because")


def test_zeros_behind_a_level() -> None:
    X, y = np.c_[[1, 1, 0, 0, 0, 0], [2, 1, 3, 1, 2, 4]], [0, 0, 0, 1, 2, 3]
    s = separability(X, y, family="poisson", feature_names=["strike", "rain"])
    assert row(s, "because") == "all 2 rows with strike=1 have count 0"
    assert row(s, "coefficients") == "strike -inf; 2 finite"
    assert row(separability(X, [0] * 6, family="poisson"), "because") == ""


def test_a_verdict_on_pairs_alone() -> None:
    s = separability([[0], [0], [0], [1], [1]], list("abcab"))
    assert (s.verdict, s.separated_rows.size) == ("quasi", 0)
    assert s.separated_pairs.tolist() == [[False] * 3] * 3 + [[False, False, True]] * 2
    assert row(s, "machine").startswith("one separates 2 of 10 pairs of row and rival class, and no row from all")
    assert row(s, "because") == "none of the 2 rows with x0=1 is c"
    assert row(s, "ahead") == "1 of 2 rows of a against c, 1 of 2 rows of b against c"
    assert row(s, "coefficients") == "x0 of c -inf; 3 finite"


def test_alligators() -> None:
    """A saturated model: a row is ahead of a rival exactly where the cell of the table is zero."""
    X, y = alligators()
    s = separability(X, y)
    assert (s.verdict, s.separated_rows.size) == ("quasi", 0)
    assert s.certificate.verify(X, y)
    empty = {(where, food) for where, n in ALLIGATORS.items() for food, k in zip(FOODS, n, strict=True) if not k}
    place = X.idxmax(axis=1).where(X.any(axis=1), "at=Hancock small").str[3:]
    foods = sorted(FOODS)
    assert s.separated_pairs.tolist() == [[(where, food) in empty for food in foods] for where in place]
    assert row(s, "machine").startswith("one separates 86 of 876 pairs of row and rival class")
    assert set(row(s, "because").split(", ")) == {
        "none of the 16 rows with at=Hancock large is invertebrate",
        "none of the 20 rows with at=Oklawaha small is bird",
        "none of the 28 rows with at=Oklawaha large is other",
        "none of the 22 rows with at=George large is reptile",
    }
    ways = s.coefficients()
    infinite = {key: way for key, way in ways.items() if way != "finite"}
    assert infinite == {
        ("invertebrate", "at=Hancock large"): "-inf",
        ("other", "at=Oklawaha large"): "-inf",
        ("reptile", "at=George large"): "-inf",
        **{(food, "at=Oklawaha small"): "+inf" for food in ("fish", "invertebrate", "other", "reptile")},
    }  # fmt: skip  (bird, the first class, is the reference)


def test_hepatitis() -> None:
    """No patient got hepatitis C where blood was withheld before the screening."""
    cells = [
        (withheld, screened, outcome)
        for (withheld, screened), counts in HEPATITIS.items()
        for outcome, n in zip(["free of it", "hepatitis C", "other"], counts, strict=True)
        for _ in range(n)
    ]
    X = pd.DataFrame([(w, t, w * t) for w, t, _ in cells], columns=["withheld", "screened", "both"])
    y = [outcome for _, _, outcome in cells]
    s = separability(X, y)
    assert (s.verdict, len(y), s.separated_rows.size) == ("quasi", 4588, 0)
    for method in ("fast", "plain"):
        assert s.certificate.verify(X, y, method=method)
    concerned = (X["withheld"] == 1) & (X["screened"] == 0)
    assert s.separated_pairs.tolist() == [[False, bool(cell), False] for cell in concerned]
    ahead = "400 of 4,549 rows of free of it against hepatitis C, 2 of 26 rows of other against hepatitis C"
    assert row(s, "ahead") == ahead
    ways = s.coefficients()
    infinite = {key: way for key, way in ways.items() if way != "finite"}
    assert infinite == {("hepatitis C", "withheld"): "-inf", ("hepatitis C", "both"): "+inf"}


def test_pairs_are_those_of_the_exact_rays(rng: np.random.Generator) -> None:
    for _ in range(30):
        X, y = rng.integers(-1, 2, (7, 2)), np.r_[np.arange(3), rng.integers(0, 3, 4)]
        s = separability(X / 10, y)
        rows = rows_of(augmented(X), y.tolist(), 3)
        b = solve(rows).b
        ahead = [sum(u * v for u, v in zip(z, b, strict=True)) > 0 for _, z in rows]
        rivals = [(i, rival) for i in range(7) for rival in range(3) if rival != y[i]]
        assert [bool(s.separated_pairs[pair]) for pair in rivals] == ahead
        assert not s.separated_pairs[np.arange(7), y].any()


def test_the_evidence_on_counts_names_each_row_once() -> None:
    s = separability([[1, 1.0], [0, 1], [1, 0], [0, 0]], [1, 0, 1, 2], family="poisson")
    assert s.verdict == "overlap"
    assert s.evidence() == "rows 0, 2, 3 balance each other"


def test_counts_have_no_pairs() -> None:
    with pytest.raises(ValueError, match="belongs to classes"):
        separability([[0], [1]], [0, 1], family="poisson").separated_pairs  # noqa: B018


def test_an_overlap_has_a_word_on_scales() -> None:
    X, y = datasets.xor()
    assert row(separability(X, y), "scale") == ""
    text = row(separability(X * [1e-4, 1e5], y, feature_names=["small", "large"]), "scale")
    assert text.startswith("small is at most 0.0001 and large up to 1e+05: standardize")
    assert row(separability(sparse.csr_array(X * [1e-4, 1e5]), y), "scale").startswith("x0 is at most 0.0001")


@pytest.mark.parametrize(
    "load", [datasets.xor, datasets.iris, datasets.wine, datasets.endometrial, datasets.or_function]
)
def test_no_python_on_a_terminal(load: Any) -> None:
    text = "\n".join(lines(separability(*load()), COMMAND))
    assert not any(
        word in text for word in ("_ ", ".infinite", ".margin", ".hyperplane", "()", "=True", "LeastSquares")
    )


def test_levels_that_x_does_not_hold() -> None:
    """The reference level of a factor is a reason like the others."""
    X, y = np.array([[0], [0], [1], [1]]), ["a", "a", "a", "b"]
    told = list(lines(separability(X, y, feature_names=["c=red"]), COMMAND, {"c=blue": 1 - X[:, 0]}))
    assert "  because        all 2 rows with c=blue are a" in told


@pytest.mark.parametrize("high", [2**40, 1e200])
def test_a_column_that_separates_away_from_zero_only(high: float) -> None:
    """The product of two large numbers of one sign may overflow to any sign."""
    X, y = np.array([[high], [high * 2**21]]), [0, 1]
    assert "alone separates" in row(separability(X, y), "because")
    assert row(separability(X, y, intercept=False), "because") == ""


def test_html_has_every_line_and_escapes_names() -> None:
    s = separability([[0], [3]], ["<a>", "b"], feature_names=["length"])
    html = s._repr_html_()
    assert html.startswith("<p><b>complete: a plane separates the classes &lt;a&gt; and b strictly.</b></p>")
    for line in str(s).splitlines()[1:]:
        assert f">{line[2:16].strip()}</th>" in html


def test_printouts_end_with_advice(rng: np.random.Generator) -> None:
    X, y = datasets.iris()
    assert "separates the classes 0 and 1 strictly" in str(separability(X[:100], y[:100]))
    assert "cannot be told apart by any straight cut" in str(separability(X, y))
    for trial in range(40):
        X, y = tied_problem(rng, 2 + trial % 2)
        s = separability(X, y)
        text = str(s)
        assert text.startswith(f"{s.verdict}: ")
        assert "  to try " in text
        assert repr(s) == text
        assert len(text.splitlines()) <= 16
