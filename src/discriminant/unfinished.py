"""The warnings of a fit that has not done what it set out to do, which are scikit-learn's ``ConvergenceWarning`` too.

Tests: ``tests/test_exceptions.py``.
"""

from __future__ import annotations

from typing import Any

from sklearn.exceptions import ConvergenceWarning

from .exceptions import FitInterruptedWarning, ReportWarning, warn_user
from .solution import Report


class NotConvergedWarning(ReportWarning, ConvergenceWarning):
    """A fit ended without having done what it set out to do; ``report`` says what is left.

    Parameters
    ----------
    message : str
        What was minimized, whether the data may be inseparable, what to try: the same words for all fits of a
        procedure that end for one reason.
    report : Report, default=None
        The report of the fit.

    Examples
    --------
    >>> import warnings
    >>> from discriminant import NotConvergedWarning, Perceptron, datasets
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     model = Perceptron().fit(*datasets.xor())
    >>> caught[0].category is NotConvergedWarning, caught[0].message.report is model.report_
    (True, True)
    """


class InfiniteEstimateWarning(NotConvergedWarning):
    """A regression without a penalty has no finite estimate; ``separability`` holds the verdict.

    Parameters
    ----------
    message : str
        Which coefficients diverge, which rows cause it, and what to do.
    report : Report, default=None
        The report of the fit.
    separability : Separability, default=None
        What :func:`discriminant.separability` says of the data, with its proof; None where the data are too large for
        one and the weights themselves separate them.

    Examples
    --------
    >>> import warnings
    >>> from discriminant import InfiniteEstimateWarning, LogisticDiscriminant, datasets
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     model = LogisticDiscriminant(penalty=None).fit(*datasets.endometrial())
    >>> caught[0].category is InfiniteEstimateWarning, caught[0].message.separability.infinite_.tolist()
    (True, [1.0, 0.0, 0.0])
    """

    def __init__(self, message: str, report: Report | None = None, separability: Any = None) -> None:
        super().__init__(message, report)
        self.separability = separability


def warn_of(report: Report, interrupted: bool) -> None:
    """Warn of a fit that was interrupted or has not finished.

    The words say which procedure and why, not how far it came, so that they are shown once for all fits of a search.
    """
    if interrupted:
        text = f"{report.headline()} (Ctrl-C). report_ tells how far it came."
        warn_user(FitInterruptedWarning(text, report))
    elif report.unfinished:
        warn_user(NotConvergedWarning(report.warning(), report), once=True)
