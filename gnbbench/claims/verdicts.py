"""From what was published and what was measured to a verdict."""

from collections.abc import Sequence
from math import isnan

import numpy as np

from gnbbench.claims.claim import Claim
from gnbbench.claims.published import Published
from gnbbench.claims.result import Measured, Verdict

CENTRAL = (0.025, 0.975)


def verdict_on(claim: Claim, measured: Sequence[Measured]) -> Verdict:
    """Return what is to be said of a claim.

    Reproduced: every reading of the protocol, under every seed, gives the published
    digits. Within run-to-run spread: some reading does for some seeds, and the figure is
    no outlier among them (`is_within_spread`). Where the source does not say what it
    measured, a figure that is reached identifies no protocol, and one that is not refutes
    none. Times are never judged.
    """
    if not measured:
        return "not available"
    if claim.protocol.kind == "times":
        return "measured here"
    if all(share_reached(claim.published, one) == 1.0 for one in measured):
        return "reproduced"
    if not claim.protocol.is_stated:
        return "protocol not stated"
    if any(is_within_spread(claim.published, one) for one in measured):
        return "within run-to-run spread"
    return "not reproduced"


def share_reached(published: Published, measured: Measured) -> float:
    """Return the share of seeds, or of resampled sets of runs, that give the figure."""
    if published.total not in {None, measured.total}:
        return 0.0
    if measured.repeats is None:
        return float(published.is_reached_by(measured.value))
    reached = [published.is_reached_by(value) for value in measured.repeats.tolist()]
    return sum(reached) / len(reached)


def is_within_spread(published: Published, measured: Measured) -> bool:
    """Return whether a figure is one that seeds give, and no outlier among them.

    It lies within the central 95 % of the values, at the published digits. A figure of
    single splits must be given by one of them besides: 30 test samples cannot come to 0.95.
    One over many runs need not: resampling cannot draw what no run had.
    """
    if measured.repeats is None or isnan(measured.value):
        return False
    low, high = central_range(measured)
    ends = [float(published.rounded(end)) for end in (low, high)]
    is_inside = ends[0] <= published.value <= ends[1]
    return is_inside and (measured.is_resampled or share_reached(published, measured) > 0)


def central_range(measured: Measured) -> tuple[float, float]:
    """Return the ends of the central 95 % of the values."""
    assert measured.repeats is not None  # noqa: S101  for mypy
    low, high = np.quantile(measured.repeats, CENTRAL)
    return float(low), float(high)
