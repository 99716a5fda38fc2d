"""The promises of the repository itself: README, public names, docstrings, laziness, version."""

import ast
import doctest
import functools
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
PACKAGE = ROOT / "src" / "discriminant"
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


def test_the_extra_all_brings_nothing_that_no_line_names() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    (everything,) = extras["all"]
    joined = re.search(r"\[(.*)\]", everything)[1].split(",")
    code = "\n".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    for package in {re.match(r"\w+", line)[0] for name in joined for line in extras[name]}:
        assert re.search(rf"^\s*(import|from) {package}\b|\"{package}[\".]", code, re.MULTILINE), package


def test_readme_links_are_absolute() -> None:
    """A package index shows the README alone."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"", text)
    assert len(links) > 20
    assert [link for pair in links for link in pair if link and not link.startswith("https://")] == []


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


@pytest.mark.ci
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


@pytest.mark.ci
def test_demo() -> None:
    assert run(sys.executable, "examples/demo.py")


def test_import_is_light() -> None:
    heavy = {"numba", "sklearn", "scipy", "highspy", "matplotlib", "pandas", "polars"}
    loaded = run(sys.executable, "-c", "import sys, discriminant; print(*sys.modules)")
    assert not heavy & set(loaded.split())


def test_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert discriminant.__version__ == project["version"]


# Users import these: none may go, and a new one is added here on purpose.
NAMES = """
Adatron BalancedWinnow Certificate CoefficientTable Comparison Design Diagnosis FisherDiscriminant
FitInterruptedWarning GradientDescent HoKashyap Hyperplane InfiniteEstimateWarning KernelPerceptron LeastSquares
LeastSquaresRegressor LinearMachine LinearProgram LogisticDiscriminant MarginDistribution MinOver MultilayerPerceptron
MultilayerPerceptronRegressor NewtonDescent NotConvergedWarning NotSeparableError Perceptron PiecewiseLinearMachine
PolynomialMap Quadric RecursiveLeastSquares Relaxation Removals Report RidgeRegressor Separability Status
SupportVectorMachine Trace UndecidedError WidrowHoff WidrowHoffRegressor __version__ augment bounds classify_quadric
compare criteria datasets design diagnose feature_ranking integer_search io kesler leave_one_out margins mercer
minimum_removals normalize pattern_ranking plot schedules separability svm_path unaugment warm_up watch_separation
"""


def test_the_public_names_are_these() -> None:
    assert discriminant.__all__ == sorted(NAMES.split())


def test_names_are_listed_once_and_missing_ones_are_reported() -> None:
    assert len(discriminant.__all__) == len(set(discriminant.__all__))
    assert set(discriminant.__all__) <= set(dir(discriminant))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = discriminant.no_such_name


def test_type_checkers_see_the_same_names() -> None:
    """The lazy table is for Python, the block under TYPE_CHECKING for mypy."""
    block = next(node for node in ast.parse(inspect.getsource(discriminant)).body if isinstance(node, ast.If))
    imported = [alias.asname or alias.name for node in block.body for alias in node.names]
    assert sorted(imported) == sorted(PUBLIC)


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(discriminant.__path__)])
def test_no_module_shadows_a_public_name(name: str) -> None:
    """After `import discriminant.f`, `discriminant.f` is the module, whatever the lazy table says."""
    if name in PUBLIC:
        assert not hasattr(importlib.import_module(f"discriminant.{name}"), name)


@pytest.mark.parametrize(
    ("name", "tool"),
    [("CONTRIBUTING.md", "rooms"), ("README.md", "procedures"), ("docs/guide/books.rst", "books")],
)
def test_pictures_show_the_code_as_it_is(name: str, tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    drawn = importlib.import_module(tool).drawn()
    assert (ROOT / name).read_text(encoding="utf-8") == drawn, f"run: python tools/{tool}.py"


COUNTED = {
    "Pattern Classification": {"Algorithm": 12, "Figure 5.": 19, "Problem": 34, "Computer exercise": 12, "Example": 2},
    "Support Vector Machines": {"Figure 2.": 5, "Table 2.": 3, "Exercise": 3},
    "Theory and Practice": {"Example": 17, "Figure 8.": 16, "Table 8.": 7},
}


@pytest.mark.parametrize(("title", "counts"), COUNTED.items())
def test_no_item_of_a_book_is_left_out(title: str, counts: dict[str, int]) -> None:
    books = tomllib.loads((ROOT / "docs" / "books.toml").read_text(encoding="utf-8"))["book"]
    (book,) = [book for book in books if title in book["title"]]
    items = book["items"]
    for kind, count in counts.items():
        space = "" if kind.endswith(".") else " "
        assert [f"{kind}{space}{k}" for k in range(1, count + 1)] == [item for item in items if item.startswith(kind)]
        assert all(
            book["about"].get(item) or items[item].startswith("none: ") for item in items if item.startswith(kind)
        )


def figures_named(text: str) -> set[str]:
    """The numbers in "Fig. 5.1", "Figs. 5.8 and 5.9" and "Figs. 2.1–2.4"."""
    numbers = set()
    for names in re.findall(r"Figs?\.\s+((?:\d+\.\d+(?:[–,]|\s|and)*)+)", text.replace("\n# ", " ")):
        for chapter, first, last in re.findall(r"(\d+)\.(\d+)(?:–\d+\.(\d+))?", names):
            numbers |= {f"{chapter}.{k}" for k in range(int(first), int(last or first) + 1)}
    return numbers


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("plot_*.py")), ids=lambda path: path.stem)
def test_a_script_names_the_figures_that_the_table_of_the_books_finds_in_it(path: Path) -> None:
    books = tomllib.loads((ROOT / "docs" / "books.toml").read_text(encoding="utf-8"))["book"]
    items = [(item, places) for book in books for item, places in book["items"].items()]
    listed = {
        item.split()[1] for item, places in items if item.startswith("Figure") and path.stem in places.split(", ")
    }
    assert figures_named(path.read_text(encoding="utf-8")) == listed


def test_the_readme_has_a_row_for_every_procedure() -> None:
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition("drawn by tools/procedures.py")[2]
    names = [name for kinds in discriminant._PROCEDURES.values() for name in kinds]
    assert not [name for name in names if f"`{name}`" not in table.partition("<!--")[0]]


SOURCES = {path.relative_to(PACKAGE).as_posix(): path for path in sorted(PACKAGE.rglob("*.py"))}


@functools.cache
@functools.cache
def lines_of(name: str) -> list[str]:
    return SOURCES[name].read_text(encoding="utf-8").splitlines()


@functools.cache
def tree(name: str) -> ast.Module:
    return ast.parse(SOURCES[name].read_text(encoding="utf-8"))


def every_function() -> list[tuple[str, ast.FunctionDef]]:
    return [(name, node) for name in SOURCES for node in ast.walk(tree(name)) if isinstance(node, ast.FunctionDef)]


def covering(name: str) -> list[str]:
    """The test files of a source file: that of its own name, or those that its docstring names."""
    room, _, stem = name.removesuffix(".py").rpartition("/")
    own = "/".join(["tests", *([room] if room else []), f"test_{stem.lstrip('_')}.py"])
    if (ROOT / own).exists():
        return [own]
    return re.findall(r"``(tests/[\w/]+\.py)``", (ast.get_docstring(tree(name)) or "").partition("Tests: ")[2])


def test_the_tests_mirror_the_rooms() -> None:
    """Else end the docstring with the line: Tests: ``tests/<room>/test_<other>.py``."""
    with_code = [name for name in SOURCES if Path(name).name not in ("__init__.py", "__main__.py")]
    assert not [name for name in with_code if not covering(name)]
    assert not [(name, test) for name in with_code for test in covering(name) if not (ROOT / test).exists()]


@pytest.mark.parametrize("room", sorted({Path(name).parent.as_posix() for name in SOURCES} - {"."}))
def test_a_room_says_what_is_in_it(room: str) -> None:
    doc = ast.get_docstring(tree(f"{room}/__init__.py")) or ""
    assert 4 <= len(doc.splitlines()) <= 16, "about five lines: what it solves, its files, its imports, its tests"
    named = set(re.findall(r"``(\w+)(?:\.py)?``", doc))
    assert not [path.stem for path in (PACKAGE / room).glob("*.py") if path.stem not in named | {"__init__"}]
    assert "Tests: ``tests/" in doc


def test_files_are_not_crowded() -> None:
    assert len(list(PACKAGE.glob("*.py"))) <= 16, "the root of the package is for what all rooms speak of"
    assert not {name: size for name in SOURCES if (size := len(lines_of(name))) > 450}


def test_functions_are_short_or_say_why_not() -> None:
    """At most 50 lines without the docstring; the reason is a comment `# long: …` right above."""
    long = []
    for name, function in every_function():
        first = function.body[1 if ast.get_docstring(function) and len(function.body) > 1 else 0].lineno
        above = min([function.lineno, *(mark.lineno for mark in function.decorator_list)]) - 2
        lines = lines_of(name)
        if (size := (function.end_lineno or first) - first + 1) > 50 and "# long: " not in lines[above]:
            long.append((name, function.name, size))
    assert not long


def test_functions_take_at_most_ten_arguments() -> None:
    """Compiled passes above all; the parameters of an estimator and the options of a command may be more."""
    wide = []
    for name, function in every_function():
        count = len([*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs])
        if count > 10 and function.name != "__init__" and name != f"cli/{function.name}.py":
            wide.append((name, function.name, count))
    assert not wide


def test_a_class_name_occurs_once() -> None:
    """Except where a public module is its namespace: criteria.Perceptron is not the procedure."""
    homes: dict[str, list[str]] = {}
    for name in set(SOURCES) - {f"{module}.py" for module in discriminant._MODULES}:
        for node in tree(name).body:
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(name)
    assert not {kind: names for kind, names in homes.items() if len(names) > 1}


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


def test_compiled_passes_return_plain_tuples() -> None:
    """numba runs Python to make a NamedTuple, and a Ctrl-C that raises there crashes the process."""
    classes = [node for name in SOURCES for node in ast.walk(tree(name)) if isinstance(node, ast.ClassDef)]
    named = {node.name for node in classes if any(getattr(base, "id", "") == "NamedTuple" for base in node.bases)}
    functions = [node for name in SOURCES for node in tree(name).body if isinstance(node, ast.FunctionDef)]
    passes = [node for node in functions if any(getattr(each, "id", "") == "compiled" for each in node.decorator_list)]
    returned = [(node.name, part) for node in passes for part in ast.walk(node) if isinstance(part, ast.Return)]
    calls = [(name, call.func) for name, part in returned for call in ast.walk(part) if isinstance(call, ast.Call)]
    assert len(passes) > 30
    assert not [name for name, function in calls if getattr(function, "id", "") in named]


@pytest.mark.parametrize("name", [name for name in PUBLIC if inspect.isclass(getattr(discriminant, name))])
def test_docstrings_of_public_methods_are_their_own_or_those_of_a_base(name: str) -> None:
    """What this package defines, this package describes: no text of scikit-learn's stands for it."""
    kind = getattr(discriminant, name)
    texts: dict[str, set[str]] = {}
    for base in kind.__mro__:
        if base.__module__.startswith("discriminant"):
            for member, thing in vars(base).items():
                made = member.endswith("_request")  # by scikit-learn, for its metadata routing
                if not member.startswith("_") and not made and hasattr(type(thing), "__get__"):
                    texts.setdefault(member, set()).add(inspect.cleandoc(thing.__doc__ or ""))
    assert not [member for member in texts if inspect.getdoc(getattr(kind, member)) not in texts[member] - {""}]
