"""What stands in ``summary.json`` of published figures."""

import json

from faults.claims import made_results, made_summary

from gnbbench.report.reproduce_documents import claims_json_text, reproduce_json_text


def test_the_document_holds_every_number() -> None:
    found = json.loads(reproduce_json_text(made_summary()))

    assert found["schema"] == "gnbbench reproduce"
    assert found["counts"]["reproduced"] == 1
    claims = {claim["id"]: claim for claim in found["claims"]}
    assert claims["s-same"]["contrasts"] == [
        {"implementation": "numpy", "value": 0.9333, "is_published": False}
    ]
    assert claims["s-lost"]["lost"] is True
    (time,) = claims["s-ratio"]["measured"]
    assert (time["low"], time["high"]) == (0.14, 0.16)
    assert claims["h-absent"]["measured"] == []


def test_a_share_is_given_for_each_reading() -> None:
    found = json.loads(reproduce_json_text(made_summary("s-spread")))

    (claim,) = found["claims"]
    assert [one["reading"] for one in claim["measured"]] == ["stratified", "not stratified"]
    assert all(one["n_repeats"] == 200 for one in claim["measured"])
    assert all(0.15 < one["share_reached"] < 0.35 for one in claim["measured"])


def test_claims_are_listed_without_results() -> None:
    found = json.loads(claims_json_text([result.claim for result in made_results()]))

    assert len(found["claims"]) == 7
    assert "verdict" not in found["claims"][0]
