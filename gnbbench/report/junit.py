"""JUnit XML of checks and of gates, which continuous integration shows test by test."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree as ET

from gnbbench.errors import ResultsError
from gnbbench.report.blocks import Row
from gnbbench.report.files import replace_file
from gnbbench.statistics.gates import Gate, GateOutcome
from gnbbench.statistics.summary import Summary

# XML 1.0, section 2.2: characters that no escape can bring into a document.
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

_REMEDY = "Give another file: --junit FILE"
_Element = Literal["failure", "error", "skipped"]

_OF_CHECKS: Mapping[str, _Element] = {
    "fail": "failure",
    "crash": "error",
    "timeout": "error",
    "not applicable": "skipped",
}
# Tools take an error for red, which "inconclusive" is not: the exit code says it.
_OF_GATES: Mapping[GateOutcome, Literal["failure", "skipped"]] = {
    "fail": "failure",
    "inconclusive": "skipped",
    "not applicable": "skipped",
}


@dataclass(frozen=True)
class Case:
    """One test case."""

    classname: str
    name: str
    element: _Element | None = None  # What became of it; None where it passed
    message: str = ""  # Attribute of that element
    kind: str = ""  # Its attribute ``type``
    text: str = ""  # What it holds
    output: str = ""  # What the case says where it passed
    seconds: float = 0.0


@dataclass(frozen=True)
class Suite:
    """Cases that belong together."""

    name: str
    cases: Sequence[Case]
    # What is to be known of all of them
    properties: Mapping[str, str] = field(default_factory=dict)


def conformance_junit(summary: Summary) -> str:
    """Return the results as JUnit XML: a suite for each implementation.

    A failure that was expected counts as skipped, as pytest's ``xfail`` does, so that
    the file and the exit code say the same. In a scoreboard, a test's name has its
    implementation in brackets: names stay unique.
    """
    examined = summary.details["examined"]
    suites = []
    for one in examined:
        name = one["implementation"]
        where = f" [{name}]" if len(examined) > 1 else ""
        properties = {key: one[key] for key in ("description", "version")}
        suites.append(
            Suite(name, [_check(row, where) for row in one["results"]], properties)
        )
    return document("gnbbench conformance", suites)


def _check(row: Row, where: str) -> Case:
    element, words = _OF_CHECKS.get(row["outcome"]), row["found"] or row["words"]
    if element is not None and row["expected_failure"]:
        element = "skipped"
    is_red = element in {"failure", "error"}
    return Case(
        f"gnbbench.conformance.{row['family']}",
        row["id"] + where,
        element,
        message=words,
        kind=row["words"],
        text=f"{row['statement']}\n{words}\nSource: {row['source']}" if is_red else "",
        output=row["words"] if element is None and row["expected_failure"] else "",
        seconds=row["seconds"],
    )


def gates_junit(judged: Sequence[tuple[str, Sequence[Gate]]], study: str) -> str:
    """Return gates as JUnit XML: a suite for each dataset.

    What is inconclusive counts as skipped, with its numbers as the message.
    """
    return document(
        f"gnbbench {study}",
        [
            Suite(dataset, [_gate(gate, f"gnbbench.{study}.{dataset}") for gate in found])
            for dataset, found in judged
        ],
    )


def _gate(gate: Gate, classname: str) -> Case:
    name, element = f"{gate.implementation}: {gate.name}", _OF_GATES.get(gate.outcome)
    if element is None:
        return Case(classname, name, output=gate.sentence)
    return Case(classname, name, element, message=gate.sentence, kind=gate.outcome)


def document(name: str, suites: Sequence[Suite]) -> str:
    """Return suites as JUnit XML."""
    root = ET.Element("testsuites", name=_clean(name))
    root.attrib.update(_counts([case for suite in suites for case in suite.cases]))
    for suite in suites:
        _add_suite(root, suite)
    ET.indent(root, " ")
    return f"{DECLARATION}{ET.tostring(root, encoding='unicode')}\n"


def write_document(text: str, path: Path) -> None:
    """Write a document to a file of its own, whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, text.encode())
    except OSError as error:
        what = f"the file cannot be written ({error.strerror or error})"
        raise ResultsError(str(path), what, _REMEDY) from error


def require_file(path: Path) -> None:
    """Raise unless a path can be that of a file: it is no directory, nor below a file."""
    if path.is_dir():
        raise ResultsError(str(path), "it is a directory", _REMEDY)
    above = next((parent for parent in path.absolute().parents if parent.exists()), path)
    if not above.is_dir():
        raise ResultsError(str(path), f"{above} is a file", _REMEDY)


def _add_suite(root: ET.Element, suite: Suite) -> None:
    found = ET.SubElement(root, "testsuite", name=_clean(suite.name))
    found.attrib.update(_counts(suite.cases))
    if suite.properties:
        properties = ET.SubElement(found, "properties")
        for name, value in suite.properties.items():
            ET.SubElement(properties, "property", name=name, value=_clean(value))
    for case in suite.cases:
        _add_case(found, case)


def _add_case(suite: ET.Element, case: Case) -> None:
    found = ET.SubElement(
        suite,
        "testcase",
        classname=_clean(case.classname),
        name=_clean(case.name),
        time=f"{case.seconds:.3f}",
    )
    if case.element is not None:
        outcome = ET.SubElement(
            found, case.element, message=_clean(case.message), type=_clean(case.kind)
        )
        outcome.text = _clean(case.text) or None
    if case.output:
        ET.SubElement(found, "system-out").text = _clean(case.output)


def _counts(cases: Sequence[Case]) -> dict[str, str]:
    found = Counter(case.element for case in cases)
    return {
        "tests": str(len(cases)),
        "failures": str(found["failure"]),
        "errors": str(found["error"]),
        "skipped": str(found["skipped"]),
        "time": f"{sum(case.seconds for case in cases):.3f}",
    }


def _clean(text: str) -> str:
    """Return the text with a replacement mark for what XML cannot hold."""
    return NOT_XML.sub("�", text)
