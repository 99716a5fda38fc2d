"""One HTML file that replays a run without any server: the explorer's own page, with the recording inside.

Tests: ``tests/plot/test_replay.py``.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from .._engine.files import write_whole
from ..exceptions import UndecidedError
from .recording import Recording, record
from .verdicts import verdict_of

SECONDS = 20.0  # that the verdict may take
STATIC = Path(__file__).parents[1] / "explorer" / "static"
IMPORT = re.compile(r'(\bfrom|\bimport) "\./([\w.-]+)"')
STYLE = '<link rel="stylesheet" href="static/style.css">'
SCRIPT = '<script type="module" src="static/main.js"></script>'
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)


def replay(
    model: Any, X: Any, y: Any, path: str | os.PathLike[str], *, feature_names: Sequence[str] | None = None
) -> Path:
    """Write one HTML file that replays how a procedure learns, step by step, forward and backward.

    The file needs no server and no network: it can be opened from a disk, sent by mail or put on the page of a lecture.
    It shows what ``discriminant explore`` shows of a run, and holds the Python that makes the run again.

    Parameters
    ----------
    model : classifier of this package
        The procedure with its parameters. A copy of it is fitted, with seed 0 where it has none of its own.
    X : array, CSR matrix or data frame of shape (n, 1) or (n, 2)
        Patterns of one or two features.
    y : array of shape (n,)
        Labels of two to six classes.
    path : str or path
        Where to write.
    feature_names : list of str, default=None
        Names of the columns; by default those of a frame.

    Returns
    -------
    Path
        Where the file is.

    References
    ----------
    Duda, Hart, Stork, *Pattern Classification*, ch. 5, Fig. 5.12.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from discriminant import Perceptron, datasets, plot
    >>> with TemporaryDirectory() as folder:
    ...     page = plot.replay(Perceptron(), *datasets.or_function(), Path(folder, "or.html"))
    ...     page.read_text(encoding="utf-8").count("<html")
    1
    """
    write_whole(path, page_with_verdict([record(model, X, y, features=feature_names)], SECONDS))
    return Path(path)


def page_with_verdict(recordings: Sequence[Recording], seconds: float) -> str:
    """The page with the verdict on the points of its runs, if that takes no longer than so many seconds."""
    head = recordings[0]["head"]
    try:
        verdict = verdict_of(head["points"], head["one_feature"], seconds)
    except UndecidedError:
        verdict = None
    return page(recordings, verdict)


def page(recordings: Sequence[Recording], verdict: Mapping[str, Any] | None = None) -> str:
    """The page of the explorer with these recordings and the verdict in it, and all its modules and its style."""
    modules = {path.name: path.read_text(encoding="utf-8") for path in sorted(STATIC.glob("*.js"))}
    sources = {name: _data_url(IMPORT.sub(r'\1 "\2"', text)) for name, text in modules.items()}
    held = {"recordings": list(recordings), "verdict": verdict}
    data = json.dumps(held, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    head = [
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">',
        f"<style>\n{(STATIC / 'style.css').read_text(encoding='utf-8')}</style>",
        f'<script type="application/json" id="recording">{data}</script>',
        f'<script type="importmap">{json.dumps({"imports": sources})}</script>',
        '<script type="module">import "main.js";</script>',
    ]
    html = (STATIC / "index.html").read_text(encoding="utf-8")
    for mark in (STYLE, SCRIPT):
        if html.count(mark) != 1:
            raise ValueError(f"static/index.html must hold {mark} once; put it back.")
    return html.replace(STYLE, "").replace(SCRIPT, "\n".join(head))


def _data_url(text: str) -> str:
    """A module as an address that holds it: imports in a file of one's own have no server to ask."""
    return f"data:text/javascript;base64,{base64.b64encode(text.encode()).decode()}"
