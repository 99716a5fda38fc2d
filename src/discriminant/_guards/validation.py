"""What is handed in as X and y, looked at before any compiled code sees it; no other file calls scikit-learn for that.

scikit-learn and scipy take the indices of a sparse matrix on trust, and compiled code follows them out of the array.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# What scikit-learn's messages leave unsaid, by a phrase of theirs.
REMEDIES = {
    "could not convert": "X has a column of other things than numbers; encode it, as design(X, y) does, or drop it.",
    "inconsistent numbers of samples": "These are the rows of X and the labels in y; give one label for each row.",
    "is required by": "X is empty; give at least one row for each class, and one column.",
    "features as input": "Give X the columns that the model was fitted on.",
}

FEW = 4096  # numbers that are looked at one by one sooner than numpy's warnings are switched off for their sum


def taken(model: Any, *data: Any, **options: Any) -> Any:
    """scikit-learn's validation of X, or of X and y; all that it refuses is a ``ValueError`` with a remedy."""
    from sklearn.utils.validation import validate_data  # 0.3 s of imports that what has no estimator does not need

    if options.get("reset") and options.get("ensure_all_finite") is False and is_plain(*data):
        model.n_features_in_ = data[0].shape[1]
        vars(model).pop("feature_names_in_", None)
        return data
    check_indices(data[0])
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # a long double beyond float64 becomes infinity
            return validate_data(model, *data, accept_sparse="csr", dtype=[np.float64, np.float32], **options)
    except OverflowError as error:
        raise too_large("X or y") from error
    except ValueError as error:
        if "at least one array or dtype" in str(error):
            raise ValueError("X has no columns and must have some; give at least one feature.") from None
        raise explained(error) from None
    except TypeError as error:
        if "datetime" not in str(error):  # scikit-learn's checks ask for a TypeError of other objects
            raise
        raise ValueError(f"X or y holds dates ({error}) and must hold numbers; give days, for example.") from None


def is_plain(X: Any, *y: Any) -> bool:
    """Whether X, with labels y if given, is the very kind of array that validation would hand back unchanged."""
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype not in (np.float64, np.float32) or not X.size:
        return False
    labels = all(type(part) is np.ndarray and part.dtype.kind in "biu" and part.shape == X.shape[:1] for part in y)
    return labels and all(part.flags.c_contiguous for part in (X, *y))


def table_of(X: Any) -> Any:
    check_indices(X)
    return X.tocsr() if hasattr(X, "tocsr") else np.asarray(X)


def explained(error: ValueError) -> ValueError:
    """The error, with a remedy where scikit-learn's message has none."""
    remedy = next((text for sign, text in REMEDIES.items() if sign in str(error)), None)
    return error if remedy is None else ValueError(f"{str(error).rstrip('.')}. {remedy}")


def too_large(name: str) -> ValueError:
    return ValueError(f"{name} holds a whole number beyond the largest float, 1.8e308; divide all by their size.")


def floats(name: str, values: Any, dtype: Any, remedy: str) -> NDArray[Any]:
    """A copy of the values as floats; what is too large for them becomes infinity."""
    try:
        with np.errstate(over="ignore"):
            return np.array(values, dtype)
    except OverflowError as error:
        raise too_large(name) from error
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} holds what is no number ({error}); {remedy}.") from error


def finite_floats(name: str, values: Any, dtype: Any, remedy: str, *shapes: tuple[int, ...]) -> NDArray[Any]:
    """A copy of the values as finite floats, of one of the shapes."""
    array = floats(name, values, dtype, remedy)
    if array.shape not in shapes:
        raise ValueError(f"{name} has shape {array.shape}; {remedy}.")
    if not all_finite(array):
        raise ValueError(f"{name} holds NaN or infinity; {remedy}.")
    return array


def all_finite(values: NDArray[Any]) -> bool:
    """Whether no entry is NaN or infinite: of many one pass and no copy, for a sum of finite ones can only overflow."""
    if values.size <= FEW:
        return bool(np.isfinite(values).all())
    with np.errstate(all="ignore"):
        return bool(np.isfinite(values.sum()) or np.all(np.isfinite(values)))


def check_indices(X: Any) -> None:
    """Refuse a sparse matrix whose indices lie outside it; one pass over them."""
    if not hasattr(X, "tocsr") or X.ndim != 2:  # scikit-learn says what to do with a vector
        return
    if X.format in ("csr", "csc", "bsr"):
        size, width = X.shape if X.format != "csc" else X.shape[::-1]
        if X.format == "bsr":
            size, width = size // X.blocksize[0], width // X.blocksize[1]
        fault = _fault(X.indptr, X.indices, len(X.data), size, width)
    else:
        table = X.tocoo()
        sound = all(_within(part, size) for part, size in zip(table.coords, X.shape, strict=True))
        fault = None if sound else f"coordinates outside a matrix of shape {X.shape}"
    if fault is not None:
        raise ValueError(f"X is a sparse matrix in {X.format.upper()} form with {fault}; build it anew.")


def _fault(indptr: Any, indices: Any, stored: int, size: int, width: int) -> str | None:
    """What is wrong with the arrays of a compressed matrix of ``size`` rows that are ``width`` long."""
    if any(part.ndim != 1 or part.dtype.kind not in "iu" for part in (indptr, indices)):
        return "indptr or indices that are no vectors of whole numbers"
    if indptr.size != size + 1:
        return f"an indptr of {indptr.size} entries where {size + 1} are needed"
    if indices.size != stored:
        return f"{indices.size} indices for {stored} values"
    if indptr[0] != 0 or indptr[-1] > stored or not np.all(indptr[:-1] <= indptr[1:]):
        return f"an indptr that does not rise from 0 to {stored}, the number of values"
    if not _within(indices[: indptr[-1]], width):
        return f"indices outside 0..{width - 1}"
    return None


def _within(indices: NDArray[Any], size: int) -> bool:
    """Whether all indices are in range(size); as an unsigned number, a negative one is huge."""
    return not indices.size or int(indices.view(f"u{indices.itemsize}").max()) < size
