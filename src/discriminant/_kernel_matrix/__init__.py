"""Rows K(x, .) of a kernel's matrix: made, kept or streamed, and what is solved on them alone.

- ``source``: what a solver may ask of rows; ``makers``: how they are computed; ``rows``: kept as far as memory goes;
  ``streamed``: never kept; ``expansion``: their blocked sums; ``nearest``: the nearest points of two convex hulls.

Imports ``_engine`` and the vocabulary (kernels themselves are ``mercer``).  Tests: ``tests/_kernel_matrix``.
"""
