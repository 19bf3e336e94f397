"""The report of conformance: its sentences, tables, tiles, terminal, and JUnit file."""

from collections.abc import Callable
from xml.etree import ElementTree as ET

import pytest
from reading import column, shown, tables

from gnbbench.report.blocks import Document, Section
from gnbbench.report.conformance import report
from gnbbench.report.conformance_summary import number_text
from gnbbench.report.html import page
from gnbbench.report.junit import conformance_junit
from gnbbench.statistics.documents import document
from gnbbench.statistics.summary import Summary

Give = Callable[..., Summary]
FAILED = ("offsets-1", "offsets-4", "one-row-in-a-class-1", "weights-1")
COUNTED = ("failures", "errors", "skipped")


def plain(texts: list[str]) -> list[str]:
    return [text.replace("\N{NO-BREAK SPACE}", " ") for text in texts]


def facts(summary: Summary) -> dict[str, tuple[str, str]]:
    """Return value and detail of each tile by its title."""
    return {
        tile.title: (plain([tile.facts[0].value])[0], tile.facts[0].detail)
        for tile in report(summary).tiles
    }


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
        (("perfect",), "perfect passes all 12 checks."),
        (("partial",), "partial passes all 10 checks that apply."),
        (("faulty",), "faulty passes 7 of 11 checks and fails 4."),
        (("nothing",), "None of 12 checks applies to nothing."),
        (("perfect", "faulty"), "1 of 2 implementations passes every check that applies"),
        (("perfect", "partial"), "All 2 implementations pass every check that applies"),
        (("faulty", "nothing"), "None of 2 implementations passes every check; faulty"),
    ],
)
def test_the_headline_counts_what_is_passed(
    conformance_of: Give, names: tuple[str, ...], words: str
) -> None:
    assert conformance_of(*names).headline.startswith(words)


@pytest.mark.parametrize(
    ("name", "expected", "tone", "unexpected"),
    [
        ("perfect", (), "good", []),
        ("faulty", (), "bad", [*FAILED]),
        ("faulty", FAILED[:1], "bad", [*FAILED[1:]]),
        ("faulty", FAILED, "unsure", []),
        ("nothing", (), "unsure", []),
    ],
)
def test_the_tone_follows_the_gate(
    conformance_of: Give,
    name: str,
    expected: tuple[str, ...],
    tone: str,
    unexpected: list[str],
) -> None:
    summary = conformance_of(name, expected=expected)

    assert report(summary).tone == tone
    assert summary.details["examined"][0]["unexpected"] == unexpected
    assert "12 checks in 3 families, each alone, for at most 30 s." in (
        report(summary).setting
    )


def test_an_outcome_says_whether_it_was_expected(conformance_of: Give) -> None:
    summary = conformance_of("faulty", expected=("offsets-0", "offsets-1", "weights-0"))

    told = {row["id"]: row for row in summary.details["examined"][0]["results"]}
    found = {name: (row["words"], row["tone"]) for name, row in told.items()}
    assert found["offsets-0"] == ("unexpectedly passes", "unsure")
    assert found["offsets-1"] == ("fail, expected", "unsure")
    assert found["offsets-2"] == ("pass", "good")
    assert found["offsets-4"] == ("crash", "bad")
    assert found["one-row-in-a-class-1"] == ("timeout", "bad")
    assert found["weights-0"] == ("not applicable", "none")
    assert told["offsets-4"]["found"] == "the process ended with signal 11"


def test_a_pass_that_was_to_fail_is_told(conformance_of: Give) -> None:
    expected = ("offsets-0", "offsets-1", "weights-0")

    alone = conformance_of("faulty", expected=expected).details["surprises"]
    board = conformance_of("perfect", "faulty", expected=expected)

    assert alone == ("offsets-0 unexpectedly passes.",)
    assert board.details["surprises"] == (
        "offsets-0 unexpectedly passes on perfect and faulty.",
        "offsets-1 unexpectedly passes on perfect.",
        "weights-0 unexpectedly passes on perfect.",
    )
    assert "Remark: offsets-1 unexpectedly passes on perfect." in shown(report(board))


def test_the_frame_has_a_row_for_each_implementation_and_check(
    conformance_of: Give,
) -> None:
    frame = conformance_of("faulty", "perfect").table("results")

    assert len(frame) == 12 * 2
    assert frame["measured"].dtype == frame["tolerance"].dtype == "float64"
    assert (frame["outcome"] == "pass").sum() == 7 + 12


def test_what_is_no_number_is_told_from_what_was_not_measured(
    conformance_odd: Summary,
) -> None:
    rows = tables(report(conformance_odd), "checks")["Every check, failures first"]
    failed = tables(report(conformance_odd), "failures")["What it gets wrong"]

    assert [row["measured"] for row in document(conformance_odd)["results"][:3]] == [
        *("Infinity", None, None)
    ]
    assert column(rows, "measured")[:3] == ["infinite", "NaN", "–"]
    assert "NaN labels wrong" in column(failed, "what was found")[1]


def test_failures_have_statement_number_and_source(conformance_of: Give) -> None:
    said = report(conformance_of("faulty"))

    found = tables(said, "failures")["What it gets wrong"]
    assert len(found) == 4
    assert "labels are those of exact arithmetic" in column(found, "what must hold")[0]
    assert column(found, "what was found")[0].startswith("0.0452 labels wrong; worst")
    assert "NIST StRD, SmLs07" in column(found, "source")


def test_no_failure_is_said_so_and_the_method_names_its_sources(
    conformance_of: Give,
) -> None:
    text = page(report(conformance_of("perfect")))

    assert "Every check that applies is passed." in text
    assert "<li>Chan, Golub and LeVeque (1983)</li>" in text
    assert "No check applies" in page(report(conformance_of("nothing")))


def test_results_come_failures_first_and_sort_so(conformance_of: Give) -> None:
    said = report(conformance_of("faulty", expected=("offsets-1",)))
    table = tables(said, "checks")["Every check, failures first"]

    assert column(table, "result")[:5] == [
        *("✗ fail, expected", "✗ fail", "! crash", "… timeout", "– not applicable"),
    ]
    keys = [row[1].key[0] for row in table.cells]
    assert keys == sorted(keys)
    assert plain(column(table, "tolerance"))[::7] == ["0", "1 × 10⁻⁹"]
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


def test_marks_scores_and_totals_lead_to_what_was_found(conformance_of: Give) -> None:
    said: Document = report(conformance_of("faulty", "perfect"))
    matrix = tables(said, "matrix")["Checks that some fail"]
    whole = tables(said, "matrix")["Checks that none fails (8)"]
    scores = tables(said, "verdict")["Scores, most passes first"]
    found = tables(said, "implementations")["What faulty does not pass"]

    assert [one.heading for one in matrix.columns] == ["check", "perfect", "faulty"]
    assert set(column(matrix, "perfect")) == {"✓ pass"}
    assert column(matrix, "faulty")[0] == "✗ fail"
    assert set(column(whole, "faulty")) == {"✓ pass", "– n/a"}
    rows = (*matrix.cells, *whole.cells)
    links = {cell.link for row in rows for cell in row[1:] if cell.link}
    assert links == {f"#{anchor}" for anchor in found.anchors}
    assert len(links) == 5
    totals = [(cell.link, cell.text) for cell in matrix.totals[1:]]
    assert totals == [("#implementation-1", "12/12"), ("#implementation-2", "7/11")]
    first = scores.cells[0][0]
    assert (first.text, first.link) == ("perfect", "#implementation-1")
    section = next(one for one in said.sections if one.anchor == "implementations")
    named = [(b.anchor, b.title) for b in section.blocks if isinstance(b, Section)]
    assert named == [("implementation-1", "perfect"), ("implementation-2", "faulty")]


def test_tiles_count_what_is_passed_and_name_the_hardest_and_the_slowest(
    conformance_of: Give,
) -> None:
    alone = facts(conformance_of("faulty", expected=("offsets-1",)))
    board = facts(conformance_of("faulty", "perfect", "partial"))

    assert alone["Passed"] == ("7 / 11", "of the checks that apply")
    assert alone["Failed"] == ("4", "2 wrong, 1 crashed and 1 out of time; 1 expected")
    assert alone["Not applicable"][0] == "1"
    assert alone["Slowest check"] == ("120 ms", "weights-3")
    assert facts(conformance_of("perfect"))["Failed"] == ("0", "no check")
    assert board["Pass every check that applies"] == ("2 of 3", "perfect and partial")
    assert board["Most checks passed"] == ("12", "of 12: perfect")
    assert board["Failed by most"] == ("1 of 3", "offsets-1")
    assert board["Slowest check"][1] == "weights-3, perfect"
    perfect = facts(conformance_of("perfect", "partial"))
    assert perfect["Failed by most"] == ("0 of 2", "–")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("perfect", "Passed: offsets 5/5, one row in a class 3/3, weights 4/4."),
        ("faulty", "In part: offsets 3/5, one row in a class 2/3, weights 2/3."),
        ("nothing", "Not applicable: offsets, one row in a class, weights."),
    ],
)
def test_a_terminal_sums_up_families(conformance_of: Give, name: str, line: str) -> None:
    assert shown(report(conformance_of(name))).rstrip().endswith(line)


def junit(summary: Summary) -> ET.Element:
    """Return the root of the document, as a reader of JUnit XML has it."""
    return ET.fromstring(conformance_junit(summary).encode())  # noqa: S314  our own text


def cases(root: ET.Element) -> dict[str, list[str]]:
    """Return the kinds of element of each test case by its name."""
    found = root.iter("testcase")
    return {case.get("name", ""): [child.tag for child in case] for case in found}


def test_outcomes_are_failure_error_or_skipped_and_explained(conformance_of: Give) -> None:
    root = junit(conformance_of("faulty"))

    found = cases(root)
    counts = {name: root.get(name) for name in ("tests", *COUNTED)}
    assert counts == {"tests": "12", "failures": "2", "errors": "2", "skipped": "1"}
    assert found["offsets-0"] == []
    assert found["offsets-1"] == found["weights-1"] == ["failure"]
    assert found["offsets-4"] == found["one-row-in-a-class-1"] == ["error"]
    assert found["weights-0"] == ["skipped"]
    case = next(one for one in root.iter("testcase") if one.get("name") == "offsets-1")
    assert case.get("classname") == "gnbbench.conformance.offsets"
    assert case.get("time") == "0.020"
    assert "0.0452 labels wrong" in case[0].get("message", "")
    assert "Source: NIST StRD, SmLs07" in (case[0].text or "")


def test_an_expected_failure_fails_no_build(conformance_of: Give) -> None:
    root = junit(conformance_of("faulty", expected=("offsets-0", *FAILED)))

    assert (root.get("failures"), root.get("errors")) == ("0", "0")
    assert cases(root)["offsets-1"] == ["skipped"]
    assert root.findtext(".//system-out") == "unexpectedly passes"


def test_names_of_test_cases_are_unique_and_nothing_but_text(conformance_of: Give) -> None:
    board = conformance_of("perfect", "faulty", "<script>alert()</script>")

    assert "offsets-1 [faulty]" in cases(junit(board))
    assert len(cases(junit(board))) == 36
    text = conformance_junit(board)
    assert "&lt;script&gt;" in text
    assert not [bad for bad in ("\x00", "\x1b", "<script>") if bad in text]
