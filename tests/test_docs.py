"""The gallery runs, and the documents point to files that exist."""

import re
import runpy
import shutil
import sys
import tomllib
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))


@pytest.mark.ci
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_draws_figures(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy in an empty folder needs nothing but the package; it asserts its own numbers and leaves figures."""
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
                figure.draw_without_rendering()
                assert all(ax.get_xlabel() for ax in figure.axes)
        assert sorted(tmp_path.iterdir()) == [Path(copy)]
    finally:
        plt.close("all")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_names_its_source(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    title, line = text.splitlines()[1:3]
    assert line == "=" * len(title)
    assert re.search(r"^Source: .*\*.+\*", text, re.MULTILINE | re.DOTALL)


def links(name: str) -> list[str]:
    return re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", (ROOT / name).read_text(encoding="utf-8"))


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


def test_picture_is_small() -> None:
    assert 0 < (ROOT / "docs" / "images" / "perceptron.png").stat().st_size < 100_000
