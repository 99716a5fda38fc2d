"""What a fitted model of each class holds, with type and shape: the table that a model file is checked against.

A line reads ``name: "kind dimensions | another kind …"``; a name that ends in "?" may be absent. The dimensions are
d features, c classes, k discriminants, n training rows, s support vectors and q, r of no name of their own; "*" is any
shape. All that bear one letter must agree. ``float`` and ``number`` are finite, ``any`` and ``anynumber`` need not be.
Private names are what prediction or a further ``partial_fit`` needs.
"""

from __future__ import annotations

COMMON = {"n_features_in_": "count", "feature_names_in_?": "texts d"}
OUTCOME = {"status_": "status", "report_": "report"}
PASSES = {"n_iter_": "count", "n_corrections_": "count", "history_": "history"}
CLASSIFIER = COMMON | {"classes_": "labels c", "multiclass_": "text", "intercept_": "float k"} | OUTCOME | PASSES
WEIGHTS = {"weights_": "float k 1+d | float 1+d", "coef_": "float k d"}
OPTIONAL_WEIGHTS = {f"{name}?": shape for name, shape in WEIGHTS.items()}
PLANES = CLASSIFIER | WEIGHTS
REGRESSOR = COMMON | {"weights_": "float 1+d", "coef_": "float d", "intercept_": "number"} | OUTCOME
SOLVED = {"rank_": "count", "condition_": "anynumber", "solver_": "text"}
MARGIN = CLASSIFIER | OPTIONAL_WEIGHTS | {
    "support_": "int s",
    "alpha_": "float n | float n k",
    "margin_": "anynumber | any k",
    "gap_": "anynumber | any k",
    "evidence_": "none | float n | float k n",
    "X_fit_?": "matrix n d",
    "dual_coef_?": "float k n",
}  # fmt: skip
NETWORK = COMMON | {
    "coefs_": "layers",
    "intercepts_": "layers",
    "n_outputs_": "count",
    "n_layers_": "count",
    "n_iter_": "count",
    "_units": "int u",
    "status_?": "status",
    "report_?": "report",
    "n_corrections_?": "count",
    "history_?": "history",
}

HELD: dict[str, dict[str, str]] = {
    "Adatron": MARGIN,
    "BalancedWinnow": PLANES | {"exponents_": "float k 1+d | float 1+d", "shift_": "float k | number"},
    "FisherDiscriminant": PLANES | {
        "means_": "float c d",
        "priors_": "float c",
        "rank_": "count",
        "scalings_": "float d q",
        "explained_variance_ratio_": "float q",
        "_n_features_out": "count",
        "_statistics": "statistics",
    },
    "GradientDescent": PLANES,
    "HoKashyap": PLANES | {
        "margins_": "float n | float k n", "errors_": "float n | float k n", "evidence_": "none | float n | float k n",
    },
    "KernelPerceptron": CLASSIFIER | OPTIONAL_WEIGHTS | {
        "X_fit_": "matrix n d", "dual_coef_": "float k n", "alpha_": "float n | float n k", "_largest": "number",
    },
    "LeastSquares": PLANES | SOLVED | {"priors_": "float c"},
    "LeastSquaresRegressor": REGRESSOR | SOLVED,
    "LinearProgram": PLANES | {"objective_": "number | float k", "dual_": "float *"},
    "LogisticDiscriminant": PLANES | {
        "recession_": "none | float 1+d | float k 1+d", "covariance_": "none | float 1+d 1+d",
    },
    "MinOver": MARGIN,
    "MultilayerPerceptron": NETWORK | {"classes_": "labels c", "multiclass_": "text"},
    "MultilayerPerceptronRegressor": NETWORK | {"_flat": "flag"},
    "NewtonDescent": PLANES,
    "Perceptron": PLANES | {"last_weights_?": WEIGHTS["weights_"], "n_copies_?": "count"},
    "PiecewiseLinearMachine": PLANES | {
        "subclasses_": "int k", "weights_": "float k 1+d",
        "status_?": "status", "report_?": "report", "n_iter_?": "count", "n_corrections_?": "count",
        "history_?": "history",
    },
    "PolynomialMap": COMMON | {"n_terms_": "count"},
    "RecursiveLeastSquares": PLANES | {"_state": "state"},
    "Relaxation": PLANES,
    "RidgeRegressor": COMMON | OUTCOME | {
        "weights_?": "float 1+d", "coef_?": "float d", "intercept_": "number", "condition_": "anynumber",
        "solver_": "text", "dual_coef_?": "float n", "X_fit_?": "matrix n d",
    },
    "SupportVectorMachine": CLASSIFIER | OPTIONAL_WEIGHTS | {
        "support_": "int s",
        "n_support_": "int c",
        "dual_coef_": "float r s",
        "margin_": "anynumber | any k",
        "width_": "anynumber | any k",
        "gap_": "anynumber",
        "sigmoids_?": "float 1 2 | float c 2",
        "_strengths": "float r s",
        "_n_rows": "count",
        "_vectors?": "matrix s d",
    },
    "WidrowHoff": PLANES | {"alpha_?": "float n | float n k", "_progress": "progress"},
    "WidrowHoffRegressor": REGRESSOR | PASSES | {"alpha_?": "float n", "_progress": "progress"},
}  # fmt: skip
# A name that is both needed and not: the later line of a class says that it need not be there.
for _held in HELD.values():
    for _name in [name for name in _held if f"{name}?" in _held]:
        del _held[_name]


def names_of(procedure: str) -> tuple[set[str], set[str]]:
    """The attributes that a model of a class must have, and those that it may have."""
    held = HELD[procedure]
    return {name for name in held if not name.endswith("?")}, {name.rstrip("?") for name in held}
