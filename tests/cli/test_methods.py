"""``discriminant methods``: the procedures by name."""

from collections.abc import Callable

import discriminant
from discriminant.cli._methods import kebab
from discriminant.comparison import METHODS

from .conftest import Outcome, installed


def test_completion_of_methods() -> None:
    found = installed(
        _DISCRIMINANT_COMPLETE="complete_bash", COMP_WORDS="discriminant fit iris --method sv", COMP_CWORD="4"
    )
    assert found.out.split() == ["svm"]


def test_methods_are_the_classes_in_kebab_case(inside: Callable[..., Outcome]) -> None:
    found = inside("methods", "--json").json["methods"]
    names = {entry["name"] for entry in found}
    kinds = {
        name
        for name in discriminant.__all__
        if name[0].isupper() and all(hasattr(getattr(discriminant, name), part) for part in ("fit", "predict"))
    }
    assert {kebab(kind) for kind in kinds} <= names
    assert set(METHODS) <= names
    short = {entry["short"]: entry["class"] for entry in found if entry["short"]}
    assert {"svm", "logistic", "mlp", "fisher"} <= set(short)
    assert short["svm"] == "SupportVectorMachine"
