"""The report of conformance: its sentences, tables, tiles, terminal."""

import pytest
from reading import Give, column, tables

from gnbbench.report.conformance import report
from gnbbench.statistics.conformance import number_text
from gnbbench.statistics.documents import document
from gnbbench.statistics.summary import Summary


def plain(texts: list[str]) -> list[str]:
    return [text.replace("\N{NO-BREAK SPACE}", " ") for text in texts]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (float("nan"), "NaN"),
        (float("inf"), "infinite"),
        (0.0, "0"),
        (12.0, "12"),
        (-3.0, "−3"),
        (1e-9, "1 × 10⁻⁹"),
        (2.5e-16, "2.5 × 10⁻¹⁶"),
        (0.04521, "0.0452"),
    ],
)
def test_numbers_are_as_short_as_they_can_be(value: float | None, text: str) -> None:
    assert plain([number_text(value)]) == [text]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("perfect", "partial"), "All 2 implementations pass every check that applies"),
        (("faulty", "nothing"), "Neither implementation passes every check; faulty"),
    ],
)
def test_the_headline_counts_what_is_passed(
    conformance_of: Give, names: tuple[str, ...], words: str
) -> None:
    assert conformance_of(*names).headline.startswith(words)


def test_the_frame_has_a_row_per_implementation_and_check(conformance_of: Give) -> None:
    frame = conformance_of("faulty", "perfect").table("results")

    assert len(frame) == 12 * 2
    assert frame["measured"].dtype == frame["tolerance"].dtype == "float64"
    assert (frame["outcome"] == "pass").sum() == 7 + 12


def test_nan_is_distinguished_from_not_measured(conformance_odd: Summary) -> None:
    rows = tables(report(conformance_odd), "checks")["Every check, failures first"]
    failed = tables(report(conformance_odd), "failures")["What it gets wrong"]

    found = document(conformance_odd)["results"][:3]
    assert [row["measured"] for row in found] == ["Infinity", None, None]
    assert column(rows, "measured")[:3] == ["infinite", "NaN", "–"]
    assert "relative error NaN" in column(failed, "observed")[1]


def test_results_come_failures_first_and_sort_so(conformance_of: Give) -> None:
    text = report(conformance_of("faulty", expected=("offsets-1",)))
    table = tables(text, "checks")["Every check, failures first"]

    assert column(table, "result")[:5] == [
        *("✗ fail, expected", "✗ fail", "! crash", "… timeout", "– not applicable")
    ]
    keys = [row[1].key[0] for row in table.cells]
    assert keys == sorted(keys)
    assert plain(column(table, "tolerance"))[::7] == ["0", "1 × 10⁻⁹"]
    headings = [one.heading for one in table.columns]
    numeric = [h for h, is_one in zip(headings, table.numeric, strict=True) if is_one]
    assert numeric == ["measured", "tolerance", "time"]
