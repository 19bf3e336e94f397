"""Means and standard deviations that NIST certifies, by digits right."""

import math
from functools import partial

import numpy as np

from gnbbench.conformance import certified_data as nist
from gnbbench.conformance.contract import FloatArray, Make, fitted, parameters_of
from gnbbench.conformance.evidence import ANY_SMOOTHING
from gnbbench.conformance.exact import UNIT_ROUNDOFF, stable_variance_bound
from gnbbench.conformance.result import Check, Finding


def tolerance(n_samples: int, mean: float, variance: float) -> float:
    """Return what a stable computation of a variance may be off by.

    Certified values hold for decimal numbers. Rounding these to doubles moves the variance
    by 2 u k at most, k = |mean| / sd (Cauchy-Schwarz on its differential); a stable
    algorithm adds `stable_variance_bound`, and NIST gives 15 digits.
    """
    condition = abs(mean) / math.sqrt(variance)
    in_data = 2.0 * UNIT_ROUNDOFF * condition
    return in_data + stable_variance_bound(n_samples, condition) + 1e-14


def _univariate(make: Make, sample: nist.CertifiedSample) -> Finding:
    """Examine a sample that stands there twice, as two classes."""
    X = np.tile(sample.values, 2)[:, np.newaxis]
    y = np.repeat([0, 1], len(sample.values))
    return _digits(make, X, y, np.full((2, 1), sample.mean), sample.variance)


def _grouped(make: Make, groups: nist.CertifiedGroups) -> Finding:
    means = groups.means[:, np.newaxis]
    return _digits(make, groups.X.copy(), groups.y.copy(), means, groups.variance)


def _digits(
    make: Make, X: FloatArray, y: np.ndarray, means: FloatArray, variance: float
) -> Finding:
    """Return the relative error of means and variances."""
    learned = parameters_of(fitted(make, X, y), y)
    off_mean = float(np.max(np.abs(learned.theta - means) / np.abs(means)))
    # Some smoothing is no error here: its amount is another check's.
    smoothed = variance + ANY_SMOOTHING * float(np.var(X - X[0]))
    off = learned.var - np.clip(learned.var, variance, smoothed)
    off_variance = float(np.max(np.abs(off)) / variance)
    digits = [
        15.0 if error == 0.0 else min(15.0, -math.log10(error))
        for error in (off_mean, off_variance)
    ]
    return Finding(
        max(off_mean, off_variance),
        message=f"digits right: mean {digits[0]:.1f}, variance {digits[1]:.1f}",
    )


def _of_sample(sample: nist.CertifiedSample, what: str) -> Check:
    return Check(
        f"certified-{sample.name.lower()}",
        "certified data",
        f"Mean and variance of {what} have the digits that NIST certifies.",
        tolerance(len(sample.values), sample.mean, sample.variance),
        "relative error",
        f"NIST StRD, univariate summary statistics, {sample.name}",
        partial(_univariate, sample=sample),
    )


def _of_groups(groups: nist.CertifiedGroups, offset: str) -> Check:
    return Check(
        f"certified-{groups.name.lower()}",
        "certified data",
        f"Variances of nine classes at an offset of {offset} are 0.01, divisor 20 for 21.",
        tolerance(21, float(groups.means.max()), groups.variance),
        "relative error",
        f"NIST StRD, analysis of variance, {groups.name} (Simon and Lesage 1989)",
        partial(_grouped, groups=groups),
    )


CHECKS = (
    _of_sample(nist.LOTTERY, "218 lottery numbers"),
    _of_sample(nist.MAVRO, "50 readings of a filter's transmittance"),
    _of_sample(nist.MICHELSO, "100 measurements of the speed of light"),
    _of_sample(nist.NUM_ACC_1, "three whole numbers near 1e7"),
    _of_sample(nist.NUM_ACC_2, "1001 numbers near 1.2"),
    _of_sample(nist.NUM_ACC_3, "1001 numbers near 1e6"),
    _of_sample(nist.NUM_ACC_4, "1001 numbers near 1e7"),
    _of_groups(nist.SM_LS_01, "1"),
    _of_groups(nist.SM_LS_04, "1e6"),
    _of_groups(nist.SM_LS_07, "1e12"),
)
