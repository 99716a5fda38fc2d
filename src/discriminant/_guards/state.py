"""All or nothing: a fit that raises leaves the model as it was, and a refused portion of data leaves no trace.

The attributes of a model are put back as they were.  What lies behind them is replaced by a fit, not changed, except
where a rule goes on from one portion of data to the next: such things are ``Changing`` and are put back from within.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])
Undo = Callable[[], None]

CALLBACKS = ("_callback_fit_ctx", "_skl_callbacks_to_teardown")  # scikit-learn still needs these when a fit has failed


class Changing:
    """Something that changes in place while a model learns from portions of data.

    What it keeps under a private name is replaced or appended to, never written over, and needs no copy.
    """

    def undo(self, known: set[int]) -> Undo:
        before = dict(vars(self))
        parts = [undo(value, known) for name, value in before.items() if not name.startswith("_")]

        def back() -> None:
            self.__dict__ = before
            for part in parts:
                part()

        return back


def undo(thing: Any, known: set[int]) -> Undo:
    """What puts a thing back as it is now; nothing for what is ``known`` already or never changes in place."""
    if id(thing) in known:
        return lambda: None
    known.add(id(thing))
    if isinstance(thing, Changing):
        return thing.undo(known)
    if isinstance(thing, np.random.RandomState):
        state = thing.get_state(legacy=False)
        return lambda: thing.set_state(state)
    if isinstance(thing, np.ndarray) and thing.flags.writeable:
        values = thing.copy()
        return lambda: np.copyto(thing, values)
    if isinstance(thing, list | tuple | dict):
        return _undo_all(thing, known)
    return lambda: None


def _undo_all(things: list[Any] | tuple[Any, ...] | dict[Any, Any], known: set[int]) -> Undo:
    before = things.copy() if isinstance(things, list | dict) else things
    parts = [undo(part, known) for part in (before.values() if isinstance(before, dict) else before)]

    def back() -> None:
        if isinstance(things, list):
            things[:] = before
        elif isinstance(things, dict):
            things.clear()
            things.update(before)
        for part in parts:
            part()

    return back


@contextmanager
def unchanged_on_failure(model: Any) -> Iterator[None]:
    """Whatever is raised, Ctrl-C included, leaves the model as it was."""
    before, known = dict(vars(model)), set[int]()
    parts = (part for value in before.values() for part in (value if isinstance(value, list) else [value]))
    undos = [undo(part, known) for part in parts if isinstance(part, Changing | np.random.RandomState)]
    try:
        yield
    except BaseException:
        model.__dict__ = before | {name: value for name, value in vars(model).items() if name in CALLBACKS}
        for back in undos:
            back()
        raise


def all_or_nothing(method: F) -> F:
    @wraps(method)
    def guarded(model: Any, *args: Any, **options: Any) -> Any:
        with unchanged_on_failure(model):
            return method(model, *args, **options)

    return cast(F, guarded)
