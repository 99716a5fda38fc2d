"""Sphinx configuration; it also writes docs/api/ from `discriminant.__all__`, so that the list never drifts."""

import inspect
import os
import re
import shutil
from importlib import import_module
from pathlib import Path

from cycler import cycler
from docutils import nodes
from docutils.parsers.rst.states import Inliner
from docutils.utils.math.latex2mathml import tex2mathml

import discriminant
from discriminant.plot._style import COLORS

os.environ.setdefault("MPLBACKEND", "Agg")

project = "discriminant"
author = "The discriminant developers"
copyright = "2026, The discriminant developers"
version = release = discriminant.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "matplotlib.sphinxext.plot_directive",
]
exclude_patterns = ["_build"]
html_theme = "pydata_sphinx_theme"
html_title = "discriminant"
html_static_path = ["_static"]
html_css_files = ["discriminant.css"]
html_show_sourcelink = False
toc_object_entries_show_parents = "hide"
html_theme_options = {
    "logo": {"text": "discriminant"},
    "secondary_sidebar_items": ["page-toc"],
    "github_url": "https://github.com/discriminant/discriminant",
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_math_renderer = "mathml"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

plot_include_source = True
plot_html_show_source_link = plot_html_show_formats = False
plot_formats = [("png", 120)]
plot_rcparams = {
    "figure.figsize": (5.6, 3.6),
    "figure.constrained_layout.use": True,
    "axes.prop_cycle": cycler(color=COLORS),  # also what a page draws by itself is for the color-blind
}
plot_apply_rcparams = True  # also to the first picture of a page

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
    "Models of other programs": ["diagnosing"],
    "Machine code": ["warming"],
    "Outcome of a fit": ["solution", "exceptions", "unfinished", "base"],
}


def heading(text: str, line: str = "=") -> str:
    return f"{text}\n{line * len(text)}\n"


def contents(module: str, names: list[str]) -> str:
    """A summary table of names, each of which has a page of its own."""
    table = "\n".join(f"   {name}" for name in names)
    listed = "\n".join(f"   names/{module}.{name}" for name in names)
    return f".. currentmodule:: {module}\n\n.. autosummary::\n\n{table}\n\n.. toctree::\n   :hidden:\n\n{listed}\n"


def description(module: str, name: str) -> str:
    """The page of a name."""
    is_class = inspect.isclass(getattr(import_module(module), name))
    directive = (
        f".. autoclass:: {name}\n   :members:\n   :inherited-members:" if is_class else f".. autofunction:: {name}"
    )
    path = f"{module}.{name}".removeprefix("discriminant.")  # so that criteria.Relaxation is told from Relaxation
    return f"{heading(path)}\n.. currentmodule:: {module}\n\n{directive}\n"


def reference() -> dict[str, str]:
    """Page name → text: one page for each chapter, each public module, and each public name."""
    chapter_of = {module: title for title, modules in CHAPTERS.items() for module in modules}
    names: dict[str, list[str]] = {title: [] for title in CHAPTERS}
    pages = {}
    for name in discriminant.__all__:
        thing = getattr(discriminant, name)
        if inspect.ismodule(thing):
            path = f"discriminant.{name}"
            pages[path] = f"{heading(path)}\n.. automodule:: {path}\n\n{contents(path, thing.__all__)}"
            pages |= {f"names/{path}.{each}": description(path, each) for each in thing.__all__}
        elif name != "__version__":
            names[chapter_of[thing.__module__.split(".")[1]]].append(name)  # KeyError: add the room to CHAPTERS
            pages[f"names/discriminant.{name}"] = description("discriminant", name)
    chapters = {
        f"{number:02} {title}".lower().replace(" ", "-"): f"{heading(title)}\n{contents('discriminant', names[title])}"
        for number, title in enumerate(CHAPTERS, 1)
        if names[title]
    }
    return chapters | pages


api = Path(__file__).parent / "api"
shutil.rmtree(api, ignore_errors=True)
(api / "names").mkdir(parents=True)
for page, text in reference().items():
    (api / f"{page}.rst").write_text(text, encoding="utf-8")


def is_foreign(app, what, name, member, *rest):
    """Skip what an estimator has from scikit-learn, or a number or an exception from Python: it is described there."""
    function = getattr(member, "fget", None) or getattr(member, "func", None) or member  # of a (cached) property
    return None if str(getattr(function, "__module__", "")).startswith("discriminant") else True


def for_users(app, what, name, thing, options, lines):
    """Leave out what the docstring of a room says to those who work in it: its files, its imports, its tests."""
    if what == "module":
        inside = re.compile(r"- |Imports |A new one |Names are imported ")
        paragraphs = "\n".join(lines).split("\n\n")
        lines[:] = [*"\n\n".join(text for text in paragraphs if not inside.match(text)).split("\n"), ""]


def overview(app, docname, source):
    """Put a table in place of the mark on the page of the procedures: what the fields at the head of each page say."""
    if docname != "procedures/index":
        return
    folder, rows = Path(app.srcdir) / "procedures", [("procedure", "minimizes", "ends")]
    listed = re.findall(r"^   (\w+)$", source[0], re.MULTILINE)
    for page in [*listed, *sorted({path.stem for path in folder.glob("*.rst")} - {*listed})]:
        text = (folder / f"{page}.rst").read_text(encoding="utf-8")
        fields = dict(re.findall(r"^:(minimizes|ends): (.+)$", text, re.MULTILINE))
        if fields:  # they are written for the README, in its Markdown
            plain = (re.sub(r"\[(.+?)\]\(.+?\)", r"\1", fields[name]) for name in ("minimizes", "ends"))
            marked = (re.sub(r"`(.+?)`", r"``\1``", re.sub(r"\b(J_\w)", r"*\1*", words)) for words in plain)
            rows.append((f":doc:`{page}`", *marked))
    table = "".join(f"   * - {first}\n     - {second}\n     - {third}\n" for first, second, third in rows)
    options = ".. list-table::\n   :header-rows: 1\n   :widths: 26 40 34\n\n"
    source[0] = source[0].replace(".. overview\n", options + table)


def as_mathml(visitor, node):
    """A formula as MathML, which browsers draw by themselves, without a script from elsewhere."""
    block = isinstance(node, nodes.math_block)
    formula = tex2mathml(node.astext(), as_block=block)
    visitor.body.append(f'<div class="formula">{formula}</div>' if block else formula)
    raise nodes.SkipNode


def lower_indices(app, doctree):
    """Set the indices of symbols in italics lower: *J_p*, *λ_max*."""
    for symbol in doctree.findall(nodes.emphasis):
        parts = re.split(r"(?<=[^\W\d_])_([A-Za-z0-9τ]+)", symbol.astext())
        if len(parts) > 1 and len(symbol) == 1:
            symbol[:] = [nodes.subscript("", part) if k % 2 else nodes.Text(part) for k, part in enumerate(parts)]


def plain(inliner, match, lineno):
    """Leave the text as it is."""
    return match.string[: match.end()], [], match.string[match.end() :], []


def setup(app):
    app.connect("autodoc-skip-member", is_foreign)
    app.connect("autodoc-process-docstring", for_users, priority=400)  # before numpydoc
    app.connect("source-read", overview)
    app.connect("doctree-read", lower_indices)
    app.add_html_math_renderer("mathml", (as_mathml, None), (as_mathml, None))
    # In these pages |b| is a modulus and coef_ an attribute, not a substitution and a link.
    Inliner.dispatch = Inliner.dispatch | {"|": plain, "_": plain}
