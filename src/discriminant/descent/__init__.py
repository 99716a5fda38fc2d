"""Descent on any criterion: Duda, Hart, Stork, *Pattern Classification*, §5.4, Algorithms 1 and 2.

- ``estimators``: ``GradientDescent`` and ``NewtonDescent``; the criteria are ``discriminant.criteria``.

Imports ``base`` and the rooms below it, no other chapter.  Tests: ``tests/descent``.
"""

from .gradient import GradientDescent as GradientDescent
from .newton import NewtonDescent as NewtonDescent
