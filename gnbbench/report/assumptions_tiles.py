"""The four tiles under the verdicts: how far off each assumption is, and what it costs."""

import math

from gnbbench.assumptions.costs import GNB
from gnbbench.report.assumptions_choices import class_words, least_normal, ranked_pairs
from gnbbench.report.assumptions_sections import correlation_text
from gnbbench.report.assumptions_summary import WITHOUT, AssumptionsSummary
from gnbbench.report.blocks import Fact, Tile
from gnbbench.report.lookup import Lookup
from gnbbench.words import DASH, SPACE, decimal, printable, shorten

MOST_LETTERS = 30


def assumptions_tiles(summary: AssumptionsSummary) -> tuple[Tile, ...]:
    """Facts on the two assumptions under four headings."""
    return (
        Tile("Largest correlation in a class", (_correlation(summary),)),
        Tile("Lowest Q–Q correlation with a normal", (_quantiles(summary),)),
        Tile("Log loss without the naive assumption", (_cost(summary, "naive"),)),
        Tile("Log loss with the normal assumption eased", (_cost(summary, "normal"),)),
    )


def _correlation(summary: AssumptionsSummary) -> Fact:
    pairs = ranked_pairs(summary)
    if pairs.empty:
        return Fact("", DASH, "no two features that vary in a class")
    worst = pairs.iloc[0]
    names = [_short(worst[column]) for column in ("feature", "other_feature")]
    value = correlation_text(float(worst[summary.correlation]))
    return Fact(class_words(worst["class_name"]), value, " and ".join(names))


def _quantiles(summary: AssumptionsSummary) -> Fact:
    table = summary.findings.normality
    if table["qq_correlation"].isna().all():
        return Fact("", DASH, "no feature that varies in a class")
    worst = least_normal(table)
    value = decimal(float(worst["qq_correlation"]), 3)
    return Fact(class_words(worst["class_name"]), value, _short(worst["feature"]))


def _cost(summary: AssumptionsSummary, assumption: str) -> Fact:
    model = WITHOUT[assumption]
    changes = Lookup(summary.findings.differences, "implementation", "metric")
    value, low, high = changes.triple("mean", model, "log_loss")
    outcome = changes.text("outcome", model, "log_loss")
    if not changes.number("runs", model, "log_loss") > 0:
        return Fact(model, DASH, "no run to compare")
    sign = "+" if value > 0 else ""
    ends = f", 95 % interval {decimal(low, 2)} to {decimal(high, 2)}"
    detail = f"minus {GNB}{'' if math.isnan(low) else ends}; {outcome}"
    return Fact(model, f"{sign}{decimal(value, 2)}{SPACE}nats", detail)


def _short(name: str) -> str:
    return shorten(printable(name), MOST_LETTERS)
