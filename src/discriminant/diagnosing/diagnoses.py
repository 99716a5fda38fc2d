"""Which printed coefficients of a fitted model are artifacts of where its program stopped, with a proof.

Where classes are separated, a likelihood has no maximum, and a program prints the point at which it gave up. Which
coefficients that concerns, ``separability`` proves from the rows of the fit: a coefficient goes to infinity, stays
finite, or is not determined at all. Weights, offsets and exposures do not change that, and a penalty prevents it.

References
----------
A. Albert and J. A. Anderson, "On the existence of maximum likelihood estimates in logistic regression models",
Biometrika 71 (1984); S. Correia, P. Guimarães and T. Zylkin, *Verifying the existence of maximum likelihood estimates
for generalized linear models* (2019).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import numpy as np

from .._engine.extras import needed
from .._guards.parameters import Choice, refused
from ..separation.certificate import Certificate
from ..separation.remainder import LimitingDesign
from ..separation.verdict import Separability, separability
from ..separation.words import Way, each_way
from ..unfinished import InfiniteEstimateWarning
from .estimators import KNOWN as ESTIMATORS
from .estimators import is_estimator, read_estimator
from .fitted import INTERCEPT, FittedModel, Printed
from .results import KNOWN as RESULTS
from .results import is_statsmodels, read_results
from .sentences import as_html, as_text, cells, lines

OTHER_WAY = {"+inf": "-inf", "-inf": "+inf"}
ARTIFACTS = ("+inf", "-inf", "undetermined")
SECONDS = 10.0  # that the signs of the coefficients may take, unless a limit is given


def diagnose(
    model: Any, X: Any = None, y: Any = None, *, sample_weight: Any = None, max_seconds: float | None = None
) -> Diagnosis:
    """Tell which printed coefficients of a fitted model are artifacts, prove it, and say what to report instead.

    Parameters
    ----------
    model : object
        The results of a statsmodels Logit, Probit, GLM (binomial, or Poisson), MNLogit, Poisson or OrderedModel, which
        keep their data; or a fitted LogisticRegression, LogisticRegressionCV, SGDClassifier with log loss or
        PoissonRegressor of scikit-learn, a pipeline that ends with one, a GeneralizedLinearRegressor of glum, or a
        ``LogisticDiscriminant``, with the data of the fit.
    X : array, CSR matrix or data frame of shape (n, d), default=None
        The columns of the fit, for a model that keeps no data.
    y : array of shape (n,), default=None
        The response of the fit, for such a model.
    sample_weight : array of shape (n,), default=None
        The weights of the fit, for such a model; rows of weight zero take no part.
    max_seconds : float, default=None
        Seconds that the verdict may take, and the signs of the coefficients; :class:`UndecidedError` says that the
        verdict takes longer. Without a limit the signs have ten seconds.

    Returns
    -------
    Diagnosis
        Prints as a table of the coefficients with sentences below it.

    See Also
    --------
    watch_separation : Warn while statsmodels fits.
    separability : The verdict on a table by itself.

    References
    ----------
    A. Albert and J. A. Anderson, "On the existence of maximum likelihood estimates in logistic regression models",
    Biometrika 71 (1984).

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from discriminant import datasets, diagnose
    >>> patients = datasets.endometrial()
    >>> model = LogisticRegression(C=float("inf"), max_iter=1000).fit(*patients)
    >>> d = diagnose(model, *patients)
    >>> d.verdict, d.artifacts, d.true_values
    ('quasi', ['x0'], ['finite', '+inf', 'finite', 'finite'])
    >>> d.verify()
    True
    """
    if is_statsmodels(model):
        if any(part is not None for part in (X, y, sample_weight)):
            raise ValueError("the results of statsmodels keep their data; leave out X, y and sample_weight.")
        return Diagnosis(read_results(model), max_seconds)
    if is_estimator(model):
        return Diagnosis(read_estimator(model, X, y, sample_weight), max_seconds)
    raise refused("model", type(model).__name__, f"{RESULTS}, or {ESTIMATORS}", "give a fitted one")


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis:
    """What :func:`diagnose` finds: the verdict with its proof, and what each printed coefficient is worth.

    It prints as a table: the coefficient and the standard error as the program printed them, and the true value, which
    is ``finite``, ``+inf``, ``-inf``, ``undetermined`` (some ways to infinity raise it, others lower it), ``not
    unique`` (columns depend on each other) or ``not computed``.

    Parameters
    ----------
    fitted : FittedModel
        What is known of the model.
    max_seconds : float, default=None
        Seconds that the verdict may take, and the signs of the coefficients.

    Attributes
    ----------
    verdict : {"complete", "quasi", "overlap"}
        That of :func:`separability` on the rows of the fit.
    artifacts : list of str
        The coefficients whose numbers tell where the program stopped; none where a penalty keeps all finite.

    References
    ----------
    E. Lesaffre and A. Albert, "Partial separation in logistic discrimination", JRSS B 51 (1989).

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from discriminant import datasets, diagnose
    >>> d = diagnose(LogisticRegression(max_iter=1000).fit(*datasets.iris()), *datasets.iris())
    >>> d.program, d.verdict, d.artifacts
    ('scikit-learn LogisticRegression', 'quasi', [])
    >>> d.to_dict()["penalty"]
    'a penalty with C=1'
    """

    fitted: FittedModel
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        _ = self.separability  # now, with its errors, not when it is asked for

    @cached_property
    def separability(self) -> Separability:
        """The verdict on the rows of the fit, with its proof."""
        f = self.fitted
        return separability(
            f.X, f.y, intercept=f.intercept, family=f.family, feature_names=f.names, max_seconds=self.max_seconds
        )

    @property
    def verdict(self) -> str:
        """``"complete"``, ``"quasi"`` or ``"overlap"``."""
        return self.separability.verdict

    @property
    def program(self) -> str:
        """Which program has made the fit."""
        return self.fitted.program

    @property
    def data(self) -> tuple[Any, Any]:
        """X and y that the proof speaks of: without the constant column and rows of weight zero.

        A row with both outcomes is two rows.
        """
        return self.fitted.X, self.fitted.y

    @property
    def certificate(self) -> Certificate:
        """The proof of the verdict on ``data``."""
        return self.separability.certificate

    def verify(self) -> bool:
        """Check the proof against the rows of the fit, in whole numbers.

        Returns
        -------
        bool
            True; what fails is told by a ``ValueError``.
        """
        return self.certificate.verify(*self.data)

    @property
    def labels(self) -> list[str]:
        """The names of the coefficients as they are printed; of several classes, with the class."""
        return [f"{each.label}: {each.name}" if each.label else each.name for each in self.fitted.printed]

    @cached_property
    def _ways(self) -> list[Way]:
        """Where each printed coefficient goes."""
        seconds = SECONDS if self.max_seconds is None else self.max_seconds
        blocks = each_way(self.separability, seconds)
        return [self._way(each, blocks[each.block]) for each in self.fitted.printed]

    def _way(self, each: Printed, block: list[Way]) -> Way:
        if each.step:  # a step never shrinks on a way to infinity: b itself tells whether it grows
            a, b = self.separability.certificate.direction[each.column - 1 : each.column + 1]
            return Way("+inf" if a > b else "finite", True)
        first = int(self.fitted.intercept and self.fitted.family != "cumulative")
        if each.column == INTERCEPT and self.fitted.scaled:  # that of other columns: w₀ and the centers times w
            return Way("finite" if {way.word for way in block} == {"finite"} else "not computed", True)
        way = block[0 if each.column == INTERCEPT else each.column + first]
        return way._replace(word=OTHER_WAY.get(way.word, way.word)) if each.turned else way

    @property
    def true_values(self) -> list[str]:
        """For each printed coefficient whether it is finite, where it goes, or why that cannot be told."""
        return [way.word if way.unique else "not unique" for way in self._ways]

    @property
    def artifacts(self) -> list[str]:
        """The coefficients whose numbers tell where the program stopped.

        Of columns that depend on each other, those that are infinite once some of them are left out, and the latter.
        """
        if self.fitted.penalty:
            return []
        shifted = any(way.word in ARTIFACTS for way in self._ways if not way.unique)
        words = ARTIFACTS + ("aliased",) * shifted
        return [label for label, way in zip(self.labels, self._ways, strict=True) if way.word in words]

    def rows_of_table(self) -> list[list[str]]:
        """The cells of the printed table, without the names.

        Returns
        -------
        list of lists of str
            Coefficient, standard error and true value.
        """
        return [cells(each, word) for each, word in zip(self.fitted.printed, self.true_values, strict=True)]

    def limiting_design(self) -> LimitingDesign:
        """Give the rows and columns of the fit that are left where the estimate is infinite.

        Returns
        -------
        LimitingDesign
            Masks of the rows and of the columns of the design of the fit, its constant column included.

        Examples
        --------
        >>> from sklearn.linear_model import PoissonRegressor
        >>> from discriminant import diagnose
        >>> X, y = [[1, 2], [1, 1], [0, 3], [0, 1], [0, 2], [0, 4]], [0, 0, 0, 1, 2, 3]
        >>> diagnose(PoissonRegressor(alpha=0, max_iter=1000, tol=1e-9).fit(X, y), X, y).limiting_design()
        LimitingDesign(rows=array([False, False,  True,  True,  True,  True]), columns=array([False,  True]))
        """
        f, found = self.fitted, self.separability.limiting_design()
        rows, columns = np.zeros(f.n_rows, bool), np.zeros(f.width, bool)
        rows[f.rows[found.rows]] = True
        columns[np.array(f.columns, int)[found.columns]] = True
        if f.constant is not None:
            columns[f.constant] = bool(found.rows.any())
        return LimitingDesign(rows, columns)

    @property
    def can_refit(self) -> bool:
        """Whether ``refit`` can: of a logistic regression of two classes with an intercept."""
        return self.fitted.kind == "logistic regression" and self.fitted.intercept

    def refit(self, penalty: str | None = None) -> Any:
        """Fit the rows of the model again, for what is to be reported: its limit, or Firth's estimate.

        Parameters
        ----------
        penalty : {None, "firth"}, default=None
            None is maximum likelihood, whose infinite coefficients are reported as such; ``"firth"`` is finite.

        Returns
        -------
        LogisticDiscriminant
            Fitted; ``summary(intervals="profile", tests="lr")`` is what to report.

        References
        ----------
        D. Firth, "Bias reduction of maximum likelihood estimates", Biometrika 80 (1993).

        Examples
        --------
        >>> from sklearn.linear_model import LogisticRegression
        >>> from discriminant import datasets, diagnose
        >>> patients = datasets.endometrial()
        >>> d = diagnose(LogisticRegression(C=float("inf"), max_iter=1000).fit(*patients), *patients)
        >>> d.refit("firth").coef_.round(4)
        array([[ 2.9293, -0.0348, -2.6042]])
        """
        from ..logistic.estimator import LogisticDiscriminant

        Choice((None, "firth"))("penalty", penalty)
        f = self.fitted
        if not self.can_refit:
            wanted = "of a logistic regression of two classes with an intercept"
            raise refused("model", f"{f.program} ({f.kind})", wanted, "fit another one by its own program")
        model = LogisticDiscriminant(penalty=penalty)
        X = f.X if hasattr(f.X, "columns") else _named(f.X, f.names)
        with warnings.catch_warnings(action="ignore", category=InfiniteEstimateWarning):
            return model.fit(X, f.y, f.weights, f.offset)

    def to_dict(self) -> dict[str, Any]:
        """Give the diagnosis as what JSON can hold.

        Returns
        -------
        dict
            Program, verdict, coefficients with their printed numbers and true values, artifacts, rows that are
            separated, penalty, and the sentences by name.
        """
        rows = self.fitted.rows[self.separability.separated_rows]
        table = zip(self.labels, self.fitted.printed, self.true_values, strict=True)
        return {
            "program": self.program,
            "model": self.fitted.kind,
            "verdict": self.verdict,
            "n_rows": self.fitted.n_rows,
            "separated_rows": sorted(set(rows.tolist())),
            "penalty": self.fitted.penalty or None,
            "coefficients": [
                {
                    "name": label,
                    "printed": None if np.isnan(each.value) else each.value,
                    "std_error": None if np.isnan(each.error) else each.error,
                    "true_value": word,
                }
                for label, each, word in table
            ],
            "artifacts": self.artifacts,
            "sentences": {name: text for name, text in lines(self) if text},
        }

    def __str__(self) -> str:
        return as_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_html(self)


def _named(X: Any, names: list[str]) -> Any:
    """A frame with these names where pandas is at hand, so that a summary has them; else X."""
    if hasattr(X, "indptr") or find_spec("pandas") is None:
        return X
    return needed("pandas", "io").DataFrame(X, columns=names)
