"""What only a sweep has: points, agreement per run, percentiles, slopes, Holm over all."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from gnbbench.records import Records
from gnbbench.statistics import summarize_sweep
from gnbbench.statistics.intervals import holm
from gnbbench.statistics.points import impossible_runs
from gnbbench.statistics.summary import Summary

MakeSweep = Callable[..., dict[float, Records]]
Give = Callable[[str], Summary]


def test_points_ascend_and_know_their_sizes(sweep_records: MakeSweep) -> None:
    made = sweep_records("identical", fractions=(0.9, 0.51, 0.5, 0.49, 0.1), n_runs=2)

    points = summarize_sweep(made).points

    assert points["fraction"].tolist() == [0.1, 0.49, 0.5, 0.51, 0.9]
    assert (points["n_train"].iloc[0], points["n_test"].iloc[0]) == (17, 161)
    # More than half tested is conservative, and half is not.
    assert points["conservative"].tolist() == [True, True, False, False, False]


def test_thin_runs_are_counted_once_for_all_implementations(
    sweep_of: Give, sweep_records: MakeSweep
) -> None:
    points = sweep_of("density").points
    absent = sweep_records("identical", fractions=(0.5,), n_runs=3)
    runs = absent[0.5].runs.assign(smallest_class=0)

    without = summarize_sweep({0.5: replace(absent[0.5], runs=runs)}).points

    assert points["thin_runs"].tolist() == [7] + [0] * 8
    assert points["runs"].tolist() == [200] * 9
    assert without["thin_runs"].tolist() == [3]


def test_runs_without_a_split_are_impossible_and_not_thin(sweep_of: Give) -> None:
    first = sweep_of("several").points.iloc[0]

    assert (first["impossible_runs"], first["thin_runs"], first["runs"]) == (40, 0, 40)
    assert first["n_train"] == 0
    assert not first["conservative"]


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


def test_each_fraction_on_its_own(by_hand: Summary) -> None:
    table = by_hand.agreement

    assert table["exact_runs"].tolist() == [2, 1]
    assert table["exact_share"].tolist() == [0.5, 0.25]
    assert table["mismatches_mean"].tolist() == [2.0, 2.0]
    assert table["mismatches_median"].tolist() == [0.5, 2.0]
    assert table["mismatches_max"].tolist() == [7.0, 4.0]
    assert table["max_probability_difference"].tolist() == [0.5, 0.5]


def test_histogram_counts_runs_and_leaves_out_what_no_run_had(by_hand: Summary) -> None:
    table = by_hand.mismatch_counts.drop(columns="implementation")

    first, second = [[0.2, 0, 2], [0.2, 1, 1], [0.2, 7, 1]], [[0.5, 0, 1], [0.5, 2, 2]]
    assert table.to_numpy().tolist() == [*first, *second, [0.5, 4, 1]]


def test_all_runs_together_are_not_the_mean_of_medians(by_hand: Summary) -> None:
    table = by_hand.overall.set_index("implementation")

    own = table.loc["numpy"]
    assert (own["runs"], own["exact_runs"], own["exact_share"]) == (8, 3, 0.375)
    assert (own["mismatches_mean"], own["mismatches_max"]) == (2.0, 7.0)
    assert own["mismatches_median"] == 1.5
    reference = table.loc["sklearn"]
    assert reference.drop(["test_accuracy", "failed_runs"]).isna().all()
    assert np.isfinite(reference["test_accuracy"])


def test_failed_runs_leave_out_those_without_a_split(sweep_of: Give) -> None:
    failed = sweep_of("several").overall.set_index("implementation")["failed_runs"]

    assert (failed["sklearn"], failed["numpy"], failed["broken"]) == (0, 0, 9 * 40)


def test_without_a_compared_run_only_counts_are_numbers(sweep_of: Give) -> None:
    table = sweep_of("all_failed").agreement

    assert set(table["compared_runs"]) == {0}
    assert table[["exact_share", "mismatches_mean", "mismatches_max"]].isna().all(axis=None)
    assert sweep_of("all_failed").mismatch_counts.empty


def test_gap_is_taken_run_by_run(sweep_of: Give) -> None:
    sweep = sweep_of("density")
    own = sweep.runs.query("implementation == 'sklearn' and fraction == 0.3")
    gap = own["train_accuracy"] - own["test_accuracy"]

    table = sweep.metrics.query("implementation == 'sklearn' and fraction == 0.3")

    row = table[table["metric"] == "gap"].iloc[0]
    assert row["mean"] == pytest.approx(gap.mean())
    assert row["spread"] == pytest.approx(gap.std())
    assert row["p5"] == pytest.approx(np.percentile(gap, 5))
    assert row["p95"] == pytest.approx(np.percentile(gap, 95))


def test_intervals_are_wide_where_most_samples_are_tested(sweep_of: Give) -> None:
    table = sweep_of("density").metrics

    test = table.query("metric == 'test_accuracy' and implementation == 'sklearn'")

    widths = ((test["high"] - test["low"]) / test["spread"]).to_numpy()
    ratio = np.array([(178 - int(178 * k / 10)) / int(178 * k / 10) for k in range(1, 10)])
    expected = 2 * stats.t.ppf(0.975, 199) * np.sqrt(1 / 200 + ratio)
    assert widths == pytest.approx(expected)


def _plain_p(values: np.ndarray, n_train: int, n_test: int) -> float:
    """Return the p value of Nadeau and Bengio's test, written anew."""
    error = np.sqrt((1 / len(values) + n_test / n_train) * values.var(ddof=1))
    return float(2 * stats.t.sf(abs(values.mean()) / error, len(values) - 1))


def test_p_values_are_corrected_over_fractions_and_competitors(
    sweep_records: MakeSweep,
) -> None:
    names = ("sklearn", "a", "b")
    made = sweep_records(
        "identical", changed={"a": 0.4, "b": 0.6}, n_runs=30, fractions=(0.6, 0.7, 0.8)
    )
    plain = []
    for one in made.values():
        wide = one.runs.pivot_table(
            index="run", columns="implementation", values="test_accuracy"
        )
        n_test = int(one.runs["n_test"].max())
        for name in names[1:]:
            values = (wide[name] - wide["sklearn"]).to_numpy()
            plain.append(_plain_p(values, 178 - n_test, n_test))

    found = summarize_sweep(made).accuracy_differences

    assert len(set(plain)) == 6
    assert found["p"].tolist() == pytest.approx(holm(plain).tolist())


def test_a_difference_that_is_certain_alone_need_not_be_so_among_many(
    sweep_records: MakeSweep,
) -> None:
    made = sweep_records("identical", changed={"a": 1.0}, n_runs=60, fractions=(0.5,))
    runs = made[0.5].runs.copy()
    own = runs["implementation"] == "a"
    base = runs.loc[runs["implementation"] == "sklearn", "test_accuracy"].to_numpy()
    runs.loc[own, "test_accuracy"] = base + 2.3 * np.tile([0.015, -0.005], 30)
    records = replace(made[0.5], runs=runs)
    untimed = replace(records, timings=records.timings.head(0))
    many = {0.5: records, **dict.fromkeys((0.51, 0.52, 0.53, 0.54), untimed)}

    (alone,) = summarize_sweep({0.5: records}).accuracy_differences["p"]
    among = summarize_sweep(many).accuracy_differences["p"]

    assert among.tolist() == pytest.approx([min(5 * alone, 1.0)] * 5)


def test_outcomes_follow_the_corrected_p(sweep_of: Give) -> None:
    rows = sweep_of("several").accuracy_differences.to_dict("records")

    for row in rows:
        if row["outcome"] == "different":
            assert row["p"] < 0.05
        if row["outcome"] == "cannot tell":
            assert not row["p"] < 0.05
    found = {(row["fraction"], row["implementation"]): row["outcome"] for row in rows}
    assert found[0.01, "numpy"] == "failed"
    assert found[0.5, "numpy"] == "identical"
    assert found[0.5, "broken"] == "failed"
    assert "different" in {found[f, "shuffled"] for f in (0.1, 0.2)}


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


def test_fractions_without_a_split_are_passed_over(
    sweep_records: MakeSweep, sweep_of: Give
) -> None:
    table = summarize_sweep(
        sweep_records("identical", impossible=(0.1, 0.5), n_runs=3)
    ).slopes

    own = table[table["implementation"] == "numpy"]
    assert own["from_fraction"].tolist() == [0.2, 0.3, 0.4, 0.6, 0.7, 0.8]
    assert own["to_fraction"].tolist() == [0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
    assert own["slope"].notna().all()
    assert sweep_of("one_fraction").slopes.empty


def test_runs_that_only_one_fraction_has_are_left_out(sweep_records: MakeSweep) -> None:
    made = sweep_records("identical", fractions=(0.2, 0.3), n_runs=3)
    made[0.2] = _with_accuracies(made[0.2], [0.1, 0.80, 0.90])
    made[0.3] = _with_accuracies(made[0.3], [0.9, 0.85, 0.95])
    runs = made[0.3].runs
    made[0.3] = replace(made[0.3], runs=runs[runs["run"] > 0])

    assert summarize_sweep(made).slopes["slope"].iloc[0] == pytest.approx(0.05)
