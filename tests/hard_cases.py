"""Hard data for every estimator: the configurations that have to bear it, and what makes a case.

A case is a subject (an estimator as it is written in Python, or the name of a function), kinds of trouble, and a seed.
It makes the same data at every run, and its text is the reproducer: ``make fuzz CASE='Perceptron() | far 1e+09 | 3'``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from hard_data import GROUPS, KINDS, Data, ordinary

import discriminant as D

# The parameters of an estimator, set by set, beside its defaults; one that is not listed is tried with these alone.
CONFIGURATIONS = {
    "Adatron": (
        "max_iter=500; kernel='gaussian', max_iter=500; multiclass='one-vs-one', max_iter=50; tol=1e-15, max_iter=100"
    ),
    "BalancedWinnow": "order='random', multiclass='one-vs-one'; record='weights', max_iter=20",
    "FisherDiscriminant": (
        "within='equal', threshold='midpoint'; threshold='mean'; shrinkage='auto'; shrinkage=0.5, n_components=1"
    ),
    "GradientDescent": (
        "criterion='squared'; criterion='perceptron', max_iter=50; criterion='hinge', max_iter=50; "
        "criterion='minimax', max_iter=50; criterion='logistic', multiclass='one-vs-one'; "
        "criterion='relaxation'; criterion='squared_hinge', schedule=0.1; tol=0, max_iter=50; schedule=0.01; "
        "criterion='sigmoid', max_iter=50, schedule=0.1; criterion='mean_squared'"
    ),
    "HoKashyap": (
        "variant='modified', max_iter=500; variant='descent', eta='optimal', max_iter=500; "
        "multiclass='one-vs-one', max_iter=100; tol=0, max_iter=100; "
        "variant='descent', R='gram', max_iter=500"
    ),
    "KernelPerceptron": (
        "'gaussian'; 'gaussian', bias='augmented', multiclass='one-vs-one'; "
        "'polynomial', margin=1.0, order='random'; multiclass='one-vs-rest', max_iter=20; "
        "'sigmoid', max_iter=50"
    ),
    "LeastSquares": "targets='fisher'; targets='posterior'",
    "LinearProgram": (
        "criterion='minimax'; multiclass='one-vs-one'; b=1e-9; criterion='minimax', multiclass='one-vs-rest'"
    ),
    "LogisticDiscriminant": (
        "C=1e10; penalty=None; tol=0; penalty='firth'; loss='squared'; class_weight='balanced'; C=1e-10"
    ),
    "MinOver": (
        "max_iter=500; kernel='gaussian', max_iter=500; step='fixed', max_iter=500; "
        "multiclass='one-vs-one', max_iter=100; tol=1e-15, max_iter=100"
    ),
    "MultilayerPerceptron": (
        "(5,), max_iter=20; (4,3), 'tanh', loss='squared', early_stopping=True, validation_fraction=0.3, max_iter=20; "
        "(3,), 'sigmoid', solver='sgd', order='cyclic', record='weights', max_iter=20; (), tol=0, max_iter=20; "
        "(3,), 'linear', class_weight='balanced', max_iter=20"
    ),
    "MultilayerPerceptronRegressor": "(5,), max_iter=20; (5,), solver='sgd', max_iter=20",
    "NewtonDescent": (
        "criterion='squared'; criterion='logistic', multiclass='one-vs-one'; tol=0, max_iter=20; "
        "criterion='squared_hinge'"
    ),
    "Perceptron": (
        "batch=True; bias='radius', order='random'; average=True, patience=5, max_iter=50; "
        "pocket=True, multiclass='one-vs-one', max_iter=50; slack=1.0, multiclass='one-vs-rest'; "
        "margin=1.0, schedule='harmonic', record='weights', max_iter=50; batch=True, multiclass='one-vs-one'"
    ),
    "PiecewiseLinearMachine": "n_subclasses=3, order='cyclic', max_iter=50",
    "PolynomialMap": "degree=3, interaction_only=True",
    "RecursiveLeastSquares": "delta=1e-12, forgetting=0.9; order='random'",
    "Relaxation": "batch=True; eta=1.99, order='random', multiclass='one-vs-one'; margin=1e-9",
    "RidgeRegressor": "dual=True; alpha=0; kernel='gaussian'; kernel='polynomial'",
    "SupportVectorMachine": (
        "inf; 1e10; tol=1e-15; kernel='gaussian'; kernel='polynomial', C=inf; loss='squared_hinge'; "
        "loss='squared_hinge', intercept='augmented'; intercept='augmented'; "
        "multiclass='one-vs-rest', class_weight='balanced'; probability=True; "
        "kernel='gaussian', probability=True; kernel='gaussian', loss='squared_hinge', C=1e10; C=1e-10"
    ),
    "WidrowHoff": (
        "batch=True; dual=True, order='replacement'; schedule='rls', order='random'; batch=True, schedule='optimal'; "
        "batch=True, multiclass='one-vs-one', tol=0, max_iter=50"
    ),
    "WidrowHoffRegressor": "batch=True; dual=True, order='replacement', record='weights', max_iter=50",
}
LONG = ("Adatron", "MinOver", "MultilayerPerceptron", "MultilayerPerceptronRegressor")  # by their defaults
ESTIMATORS = [
    f"{name}({given})"
    for name in sorted(["PolynomialMap", *(kind for kinds in D._PROCEDURES.values() for kind in kinds)])
    for given in dict.fromkeys([*([] if name in LONG else [""]), *CONFIGURATIONS.get(name, "").split("; ")])
]


class Case(NamedTuple):
    """One subject on one table; ``str`` and ``Case.read`` are each other's reverse."""

    subject: str
    kinds: tuple[str, ...]
    seed: int

    def __str__(self) -> str:
        return f"{self.subject} | {' + '.join(self.kinds)} | {self.seed}"

    @classmethod
    def read(cls, text: str) -> Case:
        """The case of a reproducer."""
        subject, kinds, seed = (part.strip() for part in text.split("|"))
        return cls(subject, tuple(kinds.split(" + ")), int(seed))

    def data(self) -> Data:
        """The table of the case: an ordinary one that each kind of trouble has spoilt."""
        rng = np.random.default_rng(self.seed)
        data = ordinary(rng)
        with np.errstate(all="ignore"):  # 1e300 in float32
            for kind in sorted(self.kinds, key=list(KINDS).index):
                data = KINDS[kind](data, rng)
        return data

    def estimator(self) -> Any:
        """The subject, with a fixed seed."""
        model = eval(self.subject, {"inf": np.inf, **{name: getattr(D, name) for name in D.__all__}})
        return model.set_params(random_state=0) if "random_state" in model.get_params() else model


def draw(subjects: list[str], rng: np.random.Generator) -> Case:
    """A case at random: mostly one kind of trouble, at times one of each of two or three groups."""
    groups = rng.permutation(len(GROUPS))[: rng.choice([1, 2, 3], p=[0.6, 0.3, 0.1])]
    kinds = tuple(str(rng.choice(list(GROUPS[group]))) for group in sorted(groups))
    return Case(str(rng.choice(subjects)), kinds, int(rng.integers(1000)))
