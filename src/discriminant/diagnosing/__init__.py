"""``diagnose``: a model that another program has fitted, and what its printed coefficients are worth.

- ``diagnoses``: the call and its answer; ``sentences``: the answer in words; ``fitted``: what is known of a model,
  whoever made it; ``results``: how it is read from statsmodels, ``estimators``: from scikit-learn, glum and here;
  ``watching``: warnings while statsmodels fits.

Other programs are known by the names of their modules and imported nowhere but in ``watching``. Imports the chapter
``logistic`` and the rooms below the chapters.  Tests: ``tests/diagnosing``.
"""

from typing import TYPE_CHECKING

from .._guards.lazy import lazy

__all__ = ["Diagnosis", "diagnose", "watch_separation"]
__getattr__, __dir__ = lazy(__name__, {"diagnoses": ("Diagnosis", "diagnose"), "watching": ("watch_separation",)})

if TYPE_CHECKING:
    from .diagnoses import Diagnosis, diagnose
    from .watching import watch_separation
