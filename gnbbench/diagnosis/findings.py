"""What a diagnosis says: the verdict, its causes and each disagreement explained."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

DIVISOR = "variance-divisor"
NO_SMOOTHING = "no-smoothing"
SMOOTHING_RULE = "smoothing-rule"
PRIOR = "prior"
DENSITY_FLOOR = "density-floor"
UNDERFLOW = "underflow"
PRECISION = "precision"
CANCELLATION = "cancellation"
TIE = "tie"
CLASS_ORDER = "class-order"
FEATURE_ORDER = "feature-order"
NAN = "nan"
UNSEEN_CLASS = "unseen-class"
NOT_GNB = "not-gnb"
CRASH = "crash"

CAUSES: dict[str, str] = {
    DIVISOR: "variances are divided by n - 1 instead of n",
    NO_SMOOTHING: "nothing is added to the variances",
    SMOOTHING_RULE: "variances are smoothed by another amount or rule",
    PRIOR: "classes have another prior",
    DENSITY_FLOOR: "densities are kept from zero: log(density + eps)",
    UNDERFLOW: "densities underflow to zero",
    PRECISION: "arithmetic is in single precision",
    CANCELLATION: "variances are E[x²] - E[x]², which cancels",
    TIE: "both labels score equally, up to rounding",
    CLASS_ORDER: "labels or probability columns belong to other classes",
    FEATURE_ORDER: "features are mixed up between fit and predict",
    NAN: "probabilities are not numbers",
    UNSEEN_CLASS: "a label is predicted that was never seen",
    NOT_GNB: "no variant of Gaussian naive Bayes gives these answers",
    CRASH: "it raises an exception or returns something of the wrong shape",
}


@dataclass(frozen=True)
class Cause:
    """One reason why an implementation differs."""

    cause: str  # A name out of `CAUSES`
    # Disagreements it explains; for a crash the predictions that are missing, for NaN the
    # rows without probabilities
    explained: int
    # The amount or choice that was found, where the cause has one
    estimate: float | str | None
    evidence: str  # One sentence


@dataclass(frozen=True, eq=False)
class ExplainedDisagreement:
    """One sample of one run whose labels differ."""

    run: int  # Position among the splits, and index of the sample in the dataset
    row: int  # Position among the splits, and index of the sample in the dataset
    truth: Any
    reference_label: Any
    label: Any
    # What alone restores the reference's label when it is switched back; two that do so
    # only together; empty where nothing does
    causes: tuple[str, ...]
    # How much the reference's label leads the other one in log-odds, under the reference's
    # formulas
    margin: float
    features: FloatArray  # (n_features,)
    # (n_classes,): None where probabilities are not offered
    reference_posterior: FloatArray | None
    posterior: FloatArray | None  # (n_classes,): None where probabilities are not offered
    # (n_features,): Of each feature to the log-odds of the reference's label over the other
    # one, under the reference's formulas and under the setting found (NaN where undefined)
    reference_contributions: FloatArray
    # (n_features,): Of each feature to the log-odds of the reference's label over the other
    # one, under the reference's formulas and under the setting found (NaN where undefined)
    contributions: FloatArray

    @property
    def cause(self) -> str | None:
        """The causes as one word, None where nothing explains the disagreement."""
        return " + ".join(self.causes) or None


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """How an implementation differs from the reference, and why."""

    verdict: str  # One sentence
    # Whether nothing differs beyond rounding in labels, probabilities and parameters
    same: bool
    causes: tuple[Cause, ...]  # The most important one first
    n_disagreements: int  # Labels that differ, out of those compared
    n_predictions: int  # Labels that differ, out of those compared
    unexplained: int  # Disagreements without a cause
    # Share of predictions that the setting found reproduces: the label and, where it is
    # offered, the posterior
    reproduced_share: float
    # Of a posterior probability from that of the setting found; None where probabilities
    # are not offered
    largest_remaining_difference: float | None
    setting: str  # The variant of Gaussian naive Bayes that was found, in words
    disagreements: tuple[ExplainedDisagreement, ...]  # The first 200; all are counted
    # Other causes, each of which alone would give the same labels; only where labels are
    # all that is offered. More runs may tell them apart.
    rivals: tuple[str, ...] = ()
