"""All runs at once, compared with fitting and scoring the estimator run by run."""

import tracemalloc
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from exact_arithmetic import exact_moments
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

from gnbbench.core import GaussianNB, centred_samples
from gnbbench.core import many_splits as module
from gnbbench.core.certificate import ScoreBound
from gnbbench.core.many_splits import SplitBlock, many_labels, many_splits

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Sample = tuple[FloatArray, NDArray[Any]]

ZERO_VARIANCES = pytest.mark.filterwarnings("ignore:.*values of var_ are zero")


def random_masks(n_runs: int, n_samples: int, seed: int = 0, share: float = 0.7) -> Any:
    """Make masks with at least one training row each."""
    rng = np.random.default_rng(seed)
    masks: BoolArray = rng.random((n_runs, n_samples)) < share
    masks[np.arange(n_runs), rng.integers(0, n_samples, n_runs)] = True
    return masks


def wrong_labels(X: Any, y: Any, masks: BoolArray, **options: Any) -> int:
    """Return how many labels differ from those of the estimator fitted run by run."""
    labels, _ = many_labels(X, y, masks, **options)
    classes, X, y = np.unique(y), np.asarray(X), np.asarray(y)
    models = (GaussianNB(**options).fit(X[train], y[train]) for train in masks)
    each = zip(models, labels, strict=True)
    return sum(int((m.predict(X) != classes[codes]).sum()) for m, codes in each)


def mirror_image(n_samples: int = 8, seed: int = 0, offset: float = 0.0) -> Sample:
    """Make two classes, each the other's mirror image, with rows right between them.

    Ties between the classes are exact; with an offset, but for the last bits.
    """
    rng = np.random.default_rng(seed)
    half = np.round(rng.normal(3.0, 1.0, size=(n_samples, 2)), 2)
    middle = np.zeros((4, 2))
    X = np.concatenate([half, middle[:2], -half, middle[2:]])
    return X + offset, np.repeat([0, 1], n_samples + 2)


def mirror_masks(n_runs: int, n_samples: int) -> BoolArray:
    """Make masks that keep mirror images mirror images."""
    half = random_masks(n_runs, n_samples // 2)
    return np.concatenate([half, half], axis=1)


@pytest.mark.slow
def test_labels_of_real_data_are_proved_and_scikit_learns(real_sample: Sample) -> None:
    X, y = real_sample
    masks = random_masks(25, len(y))

    labels, fallback_rows = many_labels(X, y, masks)

    assert fallback_rows.sum() == 0
    for train, of_run in zip(masks, labels, strict=True):
        model = ScikitLearnGaussianNB().fit(X[train], y[train])
        np.testing.assert_array_equal(of_run, model.predict(X))


def test_parameters_scores_and_shares_are_the_estimators(real_sample: Sample) -> None:
    X, y = real_sample
    masks, rows = random_masks(5, len(y)), np.arange(0, len(y), 3)

    [block] = many_splits(X, y, masks)

    scores, bound = block.joint_log_likelihood(rows), block.joint_log_likelihood_bound(rows)
    probabilities = block.predict_proba(rows)
    for run, train in enumerate(masks):
        model = GaussianNB().fit(X[train], y[train])
        np.testing.assert_array_equal(block.class_count_[run], model.class_count_)
        np.testing.assert_array_equal(block.class_prior_[run], model.class_prior_)
        np.testing.assert_allclose(block.theta_[run], model.theta_, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(block.var_[run], model.var_, rtol=1e-9)
        np.testing.assert_allclose(block.epsilon_[run], model.epsilon_, rtol=1e-12)
        difference = np.abs(scores[run] - model.predict_joint_log_proba(X)[rows])
        assert (difference <= bound[run]).all()
        assert (bound[run] <= 1e-9 * (1.0 + np.abs(scores[run]))).all()
        np.testing.assert_allclose(
            probabilities[run], model.predict_proba(X)[rows], rtol=1e-6, atol=1e-12
        )


@pytest.mark.slow
@ZERO_VARIANCES
@settings(max_examples=30)
@given(
    seed=st.integers(0, 10_000),
    offset=st.sampled_from([0.0, 1.0, 1e6, 1e9]),
    decimals=st.sampled_from([0, 1, 12]),
    share=st.sampled_from([0.05, 0.5, 0.95]),
    options=st.fixed_dictionaries(
        {
            "var_smoothing": st.sampled_from([0.0, 1e-9, 0.1]),
            "priors": st.sampled_from([None, "uniform"]),
        }
    ),
)
def test_labels_of_any_data_are_the_estimators(
    seed: int, offset: float, decimals: int, share: float, options: dict[str, Any]
) -> None:
    rng = np.random.default_rng(seed)
    n_samples, n_features = int(rng.integers(1, 40)), int(rng.integers(1, 6))
    y = rng.integers(0, rng.integers(1, 5), n_samples)
    X = np.round(rng.normal(size=(n_samples, n_features)), decimals) + offset
    masks = random_masks(6, n_samples, seed, share)

    assert wrong_labels(X, y, masks, **options) == 0


def test_ties_get_the_estimators_label_and_would_not_if_all_were_taken_as_proved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def all_proved(_: ScoreBound, scores: FloatArray) -> tuple[Any, BoolArray]:
        return scores.argmax(axis=0), np.ones(scores.shape[1:], dtype=bool)

    samples = [mirror_image(seed=s, offset=o) for s in range(5) for o in (0.0, 0.3)]
    for X, y in samples:
        masks = mirror_masks(20, len(y))
        assert (many_labels(X, y, masks)[1] >= 4).all()
        assert wrong_labels(X, y, masks) == 0

    monkeypatch.setattr(ScoreBound, "proved_labels", all_proved)
    assert sum(wrong_labels(X, y, mirror_masks(20, len(y))) for X, y in samples) > 0


def test_a_fallback_run_answers_as_the_estimator_does() -> None:
    X, y = mirror_image()
    masks = mirror_masks(3, len(y))

    [block] = many_splits(X, y, masks)

    scores, probabilities = block.joint_log_likelihood(), block.predict_proba()
    for run, train in enumerate(masks):
        model, rows = GaussianNB().fit(X[train], y[train]), block.fallback[run]
        expected = model.predict_joint_log_proba(X)[rows]
        np.testing.assert_array_equal(scores[run, rows], expected)
        expected = model.predict_proba(X)[rows]
        np.testing.assert_array_equal(probabilities[run, rows], expected)
        assert not block.joint_log_likelihood_bound()[run, rows].any()
        np.testing.assert_array_equal(scores[run].argmax(axis=1), block.labels[run])


def sparse_classes() -> tuple[Sample, BoolArray]:
    """Make runs in which classes have no row, one row, two rows and all rows."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], 6)
    X = rng.normal(size=(18, 3)) + y[:, np.newaxis]
    masks = np.ones((4, 18), dtype=bool)
    masks[0, y == 1] = False
    masks[1, np.flatnonzero(y == 1)[1:]] = False
    masks[2, np.flatnonzero(y == 1)[2:]] = False
    return (X, y), masks


@ZERO_VARIANCES
@pytest.mark.parametrize("priors", [None, "uniform"])
@pytest.mark.parametrize("var_smoothing", [0.0, 1e-9])
@pytest.mark.parametrize("constant", [None, 0.0, 0.1, 1e9 + 0.1])
def test_classes_of_few_rows_and_constant_features_are_handled(
    constant: float | None, var_smoothing: float, priors: str | None
) -> None:
    (X, y), masks = sparse_classes()
    if constant is not None:
        X[:, 1], X[y == 2, 0] = constant, constant
    options: dict[str, Any] = {"priors": priors, "var_smoothing": var_smoothing}

    [block] = many_splits(X, y, masks, **options)

    assert wrong_labels(X, y, masks, **options) == 0
    assert np.isnan(block.theta_[0, 1]).all()
    assert np.isneginf(block.joint_log_likelihood()[0, :, 1]).all()
    assert (block.predict_proba()[0, :, 1] == 0.0).all()
    assert block.class_count_[:, 1].tolist() == [0.0, 1.0, 2.0, 6.0]


def test_given_priors_need_every_class_and_one_of_zero_is_never_predicted() -> None:
    (X, y), masks = sparse_classes()

    labels, _ = many_labels(X, y, masks[1:], priors=[0.0, 0.5, 0.5])

    assert wrong_labels(X, y, masks[1:], priors=[0.0, 0.5, 0.5]) == 0
    assert labels.min() == 1
    with pytest.raises(ValueError, match=r"Run 3: class 1 has no training row"):
        many_labels(X, y, masks[[1, 2, 3, 0]], priors=[0.2, 0.3, 0.5])


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    ("dtype", "offset"),
    [
        *((dtype, 0.0) for dtype in (np.float16, np.float32, np.int64)),
        *((np.float64, offset) for offset in (0.0, 1e6, 1e7, 1e9)),
    ],
)
def test_samples_of_any_type_order_and_offset_and_labels_of_text_are_taken(
    dtype: Any, order: Any, offset: float
) -> None:
    (X, y), masks = sparse_classes()
    moved = X + offset if dtype == np.float64 else np.round(20.0 * X)
    samples = np.asarray(moved, dtype=dtype, order=order)
    names = np.array(["wren", "auk", "owl"], dtype=object)[y]

    [block] = many_splits(samples, names, masks)

    assert wrong_labels(samples, names, masks) == 0
    assert block.classes.tolist() == ["auk", "owl", "wren"]
    assert block.fallback[2:].sum() <= 2 or dtype != np.float64


@ZERO_VARIANCES
def test_a_run_without_any_variance_is_the_estimators() -> None:
    X, y = np.array([[1.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    masks = np.array([[True, True, False, False], [True, True, True, True]])

    [block] = many_splits(X, y, masks)

    model = GaussianNB().fit(X[:2], y[:2])
    assert wrong_labels(X, y, masks) == 0
    assert block.fallback_rows[0] == 4
    np.testing.assert_array_equal(block.var_[0], model.var_)
    np.testing.assert_array_equal(block.theta_[0], model.theta_)
    assert block.epsilon_[0] == model.epsilon_


@pytest.mark.parametrize("cancelled", [centred_samples.CANCELLED, -np.inf])
def test_variances_lost_to_cancellation_are_taken_again(
    cancelled: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not taken again they would be lost, and nothing proved (the negative control)."""
    monkeypatch.setattr(centred_samples, "CANCELLED", cancelled)
    X = np.array([[1.0], [1.0 + 1e-8], [1.0 + 3e-8], [9.0], [2.0], [5.0]])
    train = np.array([[True, True, True, False, True, True]])
    exact = exact_moments(X[:3, 0].tolist())[1]
    data = centred_samples.CentredSamples(X, [0, 0, 0, 0, 1, 1], None, 0.0)

    moments = module._moments(data, train)
    [block] = many_splits(X, [0, 0, 0, 0, 1, 1], train, var_smoothing=0.0)

    variance = Fraction(float(moments.variance[0, 0, 0]))
    assert abs(variance - exact) <= Fraction(float(moments.error[0, 0, 0]))
    if cancelled > 0.0:
        assert abs(Fraction(float(block.var_[0, 0, 0])) / exact - 1) < Fraction(1, 10**6)
        assert not block.fallback.all()
    else:
        assert abs(variance / exact - 1) > Fraction(1, 1000)
        assert moments.error[0, 0, 0] > 0.01 * exact


def test_stretches_and_small_tiles_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    (X, y), _ = sparse_classes()
    masks = random_masks(30, len(y))
    expected = many_labels(X, y, masks)[0]
    stretches = (masks[a:b] for a, b in pairwise([0, 7, 8, 30]))
    for name, value in (("BLOCK_VALUES", 1500), ("TILE_VALUES", 20)):
        monkeypatch.setattr(centred_samples, name, value)
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(module, "FEWEST_ROWS", 1)

    blocks = list(many_splits(X, y, stretches))

    assert len(blocks) > 3
    assert [run for block in blocks for run in block.runs] == list(range(30))
    np.testing.assert_array_equal(np.concatenate([b.labels for b in blocks]), expected)
    assert wrong_labels(X, y, masks) == 0


def peak_bytes(shape: tuple[int, int, int, int], kept: list[SplitBlock] | None) -> int:
    """Return the most memory in use beside the input; blocks are kept on request."""
    n_runs, n_samples, n_features, n_classes = shape
    X = np.random.default_rng(0).normal(size=(n_samples, n_features))
    y, masks = np.arange(n_samples) % n_classes, random_masks(n_runs, n_samples)
    tracemalloc.start()
    for block in many_splits(X, y, masks):
        if kept is not None:
            kept.append(block)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.slow
@pytest.mark.parametrize(
    "shape", [(30_000, 99, 9, 5), (8, 60_000, 9, 3), (6, 300, 4000, 6)]
)
def test_memory_is_bounded_however_many_runs_rows_or_features(shape: Any) -> None:
    """Negative control: with every block kept it does grow with the runs."""
    assert peak_bytes(shape, kept=None) < 64 * 2**20
    assert shape[0] < 30_000 or peak_bytes(shape, kept=[]) > 64 * 2**20


FOUR = ([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
NO_ROW = [np.ones((2, 4), dtype=bool), np.zeros((1, 4), dtype=bool)]


@pytest.mark.parametrize(
    ("sample", "masks", "options", "message"),
    [
        (FOUR, np.ones((2, 3), dtype=bool), {}, "3 columns, but X has 4 samples"),
        (FOUR, np.ones((2, 4)), {}, "two-dimensional array of booleans"),
        (FOUR, np.ones(4, dtype=bool), {}, "two-dimensional array of booleans"),
        (FOUR, np.zeros((2, 4), dtype=bool), {}, "Run 0 has no training row"),
        (FOUR, NO_ROW, {}, "Run 2 has no"),
        (FOUR, [], {}, "train_masks holds no run"),
        *(
            (([[0.0], [second]], [0, 1]), np.ones((1, 2), dtype=bool), options, message)
            for second, options, message in (
                (np.nan, {}, "Input X contains NaN"),
                (np.inf, {}, "Input X contains infinity"),
                (1.0, {"var_smoothing": -1.0}, "var_smoothing"),
                (1.0, {"priors": [1.0]}, "Number of priors must match"),
                (1e200, {}, "too large for float64"),
                (1e-200, {}, "too small for float64"),
            )
        ),
    ],
)
def test_masks_that_are_none_and_what_the_estimator_refuses_are_refused(
    sample: tuple[Any, Any], masks: Any, options: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        many_labels(sample[0], sample[1], masks, **options)
