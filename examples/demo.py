"""Tell which data are separable, fit every procedure to them; print one comparison, two reports; draw pictures.

``make demo`` runs it, with the procedures of ``comparison.METHODS``. To add data, add a line to ``DATA``; to add a
picture, the name of an example to ``PICTURES``; to add a page, one to ``PAGES``.
"""

from __future__ import annotations

import os
import runpy
import sys
import textwrap
import time
import warnings
from pathlib import Path
from typing import Any

os.environ.setdefault("MPLBACKEND", "Agg")

import numpy as np

from discriminant import (
    Comparison,
    NotConvergedWarning,
    Perceptron,
    Status,
    compare,
    datasets,
    integer_search,
    separability,
)
from discriminant.comparison import Row

EXAMPLES = Path(__file__).resolve().parent
FOLDER = Path("demo")

DATA = {
    "table ω1/ω2": lambda: datasets.table(1, 2),
    "table ω3/ω2": lambda: datasets.table(3, 2),
    "table ω1/ω3": lambda: datasets.table(1, 3),
    "iris": datasets.iris,
}

FOLDS = 3  # of the cross-validation: every procedure is fitted so many times, and once more, to each of the data
PICTURES = ("plot_first_look", "plot_separability", "plot_perceptron_paths", "plot_regions", "plot_margins")
PAGES = {"iris": "Fisher's iris", "table ω1/ω2": "the table of Duda, Hart, Stork, categories ω1 and ω2"}


def fit(model: Any, X: Any, y: Any) -> Any:
    """Fit; that a procedure does not finish is an outcome here and no surprise."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        return model.fit(X, y)


def print_comparison(data: str, found: Comparison) -> None:
    """Print what became of each procedure, 100 columns wide."""
    layout = "{:<34} {:<13} {:>6} {:>8} {:>9} {:>10} {:>7} {:>6}{}"
    print(f"\n{data} {'─' * (98 - len(data))}")
    print(layout.format("procedure", "status", "errors", "unseen", "correct.", "bound", "margin", "ms", "").rstrip())
    for row in found:
        if row.failure:
            print(f"{row.method:<34} {row.failure}")
            continue
        bound = row.model.report_.to_dict()["bound"]
        numbers = [
            "–" if value is None else form.format(value)
            for value, form in (
                (round(row.train_error * len(found.y)), "{}"),
                (100 * row.cv_error, "{:.1f} %"),
                (row.corrections, "{:,}"),
                (bound and np.floor(bound * (1 + 1e-12)), "{:,.0f}" if bound and bound < 1e9 else "{:.1e}"),
                (row.margin, "{:.3f}"),
                (1000 * row.seconds, "{:.1f}"),
            )
        ]
        print(layout.format(row.method, words(row.status), *numbers, mark(row)).rstrip())
    print(searched(*DATA[data]()))


def named(dataset: datasets.Dataset) -> Any:
    """The labels by name, where that leaves the classes in their order."""
    names = list(dataset.target_names)
    return np.array(names)[dataset.y] if names and names == sorted(names) else dataset.y


def mark(row: Row) -> str:
    """A star for a procedure that holds each class against the rest."""
    return "*" if row.model.multiclass_ == "one-vs-rest" else ""


def searched(X: Any, y: Any) -> str:
    """The exhaustive search is no estimator: it returns a vector, or None, and knows two categories only."""
    if np.unique(y).size > 2:
        return "integer search: for two classes only"
    start = time.perf_counter()
    a = integer_search(X, y)
    took = f"{1000 * (time.perf_counter() - start):.1f} ms"
    if a is None:
        return f"integer search: no weights of whole numbers to 10 separate ({took})"
    return f"integer search: the weights ({', '.join(map(str, a))}) separate ({took})"


def print_legend(status: set[Status]) -> None:
    """Say what the columns mean, and the words that occur."""
    print("\nerrors        training patterns that the fitted model gets wrong")
    print("unseen        share of errors on patterns that it has not seen, cross-validated in three folds")
    print("bound         corrections that the convergence theorem allows, with the vector that was found")
    print("margin        smallest geometric margin; negative with errors; – where the boundary is no plane or several")
    print("ms            time of the fit to all patterns; those to the folds came first, so nothing is compiled in it")
    print("*             one discriminant against the rest for each class")
    for member in (member for member in Status if member in status):
        print(f"{words(member):<13} {member.sentence}")


def words(status: Status) -> str:
    """The name of a status as a word."""
    return status.name.lower().replace("_", " ")


def print_wrapped(text: Any, indent: int = 18) -> None:
    """Print lines of at most 100 characters."""
    for line in str(text).splitlines():
        print(textwrap.fill(line, 100, subsequent_indent=" " * indent))


def print_verdicts() -> None:
    """Tell whether the data are separable, each with its proof, checked in whole numbers."""
    print("Is the data separable? A verdict with its proof for each\n")
    for data, load in DATA.items():
        X, y = load()
        found = separability(X, y)
        assert found.certificate.verify(X, y)
        print(f"{data} {'─' * (95 - len(data))}")
        print_wrapped(found, indent=17)
        print("  checked        certificate.verify(X, y): True\n")


def print_reports() -> None:
    """Print two full reports: one that ends well, and one that proves that it never will."""
    print("\nTwo reports: the books' table, and five points that no line separates\n")
    print_wrapped(fit(Perceptron(), *datasets.table(1, 2)).report_)
    print()
    print_wrapped(fit(Perceptron(start=[1, 1, 1]), *datasets.slides_five()).report_)


def draw_pictures() -> bool:
    """Run the examples named in PICTURES and save their figures; False where there is nothing to draw with."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        print("\nNo pictures: matplotlib is missing; install the extra 'plot'.")
        return False
    FOLDER.mkdir(exist_ok=True)
    sys.path.insert(0, str(EXAMPLES))
    drawn = []
    for name in PICTURES:
        with open(os.devnull, "w", encoding="utf-8") as quiet:
            out, sys.stdout = sys.stdout, quiet
            try:
                runpy.run_path(str(EXAMPLES / f"{name}.py"))
            finally:
                sys.stdout = out
        for number in plt.get_fignums():
            drawn.append(f"{name.removeprefix('plot_')}_{number}.png")
            plt.figure(number).savefig(FOLDER / drawn[-1], dpi=110)
        plt.close("all")
    print(f"\n{len(drawn)} pictures in {FOLDER.resolve()}:")
    print_wrapped(", ".join(drawn), indent=0)
    return True


def write_pages(found: dict[str, Comparison]) -> None:
    """Write the whole comparison as a page that can be sent to anybody."""
    FOLDER.mkdir(exist_ok=True)
    print("\nThe comparison as a page, with the proof, pictures, and words for a reader who knows no mathematics:")
    for data, title in PAGES.items():
        name = data.replace("ω", "").replace(" ", "-").replace("/", "-")
        print(found[data].report((FOLDER / f"{name}.html").resolve(), title=title))


def tell(done: int, total: int, method: str) -> None:
    """Show how far a comparison is, in a terminal only."""
    if sys.stderr.isatty():
        text = f"{done} of {total} procedures, {method}" if done < total else ""
        print(f"\r{text:<79}", end="\r" if done == total else "", file=sys.stderr, flush=True)


def main() -> None:
    print_verdicts()
    print("Every procedure on two pairs of categories that can be separated, one that cannot, and iris")
    found = {}
    for data, load in DATA.items():
        dataset = load()
        found[data] = compare(dataset.X, named(dataset), feature_names=dataset.feature_names, cv=FOLDS, progress=tell)
        print_comparison(data, found[data])
    print_legend({row.status for comparison in found.values() for row in comparison if row.status})
    print_reports()
    if draw_pictures():
        write_pages(found)
    print("\nTo watch a procedure learn, on points of your own, in the browser: .venv/bin/discriminant explore")


if __name__ == "__main__":
    main()
