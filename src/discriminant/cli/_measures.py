"""How often a model errs, and how far its probabilities can be trusted: numbers, and the same in words.

Tests: ``tests/cli/test_score.py``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest
from sklearn.metrics import roc_auc_score

from ._output import aligned, in_line

LEVEL = 0.95  # of the intervals
MOST = 12  # classes whose confusions are printed as a matrix, and pairs of them where there are more
BINS = 10  # of probabilities, of equal width
SMALLEST = float(np.finfo(np.float64).eps)  # a smaller probability of what came true counts as this one

Floats = NDArray[np.float64]


class Answers(NamedTuple):
    """What a model says of some rows: labels or numbers, and where it has them probabilities and discriminants."""

    predicted: NDArray[Any]
    probabilities: NDArray[Any] | None
    scores: NDArray[Any] | None

    @classmethod
    def of(cls, model: Any, X: Any) -> Answers:
        more = (getattr(model, name, None) for name in ("predict_proba", "decision_function"))
        return cls(model.predict(X), *(None if method is None else method(X) for method in more))

    @classmethod
    def joined(cls, parts: Sequence[Answers]) -> Answers:
        predicted, *more = ([] if part[0] is None else part for part in zip(*parts, strict=True))
        return cls(np.concatenate(predicted), *(np.concatenate(part) if part else None for part in more))


def wilson(errors: int, rows: int) -> list[float]:
    """Wilson's interval of a share, which holds for few rows and shares near zero too."""
    return list(map(float, binomtest(errors, rows).proportion_ci(LEVEL, method="wilson")))


def measures(classes: NDArray[Any] | None, y: NDArray[Any], answers: Answers) -> dict[str, Any]:
    """All that can be said of a model's answers where the truth is known."""
    if classes is None:
        return _of_numbers(y.astype(np.float64), answers.predicted)
    truth, said = _places(y, classes), _places(answers.predicted, classes)
    wrong = truth != said
    errors, rows, c = int(wrong.sum()), len(y), len(classes)
    labels, counts = np.unique(y, return_counts=True)
    most = int(counts.argmax())
    matrix = np.zeros((c, c), np.int64)
    np.add.at(matrix, (truth[truth >= 0], said[truth >= 0]), 1)
    return {
        "rows": rows,
        "errors": errors,
        "error": errors / rows,
        "interval": wilson(errors, rows),
        "interval_method": "Wilson",
        "level": LEVEL,
        "majority": labels[most],
        "majority_error": 1 - int(counts[most]) / rows,
        "classes": classes,
        "confusion": matrix,
        "by_class": [_of_class(name, row, k) for k, (name, row) in enumerate(zip(classes, matrix, strict=True))],
        "unknown_labels": sorted({str(label) for label in np.unique(y[truth < 0]).tolist()}),
        "unknown_rows": int((truth < 0).sum()),
    } | _of_probabilities(truth, classes, answers)


def _places(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.int64]:
    """The place of each label among the classes, -1 where it is none; "7" is 7 where one of them was read as text."""
    places = {label: k for k, label in enumerate(classes.tolist())}
    texts = {str(label): k for label, k in places.items()}
    labels, inverse = np.unique(y, return_inverse=True)
    found = [places.get(label, texts.get(str(label), -1)) for label in labels.tolist()]
    return np.array(found, np.int64)[inverse.ravel()]


def _of_class(name: Any, row: NDArray[np.int64], k: int) -> dict[str, Any]:
    rows, errors = int(row.sum()), int(row.sum() - row[k])
    known = {"error": errors / rows, "interval": wilson(errors, rows)} if rows else {"error": None, "interval": None}
    return {"class": name, "rows": rows, "errors": errors} | known


def _of_probabilities(truth: NDArray[np.int64], classes: NDArray[Any], answers: Answers) -> dict[str, Any]:
    """Log loss, AUC and calibration, over the rows whose label the model knows."""
    known = truth >= 0
    truth = truth[known]
    facts: dict[str, Any] = dict.fromkeys(("log_loss", "shares_log_loss", "auc", "brier", "calibration"))
    facts["auc"] = _auc(truth, classes, answers, known)
    if answers.probabilities is None or not truth.size:
        return facts
    P = answers.probabilities[known].astype(np.float64)
    shares = np.bincount(truth, minlength=len(classes)) / truth.size
    happened = P[np.arange(truth.size), truth]
    facts["log_loss"] = float(-np.log(np.maximum(happened, SMALLEST)).mean())
    facts["shares_log_loss"] = float(-(shares[shares > 0] * np.log(shares[shares > 0])).sum())
    facts["brier"] = float(
        ((P - np.eye(len(classes))[truth]) ** 2).sum(axis=1).mean() / (2 if len(classes) == 2 else 1)
    )
    two = len(classes) == 2
    p, came = (P[:, 1], truth == 1) if two else (P.max(axis=1), P.argmax(axis=1) == truth)
    facts["calibration"] = {"of": classes[1] if two else None} | _calibration(p, came)
    return facts


def _calibration(p: Floats, came: NDArray[np.bool_]) -> dict[str, Any]:
    """What was foretold with a probability and how often it came, by bins, and how far these are apart on average."""
    place = np.minimum((p * BINS).astype(np.int64), BINS - 1)
    rows = np.bincount(place, minlength=BINS)
    sums, hits = (np.bincount(place, weights=each, minlength=BINS) for each in (p, came))
    bins = [
        {"from": k / BINS, "to": (k + 1) / BINS, "rows": int(n), "predicted": sums[k] / n, "observed": hits[k] / n}
        for k, n in enumerate(rows)
        if n
    ]
    return {"error": float(np.abs(sums - hits).sum() / len(p)), "bins": bins}


def _auc(truth: NDArray[np.int64], classes: NDArray[Any], answers: Answers, known: NDArray[np.bool_]) -> float | None:
    """The area under the ROC curve; of many classes the mean of each against the rest. None where it means nothing."""
    c, scores = len(classes), answers.scores if answers.scores is not None else answers.probabilities
    if c > 2 and answers.probabilities is not None:
        scores = answers.probabilities
    if scores is None or (c > 2 and scores.shape[1:] != (c,)):
        return None
    columns = scores[known].reshape(truth.size, -1)
    areas = [_area(columns[:, k], truth == k) for k in range(c)] if c > 2 else [_area(columns[:, -1], truth == 1)]
    told = [area for area in areas if area is not None]
    return float(np.mean(told)) if told else None


def _area(scores: NDArray[Any], positive: NDArray[np.bool_]) -> float | None:
    return None if positive.all() or not positive.any() else float(roc_auc_score(positive, scores))


def _of_numbers(y: Floats, predicted: NDArray[Any]) -> dict[str, Any]:
    squares, spread = float(((predicted - y) ** 2).mean()), float(y.var())
    return {
        "rows": len(y),
        "mean_squared_error": squares,
        "root_mean_squared_error": float(np.sqrt(squares)),
        "mean_absolute_error": float(np.abs(predicted - y).mean()),
        "mean_variance": spread,
        "r2": 1 - squares / spread if spread else None,
    }


# --- in words


def headline(facts: dict[str, Any]) -> str:
    """The error with its interval, and what it is to be held against."""
    if "errors" not in facts:
        r2 = "" if facts["r2"] is None else f", R² {facts['r2']:.4f}"
        return (
            f"{facts['rows']:,} rows, root mean squared error {facts['root_mean_squared_error']:.6g}, mean absolute "
            f"error {facts['mean_absolute_error']:.6g}{r2}; the mean alone {np.sqrt(facts['mean_variance']):.6g}"
        )
    low, high = facts["interval"]
    wrong = f"{facts['errors']:,} of {facts['rows']:,} rows wrong, {facts['error']:.2%}"
    return f"{wrong} (95% interval {low:.1%} to {high:.1%}, Wilson)"


def always(facts: dict[str, Any]) -> str:
    """What naming the most frequent class every time comes to, which needs no model."""
    wrong = round(facts["majority_error"] * facts["rows"])
    return f"always naming {in_line(facts['majority'])} would get {wrong:,} wrong ({facts['majority_error']:.2%})"


def in_words(facts: dict[str, Any]) -> str:
    """All of it below the headline: the classes one by one, and the probabilities."""
    if "errors" not in facts:
        return ""
    parts = [f"A{always(facts)[1:]}."]
    if facts["unknown_rows"]:
        shown = ", ".join(map(in_line, facts["unknown_labels"][:MOST]))
        parts[0] += (
            f"\n{facts['unknown_rows']:,} rows have a label that the model does not know, and count as wrong: {shown}."
        )
    parts.append(_matrix(facts) if len(facts["classes"]) <= MOST else _classes(facts))
    if told := _probabilities(facts):
        parts.append(told)
    return "\n\n".join(parts)


def _rate(known: dict[str, Any]) -> list[str]:
    if known["error"] is None:
        return ["", ""]
    low, high = known["interval"]
    return [f"{known['error']:.2%}", f"{low:.1%} to {high:.1%}"]


def _matrix(facts: dict[str, Any]) -> str:
    heads = ["true \\ predicted", *map(in_line, facts["classes"]), "rows", "error", "95% interval"]
    rows = [
        [known["class"], *row.tolist(), known["rows"], *_rate(known)]
        for known, row in zip(facts["by_class"], facts["confusion"], strict=True)
    ]
    return aligned(heads, rows)


def _classes(facts: dict[str, Any]) -> str:
    """Of many classes: how often each is missed, and what is mostly taken for what."""
    ranked = sorted(facts["by_class"], key=lambda known: -(known["error"] or 0))
    table = aligned(
        ["class", "rows", "wrong", "error", "95% interval"],
        [[known["class"], known["rows"], known["errors"], *_rate(known)] for known in ranked],
    )
    names = facts["classes"]
    pairs = Counter(
        {(i, j): int(facts["confusion"][i, j]) for i, j in zip(*np.nonzero(facts["confusion"]), strict=True) if i != j}
    )
    rows = [[names[i], names[j], count] for (i, j), count in pairs.most_common(MOST)]
    return f"{table}\n\n{aligned(['true', 'taken for', 'rows'], rows)}" if rows else table


def _probabilities(facts: dict[str, Any]) -> str:
    lines, names = [], facts["classes"]
    if facts["log_loss"] is not None:
        naming = f"always naming the shares of the classes: {facts['shares_log_loss']:.4f}"
        lines.append(f"log loss     {facts['log_loss']:.4f} ({naming}); Brier score {facts['brier']:.4f}")
    if facts["auc"] is not None:
        of = (
            f"{in_line(names[1])} against {in_line(names[0])}"
            if len(names) == 2
            else "mean of each class against the rest"
        )
        lines.append(f"AUC          {facts['auc']:.4f} ({of})")
    if facts["calibration"] is not None:
        known = facts["calibration"]
        lines.append(f"calibration  predicted and observed shares are {known['error']:.4f} apart on average")
        what = "of the predicted class" if known["of"] is None else f"of {in_line(known['of'])}"
        rows = [
            [f"{bin['from']:.1f} to {bin['to']:.1f}", bin["rows"], f"{bin['predicted']:.3f}", f"{bin['observed']:.3f}"]
            for bin in known["bins"]
        ]
        lines += ["", aligned([f"probability {what}", "rows", "predicted", "observed"], rows)]
    return "\n".join(lines)
