"""The tiles of the page of the assumptions."""

from collections.abc import Callable
from dataclasses import replace

from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.report.assumptions_tiles import assumptions_tiles

Give = Callable[[str], AssumptionsSummary]


def test_tiles_have_the_worst_and_the_costs(assumptions_of: Give) -> None:
    facts = [tile.facts[0] for tile in assumptions_tiles(assumptions_of("iris"))]

    assert [fact.value for fact in facts] == [
        "0.86",
        "0.891",
        "−0.11\N{NO-BREAK SPACE}nats",
        "+0.01\N{NO-BREAK SPACE}nats",
    ]
    assert facts[2].detail == "minus GNB, 95 % interval −0.23 to 0.02; cannot tell"
    assert facts[0].implementation == "virginica"


def test_the_chosen_correlation_is_told(assumptions_of: Give) -> None:
    summary = replace(assumptions_of("iris"), correlation="spearman")

    assert assumptions_tiles(summary)[0].facts[0].value == "0.82"


def test_what_there_is_no_number_for_is_said(assumptions_of: Give) -> None:
    facts = [tile.facts[0] for tile in assumptions_tiles(assumptions_of("constant"))]

    assert [fact.value for fact in facts[:3]] == ["–", "–", "–"]
    assert facts[2].detail == "no run to compare"
