"""Verdicts on parts of a problem of many classes: each class against the rest, or each pair.

Tests: ``tests/separation/test_knowledge.py``.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..exceptions import UndecidedError
from .knowledge import too_long
from .verification import VERDICTS
from .words import describe_parts

if TYPE_CHECKING:
    from .answer import Separability
    from .certificate import Certificate


class PartVerdicts(Mapping[Any, "Separability"]):
    """Verdicts on each class against the rest, or on each pair of classes, by label or by pair of labels.

    Parameters
    ----------
    parts : dict
        The verdicts.
    how : str
        How the classes are held against each other, in words.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, §5.2.2, Problems 5 and 6.

    Examples
    --------
    >>> from discriminant import datasets, separability
    >>> s = separability(*datasets.table(1, 2, 4))
    >>> s.linear.verdict, s.total.verdict, s.pairwise.verdict
    ('complete', 'overlap', 'complete')
    >>> s.total[1].verdict, s.pairwise[1, 4].verdict
    ('overlap', 'complete')
    """

    def __init__(self, parts: dict[Any, Separability], how: str) -> None:
        self._parts, self.how = parts, how
        self._spent = 0.0

    @property
    def verdict(self) -> str:
        """The weakest of the verdicts; none is weaker than overlap, after which the others are not asked for."""
        return max(self._asked(until="overlap").values(), key=VERDICTS.index)

    @property
    def certificates(self) -> dict[Any, Certificate]:
        """The proof of each part."""
        self._asked()
        return {key: part.certificate for key, part in self._parts.items()}

    @property
    def decided(self) -> dict[Any, str]:
        """The verdicts that are known so far; asking for them costs nothing."""
        return {key: part.verdict for key, part in self._parts.items() if "_outcome" in vars(part)}

    def known(self, keys: Iterable[Any], seconds: float) -> dict[Any, str]:
        """The verdicts that are known when those of some parts were looked for.

        Parameters
        ----------
        keys : iterable of labels, or of pairs of labels
            The parts.
        seconds : float
            When to stop, the seconds of earlier calls included.

        Returns
        -------
        dict
            What ``decided`` holds then.
        """
        meter = next(iter(self._parts.values())).question.meter
        began = time.monotonic()
        with suppress(UndecidedError), meter.within(seconds - self._spent):
            for key in keys:
                _ = self._parts[key].verdict
        self._spent += time.monotonic() - began
        return self.decided

    def _asked(self, until: str | None = None) -> dict[Any, str]:
        """The verdicts, all within one ``max_seconds``, or those up to a certain one."""
        meter = next(iter(self._parts.values())).question.meter
        try:
            with meter:
                for k, part in enumerate(self._parts.values()):
                    meter.part = f"problem {k + 1} of {len(self)}"
                    if part.verdict == until:
                        break
        except UndecidedError as error:
            pairs = self.decided
            weakest = max(map(VERDICTS.index, pairs.values()), default=0)
            told = [f"{len(pairs):,} are decided"]
            words = too_long(f"{len(self):,} verdicts, {self.how}", meter.max_seconds, told)
            raise UndecidedError(words, error.seconds, pairs=pairs, excluded=VERDICTS[:weakest]) from None
        return self.decided

    def __getitem__(self, key: Any) -> Separability:
        if key not in self._parts and isinstance(key, tuple):
            key = key[::-1]  # a pair in the other order
        return self._parts[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def __str__(self) -> str:
        return describe_parts(self)

    __repr__ = __str__
