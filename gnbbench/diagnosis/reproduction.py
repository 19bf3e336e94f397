"""How well a variant reproduces what was observed: labels, probabilities, parameters."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import CodeArray, FloatArray
from gnbbench.diagnosis import variants
from gnbbench.diagnosis.family import (
    LOST_LOG,
    ROUNDINGS,
    WITHIN_SCORES,
    Likelihoods,
    densities,
    in_closed_form,
    likelihoods_of,
    log_prior,
)
from gnbbench.diagnosis.moments import MOST_KEPT, Batch, kept, labels_of_runs
from gnbbench.diagnosis.observations import UNSEEN, Compared, Offered
from gnbbench.diagnosis.parameters import parameter_distance
from gnbbench.diagnosis.tables import shares_by_class
from gnbbench.diagnosis.variants import Variant, complexity, is_noisy, moved, restored

# A posterior this close is the same one: sound libraries keep 1e-12, and no difference
# between two models that are not the same stays below it over unsaturated samples.
PROBABILITY_TOLERANCE = 1e-6
# Distance, in logarithms of rounding errors, of a number that should not be one.
UNDEFINED_DISTANCE = 16.0
# Smaller errors count as none.
TINIEST = 1e-16
# A label that is wrong weighs as much as log-odds off by this logarithm of roundings.
LABEL_WEIGHT = 30.0
# Parameters decide only where labels and probabilities do not.
PARAMETER_WEIGHT = 1e-4
# Where rounding is too large for log-odds to decide, posteriors still do.
NOISE_WEIGHT = 1.0
# Share of labels that rounding may decide under a variant but not under the first one; with
# more, the variant has made scores equal.
TIED_SHARE = 0.01
# What one knob must gain in distance, beyond its share: rounding alone moves it by less.
LEAST_GAIN = 0.02
# Knob -> its place in the order of Occam's razor.
PLACES = {knob: place for place, knob in enumerate(variants.KNOBS)}
# Scores, and features of them, that are computed at once for several variants.
MOST_AT_ONCE, MOST_FEATURES = 100_000, 500_000
# Spaces that need no density of a feature
CLOSED = ("log", "whole", "softmax", "multivariate", "determinant")
# Forms whose scores are no weighted sums of squares.
ODD_FORMS = {
    *("mean over deviation", "sum of densities", "no logarithm"),
    *variants.UNSQUARED,
    variants.AT_MOST_ONE,
}


@dataclass(frozen=True, eq=False)
class Fit:
    """A variant, and how well it reproduces an implementation, row by row."""

    variant: Variant
    base: Variant  # What the search started from
    labels: CodeArray  # What the variant predicts
    differs: NDArray[np.bool_]  # Rows with another label than observed
    excused: NDArray[np.bool_]  # Those among them within rounding
    parameters: float  # Distance of the parameters offered
    n_tied: int  # Labels that rounding decides under the base
    alike: NDArray[np.bool_]  # Rows with the observed posterior, or without any
    distance: float = 0.0  # Mean logarithm of the error in log-odds, in units of rounding
    n_compared: int = 0  # Log-odds that were compared
    largest_difference: float = 0.0  # Between posterior probabilities
    mean_difference: float = 0.0  # The mean of each row's largest
    error: float = 1.0  # Geometric mean of the errors in log-odds

    @cached_property
    def knobs(self) -> tuple[str, ...]:
        """The knobs that differ from the start of the search."""
        return moved(self.variant, self.base)

    @cached_property
    def rank(self) -> tuple[float, list[int], bool]:
        """The order of equally good fits: simpler, then more usual.

        Products come last, as they lose more than single densities.
        """
        places = [PLACES[knob] for knob in self.knobs]
        is_product = self.variant.space == "product"
        return complexity(self.variant, self.base), places, is_product

    @cached_property
    def rules(self) -> tuple[object, ...]:
        """The knobs and rules of the variant, without their amounts."""
        variant = self.variant
        amounts = filter(None, (variant.smoothing, variant.floor))
        rules = tuple(amount.rule for amount in amounts)
        return self.knobs, rules, variant.form, variant.pooling, variant.space

    @cached_property
    def order(self) -> tuple[float, tuple[float, list[int], bool]]:
        """The better first, then the simpler."""
        return self.loss, self.rank

    @cached_property
    def n_differing(self) -> int:
        """Labels that differ from those observed."""
        return int(np.count_nonzero(self.differs))

    @cached_property
    def mismatches(self) -> int:
        """Labels that differ from those observed by more than rounding."""
        return int(np.count_nonzero(self.differs & ~self.excused))

    @cached_property
    def share(self) -> float:
        """Share of predictions whose label and posterior are reproduced."""
        return float((self.alike & (self.excused | ~self.differs)).mean())

    @cached_property
    def loss(self) -> float:
        """One number, which is 0 if nothing differs beyond rounding."""
        return (
            self.distance
            + LABEL_WEIGHT * self.errors / max(len(self.labels), 1)
            + PARAMETER_WEIGHT * self.parameters
            + (NOISE_WEIGHT * self.mean_difference if is_noisy(self.variant) else 0.0)
        )

    @cached_property
    def errors(self) -> int:
        """Labels that are wrong; under large rounding also those that rounding excuses."""
        if is_noisy(self.variant):
            return self.n_differing
        excused = self.n_differing - self.mismatches
        allowed = self.n_tied + int(TIED_SHARE * len(self.labels))
        return self.mismatches + max(0, excused - allowed)

    @property
    def is_settled(self) -> bool:
        """Whether there is nothing left for a further knob to explain."""
        if self.errors or self.distance > 0.0:
            return False
        return self.n_compared > 0 or self.parameters == 0.0

    @property
    def is_sufficient(self) -> bool:
        """Whether all predictions are reproduced, if not to the last digit."""
        return self.share == 1.0 and self.mismatches == 0

    def is_worse_than(self, other: "Fit") -> bool:
        """Return whether labels, log-odds or parameters are farther off, measurably."""
        if self.errors != other.errors:
            return self.errors > other.errors
        pairs = (self.distance, other.distance), (self.parameters, other.parameters)
        return any(own > its * (1.0 + LEAST_GAIN) + LEAST_GAIN for own, its in pairs)


@dataclass(frozen=True, eq=False)
class Scores:
    """Joint log-likelihoods, and how far rounding may have moved them.

    Both are of shape (n_test, n_classes), or those of several variants in one more axis.
    Columns are in the order of the classes; callers apply `label_order` and `column_order`.
    """

    joint: FloatArray  # Minus infinity for a class that is absent
    rounding: FloatArray


def reproduce(
    options: Sequence[Variant], base: Variant, seen: Compared, n_tied: int
) -> list[Fit]:
    """Return how well each of several variants reproduces the observations."""
    with np.errstate(all="ignore"):
        scored = scores_of(options, seen.batch)
        labels = [
            predicted(variant, joint, seen.batch)
            for variant, joint in zip(options, scored.joint, strict=True)
        ]
        differs = np.stack(labels) != seen.labels
        excused = _within_rounding(options, scored, seen, differs)
        fields = _posteriors_compared(options, scored, seen)
        rows = zip(options, labels, differs, excused, fields, strict=True)
        return [
            Fit(v, base, own, wrong, near, parameter_distance(v, seen), n_tied, **more)
            for v, own, wrong, near, more in rows
        ]


def labels_under(variant: Variant, batch: Batch) -> CodeArray:
    """Return the codes that a variant predicts of the rows of a batch."""
    with np.errstate(all="ignore"):
        return predicted(variant, scores(variant, batch).joint, batch)


def scores(variant: Variant, batch: Batch) -> Scores:
    """Return the scores of the test samples under a variant."""
    every = scores_of([variant], batch)
    return Scores(every.joint[0], every.rounding[0])


def scores_of(options: Sequence[Variant], batch: Batch) -> Scores:
    """Return the scores of the test samples under each of several variants."""
    with np.errstate(all="ignore"):
        _prepare(options, batch)
        tables = [_likelihoods_kept(variant, batch) for variant in options]
        moments = [kept(v, batch.moments(v.dtype, v.formula)) for v in options]
        priors = [log_prior(*pair) for pair in zip(options, moments, strict=True)]
        prior = np.stack(priors).take(batch.of_run, axis=1)
        joint = np.stack([likelihoods for likelihoods, *_ in tables]) + prior
        rounding = np.stack([terms for _, terms, _ in tables]) + np.abs(prior)
        units = [ROUNDINGS * float(np.finfo(v.dtype).eps) / 2.0 for v in options]
        rounding *= np.reshape(units, (-1, 1, 1))
        for place, v in enumerate(options):
            likelihoods, _, smallest = tables[place]
            if v.prior == "multiplied":
                joint[place] = likelihoods * prior[place]
            if v.space == "softmax":
                densities = np.exp(joint[place])
                rounding[place] = densities * rounding[place] + units[place]
                # Exponentials of densities that are nearly equal are equal.
                gaps = densities - densities.max(axis=1, keepdims=True)
                joint[place] = np.log(np.exp(gaps))
            elif v.space == "product" or (v.space != "log" and not v.floor):
                least = joint[place] if smallest is None else smallest
                # Below this a number that underflows has lost digits.
                is_lost = np.isfinite(joint[place]) & (least < LOST_LOG)
                rounding[place][is_lost] = 1.0
        if (absent := batch.moments().counts == 0).any():
            joint[:, absent[batch.of_run]] = -np.inf
    rounding[~np.isfinite(rounding)] = 0.0
    return Scores(joint, rounding)


def _likelihoods_kept(variant: Variant, batch: Batch) -> Likelihoods:
    """Return the log-likelihoods of a variant, which those with other priors share."""
    key = WITHIN_SCORES(variant)
    tables = batch._likelihoods.get(key)
    if tables is None:
        moments = kept(variant, batch.moments(variant.dtype, variant.formula))
        tables = likelihoods_of(variant, batch, moments)
        if 2 * tables[0].size * len(batch._likelihoods) > MOST_KEPT:
            batch._likelihoods.clear()
        batch._likelihoods[key] = tables
    return tables


def _prepare(options: Sequence[Variant], batch: Batch) -> None:
    """Compute log-likelihoods that only differ in the density together, which is sooner."""
    groups: dict[Any, dict[Any, Variant]] = {}
    is_small = 0 < len(batch.samples) * batch.moments().theta[0].size <= MOST_FEATURES
    for variant in options if is_small else ():
        if (key := WITHIN_SCORES(variant)) not in batch._likelihoods and _is_plain(variant):
            means = variant.listed, variant.half, variant.means
            groups.setdefault(means, {})[key] = variant
    for group in groups.values():
        moments = kept(next(iter(group.values())), batch.moments())
        logs, precisions = densities([*group.values()], moments)
        is_sound = np.all((precisions >= 0.0) & (precisions < np.inf), axis=(1, 2, 3))
        sound = [*compress(group, is_sound)]
        if not sound:
            continue
        logs, precisions = logs[is_sound], precisions[is_sound]
        if 2 * batch.of_run.size * batch.n_classes * len(batch._likelihoods) > MOST_KEPT:
            batch._likelihoods.clear()
        tables = batch.deviations(group[sound[0]], slice(0, len(batch.samples)))
        total, terms = (_sums(table, precisions, batch.of_run) for table in tables)
        total *= 0.5
        terms += total
        terms += np.abs(logs).sum(axis=-1).take(batch.of_run, axis=1)
        for place, key in enumerate(sound):
            of = group[key], logs[place], batch.of_run, total[place]
            batch._likelihoods[key] = in_closed_form(*of), terms[place], None


def _is_plain(variant: Variant) -> bool:
    """Return whether log-likelihoods are sums of squares, weighted and not rounded."""
    return (
        variant.space in CLOSED
        and variant.floor is None
        and not is_noisy(variant)
        and variant.feature_order is None
        and variant.form not in ODD_FORMS
        and not (variant.smoothing and variant.smoothing.rule == "match")
    )


def _sums(table: FloatArray, weights: FloatArray, of_run: CodeArray) -> FloatArray:
    """Return weighted sums over features, with the weights of each row's run."""
    result = np.empty((len(weights), *table.shape[:2]))
    for rows in _segments(of_run):
        of_class = weights[:, of_run[rows.start]].transpose(1, 0, 2)
        sums = np.matmul(of_class, table[rows].transpose(1, 2, 0))
        result[:, rows] = sums.transpose(1, 2, 0)
    return result


def _segments(of_run: CodeArray) -> Iterator[slice]:
    """Yield the rows of each run."""
    bounds = [0, *(np.flatnonzero(np.diff(of_run)) + 1).tolist(), len(of_run)]
    yield from map(slice, bounds, bounds[1:])


def predicted(variant: Variant, joint: FloatArray, batch: Batch) -> CodeArray:
    """Return the codes that a variant predicts from its scores; -1 for no label."""
    if not variant.nan_wins:
        joint = np.where(np.isnan(joint), -np.inf, joint)
    best: CodeArray = joint.argmax(axis=1)
    if variant.nan_wins is None:
        first = _orders_of_ties("appearance", batch)[batch.of_run, 0]
        best = np.where((joint == -np.inf).all(axis=1), first, best)
    if variant.label_order == variants.SMALLEST:
        return np.asarray(joint.argmin(axis=1))
    if variant.label_order == variants.SECOND:
        return np.asarray(joint.argsort(axis=1, kind="stable")[:, -2])
    if variant.ties == "none":
        best = np.where((joint == -np.inf).all(axis=1), UNSEEN, best)
    elif variant.ties != "first":
        # Ties are won by the class that comes first in the order of a rule.
        order = _orders_of_ties(variant.ties, batch)[batch.of_run]
        place = np.take_along_axis(joint, order, axis=1).argmax(axis=1)
        best = order[np.arange(len(order)), place]
    if variant.label_order is None:
        return best
    labels = labels_of_runs(variant.label_order, batch.moments())[batch.of_run]
    found = np.take_along_axis(labels, np.maximum(best, 0)[:, np.newaxis], axis=1)[:, 0]
    # The label past the last one, or before the first, is none.
    past = {"one too high": batch.n_classes - 1, "one too low": 0}
    is_none = (best == UNSEEN) | (best == past.get(str(variant.label_order), UNSEEN))
    return np.where(is_none, UNSEEN, found)


def _orders_of_ties(ties: str, batch: Batch) -> CodeArray:
    """Return the classes of each run in the order in which they win; absent ones last."""
    first = batch.moments().first
    counts = batch.moments().counts
    if ties == "largest":
        return np.argsort(-counts, axis=1, kind="stable")
    if ties == "most frequent":
        return np.lexsort((first, -counts), axis=1)
    if ties == "last":
        first = np.where(np.isnan(first), np.nan, np.arange(batch.n_classes))
    return np.argsort(first if ties == "appearance" else -first, axis=1)


def class_offsets(
    joint: FloatArray, log_posterior: FloatArray | None, of_run: CodeArray
) -> FloatArray:
    """Return the offset of each class from the first, as the median over its run."""
    logs = np.full_like(joint, np.nan) if log_posterior is None else log_posterior
    finite = np.isfinite(logs) & np.isfinite(joint)
    gaps = np.where(finite, logs - joint, np.nan)
    gaps = gaps - gaps[:, :1]
    result = np.empty_like(gaps)
    for rows in _segments(of_run):
        result[rows] = _median(gaps[rows])
    return result


def _median(table: FloatArray) -> FloatArray:
    """Return the medians of columns without NaN, ten times as fast as numpy.nanmedian."""
    ordered, n_known = np.sort(table, axis=0), (~np.isnan(table)).sum(axis=0)
    columns, middle = np.arange(table.shape[1]), n_known // 2
    upper = ordered[np.minimum(middle, len(table) - 1), columns]
    lower = ordered[np.maximum((n_known - 1) // 2, 0), columns]
    return np.asarray((lower + upper) / 2.0)


def _within_rounding(
    options: Sequence[Variant], scored: Scores, seen: Compared, differs: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return where labels differ, but the observed one scores as high up to rounding."""
    near, pairs = np.zeros_like(differs), np.nonzero(differs & (seen.labels >= 0))
    if len(pairs[0]):
        joint, rounding = scored.joint[pairs], scored.rounding[pairs]
        every, best = np.arange(len(joint)), joint.argmax(axis=1)
        own = seen.labels.take(pairs[1])
        for place, variant in enumerate(options):
            if variant.label_order is not None:
                rows = pairs[0] == place
                classes = class_of_labels(variant.label_order, seen)
                own[rows] = classes.take(pairs[1][rows])
        slack = rounding[every, best] + rounding[every, own]
        near[pairs] = joint[every, best] - joint[every, own] <= slack
    return near


def class_of_labels(order: tuple[int, ...] | str | None, seen: Compared) -> CodeArray:
    """Return the class that each observed label stands for, if they have an order."""
    if order is None:
        return seen.labels
    classes = np.argsort(labels_of_runs(order, seen.batch.moments()), axis=1)
    of_rows = classes[seen.batch.of_run]
    return np.take_along_axis(of_rows, seen.labels[:, np.newaxis], axis=1)[:, 0]


def _posteriors_compared(
    options: Sequence[Variant], scored: Scores, seen: Compared
) -> list[dict[str, Any]]:
    """Return the fields of each fit that compare its posteriors with the observed ones."""
    offered, shape = seen.offered, scored.joint.shape
    if offered is None:
        return [{"alike": np.ones(shape[1], dtype=bool)} for _ in options]
    joint, rounding = _as_offered(options, scored, seen)
    expected = shares_by_class(joint.reshape(-1, shape[2]))
    expected = expected.reshape(-1, *shape[:2])
    undefined = np.isnan(expected[0])  # A row is NaN as a whole
    heard = np.ones(shape[1], bool) if seen.cut is None else ~seen.cut.rows
    both = heard & ~(offered.undefined | undefined)
    gap = np.abs(offered.by_class - expected).max(axis=0)
    gap[~both] = 0.0
    # A row that cannot be normalised may also come as equal shares.
    lost = (undefined != offered.undefined) & ~(undefined & offered.is_degenerate) & heard
    excess, errors = _excess(joint, rounding, offered)
    told = both[:, offered.rows]
    if not told.all():  # Errors that count for nothing
        excess[~told], errors[~told] = 0.0, 1.0
    precise = both.copy()
    places, odds = np.nonzero(excess > 0.0)
    precise[places, offered.rows[odds]] = False
    is_near = gap <= PROBABILITY_TOLERANCE
    # The odds of a class with a probability of 0 are not compared.
    pairs = np.nonzero(precise & ~is_near)
    absent = offered.by_class[:, 0].take(pairs[1], axis=1) == 0.0
    absent &= expected[:, pairs[0], pairs[1]] > PROBABILITY_TOLERANCE
    lost[pairs] |= absent.any(axis=0)
    n_lost = np.count_nonzero(lost, axis=1)
    n_compared = np.count_nonzero(told, axis=1) + n_lost
    each = np.maximum(n_compared, 1)
    far = np.minimum(np.log1p(excess), 2.0 * UNDEFINED_DISTANCE).sum(axis=1)
    logs = np.log(np.minimum(np.maximum(errors, TINIEST), 1e9)).sum(axis=1)
    fields = {
        "alike": ~lost & (is_near | precise | ~both),
        "distance": ((far + UNDEFINED_DISTANCE * n_lost) / each).tolist(),
        "n_compared": n_compared.tolist(),
        "largest_difference": gap.max(axis=1, initial=0.0).tolist(),
        "mean_difference": (gap.sum(axis=1) / max(shape[1], 1)).tolist(),
        "error": np.exp(logs / each).tolist(),
    }
    return [
        dict(zip(fields, row, strict=True)) for row in zip(*fields.values(), strict=True)
    ]


def _as_offered(
    options: Sequence[Variant], scored: Scores, seen: Compared
) -> tuple[FloatArray, FloatArray]:
    """Return scores in the order of the columns offered, under priors that fit best."""
    joint, rounding, batch = scored.joint, scored.rounding, seen.batch
    for place, variant in enumerate(options):
        if variant.column_order is not None:
            orders = labels_of_runs(variant.column_order, batch.moments())
            columns = np.argsort(orders, axis=1)[batch.of_run]
            for table in (joint, rounding):
                table[place] = np.take_along_axis(table[place], columns, axis=1)
        if variant.prior == "free":
            offsets = class_offsets(joint[place], seen.told, batch.of_run)
            joint[place] += np.nan_to_num(offsets)
    return joint, rounding


def _excess(
    joint: FloatArray, rounding: FloatArray, offered: Offered
) -> tuple[FloatArray, FloatArray]:
    """Return errors in log-odds beyond rounding, in units of it, and the plain errors."""
    flat, near = (table.reshape(len(joint), -1) for table in (joint, rounding))
    places, best = offered.places, offered.best[offered.rows]
    expected = flat.take(places, axis=1) - flat.take(best, axis=1)
    slack = near.take(places, axis=1) + near.take(best, axis=1)
    errors = np.abs(offered.odds.take(places) - expected)
    errors[np.isnan(errors)] = np.inf
    error = errors / np.maximum(slack, np.finfo(np.float64).tiny)
    return np.maximum(error - 1.0, 0.0), errors


@dataclass
class Search:
    """Variants tried on some rows of an implementation, each evaluated once."""

    base: Variant  # Where the search starts
    seen: Compared
    fits: dict[Variant, Fit] = field(default_factory=dict)
    # The plausible ones of the first fits, the best first, and how many those are
    ranking: list[Fit] = field(default_factory=list)
    n_ranked: int = 0

    def fit(self, variant: Variant) -> Fit:
        """Return the fit of a variant."""
        fit = self.fits.get(variant)
        return self.tried([variant])[0] if fit is None else fit

    def tried(self, options: Iterable[Variant]) -> list[Fit]:
        """Return the fit of each variant."""
        every = [*options]
        if self.base not in self.fits:
            (fit,) = reproduce([self.base], self.base, self.seen, 0)
            fit = replace(fit, n_tied=fit.n_differing - fit.mismatches)
            self.fits[self.base] = fit
        new = [*dict.fromkeys(option for option in every if option not in self.fits)]
        size = max(len(self.seen.labels) * self.seen.batch.n_classes, 1)
        step = max(1, MOST_AT_ONCE // size)
        for start in range(0, len(new), step):
            some, n_tied = new[start : start + step], self.fits[self.base].n_tied
            fits = reproduce(some, self.base, self.seen, n_tied)
            self.fits |= zip(some, fits, strict=True)
        return [self.fits[option] for option in every]

    def without(self, variant: Variant, *knobs: str) -> Fit:
        """Return the fit of a variant with these knobs switched back."""
        return self.fit(restored(variant, self.base, *knobs))

    def pruned(self, best: Fit, *, is_known: bool = False) -> Fit:
        """Return the fit after switching back all knobs that do not worsen it.

        An amount that these data do not show is dropped, unless it is known from others.
        """
        for knob in reversed(best.knobs):
            without = self.without(best.variant, knob)
            if not without.is_worse_than(best):
                best = without
        if best.variant.smoothing not in (None, self.base.smoothing) and not is_known:
            unsmoothed = self.fit(replace(best.variant, smoothing=None))
            if not unsmoothed.is_worse_than(best):
                best = unsmoothed
        return best
