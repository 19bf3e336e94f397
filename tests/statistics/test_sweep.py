"""A sweep says of each fraction what a compare study there says, and what only it has."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from faults.invented import random_study, records_of
from pandas.testing import assert_frame_equal
from scipy import stats

from gnbbench.records import Records
from gnbbench.statistics.intervals import holm
from gnbbench.statistics.metrics import impossible_runs
from gnbbench.statistics.summarize import summarize, summarize_sweep
from gnbbench.statistics.summary import Summary

MakeSweep = Callable[..., dict[float, Records]]


@pytest.fixture(scope="module")
def complete_records() -> dict[float, Records]:
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


@pytest.fixture(scope="module")
def both(complete_records: Mapping[float, Records]) -> tuple[Summary, dict[float, Summary]]:
    """Give the sweep, and what a compare study says at each of its fractions."""
    alone = {fraction: _compare(records) for fraction, records in complete_records.items()}
    return summarize_sweep(complete_records), alone


def _compare(records: Records) -> Summary:
    notes = {"regime": "", "warnings": [], "skipped": {}, "cold_seconds": {}}
    plan = {**records.plan, "study": "compare"}
    return summarize(replace(records, plan=plan, timing_notes=notes))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        *("agreement", "metrics", "label_pairs", "probability_differences"),
        *("disputed_rows", "class_scores", "confusion", "reliability", "differences"),
    ],
)
def test_every_point_says_what_a_compare_study_there_says(
    both: tuple[Summary, dict[float, Summary]], name: str
) -> None:
    sweep, alone = both

    for fraction, compared in alone.items():
        expected, own = compared.table(name), _at(sweep.table(name), fraction)
        if name == "metrics":
            own = own[own["metric"] != "gap"].reset_index(drop=True)
        if name == "differences":  # corrected by Holm over all fractions
            assert (own["p"].dropna() >= expected["p"].dropna()).all()
            expected = expected.drop(columns=["p", "outcome"])
        assert_frame_equal(own[list(expected)], expected, check_exact=True)


def test_a_changed_record_is_no_longer_that_of_the_compare_study(
    complete_records: Mapping[float, Records],
) -> None:
    """Negative control of the test above."""
    fraction, records = next(iter(complete_records.items()))
    values = records.runs["test_accuracy"].to_numpy(copy=True)
    values[0] -= 0.01
    runs = records.runs.assign(test_accuracy=values)
    changed = {**complete_records, fraction: replace(records, runs=runs)}

    own = _at(summarize_sweep(changed).metrics, fraction)

    accuracy = own.loc[own["metric"] == "test_accuracy", "mean"].iloc[0]
    expected = _compare(records).metrics.query("metric == 'test_accuracy'")["mean"]
    assert accuracy != expected.iloc[0]


@pytest.mark.slow
def test_one_changed_label_is_no_longer_identical(sweep_records: MakeSweep) -> None:
    """Negative control: all others are identical."""
    made = sweep_records("identical")
    pairs = made[0.5].pairs.copy()
    pairs.loc[3, "disagreements"] = 1
    made[0.5] = replace(made[0.5], pairs=pairs)

    (verdict,) = summarize_sweep(made).verdicts

    assert verdict.outcome != "identical"
    assert verdict.sentence.startswith("Not identical: 1 of 32,200 labels differs")
    assert verdict.detail == ""


@pytest.mark.slow
def test_order_of_fractions_and_rows_changes_nothing(sweep_records: MakeSweep) -> None:
    made = sweep_records("several", n_runs=4, fractions=(0.01, 0.3, 0.6, 0.9))
    right = summarize_sweep(made)
    order = np.random.default_rng(3).permutation(list(made)).tolist()
    mixed: dict[str, Any] = {"frac": 1, "random_state": 3, "ignore_index": True}
    shuffled = {
        fraction: replace(
            made[fraction],
            runs=made[fraction].runs.sample(**mixed),
            pairs=made[fraction].pairs.sample(**mixed),
        )
        for fraction in order
    }

    left = summarize_sweep(shuffled)

    assert order != list(made)
    assert (left.verdicts, left.warnings) == (right.verdicts, right.warnings)
    for name, table in left.tables.items():
        assert_frame_equal(table, right.tables[name])


Give = Callable[[str], Summary]


def test_points_ascend_with_their_sizes_and_thin_and_missing_runs(
    sweep_of: Give, sweep_records: MakeSweep
) -> None:
    made = sweep_records("identical", fractions=(0.9, 0.51, 0.5, 0.49, 0.1), n_runs=2)
    runs = made[0.5].runs.assign(smallest_class=0)

    points = summarize_sweep({**made, 0.5: replace(made[0.5], runs=runs)}).points
    first = sweep_of("several").points.iloc[0]

    assert points["fraction"].tolist() == [0.1, 0.49, 0.5, 0.51, 0.9]
    assert (points["n_train"].iloc[0], points["n_test"].iloc[0]) == (17, 161)
    # More than half tested is conservative, and half is not.
    assert points["conservative"].tolist() == [True, True, False, False, False]
    assert points["thin_runs"].tolist() == [0, 0, 2, 0, 0]  # once for all implementations
    assert sweep_of("density").points["thin_runs"].tolist() == [7] + [0] * 8
    assert (first["impossible_runs"], first["thin_runs"], first["runs"]) == (40, 0, 40)
    assert (first["n_train"], bool(first["conservative"])) == (0, False)


@pytest.mark.parametrize(
    ("status", "message", "expected"),
    [
        ("error", "no split: too few", True),
        ("error", "ValueError: no split: x", False),
        ("ok", "no split: a warning", False),
        ("error", None, False),
    ],
)
def test_only_an_error_that_begins_so_is_a_missing_split(
    status: str, message: str | None, expected: bool
) -> None:
    runs = pd.DataFrame({"status": [status], "message": [message]})

    assert impossible_runs(runs).tolist() == [expected]


@pytest.fixture(scope="module")
def by_hand(sweep_records: MakeSweep) -> Summary:
    """Give two fractions with 0, 0, 1, 7 and 0, 2, 2, 4 disagreements in their runs."""
    made = sweep_records("identical", fractions=(0.2, 0.5), n_runs=4)
    for fraction, numbers in ((0.2, [0, 0, 1, 7]), (0.5, [0, 2, 2, 4])):
        pairs = made[fraction].pairs.assign(
            disagreements=numbers, max_probability_difference=[0.1, np.nan, 0.5, 0.2]
        )
        made[fraction] = replace(made[fraction], pairs=pairs)
    return summarize_sweep(made)


@pytest.mark.slow
def test_each_fraction_on_its_own(by_hand: Summary) -> None:
    table = by_hand.agreement

    assert table["exact_runs"].tolist() == [2, 1]
    assert table["exact_share"].tolist() == [0.5, 0.25]
    assert table["mismatches_mean"].tolist() == [2.0, 2.0]
    assert table["mismatches_median"].tolist() == [0.5, 2.0]
    assert table["mismatches_max"].tolist() == [7.0, 4.0]
    assert table["max_probability_difference"].tolist() == [0.5, 0.5]


def test_histogram_counts_runs_and_leaves_out_what_no_run_had(by_hand: Summary) -> None:
    table = by_hand.mismatch_counts[["fraction", "disagreements", "runs"]]

    first, second = [[0.2, 0, 2], [0.2, 1, 1], [0.2, 7, 1]], [[0.5, 0, 1], [0.5, 2, 2]]
    assert table.to_numpy().tolist() == [*first, *second, [0.5, 4, 1]]


def test_all_runs_together_are_not_the_mean_of_medians(by_hand: Summary) -> None:
    table = by_hand.overall.set_index("implementation")

    own = table.loc["numpy"]
    assert (own["runs"], own["exact_runs"], own["exact_share"]) == (8, 3, 0.375)
    assert (own["mismatches_mean"], own["mismatches_max"]) == (2.0, 7.0)
    assert own["mismatches_median"] == 1.5
    assert own["reference_accuracy"] == table.loc["sklearn", "test_accuracy"]
    reference = table.loc["sklearn"]
    assert reference.drop(["test_accuracy", "failed_runs"]).isna().all()
    assert np.isfinite(reference["test_accuracy"])


def test_failures_count_without_missing_splits_and_have_no_numbers(sweep_of: Give) -> None:
    failed = sweep_of("several").overall.set_index("implementation")["failed_runs"]
    table = sweep_of("all_failed").agreement

    assert (failed["sklearn"], failed["numpy"], failed["broken"]) == (0, 0, 9 * 40)
    assert set(table["compared_runs"]) == {0}
    assert table[["exact_share", "mismatches_mean", "mismatches_max"]].isna().all(axis=None)
    assert sweep_of("all_failed").mismatch_counts.empty


def test_gap_is_taken_run_by_run(sweep_of: Give) -> None:
    sweep = sweep_of("density")
    own = sweep.runs.query("implementation == 'sklearn' and fraction == 0.3")
    gap = own["train_accuracy"] - own["test_accuracy"]

    table = sweep.metrics.query("implementation == 'sklearn' and fraction == 0.3")

    row = table[table["metric"] == "gap"].iloc[0]
    assert row[["mean", "spread", "p5", "p95"]].tolist() == pytest.approx(
        [gap.mean(), gap.std(), np.percentile(gap, 5), np.percentile(gap, 95)]
    )


def test_intervals_are_wide_where_most_samples_are_tested(sweep_of: Give) -> None:
    table = sweep_of("density").metrics

    test = table.query("metric == 'test_accuracy' and implementation == 'sklearn'")

    low, high = (stats.logistic.isf(1 - test[end]) for end in ("low", "high"))
    slope = 1 / (test["mean"] * (1 - test["mean"]))
    widths = np.asarray((high - low) / (slope * test["spread"]))
    ratio = np.array([(178 - int(178 * k / 10)) / int(178 * k / 10) for k in range(1, 10)])
    expected = 2 * stats.t.ppf(0.975, 199) * np.sqrt(1 / 200 + ratio)
    assert widths == pytest.approx(expected)


def _plain_p(values: np.ndarray, n_train: int, n_test: int) -> float:
    """Return the p value of Nadeau and Bengio's test, written anew."""
    error = np.sqrt((1 / len(values) + n_test / n_train) * values.var(ddof=1))
    return float(2 * stats.t.sf(abs(values.mean()) / error, len(values) - 1))


def test_p_is_corrected_over_fractions_and_competitors(sweep_records: MakeSweep) -> None:
    names = ("sklearn", "a", "b")
    made = sweep_records(
        "identical", changed={"a": 0.4, "b": 0.6}, n_runs=30, fractions=(0.6, 0.7, 0.8)
    )
    plain = []
    for one in made.values():
        wide = one.runs.pivot_table("test_accuracy", "run", "implementation")
        n_test = int(one.runs["n_test"].max())
        for name in names[1:]:
            values = (wide[name] - wide["sklearn"]).to_numpy()
            plain.append(_plain_p(values, 178 - n_test, n_test))

    found = summarize_sweep(made).differences.query("metric == 'test_accuracy'")

    assert len(set(plain)) == 6
    assert found["p"].tolist() == pytest.approx(holm(plain).tolist())


def _with_accuracies(records: Records, values: list[float]) -> Records:
    runs = records.runs.copy()
    for name in ("sklearn", "numpy"):
        runs.loc[runs["implementation"] == name, "test_accuracy"] = values
    return replace(records, runs=runs)


def test_a_slope_is_per_ten_points_and_paired_by_run(sweep_records: MakeSweep) -> None:
    made = sweep_records("identical", fractions=(0.2, 0.5), n_runs=3)
    made[0.2] = _with_accuracies(made[0.2], [0.80, 0.90, 0.70])
    made[0.5] = _with_accuracies(made[0.5], [0.86, 0.96, 0.79])

    row = summarize_sweep(made).slopes.iloc[0]

    gains = np.array([0.02, 0.02, 0.03])
    assert row["slope"] == pytest.approx(gains.mean())
    n_train, n_test = 35, 143
    half = stats.t.ppf(0.975, 2) * gains.std(ddof=1) * np.sqrt(1 / 3 + n_test / n_train)
    assert row["high"] - row["slope"] == pytest.approx(half)
    assert row["slope"] - row["low"] == pytest.approx(half)


@pytest.mark.slow
def test_runs_and_fractions_without_a_partner_are_left_out(
    sweep_records: MakeSweep, sweep_of: Give
) -> None:
    made = sweep_records("identical", fractions=(0.2, 0.3), n_runs=3)
    made[0.2] = _with_accuracies(made[0.2], [0.1, 0.80, 0.90])
    made[0.3] = _with_accuracies(made[0.3], [0.9, 0.85, 0.95])
    runs = made[0.3].runs
    made[0.3] = replace(made[0.3], runs=runs[runs["run"] > 0])
    gaps = sweep_records("identical", impossible=(0.1, 0.5), n_runs=3)

    table = summarize_sweep(gaps).slopes

    assert summarize_sweep(made).slopes["slope"].iloc[0] == pytest.approx(0.05)
    own = table[table["implementation"] == "numpy"]
    assert own["from_fraction"].tolist() == [0.2, 0.3, 0.4, 0.6, 0.7, 0.8]
    assert own["to_fraction"].tolist() == [0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
    assert own["slope"].notna().all()
    assert sweep_of("one_fraction").slopes.empty
