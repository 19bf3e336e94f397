"""Pairs of runs, by numbers worked out by hand."""

import numpy as np
import pytest

from gnbbench.measurement.pairs import pair_values
from gnbbench.measurement.predictions import Predictions

NONE = np.array([], dtype=np.intp)


def said(labels: list[int], table: list[list[float]] | None, joint: bool) -> Predictions:
    probabilities = None if table is None else np.array(table)
    scores = np.log(probabilities) if joint and probabilities is not None else None
    return Predictions(NONE, np.array(labels), probabilities, scores)


def test_counts_differences_and_disputes_of_each_run() -> None:
    truth = np.array([[0, 1, 1], [0, 0, 1]])
    reference = [
        said([0, 1, 0], [[0.75, 0.25], [0.5, 0.5], [0.75, 0.25]], joint=False),
        said([0, 0, 1], [[0.75, 0.25], [0.75, 0.25], [0.25, 0.75]], joint=False),
    ]
    competitor = [
        said([0, 0, 1], [[0.75, 0.25], [0.75, 0.25], [0.25, 0.75]], joint=False),
        said([0, 0, 1], None, joint=False),
    ]

    found = pair_values(truth, competitor, reference)

    names = ("disagreements", "both", "only reference", "only competitor", "neither")
    counts = {name: row.tolist() for name, row in zip(names, found.counts, strict=True)}
    assert counts == {
        "disagreements": [2, 0],
        "both": [1, 3],
        "only reference": [1, 0],
        "only competitor": [1, 0],
        "neither": [0, 0],
    }
    largest, mean, *joint = found.differences
    assert largest[0] == 0.5
    assert mean[0] == pytest.approx((0.25 + 0.25 + 0.5 + 0.5) / 6)
    assert np.isnan([largest[1], mean[1], *np.ravel(joint)]).all()
    assert found.disputes == [(0, 1, 1, 0, 1, 0.0), (0, 2, 1, 1, 0, 0.5)]
    assert sorted(found.probability_differences) == [0.0, 0.0, 0.25, 0.25, 0.5, 0.5]


def test_equal_infinities_do_not_differ() -> None:
    truth = np.array([[0]])
    first = said([0], [[1.0, 0.5]], joint=True)
    with np.errstate(divide="ignore"):
        second = said([0], [[0.0, 0.5]], joint=True)

    same = pair_values(truth, [second], [second])
    differ = pair_values(truth, [first], [second])

    assert same.differences[2].tolist() == [0.0]
    assert differ.differences[2].tolist() == [np.inf]
