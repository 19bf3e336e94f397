"""How well a variant reproduces what was observed: labels, probabilities, parameters."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gnbbench.diagnosis.family import (
    Batch,
    FloatArray,
    IntArray,
    Scores,
    TrainedRun,
    scores,
)
from gnbbench.diagnosis.observations import SMALLEST_LOG, UNSEEN, Compared, softmax
from gnbbench.diagnosis.parameters import parameter_distance
from gnbbench.diagnosis.variants import Variant, is_noisy, moved, restored

# A posterior this close is the same one: sound libraries keep 1e-12, and no difference
# between two models that are not the same stays below it over unsaturated samples.
PROBABILITY_TOLERANCE = 1e-6
# Distance, in logarithms of rounding errors, of a number that should not be one.
UNDEFINED_DISTANCE = 16.0
# An error of less than this is none.
TINIEST = 1e-16
# A label that is wrong weighs as much as log-odds off by this logarithm of roundings.
LABEL_WEIGHT = 30.0
# Parameters decide only where labels and probabilities do not.
PARAMETER_WEIGHT = 1e-4
# Where rounding is too large for log-odds to decide, posteriors still do.
NOISE_WEIGHT = 1.0
# Labels that rounding may decide under a variant and does not under the first one; more
# are no rounding but scores that the variant has made equal.
TIED_SHARE = 0.01
# What one knob must gain in distance, beyond its share: rounding alone moves it by less.
LEAST_GAIN = 0.02


@dataclass(frozen=True, eq=False)
class Reproduction:
    """How well a variant reproduces an implementation, row by row."""

    variant: Variant
    labels: IntArray  # What the variant predicts
    differs: NDArray[np.bool_]  # Rows with another label than observed
    excused: NDArray[np.bool_]  # Those among them within rounding
    alike: NDArray[np.bool_]  # Rows with the posterior observed, or where none is offered
    distance: float = 0.0  # Mean logarithm of the error in log-odds, in units of rounding
    n_compared: int = 0  # Log-odds that were compared
    largest_difference: float = 0.0  # Between posterior probabilities
    mean_difference: float = 0.0  # The mean of each row's largest
    error: float = 1.0  # Geometric mean of the errors in log-odds

    @property
    def n_predictions(self) -> int:
        """Predictions compared."""
        return len(self.labels)

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

    @property
    def is_exact(self) -> bool:
        """Whether nothing differs beyond rounding."""
        return self.mismatches == 0 and self.distance == 0.0


def reproduce(variant: Variant, seen: Compared) -> Reproduction:
    """Return how well a variant reproduces the observations."""
    with np.errstate(all="ignore"):
        scored = scores(variant, seen.batch)
        labels = predicted(variant, scored.joint, seen.batch)
        differs = labels != seen.labels
        excused = differs & _within_rounding(variant, scored, seen.labels)
        given = seen.log_posterior
        if given is None:
            alike = np.ones_like(differs)
            return Reproduction(variant, labels, differs, excused, alike)
        if variant.column_order is not None:
            columns = np.argsort(variant.column_order)
            scored = Scores(scored.joint[:, columns], scored.rounding[:, columns])
        if variant.prior == "free":
            offsets = np.nan_to_num(class_offsets(scored.joint, given, seen.batch.of_run))
            scored = Scores(scored.joint + offsets, scored.rounding)
        rest = _compare_posteriors(scored, given, seen.undefined)
        return Reproduction(variant, labels, differs, excused, *rest)


def predicted(variant: Variant, joint: FloatArray, batch: Batch) -> IntArray:
    """Return the codes that a variant predicts from its scores."""
    if not variant.nan_wins:
        joint = np.where(np.isnan(joint), -np.inf, joint)
    if variant.ties == "first":
        best: IntArray = joint.argmax(axis=1)
    else:
        best = _among_equals(variant.ties, joint, batch)
    if variant.label_order is None:
        return best
    labels: IntArray = np.append(variant.label_order, UNSEEN)[best]
    return labels


def _among_equals(ties: str, joint: FloatArray, batch: Batch) -> IntArray:
    """Return the best class in the order of a rule for ties; -1 where none is any good."""
    if ties == "none":
        return np.where((joint == -np.inf).all(axis=1), UNSEEN, joint.argmax(axis=1))
    if ties == "last":
        return np.asarray(joint.shape[1] - 1 - joint[:, ::-1].argmax(axis=1))
    orders = np.array([_appearance(run, last=ties != "appearance") for run in batch.runs])
    order = orders[batch.of_run]
    place = np.take_along_axis(joint, order, axis=1).argmax(axis=1)
    return np.asarray(order[np.arange(len(order)), place])


def _appearance(run: TrainedRun, *, last: bool) -> IntArray:
    """Return the classes in the order in which they appear in training, or the reverse."""
    present, first = np.unique(run.codes, return_index=True)
    order = present[np.argsort(first)]
    absent = np.setdiff1d(np.arange(run.n_classes), present)
    return np.append(order[::-1] if last else order, absent).astype(np.intp)


def class_offsets(
    joint: FloatArray, log_posterior: FloatArray, of_run: IntArray
) -> FloatArray:
    """Return how much more each class has than the first, in its run's median sample."""
    finite = np.isfinite(log_posterior) & np.isfinite(joint)
    gaps = np.where(finite, log_posterior - joint, np.nan)
    gaps = gaps - gaps[:, :1]
    result = np.empty_like(gaps)
    for run in np.unique(of_run):
        rows = of_run == run
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
    variant: Variant, scored: Scores, observed: IntArray
) -> NDArray[np.bool_]:
    """Return where the label observed scores as much as the best, up to rounding."""
    rows, joint = np.arange(len(observed)), scored.joint
    best = joint.argmax(axis=1)
    place = np.argsort(variant.label_order)[observed] if variant.label_order else observed
    slack = scored.rounding[rows, best] + scored.rounding[rows, place]
    near: NDArray[np.bool_] = joint[rows, best] - joint[rows, place] <= slack
    return near & (observed >= 0)


def _compare_posteriors(
    scored: Scores, given: FloatArray, unknown: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], float, int, float, float, float]:
    """Return rows alike, mean distance, log-odds compared, differences, error."""
    offered, expected = softmax(given), softmax(scored.joint)
    undefined = np.isnan(expected).any(axis=1)
    both = ~undefined & ~unknown
    gap = np.where(both[:, np.newaxis], np.abs(offered - expected), 0.0).max(axis=1)
    excess, errors, comparable = _excess(scored, given)
    excess[~both] = 0.0
    # A row that cannot be normalised may also be given as equal shares of the best.
    lost = (undefined != unknown) & ~(undefined & _is_degenerate(offered))
    precise = np.where(comparable, excess, 0.0).max(axis=1) == 0.0
    alike = ~lost & ((gap <= PROBABILITY_TOLERANCE) | (precise & both) | ~both)
    used = comparable & both[:, np.newaxis]
    n_compared = int(used.sum() + lost.sum())
    distance = float(np.log1p(excess[used]).clip(max=2 * UNDEFINED_DISTANCE).sum())
    distance += UNDEFINED_DISTANCE * float(lost.sum())
    log_error = float(np.log(errors[used].clip(TINIEST, 1e9)).sum())
    n = max(n_compared, 1)
    largest, mean = float(gap.max(initial=0.0)), float(gap.sum() / max(len(gap), 1))
    return alike, distance / n, n_compared, largest, mean, float(np.exp(log_error / n))


def _excess(
    scored: Scores, given: FloatArray
) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """Return errors in log-odds beyond rounding in its units, errors, and where known."""
    rows = np.arange(len(given))
    best = np.where(np.isnan(given), -np.inf, given).argmax(axis=1)
    first = (rows, best)
    odds = given - given[first][:, np.newaxis]
    expected = scored.joint - scored.joint[first][:, np.newaxis]
    rounding = scored.rounding + scored.rounding[first][:, np.newaxis]
    comparable = np.isfinite(odds) & (odds > SMALLEST_LOG)
    comparable[first] = False
    errors = np.abs(odds - expected)
    error = errors / np.maximum(rounding, np.finfo(np.float64).tiny)
    excess = np.where(np.isfinite(error), np.maximum(error - 1.0, 0.0), np.inf)
    return np.where(comparable, excess, 0.0), np.nan_to_num(errors, nan=np.inf), comparable


def _is_degenerate(posterior: FloatArray) -> NDArray[np.bool_]:
    """Return rows that hold equal shares of one, and zeros."""
    top = posterior.max(axis=1, keepdims=True)
    result: NDArray[np.bool_] = ((posterior == 0.0) | (posterior == top)).all(axis=1)
    return result


@dataclass(frozen=True, eq=False)
class Fit:
    """A variant, how well it reproduces the answers, and the parameters' distance.

    `n_tied` counts the labels that rounding decides under the variant searched from.
    """

    reproduction: Reproduction
    parameters: float
    n_tied: int = 0

    @property
    def variant(self) -> Variant:
        """The variant tried."""
        return self.reproduction.variant

    @cached_property
    def loss(self) -> float:
        """One number that is 0 where nothing differs beyond rounding."""
        found = self.reproduction
        return (
            found.distance
            + LABEL_WEIGHT * self.errors / max(found.n_predictions, 1)
            + PARAMETER_WEIGHT * self.parameters
            + (NOISE_WEIGHT * found.mean_difference if is_noisy(self.variant) else 0.0)
        )

    @cached_property
    def errors(self) -> int:
        """Labels that are wrong; under large rounding also those that rounding excuses."""
        found = self.reproduction
        if is_noisy(self.variant):
            return found.n_differing
        excused = found.n_differing - found.mismatches
        allowed = self.n_tied + int(TIED_SHARE * found.n_predictions)
        return found.mismatches + max(0, excused - allowed)

    @property
    def is_settled(self) -> bool:
        """Whether there is nothing left for a further knob to explain."""
        found = self.reproduction
        if self.errors or found.distance > 0.0:
            return False
        return found.n_compared > 0 or self.parameters == 0.0

    @property
    def is_sufficient(self) -> bool:
        """Whether all predictions are reproduced, if not to the last digit."""
        return self.reproduction.share == 1.0 and self.reproduction.mismatches == 0

    def is_worse_than(self, other: "Fit") -> bool:
        """Return whether labels, log-odds or parameters are farther off, measurably."""
        if self.errors != other.errors:
            return self.errors > other.errors
        distance, its_distance = self.reproduction.distance, other.reproduction.distance
        if distance > its_distance * (1.0 + LEAST_GAIN) + LEAST_GAIN:
            return True
        return self.parameters > other.parameters * (1.0 + LEAST_GAIN) + LEAST_GAIN


@dataclass
class Search:
    """Variants tried on some rows of an implementation; each is evaluated once."""

    base: Variant  # Where the search starts
    seen: Compared
    fits: dict[Variant, Fit] = field(default_factory=dict)

    def fit(self, variant: Variant) -> Fit:
        """Return how well a variant does."""
        if variant not in self.fits:
            found = reproduce(variant, self.seen)
            plain = found if variant == self.base else self.fit(self.base).reproduction
            self.fits[variant] = Fit(
                found,
                parameter_distance(variant, self.seen),
                plain.n_differing - plain.mismatches,
            )
        return self.fits[variant]

    def loss(self, variant: Variant) -> float:
        """Return how badly a variant does, in one number."""
        return self.fit(variant).loss

    def tried(self, variants: Iterable[Variant]) -> list[Fit]:
        """Return how well each variant does."""
        return [self.fit(variant) for variant in variants]

    def pruned(self, best: Fit) -> Fit:
        """Return the fit without the knobs whose move back does not worsen it."""
        for knob in reversed(moved(best.variant, self.base)):
            without = self.fit(restored(best.variant, self.base, knob))
            if not without.is_worse_than(best):
                best = without
        smoothing = best.variant.smoothing
        if smoothing is not None and smoothing != self.base.smoothing:
            # An amount too small to be seen is none.
            unsmoothed = self.fit(replace(best.variant, smoothing=None))
            if not unsmoothed.is_worse_than(best):
                best = unsmoothed
        return best
