"""How well a variant reproduces what was observed: labels, probabilities, parameters."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from gnbbench.diagnosis.family import FloatArray, IntArray, Scores, TrainedRun, scores
from gnbbench.diagnosis.observations import SMALLEST_LOG, Observation, Pairs, softmax
from gnbbench.diagnosis.parameters import parameter_distance
from gnbbench.diagnosis.variants import Variant, is_noisy, moved, restored

# A posterior this close is the same one: sound libraries keep 1e-12, and no difference
# between two models that are not the same stays below it over unsaturated samples.
PROBABILITY_TOLERANCE = 1e-6
# So many predictions must be reproduced before any cause is named; the rest are samples on
# the boundary that an estimated amount places on the other side.
REPRODUCED_SHARE = 0.999
# A variant must also get right this share of the disagreements themselves: where labels
# differ rarely, reproducing the common ones proves nothing.
EXPLAINED_SHARE = 0.9
# Rounding decides single samples in single precision and under cancellation, and another
# order of summation rounds otherwise; most samples must be right even so.
NOISY_SHARE = 0.9
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
class RunReproduction:
    """How one run's answers compare with a variant's."""

    labels: IntArray  # What the variant predicts
    differs: NDArray[np.bool_]  # Rows with another label than observed
    excused: NDArray[np.bool_]  # Those among them within rounding
    alike: NDArray[np.bool_]  # Rows with the posterior observed, or where none is offered
    distance: float  # Sum of logarithms of one plus the error beyond rounding
    n_compared: int  # Log-odds that were compared
    largest_difference: float  # Between posterior probabilities
    total_difference: float  # The sum of each row's largest
    log_error: float = 0.0  # Sum of the logarithms of errors in log-odds


@dataclass(frozen=True, eq=False)
class Reproduction:
    """How well a variant reproduces an implementation over several runs."""

    variant: Variant
    runs: tuple[RunReproduction, ...]

    @property
    def n_predictions(self) -> int:
        """Predictions compared."""
        return sum(len(run.labels) for run in self.runs)

    @property
    def mismatches(self) -> int:
        """Labels that differ from those observed by more than rounding."""
        return sum(int((run.differs & ~run.excused).sum()) for run in self.runs)

    @property
    def n_differing(self) -> int:
        """Labels that differ from those observed."""
        return sum(int(run.differs.sum()) for run in self.runs)

    @property
    def n_compared(self) -> int:
        """Log-odds that were compared."""
        return sum(run.n_compared for run in self.runs)

    @property
    def distance(self) -> float:
        """Mean logarithm of the error in log-odds, in units of rounding; 0 is exact."""
        n = self.n_compared
        return sum(run.distance for run in self.runs) / n if n else 0.0

    @property
    def share(self) -> float:
        """Share of predictions whose label and posterior are reproduced."""
        alike = (run.alike & (run.excused | ~run.differs) for run in self.runs)
        return sum(int(rows.sum()) for rows in alike) / max(self.n_predictions, 1)

    @property
    def largest_difference(self) -> float:
        """The largest difference between posterior probabilities."""
        return max((run.largest_difference for run in self.runs), default=0.0)

    @property
    def mean_difference(self) -> float:
        """Mean over predictions of the largest difference in posterior probability."""
        total = sum(run.total_difference for run in self.runs)
        return total / max(self.n_predictions, 1)

    @property
    def error(self) -> float:
        """Geometric mean of the errors in log-odds."""
        total = sum(run.log_error for run in self.runs)
        return float(np.exp(total / max(self.n_compared, 1)))

    @property
    def is_exact(self) -> bool:
        """Whether nothing differs beyond rounding."""
        return self.mismatches == 0 and self.distance == 0.0


def reproduce(variant: Variant, pairs: Pairs) -> Reproduction:
    """Return how well a variant reproduces the observations."""
    with np.errstate(all="ignore"):
        return Reproduction(
            variant,
            tuple(_compare(variant, scores(variant, run), seen) for run, seen in pairs),
        )


def predicted(variant: Variant, joint: FloatArray) -> IntArray:
    """Return the codes that a variant predicts from its scores."""
    if not variant.nan_wins:
        joint = np.where(np.isnan(joint), -np.inf, joint)
    best: IntArray = joint.argmax(axis=1)
    if variant.label_order is None:
        return best
    labels: IntArray = np.asarray(variant.label_order)[best]
    return labels


def _compare(variant: Variant, scored: Scores, seen: Observation) -> RunReproduction:
    labels = predicted(variant, scored.joint)
    differs = labels != seen.labels
    excused = differs & _within_rounding(variant, scored, seen.labels)
    if seen.log_posterior is None:
        alike = np.ones(len(labels), dtype=bool)
        return RunReproduction(labels, differs, excused, alike, 0.0, 0, 0.0, 0.0)
    given = seen.log_posterior
    if variant.column_order is not None:
        columns = np.argsort(variant.column_order)
        scored = Scores(scored.joint[:, columns], scored.rounding[:, columns])
    if variant.prior == "free":
        offsets = np.nan_to_num(class_offsets(scored.joint, given))
        scored = Scores(scored.joint + offsets, scored.rounding)
    return RunReproduction(
        labels, differs, excused, *_compare_posteriors(scored, given, seen.undefined)
    )


def class_offsets(joint: FloatArray, log_posterior: FloatArray) -> FloatArray:
    """Return how much more each class has than the first one, in the median sample."""
    finite = np.isfinite(log_posterior) & np.isfinite(joint)
    gaps = np.where(finite, log_posterior - joint, np.nan)
    gaps = gaps - gaps[:, :1]
    # NaN sorts last; numpy.nanmedian would take ten times as long.
    ordered, n_known = np.sort(gaps, axis=0), (~np.isnan(gaps)).sum(axis=0)
    columns, middle = np.arange(gaps.shape[1]), n_known // 2
    upper = ordered[np.minimum(middle, len(gaps) - 1), columns]
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
    """Return rows alike, summed distance, log-odds compared, differences, error."""
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
    distance = float(np.log1p(excess[used]).clip(max=2 * UNDEFINED_DISTANCE).sum())
    log_error = float(np.log(errors[used].clip(TINIEST, 1e9)).sum())
    distance += UNDEFINED_DISTANCE * float(lost.sum())
    n_compared = int(used.sum() + lost.sum())
    largest, total = float(gap.max(initial=0.0)), float(gap.sum())
    return alike, distance, n_compared, largest, total, log_error


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

    @property
    def loss(self) -> float:
        """One number that is 0 where nothing differs beyond rounding."""
        found = self.reproduction
        return (
            found.distance
            + LABEL_WEIGHT * self.errors / max(found.n_predictions, 1)
            + PARAMETER_WEIGHT * self.parameters
            + (NOISE_WEIGHT * found.mean_difference if is_noisy(self.variant) else 0.0)
        )

    @property
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
    """Variants tried on some runs of an implementation; each is evaluated once."""

    base: Variant  # Where the search starts
    pairs: Pairs
    fits: dict[Variant, Fit] = field(default_factory=dict)

    @property
    def run(self) -> TrainedRun:
        """The first run, which tells the shape of the data."""
        return self.pairs[0][0]

    @property
    def has_posteriors(self) -> bool:
        """Whether posteriors are offered in every run."""
        return all(seen.log_posterior is not None for _, seen in self.pairs)

    def fit(self, variant: Variant) -> Fit:
        """Return how well a variant does."""
        if variant not in self.fits:
            found = reproduce(variant, self.pairs)
            plain = found if variant == self.base else self.fit(self.base).reproduction
            self.fits[variant] = Fit(
                found,
                parameter_distance(variant, self.pairs),
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
        for knob in reversed(moved(best.variant, self.base)):
            without = self.fit(restored(best.variant, self.base, knob))
            if not best.reproduction.is_exact and without.is_sufficient:
                best = without
        smoothing = best.variant.smoothing
        if smoothing is not None and smoothing != self.base.smoothing:
            # An amount too small to be seen is none.
            unsmoothed = self.fit(replace(best.variant, smoothing=None))
            if not unsmoothed.is_worse_than(best):
                best = unsmoothed
        return best
