"""Verdicts as sentences, of one point and over all fractions."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from faults.invented import random_study, records_of

from gnbbench.records import Records
from gnbbench.statistics import summarize, summarize_sweep
from gnbbench.statistics.summary import Summary, Verdict
from gnbbench.statistics.verdicts import Evidence, headline, sentences


def test_one_verdict_per_competitor_in_the_order_asked_for() -> None:
    study = random_study(changed={"bad": 0.6, "numpy": 0.0}, n_runs=50)

    summary = summarize(records_of(study))

    assert [(v.implementation, v.outcome) for v in summary.verdicts] == [
        ("bad", "different"),
        ("numpy", "identical"),
    ]
    assert (
        summary.headline == "Held against sklearn: 1 identical (numpy), 1 different (bad)."
    )


def test_failures_of_the_reference_are_told_with_each_verdict() -> None:
    records = records_of(random_study(), failed={"sklearn": [2], "numpy": [3]})

    (verdict,) = summarize(records).verdicts

    assert verdict.outcome == "identical"
    assert "sklearn failed in 1 of 20 runs" in verdict.detail
    assert "numpy failed in 1 of 20 runs" in verdict.detail


@pytest.mark.parametrize("outcome", ["failed", "cannot tell", "equivalent"])
def test_headline_counts_every_outcome_of_several_and_is_the_sentence_of_one(
    outcome: Any,
) -> None:
    found = [Verdict(name, outcome, "One: all.", "") for name in ("a", "b")]

    assert headline(found, reference="r") == f"Held against r: 2 {outcome} (a, b)."
    assert headline(found[:1], reference="r") == "One: all."
    assert headline([], reference="r") == "Nothing was held against r."


NAN = float("nan")
AGREEMENT = {
    "predictions": 45_000,
    "disagreements": 0,
    "compared_runs": 1000,
    "row_bound": 0.0199,
    "max_probability_difference": 3.1e-15,
    "mcnemar_p": NAN,
}
ACCURACY = {"mean": -0.02, "low": -0.04, "high": 0.001, "p": 0.04, "runs": 1000}


@pytest.mark.parametrize(
    ("outcome", "changes", "sentence", "detail"),
    [
        (
            "identical",
            {},
            "Identical: none of 45,000 predictions differ.",
            "Same labels in 1,000 of 1,000 runs; at most 2.0 % of rows can differ (95 % "
            "bound from the distinct rows tested); largest probability difference 3.1e-15.",
        ),
        (
            "identical",
            {"compared_runs": 900, "predictions": 40_500, "row_bound": 0.000166},
            "Identical where both gave labels: none of 40,500 predictions differ.",
            "at most 0.017 % of rows can differ",
        ),
        (
            "equivalent",
            {"disagreements": 1, "p": NAN, "mean": 0.0},
            "Equivalent: accuracy is equal to within 1 point, though 1 of 45,000 "
            "predictions differs.",
            "the same in every run, so not tested.",
        ),
        (
            "equivalent",
            {"disagreements": 12, "p": 0.01, "mean": -0.004},
            "Different, but by less than the margin: accuracy is 0.4 points lower than "
            "that of sklearn.",
            "p = 0.010 after Holm.",
        ),
        (
            "different",
            {"disagreements": 12, "mean": 0.1},
            "Different: accuracy is 10 points higher than that of sklearn.",
            "+10.00 points, 95 % interval −4.00 to +0.10 over 1,000 runs (corrected for "
            "splits that share samples); p = 0.040 after Holm.",
        ),
        (
            "cannot tell",
            {"disagreements": 12},
            "Cannot tell: 12 of 45,000 predictions differ, and accuracy is shown neither "
            "different nor equal to within 1 point.",
            "p = 0.040 after Holm.",
        ),
        (
            "cannot tell",
            {"disagreements": 2, "predictions": 45, "compared_runs": 1, "mcnemar_p": 0.25},
            "Cannot tell from one run: 2 of 45 predictions differ.",
            "one split gives no interval; McNemar's test on it gives p = 0.250.",
        ),
        (
            "cannot tell",
            {"disagreements": 2, "predictions": 45, "compared_runs": 1},
            "Cannot tell from one run: 2 of 45 predictions differ.",
            "one split gives no interval; McNemar's test has nothing to go by.",
        ),
        ("failed", {}, "Failed: no run gave labels to compare.", ""),
    ],
)
def test_a_finding_is_one_sentence_and_a_second_with_its_numbers(
    outcome: Any, changes: dict[str, float], sentence: str, detail: str
) -> None:
    agreement = {key: changes.get(key, value) for key, value in AGREEMENT.items()}
    accuracy = {key: changes.get(key, value) for key, value in ACCURACY.items()}
    failures = "numpy failed in 1 of 1,000 runs."
    evidence = Evidence("sklearn", outcome, agreement, accuracy, 0.01, 1000, "")

    found = sentences(evidence)

    assert found[0] == sentence
    assert detail in found[1]
    assert "nan" not in found[1]
    assert sentences(replace(evidence, failures=failures))[1].endswith(failures)


MakeSweep = Callable[..., dict[float, Records]]
Give = Callable[[str], Summary]


def _verdict(summary: Summary, name: str) -> Verdict:
    return next(v for v in summary.verdicts if v.implementation == name)


def test_mismatches_are_told_with_share_mean_and_most(sweep_records: MakeSweep) -> None:
    made = sweep_records("identical", n_runs=1000)
    pairs = made[0.1].pairs.copy()
    pairs["disagreements"] = np.where(pairs["run"] < 324, 1, 0)
    pairs.loc[0, "disagreements"] = 8
    made[0.1] = replace(made[0.1], pairs=pairs)

    (verdict,) = summarize_sweep(made).verdicts

    assert verdict.sentence == (
        "96.4 % of 9,000 runs match entirely; 0.04 labels differ per run on average, "
        "at most 8."
    )


def test_identical_needs_no_test_and_gives_a_bound(sweep_of: Give) -> None:
    (verdict,) = sweep_of("identical").verdicts

    assert verdict.sentence == "Identical: all 360 runs match entirely."
    assert "at most 1.7 % of rows can differ" in verdict.detail
    assert "Holm" not in verdict.detail


def test_outcomes_are_those_of_the_fractions(sweep_of: Give) -> None:
    summary = sweep_of("several")

    assert {v.implementation: v.outcome for v in summary.verdicts} == {
        "numpy": "identical",
        "density-product": "cannot tell",
        "shuffled": "different",
        "broken": "failed",
    }
    assert sweep_of("one_fraction").verdicts[0].outcome == "equivalent"
    assert _verdict(summary, "numpy").sentence == (
        "Identical where both gave labels: all 360 runs match entirely."
    )
    broken = _verdict(summary, "broken")
    assert broken.sentence == "Failed: no run gave labels to compare."
    assert "broken failed in 360 of 360 runs" in broken.detail


def test_a_difference_says_at_how_many_fractions(sweep_of: Give) -> None:
    summary = sweep_of("several")
    table = summary.accuracy_differences
    own = table[table["implementation"] == "shuffled"]
    number = int((own["outcome"] == "different").sum())

    verdict = _verdict(summary, "shuffled")

    assert number > 0
    assert verdict.sentence.startswith(f"Different at {number} of 9 train fractions: ")


def test_one_run_makes_no_claim_of_a_test(sweep_of: Give) -> None:
    (verdict,) = sweep_of("one_run").verdicts

    assert verdict.outcome == "cannot tell"
    assert "gives no interval and no test" in verdict.detail
    assert "significantly" not in verdict.detail
