"""A 6 × 6 picture of the digit 7, to be told from the other digits.

The book shows the grid in a figure; the pixels here are our own drawing. Since each image differs from
its clean digit in a bounded number of pixels, the number of pixels in which it differs from the clean
7, a linear function of the image, separates the two classes.

References
----------
*Machine Learning: Theory and Practice*, ch. 8, Example 15 and Fig. 8.13.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._guards.parameters import refused
from ._dataset import THEORY_AND_PRACTICE, Dataset, loader, separated, unnamed
from .generators import ROWS, generator

__all__ = ["seven"]

_DIGITS = """
.####.  ...#..  .####.  .####.  ....#.  ######  ..###.  ######  .####.  .####.
#....#  ..##..  #....#  #....#  ...##.  #.....  .#....  .....#  #....#  #....#
#....#  ...#..  .....#  ...##.  ..#.#.  #####.  #.....  ....#.  .####.  #....#
#....#  ...#..  ..###.  .....#  .#..#.  .....#  #####.  ...#..  #....#  .#####
#....#  ...#..  .#....  #....#  ######  #....#  #....#  ..#...  #....#  .....#
.####.  ..###.  ######  .####.  ....#.  .####.  .####.  .#....  .####.  .####.
"""
_MOST_FLIPS = 5  # the nearest other digit, the 3, differs from the 7 in 12 pixels


@loader(THEORY_AND_PRACTICE, "Example 15 (our drawing)", "Example 15")
def seven(n: int = 200, flips: int = 2, random_state: Any = None) -> Dataset:
    r"""Generate 6 × 6 images of a 7 (class 1) and of the other nine digits (class 0), with pixels flipped.

    Parameters
    ----------
    n : int, default=200
        The number of images, half of them of a 7.
    flips : int, default=2
        How many pixels of each image, drawn at random, are flipped; at most 5, so that the classes stay apart.
    random_state : int, numpy Generator or None, default=None
        The seed.

    Returns
    -------
    Dataset
        36 columns of 0 and 1, row by row of the image. Answers: ``image``, the clean 7 of shape (6, 6), and
        ``solution``, which counts the pixels that differ from it.

    Examples
    --------
    >>> from discriminant import datasets
    >>> image = datasets.seven(random_state=0).image
    >>> print("\n".join("".join(".#"[int(pixel)] for pixel in row) for row in image))
    ######
    .....#
    ....#.
    ...#..
    ..#...
    .#....
    """
    n = ROWS("n", n)
    if not isinstance(flips, int | np.integer) or not 0 <= flips <= _MOST_FLIPS:
        raise refused("flips", flips, f"a whole number from 0 to {_MOST_FLIPS}", "with more the classes may overlap")
    rng = generator(random_state)
    digits = np.array([list(line) for line in _DIGITS.split()]).reshape(6, 10, 6).swapaxes(0, 1) == "#"
    clean = digits.reshape(10, 36).astype(np.float64)
    y = rng.permutation(np.arange(n) % 2)
    others = np.array([0, 1, 2, 3, 4, 5, 6, 8, 9])
    X = clean[np.where(y == 1, 7, rng.choice(others, n))]
    flipped = rng.permuted(np.tile(np.arange(36) < flips, (n, 1)), axis=1)
    X[flipped] = 1 - X[flipped]
    # With p the clean 7, the differing pixels are h = Σp − Σ(2p − 1)x; decide for a 7 where 12 − 2h > 0.
    nearest = np.abs(clean[others] - clean[7]).sum(axis=1).min()
    return unnamed(
        X,
        y,
        f"{n} images of digits in 6 × 6 pixels, {flips} of them flipped; is it a 7?",
        ("another digit", "7"),
        [f"pixel{i}{j}" for i in range(1, 7) for j in range(1, 7)],
        **separated(nearest - 2 * clean[7].sum(), *(4 * clean[7] - 2)),
        image=clean[7].reshape(6, 6),
    )
