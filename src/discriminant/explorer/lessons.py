"""Eight short scenes from the books, each with one paragraph, one question and its answer.

Sources: Duda, Hart, Stork, *Pattern Classification*, ch. 5; Beyan, *Linear Discriminant Functions*, lecture slides;
*Machine Learning: Theory and Practice*, ch. 8; Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*.

Tests: ``tests/explorer/test_catalog.py``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .catalog import data_set
from .messages import Json


@dataclass(frozen=True)
class Scene:
    """What is said, what is asked, and what the plane shows; a race is with these other procedures."""

    title: str
    paragraph: str
    question: str
    answer: str
    data: str
    procedure: str
    parameters: Json = field(default_factory=dict)
    race: tuple[tuple[str, Json], ...] = ()

    def told(self) -> Json:
        """The scene as a page has it."""
        others = [{"procedure": name, "parameters": given} for name, given in self.race]
        fields: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("title", "paragraph", "question", "answer", "procedure", "parameters")
        }
        return fields | {"points": data_set(self.data)[0], "one_feature": False, "race": others or None}


SCENES = (
    Scene(
        "XOR: why no line will do",
        "The exclusive or puts each class on a diagonal of the square. The perceptron corrects at all four points, "
        "and then its weights are zero again, as at the start: it would go around for ever, and that proves that "
        "no line separates the classes.",
        "What do the hulls of the two classes share?",
        "Their hulls are the two diagonals, and both hold the point (½, ½). A line that had one class on each side "
        "would have this point on both. Move one corner across the other diagonal, and the verdict changes.",
        "xor",
        "perceptron",
    ),
    Scene(
        "The first correction",
        "With a(1) = 0 every pattern lies on the boundary, so the first one is corrected: a(2) = a(1) + y¹. A "
        "pattern of the other class is negated first, y = −(1, x). Two corrections are enough here. Press Step and "
        "read the numbers.",
        "Which pattern causes the second correction, and what are the weights then?",
        "The pattern (4, 4): a(2)ᵗy is −1 there, so y = (1, 4, 4) is added to (−1, 1, −1). That makes (0, 5, 3), "
        "and all three patterns are on their sides.",
        "perceptron-example",
        "perceptron",
    ),
    Scene(
        "A margin",
        "The plain perceptron stops as soon as no pattern is wrong, however close the line comes to one. With a "
        "margin b > 0 a pattern is corrected until aᵗy exceeds b, so that the line ends farther from the points. "
        "It takes more corrections.",
        "How many corrections does the margin b = 10 cost here, and what does it gain?",
        "108 instead of 33. The nearest pattern is 0.32 from the line instead of 0.16; no line has more than 0.37.",
        "table-1-2",
        "perceptron",
        race=(("perceptron-margin", {}),),
    ),
    Scene(
        "Relaxation, under and over",
        "Relaxation moves a violator's aᵗy toward the margin b by a share η of the way. With η = 1 the pattern "
        "just reaches b; with η < 1 the step falls short (under-relaxation), with 1 < η < 2 it goes beyond (over-"
        "relaxation).",
        "Which η needs the fewest corrections on these eight points?",
        "1.9, with 326 corrections, against 1,628 for η = 1 and still more for η = 0.5: to go beyond enters the "
        "solution region, while to fall short creeps up to its edge.",
        "slides-eight",
        "relaxation",
        {"eta": 1.0},
        race=(("relaxation", {"eta": 0.5}), ("relaxation", {"eta": 1.9})),
    ),
    Scene(
        "Ho-Kashyap on ω₁ and ω₃",
        "Ho and Kashyap adjust the weights and the margins b together, and b may only grow. If the error e = Ya − "
        "b has no positive part left and is not zero, then no weights separate the patterns: the procedure ends "
        "with evidence.",
        "Why does it stop although two patterns are wrong?",
        "These two categories of the book's table overlap. The rows of the verdict prove it exactly: two points of "
        "each class have a weighted mean in common.",
        "table-1-3",
        "ho-kashyap",
    ),
    Scene(
        "Least squares that errs",
        "Least squares makes aᵗy as close to 1 as it can for all patterns, also for those that lie far on their "
        "own side. So it may turn the line away from a few others and leave them wrong, although a line without "
        "errors exists.",
        "How many points does least squares get wrong here, and how many the perceptron?",
        "One, and none: the perceptron asks only for the right side. It takes 182 corrections to find it, though.",
        "slides-eight",
        "least-squares",
        race=(("perceptron", {}),),
    ),
    Scene(
        "The support vectors of three points",
        "The support vector machine takes the line with the largest margin. It is determined by the points that "
        "lie on the margin; all others could be moved away or removed without a change.",
        "Which of the three points is no support vector?",
        "(1, 3). The line halves the way from (2, 1) to (6, 3), so the margin is √5. Move (1, 3) up: nothing "
        "changes. Move it toward the line, and it takes part.",
        "svm-three",
        "support-vector-machine-large-c",
    ),
    Scene(
        "Backpropagation on XOR",
        "A layer of hidden units, each with a line of its own, maps the four points to where one line can separate "
        "them. The weights follow the gradient of the error, which the backward pass hands from layer to layer.",
        "What happens with two hidden units instead of four?",
        "With this seed it ends in a local minimum where one point stays wrong. Another seed may find the answer: "
        "two units are enough for XOR, but the descent need not find their weights.",
        "xor",
        "multilayer-perceptron",
        {"hidden": [4], "activation": "tanh", "learning_rate": 0.05, "max_iter": 500},
    ),
)


def lessons() -> list[Json]:
    """The scenes in order."""
    return [scene.told() for scene in SCENES]
