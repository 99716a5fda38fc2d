"""Pictures of a fitted model: where it decides what, how it got there, how sure it is; and a page with all of them.

Every function takes the axes to draw on, makes new ones where none are given, and returns them. Colors are those of
Okabe and Ito, which the color-blind can tell apart; classes also differ by their markers. matplotlib is the extra
``plot``. Each file names the figures that it draws.

- In the space of x: ``decision_regions``, ``boundaries``, ``hull_proofs``; of y = φ(x): ``feature_spaces``; of the
  weights: ``weight_spaces``, ``surfaces``, ``weight_paths``. Of a fit: ``curves``, ``histograms``, ``bayes_rule``,
  ``networks``, ``animations``. They share ``_style``: colors, legends, and ``_planes``: the plane they are drawn in.
- ``page``: a report with pictures, its words in ``_plain``, its tables in ``_tables``. ``replays``: one file that
  replays a run; ``recording``: the run as data, made of ``base.course``: its steps, ``_maps``: its regions,
  ``_source``: its Python; ``verdicts``: separability for a page.

Imports ``comparison`` and the rooms below it.  Tests: ``tests/plot``.  Source: Duda, Hart, Stork, *Pattern
Classification*, ch. 5; Cristianini, Shawe-Taylor, *An Introduction to Support Vector Machines*, ch. 2.
"""

from .animations import animate
from .bayes_rule import bayes
from .boundaries import boundary
from .curves import history, steps
from .decision_regions import RegionsDisplay, regions
from .feature_spaces import feature_space
from .histograms import margin_distribution
from .hull_proofs import hulls
from .networks import network
from .page import report
from .replays import replay
from .surfaces import criterion_surface
from .weight_paths import path
from .weight_spaces import weight_space

__all__ = [
    "RegionsDisplay", "animate", "bayes", "boundary", "criterion_surface", "feature_space", "history", "hulls",
    "margin_distribution", "network", "path", "regions", "replay", "report", "steps", "weight_space",
]  # fmt: skip
