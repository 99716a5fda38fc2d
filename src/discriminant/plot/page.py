"""A comparison as one HTML page that needs nothing else: no script, no link, no other file."""

from __future__ import annotations

import os
import warnings
from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from html import escape
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .. import __version__
from .._engine.extras import needed
from .._engine.files import write_whole
from ..comparison.table import html_table, percent, setting, verdict_line
from ._plain import GLOSSARY, PICTURES, plain_remark, summary, what_is_known
from ._planes import chosen_of
from ._style import dense, literal, thinned
from ._tables import MOST_CLASSES, confusion, settings
from ._tables import features as feature_table
from .curves import course, history
from .decision_regions import regions
from .histograms import WORST, margin_distribution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..comparison import Comparison, Row

SHOWN = (
    "perceptron", "least-squares", "ho-kashyap", "support-vector-machine", "logistic-discriminant",
    "multilayer-perceptron",
)  # fmt: skip
PANELS = 6
CURVES = 8
REFITTED_ROWS = 3_000  # rows to which the models of two features are fitted
ROUNDING = 1e-24  # squared, of numbers up to one
TELLING_ROWS = 20_000  # rows from which these features are chosen
LONGEST_PROOF = 200_000  # characters of a proof that is printed in full
LONG_NAME = 14  # characters of a mark's name of which a phone has room for two
FEW_ROWS, FEW_COLUMNS = 20, 8  # of the table of the proof

STYLE = """
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --soft: #555; --line: #ddd; --box: #f5f5f5; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --paper: #17181b; --soft: #aaa; --line: #3b3d42; --box: #232529; }
}
body { font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 0 auto; padding: 1rem 1.2rem 4rem; max-width: 60rem; overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.2; } h2 { font-size: 1.25rem; margin-top: 2.4rem; }
.verdict { border-left: .4rem solid #0072B2; padding: .1rem 0 .1rem 1rem; }
.wide { overflow-x: auto; } .small, figcaption { font-size: .88rem; color: var(--soft); }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .22rem .6rem; border-bottom: 1px solid var(--line); text-align: right; }
th { font-weight: 600; vertical-align: bottom; } td, tbody th { white-space: nowrap; vertical-align: baseline; }
tbody th { font-weight: 400; } th:first-child, tbody th, .ranking td:first-child, .ranking th:nth-child(2),
.ranking td:last-child, .ranking th:last-child { text-align: left; }
figure { margin: 1rem 0 1.6rem; } img { max-width: 100%; height: auto; }
@media (prefers-color-scheme: dark) { img { filter: invert(1) hue-rotate(180deg); } }
@media print { img { filter: none; } }
.bar { min-width: 8rem; } .bar span { display: block; height: .7rem; background: #0072B2; }
summary { cursor: pointer; margin: .8rem 0; }
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); gap: .6rem; }
.panels img { width: 100%; } .panels { margin-bottom: .6rem; }
.one { overflow-x: auto; } .one img { max-width: none; width: 100%; min-width: 30rem; }
pre { background: var(--box); padding: .8rem; font-size: .82rem; white-space: pre-wrap; overflow-wrap: anywhere; }
dt { font-weight: 600; margin-top: .5rem; } dd { margin: 0 0 0 1.2rem; }
@media (max-width: 40rem) {
  tbody th { white-space: normal; } th, td { padding: .22rem .35rem; }
  .stacked thead { position: absolute; left: -200vw; }
  .stacked table, .stacked tbody { display: block; }
  .stacked::before { content: "rank, procedure, cross-validated error"; font-size: .82rem; color: var(--soft); }
  .stacked tr { display: flex; flex-wrap: wrap; border-bottom: 1px solid var(--line); padding: .3rem 0; }
  .stacked th, .stacked td { border: 0; padding: 0; } .stacked td:first-child { flex: 0 0 4.2rem; }
  .stacked tbody th { flex: 1 0 0; } .stacked [data-name="cross-validated error"] { order: 1; }
  .stacked [data-name="training error"], .stacked [data-name="why it stopped"] { order: 2; font-size: .82rem;
    color: var(--soft); margin-right: 1rem; }
  .stacked [data-name="training error"] { margin-left: 4.2rem; }
  .stacked [data-name="training error"]::before { content: "training "; }
  .stacked [data-name="margin"], .stacked [data-name="corrections"], .stacked [data-name="seconds"] { display: none; }
}
@media print { body { max-width: none; } figure, tr { break-inside: avoid; } }
"""


def report(
    comparison: Comparison,
    path: str | os.PathLike[str],
    *,
    features: Sequence[Any] | None = None,
    title: str = "",
    command: str = "",
) -> Path:
    """Write a comparison as one HTML page: verdict and proof, table, pictures, and words for everybody.

    Parameters
    ----------
    comparison : Comparison
        What ``compare`` returned.
    path : path
        The file; what was there is replaced at once and as a whole.
    features : pair of indices or names, default=None
        The two features of the pictures of regions; by default those whose class means differ most.
    title : str, default=""
        What the data are called.
    command : str, default=""
        The command that made the comparison, which the page then shows.

    Returns
    -------
    Path
        Where the page is.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, Table 5.1.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from discriminant import compare, datasets, plot
    >>> found = compare(*datasets.table(1, 2), ["perceptron", "svm"], n_jobs=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = plot.report(found, Path(folder) / "report.html", title="The books' table")
    ...     page.read_text(encoding="utf-8")[:15]
    '<!doctype html>'
    """
    needed("matplotlib", "plot")
    X, y, names = comparison.X, comparison.y, comparison.feature_names
    chosen = telling_features(X, y) if features is None else chosen_of(features, names)
    write_whole(path, _page(comparison, chosen, title, command))
    return Path(path)


def telling_features(X: Any, y: NDArray[Any], how_many: int = 2) -> list[int]:
    """The features whose class means differ most, measured by their scatter within the classes; in their own order.

    In a plane of zeros and ones all rows would fall on four points: such features come after those of more values.
    """
    order = np.lexsort((-apart(X, y), _is_flag(X)))
    return sorted(order[:how_many].tolist())


def _is_flag(X: Any) -> NDArray[np.bool_]:
    """Which features have but two values, as far as the rows tell that are looked at; of a sparse table none."""
    if hasattr(X, "tocsr"):
        return np.zeros(X.shape[1], bool)
    some = np.asarray(X[thinned(len(X), TELLING_ROWS)])
    return np.array([bool(np.all((values == values.min()) | (values == values.max()))) for values in some.T])


def apart(X: Any, y: NDArray[Any]) -> NDArray[np.float64]:
    """How far each feature has the class means apart, squared, over the scatter within the classes."""
    some = thinned(len(y), TELLING_ROWS)
    X, y = X[some], y[some]
    largest = dense(abs(X).max(axis=0)).ravel()
    size = np.where(largest > 0, largest, 1.0)  # squares of huge numbers overflow
    X = X.multiply(1 / size).tocsr() if hasattr(X, "multiply") else X / size
    center, between, within = _mean(X), np.zeros(size.size), np.zeros(size.size)
    for label in np.unique(y):
        part = X[np.flatnonzero(y == label)]
        mean = _mean(part)
        between += part.shape[0] * (mean - center) ** 2
        within += part.shape[0] * np.maximum(
            _mean(part.multiply(part) if hasattr(X, "multiply") else part**2) - mean**2, 0
        )
    between[between < ROUNDING * len(y)] = 0.0  # a constant feature
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(between / within, nan=0.0, posinf=np.finfo(np.float64).max)


def _mean(X: Any) -> NDArray[np.float64]:
    return np.asarray(X.mean(axis=0), np.float64).ravel()


def _page(comparison: Comparison, chosen: list[int], title: str, command: str) -> str:
    name = f"Procedures compared: {title}" if title else "Procedures compared"
    parts = [
        f"<h1>{escape(name)}</h1>",
        f'<p class="small">{escape(setting(comparison))}. {escape(_classes(comparison))}</p>',
        '<div class="verdict">' + "".join(f"<p>{escape(text)}</p>" for text in summary(comparison)) + "</div>",
        _section("All procedures", _table(comparison)),
        _section("What the columns mean", _definitions(GLOSSARY.items())),
        *_errors(comparison),
        _section("Which features tell", _features(comparison)),
        *_pictures(comparison, chosen),
        _section("The verdict and its proof", _proof(comparison)),
        _section("What the procedures were told", _folded("Settings", _definitions(settings(comparison)))),
        f'<p class="small">Made by discriminant {escape(__version__)}. Every procedure has seen the same rows and '
        "features.</p>",
        f'<p class="small">The command that made it:</p><pre>{escape(command)}</pre>' if command else "",
    ]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(name)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style></head>\n<body><main>\n" + "\n".join(parts) + "\n</main></body></html>\n"
    )


def _section(title: str, body: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{body}</section>"


def _classes(comparison: Comparison) -> str:
    counts = [f"{label} ({count:,} rows)" for label, count in comparison.classes.items()]
    return f"Classes: {', '.join(counts[:12])}{' and more' if len(counts) > 12 else ''}."


def _table(comparison: Comparison) -> str:
    said_below = str(comparison.undecided)
    notes = "".join(f"<p>{escape(note)}</p>" for note in comparison.notes if note != said_below)
    told = [(row.method, text) for row in comparison.ranked if (text := plain_remark(row))]
    said = _folded(f"Remarks on the procedures ({len(told)})", _definitions(told)) if told else ""
    table = html_table(comparison, lambda row: plain_remark(row) or row.sentence)
    bold = (
        '<p class="small">Bold: the fewest errors on rows not seen, with all that tie with it; among these the order '
        "says little.</p>"
    )
    return f'<div class="wide ranking stacked" tabindex="0">{table}</div>{bold}{notes}{said}'


def _folded(title: str, body: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{body}</details>"


def _errors(comparison: Comparison) -> Iterable[str]:
    """Of the best procedure, which classes it takes for which."""
    best = comparison.best
    if best is None or not (table := confusion(comparison, best)):
        return
    seen = "that it had not seen" if best.cv_error is not None else "from which it was made"
    about = f"<p>Each line is a class, each column what {escape(best.method)} named for rows {seen}; bold is right.</p>"
    if len(comparison.classes) > MOST_CLASSES:
        about = f"<p>The classes that {escape(best.method)} errs on most, for rows {seen}.</p>"
    yield _section(f"Who is taken for whom: {best.method}", about + table)


def _features(comparison: Comparison) -> str:
    about = (
        "<p>How far each feature alone holds the classes apart: the squared distance of the class means over the "
        "spread within the classes. Features may tell more together than alone.</p>"
    )
    return about + feature_table(comparison.feature_names, apart(comparison.X, comparison.y))


def _definitions(pairs: Iterable[tuple[str, str]]) -> str:
    return "<dl>" + "".join(f"<dt>{escape(word)}</dt><dd>{escape(text)}</dd>" for word, text in pairs) + "</dl>"


def _proof(comparison: Comparison) -> str:
    """Verdict, evidence, rows of the proof, how to check it, and the proof itself."""
    if comparison.undecided is not None:
        return (
            f"<p><b>{escape(verdict_line(comparison))}</b></p><p>{escape(what_is_known(comparison.undecided))} "
            "<code>discriminant check DATA --target COLUMN</code>.</p>"
        )
    verdict = comparison.verdict
    proof = verdict.certificate.to_json()
    whole = (
        _folded("The proof itself", f"<pre>{escape(proof)}</pre>")
        if len(proof) <= LONGEST_PROOF
        else f"<p>The proof has {len(proof):,} characters; <code>discriminant check DATA -o proof.json</code> writes "
        "it.</p>"
    )
    return (
        f"<p><b>{escape(verdict_line(comparison))}</b></p><p>In one sentence: {escape(verdict.evidence())}.</p>"
        f"{_support(comparison)}<p>To check it, save the proof below as proof.json and run <code>discriminant verify "
        "proof.json DATA --target COLUMN</code>. The check is made in whole numbers and needs neither a solver nor "
        f"trust in the program that found the proof.</p>{whole}"
    )


def _support(comparison: Comparison) -> str:
    """The rows whose weighted means meet, with their features."""
    support = comparison.verdict.certificate.support
    if not support:
        return ""
    shown = range(min(FEW_COLUMNS, comparison.X.shape[1]))
    heads = ["row", "class", "weight", *(comparison.feature_names[j] for j in shown)]
    lines = [
        [f"{term.row:,}", str(term.label), _fraction(term.weight)]
        + [f"{value:.6g}" for value in dense(comparison.X[[term.row]])[0, : len(shown)]]
        for term in support[:FEW_ROWS]
    ]
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in lines)
    more = f"<p>and {len(support) - FEW_ROWS:,} rows more.</p>" if len(support) > FEW_ROWS else ""
    why = (
        "These rows are the proof. Weighted as the column says, they balance each other, so that a cut which had all "
        "of them on their own sides would contradict itself. Rows are counted from 0."
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<p>{why}</p><div class="wide" tabindex="0">{table}</div>{more}'


def _fraction(weight: Any) -> str:
    return str(weight) if weight.denominator < 10**6 else f"{float(weight):.6g}"


def _pictures(comparison: Comparison, chosen: list[int]) -> Iterable[str]:
    """The three kinds of pictures; a model that cannot be drawn is left out."""
    rows = shown_rows(comparison)
    if not rows:
        return
    names = [comparison.feature_names[j] for j in chosen]
    planes = [(row.method, model) for row in rows if (model := _in_plane(row, comparison, chosen)) is not None]
    some = thinned(len(comparison.y), REFITTED_ROWS)
    X, y = dense(comparison.X[:, chosen])[some], comparison.y[some]
    if planes:

        def draw(ax: Axes, model: Any) -> None:
            regions(model, X, y, tuple(range(len(chosen))), ax, feature_names=names)
            wrong = float(np.mean(np.asarray(model.predict(X)) != y))
            ax.set_title(f"{ax.get_title()}\n{percent(wrong)} wrong", fontsize="medium")

        about = PICTURES["regions"]
        if comparison.X.shape[1] > len(chosen):
            about += " The procedures may look at these two columns only here: errors are not those of the table."
        if refused := [row.method for row in rows if row.method not in dict(planes)]:
            about += f" Left out, as these columns alone will not do for it: {', '.join(refused)}."
        title = f"What they decide: {' and '.join(names)}"
        yield _section(title, _figure(planes, draw, about, f"Decision regions in the plane of {' and '.join(names)}"))
    curves = _iterative(comparison.rows)
    if curves:

        def follow(ax: Axes, models: Any) -> None:
            history(models, ax)

        body = _figure([("", curves)], follow, PICTURES["curves"], "Errors against iterations", (7.5, 3.3))
        yield _section("How they got there", body)

    def spread(ax: Axes, model: Any) -> None:
        margin_distribution(model, comparison.X, comparison.y, ax)
        for line in ax.lines:  # what is said of the worst row stands above each panel, not six times in their legend
            if str(line.get_label()).startswith(WORST):
                ax.set_title(f"{ax.get_title()}\n{line.get_label()}", fontsize="medium")
                line.set_label(WORST)

    scores = ("decision_function", "predict_proba")
    models = [(row.method, row.model) for row in rows if any(hasattr(row.model, name) for name in scores)]
    if models:
        yield _section("How sure they are", _figure(models, spread, PICTURES["margins"], "Distribution of the margins"))


def shown_rows(comparison: Comparison) -> list[Row]:
    """The best procedure, then well-known ones, then others, variants last: as many as there are panels."""
    done = {row.method: row for row in comparison.rows if row.model is not None}
    best = [] if comparison.best is None else [comparison.best.method]
    order = [done[name] for name in dict.fromkeys([*best, *SHOWN, *done]) if name in done]
    kinds = [type(row.model) for row in order]
    return sorted(order, key=lambda row: kinds.index(type(row.model)) != order.index(row))[:PANELS]


def _in_plane(row: Row, comparison: Comparison, chosen: list[int]) -> Any:
    """A model of the chosen features only; None where the procedure cannot do with them."""
    if comparison.X.shape[1] == len(chosen):
        return row.model
    some = thinned(len(comparison.y), REFITTED_ROWS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what it has to say about these columns is not what the table is about
        try:
            return clone(row.model).fit(dense(comparison.X[some][:, chosen]), comparison.y[some])
        except ValueError:  # the page says that it is left out
            return None


def _iterative(rows: Iterable[Row]) -> dict[str, Any]:
    """One procedure of each class that makes iterations, the well-known ones first."""
    found: dict[type, Row] = {}
    for row in sorted(rows, key=lambda row: row.method not in SHOWN):
        if row.model is not None and course(row.model, "errors").size > 1:
            found.setdefault(type(row.model), row)
    return {row.method: row.model for row in list(found.values())[:CURVES]}


def _figure(
    panels: Sequence[tuple[str, Any]],
    draw: Callable[[Axes, Any], None],
    about: str,
    alternative: str,
    size: tuple[float, float] | None = None,
) -> str:
    """An image for each panel, as many in a row as the screen has room for, and one for what their marks mean."""
    marks: dict[str, Any] = {}
    images = []
    for name, thing in panels:
        canvas = needed("matplotlib.figure", "plot").Figure(size or (3.3, 3.0), layout="constrained")
        ax = canvas.subplots()
        ax.set_title(literal(name), fontsize="medium")
        draw(ax, thing)
        ax.spines[["top", "right"]].set_visible(False)
        handles, texts = ax.get_legend_handles_labels()
        marks |= dict(zip(texts, handles, strict=True))
        if (own := ax.get_legend()) is not None:
            own.remove()  # the panels share one, which is in sight where a picture is wider than the screen
        images.append(_image(canvas, f"{alternative}: {name}" if name else alternative))
    shared = _legend(marks) if marks else ""
    kind = 'class="panels"' if size is None else 'class="one" tabindex="0"'
    return f"<figure><div {kind}>{''.join(images)}</div>{shared}<figcaption>{escape(about)}</figcaption></figure>"


def _legend(marks: dict[str, Any]) -> str:
    """What the marks of several panels mean, as an image of its own."""
    canvas = needed("matplotlib.figure", "plot").Figure((0.1, 0.1))
    beside = 2 if max(map(len, marks)) > LONG_NAME else min(4, len(marks))
    canvas.legend(marks.values(), marks, loc="center", ncols=beside, frameon=False)
    return _image(canvas, f"The marks: {', '.join(marks)}", bbox_inches="tight", dpi=100)


def _image(canvas: Any, alternative: str, **options: Any) -> str:
    room = BytesIO()
    canvas.savefig(room, format="png", transparent=True, **({"dpi": 130} | options))
    data = b64encode(room.getvalue()).decode()
    return f'<img alt="{escape(alternative)}" src="data:image/png;base64,{data}">'
