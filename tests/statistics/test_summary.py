"""A summary gives its tables as reports read them, and all of them as one long table."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from faults.invented import random_study, records_of, with_tables

from gnbbench.statistics.schema import TABLES, columns_of
from gnbbench.statistics.summarize import summarize
from gnbbench.statistics.summary import Lookup, Summary


@pytest.fixture(scope="module")
def summary() -> Summary:
    return summarize(records_of(random_study(changed={"numpy": 0.1, "x": 0.0})))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["density", "several", "labels_only", "one_fraction", "all_failed"]
)
def test_tables_have_the_columns_of_the_schema_and_a_plain_index(
    summary: Summary, sweep_of: Callable[[str], Summary], name: str
) -> None:
    for one in (summary, sweep_of(name)):
        for kind in TABLES[one.study].keys() & one.tables.keys():
            table = one.tables[kind]
            shown = [column for column in columns_of(one.study, kind) if column in table]
            assert shown == columns_of(one.study, kind), kind
            assert table.index.equals(pd.RangeIndex(len(table))), kind
    assert len(summary.tables) == 15


def test_reports_see_the_train_fraction_in_the_place_of_the_point(
    summary: Summary, sweep_of: Callable[[str], Summary]
) -> None:
    sweep = sweep_of("density")

    assert "point" not in summary.agreement
    assert next(iter(sweep.agreement)) == "fraction"
    assert list(dict.fromkeys(sweep.metrics["fraction"])) == list(sweep.fractions)
    assert not {"point", "fraction"} & set(sweep.timing)
    back = with_tables(sweep, agreement=sweep.agreement).tables["agreement"]
    pd.testing.assert_frame_equal(back, sweep.tables["agreement"])


def test_a_table_of_another_kind_is_an_error(summary: Summary) -> None:
    assert replace(summary, study="stream").passes.empty
    with pytest.raises(AttributeError, match="no table 'slopes'"):
        _ = summary.slopes
    with pytest.raises(LookupError, match="no single dataset"):
        _ = replace(summary, data=None).dataset


@pytest.fixture(scope="module")
def frame(summary: Summary) -> pd.DataFrame:
    times = {"implementation": ["numpy"], "operation": ["fit"]}
    timing = pd.DataFrame(
        times | {"mean_seconds": 2e-5, "standard_deviation_seconds": 1e-6, "rounds": 50}
    )
    ratios = pd.DataFrame(times | {"ratio": 0.1, "low": 0.09, "high": 0.11})
    timed: Summary = with_tables(summary, timing=timing, ratios=ratios)
    return timed.frame()


def test_each_number_has_one_row(frame: pd.DataFrame) -> None:
    assert list(frame) == columns_of("compare", "metrics")
    assert not frame.duplicated(["implementation", "metric"]).any()
    assert frame.index.equals(pd.RangeIndex(len(frame)))


def test_accuracy_differences_agreement_and_times_are_there(
    frame: pd.DataFrame, summary: Summary
) -> None:
    rows: Any = frame.set_index(["implementation", "metric"])

    expected = summary.metrics["mean"].tolist()
    assert frame["mean"].tolist()[: len(expected)] == pytest.approx(expected, nan_ok=True)
    accuracy = rows.loc[("numpy", "test_accuracy"), "mean"]
    reference = rows.loc[("sklearn", "test_accuracy"), "mean"]
    difference = rows.loc[("numpy", "test_accuracy_difference"), "mean"]
    assert difference == pytest.approx(accuracy - reference)
    assert difference != 0
    assert rows.loc[("numpy", "agreement"), "runs"] == 20
    times = rows.loc[("numpy", "fit_seconds"), ["mean", "spread", "runs"]].tolist()
    assert times == [2e-5, 1e-6, 50]
    ratio = rows.loc[("numpy", "fit_ratio"), ["mean", "low", "high"]].tolist()
    assert ratio == [0.1, 0.09, 0.11]


def test_a_value_equals_that_of_its_row_and_what_is_missing_is_nan_or_empty() -> None:
    row = {"implementation": "numpy", "mean": 0.5, "low": float("nan"), "high": 0.6}
    lookup = Lookup(pd.DataFrame([row]), "implementation")

    assert lookup.number("mean", "numpy") == 0.5
    missing = lookup.number("mean", "river"), lookup.number("median", "numpy")
    assert pd.isna([*missing, lookup.triple("mean", "numpy")[1]]).all()
    assert (lookup.text("low", "numpy"), lookup.text("mean", "river")) == ("", "")
    assert (bool(lookup.row("numpy")), bool(lookup.row("river"))) == (True, False)


def test_a_sweep_has_a_row_per_fraction(sweep_of: Callable[[str], Summary]) -> None:
    sweep = sweep_of("density")

    frame = sweep.frame()

    assert list(frame)[:2] == ["fraction", "implementation"]
    assert not frame.dropna().duplicated(["fraction", "implementation", "metric"]).any()
    shares = frame.loc[frame["metric"] == "exact_share", "mean"]
    assert shares.tolist() == sweep.agreement["exact_share"].tolist()
