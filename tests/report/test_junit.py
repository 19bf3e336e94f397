"""JUnit XML: read back it is what was written, and its file is whole or the old one."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from gnbbench.errors import ResultsError
from gnbbench.report.junit import (
    DECLARATION,
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


def test_cases_are_counted_and_each_has_one_element_for_what_became_of_it() -> None:
    root = root_of(document("all", [suite("one", cases()), suite("two", cases()[:1])]))

    wanted = {"failures": "1", "errors": "1", "skipped": "1"}
    assert root.attrib == {"name": "all", "tests": "5", **wanted, "time": "0.500"}
    one, two = root
    assert one.attrib == {"name": "one", "tests": "4", **wanted, "time": "0.250"}
    assert (two.get("tests"), two.get("failures")) == ("1", "0")
    passes, fails, breaks, waits = one
    assert [child.tag for child in passes] == ["system-out"]
    assert passes.findtext("system-out") == "said"
    assert passes.attrib == {"classname": "a.b", "name": "passes", "time": "0.250"}
    assert [child.tag for child in (*fails, *breaks)] == ["failure", "error"]
    assert fails[0].attrib == {"message": "1 > 0", "type": "fail"}
    assert (fails[0].text, waits[0].get("message")) == ("why", "not yet")


def test_what_xml_cannot_hold_is_replaced_wherever_it_stands() -> None:
    bad = "<b>&\x00\x1b\ud800"
    one = case(bad, bad, "failure", message=bad, kind=bad, text=bad, output=bad)

    root = root_of(document(bad, [suite(bad, [one], {"property": bad})]))

    found = root[0].find("testcase")
    assert found is not None
    assert {found.get("name"), found[0].text, root.get("name")} == {"<b>&���"}


def test_a_file_is_written_with_its_directory_or_refused_with_a_remedy(
    tmp_path: Path,
) -> None:
    (tmp_path / "taken").write_text("")
    below = tmp_path / "taken" / "below.xml"

    write_document("text", tmp_path / "deep" / "down.xml")

    assert (tmp_path / "deep" / "down.xml").read_text() == "text"
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["down.xml"]
    with pytest.raises(ResultsError, match=r"cannot be written.*--junit FILE"):
        write_document("text", below)
    require_file(tmp_path / "not" / "there" / "yet.xml")
    for path, words in ((tmp_path, "is a directory"), (below, "is a file")):
        with pytest.raises(ResultsError, match=words):
            require_file(path)


@pytest.mark.parametrize(
    "content",
    [
        "notes\n",
        "a,b\n1,2\n",
        DECLARATION,
        f'{DECLARATION}<testsuites name="pytest tests" tests="1"/>\n',
        f'{DECLARATION}<testsuites name="gnbbenchmark" tests="1"/>\n',
    ],
)
def test_a_file_of_others_is_not_replaced(content: str, tmp_path: Path) -> None:
    theirs = tmp_path / "a.xml"
    theirs.write_text(content)

    with pytest.raises(ResultsError, match=r"not a JUnit document of gnbbench, and is not"):
        require_file(theirs)

    assert theirs.read_text() == content


def test_a_file_of_ours_is_replaced_and_so_is_an_empty_one(tmp_path: Path) -> None:
    ours = tmp_path / "a.xml"
    for text in ("", gates_junit([("iris", FOUND)], "compare")):
        ours.write_text(text)
        require_file(ours)
        write_document(gates_junit([], "compare"), ours)


FOUND = (
    Gate("mine", "runs", "pass", "all"),
    Gate("mine", "agreement", "fail", "3 labels"),
    Gate("mine", "fit time", "inconclusive", "1.4 × within 1.3 to 1.6"),
    Gate("mine", "predict_proba time", "not applicable", "none"),
)


def test_every_gate_has_a_case_and_only_what_fails_is_red() -> None:
    root = root_of(gates_junit([("iris", FOUND)], "compare"))

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
    judged = [("gaussians", FOUND[:1]), ("gaussians", FOUND[1:2])]

    root = root_of(gates_junit(judged, "compare"))

    assert [found.get("tests") for found in root] == ["1", "1"]
    assert root.get("failures") == "1"
