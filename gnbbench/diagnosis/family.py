"""Scores of one run under any variant: the textbook's formulas, from cached moments.

The same variants as `gnbbench.implementations.textbook`, and more; here one fit serves
every variant.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.diagnosis.variants import Variant

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

# Rounding errors of one score, in units of its terms times the unit roundoff. Two sound
# orders of summation differ by a few units on real data; sixty-four leaves room for
# formulas that take powers and logarithms of densities.
ROUNDINGS = 64.0
# A product of densities below this is subnormal or nearly so: its logarithm is lost.
LOST_LOG = -690.0
# Numbers of one block of rows, classes and features: a few megabytes.
BLOCK = 500_000


@dataclass(frozen=True, eq=False)
class Moments:
    """Counts, means and variances (divisor n) of the classes present in one training set.

    `pooled` is the variance of each feature over all samples.
    """

    counts: FloatArray
    theta: FloatArray
    var: FloatArray
    pooled: FloatArray


@dataclass(frozen=True, eq=False)
class TrainedRun:
    """One split, with the moments of its training side kept once they were computed."""

    X_train: FloatArray  # (n, n_features)
    codes: IntArray
    X_test: FloatArray  # (n, n_features)
    n_classes: int  # Of the dataset; some may be absent here
    test: IntArray  # Indices of the samples tested on
    _cache: dict[tuple[str, str], Moments] = field(default_factory=dict, repr=False)

    @cached_property
    def present(self) -> IntArray:
        """Codes of the classes with a training sample."""
        return np.unique(self.codes)

    def moments(self, dtype: str, formula: str) -> Moments:
        """Return the moments in this arithmetic."""
        key = (dtype, formula)
        if key not in self._cache:
            with np.errstate(all="ignore"):
                self._cache[key] = self._moments(dtype, formula)
        return self._cache[key]

    def _moments(self, dtype: str, formula: str) -> Moments:
        samples: NDArray[Any] = self.X_train.astype(dtype, copy=False)
        groups = [samples[self.codes == code] for code in self.present]
        return Moments(
            np.array([len(rows) for rows in groups], dtype=dtype),
            np.array([rows.mean(axis=0) for rows in groups]),
            np.array([_variances(rows, formula) for rows in groups]),
            samples.var(axis=0),
        )


def _variances(rows: NDArray[Any], formula: str) -> NDArray[Any]:
    if formula == "two-pass":
        two_pass: NDArray[Any] = ((rows - rows.mean(axis=0)) ** 2).mean(axis=0)
        return two_pass
    kind, _, by_columns = formula.partition(", ")
    # A contiguous column is summed pairwise, a row-major table row after row.
    axis, table = (1, np.ascontiguousarray(rows.T)) if by_columns else (0, rows)
    if kind == "mean":
        one_pass: NDArray[Any] = (table**2).mean(axis=axis) - table.mean(axis=axis) ** 2
        return one_pass
    n = len(rows)
    result: NDArray[Any] = ((table**2).sum(axis=axis) - table.sum(axis=axis) ** 2 / n) / n
    return result


@dataclass(frozen=True, eq=False)
class Scores:
    """Joint log-likelihoods of one run, and how far rounding may have moved them."""

    joint: FloatArray  # (n_test, n_classes): Minus infinity for a class that is absent
    rounding: FloatArray  # (n_test, n_classes)


def variances(variant: Variant, moments: Moments) -> NDArray[Any]:
    """Return the variances a variant scores with."""
    var, counts = moments.var, moments.counts
    if variant.negatives == "zero":
        var = np.maximum(var, 0.0)
    elif variant.negatives == "absolute":
        var = np.abs(var)
    with np.errstate(all="ignore"):
        if variant.divisor != "n":
            var = var * (counts / (counts - 1))[:, np.newaxis]
        smoothed = _smoothed(variant, var, pooled_variances(variant, moments))
    result: NDArray[Any] = smoothed.astype(var.dtype, copy=False)
    return result


def pooled_variances(variant: Variant, moments: Moments) -> NDArray[Any]:
    """Return the variances of all samples, which smoothing may be relative to."""
    pooled, n = moments.pooled, moments.counts.sum()
    if variant.divisor == "n-1 throughout":
        pooled = pooled * (n / (n - 1))
    return pooled


def _smoothed(variant: Variant, var: NDArray[Any], pooled: NDArray[Any]) -> NDArray[Any]:
    if variant.smoothing is None:
        return var
    rule, amount = variant.smoothing.rule, variant.smoothing.amount
    result: NDArray[Any]
    if rule == "floor":
        result = np.maximum(var, amount)
    elif rule == "zero":
        result = np.where(var == 0.0, amount, var)
    elif rule == "deviation":
        result = (np.sqrt(var) + amount) ** 2
    else:
        result = var + amount * smoothing_pattern(rule, var, pooled)
    return result


def smoothing_pattern(rule: str, var: NDArray[Any], pooled: NDArray[Any]) -> NDArray[Any]:
    """Return what one unit of an additive smoothing rule adds to each variance."""
    patterns = {
        "largest": pooled.max(),
        "mean": pooled.mean(),
        "feature": pooled,
        "class": var.max(axis=1, keepdims=True),
        "absolute": 1.0,
    }
    return np.broadcast_to(patterns[rule], var.shape)


def log_prior(variant: Variant, moments: Moments, present: IntArray) -> FloatArray:
    """Return the logarithm of each present class's prior."""
    counts = moments.counts.astype(np.float64)
    if isinstance(variant.prior, tuple):
        prior = np.asarray(variant.prior)[present]
    elif variant.prior in ("uniform", "free"):
        prior = np.full(len(present), 1.0 / len(present))
    elif variant.prior == "add-one":
        prior = (counts + 1.0) / (counts + 1.0).sum()
    else:
        prior = counts / counts.sum()
        if variant.prior == "reordered" and len(present) == len(variant.prior_order or ()):
            prior = prior[list(variant.prior_order or ())]
    with np.errstate(all="ignore"):
        result: FloatArray = np.log(prior)
    return result


def scores(variant: Variant, run: TrainedRun) -> Scores:
    """Return the joint log-likelihoods of the test samples under a variant.

    Labels and columns are in the classes' own order: `label_order` and `column_order`
    are for whoever compares.
    """
    present, moments = run.present, run.moments(variant.dtype, variant.formula)
    var, prior = variances(variant, moments), log_prior(variant, moments, present)
    samples: NDArray[Any] = run.X_test.astype(variant.dtype, copy=False)
    if variant.feature_order is not None:
        samples = samples[:, list(variant.feature_order)]
    joint = np.full((len(samples), run.n_classes), -np.inf)
    rounding = np.zeros_like(joint)
    unit = ROUNDINGS * float(np.finfo(variant.dtype).eps) / 2.0
    step = max(1, BLOCK // max(moments.theta.size, 1))
    with np.errstate(all="ignore"):
        for first in range(0, len(samples), step):
            rows = slice(first, first + step)
            block = samples[rows, np.newaxis, :] - moments.theta
            likelihood, terms = _likelihood(variant, block, moments.theta, var)
            joint[rows, present] = likelihood + prior
            rounding[rows, present] = unit * (terms + np.abs(prior))
        if variant.space in ("product", "multivariate"):
            rounding[joint < LOST_LOG] = 1.0
    return Scores(joint, np.where(np.isfinite(rounding), rounding, 0.0))


def _likelihood(
    variant: Variant, deviations: NDArray[Any], theta: NDArray[Any], var: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return log-likelihoods of rows and classes, and the sizes of the terms they sum."""
    quadratic = 0.5 * (deviations * deviations) / var
    logs = np.log(2.0 * np.pi * var)
    # A mean, or a sample, rounded by u |x| moves its squared deviation by u |x| |d| / var.
    shifts = np.einsum("nkd,kd->nk", np.abs(deviations), np.abs(theta) / np.abs(var))
    total = quadratic.sum(axis=-1)
    terms = total + 0.5 * np.abs(logs).sum(axis=-1) + shifts
    if variant.formula != "two-pass":
        # A variance that is off by u theta² moves the log-likelihood by so much.
        lost = theta**2 / np.abs(2.0 * var)
        terms = terms + np.einsum("nkd,kd->nk", np.abs(2.0 * quadratic - 1.0), lost)
    if variant.floor is not None:
        return _floored(variant.floor.rule, variant.floor.amount, quadratic, var), terms
    if variant.space == "log":
        return -total - 0.5 * logs.sum(axis=-1), terms
    if variant.space == "multivariate":
        scale = (2.0 * np.pi) ** (-0.5 * var.shape[-1]) * np.prod(var, axis=-1) ** -0.5
        return np.log(scale * np.exp(-total)), terms
    density = np.exp(-quadratic) / np.sqrt(2.0 * np.pi * var)
    if variant.space == "product":
        return np.log(density.prod(axis=-1)), terms
    return np.log(density).sum(axis=-1), terms


def _floored(
    rule: str, amount: float, quadratic: NDArray[Any], var: NDArray[Any]
) -> NDArray[Any]:
    density = np.exp(-quadratic) / np.sqrt(2.0 * np.pi * var)
    result: NDArray[Any]
    if rule == "total":
        result = np.log(density.prod(axis=-1) + amount)
    elif rule == "clip":
        result = np.log(np.maximum(density, amount)).sum(axis=-1)
    else:
        result = np.log(density + amount).sum(axis=-1)
    return result


def contributions(
    variant: Variant, run: TrainedRun, row: int, first: int, second: int
) -> FloatArray:
    """Return each feature's part in the log-odds of two classes for one test sample."""
    moments, present = run.moments(variant.dtype, variant.formula), run.present
    sample = run.X_test[row].astype(variant.dtype)
    if variant.feature_order is not None:
        sample = sample[list(variant.feature_order)]
    parts: list[NDArray[Any]] = []
    var = variances(variant, moments)
    for code in (first, second):
        if code not in present:
            return np.full(len(sample), np.nan)
        place = int(np.searchsorted(present, code))
        parts.append(_feature_parts(variant, sample, moments.theta[place], var[place]))
    with np.errstate(all="ignore"):
        return np.asarray(parts[0] - parts[1], dtype=np.float64)


def _feature_parts(
    variant: Variant, sample: NDArray[Any], theta: NDArray[Any], var: NDArray[Any]
) -> NDArray[Any]:
    result: NDArray[Any]
    with np.errstate(all="ignore"):
        quadratic = 0.5 * (sample - theta) ** 2 / var
        if variant.floor is None or variant.floor.rule == "total":
            result = -quadratic - 0.5 * np.log(2.0 * np.pi * var)
        else:
            # One feature a row, so that the sum over features is each feature's own part.
            one_each = (quadratic[:, np.newaxis], var[:, np.newaxis])
            result = _floored(variant.floor.rule, variant.floor.amount, *one_each)
    return result
