"""Gates on hand-made summaries: passing, failing and inconclusive."""

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from faults.invented import random_study, records_of, with_tables

from gnbbench.statistics.gates import Gate, gates, time_outcome
from gnbbench.statistics.schema import columns_of
from gnbbench.statistics.summarize import summarize, summarize_sweep
from gnbbench.statistics.summary import Summary

NAN = float("nan")
QUIET = {"floor_low": 0.99, "floor_high": 1.01}
RATIO = {"ratio": 1.0, "low": 0.95, "high": 1.05, **QUIET}
OPERATIONS = ("fit", "predict", "predict_proba")

Rows = list[tuple[str, str, dict[str, Any]]]


@pytest.mark.parametrize(
    ("measured", "outcome"),
    [
        ({"ratio": 1.2, "low": 1.1, "high": 1.3}, "pass"),
        ({"ratio": 2.0, "low": 1.9, "high": 2.1}, "fail"),
        ({"ratio": 1.4, "low": 1.3, "high": 1.6}, "inconclusive"),
        ({"ratio": 1.6, "low": 1.4, "high": 1.7}, "inconclusive"),
        # Bounds exactly at the limit: at most the limit is allowed.
        ({"ratio": 1.4, "low": 1.3, "high": 1.5}, "pass"),
        ({"ratio": 1.6, "low": 1.5, "high": 1.7}, "inconclusive"),
        ({"ratio": 1.6, "low": 1.5000001, "high": 1.7}, "fail"),
        # The interval is clear of the limit, but not by more than the noise.
        ({"ratio": 1.49, "low": 1.485, "high": 1.495}, "inconclusive"),
        ({"ratio": 1.51, "low": 1.505, "high": 1.515}, "inconclusive"),
        ({"ratio": 1.2, "low": 1.1, "high": 1.3, "floor_high": 1.3}, "inconclusive"),
        ({"ratio": 1.2, "low": 1.1, "high": 1.3, "floor_low": 0.7}, "inconclusive"),
        ({"ratio": 0.1, "low": 0.09, "high": 0.11, "floor_high": 1.3}, "pass"),
        ({"ratio": 4.0, "low": 3.9, "high": 4.1, "floor_low": 0.7}, "fail"),
        # Too wide an interval for any conclusion.
        ({"ratio": 4.0, "low": 2.0, "high": 8.1}, "inconclusive"),
        ({"ratio": 0.4, "low": 0.2, "high": 0.9}, "inconclusive"),
        # Too few rounds for an interval, of the ratio or of the noise.
        ({"ratio": 0.1, "low": NAN, "high": NAN}, "inconclusive"),
        ({"ratio": 0.1, "low": NAN, "high": 0.2}, "inconclusive"),
        ({"ratio": 9.0, "low": 8.0, "high": NAN}, "inconclusive"),
        ({"ratio": 0.1, "low": 0.1, "high": 0.1, "floor_low": NAN}, "inconclusive"),
        ({"ratio": 0.1, "low": 0.1, "high": 0.1, "floor_high": NAN}, "inconclusive"),
        # A clock too coarse to see any noise separates what is exactly at the limit.
        ({**dict.fromkeys(RATIO, 1.0), "ratio": 1.5, "low": 1.5, "high": 1.5}, "pass"),
    ],
)
def test_bounds_decide_and_noise_forbids(measured: dict[str, float], outcome: str) -> None:
    assert time_outcome({**QUIET, **measured}, 1.5) == outcome


def with_ratios(summary: Any, *rows: tuple[str, str, dict[str, Any]]) -> Any:
    """Return the summary with these ratios in the place of its own."""
    table = pd.DataFrame(
        [
            {**RATIO, **ends, "implementation": name, "operation": operation}
            for name, operation, ends in rows
        ],
        columns=columns_of("compare", "ratios"),
    )
    return with_tables(summary, ratios=table)


def timed(summary: Any, name: str = "numpy", **ends: Any) -> Any:
    """Return the summary with the same ratio for every operation."""
    return with_ratios(summary, *[(name, operation, ends) for operation in OPERATIONS])


def outcomes(found: tuple[Gate, ...]) -> dict[tuple[str, str], str]:
    return {(gate.implementation, gate.name): gate.outcome for gate in found}


@pytest.fixture(scope="module")
def same() -> Summary:
    """Make a study in which nothing differs or fails, and nothing was timed."""
    return summarize(records_of(random_study()))


def test_a_single_label_fails_only_the_implementation_it_is_of() -> None:
    study = random_study(changed={"numpy": 0.0, "other": 0.0})
    labels = {name: codes.copy() for name, codes in study.labels.items()}
    labels["other"][3, 7] = (labels["other"][3, 7] + 1) % 3

    found = gates(summarize(records_of(study, labels=labels)), same_labels=True)

    by_name = outcomes(found)
    assert by_name["numpy", "agreement"] == "pass"
    assert by_name["other", "agreement"] == "fail"
    assert "other against sklearn: labels differ in 1 of 20 runs." in found[-1].sentence


def test_a_failed_run_passes_no_gate() -> None:
    summary = summarize(records_of(random_study(), failed={"numpy": [4]}))
    headless = summarize(records_of(random_study(), failed={"sklearn": range(20)}))

    for asked in ({"same_labels": True}, {"slower_than": 1.5}):
        found = gates(timed(summary), **asked)
        runs = next(gate for gate in found if gate.outcome == "fail")
        assert (runs.implementation, runs.name) == ("numpy", "runs")
        assert "numpy failed in 1 of 20 runs" in runs.sentence
        assert "made to fail" in runs.sentence
    judged = outcomes(gates(headless, same_labels=True))
    assert judged["sklearn", "runs"] == judged["numpy", "agreement"] == "fail"


def test_every_operation_of_every_implementation_is_held_against_the_limit() -> None:
    summary = summarize(records_of(random_study(changed={"numpy": 0.0, "slow": 0.2})))
    slow = {"ratio": 3.0, "low": 2.9, "high": 3.1}
    rows: Rows = [(name, op, {}) for name in ("numpy", "slow") for op in OPERATIONS[:2]]
    rows += [("numpy", "predict_proba", {"high": 1.6}), ("slow", "predict_proba", slow)]

    found = gates(with_ratios(summary, *rows), slower_than=1.5)

    judged = outcomes(found)
    failed = [key for key, text in judged.items() if text == "fail"]
    assert failed == [("slow", "predict_proba time")]
    assert judged["numpy", "predict_proba time"] == "inconclusive"
    assert ("slow", "agreement") not in judged
    assert len(judged) == 3 + 2 * 3


def test_inconclusive_gates_show_numbers_and_advice(same: Summary) -> None:
    wide = gates(timed(same, ratio=9.0, low=4.1, high=19.0), slower_than=1.5)[-1]
    unknown = timed(same, low=NAN, high=NAN, floor_low=NAN, floor_high=NAN)

    found = gates(timed(same, ratio=1.4, low=1.3, high=1.6), slower_than=1.5)[-1]
    without = gates(unknown, slower_than=1.5)[-1]

    for words in (
        "predict_proba: numpy is 1.4× slower (1.3 to 1.6) than sklearn",
        "noise floor 0.990 to 1.010",
        "at most 1.5× slower is allowed, and the times do not decide",
        "Measure again (--remeasure)",
    ):
        assert words in found.sentence
    assert "\n" not in found.sentence
    assert wide.outcome == "inconclusive"
    assert "and an interval wider than a factor of 4 decides nothing. M" in wide.sentence
    assert without.outcome == "inconclusive"
    assert "nan" not in without.sentence
    assert "1.0000× slower than sklearn (noise floor unknown)" in without.sentence


def test_untimed_operations_do_not_pass(same: Summary) -> None:
    outcomes = gates(same, slower_than=1.5)

    assert [gate.outcome for gate in outcomes[2:]] == ["fail"] * 3
    assert "fit of numpy has no time to judge. Nothing was timed." in outcomes[2].sentence


@pytest.mark.parametrize(
    ("who", "outcome"),
    [("numpy", "not applicable"), ("sklearn", "not applicable"), ("numpy 2", "fail")],
)
def test_own_lack_of_probabilities_excuses(same: Summary, who: str, outcome: str) -> None:
    reason = {who: "predict_proba is not offered"}
    rows: Rows = [("numpy", operation, {}) for operation in ("fit", "predict")]

    summary = with_ratios(same, *rows)
    details = {**summary.details, "untimed": reason}
    outcomes = gates(replace(summary, details=details), slower_than=1.5)

    assert outcomes[-1].outcome == outcome
    is_excuse = outcomes[-1].sentence == f"{who} offers no predict_proba."
    assert is_excuse == (outcome != "fail")


def sweep_of(study: Any) -> Any:
    """Return the summary of a sweep with a possible and an impossible fraction."""
    there = records_of(study)
    tables = {
        name: value.iloc[:0]
        for name, value in vars(there).items()
        if isinstance(value, pd.DataFrame)
    }
    no_split = {"status": "error", "message": "no split: too few", "n_train": 0}
    tables["runs"] = there.runs.assign(**no_split, n_test=0)
    there = replace(there, plan={**there.plan, "study": "sweep-split"})
    return summarize_sweep({0.5: there, 0.9: replace(there, **tables)})


@pytest.mark.slow
def test_a_sweep_is_judged_over_all_fractions_that_have_splits() -> None:
    alike = sweep_of(random_study())
    unlike = sweep_of(random_study(changed={"numpy": 0.2}))

    passed, failed = (gates(one, same_labels=True) for one in (alike, unlike))

    assert {gate.outcome for gate in passed} == {"pass"}
    assert outcomes(failed)["numpy", "agreement"] == "fail"
    assert "labels differ in 20 of 20 runs" in failed[-1].sentence


@pytest.mark.parametrize(
    ("speed", "words"),
    [
        ("not separated", "numpy is not distinguishable from sklearn (ratio 0.980 to 1.05"),
        ("too noisy", "numpy is too noisy to compare with sklearn (ratio 0.980 to 1.050; "),
    ],
)
def test_a_gate_names_no_factor_not_shown(speed: str, words: str, same: Summary) -> None:
    found = gates(timed(same, ratio=1.02, low=0.98, high=1.05, speed=speed), slower_than=2)

    assert words in found[-1].sentence
    assert "slower (" not in found[-1].sentence
