"""How well a setting reproduces what was observed: labels, probabilities, parameters."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnbbench.diagnosis.family import FloatArray, IntArray, Scores, TrainedRun, scores
from gnbbench.diagnosis.observations import SMALLEST_LOG, Observation, softmax
from gnbbench.diagnosis.settings import Setting

# A posterior this close is the same one: sound libraries keep 1e-12, and no difference
# between two models that are not the same stays below it over unsaturated samples.
PROBABILITY_TOLERANCE = 1e-6
# So many predictions must be reproduced before any cause is named; the rest are samples on
# the boundary that an estimated amount places on the other side.
REPRODUCED_SHARE = 0.999
# A setting must also get right this share of the disagreements themselves: where labels
# differ rarely, reproducing the common ones proves nothing.
EXPLAINED_SHARE = 0.9
# Rounding decides single samples in single precision and under cancellation, and another
# order of summation rounds otherwise; most samples must be right even so.
NOISY_SHARE = 0.9
# Distance, in logarithms of rounding errors, of a number that should not be one.
UNDEFINED_DISTANCE = 16.0
# An error of less than this is none.
TINIEST = 1e-16


@dataclass(frozen=True, eq=False)
class RunReproduction:
    """How one run's answers compare with a setting's."""

    labels: IntArray  # What the setting predicts
    # Rows with another label than observed; those among them within rounding
    differs: NDArray[np.bool_]
    # Rows with another label than observed; those among them within rounding
    excused: NDArray[np.bool_]
    # Rows whose posterior is the observed one, or where none is offered
    alike: NDArray[np.bool_]
    distance: float  # Sum of logarithms of one plus the error beyond rounding
    n_compared: int  # Log-odds that were compared
    # Between posterior probabilities: the largest, and the sum of each row's largest
    largest_difference: float
    # Between posterior probabilities: the largest, and the sum of each row's largest
    total_difference: float
    log_error: float = 0.0  # Sum of the logarithms of errors in log-odds


@dataclass(frozen=True, eq=False)
class Reproduction:
    """How well a setting reproduces an implementation over several runs."""

    setting: Setting
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
        good = sum(
            int((run.alike & (run.excused | ~run.differs)).sum()) for run in self.runs
        )
        return good / max(self.n_predictions, 1)

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


def reproduce(
    setting: Setting, runs: Sequence[TrainedRun], observed: Sequence[Observation]
) -> Reproduction:
    """Return how well a setting reproduces the observations."""
    with np.errstate(all="ignore"):
        return Reproduction(
            setting,
            tuple(
                _compare(setting, scores(setting, run), seen)
                for run, seen in zip(runs, observed, strict=True)
            ),
        )


def predicted(setting: Setting, joint: FloatArray) -> IntArray:
    """Return the codes that a setting predicts from its scores."""
    if not setting.nan_wins:
        joint = np.where(np.isnan(joint), -np.inf, joint)
    best: IntArray = joint.argmax(axis=1)
    if setting.label_order is None:
        return best
    labels: IntArray = np.asarray(setting.label_order)[best]
    return labels


def _compare(setting: Setting, scored: Scores, seen: Observation) -> RunReproduction:
    labels = predicted(setting, scored.joint)
    differs = labels != seen.labels
    excused = differs & _within_rounding(setting, scored, seen.labels)
    if seen.log_posterior is None:
        alike = np.ones(len(labels), dtype=bool)
        return RunReproduction(labels, differs, excused, alike, 0.0, 0, 0.0, 0.0)
    given = seen.log_posterior
    if setting.column_order is not None:
        columns = np.argsort(setting.column_order)
        scored = Scores(scored.joint[:, columns], scored.rounding[:, columns])
    if setting.prior == "free":
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
    setting: Setting, scored: Scores, observed: IntArray
) -> NDArray[np.bool_]:
    """Return where the label observed scores as much as the best, up to rounding."""
    rows, joint = np.arange(len(observed)), scored.joint
    best = joint.argmax(axis=1)
    place = np.argsort(setting.label_order)[observed] if setting.label_order else observed
    slack = scored.rounding[rows, best] + scored.rounding[rows, place]
    near: NDArray[np.bool_] = joint[rows, best] - joint[rows, place] <= slack
    return near & (observed >= 0)


def _compare_posteriors(
    scored: Scores, given: FloatArray, unknown: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], float, int, float, float, float]:
    """Return rows alike, summed distance, log-odds compared, differences, error."""
    offered, mine = softmax(given), softmax(scored.joint)
    undefined = np.isnan(mine).any(axis=1)
    both = ~undefined & ~unknown
    gap = np.where(both[:, np.newaxis], np.abs(offered - mine), 0.0).max(axis=1)
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
    return (
        alike,
        distance,
        n_compared,
        float(gap.max(initial=0.0)),
        float(gap.sum()),
        log_error,
    )


def _excess(
    scored: Scores, given: FloatArray
) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """Return errors in log-odds beyond rounding in its units, errors, and where known."""
    rows = np.arange(len(given))
    best = np.where(np.isnan(given), -np.inf, given).argmax(axis=1)
    first = (rows, best)
    odds = given - given[first][:, np.newaxis]
    mine = scored.joint - scored.joint[first][:, np.newaxis]
    rounding = scored.rounding + scored.rounding[first][:, np.newaxis]
    comparable = np.isfinite(odds) & (odds > SMALLEST_LOG)
    comparable[first] = False
    errors = np.abs(odds - mine)
    error = errors / np.maximum(rounding, np.finfo(np.float64).tiny)
    excess = np.where(np.isfinite(error), np.maximum(error - 1.0, 0.0), np.inf)
    return np.where(comparable, excess, 0.0), np.nan_to_num(errors, nan=np.inf), comparable


def _is_degenerate(posterior: FloatArray) -> NDArray[np.bool_]:
    """Return rows that hold equal shares of one, and zeros."""
    top = posterior.max(axis=1, keepdims=True)
    result: NDArray[np.bool_] = ((posterior == 0.0) | (posterior == top)).all(axis=1)
    return result
