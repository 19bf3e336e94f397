"""A sweep says of each fraction what a compare study at that fraction says."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from gnbbench.records import Records
from gnbbench.statistics import summarize, summarize_sweep
from gnbbench.statistics.summary import Summary

MakeSweep = Callable[..., dict[float, Records]]
Make = Callable[..., Any]
MakeRecords = Callable[..., Records]

few = settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.fixture(scope="module")
def complete_records(random_study: Make, records_of: MakeRecords) -> dict[float, Records]:
    """Give records with every table, at three fractions of 150 samples."""
    found = {}
    for seed, n_test in enumerate((90, 60, 30)):
        study = random_study(
            changed={"numpy": 0.0, "textbook": 0.03}, n_runs=12, n_test=n_test, seed=seed
        )
        records = records_of(study, failed={"textbook": [4]})
        found[1 - n_test / 150] = replace(
            records,
            plan={**records.plan, "study": "sweep-split"},
            runs=records.runs.assign(smallest_class=5),
            timing_notes=None,
        )
    return found


def _at(table: pd.DataFrame, fraction: float) -> pd.DataFrame:
    own = table[table["fraction"] == fraction]
    return own.drop(columns="fraction").reset_index(drop=True)


def _compare(records: Records) -> Summary:
    notes = {"regime": "", "warnings": [], "skipped": {}, "cold_seconds": {}}
    plan = {**records.plan, "study": "compare"}
    return summarize(replace(records, plan=plan, timing_notes=notes))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        *("agreement", "metrics", "label_pairs", "probability_differences"),
        *("disputed_rows", "class_scores", "confusion", "reliability"),
    ],
)
def test_every_point_says_what_a_compare_study_there_says(
    complete_records: Mapping[float, Records], name: str
) -> None:
    sweep = summarize_sweep(complete_records)

    for fraction, records in complete_records.items():
        expected, own = _compare(records).table(name), _at(sweep.table(name), fraction)
        if name == "metrics":
            own = own[own["metric"] != "gap"].reset_index(drop=True)
        columns = list(expected.columns)
        assert_frame_equal(own[columns], expected, check_exact=True)


@pytest.mark.slow
def test_differences_are_those_of_a_compare_study_but_for_holm(
    complete_records: Mapping[float, Records],
) -> None:
    sweep = summarize_sweep(complete_records)

    for fraction, records in complete_records.items():
        expected, own = _compare(records).differences, _at(sweep.differences, fraction)
        columns = ["implementation", "metric", "runs", "mean", "low", "high"]
        assert_frame_equal(own[columns], expected[columns], check_exact=True)
        assert (own["p"].dropna() >= expected["p"].dropna()).all()


def test_a_changed_record_is_no_longer_that_of_the_compare_study(
    complete_records: Mapping[float, Records],
) -> None:
    """Negative control of the two tests above."""
    fraction, records = next(iter(complete_records.items()))
    values = records.runs["test_accuracy"].to_numpy(copy=True)
    values[0] -= 0.01
    runs = records.runs.assign(test_accuracy=values)
    changed = {**complete_records, fraction: replace(records, runs=runs)}

    own = _at(summarize_sweep(changed).metrics, fraction)

    accuracy = own.loc[own["metric"] == "test_accuracy", "mean"].iloc[0]
    expected = _compare(records).metrics.query("metric == 'test_accuracy'")["mean"]
    assert accuracy != expected.iloc[0]


def test_identical_code_is_found_identical(sweep_of: Callable[[str], Summary]) -> None:
    summary = sweep_of("identical")

    assert summary.headline == "Identical: all 360 runs match entirely."
    assert summary.fractions == tuple(round(k / 10, 1) for k in range(1, 10))
    assert (summary.n_runs, summary.study) == (40, "sweep-split")


def test_one_changed_label_is_no_longer_identical(sweep_records: MakeSweep) -> None:
    """Negative control of the test above."""
    made = sweep_records("identical")
    pairs = made[0.5].pairs.copy()
    pairs.loc[3, "disagreements"] = 1
    made[0.5] = replace(made[0.5], pairs=pairs)

    (verdict,) = summarize_sweep(made).verdicts

    assert verdict.outcome != "identical"
    assert verdict.sentence.startswith("99.7 % of 360 runs match entirely")


@pytest.mark.slow
@few
@given(seed=st.integers(0, 1000))
def test_order_of_fractions_and_rows_changes_nothing(
    sweep_records: MakeSweep, seed: int
) -> None:
    made = sweep_records("several", n_runs=4)
    rng = np.random.default_rng(seed)
    order = [float(fraction) for fraction in rng.permutation(list(made))]
    shuffled = {
        fraction: replace(
            made[fraction],
            runs=made[fraction].runs.sample(frac=1, random_state=seed, ignore_index=True),
            pairs=made[fraction].pairs.sample(frac=1, random_state=seed, ignore_index=True),
        )
        for fraction in order
    }

    left, right = summarize_sweep(shuffled), summarize_sweep(made)

    assert (left.verdicts, left.warnings) == (right.verdicts, right.warnings)
    for name, table in left.tables.items():
        assert_frame_equal(table, right.tables[name])


def test_runs_stand_by_fraction_run_and_implementation(
    sweep_of: Callable[[str], Summary],
) -> None:
    runs = sweep_of("several").runs

    assert list(runs.columns[:3]) == ["fraction", "run", "implementation"]
    assert len(runs) == 10 * 40 * 5
    assert runs["implementation"].tolist()[:2] == ["sklearn", "numpy"]
    assert runs["fraction"].is_monotonic_increasing
    assert runs["test_accuracy"].dtype == np.float64


def test_times_are_those_of_the_fraction_that_has_them(
    sweep_of: Callable[[str], Summary],
) -> None:
    summary = sweep_of("density")

    assert summary.timing_regime == "Warm."
    assert set(summary.ratios["operation"]) == {"fit", "predict", "predict_proba"}


def test_a_sweep_without_times_says_so(sweep_of: Callable[[str], Summary]) -> None:
    summary = sweep_of("labels_only")

    assert summary.timing.empty
    assert summary.timing_regime == "Nothing was timed."


def test_times_at_two_fractions_are_refused(sweep_records: MakeSweep) -> None:
    made = sweep_records("identical")
    timed = made[0.9]
    made[0.5] = replace(made[0.5], timings=timed.timings, timing_notes=timed.timing_notes)

    with pytest.raises(ValueError, match="2 train fractions"):
        summarize_sweep(made)


def test_nothing_to_summarize_is_an_error(sweep_records: MakeSweep) -> None:
    made = sweep_records("identical")
    made[0.5] = replace(made[0.5], runs=made[0.5].runs.head(0))

    with pytest.raises(ValueError, match=r"no run at train fraction 0\.5"):
        summarize_sweep(made)
    with pytest.raises(ValueError, match="no run at any"):
        summarize_sweep({})


def _cpu_seconds(made: Mapping[float, Records]) -> float:
    durations = []
    for _ in range(3):
        start = time.process_time()
        summarize_sweep(made)
        durations.append(time.process_time() - start)
    return min(durations)


@pytest.mark.slow
def test_a_hundred_times_the_runs_cost_less_than_twice_the_time(
    sweep_records: MakeSweep,
) -> None:
    few_runs, many_runs = (sweep_records("density", n_runs=n) for n in (10, 1000))

    assert _cpu_seconds(many_runs) < 2 * _cpu_seconds(few_runs)
