"""Pictures of a fitted model: where it decides what, how it got there, how sure it is; and a page with all of them.

Every function takes the axes to draw on, makes new ones where none are given, and returns them. Colors are those of
Okabe and Ito, which the color-blind can tell apart; classes also differ by their markers. matplotlib is the extra
``plot``.

- In the space of x: ``decision_regions``, ``boundaries``. Of a fit: ``curves``, ``histograms``. ``page``: all of them.
  They share ``_style``: colors, markers, legends, and ``_planes``: the plane they are drawn in. The page has
  ``_plain``: its words, and ``_tables``. ``replays``: one file that replays a run; ``recording``: the run as data, made of
  ``_course``: its steps, ``_maps``: its regions, ``_source``: its Python; ``verdicts``: separability for a page.

Imports ``comparison`` and the rooms below it.  Tests: ``tests/plot``.

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5, Fig. 5.3, 5.4, 5.12–5.15; Cristianini, Shawe-Taylor, *An
Introduction to Support Vector Machines*, ch. 2, Fig. 2.1–2.4.
"""

from .boundaries import boundary
from .curves import convergence
from .decision_regions import RegionsDisplay, regions
from .histograms import margins
from .page import report
from .replays import replay

__all__ = ["RegionsDisplay", "boundary", "convergence", "margins", "regions", "replay", "report"]
