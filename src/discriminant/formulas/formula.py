"""The design of a formula: patterns, labels, the names of columns, levels and reference levels.

A factor of k levels has k − 1 columns, which hold each level against the reference, the first one; names read
``stage[T.2]``. The intercept is not among the columns: the estimators have one of their own, and so has the verdict.

``offset(exposure)`` is no column: its values are added to every score, and the verdict does not depend on them.

Counts, ``cbind(won, lost) ~ …``, make up to two rows of each, one of either outcome, with the counts as weights: a cell
with both outcomes overlaps with itself, and the verdict sees it.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._engine.extras import needed
from .._guards.parameters import Choice, refused, suggestion
from .frames import formula_of

WIDE = 100  # levels of a factor from which its zeros are left out
WORK = 10**9  # products up to which collinear columns are looked for
COUNTS = re.compile(r"\s*cbind\(([^,()]+),([^,()]+)\)\s*~(.*)", re.DOTALL)
OUTCOME = "outcome_of_counts"
OFFSET = re.compile(r"\+?\s*\boffset\(")
UNTOUCHED = "the offset takes no part in the verdict, which is the same whatever it is."
SLIGHT = 1e-10  # of the length of a column: what rounding leaves of one that depends on others


@dataclass(frozen=True, eq=False)
class Design:
    """What :func:`design` makes of a formula and a data frame; unpacks as ``X, y = design``.

    Parameters
    ----------
    formula : str
        The formula.
    X : pandas.DataFrame or CSR matrix of shape (n, d)
        Patterns; a CSR matrix where a factor has many levels.
    y : array of shape (n,)
        The response.
    feature_names : list of str
        The names of the columns.
    references : dict
        The reference level of each factor that has columns of its own.
    rows : array of int of shape (n,)
        The numbers of the rows of the frame that took part; of counts, a row with both outcomes occurs twice.
    notes : list of str
        What to know of the columns: levels of one row, columns that depend on others.
    spec : object
        How formulaic makes the columns.
    weights : array of shape (n,), default=None
        How often each row occurs, where the response is a pair of counts.
    offset : array of shape (n,), default=None
        What is added to every score, where the formula has a term ``offset(…)``.

    References
    ----------
    G. Wilkinson and C. Rogers, "Symbolic description of factorial models for analysis of variance", Applied Statistics
    22 (1973).

    Examples
    --------
    >>> from discriminant import design
    >>> frame = {"grade": [0, 1, 1, 0], "stage": ["I", "II", "II", "III"], "age": [50, 61, 47, 58]}
    >>> made = design("grade ~ age + stage", frame)
    >>> made.feature_names, made.references
    (['age', 'stage[T.II]', 'stage[T.III]'], {'stage': 'I'})
    >>> made.apply({"stage": ["II"], "age": [40]}).to_numpy().tolist()
    [[40.0, 1.0, 0.0]]
    """

    formula: str
    X: Any
    y: NDArray[Any]
    feature_names: list[str]
    references: dict[str, Any]
    rows: NDArray[np.int64]
    notes: list[str]
    spec: Any
    weights: NDArray[np.float64] | None = None
    offset: NDArray[np.float64] | None = None

    def __iter__(self) -> Iterator[Any]:
        return iter((self.X, self.y))

    def reference_rows(self, factor: str) -> NDArray[np.float64]:
        """Tell which rows have the reference level of a factor.

        Parameters
        ----------
        factor : str
            One of ``references``.

        Returns
        -------
        array of shape (n,)
            1 for these rows, 0 for others.
        """
        X = self.X if sparse.issparse(self.X) else self.X.to_numpy()
        return np.asarray(1 - X[:, _levels(factor, self.feature_names)].sum(axis=1), np.float64).ravel()

    def apply(self, frame: Any) -> Any:
        """Give the columns of the formula for new rows.

        Parameters
        ----------
        frame : data frame, or dict of columns
            The new rows; the response may be absent.

        Returns
        -------
        pandas.DataFrame or CSR matrix
            Patterns, as a fitted model takes them.
        """
        frame = _as_pandas(frame)
        _check_columns(self.formula, self.spec, frame)
        return _columns(_built(self.spec, frame, self.formula))


def design(formula: Any, data: Any, *, intercept: bool = True, missing: str = "refuse") -> Design:
    """Make patterns and labels of a formula and a data frame, by the package formulaic (extra ``formula``).

    Parameters
    ----------
    formula : str, or pandas or polars data frame
        Such as ``"HG ~ NV + PI + C(stage)"``: the response, and the terms of which columns are made. Texts are factors,
        and so is what stands in C(…); offset(…) is added to every score, with a weight of 1. Grouped data have
        ``cbind(successes, failures)`` or ``cbind(successes, trials - successes)`` for a response. A data frame
        has all of its columns for terms, and categoricals and texts among them are factors.
    data : pandas or polars data frame, or dict of columns
        What the names of the formula mean; beside a data frame, the response.
    intercept : bool, default=True
        Whether the model will have an intercept, of which the design has no column. If not, the formula must say so
        (``0 + …``).
    missing : {"refuse", "drop"}, default="refuse"
        What to do with rows of which the formula needs a value that is missing.

    Returns
    -------
    Design
        Unpacks as ``X, y``; has the names of the columns, the reference levels, and ``apply`` for new rows.

    See Also
    --------
    separability : Takes a formula itself, ``separability("HG ~ NV + PI", data=frame)``.

    References
    ----------
    G. Wilkinson and C. Rogers, "Symbolic description of factorial models for analysis of variance", Applied Statistics
    22 (1973).

    Examples
    --------
    >>> import pandas as pd
    >>> from discriminant import LogisticDiscriminant, datasets, design
    >>> patients = datasets.endometrial()
    >>> frame = pd.DataFrame(patients.X, columns=patients.feature_names).assign(HG=patients.y)
    >>> model = LogisticDiscriminant(penalty="firth").fit(*design("HG ~ NV + PI * EH", frame))
    >>> model.feature_names_in_.tolist()
    ['NV', 'PI', 'EH', 'PI:EH']

    Grouped data: the counts are weights of the rows.

    >>> made = design("cbind(won, lost) ~ place", {"place": ["here", "there"], "won": [3, 10], "lost": [5, 0]})
    >>> made.y.tolist(), made.weights.tolist()
    ([1, 0, 1], [3.0, 5.0, 10.0])
    >>> model = LogisticDiscriminant(penalty="firth").fit(*made, made.weights)

    A frame with texts, without a formula:

    >>> design(pd.DataFrame({"place": ["here", "there", "here"], "size": [3, 1, 2]}), [0, 1, 1]).feature_names
    ['place[T.there]', 'size']
    """
    Choice(("refuse", "drop"))("missing", missing)
    if not isinstance(formula, str):
        formula, data = formula_of(formula, data, intercept)
    formulaic = needed("formulaic", "formula")
    frame = _as_pandas(data)
    if counts := COUNTS.fullmatch(formula):
        return _grouped(counts, frame, intercept, missing)
    plain, added = _without_offset(formula)
    parsed = _parsed(formulaic, plain)
    _check_columns(formula, parsed, frame)
    rows = np.flatnonzero(frame[_named(formula, frame)].notna().all(axis=1))
    if missing == "drop":
        frame = frame.iloc[rows]
    elif rows.size < len(frame):
        first = int(np.setdiff1d(np.arange(len(frame)), rows)[0])
        raise ValueError(f"data misses a value that the formula needs, first in row {first}; give missing='drop'.")
    y = _response(parsed.lhs, frame, formula)
    factors = [frame[name] for name in _named(formula, frame) if frame[name].dtype.kind not in "biuf"]
    output = "sparse" if any(factor.nunique() > WIDE for factor in factors) else "pandas"
    made = _built(formulaic.ModelSpec(formula=parsed.rhs, output=output, na_action="raise"), frame, formula)
    spec = made.model_spec
    if ("Intercept" in spec.column_names) != intercept:
        wanted, remedy = ("with", "leave out 0 and -1") if intercept else ("without", "write 0 + before its terms")
        raise refused("formula", formula, f"one {wanted} an intercept", remedy)
    X, names = _columns(made), [name for name in spec.column_names if name != "Intercept"]
    if not names:
        raise refused("formula", formula, "one with columns beside the intercept", "write it as 'y ~ a + b'")
    references = {factor: level for factor, level in _references(spec).items() if _levels(factor, names)}
    notes = [*_rare(X, names, references), *_dependent(X, names, intercept), *([UNTOUCHED] if added else [])]
    return Design(formula, X, y, names, references, rows, notes, spec, offset=_offset(formulaic, added, frame, formula))


def _without_offset(formula: str) -> tuple[str, list[str]]:
    """The formula without its terms offset(…), of which formulaic knows nothing, and what stands in them."""
    added: list[str] = []
    while found := OFFSET.search(formula):
        depth, end = 1, found.end()
        while depth and end < len(formula):
            depth += {"(": 1, ")": -1}.get(formula[end], 0)
            end += 1
        if depth:
            raise ValueError(f"formula={formula!r} cannot be read: offset( is not closed; write offset(name).")
        added.append(formula[found.end() : end - 1])
        rest = formula[end:]
        if formula[: found.start()].rstrip().endswith("~"):  # it was the first term
            rest = re.sub(r"^\s*\+", " ", rest)
        formula = formula[: found.start()] + rest
    return formula + ("1" if added and formula.rstrip().endswith("~") else ""), added


def _offset(formulaic: Any, added: list[str], frame: Any, formula: str) -> NDArray[np.float64] | None:
    """The sum of what stands in offset(…); None where nothing does."""
    if not added:
        return None
    parsed = formulaic.Formula(f"0 + {' + '.join(f'I({term})' for term in added)}")
    _check_columns(formula, parsed, frame)
    made = _built(formulaic.ModelSpec(formula=parsed, output="pandas", na_action="raise"), frame, formula)
    return np.asarray(made.to_numpy(np.float64).sum(axis=1))


def _grouped(counts: re.Match[str], frame: Any, intercept: bool, missing: str) -> Design:
    """The design of counts: a row for each outcome that occurs."""
    pairs = np.column_stack([_count(counts[k], counts[0], frame, missing) for k in (1, 2)])
    at, failure = np.nonzero(pairs)
    if not at.size:
        raise ValueError(f"formula={counts[0]!r}: no row has any trials; give counts above zero.")
    single = f"{OUTCOME} ~ {counts[3]}"
    made = design(single, frame.iloc[at].assign(**{OUTCOME: 1 - failure}), intercept=intercept, missing=missing)
    idle = len(frame) - np.unique(at).size
    notes = [f"{idle:,} rows have no trials, and take no part."] if idle else []
    notes += _dependent(made.X, made.feature_names, intercept)  # a level of one cell may have many trials
    notes += [] if made.offset is None else [UNTOUCHED]
    weights, rows = pairs[at, failure][made.rows], at[made.rows]
    return replace(made, formula=counts[0], rows=rows, notes=notes, weights=weights)


def _count(text: str, formula: str, frame: Any, missing: str) -> NDArray[np.float64]:
    """A column of counts, or one minus another; 0 for what is missing, where such rows are dropped."""
    columns = [frame[name] for name in _terms(text, formula, frame)]
    values = np.asarray(columns[0] - sum(columns[1:]), np.float64)
    if missing == "drop":
        values = np.where(np.isnan(values), 0.0, values)
    wrong = values[~((values >= 0) & (values == np.floor(values)) & np.isfinite(values))]
    if wrong.size:
        raise ValueError(f"formula={formula!r}: {text.strip()} is {wrong[0]:g} in a row; give whole numbers >= 0.")
    return values


def _terms(text: str, formula: str, frame: Any) -> list[str]:
    """The columns of ``trials - successes``, which must exist."""
    names, known = [name.strip() for name in text.split("-")], list(map(str, frame.columns))
    for name in names:
        if name not in known:
            raise _no_column(name, formula, known)
    return names


def _as_pandas(data: Any) -> Any:
    """The data as a pandas frame, which formulaic needs anyway; a copy only where they are none."""
    pandas = needed("pandas", "formula")
    if isinstance(data, pandas.DataFrame):
        return data
    if not hasattr(data, "keys") and not hasattr(data, "collect_schema"):
        raise refused("data", data, "a data frame or a dict of columns", "give that of which the formula speaks")
    try:
        return pandas.DataFrame(data.to_dict(as_series=False) if hasattr(data, "collect_schema") else data)
    except (TypeError, ValueError) as error:
        raise ValueError(f"data must be a data frame, or a dict of columns of one length, not this: {error}.") from None


def _parsed(formulaic: Any, formula: str) -> Any:
    try:
        parsed = formulaic.Formula(formula)
    except (formulaic.errors.FormulaicError, SyntaxError) as error:
        said = str(error).strip().splitlines()[0].rstrip(".")
        raise ValueError(f"formula={formula!r} cannot be read: {said}; write it as 'y ~ a + b'.") from None
    if not hasattr(parsed, "lhs") or len(parsed.lhs) != 1:
        raise refused("formula", formula, "one with one response", "write it as 'y ~ a + b'")
    return parsed


def _check_columns(formula: str, asked: Any, frame: Any) -> None:
    """Refuse a name that is no column, with the one that it looks like."""
    known = list(map(str, frame.columns))
    for name in sorted(map(str, asked.required_variables)):
        if name not in known:
            raise _no_column(name, formula, known)


def _no_column(name: str, formula: str, known: list[str]) -> ValueError:
    near = suggestion(name, known)
    remedy = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known[:8])}."
    return ValueError(f"formula={formula!r} names {name!r}, which is no column of the data; {remedy}")


def _named(formula: str, frame: Any) -> list[Any]:
    """The columns whose names occur in the formula; formulaic does not tell of those inside of functions."""
    return [name for name in frame.columns if re.search(rf"(?<![\w.]){re.escape(str(name))}(?!\w)", formula)]


def _response(lhs: Any, frame: Any, formula: str) -> NDArray[Any]:
    """The labels as they stand in a column, or what an expression makes of it."""
    name = str(next(iter(lhs)))
    if name in frame.columns:
        y = frame[name].to_numpy()
    else:
        made = _built(
            needed("formulaic", "formula").ModelSpec(formula=lhs, output="pandas", na_action="raise"), frame, formula
        )
        found = made.drop(columns="Intercept", errors="ignore")
        y = found.to_numpy()[:, -1]  # of a condition, the column of what is true
    if len(set(y.tolist())) < 2:
        raise ValueError(f"the response {name} is {y.tolist()[0]!r} in every row; give rows of another value too.")
    return np.asarray(y)


def _built(spec: Any, frame: Any, formula: str) -> Any:
    """The columns by formulaic, which sees nothing but the frame; its complaints in one sentence."""
    errors = needed("formulaic.errors", "formula")
    with warnings.catch_warnings(action="error", category=errors.DataMismatchWarning):
        try:
            return spec.get_model_matrix(frame, context={})
        except errors.DataMismatchWarning as told:
            levels = str(told).partition(": ")[2].partition("}")[0].strip("{ ")
            raise ValueError(
                f"the data have the level {levels}, which those of the formula had not; drop such rows."
            ) from None
        except (errors.FormulaicError, SyntaxError, ValueError, TypeError, NameError) as error:
            said = str(error).strip().splitlines()[0].rstrip(".")
            raise ValueError(f"formula={formula!r} cannot be computed: {said}.") from None


def _columns(made: Any) -> Any:
    """The columns without the intercept: a frame of floats, or a CSR matrix."""
    if sparse.issparse(made):
        kept = [j for j, name in enumerate(made.model_spec.column_names) if name != "Intercept"]
        return sparse.csr_matrix(made)[:, kept]
    return made.drop(columns="Intercept", errors="ignore").astype(np.float64)


def _references(spec: Any) -> dict[str, Any]:
    """The level that the others of a factor are held against, where its contrasts have one."""
    treatment = needed("formulaic.transforms.contrasts", "formula").TreatmentContrasts
    return {
        str(factor): state.contrasts.get_drop_field(state.levels, reduced_rank=False)
        for factor, state in spec.factor_contrasts.items()
        if isinstance(state.contrasts, treatment)
    }


def _levels(factor: str, names: list[str]) -> list[int]:
    """The columns of a factor by itself, which hold its levels against the reference."""
    return [j for j, name in enumerate(names) if name.startswith(f"{factor}[T.") and "]:" not in name]


def _rare(X: Any, names: list[str], references: dict[str, Any]) -> Iterator[str]:
    """Levels of one row: a plane separates it from all others."""
    counts = np.asarray((X != 0).sum(axis=0)).ravel()
    for factor, reference in references.items():
        levels = {names[j]: counts[j] for j in _levels(factor, names)}
        levels[f"{factor}[{reference}]"] = X.shape[0] - sum(levels.values())
        for level in (level for level, count in levels.items() if count == 1):
            yield f"the level {level} has one row, which a penalty alone keeps from infinity; merge it with another."


def _dependent(X: Any, names: list[str], intercept: bool) -> Iterator[str]:
    """Columns that are combinations of earlier ones, or constant beside an intercept."""
    n, d = X.shape
    if sparse.issparse(X) or n * d * d > WORK:
        return
    Q, found = np.full((n, int(intercept)), n**-0.5), []  # an orthonormal basis of the columns so far
    for name, column in zip(names, X.to_numpy().T, strict=True):
        rest = column - Q @ (Q.T @ column)
        rest -= Q @ (Q.T @ rest)
        size = np.linalg.norm(rest)
        if size <= SLIGHT * np.linalg.norm(column):
            found.append(name)
        else:
            Q = np.column_stack([Q, rest / size])
    if found:
        yield f"{', '.join(found)} can be computed from the columns before; leave out what says the same twice."
