"""The report of a comparison, in memory or streamed."""

from dataclasses import replace

import pandas as pd
import pytest
from faults.invented import with_tables
from reading import Give, shown, tables

from gnbbench.report.compare import report
from gnbbench.report.files import page
from gnbbench.report.sections import grouped, origin

pytestmark = pytest.mark.usefixtures("unpainted")


@pytest.mark.slow
def test_data_of_a_figure_that_are_long_are_linked_and_short_ones_stand_there(
    summary_of: Give,
) -> None:
    usual = page(report(summary_of("usual")))

    spread = usual[usual.index('id="figure-accuracy_spread"') :]
    bars = usual[usual.index('id="figure-accuracy"') :]
    assert "Too many rows" in spread[: spread.index("</figure>")]
    assert "Too many rows" not in bars[: bars.index("</figure>")]


@pytest.mark.slow
def test_only_the_worst_disputes_stand_in_the_page(summary_of: Give) -> None:
    summary = summary_of("different")
    rows = summary.disputed_rows
    many = rows.loc[rows.index.repeat(30)].reset_index(drop=True)
    document = report(with_tables(summary, disputed_rows=many))

    table = tables(document, "disputed")["Rows ever in dispute"]
    assert len(table) == 200
    assert f"{len(many) - 200} more are in" in page(document)


def test_runs_and_timings_are_files(summary_of: Give) -> None:
    usual, untimed = (
        {file.name: file.content for file in report(summary_of(name)).attachments}
        for name in ("usual", "no_probabilities_at_all")
    )

    assert isinstance(usual["runs.csv"], pd.DataFrame)
    assert len(usual["runs.csv"]) == len(summary_of("usual").runs)
    assert usual["timings.pyperf.json"]
    assert untimed["timings.pyperf.json"] is None


def test_disturbances_of_several_operations_are_reported_once() -> None:
    warnings = ["fit: The load was 5.", "One is not timed.", "predict: The load was 5."]

    assert grouped(warnings) == ["fit and predict: The load was 5.", "One is not timed."]
    assert grouped(["fit: A.", "predict: B."]) == ["fit: A.", "predict: B."]


@pytest.mark.slow
def test_only_where_labels_differ_the_next_command_is_named(summary_of: Give) -> None:
    different, usual = summary_of("different"), summary_of("usual")
    command = {"explained_by": {"numpy": "gnbbench explain wine --against numpy"}}
    known = replace(different, details={**different.details, **command})

    for summary, count in ((known, 1), (usual, 0)):
        document = report(summary)
        for text in (shown(document), page(document)):
            assert text.count("gnbbench explain") == count
            assert text.count("gnbbench explain wine --against numpy") == count


def test_of_spot_checks_no_tile_says_that_they_are_all_runs(summary_of: Give) -> None:
    usual = summary_of("usual")
    checked = replace(usual, plan={**usual.plan, "spot_checks": 400})

    labels, accuracy = (tile.facts[0].detail for tile in report(checked).tiles[:2])

    assert labels == "identical labels in all 400 spot checks"
    assert accuracy == "identical in all 400 spot checks"


def test_what_was_done_to_the_data_is_said(summary_of: Give) -> None:
    usual = summary_of("usual")
    noted = replace(usual, data=replace(usual.dataset, notes=("Left out 2 of 9 rows.",)))

    assert shown(report(noted)).count("Data: Left out 2 of 9 rows.") == 1
    assert page(report(noted)).count("Left out 2 of 9 rows.") == 1


def test_a_page_says_when_and_by_which_version_it_was_made(summary_of: Give) -> None:
    summary = summary_of("usual")
    dated = {"date": "2026-11-02", "versions": {"gnbbench": "1.2"}}
    timed = {**summary.details, "timing_taken": "3 May 2026, 10:00 (load 1.0)"}

    assert origin(dated) == "2 November 2026 · version 1.2"
    assert "3 May 2026</span>" in page(report(replace(summary, details=timed)))
    assert report(summary).origin == ""


def test_runs_say_how_each_differs_from_the_reference(summary_of: Give) -> None:
    summary = summary_of("different")

    totals = summary.runs.groupby("implementation")[["labels_differ", "max_abs_dp"]]
    row = summary.agreement.iloc[0]
    assert totals.sum()["labels_differ"][row["implementation"]] == row["disagreements"] > 0
    largest = totals.max()["max_abs_dp"]
    assert largest[row["implementation"]] == row["max_probability_difference"]
    assert summary.runs.query("implementation == 'sklearn'")["labels_differ"].isna().all()


@pytest.mark.parametrize(
    ("name", "is_listed"), [("different", False), ("thirty_classes", True)]
)
def test_of_many_labels_only_the_pairs_that_differ_are_listed(
    summary_of: Give, name: str, is_listed: bool
) -> None:
    summary = summary_of(name)

    captions = tables(report(summary), "agreement")

    listed = captions.get("Pairs of labels that differ")
    assert (listed is not None) == is_listed
    assert any(caption.startswith("Labels of sklearn") for caption in captions) != is_listed
    if listed is not None:
        assert listed.rows["count"].sum() == summary.agreement["disagreements"].sum()
