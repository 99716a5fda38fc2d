"""``warm_up``: every compiled pass in every form, in as many processes as there are cores."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .._engine.machine_code import REMEDY, config, kept_in, state
from .._engine.progress import TerminalBar
from .._guards.parameters import refused
from .fits import FORMS, SIZES, names

WORKER = "import sys; sys.path[:] = {path!r}; from discriminant.warming.worker import main; main()"
PAUSE = 0.05  # seconds between two looks at the workers

Task = tuple[str, str, str]  # the name of a procedure or function, and the form and the size of its tables


@dataclass(frozen=True)
class WarmUp:
    """What a warm-up did.

    Parameters
    ----------
    compiled : int
        Passes that were compiled; one for each form of the data counts as one.
    seconds : float
        How long it took.
    folder : Path
        Where the machine code is kept.
    """

    compiled: int
    seconds: float
    folder: Path

    def __str__(self) -> str:
        if not self.compiled:
            return f"Nothing to compile: all passes are kept in {self.folder}"
        return f"{self.compiled} passes compiled in {self.seconds:.0f} s, kept in {self.folder}"


def warm_up(
    methods: Iterable[str] | None = None,
    *,
    forms: Iterable[str] | None = None,
    sizes: Iterable[str] | None = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> WarmUp:
    """Compile every pass for this machine now, so that no fit has to wait for it later.

    Machine code is made when a procedure first meets a form of data (dense or CSR, float32 or float64), and kept for
    later processes. This makes all of it, by tiny fits in as many processes as there are cores; what is there already
    is not made again. Ctrl-C ends it; what has been compiled until then is kept.

    Parameters
    ----------
    methods : iterable of str, default=None
        The names of the estimators, or ``separability``, ``integer_search`` and ``minimum_removals``; None for all.
    forms : iterable of {"dense64", "dense32", "csr64", "csr32"}, default=None
        The forms of the data, by container and bits of a number; None for all.
    sizes : iterable of {"large", "small"}, default=None
        The sizes of the tables. What only hundreds of rows or columns, or a dozen classes, lead to takes half of
        the time; None for both.
    n_jobs : int, default=None
        The number of processes; None for one on each core.
    progress : bool, default=None
        Whether to show a bar on standard error; None for a terminal only.

    Returns
    -------
    WarmUp
        How many passes were compiled, in how many seconds, and where they are kept; ``str`` says it in a sentence.

    Raises
    ------
    OSError
        No folder for machine code can be written.

    See Also
    --------
    separability, compare

    Examples
    --------
    >>> from discriminant import warm_up
    >>> warm_up(["LeastSquares"], forms=["dense64"], n_jobs=1).compiled
    0
    """
    begin, folder = time.monotonic(), kept_in()
    if folder is None:
        raise OSError(f"no folder for machine code can be written; {REMEDY}.")
    chosen = _chosen("methods", methods, names())
    wanted = _chosen("forms", forms, FORMS)
    tables = _chosen("sizes", sizes, SIZES)
    everything = methods is None and forms is None and sizes is None
    stamp = folder / f"warm-{state()}"
    if everything and stamp.exists() and int(stamp.read_text() or 0) <= _count(folder):
        return WarmUp(0, time.monotonic() - begin, folder)
    before = _count(folder)
    tasks = [(name, form, size) for form in wanted for size in tables for name in names(size) if name in chosen]
    _do(tasks, n_jobs or _cores(), progress)
    after = _count(folder)
    if everything:
        for old in folder.glob("warm-*"):
            old.unlink(missing_ok=True)
        stamp.write_text(str(after))
    return WarmUp(max(after - before, 0), time.monotonic() - begin, folder)


def _chosen(parameter: str, given: Iterable[str] | None, known: Sequence[str]) -> list[str]:
    chosen = [*known] if given is None else [*given]
    for name in chosen:
        if name not in known:
            raise refused(parameter, name, "names of what can be compiled", f"give some of {', '.join(known)}")
    return chosen


def _count(folder: Path) -> int:
    return sum(1 for _ in folder.rglob("*.nbc"))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _do(tasks: list[Task], n_jobs: int, progress: bool | None) -> None:
    """Hand the tasks to workers; whatever ends this, they end too."""
    queue, done, failures = _Queue(tasks), list[Task](), list[str]()
    workers = [_started() for _ in range(min(n_jobs, len(tasks)))]
    threads = [
        threading.Thread(target=_served, args=(worker, queue, done, failures, k), daemon=True)
        for k, worker in enumerate(workers)
    ]
    try:
        with TerminalBar("compiling for this machine, once", progress) as bar:
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads):
                bar(f"{done[-1][0]}" if done else "starting", len(done) / len(tasks))
                time.sleep(PAUSE)
    finally:
        for worker in workers:
            worker.kill()
        for thread in threads:
            if thread.is_alive():  # it sees the end of its worker at once
                thread.join()
        for worker in workers:
            with suppress(OSError), worker:  # closes the pipes; what it was asked last may not have reached it
                worker.wait()
    if failures:
        raise RuntimeError(f"the warm-up failed at {'; '.join(failures)}")


class _Queue:
    """The tasks that are left. Each form has its own passes: workers begin with different ones, to make none twice."""

    def __init__(self, tasks: list[Task]) -> None:
        self.lock = threading.Lock()
        self.left = {form: [task for task in tasks if task[1] == form] for form in FORMS}

    def take(self, worker: int) -> Task | None:
        with self.lock:
            own = self.left[FORMS[worker % len(FORMS)]]
            tasks = own or max(self.left.values(), key=len)
            return tasks.pop(0 if tasks is own else -1) if tasks else None


def _started() -> subprocess.Popen[str]:
    env = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    env |= {"NUMBA_CACHE_DIR": config.CACHE_DIR} if config.CACHE_DIR else {}
    command, pipe = [sys.executable, "-c", WORKER.format(path=sys.path)], subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, env=env)


def _served(worker: subprocess.Popen[str], queue: _Queue, done: list[Task], failures: list[str], k: int) -> None:
    assert worker.stdin is not None
    assert worker.stdout is not None
    while (task := queue.take(k)) is not None:
        try:
            worker.stdin.write(" ".join(task) + "\n")
            worker.stdin.flush()
            answer = worker.stdout.readline()
        except OSError:
            answer = ""
        if answer != "\n":
            failures.append(answer.strip() or f"{task[0]} ({task[1]}): its process has ended")
        if not answer:
            return
        done.append(task)
