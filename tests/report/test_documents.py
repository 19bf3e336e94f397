"""summary.json follows its schema."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gnbbench.report import documents
from gnbbench.report.documents import TABLES, document, json_text
from gnbbench.statistics.summary import SCHEMA_VERSION, Summary

Give = Callable[[str], Summary]
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
    "n_train": int,
    "n_test": int,
    "margin": float,
    "verdicts": list,
    **dict.fromkeys(TABLES, list),
    "timing_plan": dict,
    "warnings": list,
    "decision_regions": (dict, type(None)),
    "streamed": (dict, type(None)),
}


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in _leaves(item)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in _leaves(item)]
    return [value]


@pytest.mark.slow
def test_fields_and_their_types(any_summary: Summary) -> None:
    value = json.loads(json_text(any_summary))

    assert list(value) == list(FIELDS)
    for name, kind in FIELDS.items():
        assert isinstance(value[name], kind), name
    assert value["schema_version"] == SCHEMA_VERSION


@pytest.mark.slow
def test_rows_have_exactly_the_documented_columns(any_summary: Summary) -> None:
    value = document(any_summary)

    for name, columns in TABLES.items():
        assert len(value[name]) == len(getattr(any_summary, name))
        assert all(tuple(row) == columns for row in value[name])


def test_nothing_but_plain_finite_values(any_summary: Summary) -> None:
    for leaf in _leaves(document(any_summary)):
        assert leaf is None or type(leaf) in {str, int, float, bool}
        assert not isinstance(leaf, float) or math.isfinite(leaf)


def test_no_number_is_null_and_infinity_is_text(summary_of: Give) -> None:
    summary = summary_of("single")
    metrics = summary.metrics.copy()
    metrics.loc[0, "mean"] = float("inf")

    value = document(replace(summary, metrics=metrics))

    assert value["metrics"][0]["mean"] == "Infinity"
    assert value["metrics"][0]["low"] is None


def test_numbers_are_not_rounded(summary_of: Give) -> None:
    summary = summary_of("different")

    value = json.loads(json_text(summary))

    means = [row["mean"] for row in value["differences"]]
    assert means == summary.differences["mean"].tolist()


def test_decision_regions_count_what_differs(summary_of: Give) -> None:
    regions = document(summary_of("different"))["decision_regions"]

    assert regions["grid_points"] == 40_000
    assert 0 < regions["differing_points"]["density"] < 40_000


def test_a_missing_column_is_an_error(summary_of: Give) -> None:
    summary = summary_of("usual")
    ratios = summary.ratios.drop(columns="floor_low")

    with pytest.raises(KeyError, match="floor_low"):
        document(replace(summary, ratios=ratios))


def test_every_field_is_documented() -> None:
    words = documents.__doc__ or ""

    undocumented = [
        name for name in FIELDS if name not in TABLES and f"``{name}``" not in words
    ]
    assert undocumented == []
