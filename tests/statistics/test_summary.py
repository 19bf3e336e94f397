from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pandas as pd

from gnbbench.records import Records
from gnbbench.statistics import summarize
from gnbbench.statistics.summary import Summary


def test_every_field_is_documented() -> None:
    documented = Summary.__doc__ or ""

    assert [field.name for field in fields(Summary) if field.name not in documented] == []


def test_tables_have_a_plain_index(
    random_study: Callable[..., Any], records_of: Callable[..., Records]
) -> None:
    summary = summarize(records_of(random_study(changed={"numpy": 0.1, "x": 0.0})))

    tables = {f.name: getattr(summary, f.name) for f in fields(Summary)}
    frames = {k: table for k, table in tables.items() if isinstance(table, pd.DataFrame)}
    assert len(frames) == 14
    for name, table in frames.items():
        assert table.index.equals(pd.RangeIndex(len(table))), name


def test_frame_holds_the_metrics_of_an_untimed_study(
    random_study: Callable[..., Any], records_of: Callable[..., Records]
) -> None:
    summary = summarize(records_of(random_study()))

    frame = summary.frame()

    expected = summary.metrics["mean"].tolist()
    assert frame["mean"].tolist()[: len(expected)] == expected
