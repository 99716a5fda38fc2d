"""The names that users import: those that version 0.1 had, before the library was laid out in rooms."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

# Modules that say in ``__all__`` what is theirs.
MODULES = {
    "discriminant": """
        Adatron BalancedWinnow Certificate CoefficientTable Comparison Design Diagnosis FisherDiscriminant
        FitInterruptedWarning GradientDescent HoKashyap Hyperplane InfiniteEstimateWarning KernelPerceptron
        LeastSquares LeastSquaresRegressor LinearMachine LinearProgram LogisticDiscriminant MarginDistribution
        MinOver MultilayerPerceptron MultilayerPerceptronRegressor NewtonDescent NotConvergedWarning
        NotSeparableError Perceptron PiecewiseLinearMachine PolynomialMap Quadric RecursiveLeastSquares
        Relaxation Removals Report RidgeRegressor Separability Status SupportVectorMachine Trace UndecidedError
        WidrowHoff WidrowHoffRegressor __version__ augment bounds classify_quadric compare criteria datasets
        design diagnose distributed feature_ranking integer_search io kesler leave_one_out margins mercer
        minimum_removals normalize pattern_ranking plot schedules separability svm_path unaugment warm_up
        watch_separation
    """,
    "discriminant.bounds": """
        BiasBounds PerceptronBound bias_updates cover embedding_strength freund_schapire novikoff perceptron
        perceptron_from_numbers radius support_vector
    """,
    "discriminant.comparison": "ALIASES Comparison INTERRUPTED METHODS Procedure Row compare",
    "discriminant.criteria": """
        Criterion Errors Hinge Logistic MeanSquaredError Minimax Perceptron Relaxation Sigmoid Squared SquaredError
        SquaredHinge get names
    """,
    "discriminant.datasets": """
        Dataset GaussianPosterior alligators and_function boolean breast_cancer collinear_three digits
        endometrial exercise gaussian_pair gradient_example half_space_example hepatitis hessian_example
        inseparable_six iris lizards load logistic_four margin_six murder_rates names or_function overlap parity
        perceptron_example planted_margin pseudoinverse_example redundant regression_example seven sex2
        slides_eight slides_five svm_three symmetric_six table wine xor xor_signed
    """,
    "discriminant.distributed": "decision_function fit predict predict_proba separability",
    "discriminant.features": "PolynomialMap",
    "discriminant.geometry": "Hyperplane LinearMachine augment normalize unaugment",
    "discriminant.io": """
        ModelFileError Recipe Stream Table TableError dumps export_onnx load load_with_recipe loads read save scan
        stream write
    """,
    "discriminant.margin_distribution": "MarginDistribution margins",
    "discriminant.mercer": "Custom Gaussian Kernel Linear Polynomial Precomputed Sigmoid get",
    "discriminant.plot": """
        RegionsDisplay animate bayes boundary criterion_surface feature_space history hulls margin_distribution
        network path regions replay report steps weight_space
    """,
    "discriminant.quadrics": "Quadric classify_quadric",
    "discriminant.samples": "Samples as_matrix as_vector gram product row_sqnorms transposed_product",
    "discriminant.schedules": "Adaptive Conditions Constant Custom Harmonic Linear Optimal ScalarRLS Schedule get",
}
# And others, where these must be found.
PLACES = {
    "discriminant.svm": "SupportVectorMachine",
    "discriminant.logistic": "LogisticDiscriminant",
    "discriminant.mlp": "MultilayerPerceptron",
    "discriminant.separation": "Separability separability",
    "discriminant.descent": "GradientDescent NewtonDescent",
    "discriminant.multiclass": "ambiguous first_of_pairs kesler n_problems pairs pairwise_scores relabel votes",
    "discriminant.exceptions": """
        FitInterruptedWarning InfiniteEstimateWarning NotConvergedWarning NotSeparableError UndecidedError
    """,
    "discriminant.solution": "Report Status",
}


@pytest.mark.parametrize("module", MODULES)
def test_a_public_module_has_the_names_it_had(module: str) -> None:
    found = import_module(module)
    assert sorted(found.__all__) == MODULES[module].split()
    assert all(hasattr(found, name) for name in found.__all__)


@pytest.mark.parametrize("module", PLACES)
def test_a_public_name_is_where_it_was(module: str) -> None:
    found = import_module(module)
    assert [name for name in PLACES[module].split() if not hasattr(found, name)] == []


@pytest.mark.parametrize("module", ["discriminant", "discriminant.comparison", "discriminant.io"])
def test_names_are_imported_when_they_are_first_used(module: str) -> None:
    code = (
        f"import sys, {module} as found\n"
        "assert not {'numba', 'sklearn', 'scipy', 'polars'} & set(sys.modules)\n"
        "assert set(dir(found)) >= set(found.__all__)\n"
        "try: found.nonsense\n"
        "except AttributeError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == f"module {module!r} has no attribute 'nonsense'\n"
