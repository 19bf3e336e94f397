"""What fitted parameters reveal about the knobs: read first, they identify most at once."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import combinations, product
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import FloatArray
from gnbbench.diagnosis import family
from gnbbench.diagnosis.family import log_prior, smoothing_pattern, variances
from gnbbench.diagnosis.moments import ROUNDINGS, Moments, kept
from gnbbench.diagnosis.observations import Compared
from gnbbench.diagnosis.variants import (
    DEFAULT,
    FLOORS_OF,
    PRIOR_RULES,
    RELATIVE,
    SMOOTHING_RULES,
    Amount,
    Variant,
    digits,
)
from gnbbench.words import amount

# Parameters that differ by less than this many roundings are the same.
UNIT = family.ROUNDINGS * 2.0**-53
# Priors of two runs that differ by less are the same choice.
CONSTANT_PRIOR = 1e-6
# With more classes, no two are tried with their priors exchanged.
MOST_SWAPPED = 6
# Numbers that differ by less, relative to what they stand for, are the same.
SAME = 1e-8
# ... and so are variances to which no more is added than this share of them.
LITTLE = 1e-6
# How far an amount may be from the usual one, and from the same everywhere.
SHOWN, EXACT = 1e-3, 1e-12
# What scikit-learn adds to variances, of the largest of a feature.
USUAL_SHARE = 1e-9
# What variances may be multiplied by, of the rows of a class and of all, in words.
FACTORS: dict[str, Callable[[FloatArray, FloatArray], Any]] = {
    "": lambda n, _: np.ones_like(n),
    " with divisor n − 1": lambda n, _: n / (n - 1.0),
    " with divisor n − 2": lambda n, _: n / (n - 2.0),
    " with divisor n + 1": lambda n, _: n / (n + 1.0),
    ", not divided by the number of rows": lambda n, _: n,
    ", divided by the number of all rows": lambda n, whole: n / whole,
}
ABOUT, AS_SQUARES = " about these means", " plus the squares of the classes' means"
# Of these, what is right but for scikit-learn's amount, and the divisor that it means.
USUAL_DIVISORS = {"": "n", " with divisor n − 1": "n-1"}
# How numbers that are kept may be rounded, finer ways last.
KEPT_ROUNDINGS: dict[str, Callable[[FloatArray], Any]] = {
    **ROUNDINGS,
    "half precision": lambda numbers: numbers.astype(np.float16),
    "single precision": lambda numbers: numbers.astype(np.float32),
}


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
    for length in (1, 2, 3):
        near = float(f"{amount.amount:.{length - 1}e}")
        if abs(near - amount.amount) <= 1e-5 * amount.amount:
            return Amount(amount.rule, near)
    return amount


@dataclass(frozen=True)
class Relation:
    """That kept variances are the classes' with a factor, and an amount added."""

    factor: str  # A key of `FACTORS`, or how they are rounded
    added: tuple[float, float] = (0.0, 0.0)  # The least and the most, in a run
    to: str = "variances"  # What it is added to, or "deviations"
    of: Amount | None = None  # What it is a share of, by a rule of smoothing
    least: float = 0.0  # What takes the place of smaller numbers
    about: str = ""  # `ABOUT` if about means that are not the classes', or `AS_SQUARES`

    @property
    def is_usual(self) -> bool:
        """Whether it is but for an amount what models keep."""
        is_other = self.least or self.about == AS_SQUARES
        return self.factor in USUAL_DIVISORS and not is_other

    @property
    def is_smoothed(self) -> bool:
        """Whether scikit-learn's amount is added."""
        return self.of == DEFAULT.smoothing

    @property
    def words(self) -> str:
        """What is done, after what it is done to."""
        text = self.about + self.factor
        if not self.added[1]:
            least = f", or {amount(self.least)} where these are smaller"
            return text + (least if self.least else "")
        if self.is_smoothed:
            return f"{text}, smoothed as scikit-learn's are"
        ends = " to ".join(dict.fromkeys(map(amount, self.added)))
        if self.of:
            words = SMOOTHING_RULES[self.of.rule].format(amount(self.of.amount))
            ends = words.removeprefix("variance + ")
        return f"{text}, with {ends} added to the {self.to}"


def relation_to(
    own: FloatArray, power: int, moments: Moments, theta: FloatArray | None
) -> Relation | None:
    """Return how numbers follow from the variances of classes, if they do.

    They may also be about means `theta` that are not those of the classes.
    """
    var, means = moments.var, moments.theta
    counts = moments.counts[..., np.newaxis]
    whole = counts.sum(axis=1, keepdims=True)
    slack = SAME * moments.pooled[:, np.newaxis]
    centres = {"": var, AS_SQUARES: var + means**2}
    if theta is not None:
        centres[ABOUT] = var + (theta - means) ** 2
    for about, words in product(centres, FACTORS):
        with np.errstate(all="ignore"):  # A class may have one row
            usual = centres[about] * FACTORS[words](counts, whole)
        off = own**power - usual
        if (np.abs(off) <= LITTLE * np.minimum(usual, var) + slack).all():
            return Relation(words, about=about)
        gaps = {"variances": (off, usual)}
        if power == 2:
            gaps["deviations"] = own - np.sqrt(usual), np.sqrt(usual)
        for to, (gap, beside) in gaps.items() if own.shape == var.shape else ():
            of = _share_of(gap, beside, moments) if to == "variances" else None
            added = gap if of else _added(gap, beside)
            if added is None or (EXACT * beside.min() >= SHOWN * added).any():
                continue
            low, high = (float(amount(end)) for end in (added.min(), added.max()))
            return Relation(words, (low, high), to, of=of, about=about)
    least, off = float(own.min()), own**power - np.maximum(var, own.min() ** power)
    is_floor = bool((own > least).any()) and least**power > var.min()
    if is_floor and (np.abs(off) <= LITTLE * var + slack).all():
        return Relation("", least=float(amount(least)))
    smoothed = own - USUAL_SHARE * moments.pooled.max(axis=-1)[:, np.newaxis, np.newaxis]
    how = rounding_of(own, var ** (1.0 / power))
    how = how or (rounding_of(smoothed, var) if power == 1 else "")
    return Relation(how) if how else None


def _share_of(gap: FloatArray, usual: FloatArray, moments: Moments) -> Amount | None:
    """Return the share that is added to variances, the one of fewest digits, if any is.

    Where the same number is added in all runs, only scikit-learn's share is another way
    to say so.
    """
    whole = _added(gap, usual)
    is_number = whole is not None and len({*map(amount, whole.ravel().tolist())}) == 1
    shares: list[Amount] = []
    for rule in (one for one in RELATIVE if one not in FLOORS_OF):
        with np.errstate(all="ignore"):
            unit = smoothing_pattern(rule, usual, DEFAULT, moments) + np.zeros_like(usual)
            added = _added(gap / unit, usual / unit)
        if added is None:
            continue
        share = float(amount(float(np.median(added))))
        if share > 0.0 and (np.abs(added - share) <= SHOWN * share).all():
            shares.append(Amount(rule, share))
    if is_number or not shares:
        return DEFAULT.smoothing if DEFAULT.smoothing in shares else None
    return min(shares, key=lambda one: digits(one.amount))


def _added(gap: FloatArray, usual: FloatArray) -> FloatArray | None:
    """Return what is added in each run, (n_runs, 1); None if that is not the same.

    It shows best beside the smallest number of a run.
    """
    least = usual.reshape(len(usual), -1).argmin(axis=1)[:, np.newaxis]
    added = np.take_along_axis(gap.reshape(len(gap), -1), least, axis=1)
    off = np.abs(gap - added[..., np.newaxis])
    is_same = off <= EXACT * (added[..., np.newaxis] + usual)
    return added if is_same.all() else None


def rounding_of(own: FloatArray, exact: FloatArray) -> str:
    """Return how numbers are rounded that a model keeps, in words; empty if not."""
    with np.errstate(all="ignore"):  # Some are too large for half precision
        alike = (
            how
            for how, rounded in KEPT_ROUNDINGS.items()
            if own.shape == exact.shape
            and (np.abs(own - rounded(exact)) <= EXACT * np.abs(own)).all()
        )
        return next((f", rounded to {how}" for how in alike), "")
