"""The tables of the pages of conformance."""

from collections.abc import Callable

from gnbbench.report.conformance_sections import (
    MarkedCell,
    check_table,
    failure_table,
    family_table,
    matrix,
    result_table,
    score_table,
)
from gnbbench.report.conformance_summary import ConformanceSummary
from gnbbench.report.tables import Table

Give = Callable[..., ConformanceSummary]


def texts(table: Table, column: str) -> list[str]:
    """Return the texts of a column, with plain spaces."""
    place = table.columns.index(column)
    return [row[place].text.replace("\N{NO-BREAK SPACE}", " ") for row in table.rows]


def test_results_come_failures_first_with_measured_and_tolerance(
    conformance_of: Give,
) -> None:
    table = result_table(conformance_of("faulty", expected=("offsets-1",)))

    assert texts(table, "result")[:5] == [
        "✗ fail, expected",
        "✗ fail",
        "! crash",
        "… timeout",
        "– not applicable",
    ]
    assert texts(table, "measured")[0] == "0.0452"
    assert texts(table, "tolerance")[0] == "0"
    assert texts(table, "tolerance")[7] == "1 × 10⁻⁹"
    assert len(table.rows) == 12


def test_measured_tolerance_and_time_sort_as_numbers(conformance_of: Give) -> None:
    table = result_table(conformance_of("faulty"))

    numeric = dict(zip(table.columns, table.numeric, strict=True))
    assert [name for name, is_number in numeric.items() if is_number] == [
        "measured",
        "tolerance",
        "time",
    ]


def test_sorting_by_result_puts_failures_first(conformance_of: Give) -> None:
    table = result_table(conformance_of("faulty"))

    keys = [row[table.columns.index("result")].key for row in table.rows]
    assert keys == sorted(keys)


def test_families_with_failures_come_first(conformance_of: Give) -> None:
    table = family_table(conformance_of("faulty").examined[0])

    assert texts(table, "family") == ["offsets", "one row in a class", "weights"]
    assert texts(table, "passed") == ["3/5", "2/3", "2/3"]
    assert texts(table, "crash") == ["1", "0", "0"]
    assert texts(family_table(conformance_of("nothing").examined[0]), "passed") == ["–"] * 3


def test_the_matrix_has_a_mark_for_each_check_and_implementation(
    conformance_of: Give,
) -> None:
    table = matrix(conformance_of("faulty", "perfect"))

    assert table.columns == ("check", "perfect", "faulty")
    assert set(texts(table, "perfect")) == {"✓ pass"}
    assert texts(table, "faulty")[1] == "✗ fail"
    assert texts(table, "faulty")[8] == "– n/a"


def test_a_mark_that_is_no_pass_leads_to_what_was_found(conformance_of: Give) -> None:
    summary = conformance_of("faulty", "perfect")

    links = {
        cell.link
        for row in matrix(summary).rows
        for cell in row[1:]
        if isinstance(cell, MarkedCell) and cell.link
    }

    found = failure_table(summary.ranked[1], 2, "faulty", ())
    anchors = {f"#{row[0].anchor}" for row in found.rows if isinstance(row[0], MarkedCell)}
    assert links == anchors
    assert len(links) == 5


def test_scores_lead_to_their_implementation(conformance_of: Give) -> None:
    table = score_table(conformance_of("faulty", "perfect"))

    first = table.rows[0][0]
    assert isinstance(first, MarkedCell)
    assert (first.text, first.link) == ("perfect", "#implementation-1")
    assert texts(table, "passed") == ["12/12", "7/11"]


def test_the_battery_has_tolerance_and_source(conformance_of: Give) -> None:
    table = check_table(conformance_of("perfect").checks)

    assert texts(table, "tolerance")[:3] == ["1 × 10⁻⁹", "0", "–"]
    assert texts(table, "source")[1] == "NIST StRD, SmLs07"
