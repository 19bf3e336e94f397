"""Samples about the centres of their classes, and the moments of any subset of rows.

Each sample is represented by its distances Z from the overall mean of each class. Sums of
[Z, Z^2, 1] over the training rows of a class give its moments.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.core import certificate, validation
from gnbbench.core.certificate import Centres, RunMoments
from gnbbench.core.gaussian_nb import GaussianNB
from gnbbench.core.labels import as_labels, label_groups
from gnbbench.core.row_blocks import BoolArray, FloatArray, tiles
from gnbbench.core.validation import check_var_smoothing, resolved_priors

# Class, runs, first and last sorted row -> mask of the training rows.
Kept = Callable[[int, NDArray[np.intp], int, int], BoolArray]

NAME = "GaussianNB"
# Values in all arrays of a block of runs (32 MiB), and in those of a tile of rows, which
# fits in a core's cache.
BLOCK_VALUES = 4_194_304
TILE_VALUES = 131_072
PARAMETER_ARRAYS = 24
# A variance below this fraction of the mean square about the centre has lost 16 bits.
CANCELLED = 2.0**-16


class CentredSamples:
    """Samples sorted by class, and their distances from the mean of each class.

    Parameters are those of `gnbbench.many_splits`.
    """

    def __init__(
        self, X: ArrayLike, y: ArrayLike, priors: Any, var_smoothing: float
    ) -> None:
        check_var_smoothing(var_smoothing, NAME)
        labels = as_labels(y, NAME)
        self.samples = validation.as_samples(X, NAME)
        validation.check_lengths(len(self.samples), len(labels))
        validation.raise_for_non_finite(self.samples, "X", NAME)
        self.values = self.samples.astype(np.float64, copy=False)
        groups = label_groups(labels)
        self.classes, self.order = groups.labels, groups.order
        self.edges = [*groups.starts.tolist(), len(labels)]
        sizes = np.diff(self.edges)
        self.codes = np.empty(len(labels), dtype=np.intp)
        self.codes[self.order] = np.repeat(np.arange(len(sizes)), sizes)
        self.priors, self.var_smoothing = priors, var_smoothing
        self.given_priors = resolved_priors(priors, len(sizes), NAME)
        self.shape = (len(sizes), *self.values.shape)
        self.centres = self._class_centres(sizes[:, np.newaxis])

    def _class_centres(self, sizes: NDArray[np.intp]) -> Centres:
        """Return the mean of each class, which is exact for a constant feature."""
        n_classes, n_samples, n_features = self.shape
        low, high, total = (np.zeros((n_classes, n_features)) for _ in range(3))
        with np.errstate(over="ignore", invalid="ignore"):
            for code, (start, stop) in enumerate(pairwise(self.edges)):
                low[code] = high[code] = self.values[self.order[start]]
                for begin, end in tiles(start, stop, BLOCK_VALUES // (4 * n_features)):
                    rows = self.values[self.order[begin:end]]
                    total[code] += rows.sum(axis=0)
                    np.minimum(low[code], rows.min(axis=0), out=low[code])
                    np.maximum(high[code], rows.max(axis=0), out=high[code])
            points = np.where(low == high, low, total / sizes)
            offsets = points - (sizes * points).sum(axis=0) / n_samples
            reach = np.maximum(high.max(axis=0) - points, points - low.min(axis=0)).max()
        largest = np.maximum(np.abs(low), np.abs(high))
        return Centres(points, offsets, largest, float(reach))

    @cached_property
    def _kept_features(self) -> list[FloatArray]:
        """[Z, Z^2, 1] of all sorted rows for each class, if few enough to keep."""
        n_classes, n_samples, n_features = self.shape
        if n_classes * n_samples * (2 * n_features + 1) > BLOCK_VALUES:
            return []
        rows = self.values[self.order]
        return [self.expanded(rows, code) for code in range(n_classes)]

    def expanded(self, rows: FloatArray, code: int) -> FloatArray:
        """Return [Z, Z^2, 1] of these rows, about the centre of one class."""
        n_features = rows.shape[1]
        features = np.empty((len(rows), 2 * n_features + 1))
        distances = features[:, :n_features]
        with np.errstate(over="ignore", invalid="ignore"):
            np.subtract(rows, self.centres.points[code], out=distances)
            np.multiply(distances, distances, out=features[:, n_features:-1])
        features[:, -1] = 1.0
        return features

    def features(self, code: int, start: int, stop: int) -> FloatArray:
        """Return [Z, Z^2, 1] of consecutive sorted rows, about one class's centre."""
        if self._kept_features:
            return self._kept_features[code][start:stop]
        return self.expanded(self.values[self.order[start:stop]], code)

    def estimator(self, train: BoolArray) -> GaussianNB:
        """Return the estimator fitted to these rows, with codes as labels."""
        model = GaussianNB(priors=self.priors, var_smoothing=self.var_smoothing)
        return model.fit(self.samples[train], self.codes[train])


def run_moments(data: CentredSamples, sums: FloatArray, kept: Kept) -> RunMoments:
    """Return the moments from the sums of [Z, Z^2, 1] over the training rows.

    Variances that lost too many digits by cancellation, or fell below zero, are recomputed
    from the deviations of the rows.
    """
    n_features = data.shape[2]
    count = sums[..., -1]
    divisor = np.maximum(count, 1.0)[..., np.newaxis]
    shift, variance = sums[..., :n_features] / divisor, sums[..., n_features:-1] / divisor
    square = variance.copy()
    variance -= shift * shift
    error = 3.0 * certificate.of_rows(count) * square
    moments = RunMoments(count, shift, square, variance, error)
    for code in range(len(sums)):
        runs, columns = (variance[code] < CANCELLED * square[code]).nonzero()
        for first, last in tiles(0, len(runs), BLOCK_VALUES // 4):
            _recompute(data, moments, kept, code, (runs[first:last], columns[first:last]))
    return moments


def _recompute(
    data: CentredSamples,
    moments: RunMoments,
    kept: Kept,
    code: int,
    pairs: tuple[NDArray[np.intp], NDArray[np.intp]],
) -> None:
    """Recompute the variance of one class in these (run, feature) pairs, in two passes."""
    runs, columns = pairs
    start, stop = data.edges[code : code + 2]
    mean, total = moments.shift[code][pairs][:, np.newaxis], np.zeros(len(runs))
    for begin, end in tiles(start, stop, TILE_VALUES // 8):
        distances = np.ascontiguousarray(data.features(code, begin, end).T)
        for first, last in tiles(0, len(runs), TILE_VALUES // (end - begin)):
            deviation = distances[columns[first:last]] - mean[first:last]
            deviation *= kept(code, runs[first:last], begin, end)
            total[first:last] += np.einsum("ij,ij->i", deviation, deviation)
    count = moments.count[code, runs]
    variance = total / count
    square = moments.square[code][pairs]
    moments.variance[code][pairs] = variance
    moments.error[code][pairs] = certificate.two_pass_error(count, square, variance)


def run_priors(data: CentredSamples, count: FloatArray, runs: Sequence[int]) -> FloatArray:
    """Return the prior of each class in each run, as in the estimator.

    An array of priors needs every class in every run.
    """
    present = count > 0.0
    prior: FloatArray
    if data.given_priors is None:
        prior = count / count.sum(axis=0)
    elif isinstance(data.priors, str):
        prior = present / present.sum(axis=0)
    else:
        missing, places = np.logical_not(present).nonzero()
        if len(places):
            raise ValueError(
                f"Run {runs[places[0]]}: class {data.classes.tolist()[missing[0]]!r} has "
                "no training row, but a prior. Set priors to None or 'uniform'."
            )
        prior = np.repeat(data.given_priors[:, np.newaxis], count.shape[1], axis=1)
    return prior
