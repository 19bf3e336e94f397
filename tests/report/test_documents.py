"""summary.json of every kind follows the schema."""

import json
import math
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
import pytest
from faults.invented import with_tables
from reading import Give

from gnbbench.statistics.documents import as_text, document, plain
from gnbbench.statistics.schema import DOCUMENTS, FIELDS, TABLES, columns_of


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in _leaves(item)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in _leaves(item)]
    return [value]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("give", "names"),
    [
        ("summary_of", ("usual", "failed", "no_probabilities_at_all", "several")),
        ("sweep_of", ("density", "several", "one_fraction", "all_failed")),
    ],
)
def test_a_comparison_has_exactly_the_fields_and_columns(
    request: pytest.FixtureRequest, give: str, names: tuple[str, ...]
) -> None:
    for summary in map(request.getfixturevalue(give), names):
        kind, tables = DOCUMENTS[summary.study], TABLES[summary.study]

        value = json.loads(as_text(document(summary)))

        assert list(value) == ["schema", "schema_version", *kind.fields]
        assert (value["schema"], value["schema_version"]) == (kind.schema, kind.version)
        for name in tables.keys() & value.keys():
            assert len(value[name]) == len(summary.table(name))
            assert all(list(row) == columns_of(summary.study, name) for row in value[name])
        for leaf in _leaves(document(summary)):
            assert leaf is None or type(leaf) in {str, int, float, bool}
            assert not isinstance(leaf, float) or math.isfinite(leaf)


def test_no_number_is_null_and_infinity_is_text(summary_of: Give) -> None:
    summary = summary_of("single")
    metrics = summary.metrics.copy()
    metrics.loc[0, "mean"] = float("inf")

    value = document(with_tables(summary, metrics=metrics))

    assert value["metrics"][0]["mean"] == "Infinity"
    assert value["metrics"][0]["low"] is None


def test_numbers_are_not_rounded(summary_of: Give, sweep_of: Give) -> None:
    summary, sweep = summary_of("different"), sweep_of("density")

    value, several = json.loads(as_text(document(summary))), document(sweep)

    means = [row["mean"] for row in value["differences"]]
    assert means == [None if isnan(m) else m for m in summary.differences["mean"].tolist()]
    assert several["overall"][0]["exact_share"] is None
    assert several["overall"][1]["exact_share"] == sweep.overall["exact_share"].iloc[1]
    assert several["points"][0]["conservative"] is True


def test_decision_regions_count_what_differs(summary_of: Give) -> None:
    regions = document(summary_of("different"))["decision_regions"]

    assert regions["grid_points"] == 10_000
    assert 0 < regions["differing_points"]["density"] < 10_000


def test_a_missing_column_is_an_error(summary_of: Give, sweep_of: Give) -> None:
    one, several = summary_of("usual"), sweep_of("density")

    with pytest.raises(KeyError, match="floor_low"):
        document(with_tables(one, ratios=one.ratios.drop(columns="floor_low")))
    with pytest.raises(KeyError, match="p95"):
        document(with_tables(several, metrics=several.metrics.drop(columns="p95")))


@pytest.mark.parametrize("study", DOCUMENTS)
def test_every_field_and_column_is_described(study: str) -> None:
    tables = next(TABLES[kind] for kind in TABLES if study.startswith(kind))
    described = {*FIELDS, *tables}
    for table in tables.values():  # a document of one has its columns at the top
        described |= {column.name for column in table.columns}

    assert [name for name in DOCUMENTS[study].fields if name not in described] == []
    for table in tables.values():
        assert table.description
        assert all(column.description for column in table.columns)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.float64("nan"), None),
        (float("-inf"), "-Infinity"),
        (pd.NA, None),
        ((1, "a", None), [1, "a", None]),
        ({1: {"a": np.float32(0.5)}}, {"1": {"a": 0.5}}),
        (pd.DataFrame({"a": [1, 2]}), [{"a": 1}, {"a": 2}]),
    ],
)
def test_only_plain_values_are_left(value: object, expected: object) -> None:
    value_of_json = plain(value)

    assert value_of_json == expected
    assert type(value_of_json) is type(expected)


def test_text_reads_back_ends_in_a_newline_and_has_numbers_that_json_knows() -> None:
    text = as_text({"name": "naïve", "numbers": [0.1]})

    assert json.loads(text) == {"name": "naïve", "numbers": [0.1]}
    assert text.endswith("}\n")
    assert "naïve" in text
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_text({"value": float("nan")})
