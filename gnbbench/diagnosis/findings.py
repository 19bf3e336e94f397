"""What a diagnosis says: the verdict, its causes and each disagreement explained."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

# Those that something else than a knob of the formulas leads to, or that are told apart.
TIE = "tie"
NAN = "nan"
UNSEEN_CLASS = "unseen-class"
PROBABILITIES = "probabilities"
CONSTANT = "constant"
STATEFUL = "stateful"
UNDECIDED = "undecided"
NOT_GNB = "not-gnb"
CRASH = "crash"

CAUSES: dict[str, str] = {
    "variance-divisor": "variances are divided by n - 1 instead of n",
    "no-smoothing": "nothing is added to the variances",
    "smoothing-rule": "variances are smoothed by another amount or rule",
    "prior": "classes have another prior",
    "density-formula": "the density is not that of the normal distribution",
    "nearest-mean": "the nearest class mean wins: equal variances and uniform priors",
    "density-floor": "densities are kept from zero: log(density + eps)",
    "underflow": "densities underflow to zero",
    "precision": "arithmetic is in single precision",
    "cancellation": "variances are E[x²] - E[x]², which cancels",
    TIE: "both labels score equally, up to rounding",
    "class-order": "labels or probability columns belong to other classes",
    "feature-order": "features are mixed up between fit and predict",
    NAN: "probabilities are not numbers",
    UNSEEN_CLASS: "a label is predicted that was never seen",
    PROBABILITIES: "probabilities are not those that the labels follow from",
    CONSTANT: "every row of a run gets the same label",
    STATEFUL: "labels depend on earlier calls, on chance or on the other rows of a call",
    UNDECIDED: "too few answers differ to tell why",
    NOT_GNB: "no variant of Gaussian naive Bayes gives these answers",
    CRASH: "it raises an exception or returns something of the wrong shape",
}


@dataclass(frozen=True)
class Cause:
    """One reason why an implementation differs."""

    cause: str  # A name out of `CAUSES`
    # Disagreements; of a crash the predictions missing, of NaN rows without probabilities
    explained: int
    estimate: float | str | None  # The amount or choice found, where the cause has one
    evidence: str  # What speaks for it, in one sentence
    summary: str = ""  # What the implementation does, in one sentence
    remedy: str = ""  # What to write to agree with the reference; empty where nobody knows
    # Amounts that do as well as the estimate; None where there is no amount
    interval: tuple[float, ...] | None = None


def stated(
    cause: str, explained: int, text: str, remedy: str = "", estimate: str | None = None
) -> Cause:
    """Return a cause of which one sentence says all there is."""
    return Cause(cause, explained, estimate, text, text, remedy)


@dataclass(frozen=True, eq=False)
class ExplainedDisagreement:
    """One sample of one run whose labels differ."""

    run: int  # Position among the splits
    row: int  # Index of the sample in the dataset
    truth: Any
    reference_label: Any
    label: Any
    # What alone restores the reference's label when it is switched back; two that do so
    # only together; empty where nothing does
    causes: tuple[str, ...]
    # Lead of the reference's label over the other one, under the reference's formulas
    margin: float
    features: FloatArray  # (n_features,)
    # (n_classes,): None where probabilities are not offered
    reference_posterior: FloatArray | None
    posterior: FloatArray | None
    # (n_features,): Of each feature to the log-odds of the reference's label over the other
    # one, under the reference's formulas and under the variant found (NaN where undefined)
    reference_contributions: FloatArray
    contributions: FloatArray

    @property
    def cause(self) -> str | None:
        """The causes as one word, None where nothing explains the disagreement."""
        return " + ".join(self.causes) or None


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """How an implementation differs from the reference, and why."""

    verdict: str  # One sentence
    same: bool  # No label, probability or parameter differs beyond rounding
    causes: tuple[Cause, ...] = ()  # The most important one first
    n_disagreements: int = 0  # Labels that differ, out of
    n_predictions: int = 0  # those compared
    unexplained: int = 0  # Disagreements without a cause
    # Of predictions: the variant found gives the label and, where offered, the posterior
    reproduced_share: float = 0.0
    # Between posteriors; None where probabilities are not offered
    largest_remaining_difference: float | None = None
    setting: str = ""  # The variant of Gaussian naive Bayes that was found, in words
    disagreements: tuple[ExplainedDisagreement, ...] = ()  # The first 200; all are counted
    # Other causes, each of which would give the same labels; only where labels are all that
    # is offered. More runs may tell them apart.
    rivals: tuple[str, ...] = ()
    # What could be done otherwise without moving a label on these data, in words; empty
    # where probabilities are offered, which would tell
    not_shown: tuple[str, ...] = ()
