"""Runs of two implementations, held against each other sample by sample."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.measurement.predictions import Predictions

FloatArray = NDArray[np.float64]
CodeArray = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class PairValues:
    """What two implementations differ in on the test sides of some runs."""

    # Samples of each run whose labels differ; that both have right, only the reference,
    # only the competitor, neither
    counts: tuple[NDArray[np.int64], ...]
    # (n_runs,): Largest and mean absolute difference of probabilities, then of joint log-
    # likelihoods; NaN where one of the two offers none
    differences: tuple[FloatArray, ...]
    # One for each disagreement: place of the run, row of its test side; the margin is None
    # without probabilities of the reference
    disputes: list[tuple[Any, ...]]
    # All absolute differences of probabilities, in one dimension
    probability_differences: FloatArray


def pair_values(
    truth: CodeArray,
    competitor: Sequence[Predictions],
    reference: Sequence[Predictions],
    *,
    most_disputes: int | None = None,
) -> PairValues:
    """Return what the two differ in."""
    labels = np.stack([one.test for one in competitor])
    reference_labels = np.stack([one.test for one in reference])
    right, reference_right = labels == truth, reference_labels == truth
    n_both = np.count_nonzero(right & reference_right, axis=1)
    only_reference = np.count_nonzero(reference_right, axis=1) - n_both
    only_competitor = np.count_nonzero(right, axis=1) - n_both
    neither = truth.shape[1] - n_both - only_reference - only_competitor
    differ = labels != reference_labels
    disagreements = np.count_nonzero(differ, axis=1)
    largest, mean, every = _differences(competitor, reference, "probabilities")
    joint = _differences(competitor, reference, "joint_log_likelihood")
    places, rows = (found[:most_disputes] for found in np.nonzero(differ))
    columns = [each[places, rows] for each in (truth, labels, reference_labels)]
    margins = [
        _margin(reference[place].probabilities, row)
        for place, row in zip(places.tolist(), rows.tolist(), strict=True)
    ]
    listed = (column.tolist() for column in (places, rows, *columns))
    return PairValues(
        (disagreements, n_both, only_reference, only_competitor, neither),
        (largest, mean, *joint[:2]),
        list(zip(*listed, margins, strict=True)),
        every,
    )


def _differences(
    competitor: Sequence[Predictions], reference: Sequence[Predictions], what: str
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the largest and the mean difference of each run, and all differences."""
    pairs = [
        (getattr(ours, what), getattr(theirs, what))
        for ours, theirs in zip(competitor, reference, strict=True)
    ]
    offered = [
        place for place, pair in enumerate(pairs) if all(side is not None for side in pair)
    ]
    largest, mean = np.full((2, len(pairs)), np.nan)
    if not offered:
        return largest, mean, np.empty(0)
    sides = (np.stack([pairs[place][side] for place in offered]) for side in (0, 1))
    every = _absolute_differences(*sides).reshape(len(offered), -1)
    largest[offered], mean[offered] = every.max(axis=1), every.mean(axis=1)
    return largest, mean, every.ravel()


def _margin(probabilities: FloatArray | None, row: int) -> float | None:
    """Return how far the two largest probabilities of a row are apart."""
    if probabilities is None or probabilities.shape[1] < 2:
        return None
    second, first = np.sort(probabilities[row])[-2:]
    return float(first - second)


def _absolute_differences(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return absolute differences, zero between equal infinities."""
    with np.errstate(invalid="ignore"):
        differences: FloatArray = np.abs(first - second)
    equal_infinities = np.isinf(first) & (first == second)
    if equal_infinities.any():
        differences[equal_infinities] = 0.0
    return differences
