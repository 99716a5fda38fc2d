"""``warm_up``: all machine code at once, before anybody waits for it.

- ``run``: the processes, the bar and the outcome; ``worker``: what runs in each of them; ``fits``: tiny fits that
  between them call every compiled pass in every form.

Imports ``comparison`` for the variants of the procedures, and ``_engine``.  Tests: ``tests/warming``.
"""

from typing import TYPE_CHECKING

from .._guards.lazy import lazy

__all__ = ["WarmUp", "warm_up"]
__getattr__, __dir__ = lazy(__name__, {"run": ("WarmUp", "warm_up")})

if TYPE_CHECKING:
    from .run import WarmUp, warm_up
