"""Moves of knobs (plain, suggested by answers, or fitted), and data that show each."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import pairwise, product
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import CodeArray, FloatArray
from gnbbench.diagnosis import variants
from gnbbench.diagnosis.family import log_prior
from gnbbench.diagnosis.moments import Batch, Moments, labels_of_runs
from gnbbench.diagnosis.observations import Compared
from gnbbench.diagnosis.parameters import prior_rules, prior_variant, slips
from gnbbench.diagnosis.reproduction import (
    Fit,
    Search,
    class_of_labels,
    class_offsets,
    labels_under,
    scores,
)
from gnbbench.diagnosis.tables import softmax
from gnbbench.diagnosis.variants import TIES, VARIANCE_FORMULAS, WORDS, Amount, Variant

# Relative error of E[x²] - E[x]² below which it cannot be distinguished from rounding.
VISIBLE_CANCELLATION = 1e-12
# Rounds over the classes in which a prior is estimated from labels.
SWEEPS = 4
# A smaller prior that fits the labels is not a prior but another error in every score.
SMALLEST_PRIOR = 0.01
# With more features, no two are tried in each other's place.
MOST_EXCHANGED = 20
# Share of wrong labels that an order of the classes may leave to be tried.
LESS = 0.5
# Rules of smoothing that are tried before any other knob is moved as well.
STOCK = {*variants.SMOOTHING_RULES} - {*variants.FLOORS_OF}
# Powers of ten that are added in practice, to a share of a variance or to a variance.
RELATIVE_EXPONENTS = range(-12, 2)
ABSOLUTE_EXPONENTS = (-12, 3)
FLOOR_EXPONENTS = (-300, -200, -100, -50, -30, -20, -15, -12, -10, -9, -8, *range(-6, -1))
# Points between two powers of ten before an amount is fitted, and where fitting ends.
FINE, PRECISION = 21, 1e-10
# Near the true amount errors halve with each step; if this many steps leave more than this
# share of them, the amount is not the cause.
STEADY, FALLS = 8, 0.6
# Decades searched for an amount that does as well, and the last step. A floor under
# densities may be any double that keeps all its digits.
LONGEST_REACH, FINEST_END = {"smoothing": 15.0, "floor": 600.0}, 0.02
LARGEST_EXPONENT = 307.0
# The usual power of ten, among several that do as well.
USUAL = {"floor": -10.0}


# Forms without a normaliser, and rules by which an amount is added to nothing else.
NO_NORMALISER = tuple(form for form in variants.FORMS if form.startswith("no normaliser"))
OF_NORMALISER = ("normaliser", "normaliser alone")


def with_knob(start: Variant, knob: str, source: Variant) -> Variant:
    """Return `start` with one knob of another variant."""
    names = variants.KNOBS[knob]
    variant = start.changed(**{name: getattr(source, name) for name in names})
    rule = variant.smoothing.rule if variant.smoothing else ""
    # What would be added to a normaliser alone, where there is none, is not added at all.
    is_void = variant.form in NO_NORMALISER and rule in OF_NORMALISER
    return variant.changed(smoothing=None) if is_void else variant


def together(proved: Sequence[Variant]) -> Variant:
    """Combine the proved variants, without priors in numbers; the last takes precedence."""
    usual = variants.DEFAULT
    odd = (v.changed(prior=usual.prior) if type(v.prior) is tuple else v for v in proved)
    return reduce(with_knobs, odd, usual)


def with_knobs(
    start: Variant, source: Variant, among: Container[str] = variants.KNOBS
) -> Variant:
    """Return `start` with the moved knobs of another variant."""
    knobs = (knob for knob in variants.moved(source, variants.DEFAULT) if knob in among)
    return reduce(lambda mixed, knob: with_knob(mixed, knob, source), knobs, start)


def discrete_moves(start: Variant, batch: Batch) -> dict[str, list[Variant]]:
    """Return, for each knob, the variants one move away that need no estimated number."""
    n_features, moments = batch.samples.shape[1], batch.moments()
    few = range(n_features if n_features <= MOST_EXCHANGED else 0)
    exchanged = [*pairwise(few), *zip(few[:1], few[-1:], strict=True)]
    is_alone = bool((moments.counts == 1).any())
    divisors = ["n-1", "n-1 throughout", *["max(n-1, 1)"] * is_alone]
    moves: dict[str, list[Variant]] = {
        "class order": [
            replace(start, label_order=variants.SMALLEST),
            replace(start, label_order=variants.SECOND),
            *(
                replace(start, listed=pair)
                for pair in product(("means", "variances"), WORDS["order"])
            ),
        ],
        "smoothing": [replace(start, smoothing=None)],
        "divisor": [replace(start, divisor=divisor) for divisor in divisors],
        "prior": [
            option
            for option in prior_rules(start, batch.n_classes)
            if not np.array_equal(_priors(option, moments), _priors(start, moments))
        ],
        "space": [
            replace(start, space=space, ties=ties)
            for space in variants.SPACES
            if space not in (start.space, "whole")  # As good as a product, but for others
            for ties in (("first",) if space in variants.TIED_FIRST else TIES)
        ],
        "pooling": [
            replace(start, pooling=pooling)
            for pooling in variants.POOLINGS
            if pooling != start.pooling
        ],
        "form": [
            replace(start, form=form) for form in variants.FORMS if form != start.form
        ],
        "formula": [],
        "dtype": [
            replace(start, dtype="float32"),
            *(replace(start, half=half) for half in variants.HALVES),
        ],
        "feature order": [
            replace(start, feature_order=order) for order in slips(n_features, exchanged)
        ],
    }
    with np.errstate(all="ignore"):
        ratio = np.nanmax(moments.theta**2 / moments.var)
    # Elsewhere the cancelling formulas cannot be distinguished.
    if ratio * np.finfo(np.float64).eps > VISIBLE_CANCELLATION:
        moves["formula"] = [
            replace(start, formula=formula, negatives=negatives, nan_wins=wins)
            for formula in VARIANCE_FORMULAS
            if formula not in ("two-pass", "raw")
            for negatives in variants.NEGATIVES
            # The logarithm of a negative variance is NaN.
            for wins in ((True, False, None) if negatives == "kept" else (True,))
        ]
    # Where a class has no variance, scores may be NaN.
    if (moments.var <= 0.0).any() or (moments.counts == 1).any():
        for options in moves.values():
            options += [replace(option, nan_wins=False) for option in options]
    return moves


def _priors(variant: Variant, moments: Moments) -> FloatArray:
    """Return the priors to twelve decimals, normalised: those that no score can tell."""
    return softmax(log_prior(variant, moments)).round(12)


def stock_amounts(
    start: Variant, knob: str, batch: Batch, rules: Container[str] = STOCK
) -> Iterator[Variant]:
    """Yield `start` with each of the rules of a knob and each usual power of ten."""
    if knob == "floor":
        for rule in variants.FLOORS:
            # Of all features together, 1 would leave nothing but the priors.
            for exponent in (*FLOOR_EXPONENTS, *[0] * (rule == "add")):
                yield with_amount(start, knob, rule, exponent)
        return
    largest = max(float(np.nanmax(batch.moments().pooled)), np.finfo(np.float64).tiny)
    scale = int(np.floor(np.log10(largest)))
    low, high = ABSOLUTE_EXPONENTS
    absolute = range(low + min(scale, 0), high + max(scale, 0))
    exponents: dict[str, Sequence[int]] = dict.fromkeys(variants.SMOOTHING_RULES, absolute)
    exponents |= dict.fromkeys(variants.RELATIVE, RELATIVE_EXPONENTS)
    exponents["match"] = (*FLOOR_EXPONENTS, 0)
    if (batch.moments().var > 0.0).all():
        del exponents["zero"], exponents["match"]
    for rule, powers in exponents.items():
        for exponent in powers if rule in rules else ():
            yield with_amount(start, knob, rule, exponent)


def finer_amounts(start: Variant, knob: str) -> Iterator[Variant]:
    """Yield a variant with the amounts of three digits near its own."""
    near: Amount | None = getattr(start, knob)
    if near is not None and near.amount > 0.0:
        for exponent in np.log10(near.amount) + np.linspace(-0.06, 0.06, 3 * FINE):
            yield with_amount(start, knob, near.rule, float(exponent), 3)


def with_amount(
    start: Variant, knob: str, rule: str, exponent: float, digits: int = 17
) -> Variant:
    """Return the variant with its amount rounded to a power of ten with few digits."""
    if exponent == round(exponent):
        amount = Amount(rule, float(f"1e{round(exponent)}"))
    else:
        amount = Amount(rule, float(f"{10.0**exponent:.{digits - 1}e}"))
    if knob == "smoothing":
        return start.changed(smoothing=amount)
    return start.changed(floor=amount, space="log", ties="first")


def order_moves(fit: Fit, seen: Compared) -> list[Variant]:
    """Return the class orders under which a variant's labels would be those observed."""
    if fit.variant.listed:
        return []
    variant = replace(fit.variant, label_order=None, column_order=None)
    predicted, column_order = fit.labels, None
    n_classes = seen.batch.n_classes
    listed = _listed_orders(variant, predicted, seen) if variant == fit.variant else []
    if listed:
        return listed
    label_order = _order(predicted, seen.labels, n_classes)
    if seen.log_posterior is not None:
        logs = np.nan_to_num(seen.log_posterior, nan=-np.inf)
        column_order = _order(predicted, logs.argmax(axis=1), n_classes)
    options = [
        replace(variant, label_order=label_order, column_order=column_order),
        replace(variant, label_order=label_order),
        replace(variant, column_order=column_order),
    ]
    return [option for option in dict.fromkeys(options) if option != variant]


def _listed_orders(variant: Variant, predicted: CodeArray, seen: Compared) -> list[Variant]:
    """Return the variant with classes in an order under which most labels are right."""
    options: list[Variant] = []
    table, moments = seen.log_posterior, seen.batch.moments()
    columns = None if table is None else np.nan_to_num(table, nan=-np.inf).argmax(axis=1)
    for order in WORDS["order"]:
        labels = labels_of_runs(order, moments)[seen.batch.of_run]
        turned = np.take_along_axis(labels, predicted[:, np.newaxis], axis=1)[:, 0]
        found = [
            order if np.sum(turned != given) < LESS * np.sum(predicted != given) else None
            for given in (seen.labels, predicted if columns is None else columns)
        ]
        if any(found):
            both = replace(variant, label_order=found[0], column_order=found[1])
            options += [both, replace(both, prior="with its label")]
    return options


def _order(
    predicted: CodeArray, observed: CodeArray, n_classes: int
) -> tuple[int, ...] | None:
    """Return the label that each class gets most often; None if that is the same order.

    A class that is never predicted keeps its place, or gets a label that no other has.
    """
    table, places = np.zeros((n_classes, n_classes)), np.arange(n_classes)
    known = observed >= 0
    np.add.at(table, (predicted[known], observed[known]), 1)
    order, is_seen = table.argmax(axis=1), table.any(axis=1)
    free = np.setdiff1d(places, order[is_seen])
    if len(free) == np.count_nonzero(~is_seen):
        kept = ~is_seen & np.isin(places, free)
        order[kept] = places[kept]
        order[~is_seen & ~kept] = np.setdiff1d(free, places[kept])
    if not np.array_equal(np.sort(order), places) or np.array_equal(order, places):
        return None
    return tuple(order.tolist())


def prior_moves(start: Variant, seen: Compared) -> list[Variant]:
    """Return `start` with the prior that the answers imply."""
    log_posterior, batch = seen.told, seen.batch
    flat = replace(start, prior="uniform", prior_order=None)
    with np.errstate(all="ignore"):
        joint = scores(flat, batch).joint
        if log_posterior is None:
            return _voted_prior(start, joint, class_of_labels(start.label_order, seen))
        if start.column_order is not None:
            orders = labels_of_runs(start.column_order, batch.moments())[batch.of_run]
            log_posterior = np.take_along_axis(log_posterior, orders, axis=1)
        offsets = class_offsets(joint, log_posterior, batch.of_run)
        runs, first = np.unique(batch.of_run, return_index=True)
        option = prior_variant(start, batch.moments().of_runs(runs), offsets[first])
    return [] if option is None else [option]


def _voted_prior(start: Variant, joint: FloatArray, labels: CodeArray) -> list[Variant]:
    """Return `start` with the prior that gets most labels right, if it is plausible."""
    offsets, shifted = np.zeros(joint.shape[1]), joint.T.copy()
    for _ in range(SWEEPS):
        for code in range(1, len(offsets)):
            shifted[code] = -np.inf
            needed = shifted.max(axis=0) - joint[:, code]
            offsets[code] = _threshold(needed, labels == code)
            shifted[code] = joint[:, code] + offsets[code]
    shares = np.exp(offsets - offsets.max())
    shares /= shares.sum()
    if shares.min() < SMALLEST_PRIOR:
        return []
    return [replace(start, prior=tuple(shares.tolist()), prior_order=None)]


def _threshold(needed: FloatArray, wanted: NDArray[np.bool_]) -> float:
    """Return the offset that exceeds what is needed on the wanted rows, and only there."""
    needed = np.where(np.isnan(needed), np.inf, needed)
    order = needed.argsort()
    needed, wanted = needed[order], wanted[order]
    n_wanted = np.concatenate([[0], wanted.cumsum()])
    errors = np.arange(len(n_wanted)) - 2 * n_wanted + n_wanted[-1]
    ends = np.concatenate([needed[:1] - 1.0, needed, needed[-1:] + 1.0]).clip(-50.0, 50.0)
    middles = (ends[:-1] + ends[1:]) / 2.0
    best = middles[errors == errors.min()]
    return float(best[np.abs(best).argmin()])


def refined(search: Search, variant: Variant, knob: str) -> Variant:
    """Return the variant with its amount fitted again, within a decade."""
    start: Amount | None = getattr(variant, knob)
    if start is None or start.amount <= 0.0:
        return variant
    centre, rule = float(np.log10(start.amount)), start.rule

    def at(exponent: float, digits: int = 17) -> Variant:
        return with_amount(variant, knob, rule, exponent, digits)

    def loss(exponent: float, digits: int = 17) -> float:
        return search.fit(at(exponent, digits)).loss

    grid = np.linspace(centre - 1.0, centre + 1.0, 2 * FINE - 1)
    if search.seen.log_posterior is None:
        options = [variant, *(at(exponent, 2) for exponent in grid)]
        return min(search.tried(options), key=attrgetter("loss")).variant
    search.tried(at(exponent) for exponent in grid)
    best, step = min(grid, key=loss), float(grid[1] - grid[0])
    errors = [search.fit(at(best)).error]
    while step > PRECISION and loss(best) > 0.0:
        if len(errors) > STEADY and errors[-1] > errors[-1 - STEADY] * FALLS:
            break
        # The minimum lies within a step of the best point: of two halves it is in one.
        step /= 2.0
        best = min((best, best - step, best + step), key=loss)
        errors.append(search.fit(at(best)).error)
    lowest = loss(best)
    return at(best, next((n for n in (1, 2, 3) if loss(best, n) <= lowest), 17))


def simplest(
    search: Search, variant: Variant, knob: str
) -> tuple[Variant, tuple[float, float]]:
    """Return the variant with the shortest amount that does as well, and which others do.

    The ends of their interval are searched in growing steps from the present amount.
    """
    start, best = getattr(variant, knob), search.fit(variant)
    centre = float(np.log10(start.amount))
    kind = "floor" if start.rule == "match" else knob

    def at(exponent: float, digits: int = 17) -> Variant:
        return with_amount(variant, knob, start.rule, exponent, digits)

    def does(option: Variant) -> bool:
        return not search.fit(option).is_worse_than(best)

    def end(sign: int) -> float:
        reach, step = 0.0, 0.1
        longest = min(LONGEST_REACH[kind], LARGEST_EXPONENT - sign * centre)
        while reach + step <= longest and does(at(centre + sign * (reach + step))):
            reach += step
            step = min(2.0 * step, max(1.0, longest / 15.0))
        while step > FINEST_END:
            step /= 2.0
            within = reach + step <= longest
            reach += step * (within and does(at(centre + sign * (reach + step))))
        return centre + sign * reach

    low, high = end(-1), end(+1)
    # A power of ten just outside may do better still.
    whole = range(int(np.floor(low)), int(np.ceil(high)) + 1)
    options = [
        at(exponent)
        for exponent in sorted(whole, key=lambda e: abs(e - USUAL.get(kind, centre)))
    ]
    options += [
        at(exponent, digits)
        for digits in (1, 2)
        for exponent in np.linspace(low, high, FINE)[1:-1]
        if 10**low <= getattr(at(exponent, digits), knob).amount <= 10**high
    ]
    short = next((option for option in options if does(option)), variant)
    amount = getattr(short, knob).amount
    return short, (min(_two_digits(low, 1), amount), max(_two_digits(high, -1), amount))


def _two_digits(exponent: float, sign: int) -> float:
    """Return a power of ten with two digits, rounded up or down."""
    near = float(f"{10.0**exponent:.1e}")
    if sign * near >= sign * 10.0**exponent:
        return near
    return float(f"{near + sign * 10.0 ** (np.floor(exponent) - 1.0):.1e}")


Labelled = tuple[FloatArray, NDArray[np.int64]]

ROWS, SEED = 400, 20
# Question -> fields of variants, any of which would show it.
QUESTIONS: dict[str, tuple[dict[str, object], ...]] = {
    "dividing by n − 1": ({"divisor": "n-1"},),
    "no smoothing": ({"smoothing": None},),
    "adding 1e-6 to variances": ({"smoothing": Amount("absolute", 1e-6)},),
    "equal priors": ({"prior": "uniform"},),
    "add-one priors": ({"prior": "add-one"},),
    "multiplied densities": ({"space": "product"},),
    "logarithms of densities": ({"space": "log of density"},),
    "a floor of 1e-10 under densities": (
        {"floor": Amount("add", 1e-10)},
        {"floor": Amount("clip", 1e-10)},
    ),
    "single precision": ({"dtype": "float32"},),
    "variances as E[x²] − E[x]²": ({"formula": "mean"},),
}


def moved_labels(base: Variant, batch: Batch, question: str) -> int:
    """Return how many labels change at most if the question's knob is moved."""
    plain = labels_under(base, batch)
    others = [replace(base, **fields) for fields in QUESTIONS[question]]  # type: ignore[arg-type]
    return max(int((labels_under(other, batch) != plain).sum()) for other in others)


def not_shown(base: Variant, batch: Batch) -> tuple[str, ...]:
    """Return what could be done differently without changing a label on these rows."""
    return tuple(name for name in QUESTIONS if not moved_labels(base, batch, name))


# What makes each synthetic dataset hard.
HAVING = WORDS["having"]


def hard_datasets(n_classes: int = 2) -> dict[str, Labelled]:
    """Return synthetic data by name; each knob changes labels on at least one of them.

    All but one have this number of classes.

    "scales" has one feature of large variance beside small ones that decide, so that
    smoothing shows; "few" many classes of few rows, so that the divisor and priors do;
    "many" so many features that products of densities are lost; "outliers" rows far off
    in one feature each, so that densities are lost one by one and floors show; "far" an
    offset at which single precision and cancelling variances fail.
    """
    rng = np.random.default_rng(SEED)
    y = rng.permutation(np.sort(np.arange(ROWS) % n_classes))
    sides = y[:, np.newaxis] / (n_classes - 1) - 0.5
    scales = rng.normal(size=(ROWS, 4)) * np.where(y, 1.0, 2.0)[:, np.newaxis] + sides
    small = rng.permutation(np.repeat(np.arange(36), np.arange(36) // 2 + 4))
    few = rng.normal(size=(len(small), 3)) + 0.05 * small[:, np.newaxis]
    # Rows without a density show whether the first class gets them or the largest.
    uneven = np.where(np.cumsum(y == 0) > 6, y, 1)
    many = rng.normal(size=(ROWS, 400)) * 6.0 + 0.5 * uneven[:, np.newaxis] - 0.25
    outliers = rng.normal(size=(ROWS, 40)) * np.where(y, 1.2, 1.0)[:, np.newaxis] + sides
    outliers[np.arange(0, ROWS, ROWS // 40), np.arange(40)] += 90.0
    far = rng.normal(size=(ROWS, 3)) + 2.0 * sides + 1e8
    return {
        "scales": (scales * [1e4, 1e-3, 1e-4, 2e-4], y),
        "few": (few, small),
        "many": (many, uneven),
        "outliers": (outliers, y),
        "far": (far, y),
    }
