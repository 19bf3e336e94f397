"""A sweep says of each fraction what a compare study at that fraction says."""

import time
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from gnbbench.records import Records
from gnbbench.statistics import summarize, summarize_sweep
from gnbbench.statistics.sweep_summary import SweepSummary

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
        runs = records.runs.assign(smallest_class=5)
        found[1 - n_test / 150] = replace(records, runs=runs, timing_notes=None)
    return found


def _tables(value: Any) -> dict[str, pd.DataFrame]:
    found = {field.name: getattr(value, field.name) for field in fields(value)}
    return {name: table for name, table in found.items() if isinstance(table, pd.DataFrame)}


def _at(table: pd.DataFrame, fraction: float) -> pd.DataFrame:
    own = table[table["fraction"] == fraction]
    return own.drop(columns="fraction").reset_index(drop=True)


def _compare(records: Records) -> Any:
    notes = {"regime": "", "warnings": [], "skipped": {}, "cold_seconds": {}}
    return summarize(replace(records, timing_notes=notes))


@pytest.mark.slow
def test_accuracies_are_those_of_a_compare_study(
    complete_records: Mapping[float, Records],
) -> None:
    sweep = summarize_sweep(complete_records)

    for fraction, records in complete_records.items():
        expected = _compare(records).metrics
        for metric in ("train_accuracy", "test_accuracy"):
            own = _at(sweep.accuracy, fraction)
            columns = ["implementation", "mean", "spread", "low", "high", "runs"]
            assert_frame_equal(
                own.loc[own["metric"] == metric, columns].reset_index(drop=True),
                expected.loc[expected["metric"] == metric, columns].reset_index(drop=True),
                check_exact=True,
            )


@pytest.mark.slow
def test_differences_are_those_of_a_compare_study_but_for_holm(
    complete_records: Mapping[float, Records],
) -> None:
    sweep = summarize_sweep(complete_records)

    for fraction, records in complete_records.items():
        expected = _compare(records).differences
        expected = expected[expected["metric"] == "test_accuracy"].reset_index(drop=True)
        columns = ["implementation", "mean", "low", "high"]
        own = _at(sweep.differences, fraction)
        assert_frame_equal(own[columns], expected[columns], check_exact=True)
        assert (own["p"].dropna() >= expected["p"].dropna()).all()


@pytest.mark.slow
def test_agreement_is_that_of_a_compare_study(
    complete_records: Mapping[float, Records],
) -> None:
    sweep = summarize_sweep(complete_records)

    for fraction, records in complete_records.items():
        expected, own = _compare(records).agreement, _at(sweep.agreement, fraction)
        for column in ("exact_runs", "compared_runs", "max_probability_difference"):
            assert own[column].tolist() == expected[column].tolist()
        total = own["mismatches_mean"] * own["compared_runs"]
        assert total.tolist() == pytest.approx(expected["disagreements"].tolist())


def test_a_changed_record_is_no_longer_that_of_the_compare_study(
    complete_records: Mapping[float, Records],
) -> None:
    """Negative control of the three tests above."""
    fraction, records = next(iter(complete_records.items()))
    values = records.runs["test_accuracy"].to_numpy(copy=True)
    values[0] -= 0.01
    runs = records.runs.assign(test_accuracy=values)
    changed = {**complete_records, fraction: replace(records, runs=runs)}

    own = _at(summarize_sweep(changed).accuracy, fraction)

    expected = _compare(records).metrics
    mine = own.loc[own["metric"] == "test_accuracy", "mean"]
    assert (
        mine.iloc[0] != expected.loc[expected["metric"] == "test_accuracy", "mean"].iloc[0]
    )


def test_identical_code_is_found_identical(sweep_of: Callable[[str], SweepSummary]) -> None:
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
    for name, table in _tables(left).items():
        assert_frame_equal(table, _tables(right)[name])


def test_runs_stand_by_fraction_run_and_implementation(
    sweep_of: Callable[[str], SweepSummary],
) -> None:
    runs = sweep_of("several").runs

    assert list(runs.columns[:3]) == ["fraction", "run", "implementation"]
    assert len(runs) == 10 * 40 * 5
    assert runs["implementation"].tolist()[:2] == ["sklearn", "numpy"]
    assert runs["fraction"].is_monotonic_increasing
    assert runs["test_accuracy"].dtype == np.float64


def test_times_are_those_of_the_fraction_that_has_them(
    sweep_of: Callable[[str], SweepSummary],
) -> None:
    summary = sweep_of("density")

    assert summary.timing_regime == "Warm."
    assert set(summary.ratios["operation"]) == {"fit", "predict", "predict_proba"}


def test_a_sweep_without_times_says_so(sweep_of: Callable[[str], SweepSummary]) -> None:
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


@pytest.mark.slow
def test_nine_thousand_runs_take_less_than_half_a_second(sweep_records: MakeSweep) -> None:
    made = sweep_records("density", n_runs=1000)

    durations = []
    for _ in range(3):
        start = time.process_time()
        summarize_sweep(made)
        durations.append(time.process_time() - start)

    assert min(durations) < 0.5
