"""Metrics of many runs at once are those of scikit-learn, run by run."""

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import metrics

from gnbbench.measurement import metrics as run_metrics

Case = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]


@pytest.fixture(params=[2, 3, 7])
def case(request: pytest.FixtureRequest) -> Case:
    """Truth, labels and probabilities of six runs; not every class in every run."""
    rng = np.random.default_rng(request.param)
    truth = rng.integers(0, request.param, (6, 20))
    truth[0] = truth[0] % 2
    probabilities = rng.dirichlet(np.full(request.param, 0.3), (6, 20))
    probabilities[1, 3] = np.eye(request.param)[(truth[1, 3] + 1) % request.param]
    labels = probabilities.argmax(axis=2)
    labels[0] = labels[0] % 2
    return truth, labels, probabilities


def run_by_run(function: Any, *arrays: NDArray[Any]) -> list[float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [float(function(*run)) for run in zip(*arrays, strict=True)]


def test_macro_scores_are_those_of_scikit_learn(case: Case) -> None:
    truth, labels, probabilities = case
    confusion = run_metrics.confusion_matrices(truth, labels, probabilities.shape[2])

    scores = run_metrics.macro_scores(confusion)

    functions = (metrics.precision_score, metrics.recall_score, metrics.f1_score)
    for ours, function in zip(scores, functions, strict=True):
        theirs = run_by_run(
            lambda t, p, f=function: f(t, p, average="macro", zero_division=0),
            truth,
            labels,
        )
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_confusion_is_that_of_scikit_learn(case: Case) -> None:
    truth, labels, probabilities = case
    n_classes = probabilities.shape[2]

    ours = run_metrics.confusion_matrices(truth, labels, n_classes)

    for table, t, p in zip(ours, truth, labels, strict=True):
        theirs = metrics.confusion_matrix(t, p, labels=range(n_classes))
        np.testing.assert_array_equal(table[:, :-1], theirs)


def test_log_loss_is_that_of_scikit_learn(case: Case) -> None:
    truth, _, probabilities = case
    classes = range(probabilities.shape[2])

    ours = run_metrics.log_loss(probabilities, truth)

    theirs = run_by_run(
        lambda t, p: metrics.log_loss(t, p, labels=classes), truth, probabilities
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)


def test_brier_score_is_that_of_scikit_learn(case: Case) -> None:
    truth, _, probabilities = case
    classes = range(probabilities.shape[2])

    ours = run_metrics.brier_score(probabilities, truth)

    theirs = run_by_run(
        lambda t, p: metrics.brier_score_loss(
            t, p[:, 1] if len(classes) == 2 else p, labels=list(classes)
        ),
        truth,
        probabilities,
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)


def test_confidence_is_split_by_right_and_wrong(case: Case) -> None:
    truth, labels, probabilities = case

    ours = run_metrics.confidence_metrics(probabilities, labels == truth)

    confidence = probabilities.max(axis=2)
    for run in range(len(truth)):
        right = labels[run] == truth[run]
        assert ours["mean_confidence"][run] == pytest.approx(confidence[run].mean())
        assert ours["mean_confidence_right"][run] == pytest.approx(
            confidence[run][right].mean()
        )
        assert ours["mean_confidence_wrong"][run] == pytest.approx(
            confidence[run][~right].mean()
        )


def test_no_mean_is_made_up_where_nothing_is_wrong() -> None:
    ours = run_metrics.confidence_metrics(np.array([[[0.9, 0.1]]]), np.array([[True]]))

    assert np.isnan(ours["mean_confidence_wrong"][0])


def test_labels_that_are_no_class_count_against_every_score() -> None:
    confusion = run_metrics.confusion_matrices(np.array([[0, 1]]), np.array([[0, -1]]), 2)

    precision, recall, _ = run_metrics.macro_scores(confusion)

    assert (precision[0], recall[0]) == pytest.approx((1 / 3, 1 / 3))
