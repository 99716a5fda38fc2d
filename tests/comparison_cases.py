"""Quick procedures, and one that refuses, for the tests of ``compare``."""

from __future__ import annotations

from typing import Any

from sklearn.linear_model import LogisticRegression

QUICK = ["perceptron", "least-squares", "fisher-discriminant", "support-vector-machine", "logistic-discriminant"]


class Refuses(LogisticRegression):
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        raise RuntimeError("no, thank\n  you")
