"""Exit codes, and every error as one sentence.  Tests: ``tests/cli/test_bad_input.py``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from errno import ENOSPC
from shlex import quote

BAD_INPUT = 2
QUASI = 3
OVERLAP = 4
REFUSED = 5
ANOTHER_QUESTION = 6
UNDECIDED = 7
INTERRUPTED = 130

LONGEST = 880  # characters of a message; with its "Error: " it stays below 900
FEW = 8  # names that a message lists

OPTION = re.compile(r"\b(target|missing|unseen|format|drop|na|decimal|encoding|comment)='([^']*)'")
SETTING = re.compile(r"\b([a-z]\w*)=(?:(True|False|None)|'([^']*)')")
ATTRIBUTE = re.compile(r"(?<!\w)\.?([a-z]+(?:_[a-z]+)*)_(?!\w)")  # what a fit leaves behind: report_, last_weights_
WORDS = {  # what a report says to a reader of Python, for a reader of the terminal
    r"Perceptron\(pocket=True\)": "--method perceptron-pocket",
    r"separability\(X, y\)(\.hyperplane)?|diagnose\(X, y\)": "`discriminant check`",
    r" \(row \d+ of coef_\)": "",
    r"; standardize them\b": r"\g<0> (--standardize)",
    r"\bmax_iter\b": "--set max_iter",
    r"\brandom_state\b": "--seed",
    r"\bstandardized? (the )?features\b": r"\g<0> (--standardize)",
}
SECONDS = re.compile(r"\bmax_seconds=(\S+)")


class CommandError(ValueError):
    """What the user asked for cannot be done; the message says why and what to do."""


def sentence(error: BaseException) -> str:
    told = getattr(error, "format_message", None)  # typer's own errors, whichever click it brings
    if told is not None:
        return shortened(f"{told().rstrip('.')}. Try --help.".replace("?.", "?"))
    if isinstance(error, MemoryError):
        return f"the data do not fit into memory ({shortened(str(error), 200)}); take fewer rows or --features."
    if isinstance(error, ImportError | ValueError) or is_late(error):
        return shortened(option_names(str(error)) or type(error).__name__)
    if isinstance(error, OSError):
        what = error.strerror or str(error)
        remedy = "make room" if error.errno == ENOSPC else "see to the path and its permissions"
        return shortened(f"{f'{error.filename}: ' if error.filename else ''}{what}; {remedy}.")
    return shortened(
        f"unexpected {type(error).__name__}: {error}. This is a fault of discriminant; set DISCRIMINANT_TRACEBACK=1 to "
        "see where it happened, and report it."
    )


def is_late(error: BaseException) -> bool:
    """Whether the time that was given is over: ours, not that of a network, whose errors have a number."""
    return isinstance(error, TimeoutError) and error.errno is None


def option_names(text: str) -> str:
    """The library speaks of parameters, missing='drop'; here they are options, --missing drop."""
    text = text.replace("header=False", "--no-header").replace("header=True", "--header")
    text = text.replace("leave such rows out.", "leave such rows out (--missing drop).")
    text = re.sub(r"(with )?\bStandardScaler\b", "--standardize", text)
    text = SECONDS.sub(r"--max-seconds \1", text)
    return OPTION.sub(lambda found: f"--{found[1]} {quote(found[2])}", text)


def command_words(report: str) -> str:
    """A report in the words of the command line: pocket=True is --set pocket=true here."""
    for python, words in WORDS.items():
        report = re.sub(python, words, report)
    report = option_names(report)
    report = SETTING.sub(lambda found: f"--set {found[1]}={(found[2] or '').lower() or quote(found[3])}", report)
    return ATTRIBUTE.sub(lambda found: found[1].replace("_", " "), report)


def shortened(text: str, longest: int = LONGEST) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 2].rstrip()} …"


def nearest(name: str, names: Iterable[str], *, only: bool = False) -> str:
    """A hint with the names that resemble ``name`` most, or else, unless ``only`` those will do, with the first few."""
    from .._guards.parameters import suggestion  # NumPy with it, which --help need not load

    known = list(names)
    if close := suggestion(name, known, 3, 0.5):
        return f"Did you mean {' or '.join(map(repr, close))}?"
    if only or not known:
        return ""
    more = f" and {len(known) - FEW:,} more" if len(known) > FEW else ""
    return f"There are {', '.join(known[:FEW])}{more}."
