"""What fitted parameters reveal about the knobs: read first, they identify most at once."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations, product
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import FloatArray
from gnbbench.diagnosis import family
from gnbbench.diagnosis.family import log_prior, smoothing_pattern, variances
from gnbbench.diagnosis.moments import Moments, kept
from gnbbench.diagnosis.observations import Compared
from gnbbench.diagnosis.variants import PRIOR_RULES, Amount, Variant

# Parameters that differ by less than this many roundings are the same.
UNIT = family.ROUNDINGS * 2.0**-53
# Priors of two runs that differ by less are the same choice.
CONSTANT_PRIOR = 1e-6
# With more classes, no two are tried with their priors exchanged.
MOST_SWAPPED = 6


def parameter_distance(variant: Variant, seen: Compared) -> float:
    """Return the mean logarithm of the parameters' errors in roundings; 0 is exact."""
    offered = (name for name in _PARAMETERS if name in seen.parameters)
    return sum((_of_parameter(name, variant, seen) for name in offered), 0.0)


def _of_parameter(name: str, variant: Variant, seen: Compared) -> float:
    """Return the distance of one parameter, once for all variants that share it."""
    key = name, _SHARED_BY[name](variant)
    if key not in seen._distances:
        with np.errstate(all="ignore"):
            seen._distances[key] = _PARAMETERS[name](variant, seen)
    return seen._distances[key]


def _of_theta(variant: Variant, seen: Compared) -> float:
    exact = seen.batch.moments()
    unit = _unit(variant)
    slack = unit * np.abs(exact.theta) + unit * np.sqrt(exact.var)
    theta = _moments_kept(variant, seen).theta
    return _nearest(variant, seen.parameters["theta"], theta, slack)


def _of_var(variant: Variant, seen: Compared) -> float:
    """Return the distance of variances, or of standard deviations."""
    var, unit = variances(variant, _moments_kept(variant, seen)), _unit(variant)
    slack = unit * np.abs(var) + (unit * np.abs(seen.batch.moments().theta)) ** 2
    offered = seen.parameters["var"]
    return min(_nearest(variant, offered**n, var, slack) for n in (1, 2))


def _of_prior(variant: Variant, seen: Compared) -> float:
    moments = _moments_kept(variant, seen)
    prior = np.exp(log_prior(variant, moments))
    expected = np.where(moments.counts > 0, prior, np.nan)
    return _distance(
        seen.parameters["prior"], expected, np.full(prior.shape, _unit(variant))
    )


_PARAMETERS = {"theta": _of_theta, "var": _of_var, "prior": _of_prior}
# Parameter -> the fields of a variant that it depends on.
_OF_MOMENTS = ("dtype", "formula", "half", "listed")
_SHARED_BY = {
    "theta": attrgetter(*_OF_MOMENTS, "feature_order"),
    "var": attrgetter(
        *(*_OF_MOMENTS, "feature_order", "pooling", "form", "negatives"),
        *("divisor", "smoothing"),
    ),
    "prior": attrgetter(*_OF_MOMENTS, "prior", "prior_order", "label_order", "form"),
}


def _moments_kept(variant: Variant, seen: Compared) -> Moments:
    return kept(variant, seen.batch.moments(variant.dtype, variant.formula))


def _unit(variant: Variant) -> float:
    return UNIT * (2.0**29 if variant.dtype == "float32" else 1.0)


def _nearest(
    variant: Variant, offered: NDArray[Any], expected: NDArray[Any], slack: NDArray[Any]
) -> float:
    """Return the distance, with columns in the order of fit or of predict."""
    distance = _distance(offered, expected, slack)
    if not variant.feature_order:
        return distance
    order = np.argsort(variant.feature_order)
    return min(distance, _distance(offered, expected[..., order], slack[..., order]))


def _distance(offered: NDArray[Any], expected: NDArray[Any], slack: NDArray[Any]) -> float:
    error = np.abs(offered - expected) / np.maximum(slack, np.finfo(np.float64).tiny)
    same = (np.isnan(offered) & np.isnan(expected)) | (offered == expected)
    error = np.where(same, 0.0, error)
    excess = np.where(np.isnan(error), np.inf, np.maximum(error - 1.0, 0.0))
    return float(np.log1p(excess).clip(max=64.0).mean())


def suggestions(base: Variant, seen: Compared) -> list[Variant]:
    """Return the variants that the parameters suggest; none without parameters."""
    prior = None
    with np.errstate(all="ignore"):
        order = _feature_order(seen)
        options = [base, *_variance_variants(base, seen, order)]
        if order is not None:
            options += [replace(option, feature_order=order) for option in options]
        if "prior" in seen.parameters:
            logs = np.log(seen.parameters["prior"])
            prior = prior_variant(base, seen.batch.moments(), logs)
    if prior is not None:
        options += [
            replace(variant, prior=prior.prior, prior_order=prior.prior_order)
            for variant in options
        ]
    return options[1:]


def prior_variant(base: Variant, moments: Moments, logs: FloatArray) -> Variant | None:
    """Return `base` with the prior that gives each run's log-priors, if one does."""
    if not np.isfinite(logs).all():
        return None
    priors = np.exp(logs - logs.max(axis=1, keepdims=True))
    priors /= priors.sum(axis=1, keepdims=True)
    n_classes = priors.shape[1]
    options = [base, *prior_rules(base, n_classes)]
    shares = np.median(priors, axis=0)
    if len(priors) > 1 or shares.min() > 0.01:
        options.append(replace(base, prior=tuple((shares / shares.sum()).tolist())))
    for option in options:
        expected = np.exp(log_prior(option, moments))
        expected /= expected.sum(axis=1, keepdims=True)
        if np.allclose(priors, expected, rtol=CONSTANT_PRIOR, atol=CONSTANT_PRIOR):
            return None if option == base else option
    return None


def prior_rules(base: Variant, n_classes: int) -> list[Variant]:
    """Return `base` with every other rule of priors that needs no number."""
    places = range(n_classes if n_classes <= MOST_SWAPPED else 0)
    orders = slips(n_classes, combinations(places, 2))
    return [
        *(replace(base, prior=prior, prior_order=None) for prior in PRIOR_RULES),
        *(replace(base, prior="reordered", prior_order=o) for o in reversed(orders)),
    ]


def slips(n: int, exchanges: Iterable[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Return the orders that slips produce: reversed, shifted, two exchanged."""
    own_order = tuple(range(n))
    orders = {own_order[::-1], (*own_order[1:], 0), (n - 1, *own_order[:-1])}
    for first, second in exchanges:
        changed = list(own_order)
        changed[first], changed[second] = second, first
        orders.add(tuple(changed))
    orders.discard(own_order)
    return sorted(orders)


def _feature_order(seen: Compared) -> tuple[int, ...] | None:
    """Return the order in which learned features meet samples, None if it is correct."""
    moments = seen.batch.moments()
    runs = zip(
        seen.parameters.get("theta", ()), moments.theta, moments.counts, strict=False
    )
    for offered, theta, counts in runs:
        present = counts > 0
        gaps = np.abs(offered[present, :, np.newaxis] - theta[present, np.newaxis, :])
        scale = np.abs(theta[present]).max(axis=0) + np.finfo(np.float64).tiny
        gaps = gaps.max(axis=0) / scale
        # Features that are equal (constant ones) stay where they are.
        gaps[np.diag_indices_from(gaps)] *= 1.0 - 1e-9
        nearest = gaps.argmin(axis=1)
        places = np.arange(len(nearest))
        kept = gaps[places, places] <= gaps[places, nearest] + 1e-12
        nearest = np.where(kept, places, nearest)
        is_permutation = np.array_equal(np.sort(nearest), places)
        if is_permutation and not np.array_equal(nearest, places):
            return tuple(np.argsort(nearest).tolist())
    return None


def _variance_variants(
    base: Variant, seen: Compared, order: tuple[int, ...] | None
) -> list[Variant]:
    """Return the divisors and smoothings that the variances suggest, best fits first."""
    if "var" not in seen.parameters:
        return []
    var, moments = seen.parameters["var"], seen.batch.moments()
    if order is not None:
        var = var[..., list(order)]
    floor = np.finfo(np.float64).tiny
    slack = UNIT * moments.var + (UNIT * moments.theta) ** 2 + floor
    ranked: list[tuple[float, Variant]] = []
    # What is called sigma may be a standard deviation.
    divisors = ("n", "n-1", "n-1 throughout", "max(n-1, 1)")
    for table, divisor in product((var, var**2), divisors):
        bare = replace(base, divisor=divisor, smoothing=None)
        amounts = {rule: _regressed(bare, rule, moments, table) for rule in family.ADDITIVE}
        amounts |= dict.fromkeys(("floor", "zero"), float(np.nanmin(table)))
        options = [bare, replace(base, divisor=divisor)]
        options += [
            replace(bare, smoothing=_rounded(Amount(rule, amount)))
            for rule, amount in amounts.items()
            if np.isfinite(amount) and amount > 0
        ]
        ranked += [(_distance(table, variances(v, moments), slack), v) for v in options]
    ranked.sort(key=lambda pair: pair[0])
    return [option for _, option in ranked[:4]]


def _regressed(bare: Variant, rule: str, moments: Moments, var: FloatArray) -> float:
    """Return the median amount of a rule that the excess over bare variances implies."""
    plain = variances(bare, moments)
    pattern = smoothing_pattern(rule, plain, bare, moments)
    ratio = (var - plain) / pattern
    # Small variances round least: their amounts are the most exact.
    order = np.argsort(np.where(np.isnan(ratio), np.inf, plain), axis=None)
    return float(np.nanmedian(ratio.flat[order[: max(3, len(order) // 4)]]))


def _rounded(amount: Amount) -> Amount:
    """Return the amount as a number of few digits if it is very close to one."""
    for digits in (1, 2, 3):
        near = float(f"{amount.amount:.{digits - 1}e}")
        if abs(near - amount.amount) <= 1e-5 * amount.amount:
            return Amount(amount.rule, near)
    return amount
