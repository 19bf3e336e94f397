"""Pairs of runs, by numbers worked out by hand."""

import numpy as np
import pytest

from gnbbench.measurement.pairs import pair_values
from gnbbench.measurement.predictions import Predictions

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

    found = pair_values(truth, competitor, reference)

    counts = {name: row.tolist() for name, row in zip(NAMES, found.counts, strict=True)}
    assert counts == {
        "disagreements": [2, 0],
        "both": [1, 3],
        "only reference": [1, 0],
        "only competitor": [1, 0],
        "neither": [0, 0],
    }
    largest, mean, *joint = found.differences
    assert largest.tolist() == [0.5, 0.0]
    assert mean.tolist() == pytest.approx([(0.25 + 0.25 + 0.5 + 0.5) / 6, 0.0])
    assert np.isnan(joint).all()
    assert found.disagreements == [(0, 1, 1, 0, 1, 0.0), (0, 2, 1, 1, 0, 0.5)]
    assert sorted(found.probability_differences) == [0.0] * 8 + [0.25, 0.25, 0.5, 0.5]


def test_nothing_is_made_up_without_probabilities() -> None:
    truth = np.array([[0, 1]])
    without = predicted([[0, 0]], None)
    with_some = predicted([[0, 1]], [[[0.75, 0.25], [0.25, 0.75]]])

    found = pair_values(truth, with_some, without)

    assert np.isnan(found.differences).all()
    assert found.disagreements == [(0, 1, 1, 1, 0, None)]
    assert found.probability_differences.size == 0


def test_equal_infinities_do_not_differ() -> None:
    truth = np.array([[0]])
    first = predicted([[0]], [[[1.0, 0.5]]], joint=True)
    second = predicted([[0]], [[[0.0, 0.5]]], joint=True)

    same = pair_values(truth, second, second)
    differ = pair_values(truth, first, second)

    assert same.differences[2].tolist() == [0.0]
    assert differ.differences[2].tolist() == [np.inf]
