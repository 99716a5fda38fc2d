"""Warnings while statsmodels fits: within a block, every fit whose estimate is infinite says so.

statsmodels prints such an estimate as any other, or raises that a matrix is singular. Within the block its public
``fit`` methods are wrapped: the fit is what it was, and then it is diagnosed. The first block that is entered wraps
them, the last one that is left puts them back, in whatever threads these are; who is in no block hears nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from importlib import import_module
from typing import Any, ClassVar

from .._guards.parameters import SECONDS
from ..exceptions import UndecidedError, warn_user
from ..unfinished import InfiniteEstimateWarning
from .diagnoses import Diagnosis
from .results import read_model, read_results
from .sentences import warning

WRAPPED = {
    "statsmodels.discrete.discrete_model": ("Logit", "Probit", "MNLogit", "Poisson"),
    "statsmodels.genmod.generalized_linear_model": ("GLM",),
    "statsmodels.miscmodels.ordinal_model": ("OrderedModel",),
}

OUTSIDE = 0.0
_limit: ContextVar[float | None] = ContextVar("_limit", default=OUTSIDE)  # seconds for a verdict within a block


class _Wrapping:
    """The methods as they were, None for those that a class inherits, and how many blocks are open."""

    lock = threading.Lock()
    blocks = 0
    before: ClassVar[dict[Any, Callable[..., Any] | None]] = {}


@contextmanager
def watch_separation(max_seconds: float | None = 10.0) -> Iterator[None]:
    """Warn, within a ``with`` block, of every fit of statsmodels whose estimate is infinite.

    Parameters
    ----------
    max_seconds : float, default=10.0
        Seconds that each verdict may take; a fit for which they are not enough is left without a word. None is no
        limit.

    Yields
    ------
    None
        Within, ``fit`` of Logit, Probit, MNLogit, Poisson, GLM and OrderedModel warns by
        :class:`InfiniteEstimateWarning`, which carries the verdict with its proof, also where the fit fails.

    Raises
    ------
    ImportError
        Where statsmodels is not installed.

    See Also
    --------
    diagnose : The same for a fit that is already there, with all that is known of it.

    References
    ----------
    K. Konis, *Linear programming algorithms for detecting separated data in binary logistic regression models* (2007).

    Examples
    --------
    >>> import warnings
    >>> import statsmodels.api as sm
    >>> from discriminant import datasets, watch_separation
    >>> patients = datasets.endometrial()
    >>> model = sm.GLM(patients.y, sm.add_constant(patients.X), family=sm.families.Binomial())
    >>> with warnings.catch_warnings(record=True, action="always") as caught, watch_separation():
    ...     result = model.fit()
    >>> print(caught[-1].message)
    statsmodels GLM: the estimate is infinite: 13 of 79 rows can be fitted perfectly, and the likelihood has no maximum.
    Artifacts of where it stopped: x1. See discriminant.diagnose(result).
    """
    limit = SECONDS("max_seconds", max_seconds)
    _enter()
    token = _limit.set(limit)
    try:
        yield
    finally:
        _limit.reset(token)
        _leave()


def _enter() -> None:
    with _Wrapping.lock:
        if not _Wrapping.blocks:
            for owner in _classes():
                _Wrapping.before[owner] = vars(owner).get("fit")
                owner.fit = _watched(owner.fit)
        _Wrapping.blocks += 1


def _leave() -> None:
    with _Wrapping.lock:
        _Wrapping.blocks -= 1
        if not _Wrapping.blocks:
            for owner, fit in _Wrapping.before.items():
                if fit is None:
                    del owner.fit
                else:
                    owner.fit = fit
            _Wrapping.before.clear()


def _classes() -> Iterator[Any]:
    for module, names in WRAPPED.items():
        try:
            found = import_module(module)
        except ImportError as error:
            raise ImportError("statsmodels is missing, which this needs: pip install statsmodels.") from error
        yield from (getattr(found, name) for name in names)


def _watched(fit: Callable[..., Any]) -> Callable[..., Any]:
    """The method, and a word on its result; fits within it are its own business."""

    @wraps(fit)
    def watched(self: Any, *args: Any, **options: Any) -> Any:
        limit = _limit.get()
        if limit == OUTSIDE:
            return fit(self, *args, **options)
        token = _limit.set(OUTSIDE)
        try:
            try:
                result = fit(self, *args, **options)
            except Exception:
                _tell(self, None, limit)
                raise
            _tell(self, result, limit)
            return result
        finally:
            _limit.reset(token)

    return watched


def _tell(model: Any, result: Any, limit: float | None) -> None:
    """Warn of an infinite estimate; of a fit that cannot be diagnosed, or not in this time, nothing is said."""
    try:
        fitted = read_model(model) if result is None else read_results(result)
        found = None if fitted is None else Diagnosis(fitted, limit)
        infinite = found is not None and found.verdict != "overlap" and not found.fitted.penalty
    except (ValueError, UndecidedError):
        return
    if found is not None and infinite:
        warn_user(InfiniteEstimateWarning(warning(found), separability=found.separability))
