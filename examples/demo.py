"""Tell which data are separable, fit every procedure to them; print one comparison, two reports, and draw pictures.

``make demo`` runs it. To add a procedure, add a line to ``PROCEDURES``; to add data, one to ``DATA``; to add a
picture, the name of an example to ``PICTURES``.
"""

from __future__ import annotations

import os
import runpy
import sys
import textwrap
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("MPLBACKEND", "Agg")

import numpy as np

from discriminant import (
    Adatron,
    BalancedWinnow,
    FisherDiscriminant,
    GradientDescent,
    HoKashyap,
    KernelPerceptron,
    LeastSquares,
    LinearProgram,
    MinOver,
    NewtonDescent,
    NotConvergedWarning,
    Perceptron,
    PiecewiseLinearMachine,
    RecursiveLeastSquares,
    Relaxation,
    Status,
    SupportVectorMachine,
    WidrowHoff,
    datasets,
    integer_search,
    margins,
    mercer,
    separability,
)

EXAMPLES = Path(__file__).resolve().parent
FOLDER = Path("demo")

DATA = {
    "table ω1/ω2": lambda: datasets.table(1, 2),
    "table ω3/ω2": lambda: datasets.table(3, 2),
    "table ω1/ω3": lambda: datasets.table(1, 3),
    "iris": datasets.iris,
}

# Procedures of two categories take the data of three classes one against the rest; the table says so.
PROCEDURES: dict[str, Callable[[], Any]] = {
    "perceptron": Perceptron,
    "perceptron, batch": lambda: Perceptron(batch=True),
    "perceptron, margin 10": lambda: Perceptron(margin=10),
    "perceptron, R² bias": lambda: Perceptron(bias="radius"),
    "perceptron, averaged": lambda: Perceptron(average=True),
    "perceptron, pocket": lambda: Perceptron(pocket=True, random_state=0),
    "perceptron, slack 3": lambda: Perceptron(slack=3.0, multiclass="one-vs-rest"),
    "kernel perceptron, linear": KernelPerceptron,
    "kernel perceptron, Gaussian": lambda: KernelPerceptron(mercer.Gaussian(sigma=2.0)),
    "balanced Winnow": BalancedWinnow,
    "relaxation": Relaxation,
    "relaxation, batch": lambda: Relaxation(batch=True),
    "MinOver": MinOver,
    "MinOver, fixed step": lambda: MinOver(step="fixed"),
    "Adatron": Adatron,
    "gradient descent, J_s": GradientDescent,
    "Newton descent, J_s": NewtonDescent,
    "Newton descent, log loss": lambda: NewtonDescent(criterion="logistic"),
    "least squares": LeastSquares,
    "least squares, Fisher's b": lambda: LeastSquares(targets="fisher"),
    "Fisher's discriminant": FisherDiscriminant,
    "Widrow-Hoff": WidrowHoff,
    "Widrow-Hoff, batch": lambda: WidrowHoff(batch=True),
    "recursive least squares": RecursiveLeastSquares,
    "Ho-Kashyap": lambda: HoKashyap(max_iter=1000),
    "Ho-Kashyap, descent": lambda: HoKashyap(variant="descent", eta="optimal", max_iter=1000),
    "linear program, J_p'": LinearProgram,
    "linear program, minimax": lambda: LinearProgram(criterion="minimax"),
    "support vector machine": lambda: SupportVectorMachine(multiclass="one-vs-rest"),
    "support vector machine, C = 1000": lambda: SupportVectorMachine(1000.0, multiclass="one-vs-rest"),
    "support vector machine, Gaussian": lambda: SupportVectorMachine(kernel=mercer.Gaussian(sigma=2.0)),
    "piecewise linear machine": lambda: PiecewiseLinearMachine(random_state=0),
}

PICTURES = ("plot_first_look", "plot_separability", "plot_perceptron_paths", "plot_regions", "plot_margins")


@dataclass
class Row:
    """One line of the table."""

    data: str
    procedure: str
    status: Status | None = None
    errors: int | None = None
    corrections: int | None = None
    passes: int | None = None
    bound: float | None = None
    margin: float | None = None
    seconds: float | None = None
    remark: str = ""


def fit(model: Any, X: Any, y: Any) -> Any:
    """Fit; that a procedure does not finish is an outcome here and no surprise."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConvergedWarning)
        return model.fit(X, y)


def compare() -> Iterator[Row]:
    """Fit every procedure to every data set, twice: the first fit may have to compile."""
    for data, load in DATA.items():
        X, y = load()
        for procedure, make in PROCEDURES.items():
            fit(make(), X, y)
            model = make()
            start = time.perf_counter()
            fit(model, X, y)
            yield describe(Row(data, procedure, seconds=time.perf_counter() - start), model, X, y)
        yield search(data, X, y)


def describe(row: Row, model: Any, X: Any, y: Any) -> Row:
    """Fill in what the fitted model says of itself, and what it does on the training patterns."""
    report = model.report_.to_dict()
    row.status, row.bound = model.status_, report["bound"]
    row.corrections, row.passes = model.n_corrections_, model.n_iter_
    row.errors = int((model.predict(X) != y).sum())
    row.remark = "*" if model.multiclass_ == "one-vs-rest" else ""
    if hasattr(model, "coef_") and not isinstance(model, PiecewiseLinearMachine) and np.any(model.coef_):
        row.margin = margins(model, X, y).margin
    return row


def search(data: str, X: Any, y: Any) -> Row:
    """The exhaustive search is no estimator: it returns a vector, or None, and knows two categories only."""
    row = Row(data, "integer search")
    if np.unique(y).size > 2:
        row.procedure += " (2 classes)"
        return row
    integer_search(X, y)
    start = time.perf_counter()
    a = integer_search(X, y)
    row.seconds = time.perf_counter() - start
    if a is None:
        row.procedure += ": none to 10"
    else:
        row.status, row.errors = Status.SEPARATED, 0
        row.procedure += f": ({', '.join(map(str, a))})"
    return row


def words(status: Status | None) -> str:
    """The name of a status as a word."""
    return "–" if status is None else status.name.lower().replace("_", " ")


def print_table(rows: list[Row]) -> None:
    """Print the comparison, 96 columns wide, the data sets one below the other."""
    layout = "{:<27} {:<13} {:>6} {:>8} {:>6} {:>12} {:>8} {:>8}{}"
    print(layout.format("procedure", "status", "errors", "correct.", "passes", "bound", "margin", "ms", ""))
    for data in dict.fromkeys(row.data for row in rows):
        print(f"\n{data} {'─' * (95 - len(data))}")
        for row in (row for row in rows if row.data == data):
            numbers = [
                "–" if value is None else form.format(value)
                for value, form in (
                    (row.errors, "{}"),
                    (row.corrections, "{:,}"),
                    (row.passes, "{:,}"),
                    (row.bound, "{:,.0f}"),
                    (row.margin, "{:.3f}"),
                    (row.seconds and 1000 * row.seconds, "{:.1f}"),
                )
            ]
            print(layout.format(row.procedure, words(row.status), *numbers, row.remark).rstrip())
    print("\nerrors        training patterns that the fitted model gets wrong")
    print("bound         corrections that the convergence theorem allows, with the vector that was found")
    print("margin        smallest geometric margin; negative with errors; – where the boundary is no plane or several")
    print("ms            time of a second fit; the first may have to compile")
    print("*             one discriminant against the rest for each class")
    for status in (status for status in Status if any(row.status is status for row in rows)):
        print(f"{words(status):<13} {status.sentence}")


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


def draw_pictures() -> None:
    """Run the examples named in PICTURES and save their figures."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        print("\nNo pictures: matplotlib is missing; install the extra 'plot'.")
        return
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


def main() -> None:
    print_verdicts()
    print("Every procedure on two pairs of categories that can be separated, one that cannot, and iris\n")
    print_table(list(compare()))
    print_reports()
    draw_pictures()


if __name__ == "__main__":
    main()
