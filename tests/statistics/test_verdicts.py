"""Verdicts as sentences, of one point and over all fractions."""

from typing import Any

import pytest
from faults.invented import random_study, records_of

from gnbbench.statistics import verdicts
from gnbbench.statistics.summarize import summarize
from gnbbench.words import share


def test_one_verdict_per_competitor_in_the_requested_order() -> None:
    study = random_study(changed={"bad": 0.6, "numpy": 0.0}, n_runs=50)

    summary = summarize(records_of(study))

    assert [(v.implementation, v.outcome) for v in summary.verdicts] == [
        ("bad", "different"),
        ("numpy", "identical"),
    ]
    (bad,) = summary.agreement.query("implementation == 'bad'")["agreement"]
    assert summary.headline == (
        f"numpy gives the same labels as sklearn; bad differs in {share(1 - bad)}."
    )


def test_failures_of_the_reference_are_reported_with_each_verdict() -> None:
    records = records_of(random_study(), failed={"sklearn": [2], "numpy": [3]})

    (verdict,) = summarize(records).verdicts

    assert verdict.outcome == "identical"
    assert verdict.sentence == "Same labels in 18 of 20 runs; the others were not compared."
    assert "sklearn failed in 1 of 20 runs" in verdict.detail
    assert "numpy failed in 1 of 20 runs" in verdict.detail


def test_failures_of_the_reference_are_in_a_headline_on_several() -> None:
    study = random_study(changed={"bad": 0.6, "numpy": 0.0}, n_runs=20)

    headline = summarize(records_of(study, failed={"sklearn": [2, 3]})).headline

    assert headline.endswith("; sklearn failed in 2 of 20 runs.")


INVALID = "gave invalid probabilities in 3 of 3 runs"


def standing(name: str, differs: str = "", failed: str = "") -> verdicts.Standing:
    """Return the results of an implementation, by default identical ones."""
    return verdicts.Standing(name, not (differs or failed), differs, failed)


FAILED = "failed in 2 of 9 runs"


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([], "Nothing was compared with r."),
        ([standing("a"), standing("b")], "a and b give the same labels as r."),
        (
            [standing("a", "in 1.4 %"), standing("b", "", FAILED)],
            "a differs from r in 1.4 %; b failed in 2 of 9 runs.",
        ),
        (
            [standing("a"), standing("b", "in 1.4 %", FAILED)],
            "a gives the same labels as r; b differs in 1.4 % and failed in 2 of 9 runs.",
        ),
        (
            [*map(standing, "abcd"), *(standing(name, "in 1 %") for name in "efg")],
            "4 of 7 implementations give the same labels as r (a, b, c and d); e, f and g "
            "differ.",
        ),
        (
            [*map(standing, "ab"), *(standing(name, "", FAILED) for name in "efg")],
            "2 of 5 implementations give the same labels as r (a and b); 3 could not be "
            "compared in every run.",
        ),
        ([*map(standing, "abcde")], "All 5 implementations give the same labels as r."),
        ([verdicts.Standing("a", same=False)], "a could not be compared."),
        (
            [verdicts.Standing(n, same=True, failed=INVALID) for n in "ab"],
            f"a and b give the same labels as r; a {INVALID}; b {INVALID}.",
        ),
        (
            [verdicts.Standing(n, same=True, failed=INVALID) for n in "abc"],
            "a, b and c give the same labels as r; 3 gave invalid probabilities.",
        ),
    ],
)
def test_a_sentence_on_several_counts_each_once(found: Any, expected: str) -> None:
    assert verdicts.ranked(found, "r") == expected


NAN = float("nan")
LABELS = {
    "predictions": 45_000,
    "disagreements": 0,
    "compared_runs": 1000,
    "tested_samples": 150.0,
    "max_probability_difference": 3.1e-15,
}
ALL = "All 150 samples were tested."


@pytest.mark.parametrize(
    ("changes", "sentence", "detail"),
    [
        (
            {},
            "Identical: none of 45,000 labels differ.",
            f"Probabilities differ by up to 3.1 × 10⁻¹⁵. {ALL}",
        ),
        (
            {"compared_runs": 900, "predictions": 40_500, "tested_samples": 149.0},
            "Same labels in 900 of 1,000 runs; the others were not compared.",
            "None of 40,500 labels differ. Probabilities differ by up to 3.1 × 10⁻¹⁵. 149 "
            "of 150 samples were tested.",
        ),
        (
            {"compared_runs": 999, "predictions": 1, "tested_samples": 1.0},
            "Same labels in 999 of 1,000 runs; the other was not compared.",
            "No label differs. Probabilities differ by up to 3.1 × 10⁻¹⁵. 1 of 150 samples "
            "was tested.",
        ),
        (
            {"max_probability_difference": 0.48},
            "Same labels; probabilities differ by up to 0.48.",
            f"None of 45,000 labels differ. {ALL}",
        ),
        (
            {"max_probability_difference": 1e-8},
            "Identical: none of 45,000 labels differ.",
            f"Probabilities differ by up to 1.0 × 10⁻⁸. {ALL}",
        ),
        (
            {"max_probability_difference": NAN, "tested_samples": NAN},
            "Same labels: none of 45,000 labels differ.",
            "There are no probabilities to compare.",
        ),
    ],
)
def test_only_labels_and_probabilities_are_called_identical(
    changes: dict[str, float], sentence: str, detail: str
) -> None:
    labels = {**LABELS, **changes}

    verdict = verdicts.verdict_of(
        "numpy", "identical", labels, planned=1000, n_samples=150, failures="b failed."
    )

    assert verdict.sentence == sentence
    assert plain(verdict.detail) == f"{detail} b failed."
    largest = labels["max_probability_difference"]
    shown = "identical" if largest <= 1e-8 else "same labels"
    assert verdicts.outcome_text("identical", largest) == shown


@pytest.mark.parametrize(
    ("compared", "checks", "sentence"),
    [
        (1000, 1000, "in all 1,000 spot checks."),
        (900, 1000, "in 900 of 1,000 spot checks; the others were not compared."),
        (1, 1, "in 1 spot check."),
    ],
)
def test_spot_checks_are_reported(compared: int, checks: int, sentence: str) -> None:
    labels = {**LABELS, "compared_runs": compared}

    verdict = verdicts.verdict_of(
        "sklearn", "identical", labels, planned=checks, n_samples=150, unit="spot check"
    )

    assert verdict.sentence == f"Same labels {sentence}"


def test_without_labels_there_is_a_failure_and_no_number() -> None:
    labels = {**LABELS, "predictions": 0, "compared_runs": 0, "tested_samples": NAN}

    verdict = verdicts.verdict_of(
        "numpy", "failed", labels, planned=9, n_samples=150, failures="numpy failed."
    )

    assert verdict.sentence == "Failed: no run gave labels to compare."
    assert verdict.detail == "numpy failed."


def plain(text: str) -> str:
    """Return the text with plain spaces."""
    return text.replace("\N{NO-BREAK SPACE}", " ")


INTERVAL = "95 % interval, corrected for overlapping splits; "
DIFFERENCE = {"mean": -0.0082, "low": -0.0212, "high": 0.0048, "p": 0.2, "runs": 1000}


@pytest.mark.parametrize(
    ("outcome", "changes", "mcnemar_p", "effect", "tested"),
    [
        (
            "equivalent",
            {"p": NAN, "mean": 0.0, "low": -0.002, "high": 0.002},
            NAN,
            "accuracy within 1 point",
            "Difference: 0.0 points (−0.2 to +0.2). "
            f"{INTERVAL}the difference is the same in every run, so not tested.",
        ),
        (
            "equivalent",
            {"p": 0.01, "mean": -0.004, "low": -0.006, "high": -0.002},
            NAN,
            "0.4 points less accurate (0.2 to 0.6), within the margin of 1 point",
            f"{INTERVAL}p = 0.010 after Holm's correction over 3 tests.",
        ),
        (
            "different",
            {"p": 0.01, "mean": -0.009, "low": -0.016, "high": -0.002},
            NAN,
            "0.9 points less accurate (0.2 to 1.6)",
            f"{INTERVAL}p = 0.010 after Holm's correction over 3 tests.",
        ),
        (
            "different",
            {"p": 0.01, "mean": 0.1, "low": 0.05, "high": 0.15},
            NAN,
            "10.0 points more accurate (5.0 to 15.0)",
            f"{INTERVAL}p = 0.010 after Holm's correction over 3 tests.",
        ),
        (
            "cannot tell",
            {},
            NAN,
            "effect on accuracy unclear: −0.8 points (−2.1 to +0.5)",
            f"{INTERVAL}p = 0.200 after Holm's correction over 3 tests.",
        ),
        (
            "cannot tell",
            {"low": NAN, "high": NAN, "p": NAN, "runs": 1},
            0.25,
            "0.8 points less accurate on this split",
            "McNemar's test on this split: p = 0.250. One run says nothing about other "
            "splits.",
        ),
        (
            "cannot tell",
            {"mean": 0.0, "low": NAN, "high": NAN, "p": NAN, "runs": 1},
            NAN,
            "accuracy on this split is the same",
            "One run says nothing about other splits.",
        ),
        (
            "cannot tell",
            {"low": NAN, "high": NAN, "p": 0.5},
            NAN,
            "effect on accuracy unclear: −0.8 points",
            "Rows in dispute: 4, too few to tell (sign test: p = 0.500).",
        ),
        (
            "cannot tell",
            {"p": 0.6},
            NAN,
            "effect on accuracy unclear: −0.8 points (−2.1 to +0.5)",
            f"{INTERVAL}p = 0.600 after Holm's correction over 3 tests, the larger of a t "
            "test's and a sign test's over disputed rows.",
        ),
    ],
)
def test_effect_of_differing_labels_on_accuracy(
    outcome: Any, changes: dict[str, float], mcnemar_p: float, effect: str, tested: str
) -> None:
    difference = {**DIFFERENCE, **changes, "outcome": outcome}

    options: dict[str, Any] = {"margin": 0.01, "n_tests": 3}
    options["disputed"] = 4 if "sign test" in tested else 10
    found = verdicts.accuracy_effect(difference, mcnemar_p, **options)
    study: dict[str, Any] = {"planned": 1000, "n_samples": 150}
    study |= {"effect": found[0], "tested": found[1]}
    verdict = verdicts.verdict_of("numpy", outcome, {**LABELS, "disagreements": 1}, **study)

    assert found == (effect, tested)
    sentence = f"Not identical: 1 of 45,000 labels differs (0.002 %); {effect}."
    assert plain(verdict.sentence) == sentence
    assert verdict.detail == tested
