"""Points drawn at random, with sliders: clouds, planted margins, labels flipped, rings, the exclusive or.

Tests: ``tests/explorer/test_catalog.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import datasets
from .._guards.parameters import unknown
from .messages import MOST_CLASSES, Json

Drawn = tuple[NDArray[np.float64], NDArray[np.int64]]
MOST = 2_000  # points of a generator


class Generator(NamedTuple):
    """A way to draw points: its title, its own controls as (name, low, high, default, help), and the function."""

    title: str
    controls: tuple[tuple[str, float, float, float, str], ...]
    draw: Callable[..., Drawn]


def _gaussians(n: int, separation: float, noise: float, classes: int, rng: np.random.Generator) -> Drawn:
    """Round clouds with their means on a circle."""
    angles = np.pi * (0.25 + 2 * np.arange(classes) / classes)
    y = np.arange(n) % classes
    means = separation / 2 * np.column_stack([np.cos(angles), np.sin(angles)])
    return means[y] + noise * rng.standard_normal((n, 2)), y


def _planted(n: int, margin: float, rng: np.random.Generator) -> Drawn:
    found = datasets.planted_margin(n=n, d=2, margin=margin, random_state=rng)
    return found.X, found.y


def _overlap(n: int, flip: float, rng: np.random.Generator) -> Drawn:
    found = datasets.overlap(n=n, d=2, flip=flip, random_state=rng)
    return found.X, found.y


def _rings(n: int, separation: float, noise: float, rng: np.random.Generator) -> Drawn:
    """A disk inside of a ring: no line will do, a circle will."""
    y = np.arange(n) % 2
    radius = np.where(y == 0, rng.random(n), 1 + separation + 0.3 * rng.random(n))
    angle = 2 * np.pi * rng.random(n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]) + noise * rng.standard_normal((n, 2)), y


def _xor(n: int, separation: float, noise: float, rng: np.random.Generator) -> Drawn:
    """Four clouds, opposite ones of one class."""
    corner = np.arange(n) % 4
    at = separation / 2 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])[corner]
    return at + noise * rng.standard_normal((n, 2)), corner % 2


SEPARATION = ("separation", 0.0, 10.0, 4.0, "How far the clouds are apart.")
NOISE = ("noise", 0.0, 3.0, 1.0, "How wide each cloud is.")
COUNT = ("count", 6, MOST, 60, "How many points are drawn.")
SEED = ("seed", 0, 9999, 0, "The same seed draws the same points.")
CLASSES = ("classes", 2, MOST_CLASSES, 2, "How many classes there are.")
WHOLE = {"count", "seed", "classes"}

GENERATORS = {
    "gaussians": Generator("Gaussian clouds", (SEPARATION, NOISE, CLASSES), _gaussians),
    "margin": Generator(
        "Separable, with a known margin",
        (("margin", 0.01, 0.9, 0.1, "The largest margin in the unit ball."),),
        _planted,
    ),
    "overlap": Generator(
        "Labels flipped", (("flip", 0.01, 0.5, 0.1, "The share of points that get the other label."),), _overlap
    ),
    "rings": Generator(
        "A disk in a ring",
        (("separation", 0.0, 3.0, 0.5, "How far the ring is from the disk."), (*NOISE[:3], 0.1, NOISE[4])),
        _rings,
    ),
    "xor": Generator("Four clouds, crosswise", (SEPARATION, (*NOISE[:3], 0.5, NOISE[4])), _xor),
}


def listed() -> list[Json]:
    """The generators, as a page lists them."""
    return [
        {"name": name, "title": found.title, "controls": [_control(*each) for each in _controls(found)]}
        for name, found in GENERATORS.items()
    ]


def _controls(found: Generator) -> list[tuple[str, float, float, float, str]]:
    return [*found.controls, COUNT, SEED]


def _control(name: str, low: float, high: float, default: float, help: str) -> Json:
    told = {"name": name, "label": name, "control": "number", "default": default, "low": low, "high": high}
    return {**told, "closed": True, "whole": name in WHOLE, "options": None, "help": help}


def drawn(name: str, parameters: Json) -> tuple[NDArray[np.float64], NDArray[np.int64], str]:
    """Points and labels of a generator, and its title."""
    if name not in GENERATORS:
        raise unknown("name", name, "a generator", GENERATORS)
    found = GENERATORS[name]
    known = {each[0]: each for each in _controls(found)}
    given: dict[str, Any] = {key: each[3] for key, each in known.items()}
    for key, value in parameters.items():
        if key not in known:
            raise ValueError(f"{key}={value!r} is no control of this generator; choose one of {', '.join(known)}.")
        low, high = known[key][1:3]
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not low <= value <= high or (key in WHOLE and value != int(value)):
            kind = "a whole number" if key in WHOLE else "a number"
            raise ValueError(f"{key}={value!r} must be {kind} from {low:g} to {high:g}; move its slider.")
        given[key] = int(value) if key in WHOLE else float(value)
    rng = np.random.default_rng(given.pop("seed"))
    X, y = found.draw(n=given.pop("count"), rng=rng, **given)
    return X, y, found.title
