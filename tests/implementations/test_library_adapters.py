"""Each library's own ways show through its adapter: smoothing, order, precision, errors."""

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.naive_bayes import GaussianNB

from gnbbench.errors import install_command
from gnbbench.implementations.library_adapters import (
    DaskMLGaussianNB,
    MixedGaussianNB,
    MlpackGaussianNB,
    PomegranateGaussianNB,
    RiverGaussianNB,
    SparkGaussianNB,
    TorchGaussianNB,
    TorchMLGaussianNB,
)

X, Y = load_breast_cancer(return_X_y=True)
IRIS, SPECIES = load_iris(return_X_y=True)
DIGITS, NUMBERS = load_digits(return_X_y=True)
# All orders in which three classes can be seen first.
ORDERS = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]


def needs(module: str, extra: str = "") -> pytest.MarkDecorator:
    """Skip a test where a library is not installed, saying how to install it."""
    command = install_command(extra or module)
    return pytest.mark.skipif(not find_spec(module), reason=f"not installed: {command}")


@needs("dask_ml", "dask-ml")
def test_predictions_of_dask_ml_do_not_learn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    model = DaskMLGaussianNB().fit(X, Y)
    expected = model.predict(X[:20]).tolist()

    def refuse(*given: Any, **options: Any) -> None:
        raise AssertionError(given, options)

    monkeypatch.setattr("dask.array.Array.mean", refuse)
    monkeypatch.setattr("dask.array.Array.var", refuse)

    assert model.predict(X[:20]).tolist() == expected
    assert model.predict_proba(X[:20]).argmax(axis=1).tolist() == expected
    assert all(len(part.dask) == 1 for part in (model._model.theta_, model._model.sigma_))


@needs("dask_ml", "dask-ml")
def test_dask_ml_computes_here_whatever_dask_is_connected_to() -> None:
    import dask

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("computed elsewhere")

    with dask.config.set(scheduler=refuse):
        model = DaskMLGaussianNB().fit(X, Y)
        assert model.predict_proba(X).argmax(axis=1).tolist() == model.predict(X).tolist()
        assert model.theta_.shape == model.var_.shape == (2, X.shape[1])


@needs("dask_ml", "dask-ml")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_dask_ml_has_no_smoothing_and_needs_as_many_features_as_classes() -> None:
    model = DaskMLGaussianNB().fit(X, Y)
    constant = np.array([[0.0, 1.0], [2.0, 1.0], [5.0, 1.0], [8.0, 1.0]])

    shares = DaskMLGaussianNB().fit(constant, [0, 0, 1, 1]).predict_proba(constant)

    assert np.allclose(model.var_[0], X[Y == 0].var(axis=0), rtol=1e-12)
    assert model.class_prior_.tolist() == [212 / 569, 357 / 569]
    assert np.isnan(shares).all()
    with pytest.raises(IndexError):
        DaskMLGaussianNB().fit(constant[:, :1], [0, 0, 1, 1]).predict([[0.0]])


@needs("mixed_naive_bayes", "mixed-naive-bayes")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_mixed_multiplies_densities_and_refuses_a_single_sample_or_class() -> None:
    model = MixedGaussianNB().fit(X, Y)

    assert np.isnan(model.predict_proba(X[:2] * 1e6)).all()
    assert model.predict(X[:2] * 1e6).tolist() == [0, 0]
    with pytest.raises(np.exceptions.AxisError):
        model.predict(X[:1])
    with pytest.raises(ValueError, match="only 1 class"):
        MixedGaussianNB().fit(X, np.zeros(len(X)))


@needs("mixed_naive_bayes", "mixed-naive-bayes")
def test_smoothing_of_mixed_is_a_share_of_the_largest_variance_with_n_minus_1() -> None:
    model = MixedGaussianNB().fit(X, Y)

    expected = X[Y == 0].var(axis=0) + 1e-9 * X.var(axis=0, ddof=1).max()

    assert np.allclose(model.var_[0], expected, rtol=1e-13)
    assert not np.allclose(
        model.var_[0], X[Y == 0].var(axis=0) + 1e-9 * X.var(axis=0).max(), rtol=1e-5
    )


@needs("mlpack")
def test_variances_of_mlpack_have_divisor_n_minus_1_and_1e_10_added() -> None:
    model = MlpackGaussianNB().fit(IRIS * 1e-5, SPECIES)
    single = MlpackGaussianNB().fit([[1.0], [2.0], [7.0]], ["a", "a", "b"])

    expected = (IRIS[SPECIES == 2] * 1e-5).var(axis=0, ddof=1) + 1e-10

    assert np.allclose(model.var_[2], expected, rtol=1e-12)
    assert single.var_.ravel().tolist() == [0.5 + 1e-10, 1e-10]


@needs("mlpack")
@pytest.mark.parametrize("order", ORDERS)
def test_the_order_in_which_mlpack_sees_classes_does_not_show(order: list[int]) -> None:
    rows = np.concatenate([np.flatnonzero(code == SPECIES) for code in order])
    sizes = [50, 40, 30]
    rows = np.concatenate([rows[50 * n : 50 * n + sizes[n]] for n in range(3)])

    model = MlpackGaussianNB().fit(IRIS[rows], SPECIES[rows])

    shares = model.predict_proba(IRIS)
    assert model._model.get_cpp_params()["NBCModel"]["mappings"].ravel().tolist() == order
    assert shares.argmax(axis=1).tolist() == model.predict(IRIS).tolist()
    assert np.allclose(model.class_prior_[order], np.divide(sizes, 120))
    means = [IRIS[rows][SPECIES[rows] == code].mean(axis=0) for code in range(3)]
    assert np.allclose(model.theta_, means, rtol=1e-13)


@needs("river")
def test_joint_log_likelihoods_of_river_are_sums_of_floored_log_densities() -> None:
    model = RiverGaussianNB().fit(X, Y)

    scores = model.predict_joint_log_proba(X[:20])

    for code in (0, 1):
        rows = X[code == Y]
        mean, var = rows.mean(axis=0), rows.var(axis=0)
        density = np.exp(-0.5 * (X[:20] - mean) ** 2 / var) / np.sqrt(2.0 * np.pi * var)
        expected = np.log(len(rows) / len(X)) + np.log(density + 1e-9).sum(axis=1)
        assert np.allclose(scores[:, code], expected, rtol=1e-9)
    assert (density < 1e-9).any()
    assert np.allclose(model.var_[1], X[Y == 1].var(axis=0), rtol=1e-12)
    assert model.predict(X[:0]).shape == (0,)
    assert model.predict_proba(X[:0]).shape == (0, 2)
    # Far from all classes the one seen first wins the tie.
    far = RiverGaussianNB().fit([[3.0], [4.0], [1.0], [0.0]], ["b", "b", "a", "a"])
    assert np.allclose(far.predict_proba([[1e6]]), 0.5)
    assert far.predict([[1e6]]).tolist() == ["b"]


def spark(test: Any) -> Any:
    """Mark a test of Spark, which takes seconds to start."""
    # Spark says so of every release of pandas from 3; no pandas is used with it here.
    words = "ignore:PySpark does not yet fully support pandas"
    return pytest.mark.slow(pytest.mark.filterwarnings(words)(needs("pyspark")(test)))


def assert_numbers_of_sklearn(
    model: Any, reference: Any, samples: Any, **tolerances: float
) -> None:
    scores, shares = model.predict_joint_log_proba(samples), model.predict_proba(samples)
    expected = reference.predict_joint_log_proba(samples)
    assert np.allclose(model.theta_, reference.theta_, rtol=tolerances["theta"])
    assert np.allclose(model.var_, reference.var_, rtol=tolerances["var"])
    assert np.allclose(model.class_prior_, reference.class_prior_, rtol=tolerances["prior"])
    assert np.allclose(scores, expected, rtol=tolerances["scores"])
    assert np.allclose(shares, reference.predict_proba(samples), atol=tolerances["shares"])
    assert model.predict(samples).tolist() == reference.predict(samples).tolist()


@spark
def test_all_numbers_of_spark_equal_those_of_sklearn() -> None:
    model, reference = SparkGaussianNB().fit(X, Y), GaussianNB().fit(X, Y)

    assert_numbers_of_sklearn(
        model, reference, X, theta=1e-12, var=1e-9, prior=1e-14, scores=1e-7, shares=1e-7
    )


@spark
def test_rows_keep_their_order_and_an_offset_cancels_variances_in_spark() -> None:
    order = np.random.default_rng(1).permutation(len(X))
    model, moved = SparkGaussianNB().fit(X, Y), SparkGaussianNB().fit(X + 1e7, Y)

    error = np.abs(moved.var_ / GaussianNB().fit(X + 1e7, Y).var_ - 1.0)

    assert np.array_equal(model.predict(X[order]), model.predict(X)[order])
    assert error.max() > 0.01


@spark
def test_a_session_of_spark_that_is_active_is_used_and_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from pyspark.sql import SparkSession

    SparkGaussianNB().fit(X, Y)
    active = SparkSession.getActiveSession()

    def refuse() -> Any:
        raise AssertionError("a second session was started")

    monkeypatch.setattr("gnbbench.implementations.library_adapters._own_session", refuse)
    SparkGaussianNB().fit(X, Y).predict(X)

    assert active is not None
    assert active.range(3).count() == 3


@needs("pomegranate")
@pytest.mark.slow
def test_all_of_pomegranate_is_float32_and_an_offset_cancels_its_variances() -> None:
    model, moved = (PomegranateGaussianNB().fit(IRIS + o, SPECIES) for o in (0.0, 100.0))

    scores, shares = model.predict_joint_log_proba(IRIS), model.predict_proba(IRIS)
    error = np.abs(moved.var_[0] / IRIS[SPECIES == 0].var(axis=0) - 1.0)

    for array in (scores, shares, model.theta_, model.var_):
        assert array.dtype == np.float32
    assert error.max() > 0.01
    with pytest.raises(ValueError, match="Variances must be positive"):
        PomegranateGaussianNB().fit(IRIS + 1e6, SPECIES)


@needs("torch")
@pytest.mark.parametrize("var_smoothing", [1e-9, 1e-2])
def test_all_numbers_in_torch_equal_those_of_sklearn(var_smoothing: float) -> None:
    model = TorchGaussianNB(var_smoothing=var_smoothing).fit(DIGITS, NUMBERS)
    reference = GaussianNB(var_smoothing=var_smoothing).fit(DIGITS, NUMBERS)

    tolerances = {"theta": 1e-13, "var": 1e-13, "prior": 1e-15, "scores": 1e-12}
    assert_numbers_of_sklearn(model, reference, DIGITS, shares=1e-9, **tolerances)
    narrow = DIGITS.astype(np.float32)
    model.fit(narrow, NUMBERS)
    assert model.theta_.dtype == model.var_.dtype == np.float32
    assert model.predict_proba(narrow).dtype == np.float32


def test_the_parameter_of_the_formulas_in_torch_is_known() -> None:
    assert repr(TorchGaussianNB(var_smoothing=0.5)) == "TorchGaussianNB(var_smoothing=0.5)"


@needs("torchml")
@pytest.mark.slow
def test_parameters_and_labels_of_torchml_equal_those_of_sklearn() -> None:
    model, reference = TorchMLGaussianNB().fit(X, Y), GaussianNB().fit(X, Y)

    assert np.allclose(model.theta_, reference.theta_, rtol=1e-13)
    assert np.allclose(model.var_, reference.var_, rtol=1e-12)
    assert model.predict(X).tolist() == reference.predict(X).tolist()
    narrow = TorchMLGaussianNB().fit(X.astype(np.float32), Y)
    assert narrow.theta_.dtype == np.float64
    assert np.array_equal(narrow.theta_, narrow.theta_.astype(np.float32))
    assert not hasattr(TorchMLGaussianNB(), "predict_proba")
