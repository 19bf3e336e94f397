"""Metrics of one implementation and of pairs for many runs at once, and total counts.

Arrays have one row per run; all runs of a batch have the same number of samples. Metrics
are those of ``sklearn.metrics`` with macro averaging and ``zero_division=0``. Counts are
whole numbers, so that their sums do not depend on the order.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import BoolArray, CodeArray, CountArray, FloatArray
from gnbbench.measurement.predictions import Predictions
from gnbbench.records import N_RELIABILITY_BINS

CountRow = tuple[int | None, ...]

# Smaller probabilities are clipped to this before the logarithm.
CLIP = float(np.finfo(np.float64).eps)


def confusion_matrices(truth: CodeArray, labels: CodeArray, n_classes: int) -> CountArray:
    """Return the confusion matrix of each run; the last column is for unknown labels."""
    n_runs = len(truth)
    width = n_classes + 1
    cells = truth * width + labels % width
    cells += np.arange(n_runs)[:, np.newaxis] * (n_classes * width)
    counts = np.bincount(cells.ravel(), minlength=n_runs * n_classes * width)
    return counts.reshape(n_runs, n_classes, width)


def label_metrics(confusion: CountArray) -> dict[str, FloatArray]:
    """Return accuracy and macro-averaged precision, recall and F1 of each run."""
    right = np.diagonal(confusion, axis1=1, axis2=2).astype(np.float64)
    predicted = confusion.sum(axis=1)[:, :-1]
    true = confusion.sum(axis=2)
    n_occurring = ((predicted + true) > 0).sum(axis=1)
    unknown = confusion[:, :, -1].sum(axis=1) > 0
    n_averaged = n_occurring + unknown
    scores = {
        "precision": right / np.maximum(predicted, 1),
        "recall": right / np.maximum(true, 1),
        "f1": 2.0 * right / np.maximum(predicted + true, 1),
    }
    return {
        "test_accuracy": right.sum(axis=1) / true.sum(axis=1),
        **{name: score.sum(axis=1) / n_averaged for name, score in scores.items()},
    }


def probability_metrics(
    probabilities: FloatArray, truth: CodeArray, right: BoolArray
) -> dict[str, FloatArray]:
    """Return mean confidence (overall, when right, when wrong), log loss and Brier score.

    For the log loss, in nats, probabilities are clipped to machine epsilon, as scikit-learn
    does: naive Bayes gives zeros, whose logarithm would make the mean infinite.
    """
    confidence = row_maxima(probabilities)
    of_truth = np.take_along_axis(probabilities, truth[:, :, np.newaxis], axis=2)[:, :, 0]
    return {
        "mean_confidence": confidence.mean(axis=1),
        "mean_confidence_right": _mean_where(confidence, right),
        "mean_confidence_wrong": _mean_where(confidence, ~right),
        "log_loss": -np.log(np.clip(of_truth, CLIP, 1.0 - CLIP)).mean(axis=1),
        "brier_score": _brier_score(probabilities, of_truth),
        "n_clipped": (of_truth < CLIP).sum(axis=1).astype(np.float64),
    }


def row_maxima(table: FloatArray) -> FloatArray:
    """Return the largest value of each row, by columns since rows are short."""
    largest: FloatArray = np.ascontiguousarray(np.moveaxis(table, -1, 0)).max(axis=0)
    return largest


def row_sums(table: FloatArray) -> FloatArray:
    """Return the sum of each row, bit for bit as NumPy computes it in C order."""
    sums: FloatArray
    if table.shape[-1] < 8:  # NumPy adds them one after the other
        sums = np.ascontiguousarray(np.moveaxis(table, -1, 0)).sum(axis=0)
    else:
        sums = np.ascontiguousarray(table).sum(axis=-1)
    return sums


def _mean_where(values: FloatArray, where: BoolArray) -> FloatArray:
    count = where.sum(axis=1)
    total = np.where(where, values, 0.0).sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _brier_score(probabilities: FloatArray, of_truth: FloatArray) -> FloatArray:
    """Return the Brier score, summed over all classes even if there are two: 0 to 2.

    Brier (1950), eq. 2.
    """
    squared = row_sums(np.square(probabilities)) - 2.0 * of_truth + 1.0
    score: FloatArray = squared.mean(axis=1)
    return score


def pair_counts(first: CodeArray, second: CodeArray) -> list[CountRow]:
    """Return the pairs of values that occur, with their counts."""
    width = int(second.max(initial=-1)) + 2
    cells = (first.ravel() + 1) * width + (second.ravel() + 1)
    counts = np.bincount(cells)
    occupied = np.flatnonzero(counts)
    columns = (occupied // width - 1, occupied % width - 1, counts[occupied])
    return list(zip(*(column.tolist() for column in columns), strict=True))


def reliability_counts(probabilities: FloatArray, right: BoolArray) -> CountArray:
    """Return, per bin of confidence, samples, correct ones, and confidence in 1e-9."""
    confidence = row_maxima(probabilities).ravel()
    bins = np.ceil(confidence * N_RELIABILITY_BINS).astype(np.intp) - 1
    bins = bins.clip(0, N_RELIABILITY_BINS - 1)
    counts = np.zeros((N_RELIABILITY_BINS, 3), dtype=np.int64)
    counts[:, 0] = np.bincount(bins, minlength=N_RELIABILITY_BINS)
    counts[:, 1] = np.bincount(bins[right.ravel()], minlength=N_RELIABILITY_BINS)
    np.add.at(counts[:, 2], bins, np.rint(confidence * 1e9).astype(np.int64))
    return counts


def decade_counts(differences: FloatArray) -> list[CountRow]:
    """Return the number of absolute differences in each power of ten."""
    positive = differences[differences > 0.0]
    n_zero = int(differences.size - positive.size)
    rows: list[CountRow] = [(None, n_zero)] if n_zero else []
    decades = np.minimum(np.floor(np.log10(positive)).astype(np.intp), -1)
    counts = np.bincount(-decades)
    places = np.flatnonzero(counts)[::-1]
    return rows + list(zip((-places).tolist(), counts[places].tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class PairValues:
    """How two implementations differ on the test sets of some runs."""

    # Samples of each run whose labels differ; that both label correctly, only the
    # reference, only the competitor, neither
    counts: tuple[CountArray, ...]
    # (n_runs,): Largest and mean absolute difference of probabilities, then of joint log-
    # likelihoods; NaN if one of the two offers none
    differences: tuple[FloatArray, ...]
    # Of each disagreement: place of the run, row of its test set, truth, label, label of
    # the reference, margin (None if the reference offers no probabilities)
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
    """Return how the two differ; the first axis of all arrays is that of the runs."""
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
    cells = tuple(places[:most_disagreements] for places in np.nonzero(differ))
    columns = (*cells, *(codes[cells] for codes in (truth, *labels)))
    margins = _margins(reference.probabilities, cells)
    return PairValues(
        (n_differ, n_both, only_reference, only_competitor, neither),
        (*_largest_and_mean(shares, n_runs), *_largest_and_mean(joint, n_runs)),
        list(zip(*(column.tolist() for column in columns), margins, strict=True)),
        np.empty(0) if shares is None else shares.ravel(),
    )


def _differences(first: FloatArray | None, second: FloatArray | None) -> FloatArray | None:
    """Return all absolute differences, one row per run; zero between equal infinities."""
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
    """Return the gap between the two largest probabilities of these samples."""
    if probabilities is None or probabilities.shape[2] < 2:
        return [None] * len(cells[0])
    ordered = np.sort(probabilities[cells], axis=1)
    margins: list[float | None] = (ordered[:, -1] - ordered[:, -2]).tolist()
    return margins
