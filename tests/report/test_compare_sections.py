"""The page's tables hold the summary's numbers."""

from collections.abc import Callable

from gnbbench.report import compare_sections as sections
from gnbbench.statistics.summary import Summary

Give = Callable[[str], Summary]


def test_label_table_adds_up_to_all_predictions(summary_of: Give) -> None:
    summary = summary_of("different")

    (table,) = sections.label_tables(summary)

    total = sum(float(cell.key) for row in table.rows for cell in row[1:])
    assert total == summary.agreement["predictions"].sum()


def test_no_label_table_for_an_implementation_without_labels(summary_of: Give) -> None:
    assert sections.label_tables(summary_of("failed")) == ()


def test_no_disputed_rows_is_no_table(summary_of: Give) -> None:
    assert sections.disputed_table(summary_of("usual")) is None


def test_disputed_rows_keep_their_votes(summary_of: Give) -> None:
    table = sections.disputed_table(summary_of("different"))

    assert table is not None
    assert table.rows[0][5].text == "versicolor 100 %"


def test_reference_has_no_difference_from_itself(summary_of: Give) -> None:
    table = sections.metric_table(summary_of("usual"), ("test_accuracy",), "t")

    assert [row[5].text for row in table.rows] == ["reference", "identical"]


def test_errors_are_counted_by_message(summary_of: Give) -> None:
    table = sections.failure_table(summary_of("failed"))

    assert table is not None
    assert [cell.text for cell in table.rows[0]] == [
        "broken",
        "ValueError: covariance is singular",
        "20",
    ]


def test_a_study_without_errors_has_no_table_of_them(summary_of: Give) -> None:
    assert sections.failure_table(summary_of("usual")) is None


def test_every_ratio_has_its_floor(summary_of: Give) -> None:
    table = sections.ratio_table(summary_of("several"))

    floor = table.columns.index("noise floor")
    assert {row[floor].text for row in table.rows} == {"0.985 to 1.012"}


def test_all_tables_can_be_made_of_any_summary(any_summary: Summary) -> None:
    tables = [
        sections.agreement_table(any_summary),
        sections.class_table(any_summary),
        sections.time_table(any_summary),
        sections.ratio_table(any_summary),
        sections.feature_table(any_summary),
        sections.class_count_table(any_summary),
    ]

    for table in tables:
        assert all(len(row) == len(table.columns) for row in table.rows)
