"""Descent on any criterion: Duda, Hart, Stork, *Pattern Classification*, §5.4.2.

- ``gradient``: Algorithm 1; ``newton``: Algorithm 2; ``rule``: the stop and the guard, which both share.  The criteria
  are ``discriminant.criteria``.

Imports ``base`` and the rooms below it, no other chapter.  Tests: ``tests/descent``.
"""

from .gradient import GradientDescent as GradientDescent
from .newton import NewtonDescent as NewtonDescent
