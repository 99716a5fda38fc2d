"""Where the likelihood has no maximum: the direction in which it grows for ever, and how to stop there.

A plane without a row on the wrong side, weakly, is a direction B along which the log loss never rises (Albert and
Anderson 1984). Far out along B the rows that it has strictly on their side are fitted perfectly, and the others, which
lie on it, do not notice: what is left is the regression of these, which may have a finite answer.

``separability`` proves that this is so. It is asked only when a fit without a penalty shows the signs.

Source: Albert and Anderson, "On the existence of maximum likelihood estimates in logistic regression models",
Biometrika 71 (1984).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import Watch
from .._engine.linalg import Matrix
from ..base.diagnosis import SENTENCES
from ..geometry import LinearMachine
from .likelihood import Likelihood

if TYPE_CHECKING:
    from ..separation.verdict import Separability

FAR = 40.0  # the least margin of the rows that are fitted perfectly: probabilities of 1 to the last digit
FEW = 30  # coefficients whose ways to infinity the report says; each takes a search of its own
PROVABLE = 10**7, 1000  # numbers of X, and weights, up to which the proof is worth its time
LABORIOUS = 10**6  # rows times rivals times weights of a proof that takes seconds
REMEDY = (
    "A penalty: a finite C, or penalty='firth'; or drop or merge the features whose coefficients are "
    "infinite. See separability(X, y)."
)


class Escape(NamedTuple):
    """The direction B, the weights far out along it, and the proof where one was made."""

    verdict: str
    direction: Matrix
    weights: Matrix
    proof: Separability | None

    def facts(self) -> dict[str, str]:
        strict = "the weights themselves have every row strictly on its own side"
        evidence = strict if self.proof is None else self.proof.evidence()
        return {"verdict": SENTENCES[self.verdict], "proof": evidence, "remedy": REMEDY}

    def note(self, names: list[str], rows: NDArray[np.int64]) -> str:
        """Which rows and coefficients are concerned; ``rows`` are the numbers of the rows that took part."""
        fitted = rows if self.proof is None else rows[self.proof.separated_rows]
        listed = ", ".join(map(str, fitted[:8])) + (f" and {fitted.size - 8:,} more" if fitted.size > 8 else "")
        text = (
            "The estimate is infinite: the weights are a point far out in the direction recession_. Rows fitted "
            f"perfectly: {'all' if fitted.size == rows.size else listed}."
        )
        if self.proof is None or not _names_coefficients(self.proof, len(names)):
            return text
        words = {1.0: "+inf", -1.0: "-inf", 0.0: "finite"}
        signs = (words.get(float(sign), "undetermined") for sign in self.proof.infinite_)
        ways = ", ".join(f"{name} {sign}" for name, sign in zip(names, signs, strict=True))
        return f"{text} Coefficients: {ways}."


Asker = Callable[[Watch], "tuple[Separability, Matrix | None]"]


def prove(
    X: Any, own: NDArray[np.int32], classes: NDArray[Any], names: Sequence[str] | None, watch: Watch
) -> tuple[Separability, Matrix | None]:
    """The verdict on rows X, and its plane as augmented weights, one row a discriminant; None where there is none.

    What ``Escape`` will say of it is computed here, where Ctrl-C is heard.
    """
    from ..separation.verdict import separability  # 0.2 s of imports that few fits need

    with watch.at_once():
        found = separability(X, classes[own], progress=False, feature_names=names)
        plane = found.hyperplane
        if found.verdict != "overlap":
            found.evidence()
            if _names_coefficients(found, X.shape[1]):
                _ = found.infinite_
    if isinstance(plane, LinearMachine):
        return found, plane.weights - plane.weights.mean(axis=0)
    return found, None if plane is None else np.r_[plane.w0, plane.w][None]


def _names_coefficients(proof: Separability, count: int) -> bool:
    return len(proof.groups) == 2 and count <= FEW


def margins(likelihood: Likelihood, scores: Matrix) -> Matrix:
    """What each row's own discriminant is above each rival's; infinity where a class is its own rival."""
    if likelihood.c == 1:
        return np.where(likelihood.own == 1, scores, -scores)
    at = np.arange(likelihood.n)
    found = scores[likelihood.own, at] - scores
    found[likelihood.own, at] = np.inf
    return found


def provable(likelihood: Likelihood, errors: int) -> bool:
    """Whether a proof is worth its time; where nothing is wrong any more, the weights themselves are one."""
    if errors == 0 and likelihood.c > 1 and likelihood.n * likelihood.c * likelihood.size > LABORIOUS:
        return False
    return likelihood.n * likelihood.d <= PROVABLE[0] and likelihood.size <= PROVABLE[1]


def escape(likelihood: Likelihood, A: Matrix, proof: Separability | None, B: Matrix | None) -> Escape | None:
    """How to stop at infinity, from A; None where the verdict is overlap. B is the plane of the proof."""
    plane = margins(likelihood, likelihood.changes(A))
    if plane.min() > 0:  # A itself separates, and is the likelier plane
        reach = FAR if likelihood.offset is None else FAR + float(np.abs(likelihood.offset).max())
        return Escape("complete", A, A * (reach / float(plane.min())), proof)
    if proof is None or B is None:
        return None
    here, gain = margins(likelihood, likelihood.scores(A)), margins(likelihood, likelihood.changes(B))
    strict = (gain > 1e-9 * np.abs(gain[np.isfinite(gain)]).max()) & np.isfinite(gain)
    length = (FAR + max(0.0, -float(here[strict].min()))) / float(gain[strict].min())
    start = A if proof.verdict == "quasi" else np.zeros_like(A)
    return Escape(proof.verdict, B, start + length * B, proof)
