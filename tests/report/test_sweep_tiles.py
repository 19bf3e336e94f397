"""The four tiles of a sweep."""

from collections.abc import Callable

from gnbbench.report.sweep_tiles import sweep_tiles
from gnbbench.statistics.summary import Summary


def test_four_tiles_with_a_fact_per_competitor(any_sweep: Summary) -> None:
    found = sweep_tiles(any_sweep)

    assert len(found) == 4
    for tile in found:
        assert len(tile.facts) == len(any_sweep.implementations) - 1
        assert all(fact.value and fact.detail for fact in tile.facts)
        assert all("nan" not in fact.value + fact.detail for fact in tile.facts)


def test_identical_sweep_says_so(sweep_of: Callable[[str], Summary]) -> None:
    exact, mismatches, accuracy, speed = sweep_tiles(sweep_of("identical"))

    assert exact.facts[0].value == "100\N{NO-BREAK SPACE}%"
    assert exact.facts[0].detail == "360 of 360 runs"
    assert (mismatches.facts[0].value, mismatches.facts[0].detail) == (
        "0",
        "median 0, most 0",
    )
    assert accuracy.facts[0].detail == "identical at 9 of 9 train fractions"
    assert "noise floor" in speed.facts[0].detail


def test_fractions_without_a_split_are_not_judged(
    sweep_of: Callable[[str], Summary],
) -> None:
    accuracy = sweep_tiles(sweep_of("several"))[2]

    assert accuracy.facts[0].detail == "identical at 9 of 9 train fractions"
    assert accuracy.facts[3].detail == "failed at 9 of 9 train fractions"
