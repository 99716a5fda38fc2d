"""What a cluster of processes fits is what is fitted in memory."""

import dask.array as da
import numpy as np
import pytest
from distributed import Client
from portions import rest_in_ci
from scipy import sparse

from discriminant import (
    FisherDiscriminant,
    HoKashyap,
    LeastSquares,
    LogisticDiscriminant,
    MinOver,
    Perceptron,
    RecursiveLeastSquares,
    Relaxation,
    RidgeRegressor,
    Status,
    SupportVectorMachine,
    WidrowHoff,
    WidrowHoffRegressor,
    distributed,
    separability,
)
from discriminant.distributed.warm import LocalBlocks
from discriminant.error_correcting.mixing import fit_mixed

SUMS = [
    LeastSquares(),
    FisherDiscriminant(),
    LogisticDiscriminant(),
    LogisticDiscriminant(class_weight="balanced"),
    SupportVectorMachine(loss="squared_hinge"),
]


def clouds(rng, n=300, d=3, c=2, apart=1.5):
    """Rows of c classes, which overlap where they are not far apart."""
    y = rng.integers(0, c, n)
    return rng.normal(size=(n, d)) + apart * rng.normal(size=(c, d))[y], y


def separable(rng, c=2):
    """300 rows that a linear machine separates with a margin."""
    X = rng.normal(size=(2000, 3))
    g = np.sort(X @ (W := rng.normal(size=(3, c))), axis=1)
    kept = np.flatnonzero(g[:, -1] - g[:, -2] > 1)[:300]
    return X[kept], (X[kept] @ W).argmax(axis=1)


def assert_same(found, expected, tol=1e-9):
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=tol, atol=tol * np.abs(expected.coef_).max())
    np.testing.assert_allclose(found.intercept_, expected.intercept_, rtol=tol, atol=tol)


@pytest.mark.parametrize("model", SUMS, ids=str)
def test_sums_give_the_model_of_memory(client, rng, model):
    X, y = clouds(rng)
    expected = type(model)(**model.get_params()).fit(X, y)
    found = distributed.fit(model, da.from_array(X, chunks=(70, -1)), da.from_array(y, chunks=70))
    assert found is model
    assert_same(found, expected, 1e-8)
    assert found.status_ is expected.status_
    assert found.report_.to_dict()["n_samples"] == 300


def test_one_round_is_a_pass_of_recursive_least_squares(client, rng):
    X, y = clouds(rng, c=3)
    y[:60] = 1  # a chunk that lacks classes
    expected = RecursiveLeastSquares().fit(X, y)
    found = distributed.fit(RecursiveLeastSquares(), da.from_array(X, chunks=(60, -1)), y)
    assert_same(found, expected)
    np.testing.assert_allclose(found.R_, expected.R_, rtol=1e-9, atol=1e-12)
    assert_same(found.partial_fit(X[:50], y[:50]), expected.partial_fit(X[:50], y[:50]))


@pytest.mark.parametrize("schedule", [None, pytest.param("optimal", marks=pytest.mark.ci)])
def test_batch_steps_of_a_regressor(client, schedule, rng):
    X, weight = rng.normal(size=(300, 4)), rng.uniform(0, 2, 300)
    t = X @ np.arange(4) + rng.normal(size=300)
    options = {"batch": True, "schedule": schedule, "tol": 1e-3}
    expected = WidrowHoffRegressor(**options).fit(X, t, weight)
    found = distributed.fit(WidrowHoffRegressor(**options), da.from_array(X, chunks=(100, -1)), t, weight)
    assert_same(found, expected)
    assert (found.status_, found.n_iter_) == (Status.CONVERGED, expected.n_iter_)


@pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
@pytest.mark.parametrize("kind", [Perceptron, pytest.param(Relaxation, marks=pytest.mark.ci)])
def test_batch_steps_with_an_empty_chunk_and_a_checkpoint(client, kind, rng, tmp_path):
    X, y = rng.integers(-5, 6, (300, 3)).astype(float), np.sort(rng.integers(0, 3, 300))  # chunks of one class
    kept = (np.arange(300) < 100) | (np.arange(300) >= 150)  # the third chunk is empty
    lazy, labels, mask = (da.from_array(part, chunks=50) for part in (X, y, kept))
    expected = kind(batch=True, max_iter=6).fit(X[kept], y[kept])
    given = {"checkpoint": tmp_path / "fit.json", "every": 0}
    found = distributed.fit(kind(batch=True, max_iter=6), lazy.rechunk((50, -1))[mask], labels[mask], **given)
    assert_same(found, expected, 0 if kind is Perceptron else 1e-9)
    assert (found.status_, found.n_iter_) == (expected.status_, expected.n_iter_)
    assert not (tmp_path / "fit.json").exists()


@pytest.mark.filterwarnings("ignore::discriminant.NotConvergedWarning")
@pytest.mark.parametrize(
    "options", [{}, pytest.param({"variant": "descent", "eta": "optimal"}, marks=pytest.mark.ci)], ids=str
)
def test_the_margins_of_ho_kashyap_stay_with_their_chunks(client, options, rng):
    X, y = clouds(rng, apart=0.5)
    weight = rng.integers(0, 3, 300).astype(float)
    expected = HoKashyap(max_iter=5, **options).fit(X, y, weight)
    found = distributed.fit(HoKashyap(max_iter=5, **options), da.from_array(X, chunks=(100, -1)), y, weight)
    assert_same(found, expected)
    assert (found.status_, found.n_iter_) == (expected.status_, expected.n_iter_)
    np.testing.assert_allclose(found.history_["criterion"], expected.history_["criterion"])
    assert not hasattr(found, "margins_")


@pytest.mark.ci
@pytest.mark.filterwarnings("ignore:Sending large graph:UserWarning")  # the data lie in the graph of the test
def test_many_columns_take_gradients_alone(client, rng):
    X = rng.normal(size=(900, 2300))
    y = (X[:, :9].sum(axis=1) + rng.normal(size=900) > 0).astype(int)
    lazy = da.from_array(X[:, :1150], chunks=(300, -1)), da.from_array(X[:, 1150:], chunks=(300, -1))
    found = distributed.fit(LogisticDiscriminant(C=0.01), da.concatenate(lazy, axis=1), y)
    assert_same(found, LogisticDiscriminant(C=0.01).fit(X, y), 1e-7)


@pytest.mark.parametrize("make", rest_in_ci([sparse.csr_matrix, np.asarray]))
@pytest.mark.parametrize("intercept", rest_in_ci(["free", "augmented"]))
def test_many_columns_of_squared_slack(client, rng, make, intercept):
    X = np.where(rng.random((150, 1600)) < 0.05, rng.normal(size=(150, 1600)), 0)
    y = np.where(X[:, :300].sum(axis=1) > 0, "yes", "no")
    settings = {"loss": "squared_hinge", "C": 0.02, "intercept": intercept}
    chunks = da.from_array(X, chunks=(50, -1)).map_blocks(make)
    found = distributed.fit(SupportVectorMachine(**settings), chunks, y)
    expected = SupportVectorMachine(**settings).fit(X, y)
    assert found.status_ is Status.CONVERGED
    assert found.gap_ <= 1e-6
    value = [model.report_.to_dict()["details"]["criterion value"] for model in (found, expected)]
    assert value[0] == pytest.approx(value[1], rel=1e-6)
    assert ((found.coef_ - expected.coef_) ** 2).sum() / 2 <= 1e-6 * value[1]


def test_three_classes_with_names_and_weights(client, rng):
    X, y = clouds(rng, c=3)
    labels, weight = np.array(["iris", "a rose", "tulip"])[y], rng.integers(0, 3, 300).astype(float)
    expected = LogisticDiscriminant().fit(X, labels, weight)
    chunks = da.from_array(X, chunks=(64, 2))  # columns are joined
    found = distributed.fit(LogisticDiscriminant(), chunks, da.from_array(labels, chunks=100), weight)
    assert found.classes_.tolist() == ["a rose", "iris", "tulip"]
    assert_same(found, expected, 1e-7)


def test_regression(client, rng):
    X = rng.normal(size=(200, 4))
    y = X @ [1.0, 2.0, 3.0, 4.0] + rng.normal(size=200)
    found = distributed.fit(RidgeRegressor(alpha=0.5), da.from_array(X, chunks=(60, -1)), y)
    assert_same(found, RidgeRegressor(alpha=0.5).fit(X, y))


def test_unknown_and_empty_chunks_and_a_class_that_a_chunk_lacks(client, rng):
    X, y = clouds(rng)
    order = np.argsort(y, kind="stable")  # whole chunks of one class
    X, y = X[order], y[order]
    kept = (X[:, 0] > -5) & ~((np.arange(300) >= 100) & (np.arange(300) < 150))  # the third chunk is empty
    lazy, labels, mask = (da.from_array(part, chunks=50) for part in (X, y, kept))
    found = distributed.fit(LeastSquares(), lazy.rechunk((50, -1))[mask], labels[mask])
    assert_same(found, LeastSquares().fit(X[kept], y[kept]))


@pytest.mark.parametrize("dtype", rest_in_ci([np.float32, np.float64]))
def test_csr_chunks(client, rng, dtype):
    X, y = clouds(rng, d=6)
    X = np.where(rng.random(X.shape) < 0.5, X, 0).astype(dtype)
    chunks = da.from_array(X, chunks=(64, -1)).map_blocks(sparse.csr_matrix)
    found = distributed.fit(LogisticDiscriminant(), chunks, y)
    assert found.coef_.dtype == dtype
    assert_same(found, LogisticDiscriminant().fit(sparse.csr_matrix(X), y), 1e-7 if dtype == np.float64 else 1e-3)


def test_data_frames(client, rng):
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    X, y = clouds(rng)
    frame = pd.DataFrame(X, columns=["long", "wide", "deep"]).assign(kind=np.where(y == 1, "yes", "no"))
    lazy = dd.from_pandas(frame, npartitions=4)
    found = distributed.fit(LogisticDiscriminant(), lazy[["long", "wide", "deep"]], lazy["kind"])
    expected = LogisticDiscriminant().fit(frame[["long", "wide", "deep"]], frame["kind"])
    assert_same(found, expected, 1e-8)
    assert found.feature_names_in_.tolist() == ["long", "wide", "deep"]
    answers = distributed.predict(found, lazy[["long", "wide", "deep"]])
    assert answers.compute().tolist() == expected.predict(frame[["long", "wide", "deep"]]).tolist()


def test_what_a_chunk_holds_wrongly_is_refused_with_its_name(client, rng):
    X, y = clouds(rng)
    X[131, 2] = np.nan
    with pytest.raises(ValueError, match=r"chunk \(2, 0\): X contains NaN, first in row 31, column 2"):
        distributed.fit(LeastSquares(), da.from_array(X, chunks=(50, -1)), y)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": np.ones((3, 2))}, "X=ndarray must be a dask array or data frame"),
        ({"X": da.ones(4)}, "must be a table of known width"),
        ({"y": np.ones(7)}, r"y has shape \(7,\); give one for each of the 300 rows"),
        ({"model": MinOver()}, "must be one of FisherDiscriminant, .* on a cluster"),
        ({"model": WidrowHoff()}, "batch=False must be True on a cluster"),
        ({"model": WidrowHoff(batch=True, dual=True)}, "here dual=True keeps a number for each row"),
        ({"model": Perceptron(pocket=True)}, "pocket=True must be False"),
        ({"model": RecursiveLeastSquares(forgetting=0.9)}, "forgetting=0.9 must be 1 on a cluster"),
        ({"model": SupportVectorMachine(kernel="gaussian")}, "form for a cluster"),
        ({"model": "a word"}, "must be an estimator of this package"),
        ({"model": LeastSquares}, r"must be an estimator of this package; give one, such as LogisticDiscriminant\(\)"),
        ({"X": da.ones((300, 0))}, "X has no columns"),
        ({"client": "tcp://127.0.0.1:1"}, "client='tcp://127.0.0.1:1' must be a client"),
        ({"y": np.zeros(300)}, "y holds one class"),
    ],
)  # fmt: skip
def test_what_cannot_be_fitted_is_refused(client, rng, change, message):
    X, y = clouds(rng)
    given = {"model": LeastSquares(), "X": da.from_array(X, chunks=(100, -1)), "y": y} | change
    with pytest.raises(ValueError, match=message):
        distributed.fit(**given)


def test_a_closed_client_is_told(client, rng):
    X, y = clouds(rng)
    with Client(client.scheduler.address, set_as_default=False) as gone:
        pass
    with pytest.raises(ConnectionError, match="the client is closed; make another"):
        distributed.fit(LeastSquares(), da.from_array(X, chunks=(100, -1)), y, client=gone)


@pytest.mark.parametrize("model", [Perceptron(), Perceptron(order="random", random_state=3), Relaxation(margin=0.5)])
def test_one_chunk_is_mixed_with_nothing(client, rng, model):
    X, y = separable(rng)
    found = distributed.fit(model, da.from_array(X, chunks=(len(X), -1)), y)
    assert found.status_ is Status.SEPARATED
    assert found.score(X, y) == 1
    if model.order == "cyclic":
        assert_same(found, type(model)(**model.get_params()).fit(X, y), 1e-12)


@pytest.mark.parametrize("c", rest_in_ci([3, 2]))
@pytest.mark.parametrize("kind", [Perceptron, Relaxation])
def test_mixing_separates_within_the_bound_as_it_does_in_memory(client, rng, kind, c):
    X, y = separable(rng, c)
    model = distributed.fit(kind(), da.from_array(X, chunks=(60, -1)), y)
    assert model.status_ is Status.SEPARATED
    assert model.score(X, y) == 1
    local = kind()
    local._take_names(blocks := LocalBlocks(X, y, rows=60))
    fit_mixed(local, blocks)
    assert_same(model, local, 1e-12)
    facts = model.report_.to_dict()
    assert facts["details"]["blocks"] == 5
    if kind is Perceptron:
        assert 0 < facts["corrections"] <= facts["bound"]
    else:
        assert "the theorem allows at most" in facts["details"]["mistakes"]


def test_the_hinge_ends_at_the_gap_asked_for(client, rng):
    X, y = clouds(rng, apart=1.0)
    settings = {"C": 0.1, "tol": 1e-4}
    found = distributed.fit(SupportVectorMachine(**settings), da.from_array(X + 3, chunks=(150, -1)), y)
    expected = SupportVectorMachine(**settings).fit(X + 3, y)
    assert found.status_ is Status.CONVERGED
    assert found.gap_ <= 1e-4
    value = [model.report_.to_dict()["details"]["criterion value"] for model in (found, expected)]
    assert value[1] <= value[0] * (1 + 1e-9)
    assert value[0] <= value[1] * (1 + 1e-4)
    assert_same(found, expected, 0.05)


def test_predictions_stay_lazy(client, rng):
    X, y = clouds(rng, c=3)
    model, lazy = LogisticDiscriminant().fit(X, y), da.from_array(X, chunks=(90, 2))
    for name in ("predict", "decision_function", "predict_proba"):
        answer = getattr(distributed, name)(model, lazy)
        assert isinstance(answer, da.Array)
        np.testing.assert_allclose(answer.compute(), getattr(model, name)(X))
    with pytest.raises(ValueError, match="features"):
        distributed.predict(model, lazy[:, :2])


@pytest.mark.parametrize("verdict", ["complete", "quasi", "overlap"])
def test_the_verdict_and_its_proof_are_those_of_memory(client, rng, verdict):
    X, y = separable(rng)
    X, y = np.round(X, 2), (X[:, 0] > 0).astype(int)
    X[:, 0] += np.where(y, 1, -1)
    extra = {"complete": [], "quasi": [[0.0, 1, 1], [0, 1, 1]], "overlap": [[2.0, 0, 0], [-2, 0, 0]]}[verdict]
    X, y = np.vstack([X, *extra]), np.r_[y, [0, 1][: len(extra)]]
    assert separability(X, y).verdict == verdict
    found = distributed.separability(da.from_array(X, chunks=(64, -1)), y)
    assert found.verdict == verdict
    assert found.certificate.verify(X, y)
