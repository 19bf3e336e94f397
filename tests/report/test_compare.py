"""The report of a comparison, in memory or streamed."""

import re
from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest
from reading import column, shown, tables, texts

from gnbbench.report.compare import report, rows
from gnbbench.report.html import page
from gnbbench.report.sections import grouped
from gnbbench.statistics.remarks import stream_tables
from gnbbench.statistics.summary import Summary

Give = Callable[[str], Summary]
SPACE = "\N{NO-BREAK SPACE}"
RATIOS = "Time over that of the reference, paired"


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
def test_the_page_says_verdict_plan_machine_and_empty_states(summary_of: Give) -> None:
    usual, failed = (page(report(summary_of(name))) for name in ("usual", "failed"))

    assert "<h1>Identical: none of 18,000 labels differ.</h1>" in usual
    assert "Rows in dispute" not in usual + failed
    assert "<dt>memory</dt><dd>8.0 GiB</dd>" in usual
    assert "<dt>test size</dt><dd>0.3</dd>" in usual
    assert "<dt>stratify</dt><dd>yes</dd>" in usual
    # Data that are long are linked, and short ones stand there.
    spread = usual[usual.index('id="figure-accuracy_spread"') :]
    bars = usual[usual.index('id="figure-accuracy"') :]
    assert "Too many rows" in spread[: spread.index("</figure>")]
    assert "Too many rows" not in bars[: bars.index("</figure>")]


@pytest.mark.slow
def test_only_the_worst_disputes_stand_in_the_page(summary_of: Give) -> None:
    summary = summary_of("different")
    rows = summary.disputed_rows
    many = rows.loc[rows.index.repeat(30)].reset_index(drop=True)
    document = report(summary.with_tables(disputed_rows=many))

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


def test_label_tables_add_up_to_all_predictions(summary_of: Give) -> None:
    summary = summary_of("different")

    found = tables(report(summary), "agreement")
    table = next(t for caption, t in found.items() if caption.startswith("Labels of"))
    total = sum(float(cell.key or 0) for row in table.cells for cell in row[1:])
    assert total == summary.agreement["predictions"].sum()
    document = report(summary)
    disputed = texts(tables(document, "disputed")["Rows ever in dispute"])
    assert [row[5] for row in disputed] == summary.disputed_rows.sort_values(
        "disputed", ascending=False, kind="stable"
    )["reference_votes"].tolist()
    none = tables(report(summary_of("failed")), "agreement")
    assert list(none) == ["Agreement with the reference"]


def test_numbers_of_a_metric_are_those_of_the_summary(summary_of: Give) -> None:
    summary = summary_of("different")

    table = tables(report(summary), "accuracy")["Scores over runs"]
    own = table.cells[3]  # of the test accuracy, below the reference
    changes = summary.differences.set_index("metric")
    means = summary.metrics.set_index(["metric", "implementation"])["mean"]
    assert float(own[2].key) == pytest.approx(means["test_accuracy", "density"])
    assert float(own[5].key) == pytest.approx(changes.loc["test_accuracy", "mean"])
    usual = tables(report(summary_of("usual")), "accuracy")["Scores over runs"]
    differences = column(usual, "difference (95 % interval)")
    assert differences[2:4] == ["reference", "identical"]


def test_errors_are_counted_by_message(summary_of: Give) -> None:
    found = tables(report(summary_of("failed")), "failures")

    (row,) = texts(found["Runs that ended in an error"])
    assert row == ["broken", "ValueError: made to fail", "20"]
    assert "failures" not in [part.anchor for part in report(summary_of("usual")).sections]


def test_every_ratio_has_its_floor_and_processes_where_there_are_several(
    summary_of: Give,
) -> None:
    table = tables(report(summary_of("several")), "time")[RATIOS]
    once = tables(report(summary_of("usual")), "time")[RATIOS]

    assert all(" to " in text for text in column(table, "noise floor"))
    assert all(text.endswith(" in 3") for text in column(table, "over processes"))
    assert "over processes" not in [c.heading for c in once.columns]


def test_tiles_tell_what_is_the_same_what_differs_and_what_is_not_there(
    summary_of: Give,
) -> None:
    usual, different, failed, exact = (
        [tile.facts[0] for tile in report(summary_of(name)).tiles]
        for name in ("usual", "different", "failed", "exact")
    )

    assert usual[0].value == f"100{SPACE}%"
    assert usual[0].detail.startswith("no label differs in 400 of 400 runs; at most 2")
    assert usual[1].detail == "identical in every run"
    assert "machine epsilon" in usual[2].detail
    assert re.fullmatch(r"\d\.\d× faster", usual[3].value)
    assert re.match(r"\d\.\d to \d\.\d; ", usual[3].detail)
    assert "noise floor 0.9" in usual[3].detail
    assert re.match(r"−\d\.\d points \(−", different[1].detail)
    assert " to " in different[1].detail
    assert different[2].detail.startswith("mean ")
    assert [fact.value for fact in failed] == ["–"] * 4
    assert exact[2].detail == "equal to the last bit"


def test_verdicts_come_first_blocks_for_each_and_remarks_last(summary_of: Give) -> None:
    usual, several, busy = (
        shown(report(summary_of(name))) for name in ("usual", "several", "cannot_tell")
    )

    first, second = usual.splitlines()[1:3]
    assert re.fullmatch(
        r"numpy: same labels as sklearn; fit \d\.\d× faster \(\d\.\d to \d\.\d\)", first
    )
    assert second.startswith("Identical: none of 18,000 labels differ. Probabilities")
    assert busy.splitlines()[1].endswith("; fit time not distinguishable")
    assert several.count("Agreement") == 5
    assert busy.splitlines()[-1] == "The machine was busy: load 3.2 on 2 cores."


def test_lines_say_what_differs(summary_of: Give) -> None:
    lines = {row[0]: tuple(row[1:]) for row in rows(summary_of("usual"), "numpy")}
    other = {row[0]: row[1:] for row in rows(summary_of("different"), "density")}

    assert lines["Agreement"][2] == "0 of 18,000 differ"
    assert lines["Exact runs"] == ("", "400", "of 400")
    assert lines["Test accuracy"][2] == "identical"
    factor, floor = lines["fit"][2].split("\n")
    assert re.fullmatch(r"\d\.\d× faster \(\d\.\d to \d\.\d\)", factor)
    assert re.match(r"noise floor 0\.9", floor)
    assert other["Test accuracy"][2].startswith("−0.0")
    assert " to " in other["Test accuracy"][2]
    assert {row[2] for row in rows(summary_of("failed"), "broken")} == {"–"}


def test_a_stream_tells_its_passes_and_what_its_models_learned(
    streamed: Summary, summary_of: Give
) -> None:
    document = report(streamed)

    table = tables(document, "time")["What a pass took"]
    found = [[text.replace(SPACE, " ") for text in row] for row in texts(table)]
    assert found[0] == ["scoring", "reading", "1,500", "500 ms", "3,000", "1.00 ×"]
    assert found[1][2:] == ["300", "125 ms", "2,400", "0.250 ×"]
    assert "\x1b" not in found[1][1]
    assert table.cells[2][3].key == "1"
    caption = "What the models learned, against the reference"
    learned = column(tables(document, "agreement")[caption], "largest relative difference")
    assert [text.replace(SPACE, " ") for text in learned] == ["2.00 × 10⁻⁶", "–"]
    lines = shown(document).splitlines()
    assert max(map(len, lines)) <= 80
    assert any(re.match(r" scoring +reading +500\sms .* 1\.00\s×", line) for line in lines)
    assert not any("\x1b[31m" in line for line in lines)
    assert "What a pass took" not in tables(report(summary_of("usual")), "time")


def test_what_disturbs_several_operations_is_said_once() -> None:
    warnings = ["fit: The load was 5.", "One is not timed.", "predict: The load was 5."]

    assert grouped(warnings) == ["fit and predict: The load was 5.", "One is not timed."]
    assert grouped(["fit: A.", "predict: B."]) == ["fit: A.", "predict: B."]


def test_where_labels_differ_the_next_command_is_named_and_nowhere_else(
    summary_of: Give,
) -> None:
    different, usual = summary_of("different"), summary_of("usual")
    command = {"explained_by": {"numpy": "gnbbench explain wine --against numpy"}}
    known = replace(different, details={**different.details, **command})

    for text in (shown(report(known)), page(report(known))):
        assert text.count("gnbbench explain wine --against numpy") == 1
    for text in (shown(report(usual)), page(report(usual))):
        assert "gnbbench explain" not in text
