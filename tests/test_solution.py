"""Status, solutions, reports, and the errors and warnings that carry their evidence."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from typing import Any

import numpy as np
import pytest

from discriminant import Perceptron, Report, Status
from discriminant.solution import Epoch, Epochs, Findings, Solution, details_of, history_of


def test_every_status_has_its_sentence() -> None:
    assert [status.name for status in Status] == [
        "SEPARATED", "CONVERGED", "NOT_SEPARABLE", "CYCLES", "BUDGET", "STOPPED",
    ]  # fmt: skip
    assert len({status.sentence for status in Status}) == 6
    assert str(Status.NOT_SEPARABLE).startswith("not separable: no linear discriminant")
    assert [status.finished for status in Status] == [True, True, False, False, False, False]
    assert pickle.loads(pickle.dumps(Status.CYCLES)) is Status.CYCLES


def test_the_worst_status_speaks_for_all() -> None:
    order = list(Status)
    for i, one in enumerate(order):
        for j, other in enumerate(order):
            assert Status.worst([one, other]) is order[max(i, j)]


def solution(n: int, path: Any = None) -> Solution:
    epochs = [Epoch(n - k, 0.5 * k, 1.0 / (k + 1), k) for k in range(n)]
    return Solution(np.zeros((1, 3)), Status.BUDGET, epochs, Findings(), path)


@pytest.mark.parametrize("kind", [list, Epochs])
def test_the_history_of_one_problem(kind: Any) -> None:
    one = solution(4)
    one.epochs = kind(one.epochs)
    history = history_of([one])
    assert history["errors"].tolist() == [4, 3, 2, 1]
    assert history["criterion"].tolist() == [0, 0.5, 1, 1.5]
    assert history["step"].tolist() == [1, 1 / 2, 1 / 3, 1 / 4]
    assert history["corrections"].tolist() == [0, 1, 2, 3]
    assert set(history) == {"errors", "criterion", "step", "corrections"}
    assert (one.n_iter, one.n_corrections) == (4, 6)


def test_the_history_of_several_problems() -> None:
    history = history_of([solution(2, np.zeros((3, 3))), solution(0, np.ones((1, 3))), solution(1, np.full((2, 3), 2))])
    assert history["problem"].tolist() == [0, 0, 2]
    assert history["weights"][:, 0].tolist() == [0, 0, 0, 1, 2, 2]
    assert history["weights_problem"].tolist() == [0, 0, 0, 1, 2, 2]


def facts(**more: Any) -> dict[str, Any]:
    return {
        "procedure": "Perceptron", "status": "BUDGET", "criterion": "J", "iterations": 1_000, "corrections": 2_345,
        "errors": 7, "n_samples": 10_000, "bound": None, "inseparable": False, "details": {}, "notes": [],
        "remedy": "this or that.",
    } | more  # fmt: skip


def test_a_report_looks_at_the_data_once_and_only_when_it_is_read() -> None:
    looks = []

    def later(known: dict[str, Any]) -> dict[str, Any]:
        looks.append(known)
        return {"scale": "sizes", "bound": 9_999.6}

    report = Report(facts(), later)
    assert "may not be linearly separable. report_ has the numbers. To try: this or that." in report.warning()
    assert report.warning() == Report(facts(iterations=20, errors=9)).warning()
    assert not looks
    assert report.to_dict()["scale"] == "sizes"
    assert "2,345 (the theorem allows at most 9,999)" in str(report)
    assert len(looks) == 1
    given = report.to_dict()
    given["errors"] = "spoiled"
    assert report.to_dict()["errors"] == 7
    for twin in (copy.deepcopy(report), pickle.loads(pickle.dumps(report))):
        assert twin.to_dict() == report.to_dict()
    assert len(looks) == 1


def test_lines_that_have_nothing_to_say_are_left_out() -> None:
    text = str(Report(facts(errors=None, remedy=None)))
    assert [line.split()[0] for line in text.splitlines()[1:]] == ["minimized"]
    assert "are not linearly separable" in Report(facts(inseparable=True)).warning()


def test_details_of_several_problems_are_totals_or_the_worst() -> None:
    own = [
        {"method": "pairs", "criterion value": 2.0, "duality gap": -1e-17, "margin": 0.5, "rank": 3, "place": "x1"},
        {"method": "pairs", "criterion value": 3.0, "duality gap": 1e-9, "margin": 0.25, "rank": 4, "place": "x2"},
    ]
    solutions = [Solution(np.zeros((1, 2)), Status.CONVERGED, [], Findings(details=details)) for details in own]
    assert details_of(solutions) == {
        "method": "pairs", "total criterion value": 5.0, "largest duality gap": 1e-9, "smallest margin": 0.25,
    }  # fmt: skip
    assert details_of(solutions[:1]) == own[0] | {"duality gap": 0.0}


def test_a_report_does_not_hold_its_model() -> None:
    gc.disable()
    try:
        model = Perceptron().fit([[0.0], [1.0]], [0, 1])
        watched = weakref.ref(model)
        del model
        assert watched() is None  # without the garbage collector: there is no cycle
    finally:
        gc.enable()


def test_a_notebook_shows_the_same_lines() -> None:
    report = Perceptron().fit([[0.0], [1.0]], [0, 1]).report_
    html = report._repr_html_()
    assert html.startswith("<p><b>Perceptron: separated: every training pattern lies strictly on its own side</b></p>")
    assert ">J_p(a) = sum of b - a&#x27;y over the patterns with a&#x27;y &lt;= b</td>" in html
    assert html.count("<tr>") == len(str(report).splitlines()) - 1
