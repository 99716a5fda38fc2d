"""The gallery runs, and the documents point to files that exist."""

import doctest
import importlib
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from pictures import covered, cut_off
from sklearn.utils import all_estimators

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))


@pytest.mark.ci
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_draws_figures(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy in an empty folder needs nothing but the package; it asserts its own numbers and leaves figures.

    No text or legend of them is cut off, and no legend lies on patterns or curves.
    """
    plt.switch_backend("Agg")
    plt.close("all")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if Path(place or ".").resolve() != path.parent])
    monkeypatch.setattr(plt, "show", lambda: None)
    copy = shutil.copy(path, tmp_path)
    try:
        with plt.rc_context():
            runpy.run_path(str(copy))
            figures = [plt.figure(number) for number in plt.get_fignums()]
            assert figures
            for figure in figures:
                assert all(ax.get_xlabel() for ax in figure.axes)
                assert not cut_off(figure)
                assert not covered(figure)
        assert sorted(tmp_path.iterdir()) == [Path(copy)]
    finally:
        plt.close("all")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_names_its_source(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    title, line = text.splitlines()[1:3]
    assert line == "=" * len(title)
    assert re.search(r"^Source: .*\*.+\*", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_shows_a_figure_where_it_is_made(path: Path) -> None:
    """The gallery takes the figures of a block at its end: what a later block draws on them would be lost."""
    for block in path.read_text(encoding="utf-8").split("# %%"):
        last = max(block.rfind("plt.subplots("), block.rfind("plt.figure("), block.rfind("\nplot."))
        assert last < 0 or "plt.show()" in block[last:], block


@pytest.mark.ci
@pytest.mark.parametrize("name", ["first_steps", "your_own_table", "separated_regression", "with_the_book"])
def test_a_tutorial_can_be_followed_to_the_letter(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an empty folder, first its Python and then its commands, which print what the page says."""
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "tutorials" / f"{name}.rst"
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=flags)
    plt.close("all")
    assert (failed, tried > 5) == (0, True)
    text = page.read_text(encoding="utf-8")
    for block in re.findall(r"^\.\. code-block:: console\n\n((?:   .*\n|\n)+)", text, re.MULTILINE):
        for example in re.split(r"^   \$ ", block, flags=re.MULTILINE)[1:]:
            line, _, expected = example.partition("\n")
            command = f"{sys.executable} -m {line}"
            done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
            assert done.returncode in (0, 3), f"{line}\n{done.stderr}"  # 3: check says quasi
            assert doctest.OutputChecker().check_output(f"{expected.rstrip()}\n", done.stdout, flags), done.stdout


def links(name: str) -> list[str]:
    text = (ROOT / name).read_text(encoding="utf-8")
    return re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text) + re.findall(r'<img src="([^"]+)"', text)


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_lead_to_files(name: str) -> None:
    assert not [link for link in links(name) if "://" not in link and not (ROOT / link).exists()]


def test_links_of_the_readme_work_on_any_page() -> None:
    """A package index shows the README without the files beside it: pictures are raw files, all else are pages."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    place = re.compile(re.escape(project["urls"]["Repository"]) + r"/(?:blob|raw)/main/(.+)")
    found = {link: place.fullmatch(link) for link in links("README.md")}
    assert not [link for link, match in found.items() if match is None or not (ROOT / match[1]).exists()]
    assert all(("/raw/" in link) == link.endswith(".png") for link in found)


PROCEDURES = [page for page in (ROOT / "docs/procedures").glob("*.rst") if page.stem not in ("index", "choosing")]


@pytest.mark.parametrize("path", PROCEDURES, ids=lambda page: page.stem)
def test_a_procedure_has_a_picture_with_words(path: Path) -> None:
    """Before its first formula, with a caption, and words for those who cannot see it."""
    before = path.read_text(encoding="utf-8").partition("**Problem.**")[0]
    assert re.search(r"^\.\. plot::\n   :alt: .+\n   :caption: .+\n", before, re.MULTILINE)


def test_no_line_of_code_is_too_long_for_its_page() -> None:
    """What fits beside the contents on a screen of 1,280 pixels; tools/looks.py tells what is cut off."""
    for path in sorted((ROOT / "docs").glob("*/*.rst")):
        if path.parent.name in ("api", "auto_examples"):
            continue
        text = path.read_text(encoding="utf-8")
        for example in doctest.DocTestParser().get_examples(text):
            lines = [f">>> {line}" for line in example.source.splitlines()] + example.want.splitlines()
            long = [line for line in lines if len(line) > 121]
            assert not long, (path.name, long)


def test_picture_is_small() -> None:
    assert 0 < (ROOT / "docs" / "images" / "proofs.png").stat().st_size < 100_000


def test_broken_links_of_built_pages_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "tools")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "index.html").write_text('<h1 id="here">x</h1><a name="old"></a><img src="../dot.png">')
    links = ["other/", "other/#here", "other/index.html#old", "#top", "https://example.org/no", "#", "?q=1"]
    bad = ["none.html", "other/#there", "#nowhere"]
    text = "".join(f'<a href="{link}">x</a>' for link in [*links, *bad])
    (tmp_path / "index.html").write_text(f'<p id="top">{text}</p>')
    found = importlib.import_module("links").broken(tmp_path)
    assert found == [
        "index.html: #nowhere leads to no place in index.html",
        "index.html: none.html leads to no file",
        "index.html: other/#there leads to no place in index.html",
        "other/index.html: ../dot.png leads to no file",
    ]


def test_the_page_for_users_of_scikit_learn_names_all_its_linear_estimators() -> None:
    rooms = {"linear_model", "svm", "discriminant_analysis", "neural_network", "kernel_ridge"}
    names = [name for name, kind in all_estimators() if kind.__module__.split(".")[1] in rooms]
    page = (ROOT / "docs" / "guide" / "scikit_learn.rst").read_text(encoding="utf-8")
    assert len(names) > 40
    assert [name for name in names if not re.search(rf"``{name}\b", page)] == []
