"""Roundings of samples that give all answers of an implementation."""

from dataclasses import replace
from typing import Any

from gnbbench.diagnosis import findings, variants
from gnbbench.diagnosis.across_datasets import ComparedSides
from gnbbench.diagnosis.changed_samples import SIDES
from gnbbench.diagnosis.moments import ROUNDINGS
from gnbbench.diagnosis.variants import Variant

# Numbers in single precision have larger errors in their log-odds.
SINGLE, LEAST_IN_SINGLE = "float32", 1e-12


def without_single(
    compared: list[ComparedSides], proved: list[Variant]
) -> list[ComparedSides]:
    """Withdraw single precision where probabilities on other data have more digits."""
    fits = (side.result.fit for side in compared if side.is_shown_by_probabilities)
    double = (fit for fit in fits if fit and fit.variant.dtype != SINGLE)
    if not any(fit.error < LEAST_IN_SINGLE for fit in double):
        return compared
    proved[:] = [variant for variant in proved if variant.dtype != SINGLE]
    return [
        replace(side, result=side.result.withdrawn)
        if side.result.variant.dtype == SINGLE
        else side
        for side in compared
    ]


def rounded(compared: list[ComparedSides]) -> list[ComparedSides]:
    """Take a rounding of samples that gives all answers for what no sound variant gives.

    One label for all rows is no evidence: it may come from anything that loses scores.
    """
    different = [side for side in compared if side.roundings is not None]
    is_strange = any(
        side.result.outcome == "stranger" or variants.is_noisy(side.result.variant)
        for side in different
    ) and not all(side.answers.is_one_label for side in different)
    # On one dataset alone, a rounding of one side may give the answers by chance.
    places = [*SIDES][: None if len(different) > 1 else 1] if is_strange else []
    ways = ([f"{how}{place}" for how in ROUNDINGS] for place in places)
    known = [side.roundings or () for side in different]
    fitting = ([how for how in way if all(how in ok for ok in known)] for way in ways)
    alike = next(filter(None, fitting), [])
    # The finest of several.
    how = f"to {alike[-1]}" if alike else ""
    how = f"perhaps {how}" if len(alike) > 1 else how
    fields: dict[str, Any] = {
        "instead": (findings.ROUNDING, how),
        "of_model": None,
        "outcome": "stranger",
        "probabilities_left": 0,
    }
    return [
        replace(side, result=replace(side.result, **fields))
        if how and side.roundings
        else side
        for side in compared
    ]
