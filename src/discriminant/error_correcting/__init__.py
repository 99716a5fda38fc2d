"""Procedures that correct the weights at a pattern: Duda, Hart, Stork, *Pattern Classification*, §5.5-§5.7, §5.12.

- ``perceptron`` (§5.5), ``pocket`` (§5.7), ``winnow`` (§5.5.3), ``relaxation`` (§5.6), ``piecewise`` (Problems 9-10),
  ``exhaustive`` (Problem 16); ``kernel_perceptron`` with ``gram``; ``minover`` and ``adatron`` with ``margin_rule`` and
  ``hulls``.
- ``visits``: one pattern, one correction, Kesler's rule; ``corrections``: a rule at work; ``mixing``: on many
  blocks of rows at once.

Imports ``base`` and the rooms below it, no other chapter.  Tests: ``tests/error_correcting``.
"""
