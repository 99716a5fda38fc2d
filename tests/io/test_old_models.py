"""Model files of version 0.1 still load, say the same, are written the same, and go on learning."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from old_models import CASES, answers, table

from discriminant import io

FOLDER = Path(__file__).parent / "models_0_1"
SAID = json.loads((FOLDER / "answers.json").read_text(encoding="utf-8"))


def test_every_old_model_has_a_case() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} - {"answers", "recipe"} == set(CASES) == set(SAID) - {"recipe"}


def assert_said(model: Any, given: Any, expected: dict[str, Any]) -> None:
    """It may have learned to say more; the last bits of a product depend on the processor's linear algebra."""
    said = answers(model, given)
    for name, values in expected.items():
        if isinstance(np.ravel(values)[0], str):
            assert said[name] == values
        else:
            np.testing.assert_allclose(said[name], values, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_an_old_model_says_the_same(name: str) -> None:
    path, given = FOLDER / f"{name}.json", CASES[name][1][0]
    model = io.load(path)
    assert type(model) is type(CASES[name][0])
    assert_said(model, given, SAID[name]["answers"])
    assert io.dumps(model) == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in CASES if "after_a_portion" in SAID[name]])
def test_an_old_model_goes_on_learning(name: str) -> None:
    given, y = CASES[name][1]
    model = io.load(FOLDER / f"{name}.json")
    with warnings.catch_warnings(action="ignore"):
        model.partial_fit(given, y)
    assert_said(model, given, SAID[name]["after_a_portion"])


def test_an_old_recipe_makes_the_same_matrix() -> None:
    assert answers(*table(FOLDER)) == SAID["recipe"]["answers"]
