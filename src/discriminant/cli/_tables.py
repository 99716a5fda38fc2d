"""Tables from files, from standard input and from the data sets of the package; what is to be learned from them.

Tests: ``tests/cli/test_bad_input.py``.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .._engine.extras import needed
from ._errors import CommandError, nearest, option_names, shortened
from ._lean import import_scipy, import_sklearn
from ._methods import REGRESSORS, find
from ._options import Family, File, Rows, Training, WeightedRows, names
from ._output import in_line, progress, say, warn

if TYPE_CHECKING:
    from ..datasets import Dataset
    from ..io import Recipe, Table

TARGET = "target"  # the column of the labels of a built-in data set
TARGETS = (TARGET, "y")  # and of a file, if none is named
MANY_TEXTS = 3  # columns of text that are told of together
MOST_NUMBERS = 20  # that are taken for classes without a word
UNEVEN = 100  # times that one feature may spread more widely than another without a hint
SEED = 0  # of generated data sets, and of rows that are drawn: a proof about them must hold tomorrow


def dataset(name: str) -> Dataset | None:
    """The data set of a name such as ``iris``, ``or-function`` or ``table-1-3``; None where there is none.

    Numbers behind a name are what its loader takes: ``table-1-3`` is ``table(1, 3)``.
    """
    from .. import datasets

    words = name.replace("_", "-").split("-")
    numbers: list[int] = []
    while words and words[-1].isdecimal():
        numbers.insert(0, int(words.pop()))
    stem = "_".join(words)
    if stem not in datasets.names():
        return None
    takes = inspect.signature(getattr(datasets, stem)).parameters
    fixed: dict[str, Any] = {"random_state": SEED} if "random_state" in takes else {}
    try:
        return datasets.load(stem, *numbers, **fixed)
    except TypeError:
        shown = stem.replace("_", "-")
        raise CommandError(f"the data set {shown!r} takes no numbers {numbers}; leave them out.") from None


def frame_of(found: Dataset) -> Any:
    polars = needed("polars", "io")
    X = found.X.toarray() if hasattr(found.X, "toarray") else found.X
    columns = {name: X[:, j] for j, name in enumerate(found.feature_names)}
    return polars.DataFrame(columns | {TARGET: class_names(found)})


def class_names(found: Dataset) -> Any:
    """The labels by the names of their classes; the books' ω1 and ω2 stay 1 and 0, which every terminal shows."""
    import numpy as np

    labels, own = np.unique(found.y, return_inverse=True)
    names = np.array(found.target_names)
    known = names.size == labels.size and all(map(str.isascii, found.target_names))
    return names[own] if known and names.tolist() != [str(label) for label in labels.tolist()] else found.y


def table(given: File, remembered: dict[str, Any] | None = None, **known: Any) -> tuple[Table, str | None]:
    """The table that the user means, and its target where it is known: a file, standard input, or a data set.

    It comes in portions. What else is ``known`` of a CSV file is what ``io.scan`` takes; what a model has
    ``remembered`` of another one holds for this one too, unless the user says otherwise.
    """
    from ..io import Table, scan
    from ..io.tables import is_text_table

    source, written = given.data, given.written
    if source != "-" and not Path(source).exists() and given.format is None:
        found = dataset(source)
        if found is not None and written:
            name = "--header and --no-header are" if "header" in written else f"--{next(iter(written))} is"
            raise CommandError(f"{name} for CSV files, and {source} is a data set of the package; leave it out.")
        if found is not None:
            return Table.of(frame_of(found)), TARGET
        _refuse(source)
    if remembered and is_text_table(source, given.format):
        written = remembered | written
    return scan(source, format=given.format, **written, **known), None


def check_table(source: str) -> None:
    """Refuse what is neither a file nor a data set, before the work is done rather than after."""
    if source != "-" and not Path(source).exists() and dataset(source) is None:
        _refuse(source)


def _refuse(source: str) -> None:
    """Say that there is no such table, and which names resemble it."""
    from .. import datasets
    from ..io.tables import FORMATS

    beside = _beside(source, tuple(FORMATS))
    if Path(source).suffix or Path(source).parent != Path():
        hint = nearest(source, beside, only=True) or "Give the path of a table."
        raise CommandError(f"there is no file {source!r}. {hint}")
    known = [name.replace("_", "-") for name in datasets.names()]
    hint = nearest(source, [*known, *beside])
    raise CommandError(f"{source!r} is neither a file nor a data set. {hint} `discriminant datasets` lists them.")


def _beside(source: str, suffixes: tuple[str, ...]) -> list[str]:
    """The files of these kinds in the folder of a path that is not there."""
    folder = Path(source).parent
    if not folder.is_dir():
        return []
    return [
        str(folder / entry.name)
        for entry in folder.iterdir()
        if entry.name.lower().removesuffix(".gz").endswith(suffixes)
    ]


def learnable(
    given: Rows, counts: bool = False, scaled: bool = False, training: Callable[[Any], Any] | None = None
) -> tuple[Recipe, Any, Any, Any]:
    """What is to be learned from which columns, and X, y and weights; ``counts`` are read as numbers.

    Features are standardized where the user says so, or where they are to be ``scaled`` unless the user says otherwise;
    ``training`` tells the rows to learn that from.
    """
    import_scipy()
    from ..io import Recipe
    from ..io._columns import is_sparse

    weights, standardize = (given.weights, given.standardize) if isinstance(given, WeightedRows) else (None, None)
    if not (weights or standardize or scaled) and (plain := _as_it_is(given)):
        return plain
    target, weights = (column_of(name, given.header) for name in (given.target, weights))
    with progress(f"reading {given.data}") as update:
        update(0, None)
        rows, known = table(given, labels=() if counts else labels_of(given))
        if standardize is None:
            standardize = scaled and not any(map(is_sparse, rows.schema.values()))
        recipe = Recipe(
            target=target or known,
            features=columns_of(given.features, given.header),
            drop=columns_of(given.drop, given.header) or (),
            weights=weights,
            missing=given.missing.value,
            standardize=standardize,
            file=given.written,
        )
        found = (recipe, *recipe.fit(rows, progress=lambda share: update(share, 1), training=training))
    if isinstance(given, WeightedRows):
        tell_reading(reading_of(recipe))
    return found


def _as_it_is(given: Rows) -> tuple[Recipe, Any, Any, None] | None:
    """A data set of the package, of which nobody asks for less: numbers without gaps, for which no table is needed."""
    asked = given.format or given.written or given.features or given.drop or given.missing.value != "refuse"
    other = asked or given.target not in (None, TARGET)
    if other or Path(given.data).exists() or (found := dataset(given.data)) is None or hasattr(found.X, "toarray"):
        return None
    import numpy as np

    from ..io import Recipe
    from ..io._columns import Column
    from ..io._doubts import doubts

    recipe = Recipe(target=TARGET, file=given.written)
    recipe.columns = tuple(Column(name) for name in found.feature_names)
    X = np.array(found.X, np.float64, order="C")
    recipe.reading = [*doubts({name: j for j, name in enumerate(found.feature_names)}, X)]
    return recipe, X, class_names(found), None


def check_labels(y: Any, target: str | None, otherwise: str, insist: bool) -> None:
    """Refuse a target of one class; ask whether one of many different numbers is a class for each.

    Such numbers are refused, or warned of where nobody insists. ``otherwise`` is the option by which the user says that
    these are classes.
    """
    labels = set(y.tolist())
    if len(labels) == 1:
        raise CommandError(
            f"--target {target}: every row holds {labels.pop()!r}, one class where two are needed; name another "
            "column, or add rows of another class."
        )
    try:  # labels are texts where a file writes them so: 21 and 21.5, or 21,5
        found = {float(label.replace(",", ".") if isinstance(label, str) else label) for label in labels}
    except ValueError:
        return
    if len(found) <= MOST_NUMBERS:
        return
    text = (
        f"--target {target}: it holds {len(found):,} different numbers from {min(found):g} to {max(found):g}. If a "
        "regression is meant, `discriminant fit --method least-squares-regressor` predicts numbers"
    )
    if insist:
        raise CommandError(f"{text}; {otherwise} takes each of them for a class of its own.")
    warn(f"{text}; now each of them is a class of its own.")


def uneven(recipe: Recipe, X: Any) -> str | None:
    """A word on features that differ much in scale, if nobody has brought them to one."""
    import numpy as np

    if recipe.standardize or hasattr(X, "tocsr"):
        return None
    with np.errstate(over="ignore", invalid="ignore"):  # of huge numbers: the fit will refuse them
        spreads = np.nan_to_num(X.std(axis=0), nan=np.inf)
    moving = np.flatnonzero(spreads > 0)
    if not moving.size or not spreads[moving].max() > UNEVEN * spreads[moving].min():
        return None
    wide, narrow = (moving[int(pick(spreads[moving]))] for pick in (np.argmax, np.argmin))
    one, other = (in_line(recipe.feature_names[j]) for j in (wide, narrow))
    times = spreads[wide] / spreads[narrow]
    many = f"{times:,.0f} times" if np.isfinite(times) else "endlessly many times"
    return f"{one} spreads {many} as widely as {other}: --standardize brings all features to one scale"


def contrasts(recipe: Recipe, X: Any) -> tuple[Any, list[str], dict[str, Any]]:
    """X without the first level of each factor, the reference; the names of its columns, and what was left out.

    All levels of a factor add up to one, as the intercept does: with all of them no coefficient is determined.
    """
    names, first, references = recipe.feature_names, 0, []
    for column in recipe.columns:
        references += [first] if column.levels is not None and column.width > 1 else []
        first += column.width
    if not references:
        return X, names, {}
    kept = [j for j in range(X.shape[1]) if j not in set(references)]
    return X[:, kept], [names[j] for j in kept], {names[j]: X[:, j] for j in references}


class Asked(NamedTuple):
    """What a question of separability is about; the references are the levels left out, each with its rows."""

    X: Any
    all_levels: Any  # X with the references
    y: Any
    names: list[str]
    references: dict[str, Any]
    target: str | None
    reading: list[str]
    weights: Any = None  # of the rows, where a formula counts them
    offset: Any = None  # of the rows, where a formula has one


def asked_of(given: Rows, formula: str | None, intercept: bool, counts: bool) -> Asked:
    """The columns that the options or a formula name; with an intercept, without the first level of each factor."""
    if formula is not None:
        return _by_formula(given, formula, intercept)
    recipe, X, y, _ = learnable(given, counts=counts)
    kept, names, references = contrasts(recipe, X) if intercept else (X, recipe.feature_names, {})
    return Asked(kept, X, y, names, references, recipe.target, reading_of(recipe))


def in_order(asked: Asked, family: Family | None, levels: str | None) -> Any:
    """The target; of ordered levels with their order, which numbers have and --levels tells of others."""
    order = names(levels)
    if family is not Family.CUMULATIVE:
        if order is not None:
            raise CommandError("--levels tells the order of --family cumulative: give that too, or leave it out.")
        return asked.y
    labels = [str(label) for label in asked.y]
    if order is None:
        if asked.y.dtype.kind in "biuf":
            return asked.y
        few = ",".join(sorted(set(labels))[:4])
        raise CommandError(f"--family cumulative: {asked.target!r} holds no numbers; give its order by --levels {few}.")
    if missing := sorted(set(labels) - set(order)):
        raise CommandError(f"--levels does not name {missing[0]!r}, which {asked.target!r} holds: name each level.")
    polars = needed("polars", "io")
    return polars.Series(labels, dtype=polars.Enum(order))


def _by_formula(given: Rows, formula: str, intercept: bool) -> Asked:
    from ..formulas.formula import design

    for name in ("target", "features", "drop"):
        if getattr(given, name) is not None:
            raise CommandError(f"--{name}: the formula names the columns already; leave one of them out.")
    if given.missing.value == "median":
        raise CommandError("--missing median: with a formula such rows can be dropped (--missing drop) or refused.")
    rows, _ = table(given)
    frame = needed("polars", "io").concat([part for _, part in rows.portions(list(rows.schema))])
    made = design(formula, frame, intercept=intercept, missing=given.missing.value)
    references = {f"{name}[{level}]": made.reference_rows(name) for name, level in made.references.items()}
    X = made.X.to_numpy() if hasattr(made.X, "columns") else made.X
    target = formula.partition("~")[0].strip()
    known = references if intercept else {}
    return Asked(X, X, made.y, made.feature_names, known, target, made.notes, made.weights, made.offset)


def tell_reading(told: list[str]) -> None:
    if told:
        say(f"Reading: {shortened('; '.join(text.rstrip('.') for text in told))}.")


def reading_of(recipe: Recipe) -> list[str]:
    """How the table was read, where that is not plain, in the words of the command line; many texts in one sentence."""
    texts = {f"column {each.name!r}: {each.read_as(0, 0)[0]}": each for each in recipe.columns if each.levels}
    plain = [words for words in recipe.reading if words in texts]
    if len(plain) < MANY_TEXTS:
        return [option_names(words) for words in recipe.reading]
    shown = ", ".join(f"{texts[words].name} ({texts[words].width:,})" for words in plain)
    together = f"{len(plain)} columns of text, a column of zeros and ones for each of their levels: {shown}"
    return [*(option_names(words) for words in recipe.reading if words not in plain), together]


def labels_of(given: Rows) -> tuple[str, ...]:
    """The columns that may hold labels, which stay as a file writes them; none where numbers are to be predicted."""
    if isinstance(given, Training) and find(given.method) in REGRESSORS.values():
        return ()
    target = column_of(given.target, given.header)
    return TARGETS if target is None else (target,)


def columns_of(text: str | None, header: bool | None) -> list[str] | None:
    chosen = names(text)
    return None if chosen is None else [column_of(name, header) or name for name in chosen]


def column_of(name: str | None, header: bool | None) -> str | None:
    """A column of a file without names may be given by its place, from 1."""
    return f"column_{int(name)}" if header is False and name is not None and name.isdecimal() else name


def axes_of(axes: str | None, known: list[str]) -> list[str]:
    """The names of the two features that are drawn; a table of one feature has only that."""
    chosen = known[:2] if axes is None else names(axes) or []
    for name in chosen:
        if name not in known:
            raise CommandError(f"--axes: there is no feature {name!r}. {nearest(name, known)}")
    if len(set(chosen)) != min(2, len(known)):
        raise CommandError(f"--axes {axes!r}: name two different features.")
    return chosen


def plane_of(axes: str | None, known: list[str], X: Any, y: Any) -> list[int]:
    """The places of the two features that are drawn: those that are named, or whose class means differ most."""
    if axes is not None:
        return [known.index(name) for name in axes_of(axes, known)]
    from ..plot.page import telling_features

    return telling_features(X, y)


def standard_input(first: str, second: str) -> None:
    if first == second == "-":
        raise CommandError("only one argument can be -: standard input is read once.")


def check_file(source: str, what: str) -> None:
    path = Path(source)
    if path.is_dir():
        raise CommandError(f"{source!r} is a folder; give {what}.")
    if not path.exists():  # a pipe will do: <(command)
        hint = nearest(source, _beside(source, (".json",)), only=True)
        raise CommandError(f"there is no file {source!r}; give {what}. {hint}".rstrip())


def text_of(source: str, what: str) -> str:
    from ..io._json import LARGEST, read_text

    if source != "-":
        check_file(source, what)
    try:
        with nullcontext(sys.stdin) if source == "-" else Path(source).open(encoding="utf-8") as file:
            text = read_text(file)
    except UnicodeDecodeError:
        raise CommandError(f"{source!r} is not text; give {what}.") from None
    if len(text) > LARGEST:
        raise CommandError(f"{source!r} has more than {LARGEST:,} characters; give {what}.")
    return text


def model_of(source: str) -> tuple[Any, Any]:
    """The model of a file or of standard input, and its recipe, or None where it was saved without one."""
    text = text_of(source, "a model file that `discriminant fit -o` wrote")
    import_sklearn()
    from ..io import ModelFileError
    from ..io.models import read_model  # heavy: what is no file has been refused before

    try:
        return read_model(text)
    except ModelFileError as error:
        remedy = "give one that `discriminant fit -o` wrote"
        raise CommandError(
            f"{'standard input' if source == '-' else source}: {str(error).rstrip('.')}; {remedy}."
        ) from None
