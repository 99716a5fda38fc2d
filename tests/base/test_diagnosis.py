"""What the verdict on separability means for a fit."""

from __future__ import annotations

import json
import pickle

import pytest
from sklearn.exceptions import NotFittedError

from discriminant import (
    Certificate,
    KernelPerceptron,
    Perceptron,
    UndecidedError,
    datasets,
)

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")


class TestDiagnose:
    """What ``diagnose`` adds to the report of a fit."""

    def test_overlap_is_proved_and_said(self) -> None:
        X, y = datasets.table(1, 3)
        model = Perceptron(max_iter=50).fit(X, y)
        before = model.report_.to_dict()
        found = model.diagnose(X, y)
        after = model.report_.to_dict()
        assert found.verdict == "overlap"
        assert found.certificate.verify(X, y)
        assert after["verdict"].startswith("overlap")
        assert after["remedy"].startswith("No weights reach zero errors")
        assert {name: after[name] for name in ("status", "iterations", "errors")} == {
            name: before[name] for name in ("status", "iterations", "errors")
        }
        (part,) = after["separability"]
        assert Certificate.from_json(json.dumps(part["certificate"])).verify(X, y)
        assert "rows 0, 1, 12, 18" in str(model.report_)
        assert pickle.loads(pickle.dumps(model)).report_.to_dict() == after

    @pytest.mark.parametrize("multiclass", ["kesler", "one-vs-rest", "one-vs-one"])
    def test_a_verdict_that_takes_long_is_not_waited_for(self, multiclass: str) -> None:
        X, y = datasets.iris()
        model = Perceptron(max_iter=2, multiclass=multiclass).fit(X, y)
        found = model.diagnose(X, y, max_seconds=1e-9)
        told = model.report_.to_dict()
        assert told["verdict"] == "undecided: no verdict was found within 1e-09 s"
        assert (told["proof"], told["separability"]) == (None, [])
        assert "give diagnose more max_seconds" in str(model.report_)
        with pytest.raises(UndecidedError):
            found.verdict  # noqa: B018
        assert model.diagnose(X, y, max_seconds=None).verdict == "quasi"
        assert not model.report_.to_dict()["verdict"].startswith("undecided")

    def test_one_against_one_needs_no_machine(self) -> None:
        X, y = datasets.iris()
        model = Perceptron(max_iter=2, multiclass="one-vs-one").fit(X, y)
        assert "_outcome" not in vars(model.diagnose(X, y))

    def test_zero_errors_could_be_reached(self) -> None:
        X, y = datasets.table(1, 2)
        model = Perceptron(max_iter=2).fit(X, y)
        assert model.diagnose(X, y).verdict == "complete"
        assert model.report_.to_dict()["remedy"].startswith("Zero errors can be reached")
        model = Perceptron().fit(X, y)
        model.diagnose(X, y)
        assert model.report_.to_dict()["remedy"] is None

    @pytest.mark.parametrize(
        ("multiclass", "verdict", "parts"),
        [("kesler", "complete", 1), ("one-vs-rest", "overlap", 3), ("one-vs-one", "complete", 3)],
    )
    def test_the_verdict_is_on_the_problems_of_the_fit(self, multiclass: str, verdict: str, parts: int) -> None:
        X, y = datasets.table(1, 2, 4)
        model = Perceptron(max_iter=5, multiclass=multiclass).fit(X, y)
        model.diagnose(X, y)
        facts = model.report_.to_dict()
        assert facts["verdict"].startswith(verdict)
        assert len(facts["separability"]) == parts

    def test_a_kernel_can_do_more(self) -> None:
        X, y = datasets.table(1, 3)
        model = KernelPerceptron(kernel="gaussian", max_iter=1).fit(X, y)
        model.diagnose(X, y)
        assert "a richer kernel" in model.report_.to_dict()["remedy"]

    def test_other_data_are_refused(self) -> None:
        X, y = datasets.table(1, 2)
        model = Perceptron().fit(X, y)
        with pytest.raises(ValueError, match="2 columns of the fit"):
            model.diagnose(X[:, :1], y)
        with pytest.raises(ValueError, match="give those of the fit"):
            model.diagnose(X, y + 5)
        with pytest.raises(NotFittedError):
            Perceptron().diagnose(X, y)
