"""A run as a moving picture: the regions after each correction."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from .._engine.extras import needed
from .._engine.files import write_whole
from .._engine.progress import TerminalBar
from .._guards.parameters import Number, refused
from ..base.course import course_of
from ._maps import model_at
from ._style import dense, labels, names_of, table, thinned
from .decision_regions import regions
from .recording import rerun
from .replays import replay

FRAMES = 59  # of a GIF, beside the answer; of more corrections, these, more of them at the beginning
MOST_POINTS = 1_000  # patterns in each of them; of more, every second, third, …
SECONDS = Number("give the seconds that the picture runs", 0)


def animate(
    model: Any,
    X: Any,
    y: Any,
    path: str | os.PathLike[str],
    *,
    seconds: float = 8.0,
    feature_names: Sequence[str] | None = None,
) -> Path:
    """Write a moving picture of how a procedure learns: a GIF, or a page that can be stopped and turned back.

    A GIF shows the regions after each correction, or pass of a network, and repeats itself. A page is that of `replay`.

    Parameters
    ----------
    model : classifier of this package
        The procedure with its parameters. A copy of it is fitted, with seed 0 where it has none of its own.
    X : array, CSR matrix or data frame of shape (n, 1) or (n, 2)
        Patterns of one or two features.
    y : array of shape (n,)
        Their labels.
    path : str or path
        Where to write: a name that ends in .gif or .html.
    seconds : float, default=8.0
        How long the GIF runs; its last picture stays as long as a quarter of them.
    feature_names : list of str, default=None
        Names of the columns; by default those of a frame.

    Returns
    -------
    Path
        Where the file is. A GIF has at most 60 pictures, of at most 1,000 of the patterns.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, Fig. 5.13.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from discriminant import Perceptron, datasets, plot
    >>> with TemporaryDirectory() as folder:
    ...     picture = plot.animate(Perceptron(), *datasets.perceptron_example(), Path(folder, "run.gif"))
    ...     picture.read_bytes()[:6]
    b'GIF89a'
    """
    SECONDS("seconds", seconds)
    suffix = Path(path).suffix.lower()
    if suffix in (".html", ".htm"):
        return replay(model, X, y, path, feature_names=feature_names)
    if suffix != ".gif":
        raise refused("path", str(path), "a name that ends in .gif or .html", "choose one of these")
    names = names_of(X, model, feature_names)
    X = np.ascontiguousarray(dense(table(X)))
    if X.shape[1] > 2:
        raise refused("X.shape", X.shape, "(n, 1) or (n, 2)", "choose one or two features: X[:, [0, 1]]")
    y = labels(y, len(X))
    states, shown = _states(model, X, y), thinned(len(X), MOST_POINTS)
    images = []
    with TerminalBar("animate", None) as bar:
        for image in _images(states, X[shown], y[shown], names):
            images.append(image)
            bar(f"picture {len(images)} of {len(states)}", len(images) / len(states))
    pause = [round(1000 * seconds / len(images))] * (len(images) - 1) + [round(250 * seconds)]
    room = BytesIO()
    images[0].save(room, "GIF", save_all=True, append_images=images[1:], duration=pause, loop=0)
    write_whole(path, room.getvalue())
    return Path(path)


def _states(model: Any, X: Any, y: Any) -> list[tuple[str, Any]]:
    """The model after some of its corrections, each with its name."""
    fitted, snapshots = rerun(model, X, y)
    course = course_of(fitted, X)
    if course is not None:
        last = len(course.kept) - 1
        spread = np.round(last * np.linspace(0, 1, FRAMES) ** 1.5).astype(int)
        steps = course.kept[np.unique(spread) if last >= FRAMES else np.arange(last + 1)]
        states = [(f"correction {course.numbers[k]:,}", model_at(fitted, course.weights[k])) for k in steps]
    else:
        states = [(f"pass {epoch:,}", seen) for epoch, seen in sorted(snapshots.models.items())][-FRAMES:]
    return [*states, (f"the answer: {fitted.status_.name.lower().replace('_', ' ')}", fitted)]


def _images(states: list[tuple[str, Any]], X: Any, y: Any, names: list[str]) -> Iterator[Any]:
    """Each state as a picture of the same size."""
    figure = needed("matplotlib.figure", "plot").Figure((5.6, 4.8), layout="constrained", dpi=90)
    canvas = needed("matplotlib.backends.backend_agg", "plot").FigureCanvasAgg(figure)
    ax = figure.add_subplot()
    for name, model in states:
        ax.clear()
        regions(model, X, y, ax=ax, feature_names=names)
        ax.set_title(name, fontsize="medium")
        canvas.draw()
        figure.set_layout_engine("none")  # the first picture says where the axes stand
        yield needed("PIL.Image", "plot").fromarray(np.asarray(canvas.buffer_rgba())[..., :3].copy())
