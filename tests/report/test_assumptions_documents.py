"""``summary.json`` of the assumptions."""

import json
from collections.abc import Callable

from gnbbench.report import assumptions_documents as documents
from gnbbench.report.assumptions_summary import AssumptionsSummary

Give = Callable[[str], AssumptionsSummary]


def test_every_field_is_described_and_in_that_order(assumptions_of: Give) -> None:
    document = documents.assumptions_document(assumptions_of("iris"))

    text = documents.__doc__ or ""
    places = [text.index(f"``{field}``") for field in document]
    assert places == sorted(places)


def test_the_text_is_strict_json(any_assumptions: AssumptionsSummary) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    text = documents.assumptions_json_text(any_assumptions)

    back = json.loads(text, parse_constant=refuse)
    assert back == documents.assumptions_document(any_assumptions)
    assert back["schema"] == "gnbbench assumptions"


def test_infinite_dependence_is_a_word(assumptions_of: Give) -> None:
    document = documents.assumptions_document(assumptions_of("digits"))

    assert document["independence"][1]["total_correlation"] == "Infinity"
