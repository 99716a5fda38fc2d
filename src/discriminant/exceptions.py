"""The errors and warnings of this package; each carries its evidence."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from typing import Any, ClassVar

from .geometry import Hyperplane, LinearMachine
from .solution import Report

BETWEEN = {"discriminant", "sklearn", "joblib", "contextlib", "functools"}  # packages between a fit and its user


class NotSeparableError(ValueError):
    """No linear discriminant separates the data; ``certificate`` holds the proof where one was made.

    Parameters
    ----------
    message : str
        What was asked for and why it cannot be had.
    certificate : object, default=None
        The proof.

    Examples
    --------
    >>> from discriminant import NotSeparableError
    >>> raise NotSeparableError("the classes share the point (1, 1)")
    Traceback (most recent call last):
        ...
    discriminant.exceptions.NotSeparableError: the classes share the point (1, 1)
    """

    def __init__(self, message: str, certificate: Any = None) -> None:
        super().__init__(message)
        self.certificate = certificate


class UndecidedError(TimeoutError):
    """The seconds of ``max_seconds`` have passed before the answer was found; it carries what is known so far.

    Parameters
    ----------
    message : str
        What was asked for, what is known of it, and what to do.
    seconds : float, default=0.0
        The seconds that the question was allowed.
    plane : Hyperplane or LinearMachine, default=None
        The best that was seen; None where none was tried.
    n_wrong : int, default=None
        How many rows ``plane`` does not have strictly on their side.
    pairs : dict, default=None
        The verdicts on those pairs of classes that are decided, by pair of labels.
    excluded : tuple of str, default=()
        The verdicts that cannot be any more.
    passes : int, default=0
        How often the data were read as a whole.

    Examples
    --------
    >>> from discriminant import UndecidedError, datasets, separability
    >>> try:
    ...     separability(*datasets.iris(), max_seconds=1e-9).verdict
    ... except UndecidedError as error:
    ...     print(error.seconds, error.pairs, error.excluded)
    1e-09 {} ()
    """

    def __init__(
        self,
        message: str,
        seconds: float = 0.0,
        *,
        plane: Hyperplane | LinearMachine | None = None,
        n_wrong: int | None = None,
        pairs: dict[Any, str] | None = None,
        excluded: tuple[str, ...] = (),
        passes: int = 0,
    ) -> None:
        super().__init__(message)
        self.seconds, self.plane, self.n_wrong = seconds, plane, n_wrong
        self.pairs, self.excluded, self.passes = pairs or {}, excluded, passes

    def to_dict(self) -> dict[str, Any]:
        """What is known so far, as what JSON can hold.

        Returns
        -------
        dict
            The attributes; ``weights`` has (w₀, w) of the plane, or of each class of the machine.
        """
        weights = self.plane.a[None] if isinstance(self.plane, Hyperplane) else getattr(self.plane, "weights", None)
        return {
            "seconds": self.seconds,
            "passes": self.passes,
            "excluded": list(self.excluded),
            "pairs": [{"of": key, "verdict": verdict} for key, verdict in self.pairs.items()],
            "weights": None if weights is None else weights.tolist(),
            "n_wrong": self.n_wrong,
        }


class ReportWarning(Warning):
    """A warning whose ``report`` is that of the fit it speaks of."""

    def __init__(self, message: str, report: Report | None = None) -> None:
        super().__init__(message)
        self.report = report


class FitInterruptedWarning(ReportWarning, UserWarning):
    """Ctrl-C ended a fit; the model is usable as far as it had come.

    Parameters
    ----------
    message : str
        What was interrupted.
    report : Report, default=None
        The report of the fit.

    Examples
    --------
    >>> import warnings
    >>> from discriminant import FitInterruptedWarning
    >>> warnings.simplefilter("error", FitInterruptedWarning)  # a fit that is interrupted now raises
    >>> warnings.simplefilter("default", FitInterruptedWarning)
    """


class _ShownWarnings:
    """The places and words of the warnings that were shown, to whom, and under which filters."""

    under: Any = None
    known: ClassVar[set[tuple[Any, ...]]] = set()


def warn_user(warning: Warning, once: bool = False) -> None:
    """Warn at the user's line: that of the first frame outside this package and what calls it on the user's behalf.

    ``once`` a place, as Python does by default and scikit-learn spoils: its validation and its searches enter
    ``catch_warnings``, whereupon Python forgets what it has shown, and each fit would warn again.
    """
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in BETWEEN:
        frame = frame.f_back
    module, line = frame.f_globals.get("__name__", "<string>"), frame.f_lineno
    if once and not _is_first(str(warning), type(warning), module, line):
        return
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(warning, type(warning), frame.f_code.co_filename, line, module, registry)


def _is_first(*place: Any) -> bool:
    """Whether this warning has not been shown at this place, where the filters leave that to us."""
    under = getattr(warnings, "_showwarnmsg_impl", None), tuple(warnings.filters)
    if _ShownWarnings.under != under:  # someone else catches warnings, and has seen none yet
        _ShownWarnings.under, _ShownWarnings.known = under, set()
    if _action(*place) != "default":
        return True
    first = place not in _ShownWarnings.known
    _ShownWarnings.known.add(place)
    return first


def _action(text: str, category: type[Warning], module: str, line: int) -> str:
    for action, words, kind, origin, number in warnings.filters:
        if issubclass(category, kind) and number in (0, line) and _fits(words, text) and _fits(origin, module):
            return action
    return "default"


def _fits(pattern: Any, text: str) -> bool:
    """Whether a part of a filter fits: Python's own are plain strings, others are compiled."""
    return pattern is None or (pattern == text if isinstance(pattern, str) else bool(pattern.match(text)))


def __getattr__(name: str) -> Any:
    """The warnings that are scikit-learn's too, which takes a second to import, stand in a file of their own."""
    if name in ("InfiniteEstimateWarning", "NotConvergedWarning"):
        return getattr(import_module(".unfinished", __package__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
