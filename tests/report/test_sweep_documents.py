"""summary.json of a sweep follows its schema."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gnbbench.report import sweep_documents
from gnbbench.report.sweep_documents import TABLES, sweep_document, sweep_json_text
from gnbbench.statistics.sweep_summary import SWEEP_SCHEMA_VERSION, SweepSummary

FIELDS: dict[str, type | tuple[type, ...]] = {
    "schema": str,
    "schema_version": int,
    "study": str,
    "command": str,
    "headline": str,
    "timing_regime": str,
    "plan": dict,
    "environment": dict,
    "dataset": dict,
    "reference": str,
    "implementations": list,
    "n_runs": int,
    "fractions": list,
    "margin": float,
    "verdicts": list,
    **dict.fromkeys(TABLES, list),
    "warnings": list,
}


@pytest.mark.slow
def test_fields_and_their_types(any_sweep: SweepSummary) -> None:
    value: dict[str, Any] = json.loads(sweep_json_text(any_sweep))

    assert list(value) == list(FIELDS)
    for name, kind in FIELDS.items():
        assert isinstance(value[name], kind), name
    assert value["schema"] == "gnbbench sweep summary"
    assert value["schema_version"] == SWEEP_SCHEMA_VERSION


def test_rows_have_exactly_the_documented_columns(any_sweep: SweepSummary) -> None:
    value = sweep_document(any_sweep)

    for name, columns in TABLES.items():
        table = getattr(any_sweep, name)
        assert set(columns) == set(table.columns), name
        assert len(value[name]) == len(table)
        assert all(tuple(row) == columns for row in value[name])


def test_what_there_is_no_number_for_is_null(
    sweep_of: Callable[[str], SweepSummary],
) -> None:
    value = sweep_document(sweep_of("density"))

    assert value["overall"][0]["exact_share"] is None
    assert (
        value["overall"][1]["exact_share"]
        == sweep_of("density").overall["exact_share"].iloc[1]
    )
    assert value["fractions_table"][0]["conservative"] is True


def test_a_missing_column_is_an_error(sweep_of: Callable[[str], SweepSummary]) -> None:
    summary = sweep_of("density")

    with pytest.raises(KeyError, match="p95"):
        sweep_document(replace(summary, accuracy=summary.accuracy.drop(columns="p95")))


def test_every_field_is_documented() -> None:
    words = sweep_documents.__doc__ or ""

    assert [n for n in FIELDS if n not in TABLES and f"``{n}``" not in words] == []
