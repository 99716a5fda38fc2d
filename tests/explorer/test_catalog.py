"""What a page can choose from: controls that are read from the classes, data that fit on a plane, scenes that hold."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pytest

import discriminant
from discriminant.comparison.methods import METHODS
from discriminant.explorer import catalog, generators
from discriminant.explorer.lessons import SCENES, lessons
from discriminant.explorer.messages import MOST_CLASSES, MOST_POINTS, parse
from discriminant.plot import recording
from discriminant.plot.recording import record

# What only another setting beside it allows, as the procedure then says in a sentence.
DEPENDS = [
    "HoKashyap.eta=optimal", *(f"LogisticDiscriminant.schedule={rate}" for rate in (0.01, 0.1, 1.0)),
]  # fmt: skip


def chosen(name: str) -> dict[str, Any]:
    return next(each for each in catalog.procedures() if each["name"] == name)


def control(name: str, parameter: str) -> dict[str, Any]:
    return next(each for each in chosen(name)["parameters"] if each["name"] == parameter)


def test_every_procedure_is_listed_with_equation_and_sentence() -> None:
    found = catalog.procedures()
    assert [each["name"] for each in found] == list(METHODS)
    assert len({each["title"] for each in found}) == len(found)
    assert all(each["equation"] and each["sentence"] and each["group"] for each in found)
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize("name", METHODS)
def test_controls_are_complete_and_their_values_are_taken(name: str) -> None:
    """The default of each control, sent back, is the procedure as it is; each option makes an estimator."""
    known = METHODS[name]().get_params()
    controls = chosen(name)["parameters"]
    for each in controls:
        assert each["help"], f"{each['name']} is not described"
        assert catalog.plain(known[each["name"]]) == each["default"]
        options = {"choice": each["options"], "flag": [True, False], "number": [each["default"]]}[each["control"]]
        assert each["control"] != "choice" or each["default"] in options
        for option in options or ():
            assert catalog.estimator(name, {each["name"]: option}, 0) is not None
    left_out = set(known) - {each["name"] for each in controls}
    assert left_out <= {*catalog.LEFT_OUT, "multiclass", "targets"}  # of some there is but one


@pytest.mark.parametrize("kind", sorted({found.kind for found in METHODS.values()}))
def test_every_option_can_be_run(kind: str) -> None:
    """A choice offers nothing that the procedure itself would refuse."""
    name = next(name for name, found in METHODS.items() if found.kind == kind)
    X, y = discriminant.datasets.or_function()
    few = {"max_iter": 2} if "max_iter" in METHODS[name]().get_params() else {}
    for each in chosen(name)["parameters"]:
        for option in each["options"] or ():
            model = catalog.estimator(name, {each["name"]: option} | few, 0)
            with warnings.catch_warnings(action="ignore"):
                if f"{kind}.{each['name']}={option}" in DEPENDS:
                    with pytest.raises(ValueError, match=each["name"]):
                        model.fit(X, y)
                else:
                    model.fit(X, y)


def test_controls_say_what_the_table_of_the_class_says() -> None:
    assert control("perceptron", "margin") == {
        "name": "margin", "label": "margin", "control": "number", "default": 0.0, "low": 0, "high": None,
        "closed": True, "whole": False, "options": None, "help": "The margin b ≥ 0 that aᵗy must exceed.",
    }  # fmt: skip
    assert control("perceptron", "max_iter")["whole"]
    assert control("perceptron-margin", "margin")["default"] == 10.0
    assert control("perceptron", "batch")["control"] == "flag"
    assert control("perceptron", "order")["options"] == ["cyclic", "random"]
    assert control("logistic-discriminant", "penalty")["options"] == ["l2", "firth", None]
    assert control("multilayer-perceptron", "hidden")["default"] == [64]
    assert control("multilayer-perceptron", "momentum")["high"] == 1
    assert control("balanced-winnow", "alpha") | {"help": ""} == control("balanced-winnow", "alpha") | {
        "help": "", "low": 1, "closed": False,
    }  # fmt: skip


def test_values_of_javascript_are_taken() -> None:
    assert catalog.estimator("perceptron", {"schedule": 1}, 0).schedule == 1
    assert catalog.estimator("perceptron", {"max_iter": 10.0}, 0).max_iter == 10
    assert catalog.estimator("multilayer-perceptron", {"hidden": [4, 4]}, 7).hidden == (4, 4)
    assert catalog.estimator("multilayer-perceptron", {}, 7).random_state == 7
    with pytest.raises(ValueError, match="must be one of"):
        catalog.estimator("perceptron", {"schedule": True}, 0)


def test_data_sets_fit_on_the_plane() -> None:
    listed = {each["name"]: each for each in catalog.listed()}
    assert {"table", "table-1-2", "xor", "or-function", "iris", "breast-cancer"} <= set(listed)
    assert "digits" not in listed
    titles = {"svm-three": "SVM three", "xor-signed": "XOR signed", "or-function": "OR", "table-1-3": "Table, ω₁, ω₃"}
    assert {name: listed[name]["title"] for name in titles} == titles
    assert catalog.data_set("table")[0]["classes"] == ["ω₁", "ω₂", "ω₃", "ω₄"]
    assert recording.MOST_CLASSES == MOST_CLASSES  # the messages of a page must not import what records
    assert "regression-example" not in listed
    for name, told in listed.items():
        points, title = catalog.data_set(name)
        assert (len(points["y"]), title) == (told["n"], told["title"])
        assert len(points["classes"]) == told["classes"] <= MOST_CLASSES
        parse(json.dumps({"v": 1, "type": "verdict", "id": 1, "points": points, "one_feature": False}))


def test_of_many_features_the_telling_ones_are_shown() -> None:
    assert catalog.data_set("iris")[0]["features"] == ["petal length (cm)", "petal width (cm)"]


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ValueError, match="did you mean 'iris'"):
        catalog.data_set("irsi")
    with pytest.raises(ValueError, match="must be a generator"):
        generators.drawn("nothing", {})


@pytest.mark.parametrize("name", generators.GENERATORS)
def test_generators_draw_what_their_sliders_say(name: str) -> None:
    controls = next(each for each in generators.listed() if each["name"] == name)["controls"]
    X, y, _ = generators.drawn(name, {})
    assert X.shape == (60, 2)
    np.testing.assert_array_equal(X, generators.drawn(name, {})[0])
    assert not np.array_equal(X, generators.drawn(name, {"seed": 1})[0])
    for each in controls:
        assert {"separation", "noise", "count", "seed", "margin", "flip", "classes"} >= {each["name"]}
        for value in (each["low"], each["high"]):
            X, y, _ = generators.drawn(name, {each["name"]: value})
            assert np.isfinite(X).all()
            assert 2 <= len(np.unique(y)) <= MOST_CLASSES
            assert len(X) <= MOST_POINTS
        for wrong in (each["low"] - 1, each["high"] + 1, "x", True, None):
            with pytest.raises(ValueError, match=f"{each['name']}="):
                generators.drawn(name, {each["name"]: wrong})
    with pytest.raises(ValueError, match="no control"):
        generators.drawn(name, {"surplus": 1})


@pytest.mark.parametrize("k", range(8))
def test_scenes_hold_what_they_say(k: int) -> None:
    scene = lessons()[k]
    assert scene["paragraph"].endswith((".", "?"))
    assert scene["question"].endswith("?")
    json.dumps(scene, allow_nan=False)
    racers = [{"procedure": scene["procedure"], "parameters": scene["parameters"]}, *(scene["race"] or [])]
    runs = []
    for each in racers:
        model = catalog.estimator(each["procedure"], each["parameters"], 0)
        runs.append(record(model, np.array(scene["points"]["x"]), scene["points"]["y"])["head"])
    counts = [run["final"]["corrections"] for run in runs]
    checks = (
        lambda: runs[0]["final"]["status"] == "CYCLES" and counts == [4],
        lambda: counts == [2],
        lambda: counts == [33, 108] and [round(run["final"]["margin"], 2) for run in runs] == [0.16, 0.32],
        lambda: (counts[0], counts[2]) == (1628, 326) and counts[1] > 1628,
        lambda: runs[0]["final"]["status"] == "NOT_SEPARABLE" and runs[0]["final"]["errors"] == 2,
        lambda: [run["final"]["errors"] for run in runs] == [1, 0] and counts[1] == 182,
        lambda: runs[0]["support"] == [0, 2] and round(runs[0]["final"]["margin"] ** 2, 9) == 5,
        lambda: runs[0]["final"]["errors"] == 0,
    )
    assert checks[k](), counts


def test_the_last_scene_with_two_units_stays_wrong() -> None:
    model = catalog.estimator("multilayer-perceptron", SCENES[-1].parameters | {"hidden": [2]}, 0)
    assert record(model, *discriminant.datasets.xor())["head"]["final"]["errors"] == 1
