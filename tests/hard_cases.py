"""Hard data for every estimator: the configurations that have to bear it, and what makes a case.

A case is a subject (an estimator as it is written in Python, or the name of a function), kinds of trouble, and a seed.
It makes the same data at every run, and its text is the reproducer: ``make fuzz CASE='Perceptron() | far 1e+09 | 3'``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from hard_data import GROUPS, KINDS, Data, ordinary

import discriminant as D

CONFIGURATIONS = """
Adatron(max_iter=500) Adatron(kernel='gaussian',max_iter=500) Adatron(multiclass='one-vs-one',max_iter=50)
Adatron(tol=0,max_iter=100) BalancedWinnow() BalancedWinnow(order='random',multiclass='one-vs-one')
BalancedWinnow(record='weights',max_iter=20) FisherDiscriminant()
FisherDiscriminant(within='equal',threshold='midpoint') FisherDiscriminant(shrinkage='auto')
FisherDiscriminant(shrinkage=0.5,n_components=1) GradientDescent() GradientDescent(criterion='squared')
GradientDescent(criterion='perceptron',max_iter=50) GradientDescent(criterion='hinge',max_iter=50)
GradientDescent(criterion='minimax',max_iter=50) GradientDescent(criterion='logistic',multiclass='one-vs-one')
GradientDescent(criterion='relaxation') GradientDescent(criterion='squared_hinge',schedule=0.1)
GradientDescent(tol=0,max_iter=50) GradientDescent(schedule=0.01) HoKashyap() HoKashyap(variant='modified')
HoKashyap(variant='descent',eta='optimal',max_iter=500) HoKashyap(multiclass='one-vs-one',max_iter=100)
HoKashyap(tol=0,max_iter=100) HoKashyap(variant='descent',R='gram') KernelPerceptron() KernelPerceptron('gaussian')
KernelPerceptron('gaussian',bias='augmented',multiclass='one-vs-one')
KernelPerceptron('polynomial',margin=1.0,order='random') KernelPerceptron(multiclass='one-vs-rest',max_iter=20)
LeastSquares() LeastSquares(targets='fisher') LeastSquares(targets='posterior') LeastSquaresRegressor()
LinearProgram() LinearProgram(criterion='minimax') LinearProgram(multiclass='one-vs-one') LinearProgram(b=1e-9)
LogisticDiscriminant() LogisticDiscriminant(C=1e10) LogisticDiscriminant(penalty=None) LogisticDiscriminant(tol=0)
LogisticDiscriminant(penalty='firth') LogisticDiscriminant(loss='squared')
LogisticDiscriminant(class_weight='balanced') MinOver(max_iter=500) MinOver(kernel='gaussian',max_iter=500)
MinOver(step='fixed',max_iter=500) MinOver(multiclass='one-vs-one',max_iter=100) MinOver(tol=0,max_iter=100)
MultilayerPerceptron((5,),max_iter=20)
MultilayerPerceptron((4,3),'tanh',loss='squared',early_stopping=True,max_iter=20)
MultilayerPerceptron((3,),'sigmoid',solver='sgd',order='cyclic',max_iter=20)
MultilayerPerceptron((),tol=0,max_iter=20) MultilayerPerceptronRegressor((5,),max_iter=20)
MultilayerPerceptronRegressor((5,),solver='sgd',max_iter=20) NewtonDescent() NewtonDescent(criterion='squared')
NewtonDescent(criterion='logistic',multiclass='one-vs-one') NewtonDescent(tol=0,max_iter=20) Perceptron()
Perceptron(batch=True) Perceptron(bias='radius',order='random') Perceptron(average=True,max_iter=50)
Perceptron(pocket=True,multiclass='one-vs-one',max_iter=50) Perceptron(slack=1.0,multiclass='one-vs-rest')
Perceptron(margin=1.0,schedule='harmonic',record='weights',max_iter=50) Perceptron(batch=True,multiclass='one-vs-one')
PiecewiseLinearMachine() PiecewiseLinearMachine(n_subclasses=3,order='cyclic',max_iter=50) PolynomialMap()
PolynomialMap(degree=3,interaction_only=True) RecursiveLeastSquares()
RecursiveLeastSquares(delta=1e-12,forgetting=0.9) RecursiveLeastSquares(order='random') Relaxation()
Relaxation(batch=True) Relaxation(eta=2.0,order='random',multiclass='one-vs-one') Relaxation(margin=1e-9)
RidgeRegressor() RidgeRegressor(dual=True) RidgeRegressor(alpha=0) RidgeRegressor(kernel='gaussian')
SupportVectorMachine() SupportVectorMachine(inf) SupportVectorMachine(1e10) SupportVectorMachine(tol=0)
SupportVectorMachine(kernel='gaussian') SupportVectorMachine(kernel='polynomial',C=inf)
SupportVectorMachine(loss='squared_hinge') SupportVectorMachine(loss='squared_hinge',intercept='augmented')
SupportVectorMachine(intercept='augmented') SupportVectorMachine(multiclass='one-vs-rest',class_weight='balanced')
SupportVectorMachine(probability=True) SupportVectorMachine(kernel='gaussian',probability=True)
SupportVectorMachine(kernel='gaussian',loss='squared_hinge',C=1e10) WidrowHoff() WidrowHoff(batch=True)
WidrowHoff(dual=True) WidrowHoff(schedule='rls',order='random') WidrowHoff(batch=True,schedule='optimal')
WidrowHoff(batch=True,multiclass='one-vs-one',tol=0,max_iter=50) WidrowHoffRegressor() WidrowHoffRegressor(batch=True)
WidrowHoffRegressor(dual=True,max_iter=50)
"""
ESTIMATORS = CONFIGURATIONS.split()


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
