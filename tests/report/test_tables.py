"""Tables of the page."""

import pandas as pd

from gnbbench.report.tables import build, number_cell, of_frame, text_cell


def test_columns_of_numbers_are_numeric_and_the_first_never_is() -> None:
    table = build(
        "t",
        ["row", "n", "word"],
        [[number_cell(1, "1"), number_cell(2, "2"), text_cell("a")]],
    )

    assert table.numeric == (False, True, False)


def test_nan_reads_as_a_dash_and_sorts_by_nothing() -> None:
    table = of_frame("t", pd.DataFrame({"name": ["a", "b"], "value": [0.5, float("nan")]}))

    assert table is not None
    assert [row[1].text for row in table.rows] == ["0.50000", "–"]
    assert [row[1].key for row in table.rows] == ["0.5", ""]
    assert table.numeric == (False, True)


def test_a_long_frame_stays_out() -> None:
    frame = pd.DataFrame({"value": range(201)})

    assert of_frame("t", frame) is None
    assert of_frame("t", frame.head(200)) is not None


def test_text_is_on_one_line() -> None:
    assert text_cell("a\nb").text == "a b"
