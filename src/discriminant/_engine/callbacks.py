"""scikit-learn's callback protocol; no other file touches it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from sklearn.callback import CallbackSupportMixin
from sklearn.callback import with_callbacks as _with_callbacks

__all__ = ["CallbackSupportMixin", "Listener", "listen", "with_callbacks"]

F = TypeVar("F", bound=Callable[..., Any])


def with_callbacks(method: F) -> F:
    """scikit-learn's decorator of ``fit``, which tears the callbacks down at the end; typed."""
    return cast(F, _with_callbacks(method))


class Listener:
    """Tells the callbacks of an estimator about its fit: one subtask an epoch."""

    def __init__(self, estimator: Any, max_subtasks: int, **given: Any) -> None:
        self._estimator = estimator
        self._given = given
        self._root = estimator._init_callback_context(max_subtasks=max_subtasks)
        self._root.call_on_fit_task_begin(estimator=estimator, **given)
        self._task: Any = None

    def begin(self) -> None:
        """An epoch begins."""
        self._task = self._root.subcontext(task_name="epoch")
        self._task.call_on_fit_task_begin(estimator=self._estimator, **self._given)

    def end(self, attributes: Callable[[], dict[str, Any]]) -> bool:
        """An epoch has ended with these fitted attributes; True when a callback asks to stop."""
        return bool(
            self._task.call_on_fit_task_end(
                estimator=self._estimator, reconstruction_attributes=attributes, **self._given
            )
        )

    def finish(self) -> None:
        """The fit has ended; the estimator is fitted."""
        self._root.call_on_fit_task_end(estimator=self._estimator, reconstruction_attributes=dict, **self._given)


def listen(estimator: Any, max_subtasks: int, X: Any, y: Any, sample_weight: Any) -> Listener | None:
    """A listener with X and y as the user gave them, or None when no callback is set."""
    if not hasattr(estimator, "_skl_callbacks"):
        return None
    metadata = {} if sample_weight is None else {"sample_weight": sample_weight}
    return Listener(estimator, max_subtasks, X=X, y=y, metadata=metadata)
