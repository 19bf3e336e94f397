"""Scores of many runs under any variant: the textbook's formulas on cached moments.

The same variants as `gnbbench.implementations.textbook`, and more; here one fit serves
every variant, and what variants share is computed once for all runs.
"""

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import CodeArray, FloatArray
from gnbbench.diagnosis import variants
from gnbbench.diagnosis.moments import (
    Batch,
    Moments,
    Pair,
    kept,
    labels_of_runs,
    listed_classes,
)
from gnbbench.diagnosis.variants import Variant

NOTHING = slice(0, 0)
# Rounding errors of one score, in units of its terms times the unit roundoff. Two sound
# orders of summation differ by a few units on real data; sixty-four leaves room for
# formulas that take powers and logarithms of densities.
ROUNDINGS = 64.0
# The logarithms of the largest double, of one that is still exact, and of the smallest.
LARGEST_LOG, LOST_LOG, SMALLEST_LOG = 709.78, -690.0, -745.13
# Rule of smoothing -> variances under it; others add, or change the density alone.
_CHANGED: dict[str, Callable[[NDArray[Any], Any], Any]] = {
    "floor": np.maximum,
    "zero": lambda var, amount: np.where(var == 0.0, amount, var),
    "deviation": lambda var, amount: (np.sqrt(var) + amount) ** 2,
}
_OF_PATTERN = (*variants.RELATIVE, "absolute")
ADDITIVE = [rule for rule in _OF_PATTERN if rule not in variants.FLOORS_OF]
# Fields of a variant that act on log-likelihoods, and the others, which act within them.
_ON_SCORES = {"prior", "prior_order", "label_order", "column_order", "ties", "nan_wins"}
WITHIN_SCORES: Callable[[Variant], tuple[Any, ...]] = attrgetter(
    *({field.name for field in fields(Variant)} - _ON_SCORES)
)
Likelihoods = tuple[FloatArray, FloatArray, FloatArray | None]


def variances(variant: Variant, moments: Moments, amounts: Any = None) -> NDArray[Any]:
    """Return the variances a variant keeps, smoothed; see `density` for amounts."""
    dtype = moments.var.dtype
    with np.errstate(all="ignore"):
        var, unbiased = _plain_variances(variant.pooling, moments)
        if variant.negatives != "kept":
            var = np.maximum(var, 0.0) if variant.negatives == "zero" else np.abs(var)
        if variant.divisor == "max(n-1, 1)":
            unbiased = np.where(np.isfinite(unbiased), unbiased, 1.0)
        if variant.divisor != "n":
            var = var * unbiased[..., np.newaxis]
        if variant.form == "deviation for variance":
            var = np.sqrt(var)
        if variant.smoothing:
            of_one = variant.smoothing.amount
            var = _smoothed(var, variant, moments, of_one if amounts is None else amounts)
        if variant.half == variants.HALVES[1]:
            var = np.asarray(var, dtype=np.float16)
    return np.asarray(var, dtype=dtype)


def _smoothed(var: NDArray[Any], variant: Variant, moments: Moments, amounts: Any) -> Any:
    """Return variances after smoothing, unless that is in the density."""
    rule = variant.smoothing.rule if variant.smoothing else ""
    if rule in _CHANGED:
        return _CHANGED[rule](var, amounts)
    if rule not in _OF_PATTERN:
        return var
    of_least = variants.FLOORS_OF.get(rule, rule)
    least = amounts * smoothing_pattern(of_least, var, variant, moments)
    return var + least if of_least == rule else np.maximum(var, least)


def _plain_variances(pooling: str, moments: Moments) -> Pair:
    """Return variances with divisor n, and the factors of the unbiased ones."""
    counts = moments.counts
    n, unbiased = counts.sum(axis=-1, keepdims=True), counts / (counts - 1)
    if pooling == "shared variances":
        unbiased = n / (n - 1)
    elif pooling == "variances within classes":
        unbiased = n / (n - np.count_nonzero(counts, axis=-1, keepdims=True))
    shares = (counts / n)[..., np.newaxis]
    if pooling not in _POOLED:
        return moments.var, unbiased
    pooled = _POOLED[pooling](moments, shares)
    return np.broadcast_to(pooled, moments.var.shape), unbiased


def _overall(table: NDArray[Any], shares: NDArray[Any]) -> NDArray[Any]:
    """Return the mean of a table over the samples of all classes."""
    return np.asarray(np.nansum(shares * table, axis=1, keepdims=True))


def _of_all(moments: Moments) -> NDArray[Any]:
    """Return the variance of all numbers of a run."""
    shares = moments.counts / moments.counts.sum(axis=-1, keepdims=True)
    means = _overall(moments.theta, shares[..., np.newaxis])
    within = moments.pooled.mean(axis=-1)[:, np.newaxis, np.newaxis]
    return np.asarray(within + means.var(axis=-1, keepdims=True))


def _of_class(moments: Moments) -> NDArray[Any]:
    """Return the variance of all numbers of each class."""
    means = moments.theta.var(axis=-1, keepdims=True)
    return np.asarray(moments.var.mean(axis=-1, keepdims=True) + means)


# Pooling -> its variances: shared ones about the mean of all samples, or the class means.
_POOLED: dict[str, Callable[[Moments, NDArray[Any]], Any]] = {
    "shared variances": lambda m, _: m.pooled[:, np.newaxis, :],
    "variances within classes": lambda m, shares: _overall(m.var, shares),
    "about the whole mean": lambda m, s: m.var + (m.theta - _overall(m.theta, s)) ** 2,
    "about zero": lambda m, _: m.var + m.theta**2,
    "mean of variances": lambda m, _: np.nanmean(m.var, axis=1, keepdims=True),
    "one variance": lambda m, _: _of_all(m),
    "one mean variance": lambda m, _: np.nanmean(m.var, axis=(1, 2), keepdims=True),
    "one variance a class": lambda m, _: _of_class(m),
    "one mean and variance a class": lambda m, _: _of_class(m),
    "one mean a class, squares about it": lambda m, _: (
        m.var + (m.theta - m.theta.mean(axis=-1, keepdims=True)) ** 2
    ),
    "first feature": lambda m, _: m.var[..., :1],
    "last feature": lambda m, _: m.var[..., -1:],
    "one mean variance a class": lambda m, _: m.var.mean(axis=-1, keepdims=True),
}


def pooled_variances(variant: Variant, moments: Moments) -> NDArray[Any]:
    """Return the variances of all samples, which smoothing may be relative to."""
    n = moments.counts.sum(axis=-1, keepdims=True)
    whole = variant.divisor == "n-1 throughout"
    return np.asarray(moments.pooled * (n / (n - 1)) if whole else moments.pooled)


def smoothing_pattern(
    rule: str, var: NDArray[Any], variant: Variant, moments: Moments
) -> NDArray[Any]:
    """Return how much a unit of an additive rule adds to variances, to be broadcast."""
    pooled = pooled_variances(variant, moments)[:, np.newaxis, :]
    patterns: dict[str, Callable[[], NDArray[Any]]] = {
        "largest": lambda: pooled.max(axis=-1, keepdims=True),
        "largest deviation": lambda: np.sqrt(pooled.max(axis=-1, keepdims=True)),
        "mean": lambda: pooled.mean(axis=-1, keepdims=True),
        "smallest": lambda: pooled.min(axis=-1, keepdims=True),
        "sum": lambda: pooled.sum(axis=-1, keepdims=True),
        "all": lambda: _of_all(moments),
        "feature": lambda: pooled,
        "range": lambda: moments.ranges[:, np.newaxis, :] ** 2,
        "class": lambda: var.max(axis=-1, keepdims=True),
        "class mean": lambda: var.mean(axis=-1, keepdims=True),
        "any class": lambda: np.nanmax(var, axis=(1, 2), keepdims=True),
        "absolute": lambda: np.ones(1),
    }
    return patterns[rule]()


def density(variant: Variant, moments: Moments, amounts: Any = None) -> Pair:
    """Return the logarithms of normalisers and the factors of d² / 2 in exponents.

    Both are of shape (n_runs, n_classes, n_features); with several amounts of smoothing, of
    shape (n_amounts, 1, 1, 1), in place of the variant's own, in one more axis.
    """
    var, form = variances(variant, moments, amounts), variant.form
    with np.errstate(all="ignore"):
        if form in ("nearest mean", "unit variances"):
            var = np.ones_like(var)
        powers = variants.POWERS.get(form, (1.0, 1.0))
        normaliser, exponent = (var if power == 1.0 else var**power for power in powers)
        exponent = exponent * (factor := variants.DIVISORS.get(form, 1.0))
        if variant.smoothing:
            amount = variant.smoothing.amount if amounts is None else amounts
            pair = normaliser, exponent
            normaliser, exponent = _smoothed_within(pair, variant, var, amount, factor)
        if form in variants.EXPONENTS:
            of_one = exponent[..., variants.EXPONENTS[form], :]
            exponent = np.broadcast_to(of_one, exponent.shape)
        if form in variants.SHIFTED_EXPONENTS:
            exponent = np.roll(exponent, variants.SHIFTED_EXPONENTS[form], axis=-2)
        weight = variants.WEIGHTS.get(form, 0.5)
        logs = weight * np.log(2.0 * np.pi * normaliser if weight else np.ones_like(var))
        if form == "normaliser not logged":
            logs = -1.0 / np.sqrt(2.0 * np.pi * normaliser)
        precision = 1.0 / exponent
        left_out = variants.LEFT_OUT.get(form, NOTHING)
        logs[..., left_out] = precision[..., left_out] = 0.0
        logs[..., variants.WITHOUT_NORMALISER.get(form, NOTHING)] = 0.0
        return logs, precision


def _smoothed_within(
    pair: Pair, variant: Variant, var: NDArray[Any], amount: Any, factor: float
) -> Pair:
    """Return the variances of normalisers and exponents after smoothing in the density."""
    rule = variant.smoothing.rule if variant.smoothing else ""
    to_normaliser, to_exponent = variants.IN_DENSITY.get(rule, (0.0, 0.0))
    normaliser = pair[0] + to_normaliser * amount
    exponent = pair[1] + to_exponent * amount * (factor if to_exponent == 1.0 else 1.0)
    if rule in ("exponent of deviation", "deviations"):
        exponent = (np.sqrt(exponent) + amount) ** 2
    if rule in ("root", "deviations"):
        normaliser = (np.sqrt(2.0 * np.pi * normaliser) + amount) ** 2 / (2.0 * np.pi)
    if rule == "deviation and variance":
        normaliser = (np.sqrt(normaliser) + amount) ** 2
    if rule == "match":
        normaliser = np.where(var == 0.0, 0.5 / np.pi, normaliser)
        elsewhere = np.log(amount) if amount > variants.NONE else -1e6
        exponent = np.where(var == 0.0, -0.5 / elsewhere, exponent)
    return normaliser, exponent


def densities(options: Sequence[Variant], moments: Moments) -> Pair:
    """Return the densities of variants without "match", in one more axis; see `density`."""
    alike: dict[Variant, list[int]] = {}
    for place, variant in enumerate(options):
        rule = variant.smoothing and replace(variant.smoothing, amount=1.0)
        alike.setdefault(variant.changed(smoothing=rule), []).append(place)
    logs, precisions = (np.empty((len(options), *moments.theta.shape)) for _ in range(2))
    for variant, places in alike.items():
        every = (options[place].smoothing for place in places)
        amounts = np.reshape([one.amount if one else 0.0 for one in every], (-1, 1, 1, 1))
        logs[places], precisions[places] = density(variant, moments, amounts)
    return logs, precisions


# Rule of priors -> factor of their logarithms, with scores to base e.
_TIMES = {
    "twice": 2.0,
    "square root": 0.5,
    "inverted": -1.0,
    "to base 10": np.log10(np.e),
    "to base 2": np.log2(np.e),
    "densities to base 10": np.log(10.0),
    "densities to base 2": np.log(2.0),
}
# Rule of priors -> the classes that have none.
_LEFT_PRIORS = {
    "but for the first": slice(1),
    "but for the last": slice(-1, None),
    "for the last alone": slice(-1),
}


def log_prior(variant: Variant, moments: Moments) -> FloatArray:
    """Return the log-prior of each class; minus infinity for absent classes."""
    is_flat = variant.form == "nearest mean"
    key = variant.prior, variant.prior_order, variant.label_order, is_flat
    if key not in moments._priors:
        moments._priors[key] = _log_prior(variant, moments)
    return moments._priors[key]


def _log_prior(variant: Variant, moments: Moments) -> FloatArray:
    counts = moments.counts.astype(np.float64)
    present: NDArray[np.bool_] = np.asarray(counts > 0)
    if isinstance(variant.prior, tuple):
        prior = np.broadcast_to(np.asarray(variant.prior), counts.shape)
    elif variant.prior in ("uniform", "free") or variant.form == "nearest mean":
        prior = present / present.sum(axis=1, keepdims=True)
    elif variant.prior in variants.ADDED_TO_COUNTS:
        counts = counts + variants.ADDED_TO_COUNTS[str(variant.prior)] * present
        prior = counts / counts.sum(axis=1, keepdims=True)
    else:
        prior = counts / counts.sum(axis=1, keepdims=True)
        if present.all():
            prior = np.take_along_axis(prior, _order_of_priors(variant, moments), axis=1)
        kind, _, decimals = str(variant.prior).partition("rounded to ")
        if not kind:
            prior = prior.round(int(decimals))
        if variant.prior == "odds":
            prior = prior / np.maximum(1.0 - prior, np.finfo(np.float64).tiny)
        if variant.prior in _LEFT_PRIORS:
            prior[:, _LEFT_PRIORS[variant.prior]] = 1.0
    with np.errstate(all="ignore"):
        log = np.log1p if variant.prior == "log of one more" else np.log
        result = np.asarray(prior) if variant.prior in variants.UNLOGGED else log(prior)
    d = moments.theta.shape[2]
    times = {
        **_TIMES,
        "each feature": float(d),
        "each feature and once": d + 1.0,
        "share of a feature": 1.0 / d,
    }
    result = result * times.get(str(variant.prior), 1.0)
    return np.where(present, result, -np.inf)


def _order_of_priors(variant: Variant, moments: Moments) -> CodeArray:
    """Return, for each class of a run, the class whose share is its prior."""
    if variant.prior == "with its label":
        return labels_of_runs(variant.label_order, moments)
    order = variant.prior_order if variant.prior == "reordered" else str(variant.prior)
    return listed_classes(order, moments)


def likelihoods_of(variant: Variant, batch: Batch, moments: Moments) -> Likelihoods:
    """Return log-likelihoods, the sizes of their terms, and the smallest log-densities."""
    logs, precisions = density(variant, moments)
    likelihoods = np.empty((len(batch.samples), batch.n_classes))
    terms = np.empty_like(likelihoods)
    is_single = variant.space == "log of density" and variant.floor is None
    smallest = np.empty_like(likelihoods) if is_single else None
    with np.errstate(all="ignore"):
        sizes = np.abs(logs).sum(axis=-1)
        is_positive = bool((precisions >= 0.0).all())
        for rows in batch.blocks():
            run = batch.of_run[rows]
            precision = precisions.take(run, axis=0)
            squared, shifts, precision = _distances(variant, batch, rows, precision)
            total = 0.5 * np.einsum("nkd,nkd->nk", squared, precision)
            size = precision if is_positive else np.abs(precision)
            terms[rows] = np.abs(total) + sizes[run]
            terms[rows] += np.einsum("nkd,nkd->nk", shifts, size)
            if variant.formula != "two-pass":
                # The log-likelihood changes by this much if a variance is off by u theta².
                lost = moments.theta[run] ** 2 * size / 2.0
                off = np.abs(squared * precision - 1.0)
                terms[rows] += np.einsum("nkd,nkd->nk", off, lost)
            both = logs, run
            likelihoods[rows] = _likelihood(variant, squared, precision, both, total)
            if smallest is not None:
                densities = -0.5 * squared * precision - logs.take(run, axis=0)
                smallest[rows] = np.moveaxis(densities, -1, 0).copy().min(axis=0)
    return likelihoods, terms, smallest


def _distances(
    variant: Variant, batch: Batch, rows: slice, precision: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return squared distances from the means, factors of rounding, and precisions."""
    squared, shifts = batch.deviations(variant, rows)
    if variant.smoothing and variant.smoothing.rule == "match":
        is_flat = batch.moments(variant.dtype).var[batch.of_run[rows]] == 0.0
        squared = np.where(is_flat, squared > 0.0, squared)
    if variant.form in variants.UNSQUARED:
        squared = np.sqrt(squared)
    if variant.form != "mean over deviation":
        return squared, shifts, precision
    # (x - mean / deviation)², which lacks its parentheses.
    theta = batch.moments(variant.dtype).theta[batch.of_run[rows]]
    gaps = batch.samples[rows, np.newaxis, :] - theta * np.sqrt(precision)
    return gaps**2, shifts, np.ones_like(precision)


def _likelihood(
    variant: Variant,
    squared: NDArray[Any],
    precision: NDArray[Any],
    normalisers: tuple[NDArray[Any], CodeArray],
    total: NDArray[Any],
) -> Any:
    """Return log-likelihoods with underflow; normalisers are of each run, and its rows."""
    logs, run = normalisers
    is_summed = variant.form in ("sum of densities", "no logarithm")
    is_held = variant.form == variants.AT_MOST_ONE
    floor = None if is_summed else variant.floor
    is_plain = floor is None and not (is_summed or is_held)
    if is_plain and (closed := in_closed_form(variant, logs, run, total)) is not None:
        return closed
    of_rows = logs.take(run, axis=0)
    parts = -0.5 * squared * precision - of_rows
    parts = np.minimum(parts, 0.0) if is_held else parts
    if is_summed:
        parts = np.exp(parts)
    elif floor is not None:
        parts = _FLOORED[floor.rule](parts, floor.amount, of_rows)
        if variant.space == "product" and floor.rule != "total":
            return _product(parts)
    elif variant.space == "log of density":
        parts[parts < SMALLEST_LOG] = -np.inf
    elif variant.space != "log":
        return _product(parts)
    summed = np.einsum("nkd->nk", parts)  # Sooner than a reduction along short rows
    if floor is not None and floor.rule == "total":
        return np.log(np.exp(summed) + floor.amount)
    return np.log(summed) if variant.form == "sum of densities" else summed


def in_closed_form(variant: Variant, logs: Any, run: CodeArray, total: Any) -> Any:
    """Return log-likelihoods that need no density of a feature; None for others."""
    if variant.space in ("log", "whole", "softmax"):
        summed = -total - logs.sum(axis=-1)[run]
        return np.log(np.exp(summed)) if variant.space == "whole" else summed
    if variant.space not in ("multivariate", "determinant"):
        return None
    root = (np.exp(-2.0 * logs).prod(axis=-1) ** 0.5)[run]
    is_whole = variant.space == "multivariate"
    return np.log(root * np.exp(-total)) if is_whole else np.log(root) - total


def _product(parts: NDArray[Any]) -> NDArray[Any]:
    """Return sums of the logarithms of factors whose product may be lost on the way."""
    path = np.cumsum(parts, axis=-1)
    result: NDArray[Any] = path[..., -1]
    if not path.max() <= LARGEST_LOG:
        result[path.max(axis=-1) > LARGEST_LOG] = np.inf
    if not path.min() >= SMALLEST_LOG:
        result[path.min(axis=-1) < SMALLEST_LOG] = -np.inf
    return result


# Rule of a floor -> log-densities of features with it, from those without it and the
# logarithms of their normalisers.
_FLOORED: dict[str, Callable[[NDArray[Any], float, NDArray[Any]], Any]] = {
    "total": lambda parts, *_: parts,  # Under their product
    "clip": lambda parts, eps, _: np.maximum(parts, np.log(eps)),
    "add": lambda parts, eps, _: np.log(np.exp(parts) + eps),
    "exponent": lambda parts, eps, logs: np.maximum(parts + logs, np.log(eps)) - logs,
}


def contributions(
    variant: Variant, batch: Batch, row: int, first: int, second: int
) -> FloatArray:
    """Return each feature's part in the log-odds of two classes for one test sample."""
    run, sample = batch.of_run[[row]], batch.rows(np.arange(len(batch.samples)) == row)
    moments = batch.moments(variant.dtype, variant.formula)
    moments = kept(variant, moments).of_runs(run)
    with np.errstate(all="ignore"):
        logs, precision = density(variant, moments)
        squared, _, precision = _distances(variant, sample, slice(0, 1), precision)
        parts = (-0.5 * squared * precision - logs)[0]
        parts = np.minimum(parts, 0.0) if variant.form == variants.AT_MOST_ONE else parts
        if (floor := variant.floor) is not None:
            parts = _FLOORED[floor.rule](parts, floor.amount, logs[0])
        return np.asarray(parts[first] - parts[second], dtype=np.float64)
