"""JUnit XML: read back it is what was written, and its file is whole or the old one."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from gnbbench.errors import ResultsError
from gnbbench.report.junit import (
    case,
    document,
    gates_junit,
    require_file,
    suite,
    write_document,
)
from gnbbench.statistics.gates import Gate


def cases() -> list[ET.Element]:
    return [
        case("a.b", "passes", seconds=0.25, output="said"),
        case("a.b", "fails", "failure", message="1 > 0", kind="fail", text="why"),
        case("a.b", "breaks", "error"),
        case("a.b", "waits", "skipped", message="not yet"),
    ]


def root_of(text: str) -> ET.Element:
    return ET.fromstring(text.encode())  # noqa: S314  our own text


def test_cases_are_counted_in_each_suite_and_in_all() -> None:
    root = root_of(document("all", [suite("one", cases()), suite("two", cases()[:1])]))

    wanted = {"failures": "1", "errors": "1", "skipped": "1"}
    assert root.attrib == {"name": "all", "tests": "5", **wanted, "time": "0.500"}
    one, two = root
    assert one.attrib == {"name": "one", "tests": "4", **wanted, "time": "0.250"}
    assert (two.get("tests"), two.get("failures")) == ("1", "0")


def test_a_case_has_one_element_for_what_became_of_it() -> None:
    passes, fails, breaks, waits = root_of(document("all", [suite("one", cases())]))[0]

    assert [child.tag for child in passes] == ["system-out"]
    assert passes.findtext("system-out") == "said"
    assert passes.attrib == {"classname": "a.b", "name": "passes", "time": "0.250"}
    assert [child.tag for child in fails] == ["failure"]
    assert fails[0].attrib == {"message": "1 > 0", "type": "fail"}
    assert fails[0].text == "why"
    assert [child.tag for child in breaks] == ["error"]
    assert waits[0].get("message") == "not yet"


def test_what_xml_cannot_hold_is_replaced_wherever_it_stands() -> None:
    bad = "<b>&\x00\x1b\ud800"
    one = case(bad, bad, "failure", message=bad, kind=bad, text=bad, output=bad)

    root = root_of(document(bad, [suite(bad, [one], {"property": bad})]))

    found = root[0].find("testcase")
    assert found is not None
    assert {found.get("name"), found[0].text, root.get("name")} == {"<b>&���"}


def test_a_file_is_written_with_its_directory(tmp_path: Path) -> None:
    write_document("text", tmp_path / "deep" / "down.xml")

    assert (tmp_path / "deep" / "down.xml").read_text() == "text"
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["down.xml"]


def test_a_file_that_cannot_be_written_is_one_line_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")

    with pytest.raises(ResultsError, match=r"cannot be written.*--junit FILE"):
        write_document("text", tmp_path / "taken" / "below.xml")


def test_a_document_needs_a_path_that_can_be_a_file(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")

    require_file(tmp_path / "not" / "there" / "yet.xml")
    with pytest.raises(ResultsError, match="is a directory"):
        require_file(tmp_path)
    with pytest.raises(ResultsError, match="is a file"):
        require_file(tmp_path / "taken" / "below.xml")


FOUND = (
    Gate("mine", "runs", "pass", "all"),
    Gate("mine", "agreement", "fail", "3 labels"),
    Gate("mine", "fit time", "inconclusive", "1.4 × within 1.3 to 1.6"),
    Gate("mine", "predict_proba time", "not applicable", "none"),
)


def gates_of(*judged: tuple[str, tuple[Gate, ...]]) -> ET.Element:
    return root_of(gates_junit(judged, "compare"))


def test_every_gate_has_a_case_and_only_what_fails_is_red() -> None:
    root = gates_of(("iris", FOUND))

    found = list(root.iter("testcase"))
    assert {one.get("classname") for one in found} == {"gnbbench.compare.iris"}
    assert [(one.get("name"), one[0].tag) for one in found] == [
        ("mine: runs", "system-out"),
        ("mine: agreement", "failure"),
        ("mine: fit time", "skipped"),
        ("mine: predict_proba time", "skipped"),
    ]
    assert (root.get("failures"), root.get("errors")) == ("1", "0")
    message = {"message": "1.4 × within 1.3 to 1.6", "type": "inconclusive"}
    assert next(root.iter("skipped")).attrib == message
    assert root.findtext(".//system-out") == "all"


def test_datasets_of_one_name_keep_their_gates() -> None:
    root = gates_of(("gaussians", FOUND[:1]), ("gaussians", FOUND[1:2]))

    assert [found.get("tests") for found in root] == ["1", "1"]
    assert root.get("failures") == "1"
