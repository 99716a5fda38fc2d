"""Points, messages and a quick stand-in for the worker, for the tests of the explorer."""

from __future__ import annotations

import json
import random
from copy import deepcopy
from typing import Any

Json = dict[str, Any]

OR = {"x": [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], "y": [0, 1, 1, 1]}
XOR = {"x": OR["x"], "y": [0, 1, 1, 0]}
NAMES: Json = {"classes": ["a", "b"], "features": ["x1", "x2"]}

# Answers as a worker does, without the library: a run sleeps as many seconds as its seed says, or dies.
STUB = """
import json, os, signal, sys, threading, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
print(flush=True)
for line in sys.stdin:
    job = json.loads(line)
    told = {"v": 1, "id": job.get("id")}
    if job["job"] == "run":
        if job["procedure"] == "die":
            os._exit(1)
        time.sleep(job["seed"])
        print(json.dumps(told | {"type": "recording", "slot": job["slot"], "head": {"pid": os.getpid()}}))
        print(json.dumps(told | {"type": "frames", "slot": job["slot"], "from": 0, "steps": [1], "last": True}))
    elif job["job"] == "page":
        print(json.dumps(told | {"type": "page", "html": json.dumps(job["recordings"])}))
    elif job["job"] == "table":
        print(json.dumps(told | {"type": "table", "columns": [], "size": len(job["content"])}))
    else:
        kind = {"welcome": "welcome", "verdict": "verdict"}.get(job["job"], "data")
        print(json.dumps(told | {"type": kind, "pid": os.getpid()}))
    print(flush=True)
"""


def points(some: Json = OR) -> Json:
    return some | NAMES


def message(kind: str, id: int = 1, **facts: Any) -> Json:
    """A message of a kind that is valid as it is."""
    more: dict[str, Json] = {
        "run": {
            "slot": 0,
            "procedure": "perceptron",
            "parameters": {},
            "seed": 0,
            "points": points(),
            "one_feature": False,
        },
        "verdict": {"points": points(), "one_feature": False},
        "dataset": {"name": "xor"},
        "generate": {"name": "xor", "parameters": {"count": 8}},
        "page": {"slots": [0]},
        "cancel": {"slot": 0},
    }
    return {"v": 1, "type": kind, "id": id} | more[kind] | facts


KINDS = ("run", "verdict", "dataset", "generate", "page", "cancel")
JUNK: tuple[Any, ...] = (
    None, True, -1, 1e308, 10**400, 2**53 + 1, 0.5, "", "perceptron", "\u0000", "x" * 5000, [], [[]], [None], {},
    {"a": 1}, [[1, 2], [3]], "../../etc/passwd", [1e999, 2], {"x": [], "y": []}, {"x": [[0, 0]], "y": [7], **NAMES},
)  # fmt: skip


def malformed(seed: int, count: int) -> list[str]:
    """Texts that are messages but for one fault or more, the same for the same seed."""
    rng = random.Random(seed)
    made = []
    while len(made) < count:
        found = message(rng.choice(KINDS), rng.randrange(1000))
        for _ in range(rng.randint(1, 3)):
            target = found if rng.random() < 0.6 or not isinstance(found.get("points"), dict) else found["points"]
            key = rng.choice([*target, "surplus"])
            if rng.random() < 0.3:
                target.pop(key, None)
            else:
                target[key] = deepcopy(rng.choice(JUNK))
        text = json.dumps(found)
        kind = rng.random()
        if kind < 0.15:
            text = text[: rng.randrange(len(text))]
        elif kind < 0.25:
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice('{}[]",:\\x09NaN') + text[at + 1 :]
        elif kind < 0.28:
            text = "[" * 20_000 + text
        made.append(text)
    return made
