"""Gates as JUnit XML: red is what fails, and nothing else."""

from xml.etree import ElementTree as ET

from gnbbench.report.junit import gates_junit
from gnbbench.statistics.gates import Gate

FOUND = (
    Gate("mine", "runs", "pass", "all"),
    Gate("mine", "agreement", "fail", "3 labels"),
    Gate("mine", "fit time", "inconclusive", "1.4 × within 1.3 to 1.6"),
    Gate("mine", "predict_proba time", "not applicable", "none"),
)


def root_of(*judged: tuple[str, tuple[Gate, ...]]) -> ET.Element:
    return ET.fromstring(gates_junit(judged, "compare").encode())  # noqa: S314  our text


def test_there_is_a_case_for_each_gate_and_implementation() -> None:
    root = root_of(("iris", FOUND))

    cases = list(root.iter("testcase"))
    assert {case.get("classname") for case in cases} == {"gnbbench.compare.iris"}
    assert [case.get("name") for case in cases] == [
        "mine: runs",
        "mine: agreement",
        "mine: fit time",
        "mine: predict_proba time",
    ]


def test_only_what_fails_is_red() -> None:
    root = root_of(("iris", FOUND))

    tags = [case[0].tag for case in root.iter("testcase")]
    assert tags == ["system-out", "failure", "skipped", "skipped"]
    assert (root.get("failures"), root.get("errors")) == ("1", "0")


def test_numbers_and_outcome_are_in_the_message() -> None:
    root = root_of(("iris", FOUND))

    skipped = next(root.iter("skipped"))
    assert skipped.attrib == {
        "message": "1.4 × within 1.3 to 1.6",
        "type": "inconclusive",
    }
    assert root.findtext(".//system-out") == "all"


def test_datasets_of_one_name_keep_their_gates() -> None:
    root = root_of(("gaussians", FOUND[:1]), ("gaussians", FOUND[1:2]))

    assert [suite.get("tests") for suite in root] == ["1", "1"]
    assert root.get("failures") == "1"
