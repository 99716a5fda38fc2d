"""The data sets that come with scikit-learn, with what is known about their separability.

References
----------
Fisher, "The use of multiple measurements in taxonomic problems", 1936 (iris); UCI Machine Learning Repository.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._dataset import Dataset


def iris() -> Dataset:
    """Load the three kinds of iris.

    Returns
    -------
    Dataset
        Answers: ``verdict`` of one linear machine, ``rest`` of each class against the others, ``pairwise``.

    References
    ----------
    Fisher, "The use of multiple measurements in taxonomic problems", 1936.

    Examples
    --------
    >>> from discriminant import datasets
    >>> dataset = datasets.iris()
    >>> dataset.verdict, dataset.rest[0], dataset.pairwise[1, 2]
    ('quasi', 'complete', 'overlap')
    """
    return _from_sklearn(
        "iris",
        "150 flowers of three kinds, four lengths each",
        separable=False,
        verdict="quasi",
        rest=("complete", "overlap", "overlap"),
        pairwise={(0, 1): "complete", (0, 2): "complete", (1, 2): "overlap"},
    )


def wine() -> Dataset:
    """Load the three kinds of wine.

    Returns
    -------
    Dataset
        Answers: complete separation by one linear machine, of each class from the rest and of each pair.

    References
    ----------
    UCI Machine Learning Repository, Wine recognition data.

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.wine().verdict
    'complete'
    """
    return _from_sklearn(
        "wine",
        "178 wines of three cultivars, 13 measurements each",
        separable=True,
        verdict="complete",
        rest=("complete",) * 3,
        pairwise=dict.fromkeys([(0, 1), (0, 2), (1, 2)], "complete"),
    )


def breast_cancer() -> Dataset:
    """Load the breast cancer data of Wisconsin; the positive class is "benign".

    Returns
    -------
    Dataset
        Answer: separable, with 30 features.

    References
    ----------
    UCI Machine Learning Repository, Breast Cancer Wisconsin (Diagnostic).

    Examples
    --------
    >>> from discriminant import datasets
    >>> datasets.breast_cancer().separable
    True
    """
    return _from_sklearn("breast_cancer", "569 tumors, 30 measurements each", separable=True, verdict="complete")


def digits() -> Dataset:
    """Load the handwritten digits of 8 × 8 pixels.

    Returns
    -------
    Dataset
        Answers: separable by one linear machine (114 passes of the perceptron in integers find it), hence pairwise.

    References
    ----------
    UCI Machine Learning Repository, Optical Recognition of Handwritten Digits.

    Examples
    --------
    >>> from discriminant import datasets
    >>> dataset = datasets.digits()
    >>> dataset.X.shape, dataset.separable
    ((1797, 64), True)
    """
    return _from_sklearn(
        "digits",
        "1797 handwritten digits in 8 × 8 pixels",
        separable=True,
        verdict="complete",
        pairwise={(i, j): "complete" for j in range(10) for i in range(j)},
    )


def _from_sklearn(name: str, description: str, **answers: Any) -> Dataset:
    from sklearn import datasets  # imported here: it takes a second, and few need it

    bunch = getattr(datasets, f"load_{name}")()
    return Dataset(
        np.ascontiguousarray(bunch.data, dtype=np.float64),
        np.asarray(bunch.target),
        name,
        f"scikit-learn, load_{name}",
        description,
        feature_names=[str(feature) for feature in bunch.feature_names],
        target_names=[str(target) for target in bunch.target_names],
        answers=answers,
    )
