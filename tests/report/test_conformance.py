"""The report of conformance: its sentences, tables, tiles, terminal, and JUnit file."""

from collections.abc import Callable
from xml.etree import ElementTree as ET

import pytest
from reading import column, tables

from gnbbench.report.conformance import report
from gnbbench.report.junit import conformance_junit
from gnbbench.statistics.conformance import number_text
from gnbbench.statistics.documents import document
from gnbbench.statistics.summary import Summary

Give = Callable[..., Summary]
FAILED = ("offsets-1", "offsets-4", "one-row-in-a-class-1", "weights-1")
COUNTED = ("failures", "errors", "skipped")


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
        ("faulty", (), "bad", [*FAILED]),
        ("faulty", FAILED[:1], "bad", [*FAILED[1:]]),
        ("faulty", FAILED, "unsure", []),
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
