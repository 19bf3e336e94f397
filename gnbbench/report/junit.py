"""JUnit XML, which continuous integration shows test by test."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree as ET

from gnbbench.errors import ResultsError
from gnbbench.report.files import replace_file

# XML 1.0, section 2.2: characters that no escape can bring into a document.
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'

_REMEDY = "Give another file: --junit FILE"


@dataclass(frozen=True)
class Case:
    """One test case."""

    classname: str
    name: str
    # What became of it; None where it passed
    element: Literal["failure", "error", "skipped"] | None = None
    # Attributes ``message`` and ``type`` of that element, and what it holds
    message: str = ""
    kind: str = ""  # Attributes ``message`` and ``type`` of that element, and what it holds
    text: str = ""  # Attributes ``message`` and ``type`` of that element, and what it holds
    output: str = ""  # What the case says where it passed
    seconds: float = 0.0


@dataclass(frozen=True)
class Suite:
    """Cases that belong together."""

    name: str
    cases: Sequence[Case]
    # What is to be known of all of them
    properties: Mapping[str, str] = field(default_factory=dict)


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
