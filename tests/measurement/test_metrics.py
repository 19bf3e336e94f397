"""Metrics of many runs are those of scikit-learn; pairs, by numbers worked out by hand."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import metrics
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB

from gnbbench.implementations import implementation
from gnbbench.measurement import metrics as measured
from gnbbench.measurement.evaluation import evaluate
from gnbbench.measurement.metrics import confusion_matrices, label_metrics, pair_values
from gnbbench.measurement.predictions import Predictions
from gnbbench.records import RUN_METRICS, TABLES
from gnbbench.splits import Sample, SplitRule

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


@pytest.mark.parametrize("n_columns", range(1, 12))
def test_rows_have_the_sums_and_maxima_that_numpy_gives_them(n_columns: int) -> None:
    rng = np.random.default_rng(n_columns)
    scales = 10.0 ** rng.integers(-9, 9, (2, 50, n_columns))
    table = scales * rng.normal(size=scales.shape)

    np.testing.assert_array_equal(measured.row_sums(table), table.sum(axis=-1))
    np.testing.assert_array_equal(measured.row_maxima(table), table.max(axis=-1))


@dataclass(frozen=True)
class Run:
    """One side of a split: true codes, predicted codes, probabilities."""

    truth: NDArray[np.intp]
    labels: NDArray[np.intp]
    probabilities: NDArray[np.float64]

    def scored(self, score: Any) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return float(score(self.truth, self.labels, average="macro", zero_division=0))

    def confidence(self, *, right: bool) -> float:
        is_asked = (self.labels == self.truth) == right
        return float(self.probabilities.max(axis=1)[is_asked].mean())

    def loss(self, loss: Any) -> float:
        classes = list(range(self.probabilities.shape[1]))
        return float(loss(self.truth, self.probabilities, labels=classes))


BRIER = partial(metrics.brier_score_loss, scale_by_half=False)
# What each metric of a run should be; one that is missing here fails.
ORACLES: dict[str, Callable[[Run], float]] = {
    "train_accuracy": lambda run: metrics.accuracy_score(run.truth, run.labels),
    "test_accuracy": lambda run: metrics.accuracy_score(run.truth, run.labels),
    "precision": lambda run: run.scored(metrics.precision_score),
    "recall": lambda run: run.scored(metrics.recall_score),
    "f1": lambda run: run.scored(metrics.f1_score),
    "mean_confidence": lambda run: float(run.probabilities.max(axis=1).mean()),
    "mean_confidence_right": lambda run: run.confidence(right=True),
    "mean_confidence_wrong": lambda run: run.confidence(right=False),
    "log_loss": lambda run: run.loss(metrics.log_loss),
    "brier_score": lambda run: run.loss(BRIER),
    "n_clipped": lambda run: sum(
        row[code] < 2.0**-52 for row, code in zip(run.probabilities, run.truth, strict=True)
    ),
}


def test_metrics_of_several_runs_equal_those_of_their_oracles(case: Case) -> None:
    truth, labels, probabilities = case

    confusion = confusion_matrices(truth, labels, probabilities.shape[2])
    values = {
        **label_metrics(confusion),
        **measured.probability_metrics(probabilities, truth, labels == truth),
    }

    assert {*values, "train_accuracy"} == set(RUN_METRICS)
    for name, of_runs in values.items():
        expected = [ORACLES[name](Run(*run)) for run in zip(*case, strict=True)]
        np.testing.assert_allclose(of_runs, expected, rtol=1e-9, err_msg=name)


@pytest.mark.parametrize("metric", RUN_METRICS)
def test_every_metric_of_an_evaluated_run_has_an_oracle_and_equals_it(metric: str) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    sample = Sample(X, y, np.unique(y), y.astype(np.intp))
    rule = SplitRule(seed=42, test_size=0.3, stratify=True)
    train, test = rule.cut(sample, 0).train, rule.cut(sample, 0).test
    model = GaussianNB().fit(X[train], y[train])
    side = train if metric == "train_accuracy" else test
    run = Run(y[side], model.predict(X[side]), model.predict_proba(X[side]))

    (row,) = evaluate(sample, rule, [0], [implementation("sklearn")])["runs"]

    value = dict(zip(TABLES["runs"], row, strict=True))[metric]
    assert value == pytest.approx(ORACLES[metric](run), rel=1e-9)


def test_brier_score_is_one_sum_for_any_number_of_classes_and_clips_are_counted() -> None:
    truth = np.array([[0, 1]])
    sure_and_wrong = np.array([[[0.0, 1.0], [1e-17, 1.0 - 1e-17]]])
    thirds = np.full((1, 2, 3), 1 / 3)

    wrong, even = (
        measured.probability_metrics(table, truth, np.array([[False, True]]))
        for table in (sure_and_wrong, thirds)
    )

    assert wrong["brier_score"].tolist() == [1.0]  # 2 of one row, 0 of the other
    assert even["brier_score"] == pytest.approx([2 / 3])
    assert (wrong["n_clipped"].tolist(), even["n_clipped"].tolist()) == ([1.0], [0.0])


def test_labels_that_are_not_class_count_against_every_score() -> None:
    metrics = label_metrics(confusion_matrices(np.array([[0, 1]]), np.array([[0, -1]]), 2))

    assert metrics["precision"][0] == pytest.approx(1 / 3)
    assert metrics["recall"][0] == pytest.approx(1 / 3)


NONE = np.empty((0, 0), dtype=np.intp)
NAMES = ("disagreements", "both", "only reference", "only competitor", "neither")


def predicted(
    labels: list[list[int]], table: list[list[list[float]]] | None, *, joint: bool = False
) -> Predictions:
    probabilities = None if table is None else np.array(table)
    scores = None
    if joint and probabilities is not None:
        with np.errstate(divide="ignore"):
            scores = np.log(probabilities)
    return Predictions(NONE, np.array(labels), probabilities, scores)


def test_counts_differences_and_disagreements_of_each_run() -> None:
    truth = np.array([[0, 1, 1], [0, 0, 1]])
    sure = [[0.75, 0.25], [0.75, 0.25], [0.25, 0.75]]
    unsure = [[0.75, 0.25], [0.5, 0.5], [0.75, 0.25]]
    reference = predicted([[0, 1, 0], [0, 0, 1]], [unsure, sure])
    competitor = predicted([[0, 0, 1], [0, 0, 1]], [sure, sure])

    values = pair_values(truth, competitor, reference)

    counts = {name: row.tolist() for name, row in zip(NAMES, values.counts, strict=True)}
    assert counts == {
        "disagreements": [2, 0],
        "both": [1, 3],
        "only reference": [1, 0],
        "only competitor": [1, 0],
        "neither": [0, 0],
    }
    largest, mean, *joint = values.differences
    assert largest.tolist() == [0.5, 0.0]
    assert mean.tolist() == pytest.approx([(0.25 + 0.25 + 0.5 + 0.5) / 6, 0.0])
    assert np.isnan(joint).all()
    assert values.disagreements == [(0, 1, 1, 0, 1, 0.0), (0, 2, 1, 1, 0, 0.5)]
    assert sorted(values.probability_differences) == [0.0] * 8 + [0.25, 0.25, 0.5, 0.5]


def test_nothing_is_made_up_without_probabilities() -> None:
    truth = np.array([[0, 1]])
    without = predicted([[0, 0]], None)
    with_some = predicted([[0, 1]], [[[0.75, 0.25], [0.25, 0.75]]])

    values = pair_values(truth, with_some, without)

    assert np.isnan(values.differences).all()
    assert values.disagreements == [(0, 1, 1, 1, 0, None)]
    assert values.probability_differences.size == 0


def test_equal_infinities_do_not_differ() -> None:
    truth = np.array([[0]])
    first = predicted([[0]], [[[1.0, 0.5]]], joint=True)
    second = predicted([[0]], [[[0.0, 0.5]]], joint=True)

    same = pair_values(truth, second, second)
    differ = pair_values(truth, first, second)

    assert same.differences[2].tolist() == [0.0]
    assert differ.differences[2].tolist() == [np.inf]
