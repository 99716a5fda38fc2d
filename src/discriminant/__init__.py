"""Linear discriminant functions: the classical procedures under one API, with proofs, histories and plain words.

Names are imported when they are first used: ``import discriminant`` loads neither numba nor scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._guards.lazy import lazy

__version__ = "0.1.0"

# The registry: each file of a chapter with its estimators, in the order in which `compare` lists them.
_PROCEDURES = {
    "error_correcting.perceptron": ("Perceptron",),
    "error_correcting.kernel_perceptron": ("KernelPerceptron",),
    "error_correcting.winnow": ("BalancedWinnow",),
    "error_correcting.relaxation": ("Relaxation",),
    "error_correcting.minover": ("MinOver",),
    "error_correcting.adatron": ("Adatron",),
    "descent.gradient": ("GradientDescent",),
    "descent.newton": ("NewtonDescent",),
    "squared_error.least_squares": ("LeastSquares", "LeastSquaresRegressor"),
    "squared_error.fisher": ("FisherDiscriminant",),
    "squared_error.ridge": ("RidgeRegressor",),
    "squared_error.widrow_hoff": ("WidrowHoff",),
    "squared_error.widrow_hoff_regressor": ("WidrowHoffRegressor",),
    "squared_error.recursive_least_squares": ("RecursiveLeastSquares",),
    "squared_error.ho_kashyap": ("HoKashyap",),
    "linear_programming.linear_program": ("LinearProgram",),
    "svm.estimator": ("SupportVectorMachine",),
    "logistic.estimator": ("LogisticDiscriminant",),
    "error_correcting.piecewise": ("PiecewiseLinearMachine",),
    "mlp.classifier": ("MultilayerPerceptron",),
    "mlp.regressor": ("MultilayerPerceptronRegressor",),
}
_HOMES = _PROCEDURES | {
    "geometry": ("Hyperplane", "LinearMachine", "augment", "normalize", "unaugment"),
    "quadrics": ("Quadric", "classify_quadric"),
    "margin_distribution": ("MarginDistribution", "margins"),
    "features": ("PolynomialMap",),
    "multiclass": ("kesler",),
    "solution": ("Report", "Status"),
    "base.trace": ("Trace",),
    "exceptions": (
        "FitInterruptedWarning",
        "NotSeparableError",
        "UndecidedError",
    ),
    "unfinished": ("InfiniteEstimateWarning", "NotConvergedWarning"),
    "formulas.formula": ("Design", "design"),
    "error_correcting.exhaustive": ("integer_search",),
    "logistic.table": ("CoefficientTable",),
    "linear_programming.removals": ("Removals", "minimum_removals"),
    "svm.selection": ("feature_ranking", "leave_one_out", "pattern_ranking", "svm_path"),
    "separation.certificate": ("Certificate",),
    "separation.answer": ("Separability",),
    "separation.verdict": ("separability",),
    "comparison.run": ("Comparison", "compare"),
    "diagnosing.diagnoses": ("Diagnosis", "diagnose"),
    "diagnosing.watching": ("watch_separation",),
    "warming.run": ("warm_up",),
}
_MODULES = ("bounds", "criteria", "datasets", "distributed", "io", "mercer", "plot", "schedules")
_named, _names = lazy(__name__, _HOMES)

__all__ = sorted([*_names(), *_MODULES, "__version__"])

if TYPE_CHECKING:
    from . import bounds as bounds
    from . import criteria as criteria
    from . import datasets as datasets
    from . import distributed as distributed
    from . import io as io
    from . import mercer as mercer
    from . import plot as plot
    from . import schedules as schedules
    from .base.trace import Trace as Trace
    from .comparison.run import Comparison as Comparison
    from .comparison.run import compare as compare
    from .descent.gradient import GradientDescent as GradientDescent
    from .descent.newton import NewtonDescent as NewtonDescent
    from .diagnosing.diagnoses import Diagnosis as Diagnosis
    from .diagnosing.diagnoses import diagnose as diagnose
    from .diagnosing.watching import watch_separation as watch_separation
    from .error_correcting.adatron import Adatron as Adatron
    from .error_correcting.exhaustive import integer_search as integer_search
    from .error_correcting.kernel_perceptron import KernelPerceptron as KernelPerceptron
    from .error_correcting.minover import MinOver as MinOver
    from .error_correcting.perceptron import Perceptron as Perceptron
    from .error_correcting.piecewise import PiecewiseLinearMachine as PiecewiseLinearMachine
    from .error_correcting.relaxation import Relaxation as Relaxation
    from .error_correcting.winnow import BalancedWinnow as BalancedWinnow
    from .exceptions import FitInterruptedWarning as FitInterruptedWarning
    from .exceptions import NotSeparableError as NotSeparableError
    from .exceptions import UndecidedError as UndecidedError
    from .features import PolynomialMap as PolynomialMap
    from .formulas.formula import Design as Design
    from .formulas.formula import design as design
    from .geometry import Hyperplane as Hyperplane
    from .geometry import LinearMachine as LinearMachine
    from .geometry import augment as augment
    from .geometry import normalize as normalize
    from .geometry import unaugment as unaugment
    from .linear_programming.linear_program import LinearProgram as LinearProgram
    from .linear_programming.removals import Removals as Removals
    from .linear_programming.removals import minimum_removals as minimum_removals
    from .logistic.estimator import LogisticDiscriminant as LogisticDiscriminant
    from .logistic.table import CoefficientTable as CoefficientTable
    from .margin_distribution import MarginDistribution as MarginDistribution
    from .margin_distribution import margins as margins
    from .mlp.classifier import MultilayerPerceptron as MultilayerPerceptron
    from .mlp.regressor import MultilayerPerceptronRegressor as MultilayerPerceptronRegressor
    from .multiclass import kesler as kesler
    from .quadrics import Quadric as Quadric
    from .quadrics import classify_quadric as classify_quadric
    from .separation.answer import Separability as Separability
    from .separation.certificate import Certificate as Certificate
    from .separation.verdict import separability as separability
    from .solution import Report as Report
    from .solution import Status as Status
    from .squared_error.fisher import FisherDiscriminant as FisherDiscriminant
    from .squared_error.ho_kashyap import HoKashyap as HoKashyap
    from .squared_error.least_squares import LeastSquares as LeastSquares
    from .squared_error.least_squares import LeastSquaresRegressor as LeastSquaresRegressor
    from .squared_error.recursive_least_squares import RecursiveLeastSquares as RecursiveLeastSquares
    from .squared_error.ridge import RidgeRegressor as RidgeRegressor
    from .squared_error.widrow_hoff import WidrowHoff as WidrowHoff
    from .squared_error.widrow_hoff_regressor import WidrowHoffRegressor as WidrowHoffRegressor
    from .svm.estimator import SupportVectorMachine as SupportVectorMachine
    from .svm.selection import feature_ranking as feature_ranking
    from .svm.selection import leave_one_out as leave_one_out
    from .svm.selection import pattern_ranking as pattern_ranking
    from .svm.selection import svm_path as svm_path
    from .unfinished import InfiniteEstimateWarning as InfiniteEstimateWarning
    from .unfinished import NotConvergedWarning as NotConvergedWarning
    from .warming.run import warm_up as warm_up


def __getattr__(name: str) -> Any:
    return import_module(f".{name}", __name__) if name in _MODULES else _named(name)


def __dir__() -> list[str]:
    return __all__
