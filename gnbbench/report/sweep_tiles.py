"""The four tiles of a sweep: exact runs, disagreements, accuracy, speed."""

from typing import get_args

from gnbbench.report.blocks import Fact, Tile
from gnbbench.report.lookup import Lookup
from gnbbench.report.sweep_sections import median_text, possible_fractions
from gnbbench.report.tiles import speed_fact
from gnbbench.statistics.summary import Outcome, Summary
from gnbbench.words import DASH, count, decimal, plural, share, short_names

NOTHING = (DASH, "no labels to compare")


def sweep_tiles(summary: Summary) -> tuple[Tile, ...]:
    """Facts of a sweep under four headings, one per competitor and heading."""
    names = short_names(summary.implementations, 28)
    reference = names[summary.reference]
    overall = Lookup(summary.overall, "implementation")
    ratios = Lookup(summary.ratios, "implementation", "operation")
    others = summary.implementations[1:]
    accuracy = decimal(overall.number("test_accuracy", summary.reference))
    return (
        Tile(
            "Runs that match entirely",
            tuple(Fact(names[n], *_exact(overall, n)) for n in others),
        ),
        Tile(
            "Disagreements per run, on average",
            tuple(Fact(names[n], *_mismatches(overall, n)) for n in others),
        ),
        Tile(
            f"Mean test accuracy ({reference}: {accuracy})",
            tuple(Fact(names[n], *_accuracy(summary, overall, n)) for n in others),
        ),
        Tile(
            f"Time of fit over that of {reference}",
            tuple(Fact(names[n], *speed_fact(ratios, n)) for n in others),
        ),
    )


def _exact(overall: Lookup, name: str) -> tuple[str, str]:
    runs = overall.number("runs", name)
    if not runs > 0:
        return NOTHING
    exact = count(overall.number("exact_runs", name))
    detail = f"{exact} of {plural(int(runs), 'run')}"
    return share(overall.number("exact_share", name)), detail


def _mismatches(overall: Lookup, name: str) -> tuple[str, str]:
    if not overall.number("runs", name) > 0:
        return NOTHING
    mean = overall.number("mismatches_mean", name)
    median, most = (overall.number(f"mismatches_{of}", name) for of in ("median", "max"))
    return decimal(
        mean, 3
    ) if mean else "0", f"median {median_text(median)}, most {count(most)}"


def _accuracy(summary: Summary, overall: Lookup, name: str) -> tuple[str, str]:
    value = decimal(overall.number("test_accuracy", name))
    table = summary.accuracy_differences
    own = table[table["implementation"] == name]
    found = own.loc[own["fraction"].isin(possible_fractions(summary)), "outcome"]
    numbers = [(outcome, int((found == outcome).sum())) for outcome in get_args(Outcome)]
    told = [f"{outcome} at {number}" for outcome, number in numbers if number]
    return value, f"{', '.join(told)} of {plural(len(found), 'train fraction')}"
