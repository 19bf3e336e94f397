"""The report of a comparison, in memory or streamed."""

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest
from reading import column, shown, tables, texts
from rich.cells import cell_len

from gnbbench.report.blocks import Attachment, Document
from gnbbench.report.compare import report, rows
from gnbbench.report.figures.drawing import Absence
from gnbbench.report.html import page
from gnbbench.statistics.streamed import stream_tables
from gnbbench.statistics.summary import Summary

Give = Callable[[str], Summary]
SPACE = "\N{NO-BREAK SPACE}"


def attachment(document: Document, name: str) -> Attachment:
    return next(file for file in document.attachments if file.name == name)


@pytest.fixture
def streamed(summary_of: Give) -> Summary:
    """Give a small streamed study with a hostile name in it."""
    row = {"stage": "scoring", "implementation": "", "rows": 1500}
    calls = {**row, "what": "calls", "implementation": "<b>\x1b[31m", "rows": 300}
    given = {"implementation": "<b>\x1b[31m", "parameter": "var_"}
    found = stream_tables(
        {
            "passes": [
                {**row, "what": "reading", "seconds": 0.5},
                {**calls, "seconds": 0.125},
                {**row, "what": "whole pass", "seconds": 1.0},
            ],
            "parameters": [
                {**given, "largest_relative_difference": 2e-6},
                {**given, "largest_relative_difference": None},
            ],
        }
    )
    return replace(summary_of("usual"), study="stream").with_tables(**found)


@pytest.mark.slow
def test_the_verdict_is_the_headline_and_empty_states_say_so(summary_of: Give) -> None:
    usual, failed = (page(report(summary_of(name))) for name in ("usual", "failed"))

    assert "<h1>Identical: none of 45,000 predictions differ.</h1>" in usual
    assert "No row of the data ever got another label" in usual
    assert "No row of the data ever got another label" not in failed
    assert "There are no labels to hold against each other." in failed


@pytest.mark.slow
def test_what_cannot_be_drawn_says_why(summary_of: Give) -> None:
    drawings = report(summary_of("no_probabilities_at_all")).drawings

    absent = {one.name: one.reason for one in drawings if isinstance(one, Absence)}
    drawn = {one.name for one in drawings} - set(absent)
    assert drawn == {"accuracy", "accuracy_spread", "confusion"}
    assert all(absent.values())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["several", "digits"])
def test_a_large_page_stays_under_a_megabyte(summary_of: Give, name: str) -> None:
    text = page(report(summary_of(name)))

    assert len(text.encode()) < 1_000_000


@pytest.mark.slow
def test_long_data_are_linked_and_short_data_shown(summary_of: Give) -> None:
    text = page(report(summary_of("usual")))

    spread = text[text.index('id="figure-accuracy_spread"') :]
    bars = text[text.index('id="figure-accuracy"') :]
    assert "Too many rows" in spread[: spread.index("</figure>")]
    assert "Too many rows" not in bars[: bars.index("</figure>")]


@pytest.mark.slow
def test_plan_and_machine_are_told_in_words_and_units(summary_of: Give) -> None:
    text = page(report(summary_of("usual")))

    assert "<dt>memory</dt><dd>8.0 GiB</dd>" in text
    assert "<dt>test size</dt><dd>0.3</dd>" in text
    assert "<dt>stratify</dt><dd>yes</dd>" in text


def test_only_the_worst_disputes_stand_in_the_page(summary_of: Give) -> None:
    summary = summary_of("different")
    many = summary.disputed_rows.loc[summary.disputed_rows.index.repeat(30)]
    document = report(summary.with_tables(disputed_rows=many.reset_index(drop=True)))

    table = tables(document, "agreement")["Rows ever in dispute"]
    assert len(table) == 200
    assert f"The {len(many) - 200} rows with fewer disputes are in" in page(document)


def test_runs_and_timings_are_files(summary_of: Give) -> None:
    usual, untimed = (
        report(summary_of(name)) for name in ("usual", "no_probabilities_at_all")
    )

    runs = attachment(usual, "runs.csv").content
    assert isinstance(runs, pd.DataFrame)
    assert len(runs) == len(summary_of("usual").runs)
    assert attachment(usual, "timings.pyperf.json").content
    assert attachment(untimed, "timings.pyperf.json").content is None


def test_label_tables_add_up_to_all_predictions(summary_of: Give) -> None:
    summary = summary_of("different")

    found = tables(report(summary), "agreement")
    table = next(t for caption, t in found.items() if caption.startswith("Labels of"))
    total = sum(float(cell.key) for row in table.cells for cell in row[1:])
    assert total == summary.agreement["predictions"].sum()
    assert texts(found["Rows ever in dispute"])[0][5] == "versicolor 100 %"
    none = tables(report(summary_of("failed")), "agreement")
    assert list(none) == ["Agreement with the reference"]


def test_the_reference_has_no_difference_from_itself(summary_of: Give) -> None:
    table = tables(report(summary_of("usual")), "accuracy")["Scores over runs"]

    assert column(table, "difference (95 % interval)")[2:4] == ["reference", "identical"]


def test_errors_are_counted_by_message(summary_of: Give) -> None:
    found = tables(report(summary_of("failed")), "verdict")

    assert texts(found["Runs that ended in an error"]) == [
        ["broken", "ValueError: covariance is singular", "20"]
    ]
    assert tables(report(summary_of("usual")), "verdict") == {}


def test_every_ratio_has_its_floor_and_processes_where_there_are_several(
    summary_of: Give,
) -> None:
    found = tables(report(summary_of("several")), "time")
    table = found["Time over that of the reference, paired"]

    assert set(column(table, "noise floor")) == {"0.985 to 1.012"}
    assert all(text.endswith(" in 3") for text in column(table, "over processes"))
    once = tables(report(summary_of("usual")), "time")
    headings = [c.heading for c in once["Time over that of the reference, paired"].columns]
    assert "over processes" not in headings


def test_four_tiles_with_a_fact_per_competitor(any_summary: Summary) -> None:
    found = report(any_summary).tiles

    assert len(found) == 4
    for tile in found:
        assert len(tile.facts) == len(any_summary.implementations) - 1
        assert all(fact.value and fact.detail for fact in tile.facts)


def test_an_identical_study_says_so_with_its_bound(summary_of: Give) -> None:
    agreement, accuracy, probability, speed = (
        tile.facts[0] for tile in report(summary_of("usual")).tiles
    )

    assert agreement.value == f"100{SPACE}%"
    assert agreement.detail.startswith("0 of 45,000 predictions differ; at most 2.1")
    assert accuracy.detail == "identical in every run"
    assert "machine epsilon" in probability.detail
    assert speed.value == "0.120 ×"
    assert "noise floor 0.985 to 1.012" in speed.detail


def test_tiles_tell_differences_and_what_is_not_there(summary_of: Give) -> None:
    different = report(summary_of("different")).tiles[1].facts[0].detail
    failed = report(summary_of("failed")).tiles

    assert different.startswith("difference −0.0")
    assert " to " in different
    assert [tile.facts[0].value for tile in failed] == ["–"] * 4
    exact = report(summary_of("exact")).tiles[2].facts[0]
    assert exact.detail == "equal to the last bit"


def test_a_terminal_of_80_columns_holds_all_and_cuts_nothing(any_summary: Summary) -> None:
    document = report(any_summary)

    wide = [line for line in shown(document, 200).splitlines() if line.startswith(" ")]
    text = shown(document)
    assert max(cell_len(line.rstrip()) for line in wide) <= 80
    assert max(cell_len(line) for line in text.splitlines()) <= 80
    flat = "".join(text.split())
    for name in any_summary.implementations[1:]:
        for row in rows(any_summary, name):
            assert "".join(row[0].split()) in flat
            assert "".join(row[2].split()) in flat


def test_verdicts_come_first_blocks_for_each_and_remarks_last(summary_of: Give) -> None:
    usual = shown(report(summary_of("usual")))
    several = shown(report(summary_of("several")))

    assert usual.index("Identical: none of 45,000") < usual.index("Agreement")
    assert several.count("Agreement") == 5
    last = shown(report(summary_of("cannot_tell"))).splitlines()[-1]
    assert last == "Remark: The machine was busy: load 3.2 on 2 cores."
    assert "[bold]" in shown(report(summary_of("hostile")))


def test_lines_say_what_differs(summary_of: Give) -> None:
    lines = {row[0]: tuple(row[1:]) for row in rows(summary_of("usual"), "numpy")}
    other = {row[0]: row[1:] for row in rows(summary_of("different"), "density")}

    assert lines["Agreement"][2] == "0 of 45,000 differ"
    assert lines["Exact runs"] == ("", "1,000", "of 1,000")
    assert lines["Test accuracy"][2] == "identical"
    assert lines["fit"][2] == "0.120 × (0.116 to 0.124)\nfaster; floor 0.985 to 1.012"
    assert other["Test accuracy"][2].startswith("−0.0")
    assert " to " in other["Test accuracy"][2]
    assert {row[2] for row in rows(summary_of("failed"), "broken")} == {"–"}


def test_a_pass_is_told_in_rows_seconds_and_rates(streamed: Summary) -> None:
    table = tables(report(streamed), "time")["What a pass took"]

    found = [[text.replace(SPACE, " ") for text in row] for row in texts(table)]
    assert found[0] == ["scoring", "reading", "1,500", "500 ms", "3,000", "1.00 ×"]
    assert found[1][2:] == ["300", "125 ms", "2,400", "0.250 ×"]
    assert "\x1b" not in found[1][1]
    assert table.cells[2][3].key == "1"


def test_parameters_that_are_not_offered_are_dashes(streamed: Summary) -> None:
    caption = "What the models learned, against the reference"
    table = tables(report(streamed), "agreement")[caption]

    found = column(table, "largest relative difference")
    assert [text.replace(SPACE, " ") for text in found] == ["2.00 × 10⁻⁶", "–"]


def test_a_study_in_memory_has_no_tables_of_a_stream(summary_of: Give) -> None:
    document = report(summary_of("usual"))

    assert "What a pass took" not in tables(document, "time")
    assert len(tables(document, "agreement")) == 2


def test_a_terminal_gets_a_line_for_each_pass(streamed: Summary) -> None:
    text = shown(report(streamed))

    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert any("scoring: whole pass" in line and "1.00" in line for line in lines)
    assert "\x1b[31m" not in text
