"""Tables, words and warnings of timing, on times made by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnbbench.records import NULL_COMPETITOR, TABLES
from gnbbench.statistics import timing
from gnbbench.statistics.intervals import PairedRatio

# Twelve rounds around one second whose order has no trend.
WOBBLE = np.array([0.0, 0.3, -0.2, 0.1, -0.3, 0.2, -0.1, 0.25, -0.25, 0.15, -0.15, 0.0])
OTHER_WOBBLE = np.array([0.1, -0.3, 0.2, 0, 0.3, -0.1, -0.2, 0.15, -0.25, 0.2, -0.1, 0.05])
REFERENCE = 1.0 + 0.01 * WOBBLE
NULL = 1.0 + 0.01 * OTHER_WOBBLE

NOTES: dict[str, Any] = {
    "regime": "Warm.",
    "warnings": [],
    "skipped": {},
    "cold_seconds": {"fit": {"sklearn": 7.0, "numpy": 5.0}},
}


def times(operation: str, seconds: dict[str, np.ndarray]) -> pd.DataFrame:
    rows = [
        (operation, name, number, 0, one)
        for name, values in seconds.items()
        for number, one in enumerate(values.tolist())
    ]
    return pd.DataFrame(rows, columns=list(TABLES["timings"]))


def summarized(
    seconds: dict[str, np.ndarray], notes: dict[str, Any] | None = None
) -> timing.TimingSummary:
    competitors = [name for name in seconds if name not in {"sklearn", NULL_COMPETITOR}]
    return timing.summarize_timings(
        times("fit", seconds), {**NOTES, **(notes or {})}, ["sklearn", *competitors]
    )


def against(numpy: np.ndarray, null: np.ndarray = NULL) -> pd.Series:
    """Return the one row of ratios of a competitor with these times."""
    seconds = {"sklearn": REFERENCE, "numpy": numpy, NULL_COMPETITOR: null}
    return summarized(seconds).tables["ratios"].iloc[0]


def test_times_are_described_by_implementation_without_the_null_run() -> None:
    numpy = np.array([1.0, 2.0, 3.0, 4.0, 10.0, 4.0])

    summary = summarized({"sklearn": numpy * 2, "numpy": numpy, NULL_COMPETITOR: numpy * 2})

    assert summary.tables["timing"]["implementation"].tolist() == ["sklearn", "numpy"]
    row = summary.tables["timing"].iloc[1]
    assert (row["median_seconds"], row["cold_seconds"], row["rounds"]) == (3.5, 5.0, 6)


def test_the_ratio_is_paired_within_rounds() -> None:
    common = np.exp(np.linspace(0.0, 3.0, 12))

    seconds = {"sklearn": REFERENCE, "numpy": 0.5 * REFERENCE, NULL_COMPETITOR: NULL}
    drifting = {name: common * values for name, values in seconds.items()}

    found = summarized(drifting).tables["ratios"].iloc[0]

    assert found[["ratio", "low", "high"]].tolist() == pytest.approx([0.5] * 3)
    assert found["speed"] == "faster"


def test_per_process_effects_are_in_the_floor_unless_processes_show_them() -> None:
    null = PairedRatio(1.0, 0.99, 1.03, outliers=0, ties=0, autocorrelation=0.0)

    floors = [timing.noise_floor(null, n) for n in (1, 2, 5, 6)]

    assert [floor.low * floor.high for floor in floors[:3]] == pytest.approx([1.0] * 3)
    highs = [floor.high for floor in floors]
    assert highs == sorted(highs, reverse=True)
    assert floors[0].high == pytest.approx(np.exp(np.hypot(np.log(1.03), 1.96 * 0.018)))
    assert floors[3] == null
    assert np.isnan(timing.noise_floor(replace(null, low=np.nan, high=np.nan), 1).high)


@pytest.mark.parametrize(
    ("ratio", "low", "high", "floor", "word"),
    [
        (0.90, 0.85, 0.95, (0.99, 1.01), "faster"),
        (1.10, 1.05, 1.15, (0.99, 1.01), "slower"),
        (1.10, 0.99, 1.25, (0.99, 1.01), "not separated"),
        (1.10, 1.00, 1.25, (0.99, 1.01), "not separated"),
        (0.95, 0.94, 0.96, (0.90, 1.01), "not separated"),
        (0.95, 0.94, 0.96, (1.02, 1.09), "not separated"),
        (0.90, 0.85, 0.95, (np.nan, np.nan), "not separated"),
        (0.50, np.nan, np.nan, (0.99, 1.01), "not separated"),
        (9.00, 3.00, 12.0, (0.99, 1.01), "slower"),
        (9.00, 3.00, 12.1, (0.99, 1.01), "too noisy"),
        (0.05, 0.02, 0.09, (0.99, 1.01), "too noisy"),
    ],
)
def test_speed_by_interval_and_floor(
    ratio: float, low: float, high: float, floor: tuple[float, float], word: str
) -> None:
    paired = PairedRatio(ratio, low, high, outliers=0, ties=0, autocorrelation=0.0)
    null = PairedRatio(1.0, *floor, outliers=0, ties=0, autocorrelation=0.0)

    assert timing.speed(paired, null) == word


@pytest.mark.parametrize("rounds", [1, 5])
def test_too_few_rounds_give_a_ratio_without_bounds(rounds: int) -> None:
    few = slice(0, rounds)

    of_all = {"sklearn": REFERENCE, "numpy": 0.5 * NULL, NULL_COMPETITOR: NULL}
    summary = summarized({name: times[few] for name, times in of_all.items()})

    row = summary.tables["ratios"].iloc[0]
    assert row["ratio"] == pytest.approx(0.5, rel=0.01)
    assert np.isnan(row[["low", "high", "floor_low", "floor_high"]].astype(float)).all()
    assert row["speed"] == "not separated"
    table = summary.tables["timing"]
    assert table["standard_deviation_seconds"].isna().all() == (rounds == 1)
    assert table["rounds"].tolist() == [rounds] * 2


@pytest.mark.parametrize("there", ["sklearn", "numpy"])
def test_without_times_of_both_there_is_a_reason_instead_of_a_ratio(there: str) -> None:
    summary = timing.summarize_timings(
        times("fit", {there: REFERENCE, NULL_COMPETITOR: NULL}),
        {**NOTES, "skipped": {"mine": "fit raised ValueError: no"}},
        ["sklearn", "numpy"],
    )

    assert summary.tables["timing"]["implementation"].tolist() == [there]
    assert summary.tables["ratios"].empty
    reason = "mine was not timed in every operation: fit raised ValueError: no."
    assert summary.warnings == (reason,)


def test_operations_come_in_their_own_order_and_rows_in_any() -> None:
    seconds = {"sklearn": REFERENCE, "numpy": 0.5 * NULL, NULL_COMPETITOR: NULL}
    rows = pd.concat([times("predict", seconds), times("fit", seconds)], ignore_index=True)
    shuffled = rows.sample(frac=1.0, random_state=0).reset_index(drop=True)

    found, again = (
        timing.summarize_timings(table, NOTES, ["sklearn", "numpy"])
        for table in (rows, shuffled)
    )

    table = found.tables["timing"]
    assert table["operation"].tolist() == ["fit"] * 2 + ["predict"] * 2
    assert table["cold_seconds"].isna().tolist() == [False, False, True, True]
    pd.testing.assert_frame_equal(found.tables["timing"], again.tables["timing"])
    pd.testing.assert_frame_equal(found.tables["ratios"], again.tables["ratios"])


@pytest.mark.parametrize("fault", ["missing", "repeated", "zero"])
def test_incomplete_rounds_are_refused_and_not_dropped(fault: str) -> None:
    rows = times("fit", {"sklearn": REFERENCE, "numpy": NULL, NULL_COMPETITOR: NULL})
    broken = {
        "missing": rows.drop(index=15),
        "repeated": pd.concat([rows, rows.iloc[[15]]]),
        "zero": rows.assign(seconds=rows["seconds"].where(rows.index != 15, 0.0)),
    }[fault]

    with pytest.raises(ValueError, match=r"positive numbers|duplicate"):
        timing.summarize_timings(broken, NOTES, ["sklearn", "numpy"])


@pytest.mark.parametrize(
    ("null", "warnings", "sentences"),
    [
        (NULL, [], []),
        (1.05 * NULL, [], ["fit: the reference timed against itself came to 1.0"]),
        (1.05 * NULL, ["fit: x."], ["fit: x.", "fit: the reference timed against itself"]),
    ],
)
def test_a_null_run_that_excludes_1_is_reported_after_the_warnings(
    null: np.ndarray, warnings: list[str], sentences: list[str]
) -> None:
    seconds = {"sklearn": REFERENCE, "numpy": 0.5 * NULL, NULL_COMPETITOR: null}

    summary = summarized(seconds, {"warnings": warnings})

    assert summary.regime == "Warm."
    for warning, sentence in zip(summary.warnings, sentences, strict=True):
        assert warning.startswith(sentence)


def test_rounds_that_resemble_their_predecessors_are_reported() -> None:
    drifting = 0.5 * REFERENCE * np.linspace(1.0, 1.2, 12)

    summary = summarized({"sklearn": REFERENCE, "numpy": drifting, NULL_COMPETITOR: NULL})

    (sentence,) = summary.warnings
    assert "successive rounds of numpy resemble each other" in sentence
    assert sentence.endswith("; its interval is widened for that.")
    assert summary.tables["ratios"]["autocorrelation"].iloc[0] > 0.2


@pytest.mark.parametrize(
    ("null", "ratio", "text"),
    [
        ((0.95, 1.05), (1.0, 1.1), None),
        ((0.5, 1.05), (1.0, 1.0), 2.0),
        ((1.0, 1.2), (0.9, 0.9 * 16), 1.2 * 8),
        ((np.nan, np.nan), (0.9, 1.2), None),
    ],
)
def test_hidden_factors_exceed_floor_and_interval(
    null: tuple[float, float], ratio: tuple[float, float], text: float | None
) -> None:
    seen = timing.smallest_seen(
        PairedRatio(1.0, *ratio, outliers=0, ties=0, autocorrelation=0.0),
        PairedRatio(1.0, *null, outliers=0, ties=0, autocorrelation=0.0),
    )

    sentence = f"Noise may hide differences in time below {text}× for fit."
    assert timing.hidden_by_noise({"fit": seen}) == ([] if text is None else [sentence])


BASIC: dict[str, Any] = {"regime": "", "warnings": [], "skipped": {}, "cold_seconds": {}}


def notes(*rounds: int, **further: Any) -> dict[str, Any]:
    return {
        **BASIC,
        "processes": [
            {"rounds": {"fit": n}, "inner_counts": {"fit": 2 + place}}
            | {"is_precise": {"fit": True}}
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
    return pd.DataFrame(rows, columns=list(TABLES["timings"]))


def summarized_rounds(factors: list[float], given: dict[str, Any]) -> timing.TimingSummary:
    return timing.summarize_timings(table(factors), given, ["a", "b"])


def test_every_timing_has_its_process_and_its_calls() -> None:
    rounds = timing.timing_rounds(table([2.0, 3.0]), notes(8, 8))

    assert set(rounds["implementation"]) == {"a", "b"}
    ends = rounds.groupby("process")["round"].agg(["min", "max"])
    assert ends.to_numpy().tolist() == [[0, 7], [8, 15]]
    assert rounds.groupby("process")["loops"].unique().map(list).tolist() == [[2], [3]]


def test_notes_of_an_earlier_version_are_of_one_process() -> None:
    rounds = timing.timing_rounds(table([2.0]), BASIC)

    assert set(rounds["process"]) == {0}
    assert set(rounds["loops"]) == {1}
    assert summarized_rounds([2.0], BASIC).tables["ratios"]["processes"].tolist() == [1]


def test_medians_and_ratios_equal_those_of_the_processes() -> None:
    summary = summarized_rounds([2.0, 2.2, 3.0], notes(8, 8, 8))

    times = summary.tables["timing"].set_index("implementation")["median_seconds"]
    assert times["b"] == pytest.approx(2.2, rel=0.01)
    (ratio,) = summary.tables["ratios"].to_dict("records")
    assert ratio["ratio"] == pytest.approx(2.2, rel=0.01)
    assert ratio["process_low"] == pytest.approx(2.0, rel=0.01)
    assert ratio["process_high"] == pytest.approx(3.0, rel=0.01)
    assert ratio["speed"] == "slower"


def test_processes_on_both_sides_of_1_are_not_separated() -> None:
    """Negative control: pooled and mixed, all but eight of forty rounds say "slower"."""
    factors = [1.1, 1.1, 1.1, 1.1, 0.9]
    mixed = table(factors).assign(round=lambda rows: 7 * rows["round"] % 40)

    summary = summarized_rounds(factors, notes(8, 8, 8, 8, 8))
    pooled = timing.summarize_timings(mixed, BASIC, ["a", "b"])

    assert summary.tables["ratios"]["speed"].item() == "not separated"
    assert pooled.tables["ratios"]["speed"].item() == "slower"


@pytest.mark.parametrize(
    ("factors", "is_precise", "words"),
    [
        ([2.0, 2.0], [True, True], None),
        ([2.0, 2.2], [True, True], "reached since processes differ more than their"),
        ([2.0, 2.2], [True, False], "reached within its share of the 30 s."),
    ],
)
def test_a_precision_that_was_not_reached_is_reported(
    factors: list[float], is_precise: list[bool], words: str | None
) -> None:
    given = notes(8, 8, plan={"precision": 0.01, "budget_seconds": 30.0})
    for part, reached in zip(given["processes"], is_precise, strict=True):
        part["is_precise"]["fit"] = reached

    warnings = summarized_rounds(factors, given).warnings
    texts = [text for text in warnings if "precision" in text]

    if words is None:
        assert texts == []
    else:
        assert texts[0].startswith("fit: a precision of 1 % was requested, and 4.8 % was")
        assert words in texts[0]


QUIET: dict[str, Any] = {"rounds": 100, "switched_rounds": 10, "steal_seconds": 0.01}
QUIET |= {"elapsed_seconds": 1.0, "load": 2.0, "cores": 2}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, None),
        ({"switched_rounds": None, "steal_seconds": None, "load": None}, None),
        ({"switched_rounds": 11}, "other programs interrupted 11 of 100 rounds"),
        ({"steal_seconds": 0.04}, "other machines on the same host took 4 % of a core"),
        ({"load": 2.5}, "load 2.5 on 2 cores"),
    ],
)
def test_each_disturbance_is_named(changes: dict[str, Any], words: str | None) -> None:
    remarks = timing.disturbances([{"noise": {"fit": {**QUIET, **changes}}}])

    assert len(remarks) == (words is not None)
    assert all(text.startswith(f"Times were disturbed: {words}") for text in remarks)


def test_disturbances_of_several_operations_and_processes_are_one_sentence() -> None:
    fit = {**QUIET, "switched_rounds": 50, "load": 3.0}
    notes = [{"noise": {"fit": fit, "predict": QUIET}}, {"noise": {"fit": fit}}, {}]

    (remarks,) = timing.disturbances(notes)

    text = "load 3.0 on 2 cores; other programs interrupted 110 of 300 rounds"
    assert remarks == f"Times were disturbed: {text}."


def test_remarks_on_noise_of_an_earlier_version_are_not_repeated() -> None:
    old = ["fit: The machine's load was 5.", "fit: Only 10 rounds were timed."]

    assert timing.of_measurement({"warnings": old}) == old
    assert timing.of_measurement({"warnings": old, "noise": {}}) == old[1:]
