"""Labels that a bound on the error of their scores proves."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ScoreBound:
    """Bound on the difference of two evaluations of a score, linear in the score."""

    # (n_classes, n_runs): The bound is ``offset + slope * Q``; offsets are infinite where
    # nothing is proved
    offset: FloatArray
    # (n_classes, n_runs): The bound is ``offset + slope * Q``; offsets are infinite where
    # nothing is proved
    slope: FloatArray
    # (n_classes, n_runs): Score at the mean, so that ``Q = 2 (ceiling - score)``
    ceiling: FloatArray

    @property
    def finite(self) -> NDArray[np.bool_]:
        """Whether labels of a run can be proved at all, shape (n_runs,)."""
        usable: NDArray[np.bool_] = np.isfinite(self.offset.max(axis=0))
        return usable

    def of(self, scores: FloatArray) -> FloatArray:
        """Return the bound of each score, of the same shape.

        Scores have shape (n_classes, n_runs, n_rows) and are minus infinity for a class
        that cannot be predicted, whose bound is 0.
        """
        impossible = np.isneginf(scores)
        with np.errstate(invalid="ignore"):
            distance = np.maximum(self.ceiling[..., np.newaxis] - scores, 0.0)
        bound = self.offset[..., np.newaxis] + 2.0 * self.slope[..., np.newaxis] * distance
        return np.where(impossible, 0.0, bound)

    def proved_labels(
        self, scores: FloatArray
    ) -> tuple[NDArray[np.unsignedinteger], NDArray[np.bool_]]:
        """Return the class with the largest score of each row, and where that is proved.

        Proved is a label whose score minus its bound exceeds every other score plus its
        bound. The largest bound of all classes is tried first: that is quick.
        """
        labels, best, second = leading(scores)
        with np.errstate(invalid="ignore"):
            slope = 2.0 * self.slope.max(axis=0)
            offset = (self.offset + slope * self.ceiling).max(axis=0)
            best *= (1.0 + slope)[:, np.newaxis]
            second *= (1.0 - slope)[:, np.newaxis]
            best -= second
            proved: NDArray[np.bool_] = best > 2.0 * offset[:, np.newaxis]
        runs, rows = (~proved & self.finite[:, np.newaxis]).nonzero()
        if len(runs):
            proved[runs, rows] = self._proved_apart(
                scores[:, runs, rows], labels[runs, rows], runs
            )
        return labels, proved

    def sole_labels(
        self, scores: FloatArray
    ) -> tuple[NDArray[np.unsignedinteger], NDArray[np.bool_]]:
        """Return the class of each row, and where it is proved, for one run.

        Proved is what `proved_labels` proves. Of many classes it is quicker to count those
        whose score comes near the largest one than to find the second.
        """
        best, slope = scores.max(axis=0), 2.0 * self.slope.max()
        with np.errstate(invalid="ignore"):
            offset = (self.offset + slope * self.ceiling).max()
            reach = (best * (1.0 + slope) - 2.0 * offset) / (1.0 - slope)
        near = scores >= reach
        codes = np.arange(len(scores), dtype=np.min_scalar_type(len(scores)))
        number = np.add.reduce(near, axis=0, dtype=codes.dtype)
        labels = np.add.reduce(near * codes[:, np.newaxis], axis=0, dtype=codes.dtype)
        proved: NDArray[np.bool_] = number == 1
        if number.max() > 1:
            rows = np.flatnonzero(number > 1)
            close = scores[:, rows]
            labels[rows] = close.argmax(axis=0)
            proved[rows] = self._proved_apart(close, labels[rows], np.zeros_like(rows))
        return labels, proved

    def _proved_apart(
        self, scores: FloatArray, labels: NDArray[np.integer], runs: NDArray[np.intp]
    ) -> NDArray[np.bool_]:
        """Return which labels are proved if each class has a bound of its own."""
        own = ScoreBound(self.offset[:, runs], self.slope[:, runs], self.ceiling[:, runs])
        radius = own.of(scores[..., np.newaxis])[..., 0]
        upper, place = scores + radius, np.arange(len(labels))
        lower = scores[labels, place] - radius[labels, place]
        upper[labels, place] = -np.inf
        certain: NDArray[np.bool_] = lower > upper.max(axis=0)
        return certain


def leading(
    scores: FloatArray,
) -> tuple[NDArray[np.unsignedinteger], FloatArray, FloatArray]:
    """The class with the largest score of each sample, and the two largest scores."""
    labels = np.zeros(scores.shape[1:], dtype=np.min_scalar_type(len(scores) - 1))
    best, second = scores[0].copy(), np.full(scores.shape[1:], -np.inf)
    for code, score in enumerate(scores[1:], 1):
        np.copyto(labels, labels.dtype.type(code), where=score > best)
        np.maximum(second, np.minimum(best, score), out=second)
        np.maximum(best, score, out=best)
    return labels, best, second
