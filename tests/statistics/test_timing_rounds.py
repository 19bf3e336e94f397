"""Rounds of several processes in tables and remarks."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnbbench.records import NULL_COMPETITOR
from gnbbench.statistics.timing import (
    TimingSummary,
    round_counts,
    summarize_timings,
    timing_rounds,
)

BASIC: dict[str, Any] = {"regime": "", "warnings": [], "skipped": {}, "cold_seconds": {}}


def notes(*rounds: int, **further: Any) -> dict[str, Any]:
    return {
        **BASIC,
        "processes": [
            {
                "rounds": {"fit": n},
                "inner_counts": {"fit": 2 + place},
                "is_precise": {"fit": True},
            }
            for place, n in enumerate(rounds)
        ],
        **further,
    }


def table(factors: list[float]) -> pd.DataFrame:
    """Return times of three rounds around one second a process, in two competitors."""
    rng = np.random.default_rng(0)
    rows = []
    for process, factor in enumerate(factors):
        for place in range(8):
            for name, times in (("a", 1.0), ("b", factor), (NULL_COMPETITOR, 1.0)):
                seconds = times * np.exp(0.001 * rng.normal())
                rows.append(("fit", name, 8 * process + place, 0, seconds))
    columns = ["operation", "implementation", "round", "position", "seconds"]
    return pd.DataFrame(rows, columns=columns)


def summarized(factors: list[float], given: dict[str, Any]) -> TimingSummary:
    return summarize_timings(table(factors), given, reference="a", competitors=["b"])


def test_every_timing_has_its_process_and_its_calls() -> None:
    found = timing_rounds(table([2.0, 3.0]), notes(8, 8))

    assert set(found["implementation"]) == {"a", "b"}
    assert found.groupby("process")["round"].agg(["min", "max"]).to_numpy().tolist() == [
        [0, 7],
        [8, 15],
    ]
    assert found.groupby("process")["loops"].unique().map(list).tolist() == [[2], [3]]


def test_notes_of_an_earlier_version_are_of_one_process() -> None:
    found = timing_rounds(table([2.0]), BASIC)

    assert set(found["process"]) == {0}
    assert set(found["loops"]) == {1}
    assert summarized([2.0], BASIC).ratios["processes"].tolist() == [1]


def test_rounds_that_no_process_noted_are_refused() -> None:
    with pytest.raises(ValueError, match=r"16 rounds, and its processes noted \[8, 9\]"):
        round_counts(notes(8, 9), "fit", 16)


def test_medians_and_ratios_are_those_of_the_processes() -> None:
    found = summarized([2.0, 2.2, 3.0], notes(8, 8, 8))

    times = found.timing.set_index("implementation")["median_seconds"]
    assert times["b"] == pytest.approx(2.2, rel=0.01)
    (ratio,) = found.ratios.to_dict("records")
    assert ratio["ratio"] == pytest.approx(2.2, rel=0.01)
    assert ratio["process_low"] == pytest.approx(2.0, rel=0.01)
    assert ratio["process_high"] == pytest.approx(3.0, rel=0.01)
    assert ratio["speed"] == "slower"


def test_processes_on_both_sides_of_1_are_not_separated() -> None:
    """Pooled, all but eight of forty rounds say "slower"."""
    found = summarized([1.1, 1.1, 1.1, 1.1, 0.9], notes(8, 8, 8, 8, 8))

    assert found.ratios["speed"].item() == "not separated"
    pooled = summarized([1.1, 1.1, 1.1, 1.1, 0.9], BASIC)
    assert pooled.ratios["speed"].item() == "slower"


@pytest.mark.parametrize(
    ("factors", "is_precise", "words"),
    [
        ([2.0, 2.0], [True, True], None),
        ([2.0, 2.2], [True, True], "reached since processes differ by more than their"),
        ([2.0, 2.2], [True, False], "reached within its share of the 30 s."),
    ],
)
def test_a_precision_that_was_not_reached_is_told(
    factors: list[float], is_precise: list[bool], words: str | None
) -> None:
    given = notes(8, 8, plan={"precision": 0.01, "budget_seconds": 30.0})
    for part, reached in zip(given["processes"], is_precise, strict=True):
        part["is_precise"]["fit"] = reached

    told = [text for text in summarized(factors, given).warnings if "precision" in text]

    if words is None:
        assert told == []
    else:
        assert told[0].startswith("fit: a precision of 1 % was asked for, and 4.8 % was")
        assert words in told[0]


def test_too_few_rounds_for_an_interval_are_told() -> None:
    given = {**BASIC, "plan": {"precision": 0.01, "budget_seconds": 1.0}}
    few = table([2.0]).query("round < 5")

    found = summarize_timings(few, given, reference="a", competitors=["b"])

    assert any("there were too few rounds for any" in text for text in found.warnings)
