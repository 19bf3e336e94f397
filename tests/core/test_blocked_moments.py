"""The blocked fit against the exact one, over shapes, types, orders and hard data."""

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from gnbbench import GaussianNB
from gnbbench.core import blocked as module

FloatArray = NDArray[np.float64]
OFFSETS = (0.0, 1e3, 1e6, 1e9)


def sample(
    n_samples: int, n_features: int, n_classes: int, *, offset: float = 0.0, seed: int = 0
) -> tuple[FloatArray, NDArray[np.int64]]:
    """Make classes a few standard deviations apart, the last one with a single row."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, max(1, n_classes - 1), n_samples)
    y[n_samples // 2] = n_classes - 1
    X = rng.normal(size=(n_samples, n_features)) * rng.uniform(0.5, 20.0, n_features)
    return X + 3.0 * rng.normal(size=(n_classes, n_features))[y] + offset, y


def gap(model: GaussianNB, other: GaussianNB) -> float:
    """Return the largest relative difference; of means, to what is larger, them or spread.

    Variances tell: a mean of the exact solver is as far off as the sum that made it.
    """
    deviation = np.sqrt(other.var_.astype(np.float64))
    parts = [
        np.abs(model.theta_ - other.theta_) / np.maximum(deviation, np.abs(other.theta_)),
        np.abs(model.var_ / other.var_ - 1.0),
        np.abs(model.class_prior_ / other.class_prior_ - 1.0),
        np.abs(model.epsilon_ / other.epsilon_ - 1.0),
    ]
    return float(max(np.max(part) for part in parts))


def both(X: Any, y: Any, **given: Any) -> tuple[GaussianNB, GaussianNB]:
    """Fit with the blocked and the exact solver."""
    weights = given.pop("sample_weight", None)
    blocked, exact = (
        GaussianNB(solver=solver, **given).fit(X, y, sample_weight=weights)
        for solver in ("blocked", "exact")
    )
    return blocked, exact


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize(
    "shape", [(1, 1, 1), (7, 3, 2), (5000, 1, 3), (20_000, 12, 2), (30_000, 5, 90)]
)
def test_parameters_equal_those_of_the_exact_solver(shape: Any, offset: float) -> None:
    X, y = sample(*shape, offset=offset)

    with np.errstate(divide="ignore", invalid="ignore"):
        blocked, exact = both(X, y, var_smoothing=0.0 if shape[0] == 1 else 1e-9)

    if shape[0] == 1:
        np.testing.assert_array_equal(blocked.theta_, exact.theta_)
        np.testing.assert_array_equal(blocked.var_, exact.var_)
    else:
        assert gap(blocked, exact) < 1e-12
    np.testing.assert_array_equal(blocked.class_count_, exact.class_count_)


@pytest.mark.parametrize("lost", [module.LOST, np.inf])
def test_lossy_centres_are_moved(lost: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without looking for lost digits the bound is missed (the negative control)."""
    X, y = sample(20_000, 4, 3, offset=1e6)
    monkeypatch.setattr(module, "LOST", lost)
    monkeypatch.setattr(module, "_centres", lambda X, *_: np.zeros((3, X.shape[1])))

    blocked, exact = both(X, y)

    assert gap(blocked, exact) > 1e-9 if lost == np.inf else gap(blocked, exact) < 1e-12


def test_an_outlier_in_the_first_row_costs_no_digits() -> None:
    X, y = sample(20_000, 4, 2)
    X[0] = 1e9

    blocked, exact = both(X, y, sample_weight=np.where(np.arange(len(y)), 1.0, 1e-30))

    assert gap(blocked, exact) < 1e-12


@pytest.mark.parametrize("dtype", [np.float16, np.float32, ">f8", np.longdouble, np.int16])
@pytest.mark.parametrize("layout", ["C", "F", "view"])
def test_any_type_and_layout_gives_the_same_parameters(dtype: Any, layout: Any) -> None:
    X, y = sample(9000, 12, 3)
    X = np.asarray(X.astype(dtype), order="F" if layout == "F" else "C")
    X = X[::-1, ::3] if layout == "view" else X
    X.setflags(write=False)

    blocked, exact = both(X, y)

    assert blocked.theta_.dtype == exact.theta_.dtype
    assert gap(blocked, exact) < max(1e-12, 2.0 * np.finfo(blocked.theta_.dtype).eps)
    np.testing.assert_array_equal(blocked.predict(X), exact.predict(X))


@pytest.mark.parametrize("n_classes", [3, 60])
def test_a_constant_feature_has_no_variance_at_all(n_classes: int) -> None:
    X, y = sample(20_000, 3, n_classes)
    X[:, 0] = 0.1
    X[:, 1] = 0.1 * (y + 1)

    model = GaussianNB(solver="blocked", var_smoothing=0.0).fit(X, y)

    assert (model.var_[:, :2] == 0.0).all()
    assert (model.var_[-1] == 0.0).all()
    with pytest.raises(ValueError, match="too small for float64"):
        model.fit(sample(9000, 3, 2)[0] * 1e-200, y[:9000])
    np.testing.assert_array_equal(model.theta_[:, 0], 0.1)
    np.testing.assert_array_equal(model.theta_[:, 1], 0.1 * (model.classes_ + 1))


@pytest.mark.parametrize("n_classes", [3, 60])
def test_weights_give_the_weighted_parameters(n_classes: int) -> None:
    X, y = sample(20_000, 4, n_classes, offset=1e6)
    weights = np.random.default_rng(1).uniform(0.0, 2.0, len(y))
    weights[::7] = 0.0
    X[::7] = -1e12
    weights[y == 1] = 0.0

    blocked, exact = both(X, y, sample_weight=weights)

    assert blocked.class_count_[1] == exact.class_count_[1] == 0.0
    present = [code for code in range(n_classes) if exact.class_count_[code] > 0.0]
    np.testing.assert_allclose(blocked.var_[present], exact.var_[present], rtol=1e-12)
    np.testing.assert_allclose(blocked.theta_, exact.theta_, rtol=1e-14)
    assert blocked.epsilon_ == pytest.approx(exact.epsilon_, rel=1e-12)
    np.testing.assert_array_equal(blocked.predict(X), exact.predict(X))


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [3, 35])
@pytest.mark.parametrize("weighted", [False, True])
def test_any_number_of_threads_gives_the_same_bits(n_classes: int, weighted: bool) -> None:
    X, y = sample(150_000, 4, n_classes, offset=100.0)
    weights = np.random.default_rng(3).uniform(size=len(y)) if weighted else None

    models = [
        GaussianNB(solver="blocked", n_jobs=n_threads).fit(X, y, sample_weight=weights)
        for n_threads in (1, 2, 5)
    ]

    for model in models[1:]:
        np.testing.assert_array_equal(model.theta_, models[0].theta_)
        np.testing.assert_array_equal(model.var_, models[0].var_)
        np.testing.assert_array_equal(model.predict_proba(X), models[0].predict_proba(X))
        np.testing.assert_array_equal(model.predict(X), models[0].predict(X))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.nan, "Input X contains NaN"),
        (np.inf, "Input X contains infinity"),
        (1e200, "variance of feature.*too large for float64"),
    ],
)
@pytest.mark.parametrize("n_classes", [3, 60])
def test_values_that_cannot_be_used_are_refused_in_the_same_words(
    value: float, words: str, n_classes: int
) -> None:
    X, y = sample(20_000, 3, n_classes)
    model = GaussianNB(solver="blocked").fit(X, y)
    before = pickle.dumps(model)
    X[12_345, 1] = value

    messages = []
    for solver in ("blocked", "exact"):
        with pytest.raises(ValueError, match=words) as caught:
            model.set_params(solver=solver).fit(X, y)
        messages.append(str(caught.value))

    assert messages[0] == messages[1]
    assert pickle.dumps(model.set_params(solver="blocked")) == before


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("solver", "fast"), ("solver", None), ("n_jobs", 0), ("n_jobs", 1.5)],
)
def test_unknown_solvers_and_thread_counts_are_refused(parameter: str, value: Any) -> None:
    X, y = sample(20, 2, 2)
    model = GaussianNB(solver="blocked").fit(X, y).set_params(**{parameter: value})
    words = f"The '{parameter}' parameter of GaussianNB"

    with pytest.raises(ValueError, match=words):
        model.fit(X, y)
    with pytest.raises(ValueError, match=words):
        model.predict(X)


@pytest.mark.parametrize(("rows", "blocked"), [(13_000, False), (13_200, True)])
def test_large_data_is_worked_on_in_blocks(rows: int, blocked: bool) -> None:
    X, y = sample(rows, 10, 2)
    marked = GaussianNB(solver="blocked" if blocked else "exact").fit(X, y)

    model = GaussianNB().fit(X, y)

    np.testing.assert_array_equal(model.var_, marked.var_)
    other = GaussianNB(solver="exact" if blocked else "blocked").fit(X, y)
    assert (model.var_ != other.var_).any()
