"""How well a variant reproduces what was observed: labels, probabilities, parameters."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import CodeArray, FloatArray
from gnbbench.diagnosis import variants
from gnbbench.diagnosis.family import Batch, Scores, labels_of_runs, scores
from gnbbench.diagnosis.observations import UNSEEN, Compared, Offered
from gnbbench.diagnosis.parameters import parameter_distance
from gnbbench.diagnosis.tables import softmax
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
        names, is_product = list(variants.KNOBS), self.variant.space == "product"
        places = [names.index(knob) for knob in self.knobs]
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


def reproduce(variant: Variant, base: Variant, seen: Compared, n_tied: int) -> Fit:
    """Return how well a variant reproduces the observations."""
    with np.errstate(all="ignore"):
        scored = scores(variant, seen.batch)
        labels = predicted(variant, scored.joint, seen.batch)
        differs = labels != seen.labels
        excused = _within_rounding(variant, scored, seen, differs)
        parameters = parameter_distance(variant, seen)
        fields = _posteriors_compared(variant, scored, seen)
    return Fit(variant, base, labels, differs, excused, parameters, n_tied, **fields)


def labels_under(variant: Variant, batch: Batch) -> CodeArray:
    """Return the codes that a variant predicts of the rows of a batch."""
    with np.errstate(all="ignore"):
        return predicted(variant, scores(variant, batch).joint, batch)


def predicted(variant: Variant, joint: FloatArray, batch: Batch) -> CodeArray:
    """Return the codes that a variant predicts from its scores; -1 for no label."""
    if not variant.nan_wins:
        joint = np.where(np.isnan(joint), -np.inf, joint)
    best: CodeArray = joint.argmax(axis=1)
    if variant.label_order == variants.SMALLEST:
        return np.asarray(joint.argmin(axis=1))
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
    bounds = [0, *(np.flatnonzero(np.diff(of_run)) + 1).tolist(), len(of_run)]
    for first, end in pairwise(bounds):
        result[first:end] = _median(gaps[first:end])
    return result


def _median(table: FloatArray) -> FloatArray:
    """Return the medians of columns without NaN, ten times as fast as numpy.nanmedian."""
    ordered, n_known = np.sort(table, axis=0), (~np.isnan(table)).sum(axis=0)
    columns, middle = np.arange(table.shape[1]), n_known // 2
    upper = ordered[np.minimum(middle, len(table) - 1), columns]
    lower = ordered[np.maximum((n_known - 1) // 2, 0), columns]
    return np.asarray((lower + upper) / 2.0)


def _within_rounding(
    variant: Variant, scored: Scores, seen: Compared, differs: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return where labels differ, but the observed one scores as high up to rounding."""
    near, rows = np.zeros_like(differs), np.flatnonzero(differs & (seen.labels >= 0))
    if len(rows):
        best = scored.joint[rows].argmax(axis=1)
        place = class_of_labels(variant.label_order, seen)[rows]
        slack = scored.rounding[rows, best] + scored.rounding[rows, place]
        near[rows] = scored.joint[rows, best] - scored.joint[rows, place] <= slack
    return near


def class_of_labels(order: tuple[int, ...] | str | None, seen: Compared) -> CodeArray:
    """Return the class that each observed label stands for, if they have an order."""
    if order is None:
        return seen.labels
    classes = np.argsort(labels_of_runs(order, seen.batch.moments()), axis=1)
    of_rows = classes[seen.batch.of_run]
    return np.take_along_axis(of_rows, seen.labels[:, np.newaxis], axis=1)[:, 0]


def _posteriors_compared(
    variant: Variant, scored: Scores, seen: Compared
) -> dict[str, Any]:
    """Return the fields of a fit that compare its posteriors with the observed ones."""
    log_posterior, offered = seen.log_posterior, seen.offered
    if log_posterior is None or offered is None:
        return {"alike": np.ones(len(seen.labels), dtype=bool)}
    if variant.column_order is not None:
        orders = labels_of_runs(variant.column_order, seen.batch.moments())
        columns = np.argsort(orders, axis=1)[seen.batch.of_run]
        joint, rounding = scored.joint, scored.rounding
        scored = Scores(
            np.take_along_axis(joint, columns, axis=1),
            np.take_along_axis(rounding, columns, axis=1),
        )
    if variant.prior == "free":
        offsets = class_offsets(scored.joint, seen.told, seen.batch.of_run)
        scored = Scores(scored.joint + np.nan_to_num(offsets), scored.rounding)
    expected = softmax(scored.joint)
    undefined = np.isnan(expected[:, 0])  # A row is NaN as a whole
    silent = offered.undefined | undefined
    heard = np.ones_like(silent) if seen.cut is None else ~seen.cut.rows
    both = heard & ~silent
    gap = np.ascontiguousarray(np.abs(offered.shares - expected).T).max(axis=0)
    gap[~both] = 0.0
    # A row that cannot be normalised may also come as equal shares.
    lost = (undefined != offered.undefined) & ~(undefined & offered.is_degenerate) & heard
    places = offered.places if both.all() else offered.places[both[offered.rows]]
    excess, errors = _excess(scored, offered, places)
    precise = both.copy()
    precise[places[excess > 0.0] // scored.joint.shape[1]] = False
    # The odds of a class with a probability of 0 are not compared.
    rows = np.flatnonzero(precise & (gap > PROBABILITY_TOLERANCE))
    absent = (offered.shares[rows] == 0.0) & (expected[rows] > PROBABILITY_TOLERANCE)
    lost[rows[absent.any(axis=1)]] = True
    n_lost = int(np.count_nonzero(lost))
    n_compared = len(places) + n_lost
    most = 2.0 * UNDEFINED_DISTANCE
    distance = float(np.minimum(np.log1p(excess), most).sum()) + UNDEFINED_DISTANCE * n_lost
    log_error = float(np.log(np.minimum(np.maximum(errors, TINIEST), 1e9)).sum())
    return {
        "alike": ~lost & ((gap <= PROBABILITY_TOLERANCE) | precise | ~both),
        "distance": distance / max(n_compared, 1),
        "n_compared": n_compared,
        "largest_difference": float(gap.max(initial=0.0)),
        "mean_difference": float(gap.sum() / max(len(gap), 1)),
        "error": float(np.exp(log_error / max(n_compared, 1))),
    }


def _excess(
    scored: Scores, offered: Offered, places: CodeArray
) -> tuple[FloatArray, FloatArray]:
    """Return errors in log-odds beyond rounding, in units of it, and the plain errors."""
    best = offered.best[places // scored.joint.shape[1]]
    expected = scored.joint.take(places) - scored.joint.take(best)
    rounding = scored.rounding.take(places) + scored.rounding.take(best)
    errors = np.abs(offered.odds.take(places) - expected)
    errors[np.isnan(errors)] = np.inf
    error = errors / np.maximum(rounding, np.finfo(np.float64).tiny)
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
        if fit is None:
            n_tied = 0 if variant == self.base else self.fit(self.base).n_tied
            fit = reproduce(variant, self.base, self.seen, n_tied)
            if variant == self.base:
                fit = replace(fit, n_tied=fit.n_differing - fit.mismatches)
            self.fits[variant] = fit
        return fit

    def tried(self, options: Iterable[Variant]) -> list[Fit]:
        """Return the fit of each variant."""
        return [self.fit(variant) for variant in options]

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
