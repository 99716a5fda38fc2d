"""The gallery runs, and the documents point to files that exist."""

import re
import runpy
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))


@pytest.mark.ci
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_draws_figures(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each asserts its own numbers; here it must run through and leave a figure."""
    plt.switch_backend("Agg")
    plt.close("all")
    monkeypatch.syspath_prepend(str(path.parent))
    monkeypatch.setattr(plt, "show", lambda: None)
    try:
        with plt.rc_context():
            runpy.run_path(str(path))
            figures = [plt.figure(number) for number in plt.get_fignums()]
            assert figures
            for figure in figures:
                figure.draw_without_rendering()
    finally:
        plt.close("all")
        sys.modules.pop("_style", None)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_names_its_source(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    title, line = text.splitlines()[1:3]
    assert line == "=" * len(title)
    assert re.search(r"^Source: .*\*.+\*", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_lead_to_files(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text)
    assert not [link for link in links if "://" not in link and not (ROOT / link).exists()]


def test_picture_is_small() -> None:
    assert 0 < (ROOT / "docs" / "images" / "perceptron.png").stat().st_size < 100_000
