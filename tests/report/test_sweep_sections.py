"""The tables of a sweep's page hold the summary's numbers."""

from collections.abc import Callable

import pytest

from gnbbench.report import sweep_sections
from gnbbench.statistics.summary import Summary

Give = Callable[[str], Summary]


def test_the_headline_has_a_row_per_implementation_and_none_for_the_reference(
    sweep_of: Give,
) -> None:
    summary = sweep_of("density")

    table = sweep_sections.headline_table(summary)

    reference, own = table.rows
    assert [cell.text for cell in reference[1:8]] == ["–"] * 7
    assert own[1].text == "1,800"
    assert float(own[3].key) == summary.overall["exact_share"].iloc[1]
    assert float(own[8].key) == summary.overall["test_accuracy"].iloc[1]


def test_histogram_rows_add_up_to_all_runs(sweep_of: Give) -> None:
    (table,) = sweep_sections.histogram_tables(sweep_of("density"))

    assert table.columns[:4] == ("train fraction", "0", "1", "2")
    totals = {sum(float(cell.key) for cell in row[1:]) for row in table.rows}
    assert totals == {200.0}
    assert len(table.rows) == 9


def test_no_histogram_where_nothing_differs(sweep_of: Give) -> None:
    assert sweep_sections.histogram_tables(sweep_of("identical")) == ()
    assert len(sweep_sections.histogram_tables(sweep_of("several"))) == 2


def test_conservative_intervals_are_marked_and_others_not(sweep_of: Give) -> None:
    table = sweep_sections.accuracy_table(sweep_of("density"))

    for row in table.rows:
        marked = row[3].text.endswith(" *")
        assert marked == (float(row[0].key) < 0.5)


def test_a_fraction_without_a_split_is_called_so(sweep_of: Give) -> None:
    summary = sweep_of("several")

    accuracies = sweep_sections.accuracy_table(summary).rows
    agreements = sweep_sections.fraction_table(summary).rows

    first = [row for row in accuracies if float(row[0].key) == 0.01]
    assert {row[8].text for row in first} == {"no split"}
    assert {row[2].text for row in agreements if float(row[0].key) == 0.01} == {"no split"}
    assert all(row[8].text != "no split" for row in accuracies if row not in first)


def test_slopes_are_told_in_points(sweep_of: Give) -> None:
    summary = sweep_of("density")

    table = sweep_sections.slope_table(summary)

    values = [float(row[3].key) for row in table.rows]
    assert values == pytest.approx((100 * summary.slopes["slope"]).tolist())


def test_thin_and_impossible_runs_are_counted(sweep_of: Give) -> None:
    thin = sweep_sections.split_table(sweep_of("density")).rows[0]
    none = sweep_sections.split_table(sweep_of("several")).rows[0]

    assert [cell.text for cell in thin[3:]] == ["200", "7", "0", "conservative *"]
    assert [cell.text for cell in none[3:]] == ["40", "0", "40", "usual"]


@pytest.mark.parametrize(("value", "text"), [(0.0, "0"), (1.5, "1.5"), (float("nan"), "–")])
def test_medians_are_as_short_as_they_can_be(value: float, text: str) -> None:
    assert sweep_sections.median_text(value) == text
