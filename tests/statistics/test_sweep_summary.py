"""The docstring of a sweep's summary names what its tables have."""

from dataclasses import fields

import pandas as pd

from gnbbench.records import TABLES
from gnbbench.statistics.sweep_summary import SweepSummary


def test_every_column_is_documented(any_sweep: SweepSummary) -> None:
    words = SweepSummary.__doc__ or ""
    elsewhere = {*TABLES["runs"]}

    for field in fields(SweepSummary):
        table = getattr(any_sweep, field.name)
        if isinstance(table, pd.DataFrame) and field.name not in {"timing", "ratios"}:
            for column in set(table.columns) - elsewhere:
                assert f"``{column}``" in words or f"`{column}`" in words, column


def test_tables_have_a_plain_index(any_sweep: SweepSummary) -> None:
    for field in fields(SweepSummary):
        table = getattr(any_sweep, field.name)
        if isinstance(table, pd.DataFrame):
            assert table.index.tolist() == list(range(len(table))), field.name
