"""The four tiles under the headline: disagreements, explained, reproduced, remaining."""

from collections.abc import Callable

from gnbbench.diagnosis import Diagnosis
from gnbbench.report.blocks import Fact, Tile
from gnbbench.report.explain_summary import ExplainSummary
from gnbbench.report.explain_wording import (
    difference_text,
    explained_number,
    outcome_of,
)
from gnbbench.words import DASH, count, plural, printable, share, shorten

MOST_LETTERS = 60

Told = tuple[str, str]


def explain_tiles(summary: ExplainSummary) -> tuple[Tile, ...]:
    """Facts on each implementation under four headings."""
    reference = shorten(summary.names[summary.reference], 24)
    headings: dict[str, Callable[[Diagnosis], Told]] = {
        f"Disagreements with {reference}": _disagreements,
        "Disagreements explained": _explained,
        "Predictions reproduced": _reproduced,
        "Largest remaining probability difference": _remaining,
    }
    several = len(summary.diagnosed) > 1
    return tuple(
        Tile(
            title,
            tuple(
                Fact(
                    shorten(summary.names[one.implementation], 28) if several else "",
                    *tell(one.diagnosis),
                )
                for one in summary.diagnosed
            ),
        )
        for title, tell in headings.items()
    )


def _disagreements(one: Diagnosis) -> Told:
    if not one.n_predictions:
        return DASH, "no prediction to compare"
    return count(one.n_disagreements), f"of {plural(one.n_predictions, 'prediction')}"


def _explained(one: Diagnosis) -> Told:
    causes = shorten(outcome_of(one), MOST_LETTERS)
    if not one.n_disagreements:
        return DASH, f"no label differs; {causes}" if one.causes else "no label differs"
    return count(explained_number(one)), f"of {count(one.n_disagreements)}: {causes}"


def _reproduced(one: Diagnosis) -> Told:
    if not one.n_predictions:
        return DASH, "no prediction to compare"
    return share(one.reproduced_share), shorten(printable(one.setting), MOST_LETTERS)


def _remaining(one: Diagnosis) -> Told:
    if one.largest_remaining_difference is None:
        return DASH, "probabilities are not offered"
    return difference_text(one), "from the posterior of the setting found"
