"""Fits on a dask cluster: the data stay with the workers, and an ordinary model comes back.

- ``fitting``: `fit`, `separability`; ``applying``: `predict`, `decision_function`, `predict_proba`, which stay lazy;
- ``chunks``: from dask's arrays and data frames to blocks of rows; ``blocks``: their rounds on the workers, a tree of
  sums, lost workers; ``procedures``: which procedure fits which model; ``warm``: compiled code, once on each worker.

Imports the chapters and ``warming``; needs the extra ``dask``.  Tests: ``tests/distributed``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._engine.extras import needed
from .._guards.lazy import lazy

needed("distributed", "dask")
_HOMES = {"fitting": ("fit", "separability"), "applying": ("decision_function", "predict", "predict_proba")}
__getattr__, __dir__ = lazy(__name__, _HOMES)
__all__ = ["decision_function", "fit", "predict", "predict_proba", "separability"]

if TYPE_CHECKING:
    from .applying import decision_function as decision_function
    from .applying import predict as predict
    from .applying import predict_proba as predict_proba
    from .fitting import fit as fit
    from .fitting import separability as separability
