"""The models of tests/io/models_0_1, which version 0.1 wrote before the library was laid out in rooms.

``python tests/old_models.py FOLDER`` writes such files with the library that is installed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import is_regressor
from sklearn.datasets import load_iris

import discriminant as D
from discriminant import io, mercer, schedules

X, Y = (part[::5] for part in load_iris(return_X_y=True))
NAMES = np.array(["setosa", "versicolor", "virginica"])
PAIR = slice(10, 30)
THREE, TWO, TEXT = (X, Y), (X[PAIR], Y[PAIR]), (X, NAMES[Y])
NUMBERS = (X[:, :3], X[:, 3])

CASES = {
    "perceptron_two": (D.Perceptron(max_iter=20), TWO),
    "perceptron_kesler": (D.Perceptron(max_iter=20), TEXT),
    "perceptron_average": (
        D.Perceptron(schedule=schedules.Harmonic(2.0), average=True, multiclass="one-vs-rest", max_iter=9),
        THREE,
    ),
    "perceptron_adaptive": (D.Perceptron(schedule=schedules.Adaptive(patience=3), max_iter=9), TWO),
    "perceptron_pocket": (D.Perceptron(pocket=True, multiclass="one-vs-one", max_iter=9), THREE),
    "perceptron_recorded": (D.Perceptron(record="weights", max_iter=5), TWO),
    "perceptron_slack": (D.Perceptron(slack=1.0, max_iter=9), TWO),
    "kernel_perceptron": (D.KernelPerceptron(kernel="gaussian", max_iter=9), TEXT),
    "balanced_winnow": (D.BalancedWinnow(max_iter=9), TWO),
    "relaxation": (D.Relaxation(max_iter=9), THREE),
    "minover": (D.MinOver(max_iter=9), TWO),
    "adatron": (D.Adatron(kernel=mercer.Gaussian(2.0), max_iter=9), THREE),
    "gradient_descent": (D.GradientDescent(criterion=D.criteria.Logistic, max_iter=9), THREE),
    "newton_descent": (D.NewtonDescent(max_iter=9), TWO),
    "piecewise": (D.PiecewiseLinearMachine(max_iter=9, random_state=0), THREE),
    "least_squares": (D.LeastSquares(losses=[[0, 1, 2], [1, 0, 1], [2, 1, 0]]), THREE),
    "least_squares_regressor": (D.LeastSquaresRegressor(), NUMBERS),
    "ridge_dual": (D.RidgeRegressor(kernel="polynomial"), NUMBERS),
    "fisher": (D.FisherDiscriminant(n_components=1), TEXT),
    "fisher_equal": (D.FisherDiscriminant(within="equal"), TWO),
    "widrow_hoff": (D.WidrowHoff(max_iter=9), THREE),
    "widrow_hoff_rls": (D.WidrowHoff(schedule="rls", max_iter=9), TWO),
    "widrow_hoff_dual": (D.WidrowHoff(dual=True, max_iter=9), TWO),
    "widrow_hoff_regressor": (D.WidrowHoffRegressor(max_iter=9), NUMBERS),
    "recursive_least_squares": (D.RecursiveLeastSquares(), THREE),
    "ho_kashyap": (D.HoKashyap(max_iter=9), THREE),
    "linear_program": (D.LinearProgram(), TWO),
    "svm_linear": (D.SupportVectorMachine(), TEXT),
    "svm_hard": (D.SupportVectorMachine(C=np.inf), (X[:20], Y[:20])),
    "svm_csr": (D.SupportVectorMachine(kernel="gaussian"), (sparse.csr_array(X[PAIR]), Y[PAIR])),
    "svm_probability": (D.SupportVectorMachine(probability=True, kernel=mercer.Polynomial(2)), THREE),
    "logistic": (D.LogisticDiscriminant(), TEXT),
    "logistic_infinite": (D.LogisticDiscriminant(penalty=None), (X[:20], Y[:20])),
    "logistic_float32": (D.LogisticDiscriminant(), (X[PAIR].astype(np.float32), Y[PAIR])),
    "network": (D.MultilayerPerceptron((5, 3), activation="tanh", max_iter=9, random_state=0), TEXT),
    "network_two_outputs": (D.MultilayerPerceptronRegressor((5,), max_iter=9, random_state=0), (X, X[:, :2])),
    "polynomial_map": (D.PolynomialMap(degree=3, interaction_only=True), THREE),
}
PORTIONS = (
    "perceptron_kesler",
    "perceptron_adaptive",
    "fisher",
    "widrow_hoff",
    "widrow_hoff_rls",
    "widrow_hoff_regressor",
    "recursive_least_squares",
    "network",
    "relaxation",
    "balanced_winnow",
)
TABLE = """height,weight,color,sold
1.5,70,red,no
1.7,,blue,no
1.9,90,green,yes
1.6,64,red,yes
1.8,88,,yes
1.4,51,blue,no
1.75,80,green,no
2.0,99,red,yes
"""


def answers(model: Any, given: Any) -> dict[str, Any]:
    """All that a model says about patterns, as JSON holds it."""
    found = {}
    for name in ("predict", "decision_function", "predict_proba", "transform"):
        if hasattr(model, name):
            value = getattr(model, name)(given)
            found[name] = (value.toarray() if sparse.issparse(value) else value).tolist()
    return found


def learned(name: str) -> Any:
    """The model of a case, from portions where it goes on with them."""
    model, (given, y) = CASES[name]
    if name not in PORTIONS:
        return model.fit(given, y)
    n, rows = len(y) // 2, np.random.default_rng(0).permutation(len(y))
    known = {} if is_regressor(model) else {"classes": np.unique(y)}
    for part in (rows[:n], rows[n:]):
        model.partial_fit(given[part], y[part], **known)
    return model


def table(folder: Path) -> Any:
    """The matrix that the recipe makes of the table, and the model beside it."""
    model, recipe = io.load_with_recipe(folder / "recipe.json")
    assert recipe is not None
    return model, recipe.apply(io.read(folder / "table.csv").drop("sold"))


def main(folder: Path) -> None:
    """Write the model files, a table, and what the models say."""
    told: dict[str, Any] = {}
    for name, (_, (given, y)) in CASES.items():
        model = learned(name)
        io.save(model, folder / f"{name}.json")
        told[name] = {"answers": answers(model, given)}
        if hasattr(model, "partial_fit"):
            again = io.load(folder / f"{name}.json").partial_fit(given, y)
            told[name]["after_a_portion"] = answers(again, given)
    (folder / "table.csv").write_text(TABLE)
    options = ["-t", "sold", "--missing", "median", "--standardize", "-m", "logistic", "-q"]
    command = ["fit", str(folder / "table.csv"), *options, "-o", str(folder / "recipe.json")]
    subprocess.run([sys.executable, "-m", "discriminant", *command], check=True, stdout=subprocess.DEVNULL)
    told["recipe"] = {"answers": answers(*table(folder))}
    lines = [f"{json.dumps(name)}: {json.dumps(each)}" for name, each in told.items()]
    (folder / "answers.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(Path(sys.argv[1]))
