"""Tables of a streamed study on a page and in a terminal."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.console import Console

from gnbbench.report.compare_terminal import empty_block
from gnbbench.report.streamed_sections import parameter_table, pass_block, pass_table
from gnbbench.statistics.streamed import stream_tables
from gnbbench.statistics.summary import Summary


@pytest.fixture
def found(summary_of: Callable[[str], Summary]) -> Summary:
    """Give the tables of a small study with a hostile name in it."""
    row = {"stage": "scoring", "implementation": "", "rows": 1500}
    calls = {**row, "what": "calls", "implementation": "<b>\x1b[31m", "rows": 300}
    given = {"implementation": "<b>\x1b[31m", "parameter": "var_"}
    tables = stream_tables(
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
    return replace(summary_of("usual"), study="stream").with_tables(**tables)


def test_a_pass_is_told_in_rows_seconds_and_rates(found: Summary) -> None:
    table = pass_table(found)

    assert table is not None
    texts = [
        [cell.text.replace("\N{NO-BREAK SPACE}", " ") for cell in r] for r in table.rows
    ]
    assert texts[0] == ["scoring", "reading", "1,500", "500 ms", "3,000", "1.00 ×"]
    assert texts[1][2:] == ["300", "125 ms", "2,400", "0.250 ×"]
    assert "\x1b" not in texts[1][1]
    assert table.rows[2][3].key == "1.0"


def test_what_is_not_offered_is_a_dash(found: Summary) -> None:
    table = parameter_table(found)

    assert table is not None
    assert [r[2].text.replace("\N{NO-BREAK SPACE}", " ") for r in table.rows] == [
        "2.00 × 10⁻⁶",
        "–",
    ]


def test_nothing_streamed_is_no_table(summary_of: Callable[[str], Summary]) -> None:
    assert pass_table(summary_of("usual")) is None
    assert parameter_table(summary_of("usual")) is None


def test_a_terminal_gets_a_line_for_each_in_80_columns(found: Summary) -> None:
    console = Console(width=80)
    block = empty_block(("", 40), ("time", 10), ("rows/s", 13), last="× reading")

    with console.capture() as shown:
        console.print(pass_block(found, block))

    lines = shown.get().splitlines()
    assert max(map(len, lines)) <= 80
    assert any("scoring: whole pass" in line and "1.00" in line for line in lines)
    assert "\x1b[31m" not in shown.get()
