"""Metrics of many runs at once are those of scikit-learn, run by run."""

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import metrics

from gnbbench.measurement.metrics import (
    confusion_matrices,
    label_metrics,
    probability_metrics,
)

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


def test_label_metrics_are_those_of_scikit_learn(case: Case) -> None:
    truth, labels, probabilities = case

    found = label_metrics(confusion_matrices(truth, labels, probabilities.shape[2]))

    macro = {"average": "macro", "zero_division": 0}
    expected = {
        "test_accuracy": run_by_run(metrics.accuracy_score, truth, labels),
        **{
            name: run_by_run(lambda t, p, f=function: f(t, p, **macro), truth, labels)
            for name, function in (
                ("precision", metrics.precision_score),
                ("recall", metrics.recall_score),
                ("f1", metrics.f1_score),
            )
        },
    }
    assert set(found) == set(expected)
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-12, err_msg=name)


def test_confusion_is_that_of_scikit_learn(case: Case) -> None:
    truth, labels, probabilities = case
    n_classes = probabilities.shape[2]

    found = confusion_matrices(truth, labels, n_classes)

    for table, t, p in zip(found, truth, labels, strict=True):
        expected = metrics.confusion_matrix(t, p, labels=range(n_classes))
        np.testing.assert_array_equal(table[:, :-1], expected)


def test_log_loss_and_brier_score_are_those_of_scikit_learn(case: Case) -> None:
    truth, labels, probabilities = case
    classes = list(range(probabilities.shape[2]))

    found = probability_metrics(probabilities, truth, labels == truth)

    log_loss = run_by_run(
        lambda t, p: metrics.log_loss(t, p, labels=classes), truth, probabilities
    )
    brier_score = run_by_run(
        lambda t, p: metrics.brier_score_loss(
            t, p[:, 1] if len(classes) == 2 else p, labels=classes
        ),
        truth,
        probabilities,
    )
    np.testing.assert_allclose(found["log_loss"], log_loss, rtol=1e-9)
    np.testing.assert_allclose(found["brier_score"], brier_score, rtol=1e-9)


def test_confidence_is_split_by_right_and_wrong(case: Case) -> None:
    truth, labels, probabilities = case

    found = probability_metrics(probabilities, truth, labels == truth)

    confidence = probabilities.max(axis=2)
    for run in range(len(truth)):
        right = labels[run] == truth[run]
        for name, values in (
            ("mean_confidence", confidence[run]),
            ("mean_confidence_right", confidence[run][right]),
            ("mean_confidence_wrong", confidence[run][~right]),
        ):
            assert found[name][run] == pytest.approx(values.mean())


def test_no_mean_is_made_up_where_nothing_is_wrong() -> None:
    found = probability_metrics(
        np.array([[[0.9, 0.1]]]), np.array([[0]]), np.array([[True]])
    )

    assert np.isnan(found["mean_confidence_wrong"][0])


def test_labels_that_are_no_class_count_against_every_score() -> None:
    found = label_metrics(confusion_matrices(np.array([[0, 1]]), np.array([[0, -1]]), 2))

    assert found["precision"][0] == pytest.approx(1 / 3)
    assert found["recall"][0] == pytest.approx(1 / 3)
