"""One run of two implementations, held against each other sample by sample."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.measurement.predictions import Predictions

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class PairValues:
    """What two implementations differ in on the test side of one run.

    Parameters
    ----------
    disagreements : int
        Samples whose labels differ.
    right_table : tuple of four int
        Samples that both have right, only the reference, only the competitor, neither.
    probabilities, joint_log_likelihood : tuple of two float
        Largest and mean absolute difference; NaN where one of the two offers none.
    disputes : list of (place, truth, label, reference label, margin)
        One for each disagreement; the place is that on the test side, the margin is None
        without probabilities of the reference.
    probability_differences : ndarray of shape (n_test * n_classes,)
        All absolute differences; empty where one of the two offers none.
    """

    disagreements: int
    right_table: tuple[int, int, int, int]
    probabilities: tuple[float, float]
    joint_log_likelihood: tuple[float, float]
    disputes: list[tuple[Any, ...]]
    probability_differences: FloatArray


def pair_values(
    truth: NDArray[np.intp], competitor: Predictions, reference: Predictions
) -> PairValues:
    """Return what the two differ in.

    Parameters
    ----------
    truth : ndarray of int, shape (n_test,)
        True class codes.
    competitor, reference : Predictions
        Of the same run.

    Returns
    -------
    PairValues

    Examples
    --------
    >>> truth, none = np.array([0, 1]), np.array([], dtype=np.intp)
    >>> reference = Predictions(none, np.array([0, 1]), None, None)
    >>> competitor = Predictions(none, np.array([1, 1]), None, None)
    >>> pair_values(truth, competitor, reference).disputes
    [(0, 0, 1, 0, None)]
    """
    right, reference_right = competitor.test == truth, reference.test == truth
    n_both = int(np.count_nonzero(right & reference_right))
    n_right, n_reference = (
        int(np.count_nonzero(right)),
        int(np.count_nonzero(reference_right)),
    )
    only_reference, only_competitor = n_reference - n_both, n_right - n_both
    neither = len(truth) - n_both - only_reference - only_competitor
    places = np.flatnonzero(competitor.test != reference.test)
    probability = absolute_differences(competitor.probabilities, reference.probabilities)
    joint = absolute_differences(
        competitor.joint_log_likelihood, reference.joint_log_likelihood
    )
    return PairValues(
        len(places),
        (n_both, only_reference, only_competitor, neither),
        _largest_and_mean(probability),
        _largest_and_mean(joint),
        _disputes(places, truth, competitor, reference) if len(places) else [],
        probability,
    )


def absolute_differences(first: FloatArray | None, second: FloatArray | None) -> FloatArray:
    """Return all absolute differences, zero between equal infinities.

    Parameters
    ----------
    first, second : ndarray of shape (n_test, n_classes) or None

    Returns
    -------
    ndarray of shape (n_test * n_classes,)
        Empty where one of the two is None.

    Examples
    --------
    >>> absolute_differences(np.array([[-np.inf, 2.0]]), np.array([[-np.inf, 1.5]]))
    array([0. , 0.5])
    """
    if first is None or second is None:
        return np.empty(0)
    with np.errstate(invalid="ignore"):
        differences = np.abs(first - second)
    equal_infinities = np.isinf(first) & (first == second)
    if equal_infinities.any():
        differences[equal_infinities] = 0.0
    flat: FloatArray = differences.ravel()
    return flat


def _largest_and_mean(differences: FloatArray) -> tuple[float, float]:
    if not differences.size:
        return float("nan"), float("nan")
    return float(differences.max()), float(differences.mean())


def _disputes(
    places: NDArray[np.intp],
    truth: NDArray[np.intp],
    competitor: Predictions,
    reference: Predictions,
) -> list[tuple[Any, ...]]:
    """Return one row for each disagreement."""
    margins: list[float | None] = [None] * len(places)
    if reference.probabilities is not None and reference.probabilities.shape[1] > 1:
        ordered = np.sort(reference.probabilities[places], axis=1)
        margins = (ordered[:, -1] - ordered[:, -2]).tolist()
    columns = (truth[places], competitor.test[places], reference.test[places])
    return list(
        zip(places.tolist(), *(column.tolist() for column in columns), margins, strict=True)
    )
