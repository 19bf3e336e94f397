"""What a terminal shows."""

from collections.abc import Callable

from rich.cells import cell_len
from rich.console import Console

from gnbbench.report.compare_terminal import rows, table
from gnbbench.statistics.summary import Summary

Give = Callable[[str], Summary]


def _shown(summary: Summary, width: int = 80) -> str:
    console = Console(width=width, no_color=True, force_terminal=False, file=None)
    with console.capture() as capture:
        console.print(table(summary))
    return capture.get()


def test_fits_eighty_columns(any_summary: Summary) -> None:
    lines = _shown(any_summary, width=200).splitlines()

    tables = [line for line in lines if line.startswith(" ")]
    assert tables
    assert max(cell_len(line.rstrip()) for line in tables) <= 80
    assert max(cell_len(line) for line in _shown(any_summary).splitlines()) <= 80


def test_the_verdict_comes_before_any_number_of_the_table(summary_of: Give) -> None:
    text = _shown(summary_of("usual"))

    assert text.index("Identical: none of 45,000 predictions differ") < text.index(
        "Agreement"
    )


def test_every_competitor_has_its_block(summary_of: Give) -> None:
    text = _shown(summary_of("several"))

    for name in ("numpy", "density", "river", "labels_only", "broken"):
        assert name in text
    assert text.count("Agreement") == 5


def test_no_cell_is_cut(any_summary: Summary) -> None:
    text = _shown(any_summary)
    flat = "".join(text.split())

    for name in any_summary.implementations[1:]:
        for row in rows(any_summary, name):
            assert "".join(row[0].split()) in flat
            assert "".join(row[2].split()) in flat


def test_lines_say_what_differs(summary_of: Give) -> None:
    lines = {row[0]: row[1:] for row in rows(summary_of("usual"), "numpy")}

    assert lines["Agreement"][2] == "0 of 45,000 differ"
    assert lines["Exact runs"] == ("", "1,000", "of 1,000")
    assert lines["Test accuracy"][2] == "identical"
    assert lines["fit"][2] == "0.120 × (0.116 to 0.124)\nfaster; floor 0.985 to 1.012"


def test_differences_come_with_their_interval(summary_of: Give) -> None:
    lines = {row[0]: row[1:] for row in rows(summary_of("different"), "density")}

    assert lines["Test accuracy"][2].startswith("−0.0")
    assert " to " in lines["Test accuracy"][2]


def test_what_failed_shows_dashes_not_numbers(summary_of: Give) -> None:
    lines = rows(summary_of("failed"), "broken")

    assert {row[2] for row in lines} == {"–"}


def test_markup_in_names_stays_text(summary_of: Give) -> None:
    assert "[bold]" in _shown(summary_of("hostile"))


def test_remarks_come_last(summary_of: Give) -> None:
    last = _shown(summary_of("cannot_tell")).splitlines()[-1]

    assert last == "Remark: The machine was busy: load 3.2 on 2 cores."
