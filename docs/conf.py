"""Sphinx configuration; it also writes docs/api/ from `discriminant.__all__`, so that the list never drifts."""

import inspect
import os
import shutil
from importlib import import_module
from pathlib import Path

from docutils.parsers.rst.states import Inliner

import discriminant

os.environ.setdefault("MPLBACKEND", "Agg")

project = "discriminant"
author = "The discriminant developers"
copyright = "2026, The discriminant developers"
version = release = discriminant.__version__

extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "sphinx_gallery.gen_gallery"]
exclude_patterns = ["_build"]
html_theme = "alabaster"
html_theme_options = {"description": "Linear discriminant functions", "page_width": "1060px"}

autosummary_generate = False
numpydoc_show_class_members = False
autodoc_typehints = "none"  # numpydoc describes the types

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"(^|/)(?!plot_)[^/]*\.py$",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "write_computation_times": False,
    "show_memory": False,
}

# Chapter of the reference: the rooms and files whose public names it holds.
CHAPTERS = {
    "Model and geometry": ["geometry", "samples", "margin_distribution", "quadrics", "features"],
    "Descent": ["descent"],
    "Error-correcting procedures": ["error_correcting"],
    "Minimum squared error": ["squared_error"],
    "Linear programming and separability": ["linear_programming", "separation"],
    "Maximum margin": ["svm"],
    "Logistic regression and multi-layer perceptron": ["logistic", "mlp"],
    "Many classes": ["multiclass"],
    "Formulas": ["formulas"],
    "Comparison": ["comparison"],
    "Machine code": ["warming"],
    "Outcome of a fit": ["solution", "exceptions", "unfinished"],
}


def heading(text: str, line: str = "=") -> str:
    return f"{text}\n{line * len(text)}\n"


def entries(module: str, names: list[str]) -> str:
    """A summary table, then the full description of each name."""
    table = "\n".join(f"   {name}" for name in names)
    parts = [f".. currentmodule:: {module}\n\n.. autosummary::\n\n{table}\n"]
    for name in names:
        if inspect.isclass(getattr(import_module(module), name)):
            directive = f".. autoclass:: {name}\n   :members:\n   :inherited-members:"
        else:
            directive = f".. autofunction:: {name}"
        parts.append(f"{heading(name, '-')}\n{directive}\n")
    return "\n".join(parts)


def reference() -> dict[str, str]:
    """Page name → text: one page for each chapter, one for each public module."""
    chapter_of = {module: title for title, modules in CHAPTERS.items() for module in modules}
    names: dict[str, list[str]] = {title: [] for title in CHAPTERS}
    pages = {}
    for name in discriminant.__all__:
        thing = getattr(discriminant, name)
        if inspect.ismodule(thing):
            path = f"discriminant.{name}"
            pages[path] = f"{heading(path)}\n.. automodule:: {path}\n\n{entries(path, thing.__all__)}"
        elif name != "__version__":
            names[chapter_of[thing.__module__.split(".")[1]]].append(name)  # KeyError: add the room to CHAPTERS
    chapters = {
        f"{number:02} {title}".lower().replace(" ", "-"): f"{heading(title)}\n{entries('discriminant', names[title])}"
        for number, title in enumerate(CHAPTERS, 1)
        if names[title]
    }
    return chapters | pages


api = Path(__file__).parent / "api"
shutil.rmtree(api, ignore_errors=True)
api.mkdir()
for page, text in reference().items():
    (api / f"{page}.rst").write_text(text, encoding="utf-8")


def is_foreign(app, what, name, member, *rest):
    """Skip what an estimator has from scikit-learn, or a number or an exception from Python: it is described there."""
    function = getattr(member, "fget", None) or getattr(member, "func", None) or member  # of a (cached) property
    return None if str(getattr(function, "__module__", "")).startswith("discriminant") else True


def plain(inliner, match, lineno):
    """Leave the text as it is."""
    return match.string[: match.end()], [], match.string[match.end() :], []


def setup(app):
    app.connect("autodoc-skip-member", is_foreign)
    # In these pages |b| is a modulus and coef_ an attribute, not a substitution and a link.
    Inliner.dispatch = Inliner.dispatch | {"|": plain, "_": plain}
