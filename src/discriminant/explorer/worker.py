"""A process that runs procedures and proves verdicts for the server: a line in, lines out, an empty line at the end.

A job is one line of JSON, {"job": …}. Each answer is a line that the server hands on as it is. Standard input is read
by a thread, so that the process ends with the server even in the midst of a run; its memory is bounded.

Tests: ``tests/explorer/test_worker.py``.
"""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, SimpleQueue

import numpy as np

from .. import __version__
from ..comparison.methods import full_name
from ..plot.verdicts import arrays_of, check_classes, verdict_of
from . import catalog, generators, tables
from .lessons import lessons
from .messages import MOST_CLASSES, MOST_POINTS, UNEXPECTED, VERSION, Json

CHUNK = 500  # steps of a message
MEMORY = 2 * 2**30  # bytes that a job may take beyond what the process has when it starts
PAUSE = 0.2  # seconds without a job after which a new process makes itself ready for the next


def welcome(job: Json) -> Iterator[Json]:
    """What a page can choose from."""
    yield {
        "type": "welcome",
        "version": __version__,
        "procedures": catalog.procedures(),
        "datasets": catalog.listed(),
        "generators": generators.listed(),
        "lessons": lessons(),
        "limits": {"points": MOST_POINTS, "classes": MOST_CLASSES, "seconds": job["seconds"], "features": 2},
        "start": job["start"],
    }


def run(job: Json) -> Iterator[Json]:
    """A procedure on the points: the head of the recording, then its steps."""
    X, y = arrays_of(job["points"], job["one_feature"])
    check_classes(y, job["points"]["classes"])
    model = catalog.estimator(job["procedure"], job["parameters"], job["seed"])
    from ..plot.recording import record

    known = next(each for each in catalog.procedures() if each["name"] == full_name(job["procedure"]))
    about = {"procedure": known["name"], "title": known["title"], "parameters": job["parameters"], "seed": job["seed"]}
    found = record(
        model, X, y, classes=job["points"]["classes"], features=job["points"]["features"][: X.shape[1]],
        about=about | {"points": job["points"]},
    )  # fmt: skip
    yield {"type": "recording", "slot": job["slot"], "head": found["head"]}
    steps = found["steps"]
    for start in range(0, len(steps), CHUNK):
        part = {"type": "frames", "slot": job["slot"], "from": start, "steps": steps[start : start + CHUNK]}
        yield part | ({"last": True} if start + CHUNK >= len(steps) else {})


def verdict(job: Json) -> Iterator[Json]:
    """Whether the points are separable."""
    begin = time.perf_counter()
    found = verdict_of(job["points"], job["one_feature"], job["seconds"])
    yield {"type": "verdict", "verdict": found | {"seconds": time.perf_counter() - begin}}


def dataset(job: Json) -> Iterator[Json]:
    """The points of a data set."""
    points, title = catalog.data_set(job["name"])
    yield {"type": "data", "points": points, "title": title}


def generate(job: Json) -> Iterator[Json]:
    """Points of a generator."""
    X, y, title = generators.drawn(job["name"], job["parameters"])
    names = [catalog.omega(k + 1) for k in range(len(np.unique(y)))]
    yield {"type": "data", "points": catalog.points_of(X, y, ["x1", "x2"], names), "title": title}


def table(job: Json) -> Iterator[Json]:
    """The columns of an uploaded file."""
    yield {"type": "table"} | tables.columns(base64.b64decode(job["content"]), job["name"])


def page(job: Json) -> Iterator[Json]:
    """Recordings as a page of their own, with the verdict on their points."""
    from ..plot.replays import page_with_verdict

    yield {"type": "page", "html": page_with_verdict(job["recordings"], job["seconds"])}


JOBS: dict[str, Callable[[Json], Iterator[Json]]] = {
    each.__name__: each for each in (welcome, run, verdict, dataset, generate, table, page)
}


def answers(line: str) -> Iterator[str]:
    """The answers to a job, each one line of JSON; what goes wrong is the last of them, in a sentence."""
    job = json.loads(line)
    told = {"v": VERSION, "id": job.get("id")}
    try:
        for answer in JOBS[job["job"]](job):
            yield json.dumps(told | answer, allow_nan=False, separators=(",", ":"))
    except Exception as error:
        failed = {"type": "error", "slot": job.get("slot"), "message": sentence(error), "parameter": None}
        named = re.match(r"(\w+)=", str(error)) if job["job"] == "run" else None
        failed["parameter"] = named[1] if named else None
        yield json.dumps(told | failed)


def sentence(error: Exception) -> str:
    """What went wrong, for the person at the page."""
    if isinstance(error, MemoryError):
        return "The run needs more memory than it may take; take fewer points or a smaller model."
    text = " ".join(str(error).split())
    if isinstance(error, ValueError | ImportError | TimeoutError) and text:
        return text[0].upper() + text[1:] if " " in text.partition("=")[0] else text
    return f"Unexpected {type(error).__name__}: {text}. {UNEXPECTED}"


def main() -> None:
    """Serve until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends its workers
    out, sys.stdout = sys.stdout, sys.stderr  # a fit may print
    lines: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_read, args=(lines,), daemon=True).start()
    _bound_memory()
    print(file=out, flush=True)  # ready
    cold = True
    while True:
        try:
            line = lines.get(timeout=PAUSE if cold else None)
        except Empty:
            _warm()
            cold = False
            continue
        for answer in answers(line):
            print(answer, file=out)
        print(file=out, flush=True)


def _read(lines: SimpleQueue[str]) -> None:
    for line in sys.stdin:
        lines.put(line)
    os._exit(0)  # the server is gone, and nobody waits for an answer


def _warm() -> None:
    """Import what runs need, and load the machine code of a verdict and of a first run."""
    points = {"x": [[0.0, 0.0], [1.0, 1.0]], "y": [0, 1], "classes": ["a", "b"], "features": ["x1", "x2"]}
    job = {"points": points, "one_feature": False, "seconds": 1.0, "slot": 0, "seed": 0, "parameters": {}}
    for each in (verdict(job), run(job | {"procedure": "perceptron"})):
        for _ in each:
            continue


def _bound_memory() -> None:
    """No job may take the memory of the machine, where the system can tell a process so."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError):  # not on Windows, nor on macOS
        return
    limit = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
