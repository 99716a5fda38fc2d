"""``fit`` and ``separability`` on a cluster: the data stay with the workers, and an ordinary model comes back."""

from __future__ import annotations

from typing import Any, TypeVar

from distributed import Client, default_client

from .._engine.driver import interrupt_raises, watching
from .._guards.parameters import refused
from ..base.streams import fit_followed
from ..separation.on_blocks import StreamedSeparability
from ..separation.verdict import of_blocks
from .blocks import DaskBlocks
from .chunks import chunks_of
from .procedures import procedure
from .warm import warmed

M = TypeVar("M")


def fit(
    model: M,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    client: Client | None = None,
    checkpoint: Any = None,
    every: float = 60.0,
    progress: bool | None = None,
) -> M:
    """Fit a model to data that lie on the workers of a dask cluster.

    Only messages of the size of the weights, or of their products, travel: each round sends the weights to the
    workers, and what they answer is added by a tree on the workers.

    Parameters
    ----------
    model : estimator
        One that is fitted by sums, which gives what ``fit`` gives in memory: least squares, Fisher, ridge, one pass of
        `RecursiveLeastSquares`, logistic regression, the machine of squared slack, `HoKashyap`, and the rules with
        ``batch=True``. Without that a `Perceptron` or `Relaxation`, by iterative parameter mixing; or a
        `SupportVectorMachine` with the hinge, by CoCoA⁺.
    X : dask array or data frame of shape (n, d)
        Patterns, in chunks of rows of any size, known or not, dense or of CSR matrices.
    y : dask array, series or array of shape (n,)
        Labels, or targets of a regressor, in chunks like those of X.
    sample_weight : dask array, series or array of shape (n,), default=None
        Weights.
    client : distributed.Client, default=None
        The cluster; None is the client that was made last.
    checkpoint : path, default=None
        A file to write the rounds so far into, from which the same call goes on, also on another cluster, after the
        scheduler or this process was lost. It is removed when the fit has ended.
    every : float, default=60.0
        Seconds between two writings of it.
    progress : bool, default=None
        Whether to show the rounds on stderr; None does so in a terminal.

    Returns
    -------
    estimator
        The model, fitted, with all attributes but those with an entry for each row.

    Raises
    ------
    ConnectionError
        The scheduler does not answer, or a chunk was lost with its worker and cannot be computed again.
    ValueError
        A chunk, which is named, holds what is not finite, or the model has no form for blocks of rows.

    References
    ----------
    R. McDonald, K. Hall, G. Mann, *Distributed Training Strategies for the Structured Perceptron*, 2010.  C. Ma and
    others, *Adding vs. Averaging in Distributed Primal-Dual Optimization*, 2015.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from discriminant import LeastSquares, datasets, distributed
    >>> X, y = datasets.table(3, 2)
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     model = distributed.fit(LeastSquares(), da.from_array(X, chunks=(5, -1)), y)
    >>> model.score(X, y) == LeastSquares().fit(X, y).score(X, y)
    True
    """
    check = getattr(model, "_check_parameters", None)
    if check is None or isinstance(model, type):
        raise refused("model", model, "an estimator of this package", "give one, such as LogisticDiscriminant()")
    check()
    procedure(model)
    blocks = DaskBlocks(connected(client), chunks_of(X, y, sample_weight))
    fit_blocks(model, blocks, checkpoint, every, progress)
    return model


def fit_blocks(
    model: Any, blocks: DaskBlocks, checkpoint: Any = None, every: float = 60.0, progress: bool | None = None
) -> None:
    """Fit a model to blocks that are on the workers, once all of these have compiled what it needs."""
    fits = procedure(model)
    warmed(blocks, model)
    fit_followed(model, blocks, fits, checkpoint, every, progress)


def separability(
    X: Any,
    y: Any,
    *,
    intercept: bool = True,
    reading: str = "decimal",
    progress: bool | None = None,
    max_seconds: float | None = None,
    client: Client | None = None,
) -> StreamedSeparability:
    """Tell whether classes are linearly separable whose rows lie on a dask cluster, and prove it.

    In each round the workers return the rows that contradict the answer so far most, and the exact problem of these few
    is solved here; the proof is then checked by every worker on its own rows.

    Parameters
    ----------
    X : dask array or data frame of shape (n, d)
        Patterns, as they are given.
    y : dask array, series or array of shape (n,)
        Labels.
    intercept : bool, default=True
        Whether planes may miss the origin.
    reading : {"decimal", "float"}, default="decimal"
        Whether a number means the shortest decimal that rounds to it, or the binary fraction that the machine holds.
    progress : bool, default=None
        Whether to show a bar on standard error; None for a terminal only.
    max_seconds : float, default=None
        Seconds that the verdict may take; None waits for it.
    client : distributed.Client, default=None
        The cluster; None is the client that was made last.

    Returns
    -------
    StreamedSeparability
        Verdict, proof and plane, as for a stream; the places of rows are those among all rows.

    Raises
    ------
    ConnectionError
        The scheduler does not answer, or a chunk was lost with its worker and cannot be computed again.

    See Also
    --------
    discriminant.separability : The same in memory.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from discriminant import datasets, distributed
    >>> X, y = datasets.xor()
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     found = distributed.separability(da.from_array(X, chunks=(2, -1)), y)
    >>> found.verdict, found.certificate.verify(X, y)
    ('overlap', True)
    """
    blocks = DaskBlocks(connected(client), chunks_of(X, y))
    with interrupt_raises(), watching() as blocks.watch:
        return of_blocks(blocks, intercept, reading, "classes", progress, max_seconds)


def connected(client: Client | None) -> Client:
    """The client that was given or made last."""
    if client is None:
        try:
            client = default_client()
        except ValueError:
            raise refused("client", None, "a client where none was made before", "give distributed.Client(…)") from None
    if not isinstance(client, Client):
        raise refused("client", client, "a client", "give distributed.Client(…)")
    if client.status not in ("running", "connecting"):
        raise ConnectionError(f"the client is {client.status}; make another, distributed.Client(…).")
    if client.asynchronous:
        raise refused("client", client, "a client that waits", "make it with asynchronous=False")
    return client
