"""How a function is compiled, so that later processes find its machine code; numba is imported when one is called.

Small data need no compiled pass at all, and then nobody waits for numba, which takes half a second to start.

Tests: ``tests/_engine/test_compiling.py`` and ``tests/_engine/test_machine_code.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cached_property, update_wrapper
from threading import RLock
from typing import Any, cast

from .._guards.lazy import uncollected
from .._guards.state import F

# Without reassociation a dot product stays scalar; nnan and ninf would break the test for finite data.
FASTMATH = {"reassoc", "contract", "nsz"}
# The same for passes and what they call: numba compiles a function anew for callers with other options.
OPTIONS: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True, "no_cpython_wrapper": False}

_rules: list[tuple[Any, Any]] = []  # of which numba does not know yet
_making = RLock()


class Pass:
    """A function that is compiled when it is first called, by Python or by another one that is compiled.

    What else numba's function has, ``signatures`` for one, it has too; ``py_func`` is the plain one.
    """

    def __init__(self, function: Callable[..., Any], fastmath: set[str], inline: str = "never") -> None:
        self.py_func, self._fastmath, self._inline = function, fastmath, inline
        update_wrapper(self, function)

    @cached_property
    def made(self) -> Any:
        """numba's function; with NUMBA_DISABLE_JIT the plain one."""
        with uncollected():
            from numba import njit

            from .machine_code import place

        compiler: Any = njit  # its types know not all options
        with _making:
            _register()
            inlined = {} if self._inline == "never" else {"inline": self._inline}
            made: Any = compiler(fastmath=self._fastmath, **OPTIONS, **inlined)(self.py_func)
            if not inlined and hasattr(made, "enable_caching"):
                made._cache = place(self.py_func)
        return made

    def __call__(self, *given: Any) -> Any:
        return self.made(*given)

    def __getattr__(self, name: str) -> Any:  # also ``_numba_type_``, by which numba knows what to call
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.made, name)

    def __reduce__(self) -> str:  # to copies and to other processes it is known by its name
        return self.py_func.__qualname__


def cached(function: F, fastmath: set[str]) -> F:
    """Compile a function when it is first called, without the GIL, and keep its machine code on disk where possible."""
    return cast(F, Pass(function, fastmath))


def spliced(function: F) -> F:
    """Make the function a part of the one pass that calls it: compiled once with it, not also by itself."""
    return cast(F, Pass(function, set(), "always"))


def serve(function: Callable[..., Any], choose: Callable[..., Callable[..., Any]]) -> None:
    """Tell numba that ``choose``, given the types of the arguments, names the body that stands for ``function``."""
    _rules.append((function, choose))
    if "numba" in sys.modules:
        with _making:
            _register()


def _register() -> None:
    """Tell numba of the rules that it does not know yet."""
    from numba.extending import overload

    from .parts import PartCompiler

    options: Any = {"fastmath": FASTMATH, "pipeline_class": PartCompiler, **OPTIONS}
    while _rules:
        function, choose = _rules.pop(0)
        overload(function, jit_options=options, strict=False)(choose)
