"""A rule whose state is kept in a checkpoint after each pass, and which goes on from there.

Tests: ``tests/_blocks/test_journal.py``.
"""

from __future__ import annotations

from typing import Any

from .._blocks.journal import Journal, restore, state_of
from .._engine.driver import Rule, Watch, drive
from ..solution import Epoch, Epochs, Solution, Status


class KeptRule:
    """The rule, seen by the driver as one that makes an epoch at a time; ``place`` tells it from others of the fit."""

    def __init__(self, rule: Rule, journal: Journal, place: str) -> None:
        self.rule, self.journal, self.place = rule, journal, place
        self.epochs_, self.status = Epochs(), None
        if (kept := journal.rules.get(place)) is not None:
            restore(rule, kept["rule"])
            self.epochs_ = Epochs(table=kept["history"])
            self.status = None if kept["status"] is None else Status[kept["status"]]

    k = property(lambda self: self.rule.k, lambda self, k: setattr(self.rule, "k", k))
    answer = property(lambda self: self.rule.answer)
    path = property(lambda self: self.rule.path)
    findings = property(lambda self: self.rule.findings)

    def epoch(self, problem: Any, watch: Watch) -> Epoch:
        made = self.rule.epoch(problem, watch)
        self.epochs_.append(made)
        status = None if made.status is None else made.status.name
        state = {"rule": state_of(self.rule), "history": self.epochs_.table.copy(), "status": status}
        self.journal.keep(self.place, state)
        return made

    def driven(self, problem: Any, max_iter: int, watch: Watch) -> Solution[Any]:
        """Drive it for the passes that are left."""
        status = self.status
        if status is None:
            status = drive(self, problem, max_iter - len(self.epochs_), watch).status
        return Solution(self.rule.answer, status, self.epochs_, self.rule.findings, self.rule.path)
