"""scikit-learn's callback protocol; no other file touches it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from sklearn.callback import CallbackSupportMixin
from sklearn.callback import with_callbacks as _with_callbacks

from .._guards.state import F

__all__ = ["CallbackSupportMixin", "Listener", "with_callbacks"]


def with_callbacks(method: F) -> F:
    """scikit-learn's decorator of ``fit``, which tears the callbacks down at the end; typed."""
    return cast(F, _with_callbacks(method))


class Listener:
    """Tells the callbacks of an estimator about its fit, one subtask an epoch; without callbacks it makes nothing.

    X, y and the weights are handed on as the user gave them.
    """

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self._estimator = estimator
        self._given = {"X": X, "y": y, "metadata": {} if sample_weight is None else {"sample_weight": sample_weight}}
        self._root: Any = None
        self._task: Any = None

    def open(self, max_subtasks: int) -> None:
        if hasattr(self._estimator, "_skl_callbacks"):
            self._root = self._estimator._init_callback_context(max_subtasks=max_subtasks)
            self._root.call_on_fit_task_begin(estimator=self._estimator, **self._given)

    @property
    def heard(self) -> bool:
        return self._root is not None

    def begin(self) -> None:
        self._task = self._root.subcontext(task_name="epoch")
        self._task.call_on_fit_task_begin(estimator=self._estimator, **self._given)

    def end(self, attributes: Callable[[], dict[str, Any]]) -> bool:
        """An epoch has ended with these fitted attributes; True when a callback asks to stop."""
        return self._ended(self._task, attributes)

    def finish(self) -> None:
        if self.heard:
            self._ended(self._root, dict)

    def _ended(self, task: Any, attributes: Callable[[], dict[str, Any]]) -> bool:
        estimator = self._estimator
        return bool(task.call_on_fit_task_end(estimator=estimator, reconstruction_attributes=attributes, **self._given))
