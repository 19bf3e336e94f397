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

    Parameters
    ----------
    estimate : Estimate or None
        The mean difference; None where there are too few runs for one.
    identical : bool
        No difference was seen in any run.
    corrected_p : float
        p value of "no difference" after Holm; NaN where not tested.
    margin : float
        Largest difference that does not matter, in the unit of the estimate.

    Returns
    -------
    {"identical", "equivalent", "different", "cannot tell"}

    Examples
    --------
    >>> estimate = Estimate(mean=0.2, standard_error=0.01, degrees_of_freedom=99)
    >>> outcome(estimate, identical=False, corrected_p=0.0001, margin=0.01)
    'different'
    >>> outcome(None, identical=False, corrected_p=float("nan"), margin=0.01)
    'cannot tell'
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
