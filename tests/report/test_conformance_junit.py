"""JUnit XML: read back, it says what the battery found."""

from collections.abc import Callable
from xml.etree import ElementTree as ET

from gnbbench.report.conformance_summary import ConformanceSummary
from gnbbench.report.junit import conformance_junit

Give = Callable[..., ConformanceSummary]
COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def parsed(summary: ConformanceSummary) -> ET.Element:
    """Return the root of the document, as a reader of JUnit XML has it."""
    return ET.fromstring(conformance_junit(summary).encode())  # noqa: S314  our own text


def cases(root: ET.Element) -> dict[str, list[str]]:
    """Return the kinds of element of each test case by its name."""
    return {
        case.get("name", ""): [child.tag for child in case]
        for case in root.iter("testcase")
    }


def test_every_document_is_well_formed_and_counts_its_cases(
    any_conformance: ConformanceSummary,
) -> None:
    root = parsed(any_conformance)

    assert len(cases(root)) == 12 * len(any_conformance.examined)
    for element in (root, *root.iter("testsuite")):
        assert int(element.get("tests", 0)) == len(list(element.iter("testcase")))
        for attribute, tag in COUNTED.items():
            assert int(element.get(attribute, -1)) == len(list(element.iter(tag)))


def test_outcomes_are_failure_error_or_skipped(conformance_of: Give) -> None:
    root = parsed(conformance_of("faulty"))

    found = cases(root)
    assert found["offsets-0"] == []
    assert found["offsets-1"] == found["weights-1"] == ["failure"]
    assert found["offsets-4"] == found["one-row-in-a-class-1"] == ["error"]
    assert found["weights-0"] == ["skipped"]


def test_a_case_is_named_timed_and_explained(conformance_of: Give) -> None:
    root = parsed(conformance_of("faulty"))

    case = next(one for one in root.iter("testcase") if one.get("name") == "offsets-1")
    assert case.get("classname") == "gnbbench.conformance.offsets"
    assert case.get("time") == "0.020"
    failure = case.find("failure")
    assert failure is not None
    assert "at most 0 allowed (labels)" in failure.get("message", "")
    assert "Source: NIST StRD, SmLs07" in (failure.text or "")


def test_an_expected_failure_fails_no_build(conformance_of: Give) -> None:
    known = ("offsets-0", "offsets-1", "offsets-4", "one-row-in-a-class-1", "weights-1")

    root = parsed(conformance_of("faulty", expected=known))

    assert (root.get("failures"), root.get("errors")) == ("0", "0")
    assert cases(root)["offsets-1"] == ["skipped"]
    assert root.findtext(".//system-out") == "unexpectedly passes"


def test_names_are_unique_in_a_scoreboard(conformance_of: Give) -> None:
    root = parsed(conformance_of("perfect", "faulty"))

    names = [case.get("name") for case in root.iter("testcase")]
    assert len(names) == len(set(names)) == 24
    assert "offsets-1 [faulty]" in names


def test_what_xml_cannot_hold_is_replaced(conformance_of: Give) -> None:
    summary = conformance_of("<script>alert(1)</script>")

    text = conformance_junit(summary)

    assert "\x00" not in text
    assert "\x1b" not in text
    assert "&lt;script&gt;" in text
    assert "<script>" not in text
