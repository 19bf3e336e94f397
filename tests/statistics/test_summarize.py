"""Records become a summary: verdicts, order, failures, degenerate studies."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from faults.invented import random_study, records_of
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from gnbbench.data.dataset import describe
from gnbbench.data.loading import load
from gnbbench.records import RUN_METRICS, Records
from gnbbench.statistics import summarize
from gnbbench.statistics.descriptions import dataset_description, decision_regions
from gnbbench.statistics.summary import Summary

few = settings(max_examples=15, deadline=None)


def _tables(value: Any) -> dict[str, pd.DataFrame]:
    found = {field.name: getattr(value, field.name) for field in fields(value)}
    return {name: table for name, table in found.items() if isinstance(table, pd.DataFrame)}


def _assert_same(left: Summary, right: Summary) -> None:
    assert left.verdicts == right.verdicts
    assert left.warnings == right.warnings
    for name, table in _tables(left).items():
        assert_frame_equal(table, _tables(right)[name], check_exact=True)


def _shuffled(records: Records, seed: int) -> Records:
    tables: dict[str, Any] = {
        name: table.sample(frac=1, random_state=seed, ignore_index=True)
        for name, table in _tables(records).items()
    }
    return replace(records, **tables)


def test_identical_code_is_found_identical() -> None:
    summary = summarize(records_of(random_study(n_runs=1000)))

    (verdict,) = summary.verdicts
    assert verdict.outcome == "identical"
    assert summary.headline == "Identical: none of 45,000 predictions differ."
    assert "at most 2.0 % of rows" in verdict.detail
    assert summary.differences["p"].isna().all()


def test_one_changed_label_is_no_longer_identical() -> None:
    """Negative control of the test above."""
    study = random_study(n_runs=1000)
    changed = study.labels["numpy"].copy()
    changed[500, 7] = (changed[500, 7] + 1) % 3

    summary = summarize(records_of(study, labels={**study.labels, "numpy": changed}))

    (verdict,) = summary.verdicts
    assert verdict.outcome == "equivalent"
    assert "1 of 45,000 predictions differs" in verdict.sentence
    assert len(summary.disputed_rows) == 1


def test_sizes_and_names_are_those_of_the_study() -> None:
    summary = summarize(records_of(random_study(changed={"b": 0.1, "a": 0.0}, n_runs=7)))

    assert summary.implementations == ("sklearn", "b", "a")
    assert (summary.n_runs, summary.n_train, summary.n_test) == (7, 105, 45)
    assert summary.runs.columns.tolist() == [
        "run",
        "implementation",
        "status",
        "message",
        *RUN_METRICS,
    ]
    assert summary.runs["implementation"].tolist()[:3] == ["sklearn", "b", "a"]


@pytest.mark.slow
@few
@given(seed=st.integers(0, 10_000))
def test_the_order_of_records_changes_nothing(seed: int) -> None:
    study = random_study(changed={"numpy": 0.1, "textbook": 0.02}, n_runs=6)
    records = records_of(study, failed={"numpy": [2, 4]})

    _assert_same(summarize(_shuffled(records, seed)), summarize(records))


@pytest.mark.slow
@few
@given(order=st.permutations(["a", "b", "c"]))
def test_the_order_of_competitors_changes_only_the_order_of_rows(order: list[str]) -> None:
    study = random_study(changed={"a": 0.1, "b": 0.0, "c": 0.4}, n_runs=6)
    expected = summarize(records_of(study))

    labels = {name: study.labels[name] for name in ["sklearn", *order]}
    summary = summarize(records_of(study, labels=labels))

    assert [v.implementation for v in summary.verdicts] == order
    assert set(summary.verdicts) == set(expected.verdicts)
    for name in ("agreement", "metrics", "differences", "confusion"):
        keys = ["implementation"]
        left, right = (
            getattr(s, name).sort_values(keys, kind="stable", ignore_index=True)
            for s in (summary, expected)
        )
        assert_frame_equal(left, right, check_exact=True)


@pytest.mark.slow
@few
@given(order=st.permutations([0, 1, 2]))
def test_swapping_classes_swaps_their_rows_alone(order: list[int]) -> None:
    """The classes are numbered in another order, names going along."""
    study = random_study(changed={"numpy": 0.2}, n_runs=6)
    expected = summarize(records_of(study))
    place = np.array(order)
    back = np.argsort(place)

    swapped = summarize(
        records_of(
            study,
            truth=place[study.truth],
            labels={name: place[codes] for name, codes in study.labels.items()},
            probabilities={n: p[..., back] for n, p in study.probabilities.items()},
            class_names=tuple(np.array(study.class_names)[back].tolist()),
        )
    )

    assert [v.outcome for v in swapped.verdicts] == [v.outcome for v in expected.verdicts]
    assert_frame_equal(swapped.agreement, expected.agreement)
    keys = ["implementation", "class_name"]
    assert_frame_equal(
        swapped.class_scores.sort_values(keys, ignore_index=True),
        expected.class_scores.sort_values(keys, ignore_index=True),
    )


DEGENERATE: dict[str, dict[str, Any]] = {
    "one run": {"n_runs": 1},
    "one run, labels differ": {"n_runs": 1, "changed": {"numpy": 0.3}},
    "two runs": {"n_runs": 2, "changed": {"numpy": 0.3}},
    "two runs, identical": {"n_runs": 2},
    "labels only": {"with_probabilities": False, "changed": {"numpy": 0.3}},
    "one sample tested": {"n_test": 1, "changed": {"numpy": 0.3}},
    "nearly all tested": {"n_test": 147, "changed": {"numpy": 0.3}},
    "all labels differ": {"changed": {"numpy": 1.0}},
}
FAILED: dict[str, dict[str, range]] = {
    "nothing failed": {},
    "first run failed": {"numpy": range(1)},
    "competitor failed": {"numpy": range(20)},
    "reference failed": {"sklearn": range(20)},
    "all failed": {"sklearn": range(20), "numpy": range(20)},
    "one run left": {"numpy": range(1, 20)},
}


@pytest.mark.parametrize("failed", FAILED)
@pytest.mark.parametrize("case", DEGENERATE)
def test_degenerate_studies_end_in_a_verdict_without_nan_or_false_certainty(
    case: str, failed: str
) -> None:
    study = random_study(**DEGENERATE[case])
    n_runs = len(study.truth)
    which = {n: [r for r in runs if r < n_runs] for n, runs in FAILED[failed].items()}

    summary = summarize(records_of(study, failed=which))

    (verdict,) = summary.verdicts
    compared = summary.agreement["compared_runs"].iloc[0]
    differing = summary.agreement["disagreements"].iloc[0]
    if compared == 0:
        assert verdict.outcome == "failed"
    elif differing == 0:
        assert verdict.outcome == "identical"
    elif compared == 1:
        assert verdict.outcome == "cannot tell"
    else:
        assert verdict.outcome in {"equivalent", "different", "cannot tell"}
    assert "nan" not in (verdict.sentence + verdict.detail).split()
    assert not (summary.differences["p"] == 0).any()
    assert set(summary.frame()["implementation"]) == {"sklearn", "numpy"}


def test_failed_runs_are_told_and_are_in_no_mean() -> None:
    records = records_of(random_study(), failed={"numpy": [0, 5]})

    summary = summarize(records)

    assert any("numpy failed in 2 of 20 runs" in text for text in summary.warnings)
    rows = summary.metrics.set_index(["implementation", "metric"])
    assert rows.loc[("numpy", "test_accuracy"), "runs"] == 18
    assert (summary.runs["status"] == "error").sum() == 2


def test_warnings_of_the_timing_are_kept() -> None:
    records = records_of(random_study())
    notes = {**(records.timing_notes or {}), "warnings": ["The machine was busy."]}

    assert (
        "The machine was busy." in summarize(replace(records, timing_notes=notes)).warnings
    )


def test_timings_become_ratios() -> None:
    names = ["sklearn", "numpy", "reference again"]
    rng = np.random.default_rng(0)
    timings = pd.DataFrame(
        [
            (
                "fit",
                name,
                turn,
                place,
                (1e-4 if place == 1 else 5e-4) * rng.uniform(1, 1.01),
            )
            for turn in range(60)
            for place, name in enumerate(names)
        ],
        columns=["operation", "implementation", "round", "position", "seconds"],
    )

    summary = summarize(replace(records_of(random_study()), timings=timings))

    (ratio,) = summary.ratios["ratio"]
    assert ratio == pytest.approx(0.2, rel=0.02)
    assert ("numpy", "fit_ratio") in set(
        summary.frame()[["implementation", "metric"]].itertuples(index=False, name=None)
    )


def test_no_run_at_all_is_refused() -> None:
    records = records_of(random_study(n_runs=1))

    with pytest.raises(ValueError, match="no run"):
        summarize(replace(records, runs=records.runs.iloc[:0]))


def test_tables_without_a_row_may_have_any_dtype() -> None:
    """A store reads an empty table back with columns of objects."""
    records = records_of(
        random_study(n_runs=2), failed={"sklearn": [0, 1], "numpy": [0, 1]}
    )
    empty: dict[str, Any] = {
        name: table.astype(object)
        for name, table in _tables(records).items()
        if table.empty
    }

    summary = summarize(replace(records, **empty))

    assert len(empty) > 5
    assert summary.verdicts[0].outcome == "failed"


def test_description_of_iris_survives_its_plain_fields() -> None:
    description = dataset_description(describe(load("iris")))

    assert (description.n_samples, description.n_duplicates) == (150, 1)
    assert description.class_counts == (50, 50, 50)
    assert len(description.features) == 4
    assert description.features["distinct"].tolist()[-1] == 22


@pytest.fixture
def regions() -> dict[str, Any]:
    return {
        "axis_names": ["x", "y"],
        "extent": [0, 3, 0, 2],
        "shape": [2, 3],
        "codes": {"numpy": [0, 0, 1, 0, 1, 1]},
        "points": [[0.5, 0.5], [2.5, 1.5]],
        "point_codes": [0, 1],
        "caption": "Fitted on x and y.",
    }


def test_regions_become_grids(regions: dict[str, Any]) -> None:
    found = decision_regions(regions)

    assert found is not None
    assert found.codes["numpy"].tolist() == [[0, 0, 1], [0, 1, 1]]
    assert found.points.shape == (2, 2)
    assert found.point_codes.dtype == np.int64


def test_codes_that_do_not_fill_the_grid_are_refused(regions: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="reshape"):
        decision_regions({**regions, "codes": {"numpy": [0, 1]}})


def test_no_regions_stay_none() -> None:
    assert decision_regions(None) is None
