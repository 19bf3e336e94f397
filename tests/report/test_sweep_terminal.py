"""What a terminal shows of a sweep."""

from collections.abc import Callable

from rich.cells import cell_len
from rich.console import Console

from gnbbench.report.sweep_terminal import fraction_rows, sweep_table, whole_rows
from gnbbench.statistics.summary import Summary

Give = Callable[[str], Summary]


def _shown(summary: Summary, width: int = 80) -> str:
    console = Console(width=width, no_color=True, force_terminal=False, file=None)
    with console.capture() as capture:
        console.print(sweep_table(summary))
    return capture.get()


def test_fits_eighty_columns(any_sweep: Summary) -> None:
    tables = [
        line for line in _shown(any_sweep, width=200).splitlines() if line.startswith(" ")
    ]

    assert tables
    assert max(cell_len(line.rstrip()) for line in tables) <= 80
    assert max(cell_len(line) for line in _shown(any_sweep).splitlines()) <= 80


def test_no_cell_is_cut(any_sweep: Summary) -> None:
    flat = "".join(_shown(any_sweep).split())

    for name in any_sweep.implementations[1:]:
        for line in (*whole_rows(any_sweep, name), *fraction_rows(any_sweep, name)):
            assert "".join(line[0].split()) in flat
            assert "".join(line[2].split()) in flat


def test_the_verdict_comes_first_and_remarks_last(sweep_of: Give) -> None:
    text = _shown(sweep_of("density"))

    assert text.index("match entirely") < text.index("Exact runs")
    assert text.index("difference (95 %)") < text.index("Remark: In 7 of 1,800 runs")


def test_the_whole_is_that_of_the_summary(sweep_of: Give) -> None:
    summary = sweep_of("density")
    own = summary.overall.iloc[1]

    lines = {row[0]: row[1:] for row in whole_rows(summary, "density-product")}

    assert lines["Exact runs"][2] == f"{own['exact_runs']:,.0f} of 1,800"
    assert lines["Labels per run"][1] == f"{own['mismatches_mean']:.3f}"
    assert lines["Test accuracy"][1] == f"{own['test_accuracy']:.4f}"
    assert "×" in lines["fit"][2]


def test_every_fraction_has_its_line(sweep_of: Give) -> None:
    summary = sweep_of("density")

    lines = fraction_rows(summary, "density-product")

    assert [line[0].replace("\N{NO-BREAK SPACE}", " ") for line in lines] == [
        f"{tenth}0 %" for tenth in range(1, 10)
    ]
    assert all(line[5].endswith(" *") for line in lines[:4])
    assert not any(line[5].endswith(" *") for line in lines[4:])


def test_a_mark_is_explained_only_where_there_is_one(sweep_of: Give) -> None:
    assert "* conservative" in _shown(sweep_of("density"))
    assert "* conservative" not in _shown(sweep_of("identical"))


def test_what_failed_shows_dashes_not_numbers(sweep_of: Give) -> None:
    summary = sweep_of("all_failed")

    assert [row[2] for row in whole_rows(summary, "broken")] == ["–"]
    assert {cell for row in fraction_rows(summary, "broken") for cell in row[1:]} == {"–"}


def test_markup_in_names_stays_text(sweep_of: Give) -> None:
    assert "[bold]" in _shown(sweep_of("hostile"))
