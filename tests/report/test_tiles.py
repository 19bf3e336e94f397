"""The four tiles."""

from collections.abc import Callable

from gnbbench.report.tiles import tiles
from gnbbench.statistics.summary import Summary

Give = Callable[[str], Summary]


def test_four_tiles_with_a_fact_per_competitor(any_summary: Summary) -> None:
    found = tiles(any_summary)

    assert len(found) == 4
    for tile in found:
        assert len(tile.facts) == len(any_summary.implementations) - 1
        assert all(fact.value and fact.detail for fact in tile.facts)


def test_identical_study_says_so_with_its_bound(summary_of: Give) -> None:
    agreement, accuracy, probability, speed = tiles(summary_of("usual"))

    assert agreement.facts[0].value == "100\N{NO-BREAK SPACE}%"
    assert agreement.facts[0].detail.startswith(
        "0 of 45,000 predictions differ; at most 2.1"
    )
    assert accuracy.facts[0].detail == "identical in every run"
    assert "machine epsilon" in probability.facts[0].detail
    assert speed.facts[0].value == "0.120 ×"
    assert "noise floor 0.985 to 1.012" in speed.facts[0].detail


def test_different_study_gives_the_difference_with_its_interval(summary_of: Give) -> None:
    accuracy = tiles(summary_of("different"))[1]

    assert accuracy.facts[0].detail.startswith("difference −0.0")
    assert " to " in accuracy.facts[0].detail


def test_what_is_not_there_is_a_dash(summary_of: Give) -> None:
    assert [tile.facts[0].value for tile in tiles(summary_of("failed"))] == ["–"] * 4


def test_equal_probabilities_are_said_to_be_so(summary_of: Give) -> None:
    assert tiles(summary_of("exact"))[2].facts[0].detail == "equal to the last bit"
