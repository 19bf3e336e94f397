"""What scores under any variant are made of: moments of each run, and its test samples."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from operator import methodcaller
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import CodeArray, FloatArray
from gnbbench.diagnosis import variants
from gnbbench.diagnosis.variants import Variant
from gnbbench.words import plural

# Numbers of one block of rows, classes and features: a few megabytes.
BLOCK = 500_000
# Deviations and log-likelihoods are cached up to this many numbers each.
MOST_KEPT = 8_000_000
Pair = tuple[NDArray[Any], NDArray[Any]]


def _significant(X: FloatArray, digits: int) -> FloatArray:
    """Round numbers to this many significant digits."""
    places = digits - 1 - np.floor(np.log10(np.abs(np.where(X == 0.0, 1.0, X))))
    # Negative powers of ten are not exact in double precision.
    more, less = 10.0 ** np.maximum(places, 0.0), 10.0 ** np.maximum(-places, 0.0)
    return np.asarray(np.round(X * more / less) / more * less)


# How numbers may be rounded -> the function that does it.
ROUNDINGS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "whole numbers, towards zero": np.trunc,
    **{plural(n, "decimal"): methodcaller("round", n) for n in range(7)},
    **{f"{n} significant digits": partial(_significant, digits=n) for n in range(2, 7)},
}


@dataclass(frozen=True, eq=False)
class TrainedRun:
    """One split: its training samples and its test samples."""

    X_train: FloatArray  # (n, n_features)
    codes: CodeArray
    X_test: FloatArray  # (n, n_features)
    n_classes: int  # Of the dataset; some may be absent here
    test: CodeArray  # Indices of the samples tested on


@dataclass(frozen=True, eq=False)
class Moments:
    """Counts, means and variances (divisor n) of each class in each run.

    A class that is absent from a run has a count of 0 and NaN for the rest. `pooled` is
    the variance of each feature over all samples, `ranges` its range there, and `first` the
    row in which a class appears.
    """

    counts: FloatArray  # (n_runs, n_classes)
    first: FloatArray  # (n_runs, n_classes)
    theta: NDArray[Any]  # (n_runs, n_classes, n_features)
    var: NDArray[Any]  # (n_runs, n_classes, n_features)
    pooled: NDArray[Any]  # (n_runs, n_features)
    ranges: NDArray[Any]  # (n_runs, n_features)
    _priors: dict[Any, FloatArray] = field(default_factory=dict, repr=False, init=False)

    def of_runs(self, runs: CodeArray) -> "Moments":
        """Return the moments of some runs."""
        tables = (column.name for column in fields(self) if column.init)
        return Moments(*(getattr(self, name)[runs] for name in tables))


def _moments(runs: Sequence[TrainedRun], dtype: str, formula: str) -> Moments:
    shape = (len(runs), runs[0].n_classes, runs[0].X_train.shape[1])
    counts, first = np.zeros(shape[:2], dtype=dtype), np.full(shape[:2], np.nan)
    theta, var = np.full(shape, np.nan, dtype=dtype), np.full(shape, np.nan, dtype=dtype)
    pooled, ranges = (np.empty((shape[0], shape[2]), dtype=dtype) for _ in range(2))
    for place, run in enumerate(runs):
        samples: NDArray[Any] = run.X_train.astype(dtype, copy=False)
        pooled[place], ranges[place] = samples.var(axis=0), np.ptp(samples, axis=0)
        present, appears = np.unique(run.codes, return_index=True)
        first[place, present] = appears
        for code in present:
            rows = samples[run.codes == code]
            counts[place, code] = len(rows)
            theta[place, code] = rows.mean(axis=0)
            var[place, code] = _variances(rows, formula)
    return Moments(counts, first, theta, var, pooled, ranges)


def _variances(rows: NDArray[Any], formula: str) -> Any:
    if formula in ("two-pass", "raw"):
        return ((rows - rows.mean(axis=0)) ** 2).mean(axis=0)
    kind, _, by_columns = formula.partition(", ")
    # A contiguous column is summed pairwise, a row-major table row after row.
    axis, table = (1, np.ascontiguousarray(rows.T)) if by_columns else (0, rows)
    if kind == "mean":
        return (table**2).mean(axis=axis) - table.mean(axis=axis) ** 2
    n = len(rows)
    return ((table**2).sum(axis=axis) - table.sum(axis=axis) ** 2 / n) / n


def listed_classes(order: tuple[int, ...] | str | None, moments: Moments) -> CodeArray:
    """Return the classes of each run in an order, their own by default."""
    if isinstance(order, str) and order in _ORDERS:
        return np.asarray(_ORDERS[order](moments))
    places = order if isinstance(order, tuple) else range(moments.counts.shape[1])
    return np.broadcast_to(tuple(places), moments.counts.shape)


def kept(variant: Variant, moments: Moments) -> Moments:
    """Return the moments, rounded or of other classes if a variant keeps them so."""
    if variant.half:
        with np.errstate(all="ignore"):
            theta = moments.theta.astype(np.float16).astype(moments.theta.dtype)
        moments = replace(moments, theta=theta)
    if variant.listed is None:
        return moments
    what, order = variant.listed
    places = listed_classes(order, moments)[..., np.newaxis]
    if what == "means":
        return replace(moments, theta=np.take_along_axis(moments.theta, places, axis=1))
    return replace(moments, var=np.take_along_axis(moments.var, places, axis=1))


_ORDERS: dict[str, Callable[[Moments], Any]] = {
    "by appearance": lambda moments: np.argsort(moments.first, axis=1),
    "smallest first": lambda moments: np.argsort(moments.counts, axis=1),
    # Of equal ones the first to appear, as in counters.
    "largest first": lambda m: np.lexsort((m.first, -m.counts), axis=1),
    "reversed": lambda m: np.full(m.counts.shape, np.arange(m.counts.shape[1])[::-1]),
}


def labels_of_runs(order: tuple[int, ...] | str | None, moments: Moments) -> CodeArray:
    """Return the class whose label, or column, each class of a run gets."""
    listed = listed_classes(order, moments)
    if order in variants.SHIFTS:
        return np.roll(listed, -variants.SHIFTS[str(order)], axis=1)
    return np.argsort(listed, axis=1) if str(order) in _ORDERS else listed


@dataclass(frozen=True, eq=False)
class Batch:
    """The test rows of several runs one after the other, and their runs' moments."""

    runs: tuple[TrainedRun, ...]
    samples: FloatArray  # (n, n_features)
    of_run: CodeArray  # (n,): Rising
    _moments: dict[tuple[str, str], Moments] = field(default_factory=dict, repr=False)
    _deviations: dict[Any, Pair] = field(default_factory=dict, repr=False)
    _likelihoods: dict[Any, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, runs: Sequence[TrainedRun]) -> "Batch":
        """Return all test rows of these runs."""
        return cls(
            tuple(runs),
            np.concatenate([run.X_test for run in runs]),
            np.repeat(np.arange(len(runs)), [len(run.X_test) for run in runs]),
        )

    def rows(self, keep: NDArray[np.bool_]) -> "Batch":
        """Return the batch with these rows only."""
        return Batch(self.runs, self.samples[keep], self.of_run[keep], self._moments)

    @property
    def n_classes(self) -> int:
        """Classes of the dataset."""
        return self.runs[0].n_classes

    def moments(self, dtype: str = "float64", formula: str = "two-pass") -> Moments:
        """Return the moments of all runs in this arithmetic."""
        key = (dtype, formula)
        if key not in self._moments:
            with np.errstate(all="ignore"):
                self._moments[key] = _moments(self.runs, dtype, formula)
        return self._moments[key]

    def blocks(self) -> Iterator[slice]:
        """Yield the rows in blocks."""
        step = max(1, BLOCK // max(self.moments().theta[0].size, 1))
        for first in range(0, len(self.samples), step):
            yield slice(first, min(first + step, len(self.samples)))

    def deviations(self, variant: Variant, rows: slice) -> Pair:
        """Return squared distances from the means, and the factors of rounding errors.

        A mean, or a sample, rounded by u |x| moves its squared deviation by u |x| |d|.
        """
        order = variant.feature_order
        means = variant.means
        key = (variant.dtype, order, rows.start, variant.listed, variant.half, means)
        if key in self._deviations:
            return self._deviations[key]
        theta = kept(variant, self.moments(variant.dtype)).theta[self.of_run[rows]]
        if means:
            feature = variants.OF_ONE_FEATURE.get(means, slice(None))
            theta = np.broadcast_to(
                theta[..., feature].mean(axis=-1, keepdims=True), theta.shape
            )
        samples: NDArray[Any] = self.samples[rows].astype(variant.dtype, copy=False)
        samples = samples if order is None else samples[:, list(order)]
        gaps = samples[:, np.newaxis, :] - theta
        deviations = gaps * gaps, np.abs(gaps) * np.abs(theta)
        if theta.size <= MOST_KEPT and order is None:
            self._deviations[key] = deviations
        return deviations
