"""Ctrl-C at random moments of every estimator, function and command: how soon each answers, and with what.

Each trial is a child process of its own that has imported and compiled everything. It may answer with a model that can
predict and a ``FitInterruptedWarning``, or with ``KeyboardInterrupt`` and a model as it was; a command with exit code
130 and one sentence. ``make interrupts TRIALS=200`` prints every trial; the exit code is 1 if one is wrong or slow.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from select import select
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from sklearn.base import clone

import discriminant as D

PATIENCE = 60.0  # seconds after which nobody waits for an answer any more

Table = tuple[Any, Any]


def left_out(X: Any, y: Any) -> Any:
    """The leave-one-out error of a machine whose own fit is not to be interrupted."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    model = D.SupportVectorMachine().fit(X, y)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    return D.leave_one_out(model, X, y)


SIZES = {  # rows, columns, classes: as large as the procedures that are tried on it can use
    "large": (200_000, 100, 2),
    "machines": (50_000, 50, 10),
    "kernel": (10_000, 20, 2),
    "classes": (5_000, 20, 20),
    "small": (2_000, 10, 2),
}
BY_THEMSELVES = [f"{kind}()" for kinds in D._PROCEDURES.values() for kind in kinds]
ESTIMATORS = {
    "large": " ".join(BY_THEMSELVES)
    + """
        GradientDescent(tol=0) HoKashyap(variant='descent',eta='optimal') LogisticDiscriminant(penalty='firth')
        LogisticDiscriminant(loss='squared') NewtonDescent(criterion='logistic') Perceptron(batch=True)
        Perceptron(pocket=True) Relaxation(batch=True) SupportVectorMachine(loss='squared_hinge')
        SupportVectorMachine(probability=True) WidrowHoff(batch=True) PolynomialMap()""",
    "machines": "Perceptron() LogisticDiscriminant() SupportVectorMachine() LinearProgram()",
    "kernel": """
        Adatron('gaussian') KernelPerceptron('gaussian') MinOver('gaussian') RidgeRegressor(kernel='gaussian')
        SupportVectorMachine(kernel='gaussian') SupportVectorMachine(kernel='gaussian',loss='squared_hinge')
        SupportVectorMachine(kernel='gaussian',probability=True)
        WidrowHoffRegressor(dual=True)""",
}
FUNCTIONS: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "separability": ("large", lambda X, y: D.separability(X, y, progress=False)),
    "separability of 20 classes": ("classes", lambda X, y: D.separability(X, y, progress=False).certificate),
    "minimum_removals": ("small", D.minimum_removals),
    "svm_path": ("large", lambda X, y: D.svm_path(X, y, [0.01, 0.1, 1.0])),
    "leave_one_out": ("small", left_out),
    "integer_search": ("small", lambda X, y: D.integer_search(X[:, :7], y, 4)),
}
DISCRIMINANT = (sys.executable, "-m", "discriminant")
COMMANDS = {
    "check": "check large.parquet -t y",
    "check of 20 classes": "check classes.parquet -t y",
    "fit perceptron": "fit large.parquet -t y -o model.json",
    "fit svm": "fit large.parquet -t y -m svm -o model.json",
    "fit of a csv": "fit machines.csv -t y -m logistic -o model.json",
    "compare": "compare small.parquet -t y",
    "plot": "plot large.parquet -t y -m perceptron -o picture.png",
    "predict": "predict known.json machines.csv -o predicted.csv",
}


class Trial(NamedTuple):
    """One Ctrl-C: whom it met, when, how long the answer took, and what it was."""

    name: str
    delay: float
    seconds: float
    outcome: str


STOPPED, ANSWERED, RAISED = "a usable model", "an answer", "KeyboardInterrupt"
ENDED, EXIT = "had ended before", "exit code 130"
GOOD = (STOPPED, ANSWERED, RAISED, ENDED, EXIT)


def table(name: str, share: float) -> Table:
    """Classes that overlap a little, so that no procedure has an early end."""
    n, d, c = SIZES[name]
    rng = np.random.default_rng(0)
    n = max(int(n * share), 3 * c)
    X = rng.normal(size=(n, d))
    y = (X @ rng.normal(size=(d, c)) + 0.5 * rng.normal(size=(n, c))).argmax(axis=1)
    y[:c] = range(c)
    return X, y


def jobs() -> dict[str, tuple[str, Callable[[Any, Any], Any]]]:
    """Everything that is called in Python, by its name: the table and the call."""
    found = dict(FUNCTIONS)
    for size, texts in ESTIMATORS.items():
        for text in texts.split():
            model = eval(text, {name: getattr(D, name) for name in D.__all__})
            found[text if text not in found else f"{text} of {SIZES[size][2]} classes"] = size, model.fit
    return found


def answer(call: Callable[[Any, Any], Any], X: Any, y: Any, pipe: int) -> None:
    """Run a call in a child process, and tell on the pipe when it began, when it ended and how."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    model = getattr(call, "__self__", None)
    os.write(pipe, b"go\n")
    try:
        with warnings.catch_warnings(record=True, action="always") as caught:
            result = call(X, y)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        ended = time.monotonic()
        heard = any(issubclass(warning.category, D.FitInterruptedWarning) for warning in caught)
        known = hasattr(result, "status_") or isinstance(result, list)
        outcome = usable(result, X) if heard else "unheard: it went on to the end" if known else ANSWERED
    except KeyboardInterrupt:
        ended = time.monotonic()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        parts = [name for name in vars(model or object) if name.endswith("_") and not name.startswith("_")]
        outcome = f"KeyboardInterrupt, but the model keeps {', '.join(parts)}" if parts else RAISED
    except Exception as error:
        ended = time.monotonic()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        last = traceback.extract_tb(error.__traceback__)[-1]
        outcome = f"{type(error).__name__}: {error} ({Path(last.filename).name}:{last.lineno})"
    os.write(pipe, json.dumps([ended, outcome]).encode() + b"\n")


def usable(result: Any, X: Any) -> str:
    """Whether what an interrupted call has returned can be used."""
    for model in result if isinstance(result, list) else [result]:
        if not hasattr(model, "predict"):
            return "an answer that rests on unfinished fits"
        try:
            model.predict(X[:5])
            str(model.report_)
        except Exception as error:
            return f"a model that cannot predict: {type(error).__name__}: {error}"
    return STOPPED


def forked(call: Callable[[Any, Any], Any], X: Any, y: Any, wait: float, delay: float | None) -> tuple[float, str]:
    """The seconds from Ctrl-C after ``delay`` to the answer, and the answer; without a delay those of the whole run."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            answer(call, X, y, writer)
        finally:
            os._exit(0)
    os.close(writer)
    try:
        with os.fdopen(reader) as lines:
            lines.readline()
            pressed = time.monotonic()
            if delay is not None:
                time.sleep(delay)
                pressed = time.monotonic()
                os.kill(child, signal.SIGINT)
            if not select([lines], [], [], wait)[0]:
                return wait, "no answer"
            told = lines.readline()
            if not told:
                return 0.0, "the process died"
            ended, outcome = json.loads(told)
            return (0.0, ENDED) if delay is not None and ended < pressed else (ended - pressed, outcome)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def commanded(command: str, folder: Path, wait: float, delay: float | None) -> tuple[float, str]:
    """The same of a command."""
    started = time.monotonic()
    process = subprocess.Popen(
        [*DISCRIMINANT, *command.split()],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        start_new_session=True,  # a terminal presses Ctrl-C for the processes of a comparison too
    )  # fmt: skip
    try:
        if delay is None:
            process.communicate(timeout=wait)
            return time.monotonic() - started, ENDED
        time.sleep(delay)
        if process.poll() is not None:
            return 0.0, ENDED
        pressed = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        said = process.communicate(timeout=wait)[1]
        seconds = time.monotonic() - pressed
        if process.returncode == -signal.SIGINT and "Traceback" not in said:
            return 0.0, ENDED  # Python was on its way out
        if process.returncode != 130 or "Traceback" in said or not said.rstrip().endswith("Interrupted."):
            return seconds, f"exit code {process.returncode}, {' '.join(said.split())[-150:]!r}"
        return seconds, EXIT
    except subprocess.TimeoutExpired:
        return wait, "no answer"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def prepare(folder: Path, command: str, share: float) -> None:
    """Write the files that a command reads."""
    for name in command.split():
        path, size = folder / name, name.split(".")[0]
        if size in SIZES and not path.exists():
            X, y = table(size, share)
            frame = pl.DataFrame(np.round(X, 3), [f"x{j}" for j in range(X.shape[1])]).with_columns(y=pl.Series(y))
            frame.write_csv(path) if path.suffix == ".csv" else frame.write_parquet(path)
        if name == "known.json":
            prepare(folder, "machines.csv", share)
            learn = "fit machines.csv -t y -m least-squares -q -o known.json"
            subprocess.run([*DISCRIMINANT, *learn.split()], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def trials(asked: list[str], count: int, share: float, longest: float, seed: int) -> Iterator[Trial]:
    """``count`` trials of each that was asked for, at random moments of the first ``longest`` seconds of its run."""
    rng, known = random.Random(seed), jobs()
    with tempfile.TemporaryDirectory() as name:
        for who in asked:
            if who in known:
                size, call = known[who]
                warm(call, *table(size, 0.01))
                run = partial(forked, call, *table(size, share))
                low = 0.0
            else:
                prepare(Path(name), COMMANDS[who], share)
                run = partial(commanded, COMMANDS[who], Path(name))
                low = commanded("methods", Path(name), PATIENCE, None)[0]  # the start of Python: its Ctrl-C is not ours
            run(low + longest, None)  # compiles what only large data need
            whole = run(low + longest, None)[0]
            for _ in range(count):
                delay = rng.uniform(low, max(low, whole))
                yield Trial(who, delay, *run(PATIENCE, delay))


def warm(call: Callable[[Any, Any], Any], X: Any, y: Any) -> None:
    """Import and compile here what the children need."""
    model = getattr(call, "__self__", None)
    with warnings.catch_warnings(action="ignore"):
        (call if model is None else clone(model).fit)(X, y)


def main() -> int:
    """Run what the command line asks for, print each trial and the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=200, help="in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--share", type=float, default=1.0, help="of the rows of the tables")
    parser.add_argument("--longest", type=float, default=8.0, help="seconds of a run within which Ctrl-C is pressed")
    parser.add_argument("--slow", type=float, default=0.5, help="seconds within which an answer is due")
    parser.add_argument("--only", action="append", help="one of those that are tried")
    asked = parser.parse_args()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a run in the background inherits an ignored Ctrl-C
        signal.signal(signal.SIGINT, signal.default_int_handler)
    names = asked.only or [*jobs(), *COMMANDS]
    print(f"{'who':<55}  delay seconds  answer")
    found = []
    for trial in trials(names, -(-asked.trials // len(names)), asked.share, asked.longest, asked.seed):
        print(f"{trial.name:<55} {trial.delay:6.2f} {trial.seconds:7.3f}  {trial.outcome}", flush=True)
        found.append(trial)
    seconds = [trial.seconds for trial in found if trial.outcome != ENDED]
    slow, wrong = sum(value > asked.slow for value in seconds), sum(trial.outcome not in GOOD for trial in found)
    print(
        f"{len(found)} trials, {len(seconds)} during a run: median {statistics.median(seconds or [0]):.3f} s, "
        f"longest {max(seconds, default=0):.3f} s, {slow} above {asked.slow} s, {wrong} with a wrong answer"
    )
    return 1 if slow or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
