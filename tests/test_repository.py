"""The promises of the repository itself: README, public names, docstrings, laziness, version."""

import ast
import doctest
import importlib.util
import inspect
import operator
import os
import pkgutil
import re
import subprocess
import sys
import tomllib
from enum import EnumType
from pathlib import Path

import pytest
from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import validate

import discriminant

ROOT = Path(__file__).parents[1]
PUBLIC = [name for name in discriminant.__all__ if name != "__version__"]


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """Run a command as a user would: this Python first on PATH, no trace of an outer make."""
    env = {key: value for key, value in os.environ.items() if key not in {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}}
    env["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), env["PATH"]])
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)
    assert done.returncode == 0, f"{command} failed:\n{done.stdout}{done.stderr}"
    return done.stdout


def readme_blocks(*languages: str) -> list[tuple[int, str]]:
    """The fenced blocks of README.md in these languages, each with the number of its first line."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    fences = re.finditer(rf"^```(?:{'|'.join(languages)})\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(text.count("\n", 0, fence.start(1)), fence[1]) for fence in fences]


def readme_commands() -> list[str]:
    lines = [line for _, block in readme_blocks("sh", "bash", "console") for line in block.splitlines()]
    return [line.removeprefix("$ ") for line in lines if line.strip() and not line.startswith("#")]


def test_readme_python() -> None:
    names: dict[str, object] = {}
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    for line, code in readme_blocks("python", "pycon"):
        if ">>>" in code:
            test = doctest.DocTestParser().get_doctest(code, names, "README.md", "README.md", line)
            report: list[str] = []
            doctest.DocTestRunner(optionflags=flags).run(test, out=report.append, clear_globs=False)
            assert not report, "".join(report)
            names = test.globs
        else:
            exec(compile("\n" * line + code, "README.md", "exec"), names)


def test_readme_commands(tmp_path: Path) -> None:
    """make targets exist; other commands run, except those that fetch something."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for command in readme_commands():
        words = command.split("#")[0].split()
        if words[0] == "make":
            run("make", "--dry-run", *words[1:])
        elif words[0] not in {"cd", "git", "pip"}:
            run("bash", "-c", command, cwd=tmp_path)


def test_make_help() -> None:
    listed = re.findall(r"^make (\w+)", run("make"), re.MULTILINE)
    assert {"help", "install", "demo", "test", "bench", "docs", "lint", "clean"} <= set(listed)


def test_demo() -> None:
    assert run(sys.executable, "examples/demo.py")


def test_import_is_light() -> None:
    heavy = {"numba", "sklearn", "scipy", "highspy", "matplotlib", "pandas", "polars"}
    loaded = run(sys.executable, "-c", "import sys, discriminant; print(*sys.modules)")
    assert not heavy & set(loaded.split())


def test_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert discriminant.__version__ == project["version"]


def test_names_are_listed_once_and_missing_ones_are_reported() -> None:
    assert len(discriminant.__all__) == len(set(discriminant.__all__))
    assert set(discriminant.__all__) <= set(dir(discriminant))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = discriminant.no_such_name


def test_type_checkers_see_the_same_names() -> None:
    """The lazy table is for Python, the block under TYPE_CHECKING for mypy."""
    tree = ast.parse(inspect.getsource(discriminant))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imported = [alias.asname or alias.name for node in block.body for alias in node.names]
    assert sorted(imported) == sorted(PUBLIC)


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(discriminant.__path__)])
def test_no_module_shadows_a_public_name(name: str) -> None:
    """After `import discriminant.f`, `discriminant.f` is the module, whatever the lazy table says."""
    if name in PUBLIC:
        assert not hasattr(importlib.import_module(f"discriminant.{name}"), name)


def documented_names() -> list[str]:
    """The public names; for a public module, those of its own `__all__`."""
    names = []
    for name in PUBLIC:
        path = f"discriminant.{name}"
        is_module = importlib.util.find_spec(path) is not None
        names += [f"{name}.{member}" for member in importlib.import_module(path).__all__] if is_module else [name]
    return names


@pytest.mark.parametrize("name", documented_names())
def test_docstring_has_an_example(name: str) -> None:
    doc = operator.attrgetter(name)(discriminant).__doc__
    assert doc, "no docstring"
    examples = "\n".join(NumpyDocString(inspect.cleandoc(doc))["Examples"])
    assert doctest.DocTestParser().get_examples(examples), "no Examples section with a doctest"


@pytest.mark.parametrize("name", PUBLIC)
def test_docstring_describes_every_parameter(name: str) -> None:
    thing = getattr(discriminant, name)
    if not inspect.ismodule(thing) and not isinstance(thing, EnumType):
        wrong = [message for code, message in validate(f"discriminant.{name}")["errors"] if code in {"PR01", "PR02"}]
        assert not wrong
