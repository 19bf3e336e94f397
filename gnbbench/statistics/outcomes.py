"""What a difference is called: identical, equivalent, different, or not to be told."""

from gnbbench.statistics.intervals import ROUNDING, Estimate
from gnbbench.statistics.summary import Outcome

LEVEL = 0.05


def outcome(
    estimate: Estimate | None, *, identical: bool, corrected_p: float, margin: float
) -> Outcome:
    """Return what a mean difference is called; "identical" comes before any test.

    Then, in this order: equivalent (two one-sided tests put it within the margin),
    different (p value after Holm below 0.05), cannot tell. A difference can be both
    equivalent and different; it is then small and real, and called equivalent here.
    """
    if identical:
        return "identical"
    if estimate is not None and _within(estimate, margin):
        return "equivalent"
    return "different" if corrected_p < LEVEL else "cannot tell"


def _within(estimate: Estimate, margin: float) -> bool:
    """Tell whether the mean is shown to be within the margin, or is but rounding."""
    if estimate.standard_error == 0:
        return abs(estimate.mean) <= min(ROUNDING, margin)
    return estimate.equivalence_p_value(margin) < LEVEL
