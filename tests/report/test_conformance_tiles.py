"""The four tiles under the headline of conformance."""

from collections.abc import Callable

from gnbbench.report.conformance_summary import ConformanceSummary
from gnbbench.report.conformance_tiles import conformance_tiles

Give = Callable[..., ConformanceSummary]


def facts(summary: ConformanceSummary) -> dict[str, tuple[str, str]]:
    """Return value and detail of each tile by its title."""
    return {
        tile.title: (
            tile.facts[0].value.replace("\N{NO-BREAK SPACE}", " "),
            tile.facts[0].detail,
        )
        for tile in conformance_tiles(summary)
    }


def test_one_implementation_has_passed_failed_not_applicable_and_slowest(
    conformance_of: Give,
) -> None:
    found = facts(conformance_of("faulty", expected=("offsets-1",)))

    assert found["Passed"] == ("7 / 11", "of the checks that apply")
    assert found["Failed"] == (
        "4",
        "2 wrong, 1 crashed and 1 out of time; 1 expected",
    )
    assert found["Not applicable"][0] == "1"
    assert found["Slowest check"] == ("120 ms", "weights-3")


def test_no_failure_is_said_so(conformance_of: Give) -> None:
    assert facts(conformance_of("perfect"))["Failed"] == ("0", "no check")


def test_a_scoreboard_has_the_best_the_hardest_and_the_slowest(
    conformance_of: Give,
) -> None:
    found = facts(conformance_of("faulty", "perfect", "partial"))

    assert found["Pass every check that applies"] == ("2 of 3", "perfect and partial")
    assert found["Most checks passed"] == ("12", "of 12: perfect")
    assert found["Failed by most"] == ("1 of 3", "offsets-1")
    assert found["Slowest check"][1] == "weights-3, perfect"


def test_a_scoreboard_without_failures_has_no_hardest(conformance_of: Give) -> None:
    assert facts(conformance_of("perfect", "partial"))["Failed by most"] == ("0 of 2", "–")


def test_every_summary_has_four_tiles(any_conformance: ConformanceSummary) -> None:
    tiles = conformance_tiles(any_conformance)

    assert len(tiles) == 4
    assert all(len(tile.facts) == 1 and tile.facts[0].value for tile in tiles)
