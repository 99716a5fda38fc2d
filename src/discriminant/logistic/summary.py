"""What a fitted logistic regression reports: its table of coefficients, and tests of several of them.

Tests: ``tests/logistic/test_inference.py``, ``tests/logistic/test_table.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .._engine.labels import encode_known
from .._engine.problem import Problem, make_problem
from .._engine.threads import one_blas_thread
from .._guards.parameters import Choice, Number, refused, unknown
from ..solution import Status
from .inference import DEPENDENT, Inference, KeptRows, LikelihoodRatio, UsedRows
from .limit import LimitingModel, limiting_model
from .multinomial import ManyInference, differences
from .table import CoefficientTable, coefficient_names

LIMIT = "Infinite estimates, and blank ones, which are not unique, have no errors; the others are those of the limit."


class SummaryMixin:
    """The reports of ``LogisticDiscriminant``."""

    classes_: NDArray[Any]
    covariance_: NDArray[np.float64] | None
    recession_: NDArray[np.float64] | None
    deviance_: float | None
    n_rows_: int
    n_features_in_: int
    weights_: NDArray[Any]
    status_: Status
    penalty: str | None
    loss: str
    C: float
    _kept: KeptRows
    _validated: Callable[..., tuple[Any, NDArray[Any]]]
    _rows: Callable[[Problem, Any], UsedRows]

    def summary(
        self, level: float = 0.95, *, intervals: str = "wald", tests: str = "wald", data: Any = None
    ) -> CoefficientTable:
        """Give estimates, standard errors, tests and confidence intervals.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the confidence intervals.
        intervals : {"wald", "profile"}, default="wald"
            Estimates plus and minus multiples of their errors; or, for two classes, the values that a likelihood-ratio
            test does not reject, with infinite ends where the data say so. Firth's estimate has a profile of its
            penalized likelihood.
        tests : {"wald", "lr"}, default="wald"
            Whether each coefficient is zero, by its standard error or by the likelihood ratio; this, for three classes
            or more, of all the coefficients that a column has.
        data : tuple (X, y), (X, y, sample_weight) or (X, y, sample_weight, offset), default=None
            The data of the fit, for profiles, likelihood ratios and, of three classes or more, infinite estimates and
            large fits; a model remembers those of at most a megabyte, until it is copied or stored.

        Returns
        -------
        CoefficientTable
            Prints as a table; its arrays begin with the intercept. Three classes or more have a block for each class
            but the first: the differences of its weights from those of the first.

        References
        ----------
        G. Heinze and M. Schemper, "A solution to the problem of separation in logistic regression", Statistics in
        Medicine 21 (2002).

        Examples
        --------
        >>> import warnings
        >>> from discriminant import InfiniteEstimateWarning, LogisticDiscriminant, datasets
        >>> X, y = datasets.endometrial()
        >>> model = LogisticDiscriminant(penalty="firth").fit(X, y)
        >>> print(model.summary())
                   estimate  std error        z        p     2.5 %    97.5 %
        intercept    3.7746     1.4887     2.54   0.0112    0.8568    6.6923
        x0           2.9293     1.5508     1.89   0.0589   -0.1102    5.9687
        x1          -0.0348     0.0396    -0.88   0.3799   -0.1123    0.0428
        x2          -2.6042     0.7760    -3.36   0.0008   -4.1251   -1.0832
        79 rows, deviance 56.5754, AIC 64.5754.
        >>> model.summary(intervals="profile", tests="lr").interval[1].round(4)
        array([0.6097, 7.8546])

        The estimate of the second coefficient is infinite without a penalty, and its interval has no upper end:

        >>> with warnings.catch_warnings(action="ignore", category=InfiniteEstimateWarning):
        ...     model = LogisticDiscriminant(penalty=None).fit(X, y)
        >>> print(model.summary(intervals="profile", tests="lr"))
                   estimate  std error     chi2        p     2.5 %    97.5 %
        intercept    4.3045     1.6373     9.54   0.0020    1.4327    7.9548
        x0              inf                9.36   0.0022    1.2841       inf
        x1          -0.0422     0.0443     0.99   0.3209   -0.1371    0.0382
        x2          -2.9026     0.8456    19.76   0.0000   -4.7859   -1.4364
        Intervals by profiles of the likelihood, tests by its ratio.
        79 rows, deviance 55.3933, AIC 63.3933.

        Three classes, each of which is held against the first:

        >>> X, y = [[0], [1], [2], [0], [1], [3], [1], [2], [3]], list("aaabbbccc")
        >>> print(LogisticDiscriminant(penalty=None).fit(X, y).summary())
                      estimate  std error        z        p     2.5 %    97.5 %
        b: intercept   -0.4001     1.2784    -0.31   0.7543   -2.9057    2.1054
        b: x0           0.3443     0.8442     0.41   0.6834   -1.3103    1.9988
        c: intercept   -1.4655     1.6243    -0.90   0.3669   -4.6491    1.7180
        c: x0           0.9821     0.9059     1.08   0.2783   -0.7935    2.7577
        Each class is held against a.
        9 rows, deviance 18.3360, AIC 26.3360.
        """
        check_is_fitted(self)
        level = Number("give a probability between 0 and 1", 0, 1)("level", level)
        Choice(("wald", "profile"))("intervals", intervals)
        Choice(("wald", "lr"))("tests", tests)
        if self.classes_.size > 2:
            if intervals == "profile":
                raise refused("intervals", intervals, "'wald' for three classes or more", "take tests='lr' for tests")
            return self._of_many(level, tests, data)
        return self._wald(level) if intervals == tests == "wald" else self._by_likelihood(level, intervals, tests, data)

    def _of_many(self, level: float, tests: str, data: Any) -> CoefficientTable:
        """The table of each class against the first, from the covariance where it is known."""
        names = coefficient_names(self._names(), self.classes_.tolist())
        counts: dict[str, Any] = {"penalized": self.penalty == "firth"}
        notes = [f"Each class is held against {self.classes_[0]}."]
        if self.covariance_ is not None and tests == "wald":
            coef, errors = differences(self.weights_), np.sqrt(np.diag(self.covariance_))
            counts |= {"n_rows": self.n_rows_, "deviance": self.deviance_, "notes": tuple(notes)}
            return CoefficientTable.wald(names, coef, errors, level, **counts)
        with one_blas_thread():
            found = self._many_inference(data)
            ratios = found.tests() if tests == "lr" else []
        if found.infinite:
            notes.append(LIMIT)
        counts |= {"n_rows": found.frame.likelihood.n, "deviance": 2 * found.loss()}
        table = CoefficientTable.wald(names, found.estimates(), found.std_errors(), level, **counts)
        if not ratios:
            return replace(table, notes=tuple(notes))
        notes.append(f"Each test is of a column in all classes, with {ratios[0].df} degrees of freedom.")
        statistic, p = (np.array([getattr(ratio, part) for ratio in ratios]) for part in ("statistic", "p"))
        return replace(table, tests="lr", statistic=statistic, p=p, notes=tuple(notes))

    def _wald(self, level: float) -> CoefficientTable:
        if self.covariance_ is None:
            raise ValueError(f"there are no standard errors: {self._why_none()}")
        errors, known = np.sqrt(np.diag(self.covariance_)), vars(self)
        counts = {"n_rows": known.get("n_rows_"), "deviance": known.get("deviance_")}
        penalized = self.penalty == "firth"
        names = ["intercept", *self._names()]
        coef = self.weights_.astype(np.float64)
        return CoefficientTable.wald(names, coef, errors, level, penalized=penalized, **counts)

    def _by_likelihood(self, level: float, intervals: str, tests: str, data: Any) -> CoefficientTable:
        wald = self._wald(level) if "wald" in (intervals, tests) else None
        with one_blas_thread():
            found = self._inference(data)
            ends, ratios = found.report(level if intervals == "profile" else None, tests == "lr")
        return CoefficientTable(
            ["intercept", *self._names()],
            found.estimates(),
            found.std_errors(),
            wald.statistic if tests == "wald" and wald else np.array([ratio.statistic for ratio in ratios]),
            wald.p if tests == "wald" and wald else np.array([ratio.p for ratio in ratios]),
            wald.interval if intervals == "wald" and wald else ends,
            level,
            intervals,
            tests,
            found.firth,
            found.frame.likelihood.n,
            2 * found.loss(),
        )

    def likelihood_ratio(self, columns: Any = None, *, data: Any = None) -> LikelihoodRatio:
        """Test whether several coefficients are all zero, such as those of a factor, by the likelihood ratio.

        Parameters
        ----------
        columns : str, int or list of them, default=None
            Names or numbers of columns; a factor by its name, if its columns are called ``stage[T.2]`` or
            ``stage=2``. None is all columns: the test of the whole regression.
        data : tuple (X, y), (X, y, sample_weight) or (X, y, sample_weight, offset), default=None
            The data of the fit, as for ``summary``.

        Returns
        -------
        LikelihoodRatio
            ``statistic``, its degrees of freedom ``df``, and ``p``. For Firth's estimate the likelihood is the
            penalized one, and the penalty that of all columns. Of c classes each column has c − 1 coefficients.

        References
        ----------
        G. Heinze and M. Schemper, "A solution to the problem of separation in logistic regression", Statistics in
        Medicine 21 (2002).

        Examples
        --------
        >>> from discriminant import LogisticDiscriminant, datasets
        >>> model = LogisticDiscriminant(penalty="firth").fit(*datasets.sex2())
        >>> statistic, df, p = model.likelihood_ratio()
        >>> round(statistic, 5), df, f"{p:.5e}"
        (49.09064, 6, '7.15089e-09')
        """
        check_is_fitted(self)
        held = self._numbers(columns)
        with one_blas_thread():
            found = self._inference(data) if self.classes_.size == 2 else self._many_inference(data)
            return found.joint(held)

    def limiting_model(self, level: float = 0.95, *, data: Any = None) -> LimitingModel:
        """Give what is left of an infinite estimate: the finite coefficients, and the rows that are fitted perfectly.

        Parameters
        ----------
        level : float, default=0.95
            Probability of the one-sided intervals.
        data : tuple (X, y), (X, y, sample_weight) or (X, y, sample_weight, offset), default=None
            The data of the fit, as for ``summary``.

        Returns
        -------
        LimitingModel
            ``coef`` with infinite entries and ``std_error`` of the others, estimated from ``boundary_rows``;
            ``separated_rows``, and in ``probabilities`` a one-sided interval for ``classes_[1]`` of each of them.

        References
        ----------
        C. Geyer, "Likelihood inference in exponential families and directions of recession", Electronic Journal of
        Statistics 3 (2009).

        Examples
        --------
        >>> import warnings
        >>> from discriminant import InfiniteEstimateWarning, LogisticDiscriminant, datasets
        >>> with warnings.catch_warnings(action="ignore", category=InfiniteEstimateWarning):
        ...     model = LogisticDiscriminant(penalty=None).fit(*datasets.endometrial())
        >>> print(model.limiting_model())
        13 rows are fitted perfectly; 66 are left.
          at infinity    x0 +inf
          estimated      intercept 4.3045 (1.6373), x1 -0.0422 (0.0443), x2 -2.9026 (0.8456)
        Probabilities of the rows fitted perfectly, 95 % intervals:
          row 21         0.7071 to 1.0000
          ...
        """
        check_is_fitted(self)
        level = Number("give a probability between 0 and 1", 0, 1)("level", level)
        if self.recession_ is None:
            raise ValueError("the estimate is finite, and no row is fitted perfectly; see summary().")
        if (count := self.classes_.size) > 2:
            raise ValueError(f"a limiting model is given for two classes, and y had {count}; see summary().")
        with one_blas_thread():
            return limiting_model(self._inference(data), ["intercept", *self._names()], level)

    def _numbers(self, columns: Any) -> list[int]:
        """The numbers of coefficients, counted from 1, without repetition."""
        names, held = self._names(), set[int]()
        if columns is None:
            return list(range(1, len(names) + 1))
        for column in [columns] if isinstance(columns, str | int | np.integer) else columns:
            fits = [name == column or name.startswith((f"{column}[", f"{column}=")) for name in names]
            if isinstance(column, int | np.integer) and 0 <= column < len(names):
                fits[column] = True
            if not any(fits):
                raise unknown("columns", column, f"among the columns {', '.join(names[:8])}", names)
            held |= {k for k, fit in enumerate(fits, 1) if fit}
        if not held:
            raise ValueError("columns is empty; name at least one column, or give None for all.")
        return sorted(held)

    def _inference(self, data: Any) -> Inference:
        infinite = self.recession_ is not None
        if self.covariance_ is None and not (infinite and self.status_.finished):
            raise ValueError(f"there are no likelihood ratios: {self._why_none()}")
        return Inference(self._used(data), self.weights_.astype(np.float64), self.penalty == "firth", infinite)

    def _many_inference(self, data: Any) -> ManyInference:
        """The same for three classes or more, whose covariance may have been too costly for the fit."""
        infinite, given = self.recession_ is not None, data is not None or self._kept.rows is not None
        penalized = self.loss == "squared" or (self.penalty == "l2" and np.isfinite(self.C))
        if penalized or not self.status_.finished or (self.covariance_ is None and not given):
            raise ValueError(f"there are no standard errors: {self._why_none()}")
        return ManyInference(self._used(data), self.weights_.astype(np.float64), self.penalty == "firth", infinite)

    def _used(self, data: Any) -> UsedRows:
        """The rows of the fit, remembered or given."""
        if data is not None and not (isinstance(data, tuple | list) and len(data) in (2, 3, 4)):
            raise ValueError("data must be a tuple (X, y), (X, y, sample_weight) or (X, y, sample_weight, offset); "
                             "give the data of the fit.")  # fmt: skip
        rows = self._kept.rows if data is None else self._rows_of(*data)
        if rows is None:
            raise ValueError("data=None must be (X, y), the data of the fit, which are too large to be remembered or "
                             "were left out of a copy of the model; give data=(X, y).")  # fmt: skip
        return rows

    def _rows_of(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> UsedRows:
        X, y = self._validated(X, y, reset=False)
        return self._rows(make_problem(X, encode_known(y, self.classes_), sample_weight, self.classes_.size), offset)

    def _names(self) -> list[str]:
        return [*getattr(self, "feature_names_in_", (f"x{j}" for j in range(self.n_features_in_)))]

    def _why_none(self) -> str:
        if self.loss == "squared":
            return "they belong to the log loss; fit with loss='log' and penalty=None."
        if self.penalty == "l2" and np.isfinite(self.C):
            return "they belong to maximum likelihood; fit with penalty=None or penalty='firth'."
        if self.recession_ is not None and self.classes_.size > 2:
            return "the estimate is infinite; take penalty='firth', or give the data of the fit."
        if self.recession_ is not None:
            return "the estimate is infinite; take penalty='firth', or profiles and likelihood ratios of the fit."
        if not self.status_.finished:
            return "the fit did not finish; see report_."
        return DEPENDENT if self.classes_.size == 2 else f"those of a large fit need its data, or {DEPENDENT}"
