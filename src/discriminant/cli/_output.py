"""Data to stdout, everything else to stderr: text, JSON, aligned tables, warnings, progress bars with the time left.

Tests: ``tests/cli/test_command.py``.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout
from enum import Enum
from pathlib import Path
from threading import Timer
from typing import Any, TextIO

from .._engine.progress import CompilingNotice
from ._errors import CommandError, command_words, option_names, shortened

NARROWEST = 20  # characters of a column into which text is folded
DELAY = 1.0  # seconds before a bar appears
COMPILING = "compiling for this machine, once (`discriminant warm-up` does it all at once)"
LATER = 3.0  # and before a line does where there is no terminal for a bar

# What a terminal obeys or reorders instead of showing it: C0 and C1 controls but tab and newline, separators of lines,
# marks and overrides of the direction of writing.
HIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")

GAP = re.compile(r"(?<=\S) {2,}(?=\S)")  # between the columns of a table, or behind the name of a line
SCALED = re.compile(r"; standardize them \(--standardize\)| or standardized features \(--standardize\)")  # not again

_state = {"quiet": False}


def hush(quiet: bool) -> None:
    """Whether stderr stays empty from now on, until the next command."""
    _state["quiet"] = quiet


def visible(text: str) -> str:
    r"""The text with what would steer the terminal written as \u001b, which means the same inside of JSON."""
    return HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def in_line(name: Any) -> str:
    return visible(str(name)).replace("\n", "\\n").replace("\t", "\\t")


class _Shown(io.TextIOBase):
    """A stream in front of a terminal, on which everything is visible."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        return self.stream.write(visible(text))

    def flush(self) -> None:
        self.stream.flush()


def width() -> int | None:
    """How many characters a line of the terminal has; None where stdout is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def folded(text: str, width: int | None) -> str:
    """Lines of words in the width of a terminal, broken between words and hanging where their text begins."""
    return text if width is None else "\n".join(part for line in text.split("\n") for part in _fold(line, width))


def _fold(line: str, width: int) -> list[str]:
    gaps = list(GAP.finditer(line))
    margin = len(line) - len(line.lstrip())
    if len(line) <= width or len(gaps) > 1:  # it fits, or is a row of a table
        return [line]
    hanging = gaps[0].end() if gaps else margin + 4 * (margin > 0)
    return textwrap.wrap(
        line, width, subsequent_indent=" " * min(hanging, width // 2), break_on_hyphens=False, break_long_words=False,
        replace_whitespace=False, expand_tabs=False,
    )  # fmt: skip


def echo(text: str, *, heading: bool = False, prose: bool = False) -> None:
    """One piece of data to stdout; a ``heading`` in its first line is bold on a terminal, ``prose`` fits its width."""
    known = sys.stdout.encoding or "utf-8"
    text = folded(text, width()) if prose else text
    shown = visible(text).encode(known, "replace").decode(known)  # what an old terminal cannot show is no error
    if heading and sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        first, newline, rest = shown.partition("\n")
        shown = f"\x1b[1m{first}\x1b[0m{newline}{rest}"
    with printing():
        sys.stdout.write(shown if shown.endswith("\n") else f"{shown}\n")
        sys.stdout.flush()


@contextmanager
def printing() -> Iterator[None]:
    """Writing to stdout; a reader that has gone away (``| head``) is no error, a full disk is."""
    try:
        yield
    except BrokenPipeError:
        silence()
    except OSError as error:
        silence()
        raise CommandError(f"standard output cannot be written: {error.strerror or error}; write elsewhere.") from None


def silence(handle: int = 1) -> None:
    """Send what is still to come on stdout (1) or stderr (2), and what Python writes at its end, nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), handle)


def say(text: str) -> None:
    """One line to stderr, unless it is to stay empty."""
    if not _state["quiet"]:
        text = folded(visible(text), shutil.get_terminal_size().columns if sys.stderr.isatty() else None)
        head, colon, rest = text.partition(":")
        style = {"Error": "31", "Warning": "33"}.get(head)
        shown = f"\x1b[{style}m{head}{colon}\x1b[0m{rest}" if style and _colored() else text
        try:
            print(shown, file=sys.stderr, flush=True)
        except ValueError:
            return  # nobody listens
        except OSError:
            silence(2)


def warn(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning as one line; takes the place of ``warnings.showwarning``."""
    say(f"Warning: {shortened(option_names(str(message)))}")


def _colored() -> bool:
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def echo_json(kind: str, content: dict[str, Any]) -> None:
    """One JSON document in one line: its format, the version of its schema, its content."""
    header = {"format": f"discriminant {kind}", "version": 1}
    unicode = str(sys.stdout.encoding).lower() in ("utf-8", "utf8")
    echo(json.dumps(plain({**header, **content, **header}), allow_nan=False, ensure_ascii=not unicode))


def plain(value: Any) -> Any:
    """The value as JSON knows it: infinity as text, NaN as null, anything foreign by its name."""
    if isinstance(value, Enum):
        return value.name
    if hasattr(value, "tolist"):  # NumPy's arrays and numbers
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "inf" if value > 0 else "-inf"
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return getattr(value, "__name__", None) or str(value)


def named(text: str, names: Sequence[str]) -> str:
    """The text of a report with the features by their names: it knows only their places."""
    return re.sub(r"\(feature (\d+)\)", lambda found: f"({in_line(names[int(found[1])])})", text)


def report_of(model: Any, names: Sequence[str], standardized: bool, **further: str) -> str:
    """Why a fit stopped, in the words of the command line and with the features by their names.

    The ``further`` lines, which may hold names that look like Python, come in as they are.
    """
    text = command_words(model.report_.text(**{name: f"\0{name}\0" for name in further}))
    text = named(SCALED.sub("", text) if standardized else text, names)
    text = _with_classes(text, model)
    return re.sub("\0(.*?)\0", lambda found: further[found[1]], text)


def _with_classes(text: str, model: Any) -> str:
    """The problems of many classes by the classes that they hold against each other, not by number."""
    from ..multiclass import pairs

    labels = [in_line(label) for label in getattr(model, "classes_", ())]
    told = {
        "one-vs-rest": [f"{label} against the rest" for label in labels],
        "one-vs-one": [f"{labels[i]} against {labels[j]}" for i, j in pairs(len(labels))],
    }.get(getattr(model, "multiclass", ""), [])
    text = re.sub(r"\bProblem (\d+)(?=:)", lambda found: told[int(found[1])] if told else found[0], text)
    return re.sub(r"\bin problem (\d+)", lambda found: f"for {told[int(found[1])]}" if told else found[0], text)


def aligned(heads: Sequence[str], rows: Sequence[Sequence[Any]], width: int | None = None) -> str:
    """A table in plain text; the last column keeps its length, or fits the ``width``, below the others if need be."""
    texts = [list(heads), *([in_line(entry) for entry in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    before = sum(widths[:-1]) + 2 * (len(heads) - 1)
    if width is not None:
        beside = width - before >= NARROWEST
        margin = before if beside else 4
        for line in texts[1:]:
            parts = textwrap.wrap(line[-1], width - margin)
            line[-1] = f"\n{' ' * margin}".join(parts if beside else ["", *parts])
    padded = ([entry.ljust(most) for entry, most in zip(line[:-1], widths, strict=False)] + line[-1:] for line in texts)
    return re.sub(r" +$", "", "\n".join("  ".join(line) for line in padded), flags=re.MULTILINE)


def echo_list(kind: str, facts: Sequence[dict[str, Any]], heads: Sequence[str], as_json: bool) -> None:
    """Facts about many things: all of them as JSON, those under the heads as a table."""
    if as_json:
        return echo_json(kind, {kind: facts})
    rows = [["" if fact[head] is None else fact[head] for head in heads] for fact in facts]
    echo(aligned(heads, rows, width()), heading=True)


def watched() -> bool:
    return sys.stderr.isatty() and not _state["quiet"] and os.environ.get("TERM") != "dumb"


def tell_of_compiling() -> None:
    """Say, once a command, what a long wait is for; over the line of a bar, which is drawn again below."""
    CompilingNotice.tell = _say_compiling if watched() else None


def _say_compiling() -> None:
    print("\r" + COMPILING.ljust(shutil.get_terminal_size().columns - 1), file=sys.stderr, flush=True)


@contextmanager
def told_later(text: str) -> Iterator[None]:
    """A line in the log of what takes long where no bar is shown."""
    timer = Timer(LATER, say, [text])
    timer.daemon = True
    if not watched():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def progress(title: str) -> Iterator[Callable[[float, float | None], None]]:
    """A bar with the time left, from one second on; the function takes what is done, and the whole if it is known."""
    if not watched():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bars = Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
    task = bars.add_task(in_line(title), total=None)
    timer = Timer(DELAY, bars.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda done, total: bars.update(task, completed=done, total=total)
    finally:
        timer.cancel()
        timer.join()
        bars.stop()


# --- what the user named after -o: a file that is there as a whole or not at all, or stdout


def check_place(target: str | None, *inputs: str, option: str = "-o") -> None:
    """Refuse a place that cannot be written to, or that is read from, before the work is done rather than after."""
    if target is None or target == "-":
        return
    path = Path(target)
    if path.is_dir():
        raise CommandError(f"{option} {target!r} is a folder; give the name of a file.")
    if not path.parent.is_dir():
        raise CommandError(f"{option} {target!r}: there is no folder {str(path.parent)!r}; make it first.")
    if not os.access(path.parent, os.W_OK):
        raise CommandError(
            f"{option} {target!r}: nothing can be written into the folder {str(path.parent)!r}; choose another."
        )
    for source in inputs:
        if path.is_file() and _is_same(path, source):
            read = "standard input" if source == "-" else repr(source)
            raise CommandError(f"{option} {target!r} would overwrite {read}, which is read; give another name.")


def _is_same(path: Path, source: str) -> bool:
    """Whether the source is this very file, by whatever path or link; ``-`` may be one too (``< file``)."""
    try:
        return os.path.samestat(path.stat(), os.fstat(sys.stdin.fileno()) if source == "-" else os.stat(source))
    except (OSError, ValueError):  # a data set, which is no file, or a closed stream
        return False


def write_table(frames: Iterable[Any], target: str) -> None:
    """Write a table that comes in portions, in the format of its name; ``-`` is CSV on stdout.

    Files and pipes get every byte of the data as it is; a terminal gets nothing that would steer it.
    """
    from ..io.tables import write_portions

    steered = target == "-" and sys.stdout.isatty()
    with printing(), redirect_stdout(_Shown(sys.stdout)) if steered else nullcontext():
        write_portions(frames, target)
