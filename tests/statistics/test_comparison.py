"""Two studies beside each other: what is worse, what times can be judged."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from gnbbench.records import RUN_METRICS
from gnbbench.statistics import comparison as comparisons
from gnbbench.statistics.comparison import METRIC_COLUMNS, Side, compare_sides
from gnbbench.statistics.summary import Summary

N_RUNS, N_TRAIN, N_TEST = 30, 100, 50
PLAN = {"study": "compare", "sha256": "0", "seed": 42, "stratify": True, "test_size": 0.3}


def accuracies(seed: int = 0, mean: float = 0.9) -> Any:
    rng = np.random.default_rng(seed)
    return rng.binomial(N_TEST, mean, size=N_RUNS) / N_TEST


def study(
    values: Any, *, agreement: float = 1.0, n_test: int = N_TEST, **plan: Any
) -> Side:
    """Return a side whose competitor has these test accuracies; all else is constant."""
    runs = pd.DataFrame(
        {
            "point": 0,
            "run": np.arange(len(values)),
            "implementation": "numpy",
            "status": np.where(np.isnan(values), "error", "ok"),
            "message": "",
            **dict.fromkeys(RUN_METRICS, 0.5),
            "test_accuracy": values,
        }
    )
    rows = []
    for metric in RUN_METRICS:
        known = runs[metric].dropna()
        rows.append((0, "numpy", metric, known.mean(), known.std(), len(known)))
    counts = {"runs": len(values), "n_train": N_TRAIN, "n_test": n_test}
    agreed = {"implementation": "numpy", "agreement": agreement}
    tables = {
        "points": pd.DataFrame([{"point": 0, "fraction": np.nan, **counts}]),
        "runs": runs,
        "metrics": pd.DataFrame(rows, columns=METRIC_COLUMNS),
        "agreement": pd.DataFrame([{"point": 0, **agreed, "compared_runs": len(values)}]),
    }
    summary = Summary(
        study="compare",
        command="",
        headline="",
        plan={**PLAN, "margin": 0.01, **plan},
        environment={"machine": {"cpu": "x"}, "versions": {"numpy": "2"}},
        reference="sklearn",
        implementations=("sklearn", "numpy"),
        tables=tables,
        details={"timing_plan": {}},
    )
    return Side("old", summary)


def with_summary(side: Side, **fields: Any) -> Side:
    """Return a side whose summary has other tables or other fields."""
    tables = {**side.summary.tables, **fields.pop("tables", {})}
    return replace(side, summary=replace(side.summary, tables=tables, **fields))


def row(comparison: comparisons.Comparison, metric: str = "test_accuracy") -> Any:
    table = comparison.changes.set_index("metric")
    return table.loc[metric]


OLD = study(accuracies())


def test_the_unpaired_interval_equals_that_of_welch() -> None:
    """Without the correction (n_test = 0) it is the one that SciPy gives."""
    new = accuracies(1, 0.8)

    change = row(compare_sides(study(accuracies(), n_test=0), study(new, n_test=0, seed=7)))

    welch = stats.ttest_ind(new, accuracies(), equal_var=False).confidence_interval()
    assert (change["low"], change["high"]) == pytest.approx((welch.low, welch.high))


@pytest.mark.parametrize(
    ("loss", "tolerance", "change"),
    [
        (0.0, None, "same"),
        (0.02, None, "regression"),
        (0.008, None, "within"),
        (0.008, 0.005, "regression"),
        (0.02, 0.03, "within"),
        (-0.02, None, "better"),
    ],
)
def test_on_the_same_splits_a_loss_beyond_the_tolerance_is_a_regression(
    loss: float, tolerance: float | None, change: str
) -> None:
    comparison = compare_sides(OLD, study(accuracies() - loss), tolerance=tolerance)

    assert row(comparison)["change"] == change
    assert len(comparison.regressions) == (change == "regression")
    assert comparison.tolerance == (0.01 if tolerance is None else tolerance)


@pytest.mark.parametrize(
    ("mean", "change"),
    [(0.88, "cannot tell"), (0.4, "regression"), (0.999, "better"), (0.92, "cannot tell")],
)
def test_on_other_splits_the_interval_decides(mean: float, change: str) -> None:
    comparison = compare_sides(OLD, study(accuracies(1, mean), seed=7))

    assert row(comparison)["change"] == change
    undecided = "test_accuracy" in set(comparison.undecided["metric"])
    assert undecided == (change == "cannot tell")
    assert "the splits differ (seed)" in comparison.pairing
    assert not comparison.paired


def changed(metric: str, value: float) -> Side:
    """Return the old study with another value of a metric in every run; NaN: none."""
    metrics = OLD.summary.tables["metrics"]
    means = metrics["mean"].mask(metrics["metric"] == metric, value)
    runs = OLD.summary.tables["runs"].assign(**{metric: value})
    return with_summary(OLD, tables={"runs": runs, "metrics": metrics.assign(mean=means)})


FAILED = study(np.where(np.arange(N_RUNS) == 3, np.nan, accuracies()))


@pytest.mark.parametrize(
    ("old", "new", "metric", "change"),
    [
        (OLD, changed("brier_score", 0.55), "brier_score", "regression"),
        (changed("brier_score", 0.55), OLD, "brier_score", "better"),
        (OLD, study(accuracies(), agreement=0.9), "agreement", "regression"),
        (OLD, FAILED, "evaluated_runs", "regression"),
        (FAILED, OLD, "evaluated_runs", "better"),
        (OLD, changed("log_loss", np.nan), "log_loss", "regression"),
        (changed("log_loss", np.nan), OLD, "log_loss", "changed"),
        (OLD, changed("mean_confidence", 0.1), "mean_confidence", "changed"),
    ],
)
def test_every_metric_is_judged_in_its_direction_and_confidence_by_nobody(
    old: Side, new: Side, metric: str, change: str
) -> None:
    comparison = compare_sides(old, new)

    assert row(comparison, metric)["change"] == change
    assert row(comparison)["change"] == "same"
    worse = [metric] if change == "regression" else []
    assert comparison.regressions["metric"].tolist() == worse


def test_of_other_splits_no_change_is_shown_without_an_interval() -> None:
    side = changed("mean_confidence", 0.1)
    metrics = side.summary.tables["metrics"].assign(spread=np.nan)
    new = with_summary(
        side, plan={**OLD.summary.plan, "seed": 7}, tables={"metrics": metrics}
    )

    change = row(compare_sides(OLD, new), "mean_confidence")["change"]

    assert change == "no change shown"


def test_more_runs_of_the_same_splits_are_paired_over_those_both_have() -> None:
    longer = np.append(accuracies(), [0.1] * 5)

    comparison = compare_sides(OLD, study(longer, runs=N_RUNS + 5))

    assert comparison.paired
    assert row(comparison)["runs"] == N_RUNS
    assert row(comparison)["change"] == "same"
    (changed,) = comparison.plan.to_dict("records")
    assert changed == {"key": "runs", "old": "–", "new": str(N_RUNS + 5)}


def test_results_in_only_one_study_are_reported() -> None:
    named = {"implementations": ("sklearn", "else"), "reference": "else"}
    other = with_summary(replace(OLD, name="new"), **named)

    comparison = compare_sides(OLD, other)

    assert "'numpy' is only in old, so it is not compared." in comparison.remarks
    assert "'else' is only in new, so it is not compared." in comparison.remarks
    assert any("references differ" in remark for remark in comparison.remarks)


def test_a_compare_study_has_one_point() -> None:
    side = study(accuracies(), agreement=0.75)

    means = side.metrics.set_index("metric")["mean"]
    assert tuple(side.metrics) == METRIC_COLUMNS
    assert means["test_accuracy"] == accuracies().mean()
    assert (means["agreement"], means["evaluated_runs"]) == (0.75, 1.0)
    assert set(side.metrics["point"]) == {"all"}
    assert side.sizes["all"].n_test == N_TEST


def test_a_sweep_has_a_point_for_every_fraction() -> None:
    points = [(0, 0.01, 0, 0, 0), (1, 0.5, N_RUNS, 50, 50)]
    columns = ["point", "fraction", "runs", "n_train", "n_test"]
    tables = {"points": pd.DataFrame(points, columns=columns)}
    for name in ("metrics", "agreement", "runs"):
        tables[name] = OLD.summary.tables[name].assign(point=1)

    side = with_summary(OLD, study="sweep-split", tables=tables)

    named = {"agreement", "evaluated_runs", *comparisons.SWEEP_METRICS} - {"gap"}
    assert set(side.metrics["metric"]) == named
    assert set(side.metrics["point"]) == set(side.runs["point"]) == {"0.5"}
    assert (side.sizes["0.01"].n_test, side.sizes["0.5"].n_test) == (0, 50)


ENVIRONMENT: dict[str, Any] = {
    "machine": {"cpu": "fast", "cores": 2},
    "versions": {"gnbbench": "1", "numpy": "2.4"},
    "threads": "one",
}


def timed(ratio: float, *, half: float = 1.01, floor: float = 1.005) -> Side:
    """Return a side whose competitor takes `ratio` of a second, the reference one."""
    ratios = {"ratio": ratio, "low": ratio / half, "high": ratio * half}
    ratios |= {"floor_low": 1 / floor, "floor_high": floor}
    seconds = {"implementation": ["sklearn", "numpy"], "median_seconds": [1.0, ratio]}
    tables = {
        "timing": pd.DataFrame({**seconds, "operation": "fit"}),
        "ratios": pd.DataFrame([{"implementation": "numpy", "operation": "fit", **ratios}]),
    }
    return with_summary(OLD, environment=ENVIRONMENT, tables=tables)


def fit(old: Side, new: Side, *, comparable: bool = True) -> Any:
    table = comparisons.time_changes(old.summary, new.summary, comparable=comparable)
    return table.set_index("implementation").loc["numpy"]


@pytest.mark.parametrize(
    ("new", "floor", "speed"),
    [
        (0.1, 1.005, "not separated"),
        (0.13, 1.005, "slower"),
        (0.08, 1.005, "faster"),
        (0.102, 1.005, "not separated"),
        (0.13, 1.4, "not separated"),
    ],
)
def test_a_change_counts_beyond_both_floors(new: float, floor: float, speed: str) -> None:
    times = fit(timed(0.1), timed(new, floor=floor))

    assert times["speed"] == speed
    assert times["seconds_ratio"] == pytest.approx(new / 0.1)
    assert times["low"] < times["change"] < times["high"]
    assert times["change"] == pytest.approx(new / 0.1)


def test_intervals_are_added_in_quadrature_on_the_logarithm() -> None:
    times = fit(timed(0.1, half=1.03), timed(0.1, half=1.04))

    assert times["high"] == pytest.approx(1.0503, abs=1e-4)


def test_from_a_wide_interval_nothing_is_concluded() -> None:
    assert fit(timed(0.1), timed(9.0, half=1.9))["speed"] == "slower"
    assert fit(timed(0.1), timed(9.0, half=2.1))["speed"] == "too noisy"


def test_nothing_is_judged_where_times_cannot_be_compared() -> None:
    assert fit(timed(0.1), timed(9.0), comparable=False)["speed"] == "not judged"
    other = with_summary(timed(9.0), reference="numpy")
    assert fit(timed(0.1), other)["speed"] == "not judged"


def test_the_reference_has_seconds_and_no_verdict() -> None:
    summary, untimed = timed(0.1).summary, OLD.summary
    table = comparisons.time_changes(summary, summary, comparable=True)

    assert table["speed"].tolist() == ["not judged", "not separated"]
    assert comparisons.time_changes(summary, untimed, comparable=True).empty


MACHINE, VERSIONS = ENVIRONMENT["machine"], ENVIRONMENT["versions"]


@pytest.mark.parametrize(
    ("part", "fields", "words"),
    [
        ("machine", {**MACHINE, "cpu": "slow"}, "Machine, cpu: was fast, now slow."),
        ("machine", {**MACHINE, "memory": 5}, "Machine, memory: was none, now 5."),
        ("versions", {**VERSIONS, "numpy": "2.5"}, "numpy: was 2.4, now 2.5."),
        ("versions", {**VERSIONS, "gnbbench": "2"}, None),  # it is what is compared
        ("threads", "many", "Libraries have different numbers of threads."),
        ("points", {"n_train": 50, "n_test": 50}, "The splits have different sizes."),
        # Without a plan it is of an earlier version, which had only the usual one.
        ("timing_plan", {"threads": 2}, "Timing, threads: was 1, now 2."),
        ("timing_plan", {"threads": 1, "processes": 3}, None),
    ],
)
def test_incomparable_times_have_reasons(part: str, fields: Any, words: str | None) -> None:
    same = timed(1.0)
    changes = {"environment": {**ENVIRONMENT, part: fields}}
    if part == "points":
        points = same.summary.tables["points"].assign(**fields)
        changes = {"tables": {"points": points}}
    elif part == "timing_plan":
        changes = {"details": {part: fields}}

    remarks = comparisons.environment_changes(same, with_summary(same, **changes))

    assert remarks == (() if words is None else (words,))
