"""Runs of two implementations, held against each other sample by sample."""

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
    # One for each disagreement: place of the run, row of its test side, truth, label,
    # label of the reference, margin; the margin is None without the reference's
    # probabilities
    disagreements: list[tuple[Any, ...]]
    # All absolute differences of probabilities, in one dimension
    probability_differences: FloatArray


def pair_values(
    truth: CodeArray,
    competitor: Predictions,
    reference: Predictions,
    *,
    most_disagreements: int | None = None,
) -> PairValues:
    """Return what the two differ in; all arrays have an axis of runs in front."""
    n_runs, n_rows = truth.shape
    labels = competitor.test, reference.test
    right, reference_right = (side == truth for side in labels)
    n_both = np.count_nonzero(right & reference_right, axis=1)
    only_reference = np.count_nonzero(reference_right, axis=1) - n_both
    only_competitor = np.count_nonzero(right, axis=1) - n_both
    neither = n_rows - n_both - only_reference - only_competitor
    differ = labels[0] != labels[1]
    n_differ = np.count_nonzero(differ, axis=1)
    shares = _differences(competitor.probabilities, reference.probabilities)
    joint = _differences(competitor.joint_log_likelihood, reference.joint_log_likelihood)
    cells = tuple(found[:most_disagreements] for found in np.nonzero(differ))
    columns = (*cells, *(each[cells] for each in (truth, *labels)))
    margins = _margins(reference.probabilities, cells)
    return PairValues(
        (n_differ, n_both, only_reference, only_competitor, neither),
        (*_largest_and_mean(shares, n_runs), *_largest_and_mean(joint, n_runs)),
        list(zip(*(column.tolist() for column in columns), margins, strict=True)),
        np.empty(0) if shares is None else shares.ravel(),
    )


def _differences(first: FloatArray | None, second: FloatArray | None) -> FloatArray | None:
    """Return all absolute differences, a row a run; zero between equal infinities."""
    if first is None or second is None:
        return None
    with np.errstate(invalid="ignore"):
        differences: FloatArray = np.abs(first - second)
    equal_infinities = np.isinf(first) & (first == second)
    if equal_infinities.any():
        differences[equal_infinities] = 0.0
    return differences.reshape(len(first), -1)


def _largest_and_mean(
    differences: FloatArray | None, n_runs: int
) -> tuple[FloatArray, FloatArray]:
    if differences is None:
        return np.full(n_runs, np.nan), np.full(n_runs, np.nan)
    return differences.max(axis=1), differences.mean(axis=1)


def _margins(
    probabilities: FloatArray | None, cells: tuple[NDArray[np.intp], ...]
) -> list[float | None]:
    """Return how far the two largest probabilities of each of these samples are apart."""
    if probabilities is None or probabilities.shape[2] < 2:
        return [None] * len(cells[0])
    ordered = np.sort(probabilities[cells], axis=1)
    margins: list[float | None] = (ordered[:, -1] - ordered[:, -2]).tolist()
    return margins
