"""Real data, most of it scikit-learn's, with what is known about their separability."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._dataset import Dataset

__all__ = ["iris", "wine", "breast_cancer", "digits", "endometrial", "sex2"]

_Parts = tuple[NDArray[Any], NDArray[Any], list[str], list[str]]  # X, y, names of the columns and of the classes

_SHAPES = "radius,texture,perimeter,area,smoothness,compactness,concavity,concave points,symmetry,fractal dimension"
_WINE = """
    alcohol malic_acid ash alcalinity_of_ash magnesium total_phenols flavanoids nonflavanoid_phenols proanthocyanins
    color_intensity hue od280/od315_of_diluted_wines proline
"""
_FILES = {  # of scikit-learn, with what they do not say: the names of their columns
    "iris": ("iris.csv", [f"{part} {size} (cm)" for part in ("sepal", "petal") for size in ("length", "width")]),
    "wine": ("wine_data.csv", list(_WINE.split())),
    "breast_cancer": (
        "breast_cancer.csv",
        [form.format(shape) for form in ("mean {}", "{} error", "worst {}") for shape in _SHAPES.split(",")],
    ),
    "digits": ("digits.csv.gz", [f"pixel_{i}_{j}" for i in range(8) for j in range(8)]),
}


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


# NV, PI, EH and HG of each patient
_ENDOMETRIAL = """
0 13 1.64 0  0 16 2.26 0  0  8 3.14 0  0 34 2.68 0  0 20 1.28 0  0  5 2.31 0  0 17 1.80 0  0 10 1.68 0
0 26 1.56 0  0 17 2.31 0  0  8 2.01 0  0  7 1.89 0  0 20 3.15 0  0 10 1.23 0  0 18 1.27 0  0 16 1.76 0
0 18 2.00 0  0  8 2.64 1  0 29 0.88 1  0 12 1.27 1  0 20 1.37 1  1 38 0.97 1  1 22 1.14 1  1  7 0.88 1
1 25 0.91 1  1 15 0.58 1  0  7 0.97 1  0 28 1.50 0  0 11 1.33 0  0 19 2.37 0  0 10 1.82 0  0 10 3.13 0
0 18 1.31 0  0 14 1.92 0  0 21 1.64 0  0 11 2.01 0  0 17 1.88 0  0 25 1.93 0  0 16 2.11 0  0 19 1.29 0
0 15 1.72 0  0 33 0.75 0  0 24 1.92 0  0 48 1.84 1  0 12 1.11 1  0 19 1.61 1  0  2 1.18 1  1 22 1.44 1
1 40 1.18 1  1  5 0.93 1  1  0 1.17 1  0 21 1.19 1  0 15 1.06 1  0 29 2.02 0  0 15 2.29 0  0 12 2.33 0
0  3 2.90 0  0 20 1.70 0  0 23 1.41 0  0 12 2.25 0  0 22 1.54 0  0 42 1.97 0  0 15 1.75 0  0 13 2.16 0
0 14 2.57 0  0 19 1.37 0  0 12 3.61 0  0 13 2.04 0  0 10 2.17 0  0 12 1.69 1  1 49 0.27 1  0  6 1.84 1
0  5 1.30 1  0 17 0.96 1  1 11 1.01 1  1 21 0.98 1  0  5 0.35 1  1 19 1.02 1  0 33 0.85 1
"""


def endometrial() -> Dataset:
    """Load the patients with endometrial cancer on which logistic regression explodes.

    All 13 patients with neovasculation have a histology of high grade, so that its coefficient has no finite estimate.

    Returns
    -------
    Dataset
        Columns NV (neovasculation, 0 or 1), PI (pulsatility index of the uterine artery) and EH (height of the
        endometrium); y is HG, the grade of the histology, low (0) or high (1). Answers: the ``verdict``, and
        ``infinite``, where each coefficient goes.

    References
    ----------
    G. Heinze and M. Schemper, "A solution to the problem of separation in logistic regression", Statistics in Medicine
    21 (2002); E. Asseryanis provided the data.

    Examples
    --------
    >>> from discriminant import datasets
    >>> dataset = datasets.endometrial()
    >>> dataset.X.shape, dataset.verdict, dataset.infinite
    ((79, 3), 'quasi', (1, 0, 0))
    """
    table = np.array(_ENDOMETRIAL.split(), np.float64).reshape(79, 4)
    return Dataset(
        np.ascontiguousarray(table[:, :3]),
        table[:, 3].astype(np.int64),
        "endometrial",
        "Heinze and Schemper, Statistics in Medicine 21 (2002)",
        "79 patients with endometrial cancer; neovasculation goes with a high grade without exception",
        ("NV", "PI", "EH"),
        ("low", "high"),
        {"separable": False, "verdict": "quasi", "infinite": (1, 0, 0)},
    )


# age, oc, vic, vicl, vis, dia of each pattern, then how many women have it with and without an infection
_SEX2 = """
000010  1  1  001000 14  2  001010  3  1  001100 10  8  001110 12 18  001111  1  0  010000 44 42  010001  3  0
010010  0  1  011000 15  1  011001  1  0  011010  2  0  011100  7  5  011110  3  6  101000  2  0  101010  1  0
101011  1  0  101100  1  2  101110  0  4  101111  1  0  110000  5 14  110010  0  1  111000  3  1  111110  0  2
"""


def sex2() -> Dataset:
    """Load the students with urinary tract infections, of whom all that use a diaphragm are ill.

    Returns
    -------
    Dataset
        Columns age (24 years or more), oc (oral contraceptive), vic (condom), vicl (lubricated condom), vis
        (spermicide) and dia (diaphragm), each 0 or 1; y is whether there was an infection. Answers: the ``verdict``,
        and ``infinite``, where each coefficient goes.

    References
    ----------
    Cytel, *LogXact*; it is the example of the package logistf of G. Heinze and M. Ploner, "Fixing the nonconvergence
    bug in logistic regression with SPLUS and SAS", Computer Methods and Programs in Biomedicine 71 (2003).

    Examples
    --------
    >>> from discriminant import datasets
    >>> dataset = datasets.sex2()
    >>> dataset.X.shape, int(dataset.y.sum()), dataset.verdict, dataset.infinite
    ((239, 6), 130, 'quasi', (0, 0, 0, 0, 0, 1))
    """
    words = _SEX2.split()
    X = np.array([list(word) for word in words[::3]], np.float64)
    counts = np.array([words[1::3], words[2::3]], np.int64)
    return Dataset(
        np.repeat(np.vstack([X, X]), counts.ravel(), axis=0),
        np.repeat([1, 0], counts.sum(axis=1)),
        "sex2",
        "Cytel, LogXact; Heinze and Ploner, logistf",
        "239 students; all seven that use a diaphragm have a urinary tract infection",
        ("age", "oc", "vic", "vicl", "vis", "dia"),
        ("none", "infection"),
        {"separable": False, "verdict": "quasi", "infinite": (0, 0, 0, 0, 0, 1)},
    )


def _from_sklearn(name: str, description: str, **answers: Any) -> Dataset:
    X, y, features, targets = _file(name) or _loaded(name)
    X = np.ascontiguousarray(X, dtype=np.float64)
    return Dataset(X, y, name, f"scikit-learn, load_{name}", description, features, targets, answers)


def _file(name: str) -> _Parts | None:
    """What scikit-learn would load, without the second that its import takes; None where it keeps its files otherwise.

    The first line has the numbers of rows and columns and the names of the classes, the last column the classes.
    """
    spec = find_spec("sklearn")
    folder = spec.submodule_search_locations if spec else None
    path = Path(*folder, "datasets", "data", _FILES[name][0]) if folder else None
    if path is None or not path.exists():
        return None
    if name == "digits":
        table, targets = np.loadtxt(path, delimiter=","), [str(digit) for digit in range(10)]
    else:
        with path.open(encoding="utf-8") as file:
            targets = file.readline().strip().split(",")[2:]
            table = np.loadtxt(file, delimiter=",")
    return table[:, :-1], table[:, -1].astype(np.int64), _FILES[name][1], targets


def _loaded(name: str) -> _Parts:
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    features, targets = ([str(word) for word in words] for words in (bunch.feature_names, bunch.target_names))
    return bunch.data, np.asarray(bunch.target), features, targets
