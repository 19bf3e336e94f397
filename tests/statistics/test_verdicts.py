from collections.abc import Callable
from typing import Any

import pytest

from gnbbench.records import Records
from gnbbench.statistics import summarize
from gnbbench.statistics.summary import Verdict
from gnbbench.statistics.verdicts import headline


def test_one_verdict_per_competitor_in_the_order_asked_for(
    random_study: Callable[..., Any], records_of: Callable[..., Records]
) -> None:
    study = random_study(changed={"bad": 0.6, "numpy": 0.0}, n_runs=50)

    summary = summarize(records_of(study))

    assert [(v.implementation, v.outcome) for v in summary.verdicts] == [
        ("bad", "different"),
        ("numpy", "identical"),
    ]
    assert (
        summary.headline == "Held against sklearn: 1 identical (numpy), 1 different (bad)."
    )


def test_failures_of_the_reference_are_told_with_each_verdict(
    random_study: Callable[..., Any], records_of: Callable[..., Records]
) -> None:
    records = records_of(random_study(), failed={"sklearn": [2], "numpy": [3]})

    (verdict,) = summarize(records).verdicts

    assert verdict.outcome == "identical"
    assert "sklearn failed in 1 of 20 runs" in verdict.detail
    assert "numpy failed in 1 of 20 runs" in verdict.detail


def test_headline_of_one_competitor_is_its_sentence() -> None:
    verdict = Verdict("numpy", "identical", "Identical: all.", "Detail.")

    assert headline([verdict], reference="sklearn") == "Identical: all."


def test_headline_without_competitors_claims_nothing() -> None:
    assert headline([], reference="sklearn") == "Nothing was held against sklearn."


@pytest.mark.parametrize("outcome", ["failed", "cannot tell", "equivalent"])
def test_headline_of_several_counts_every_outcome(outcome: Any) -> None:
    found = [Verdict(name, outcome, "", "") for name in ("a", "b")]

    assert headline(found, reference="r") == f"Held against r: 2 {outcome} (a, b)."
