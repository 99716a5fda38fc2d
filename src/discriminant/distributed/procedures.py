"""Which procedure fits a model to blocks of rows that are passed over at the same time.

Tests: ``tests/distributed/test_fitting.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .._guards.parameters import refused
from ..error_correcting.mixing import fit_mixed
from ..error_correcting.perceptron import Perceptron
from ..error_correcting.relaxation import Relaxation
from ..logistic.estimator import LogisticDiscriminant
from ..squared_error.fisher import FisherDiscriminant
from ..squared_error.ho_kashyap import HoKashyap
from ..squared_error.least_squares import LeastSquares, LeastSquaresRegressor
from ..squared_error.recursion_on_blocks import check_order_free, fit_by_triangle
from ..squared_error.recursive_least_squares import RecursiveLeastSquares
from ..squared_error.ridge import RidgeRegressor
from ..squared_error.widrow_hoff import WidrowHoff
from ..squared_error.widrow_hoff_regressor import WidrowHoffRegressor
from ..svm.estimator import SupportVectorMachine

# procedures that ask of blocks nothing but sums; the others go from row to row in their order
OF_SUMS = (
    FisherDiscriminant, HoKashyap, LeastSquares, LeastSquaresRegressor, LogisticDiscriminant, RidgeRegressor,
    SupportVectorMachine,
)  # fmt: skip
MIXED = (Perceptron, Relaxation)
BATCHES = (WidrowHoff, WidrowHoffRegressor)  # and those that are mixed, with batch=True
KNOWN = (*OF_SUMS, *MIXED, RecursiveLeastSquares, *BATCHES)


def procedure(model: Any) -> Callable[[Any], None]:
    """What fits this model to blocks and publishes it; refused where nothing does."""
    if isinstance(model, MIXED) and not model.batch:
        return partial(fit_mixed, model)
    if isinstance(model, BATCHES) and not model.batch:
        wanted = "True on a cluster, where rows are not visited one after the other"
        raise refused("batch", False, wanted, "set it, or use fit_stream")
    if isinstance(model, RecursiveLeastSquares):
        check_order_free(model)
        return partial(fit_by_triangle, model)
    if not isinstance(model, KNOWN):
        raise refused(
            "model", model, f"one of {', '.join(kind.__name__ for kind in KNOWN)} on a cluster", "take another"
        )
    if not is_hinge(model) and (reason := model._needs_all_rows()) is not None:
        raise refused("model", model, "a procedure that has a form for a cluster", f"here {reason}")
    fits: Callable[[Any], None] = model._fit_blocks
    return fits


def is_hinge(model: Any) -> bool:
    """Whether the model is a plane with the hinge, whose multipliers stay with their rows."""
    if not isinstance(model, SupportVectorMachine) or model.loss != "hinge" or model.probability:
        return False
    return model._is_plane() and bool(np.isfinite(model.C))
