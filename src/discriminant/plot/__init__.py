"""Pictures of a fitted model: where it decides what, how it got there, how sure it is; and a page with all of them.

Every function takes the axes to draw on, makes new ones where none are given, and returns them. Colors are those of
Okabe and Ito, which the color-blind can tell apart; classes also differ by their markers. matplotlib is the extra
``plot``.

- ``regions``, ``curves``, ``histograms``; ``page``: all of them; ``_style``: colors and markers; ``_plain``: the words
  of the page, ``_tables``: its tables. ``replays``: one file that replays a run; ``recording``: the run as data, made
  of ``_course``: its steps, ``_maps``: its regions, ``_source``: its Python; ``verdicts``: separability for a page.
  ``traces``: the corrections of a run as a table.

Imports ``comparison`` and the rooms below it.  Tests: ``tests/plot``.

References
----------
Duda, Hart, Stork, *Pattern Classification*, ch. 5, Fig. 5.3, 5.4, 5.12–5.15; Cristianini, Shawe-Taylor, *An
Introduction to Support Vector Machines*, ch. 2, Fig. 2.1–2.4.
"""

from .curves import convergence
from .histograms import margins
from .page import report
from .regions import boundary
from .replays import replay
from .traces import Trace, trace

__all__ = ["boundary", "convergence", "margins", "replay", "report", "Trace", "trace"]
