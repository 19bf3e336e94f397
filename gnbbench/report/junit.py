"""JUnit XML of checks and of gates, which continuous integration shows test by test."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

from gnbbench.errors import ResultsError
from gnbbench.files import replace_file
from gnbbench.report.blocks import Row
from gnbbench.statistics.gates import Gate, GateOutcome
from gnbbench.statistics.summary import Summary

# XML 1.0, section 2.2: characters that no escape can bring into a document.
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

# Every name of a document begins with that of the program.
_START = f'{DECLARATION}<testsuites name="gnbbench '.encode()
_REMEDY = "Give another file: --junit FILE"
_OF_CHECKS: Mapping[str, str] = {
    "fail": "failure",
    "crash": "error",
    "timeout": "error",
    "not applicable": "skipped",
}
# Tools take an error for red, which "inconclusive" is not: the exit code says it.
_OF_GATES: Mapping[GateOutcome, str] = {
    "fail": "failure",
    "inconclusive": "skipped",
    "not applicable": "skipped",
}


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
        cases = [_check(row, where) for row in one["results"]]
        known = {key: one[key] for key in ("description", "version")}
        suites.append(suite(name, cases, known))
    return document("gnbbench conformance", suites)


def _check(row: Row, where: str) -> ET.Element:
    element, words = _OF_CHECKS.get(row["outcome"]), row["found"] or row["words"]
    if element is not None and row["expected_failure"]:
        element = "skipped"
    is_red = element in {"failure", "error"}
    return case(
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
    suites = [
        suite(dataset, [_gate(gate, f"gnbbench.{study}.{dataset}") for gate in found])
        for dataset, found in judged
    ]
    return document(f"gnbbench {study}", suites)


def _gate(gate: Gate, classname: str) -> ET.Element:
    name, element = f"{gate.implementation}: {gate.name}", _OF_GATES.get(gate.outcome)
    if element is None:
        return case(classname, name, output=gate.sentence)
    return case(classname, name, element, message=gate.sentence, kind=gate.outcome)


def case(
    classname: str,
    name: str,
    element: str | None = None,
    *,
    message: str = "",
    kind: str = "",
    text: str = "",
    output: str = "",
    seconds: float = 0.0,
) -> ET.Element:
    """Return a test case: what became of it, with what it says, or what a pass says."""
    found = ET.Element("testcase", classname=classname, name=name, time=repr(seconds))
    if element is not None:
        what = ET.SubElement(found, element, message=message, type=kind)
        what.text = text or None
    if output:
        ET.SubElement(found, "system-out").text = output
    return found


def suite(
    name: str, cases: Sequence[ET.Element], known: Mapping[str, str] | None = None
) -> ET.Element:
    """Return cases that belong together, with what is to be known of all of them."""
    found = ET.Element("testsuite", {"name": name, **_counts(cases)})
    if known:
        properties = ET.SubElement(found, "properties")
        for key, value in known.items():
            ET.SubElement(properties, "property", name=key, value=value)
    found.extend(cases)
    return found


def document(name: str, suites: Sequence[ET.Element]) -> str:
    """Return suites as JUnit XML, with a mark for each character that XML cannot hold."""
    cases = [one for found in suites for one in found.iter("testcase")]
    root = ET.Element("testsuites", {"name": name, **_counts(cases)})
    root.extend(suites)
    for found in cases:
        found.set("time", f"{float(found.attrib['time']):.3f}")
    for element in root.iter():
        element.text = NOT_XML.sub("�", element.text) if element.text else None
        for key, value in element.items():
            element.set(key, NOT_XML.sub("�", value))
    ET.indent(root, " ")
    return f"{DECLARATION}{ET.tostring(root, encoding='unicode')}\n"


def _counts(cases: Sequence[ET.Element]) -> dict[str, str]:
    found = Counter(part.tag for case in cases for part in case)
    kinds = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    seconds = sum(float(case.attrib["time"]) for case in cases)
    counts = {name: str(found[tag]) for name, tag in kinds.items()}
    return {"tests": str(len(cases)), **counts, "time": f"{seconds:.3f}"}


def write_document(text: str, path: Path) -> None:
    """Write a document to a file of its own, whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, text.encode())
    except OSError as error:
        what = f"the file cannot be written ({error.strerror or error})"
        raise ResultsError(str(path), what, _REMEDY) from error


def require_file(path: Path) -> None:
    """Raise unless a path can be that of a new file, or holds a document of ours."""
    if path.is_dir():
        raise ResultsError(str(path), "it is a directory", _REMEDY)
    above = next((parent for parent in path.absolute().parents if parent.exists()), path)
    if not above.is_dir():
        raise ResultsError(str(path), f"{above} is a file", _REMEDY)
    if path.exists() and not (path.is_file() and _is_ours(path)):
        what = "it is not a JUnit document of gnbbench, and is not replaced"
        raise ResultsError(str(path), what, _REMEDY)


def _is_ours(path: Path) -> bool:
    """Tell whether a file is empty, or begins as `document` does."""
    try:
        with path.open("rb") as file:
            start = file.read(len(_START) + 1)
    except OSError as error:
        what = f"the file cannot be read ({error.strerror or error})"
        raise ResultsError(str(path), what, _REMEDY) from error
    return start.startswith(_START) or not start
