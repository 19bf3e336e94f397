"""Gates as JUnit XML: a test case for each gate and implementation."""

from collections.abc import Mapping, Sequence
from typing import Literal

from gnbbench.report.junit import Case, Suite, document
from gnbbench.statistics.gates import Gate, GateOutcome

# Tools take an error for red, which "inconclusive" is not: the exit code says it.
ELEMENTS: Mapping[GateOutcome, Literal["failure", "skipped"]] = {
    "fail": "failure",
    "inconclusive": "skipped",
    "not applicable": "skipped",
}


def gates_junit(judged: Sequence[tuple[str, Sequence[Gate]]], study: str) -> str:
    """Return gates as JUnit XML: a suite for each dataset.

    What is inconclusive counts as skipped, with its numbers as the message.
    """
    return document(
        f"gnbbench {study}",
        [
            Suite(dataset, [_case(gate, f"gnbbench.{study}.{dataset}") for gate in found])
            for dataset, found in judged
        ],
    )


def _case(gate: Gate, classname: str) -> Case:
    name, element = f"{gate.implementation}: {gate.name}", ELEMENTS.get(gate.outcome)
    if element is None:
        return Case(classname, name, output=gate.sentence)
    return Case(classname, name, element, message=gate.sentence, kind=gate.outcome)
