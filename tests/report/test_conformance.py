"""The report of conformance: its verdict, tables, tiles, terminal, and JUnit file."""

from collections.abc import Callable
from io import StringIO

import pytest
from reading import column, shown, tables
from rich.cells import cell_len
from rich.console import Console

from gnbbench.report.blocks import Document, Section, Verdicts
from gnbbench.report.conformance import (
    check_list,
    family_line,
    report,
)
from gnbbench.report.conformance_summary import ConformanceSummary
from gnbbench.report.html import page
from gnbbench.report.terminal import terminal_table

Give = Callable[..., ConformanceSummary]
HOSTILE = "<script>alert(1)</script>"


def plain(texts: list[str]) -> list[str]:
    return [text.replace("\N{NO-BREAK SPACE}", " ") for text in texts]


def facts(document: Document) -> dict[str, tuple[str, str]]:
    """Return value and detail of each tile by its title."""
    return {
        tile.title: (plain([tile.facts[0].value])[0], tile.facts[0].detail)
        for tile in document.tiles
    }


@pytest.mark.parametrize(
    ("name", "expected", "tone"),
    [
        ("perfect", (), "good"),
        ("faulty", (), "bad"),
        ("faulty", ("offsets-1",), "bad"),
        (
            "faulty",
            ("offsets-1", "offsets-4", "one-row-in-a-class-1", "weights-1"),
            "unsure",
        ),
        ("nothing", (), "unsure"),
    ],
)
def test_the_band_says_the_score_and_its_tone_follows_the_gate(
    conformance_of: Give, name: str, expected: tuple[str, ...], tone: str
) -> None:
    document = report(conformance_of(name, expected=expected))

    assert document.headline == conformance_of(name, expected=expected).headline
    assert document.tone == tone
    assert "12 checks in 3 families, each alone, for at most 30 s." in document.setting


def test_failures_have_statement_number_and_source(conformance_of: Give) -> None:
    sections = {one.anchor: one for one in report(conformance_of("faulty")).sections}

    found = next(b for b in sections["failures"].blocks if isinstance(b, Verdicts))
    assert len(found.verdicts) == 4
    first = found.verdicts[0]
    assert "labels are those of exact arithmetic" in first.sentence
    assert "measured 0.0452, at most 0 allowed (labels)" in first.detail
    assert ("Source: NIST StRD, SmLs07",) in [one.further for one in found.verdicts]


def test_no_failure_is_said_so_and_the_method_names_its_sources(
    conformance_of: Give,
) -> None:
    text = page(report(conformance_of("perfect")))

    assert "Every check that applies is passed." in text
    assert "<li>Chan, Golub and LeVeque (1983)</li>" in text
    assert "No check applies" in page(report(conformance_of("nothing")))


def test_no_value_is_left_unformatted(any_conformance: ConformanceSummary) -> None:
    document = report(any_conformance)

    found = {
        cell.text
        for section in document.sections
        for table in tables(document, section.anchor).values()
        for row in table.cells
        for cell in row
    }
    assert found
    assert not {"nan", "None", "inf"} & found


def test_results_come_failures_first_and_sort_so(conformance_of: Give) -> None:
    document = report(conformance_of("faulty", expected=("offsets-1",)))
    table = tables(document, "checks")["Every check, failures first"]

    assert column(table, "result")[:5] == [
        *("✗ fail, expected", "✗ fail", "! crash", "… timeout", "– not applicable"),
    ]
    keys = [row[1].key[0] for row in table.cells]
    assert keys == sorted(keys)
    assert column(table, "measured")[0] == "0.0452"
    assert plain(column(table, "tolerance"))[::7] == ["0", "1 × 10⁻⁹"]
    assert len(table) == 12
    headings = [one.heading for one in table.columns]
    numeric = [h for h, is_one in zip(headings, table.numeric, strict=True) if is_one]
    assert numeric == ["measured", "tolerance", "time"]


def test_families_with_failures_come_first(conformance_of: Give) -> None:
    faulty, nothing = (
        tables(report(conformance_of(name)), "families")["Results by family"]
        for name in ("faulty", "nothing")
    )

    assert column(faulty, "family") == ["offsets", "one row in a class", "weights"]
    assert column(faulty, "passed") == ["3/5", "2/3", "2/3"]
    assert column(faulty, "crash") == ["1", "0", "0"]
    assert column(nothing, "passed") == ["–"] * 3


def test_the_matrix_has_marks_that_lead_to_what_was_found(conformance_of: Give) -> None:
    document = report(conformance_of("faulty", "perfect"))
    table = tables(document, "matrix")["Check by implementation"]
    found = tables(document, "implementations")["What faulty does not pass"]

    assert [one.heading for one in table.columns] == ["check", "perfect", "faulty"]
    assert set(column(table, "perfect")) == {"✓ pass"}
    assert column(table, "faulty")[1:9:7] == ["✗ fail", "– n/a"]
    links = {cell.link for row in table.cells for cell in row[1:] if cell.link}
    assert links == {f"#{anchor}" for anchor in found.anchors}
    assert len(links) == 5


def test_scores_and_totals_lead_to_their_implementation(conformance_of: Give) -> None:
    document = report(conformance_of("faulty", "perfect"))
    scores = tables(document, "verdict")["Scores, most passes first"]
    matrix = tables(document, "matrix")["Check by implementation"]

    first = scores.cells[0][0]
    assert (first.text, first.link) == ("perfect", "#implementation-1")
    assert column(scores, "passed") == ["12/12", "7/11"]
    totals = [(cell.link, cell.text) for cell in matrix.totals[1:]]
    assert totals == [("#implementation-1", "12/12"), ("#implementation-2", "7/11")]
    section = next(one for one in document.sections if one.anchor == "implementations")
    named = [(b.anchor, b.title) for b in section.blocks if isinstance(b, Section)]
    assert named == [("implementation-1", "perfect"), ("implementation-2", "faulty")]


def test_the_battery_has_tolerance_and_source(conformance_of: Give) -> None:
    document = report(conformance_of("perfect", "faulty"))
    table = tables(document, "checks")["What is examined"]

    assert plain(column(table, "tolerance"))[:3] == ["1 × 10⁻⁹", "0", "–"]
    assert column(table, "source")[1] == "NIST StRD, SmLs07"


def test_one_implementation_has_passed_failed_not_applicable_and_slowest(
    conformance_of: Give,
) -> None:
    found = facts(report(conformance_of("faulty", expected=("offsets-1",))))

    assert found["Passed"] == ("7 / 11", "of the checks that apply")
    assert found["Failed"] == ("4", "2 wrong, 1 crashed and 1 out of time; 1 expected")
    assert found["Not applicable"][0] == "1"
    assert found["Slowest check"] == ("120 ms", "weights-3")
    assert facts(report(conformance_of("perfect")))["Failed"] == ("0", "no check")


def test_a_scoreboard_has_the_best_the_hardest_and_the_slowest(
    conformance_of: Give,
) -> None:
    found = facts(report(conformance_of("faulty", "perfect", "partial")))

    assert found["Pass every check that applies"] == ("2 of 3", "perfect and partial")
    assert found["Most checks passed"] == ("12", "of 12: perfect")
    assert found["Failed by most"] == ("1 of 3", "offsets-1")
    assert found["Slowest check"][1] == "weights-3, perfect"
    perfect = facts(report(conformance_of("perfect", "partial")))
    assert perfect["Failed by most"] == ("0 of 2", "–")


def test_a_terminal_of_80_columns_holds_all(any_conformance: ConformanceSummary) -> None:
    document = report(any_conformance)

    wide = shown(document, 200).splitlines()
    assert max(cell_len(line) for line in shown(document).splitlines()) <= 80
    assert all(cell_len(line.rstrip()) <= 80 for line in wide if line.startswith(" "))
    assert len(document.tiles) == 4


def test_the_score_comes_before_the_failures_in_words(conformance_of: Give) -> None:
    text = shown(report(conformance_of("faulty", expected=("offsets-1",))))

    lines = text.splitlines()
    assert lines[0] == "faulty 1.9.1 · A GNB that is faulty · 12 checks"
    assert lines[1] == "faulty passes 7 of 11 checks and fails 4."
    assert lines[5].split()[:2] == ["offsets-1", "fail,"]
    assert "Found: measured 0.0452, at most 0 allowed" in " ".join(text.split())


def test_families_are_summed_up(conformance_of: Give) -> None:
    assert family_line(conformance_of("perfect").examined[0]) == (
        "Passed: offsets 5/5, one row in a class 3/3, weights 4/4."
    )
    assert family_line(conformance_of("faulty").examined[0]).startswith("In part: offsets")
    assert family_line(conformance_of("nothing").examined[0]) == (
        "Not applicable: offsets, one row in a class, weights."
    )


def test_a_scoreboard_has_a_line_for_each(conformance_of: Give) -> None:
    text = shown(report(conformance_of("faulty", "perfect")))

    assert "2 implementations · 12 checks" in text
    assert "1 of 2 implementations passes every check that applies: perfect." in text
    lines = [line.split() for line in text.splitlines()]
    assert ["perfect", "12/12", "0", "0", "0", "0", "–"] in lines
    assert any(line[:6] == ["faulty", "7/11", "2", "1", "1", "1"] for line in lines)
    assert "offsets, one row in a" in text


def test_surprises_are_told(conformance_of: Give) -> None:
    text = shown(report(conformance_of("perfect", expected=("offsets-1",))))

    assert "Remark: offsets-1 unexpectedly passes." in text


def test_the_battery_is_listed_with_tolerance_and_source(conformance_of: Give) -> None:
    console = Console(width=80, record=True, file=StringIO())
    console.print(terminal_table(check_list(conformance_of("perfect").checks)))

    text = console.export_text()
    words = " ".join(text.split())
    assert max(cell_len(line) for line in text.splitlines()) <= 80
    assert "one-row-in-a-class-2" in words
    assert "1 × 10⁻⁹" in words
    assert "Chan, Golub and LeVeque (1983)" in words
