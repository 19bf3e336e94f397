"""The four tiles under the verdict: agreement, accuracy, probabilities, speed."""

import math

from gnbbench.report.blocks import Fact, Tile
from gnbbench.report.lookup import Lookup
from gnbbench.statistics.summary import Summary
from gnbbench.words import (
    DASH,
    EPSILON,
    bound_text,
    count,
    decimal,
    interval,
    share,
    short_names,
    significant,
    span,
)


def tiles(summary: Summary) -> tuple[Tile, ...]:
    """Facts of a compare study under four headings, one per competitor and heading."""
    names = short_names(summary.implementations, 28)
    reference = names[summary.reference]
    competitors = summary.implementations[1:]
    agreement = Lookup(summary.agreement, "implementation")
    metrics = Lookup(summary.metrics, "implementation", "metric")
    differences = Lookup(summary.differences, "implementation", "metric")
    ratios = Lookup(summary.ratios, "implementation", "operation")
    accuracy = metrics.number("mean", summary.reference, "test_accuracy")
    return (
        Tile(
            "Agreement",
            tuple(Fact(names[n], *_agreement(agreement, n)) for n in competitors),
        ),
        Tile(
            f"Test accuracy ({reference}: {decimal(accuracy)})",
            tuple(
                Fact(names[n], *_difference(metrics, differences, n)) for n in competitors
            ),
        ),
        Tile(
            "Largest probability difference",
            tuple(Fact(names[n], *_probability(agreement, n)) for n in competitors),
        ),
        Tile(
            f"Time of fit over that of {reference}",
            tuple(Fact(names[n], *speed_fact(ratios, n)) for n in competitors),
        ),
    )


def _agreement(agreement: Lookup, name: str) -> tuple[str, str]:
    predictions = agreement.number("predictions", name)
    if not predictions > 0:
        return DASH, "no labels to compare"
    differing = count(agreement.number("disagreements", name))
    detail = f"{differing} of {count(predictions)} predictions differ"
    bound = agreement.number("row_bound", name)
    if math.isfinite(bound):
        detail += f"; at most {bound_text(bound)} of rows could"
    return share(agreement.number("agreement", name)), detail


def _difference(metrics: Lookup, differences: Lookup, name: str) -> tuple[str, str]:
    value = decimal(metrics.number("mean", name, "test_accuracy"))
    if differences.text("outcome", name, "test_accuracy") == "identical":
        return value, "identical in every run"
    change = interval(*differences.triple("mean", name, "test_accuracy"), signed=True)
    return value, "no difference to tell" if change == DASH else f"difference {change}"


def _probability(agreement: Lookup, name: str) -> tuple[str, str]:
    largest = agreement.number("max_probability_difference", name)
    if math.isnan(largest):
        return DASH, "no probabilities to compare"
    if largest == 0:
        return "0", "equal to the last bit"
    epsilons = largest / EPSILON
    if epsilons < 1000:
        return significant(largest, 2), f"{significant(epsilons, 2)} × machine epsilon"
    mean = agreement.number("mean_probability_difference", name)
    return significant(largest, 2), f"mean {significant(mean, 2)}"


def speed_fact(ratios: Lookup, name: str) -> tuple[str, str]:
    """Ratio of the time of fit, and in words with its interval and noise floor."""
    ratio, low, high = ratios.triple("ratio", name, "fit")
    if math.isnan(ratio):
        return DASH, "not timed"
    floor = span(
        ratios.number("floor_low", name, "fit"), ratios.number("floor_high", name, "fit")
    )
    word = ratios.text("speed", name, "fit")
    return f"{significant(ratio)} ×", f"{word} ({span(low, high)}); noise floor {floor}"
