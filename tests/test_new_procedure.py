"""A procedure is added by following CONTRIBUTING's list, in a copy of the repository; nothing else is touched."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.ci

FILE = '''"""A toy: the fixed-increment rule with η = 1, which adds each pattern that is on the wrong side.

    a(k+1) = a(k) + yᵏ        where aᵗ(k) yᵏ ≤ 0

Tests: ``tests/error_correcting/test_toy.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._engine.driver import Watch
from .._engine.problem import Problem
from .._engine.rows import Rows, compiled, finite, inlined, row_axpy, row_dot
from ..base.classifier import ORDER_OF_VISITS, IterativeClassifier
from ..solution import Epoch, Findings, Status


@inlined
def correction(margin: float) -> float:
    """Step length of the rule: 1 where aᵗy ≤ 0, else 0."""
    return 1.0 if margin <= 0 else 0.0


@compiled
def _epoch(X: Rows, labels: NDArray[np.int32], a: NDArray[Any]) -> Any:
    """Visit every pattern once; the number of corrections, or -1 where a product is not finite."""
    corrections = 0
    for i in range(labels.size):
        if labels[i] >= 0:
            z = a.dtype.type(2 * labels[i] - 1)
            margin = z * row_dot(X, i, a)
            if not finite(margin):
                return -1
            if correction(margin) != 0:
                row_axpy(X, i, z, a.dtype.type(1), a)
                corrections += 1
    return corrections


class ToyEpochs:
    """The rule at work."""

    def __init__(self, start: NDArray[Any]) -> None:
        self.a, self.k = start[0], 0

    answer = property(lambda self: self.a[None])
    path = property(lambda self: None)
    findings = property(lambda self: Findings())

    def epoch(self, problem: Problem, watch: Watch) -> Epoch:
        """One pass."""
        watch.check()
        corrections = _epoch(problem.rows, problem.labels, self.a)
        if corrections < 0:
            raise problem.refuse()
        self.k += corrections
        return Epoch(corrections, float(corrections), 1.0, corrections, None if corrections else Status.SEPARATED)


class ToyRule(IterativeClassifier):
    """The fixed-increment rule, for a test.

    Parameters
    ----------
    start : array, default=None
        Where to begin.
    max_iter : int, default=100
        Passes at most.
    multiclass : {"one-vs-rest", "one-vs-one"}, default="one-vs-rest"
        What to do with more than two classes.

    Examples
    --------
    >>> from discriminant import ToyRule
    >>> ToyRule().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]).n_corrections_
    9
    """

    _criterion = "the number of errors"
    _expected_failed_checks = ORDER_OF_VISITS

    def __init__(self, *, start: Any = None, max_iter: int = 100, multiclass: str = "one-vs-rest") -> None:
        self.start, self.max_iter, self.multiclass = start, max_iter, multiclass

    def _begin(self, problem: Problem, start: NDArray[Any], online: bool) -> ToyEpochs:
        return ToyEpochs(start)
'''
TEST = """from discriminant import Perceptron, ToyRule, datasets


def test_it_is_the_perceptron():
    X, y = datasets.table(1, 2)
    assert ToyRule().fit(X, y).weights_.tolist() == Perceptron().fit(X, y).weights_.tolist()
"""
PAGE = """:procedure: ToyRule
:minimizes: the errors
:ends: at a clean pass
:source: this test

Toy rule
========

>>> from discriminant import ToyRule, datasets
>>> ToyRule().fit(*datasets.or_function()).status_.name
'SEPARATED'
"""
AT_WORK = """
import json, os, sys
import discriminant
light = "discriminant.error_correcting.toy" not in sys.modules and "numba" not in sys.modules
from sklearn.utils import estimator_checks as checks
model = discriminant.ToyRule()
for check in ("check_classifiers_train", "check_estimator_sparse_array", "check_estimators_dtypes",
              "check_dict_unchanged", "check_estimators_nan_inf", "check_no_attributes_set_in_init"):
    getattr(checks, check)("ToyRule", model)
from discriminant.comparison.methods import METHODS
sys.path.insert(0, "tests")
from hard_cases import ESTIMATORS
print(json.dumps({
    "light": light, "public": "ToyRule" in discriminant.__all__, "method": str(METHODS["toy-rule"]),
    "hard": "ToyRule()" in ESTIMATORS,
}))
"""


def edited(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path.name} has no {old!r} any more"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def contents(root: Path) -> dict[str, str]:
    suffixes = {".py", ".rst", ".md", ".toml"}
    paths = [path for path in root.rglob("*") if path.suffix in suffixes and ".cache" not in path.parts]
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in paths}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, set[str]]]:
    """The repository with a toy procedure, and the files that were written for it."""
    root = tmp_path_factory.mktemp("copy")
    for name in ("src", "tests", "docs", "tools", "benchmarks"):
        ignored = shutil.ignore_patterns("__pycache__", "_build", "api", "auto_examples", "*.pyc")
        shutil.copytree(ROOT / name, root / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        shutil.copy(ROOT / name, root / name)
    before, package = contents(root), root / "src" / "discriminant"

    # CONTRIBUTING, "How to add a procedure", point by point
    (package / "error_correcting" / "toy.py").write_text(FILE, encoding="utf-8")
    edited(package / "error_correcting" / "__init__.py", "\n\nImports ", "\n- ``toy``: a toy.\n\nImports ")
    (root / "tests" / "error_correcting" / "test_toy.py").write_text(TEST, encoding="utf-8")
    (root / "docs" / "procedures" / "toy.rst").write_text(PAGE, encoding="utf-8")
    registry = package / "__init__.py"
    edited(registry, "_PROCEDURES = {\n", '_PROCEDURES = {\n    "error_correcting.toy": ("ToyRule",),\n')
    edited(
        registry, "if TYPE_CHECKING:\n", "if TYPE_CHECKING:\n    from .error_correcting.toy import ToyRule as ToyRule\n"
    )
    edited(root / "CHANGELOG.md", "### Added\n\n", "### Added\n\n- `ToyRule`.\n")
    yield root, {name for name, text in contents(root).items() if before.get(name) != text}
    shutil.rmtree(root, ignore_errors=True)


def run(root: Path, *command: str) -> str:
    env = os.environ | {"PYTHONPATH": str(root / "src"), "NUMBA_CACHE_DIR": str(root / ".cache" / "numba")}
    done = subprocess.run([sys.executable, *command], cwd=root, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_six_places_are_enough_and_named(copy: tuple[Path, set[str]]) -> None:
    _, written = copy
    assert len(written) <= 6
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    steps = text.partition("## How to add a procedure")[2].partition("\n## ")[0]
    assert len(re.findall(r"^\d\. ", steps, re.MULTILINE)) <= 6
    for name in written:
        named = name.replace("error_correcting", "<chapter>").replace("toy", "<procedure>")
        assert f"`{named}`" in steps, f"{named} was needed, but the list does not name it"


def test_it_works_and_everybody_knows_it(copy: tuple[Path, set[str]]) -> None:
    found = json.loads(run(copy[0], "-c", AT_WORK))
    assert found == {"light": True, "public": True, "method": "ToyRule()", "hard": True}
    listed = json.loads(run(copy[0], "-m", "discriminant", "methods", "--json"))
    assert {"toy-rule"} <= {method["name"] for method in listed["methods"]}


def test_its_own_tests_and_examples_run(copy: tuple[Path, set[str]]) -> None:
    places = (
        "tests/error_correcting/test_toy.py",
        "src/discriminant/error_correcting/toy.py",
        "docs/procedures/toy.rst",
    )
    assert "3 passed" in run(copy[0], "-m", "pytest", "-q", *places)


def test_the_imports_still_point_one_way(copy: tuple[Path, set[str]]) -> None:
    run(copy[0], "-c", "import sys; from importlinter.cli import lint_imports_command as lint; lint(['--no-cache'])")


def test_the_documents_are_drawn_with_it(copy: tuple[Path, set[str]]) -> None:
    root = copy[0]
    run(root, "tools/rooms.py")
    run(root, "tools/procedures.py")
    readme = (root / "README.md").read_text(encoding="utf-8")
    assert re.search(r"\[`ToyRule`\]\(https://\S+/docs/procedures/toy\.rst\) \| the errors \|", readme)
    assert re.search(r"error_correcting .*\n?.*\btoy\b", (root / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    run(root, "docs/conf.py")
    assert any("ToyRule" in page.read_text(encoding="utf-8") for page in (root / "docs" / "api").glob("*.rst"))
