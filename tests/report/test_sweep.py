"""The report of a sweep: its tables, tiles and terminal."""

from collections.abc import Callable

import pytest
from reading import shown, tables, texts

from gnbbench.report.sweep import fraction_table, median_text, report, whole_rows
from gnbbench.statistics.summary import Summary

Give = Callable[[str], Summary]


def test_the_whole_has_a_row_per_implementation_and_none_for_the_reference(
    sweep_of: Give,
) -> None:
    summary = sweep_of("density")

    table = tables(report(summary), "agreement")["All train fractions together"]
    reference, own = table.cells
    assert [cell.text for cell in reference[1:8]] == ["–"] * 7
    assert own[1].text == "1,800"
    assert float(own[3].key) == pytest.approx(summary.overall["exact_share"].iloc[1])
    assert float(own[8].key) == pytest.approx(summary.overall["test_accuracy"].iloc[1])


def test_conservative_intervals_are_marked_and_others_not(sweep_of: Give) -> None:
    found = tables(report(sweep_of("density")), "accuracy")

    for row in found["Accuracy at each train fraction"].cells:
        assert row[3].text.endswith(" *") == (float(row[0].key) < 0.5)


def test_a_fraction_without_a_split_is_called_so(sweep_of: Give) -> None:
    document = report(sweep_of("several"))

    accuracies = tables(document, "accuracy")["Accuracy at each train fraction"].cells
    agreements = tables(document, "agreement")["Agreement at each train fraction"].cells
    first = [row for row in accuracies if float(row[0].key) == 0.01]
    assert {row[8].text for row in first} == {"no split"}
    assert {row[2].text for row in agreements if float(row[0].key) == 0.01} == {"no split"}
    assert all(row[8].text != "no split" for row in accuracies if row not in first)


@pytest.mark.slow
def test_thin_and_impossible_runs_are_counted(sweep_of: Give) -> None:
    thin, none = (
        texts(tables(report(sweep_of(name)), "splits")["Splits at each train fraction"])[0]
        for name in ("density", "several")
    )

    assert thin[3:] == ["200", "7", "0", "conservative *"]
    assert none[3:] == ["40", "0", "40", "usual"]


def test_tiles_tell_what_is_identical_and_judge_no_fraction_without_a_split(
    sweep_of: Give,
) -> None:
    exact, mismatches, accuracy, speed = (
        tile.facts[0] for tile in report(sweep_of("identical")).tiles
    )
    several = report(sweep_of("several")).tiles

    assert (exact.value, exact.detail) == ("100\N{NO-BREAK SPACE}%", "360 of 360 runs")
    assert (mismatches.value, mismatches.detail) == ("0", "median 0, most 0")
    assert [median_text(value) for value in (0.0, 1.5, float("nan"))] == ["0", "1.5", "–"]
    assert accuracy.detail == "identical at 9 of 9 train fractions"
    assert "noise floor" in speed.detail
    assert all("nan" not in f.value + f.detail for tile in several for f in tile.facts)
    assert several[2].facts[0].detail == "identical at 9 of 9 train fractions"
    assert several[2].facts[3].detail == "failed at 9 of 9 train fractions"


@pytest.mark.slow
def test_the_verdict_comes_first_and_remarks_last(sweep_of: Give) -> None:
    text = shown(report(sweep_of("density")))

    assert text.index("match entirely") < text.index("Exact runs")
    assert text.index("difference (95 %)") < text.index("Remark: In 7 of 1,800 runs")
    assert "* conservative" in text
    assert "* conservative" not in shown(report(sweep_of("identical")))
    assert "[bold]" in shown(report(sweep_of("hostile")))


def test_the_whole_is_that_of_the_summary(sweep_of: Give) -> None:
    summary = sweep_of("density")
    own = summary.overall.iloc[1]

    lines = {row[0]: row[1:] for row in whole_rows(summary, "density-product")}

    assert lines["Exact runs"][2] == f"{own['exact_runs']:,.0f} of 1,800"
    assert lines["Labels per run"][1] == f"{own['mismatches_mean']:.3f}"
    assert lines["Test accuracy"][1] == f"{own['test_accuracy']:.4f}"
    assert "×" in lines["fit"][2]


def test_every_fraction_has_its_line_of_dashes_where_all_failed(sweep_of: Give) -> None:
    lines = texts(fraction_table(sweep_of("density"), "density-product"))
    failed = sweep_of("all_failed")

    assert [line[0].replace("\N{NO-BREAK SPACE}", " ") for line in lines] == [
        f"{tenth}0 %" for tenth in range(1, 10)
    ]
    assert [line[5].endswith(" *") for line in lines] == [True] * 4 + [False] * 5
    assert [row[2] for row in whole_rows(failed, "broken")] == ["–"]
    assert {
        cell for row in texts(fraction_table(failed, "broken")) for cell in row[1:]
    } == {"–"}
