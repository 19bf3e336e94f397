from typing import Any

import pytest

from gnbbench.statistics.verdicts import Evidence, sentences

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


def _evidence(outcome: str, **changes: Any) -> Evidence:
    agreement = AGREEMENT | {k: v for k, v in changes.items() if k in AGREEMENT}
    accuracy = ACCURACY | {k: v for k, v in changes.items() if k in ACCURACY}
    failures = changes.get("failures", "")
    return Evidence("sklearn", outcome, agreement, accuracy, 0.01, 1000, failures)  # type: ignore[arg-type]  # a table of cases gives plain strings


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        (_evidence("identical"), "Identical: none of 45,000 predictions differ."),
        (
            _evidence("identical", compared_runs=900, predictions=40_500),
            "Identical where both gave labels: none of 40,500 predictions differ.",
        ),
        (
            _evidence("equivalent", disagreements=1, p=0.4),
            "Equivalent: accuracy is equal to within 1 point, though 1 of 45,000 "
            "predictions differs.",
        ),
        (
            _evidence("equivalent", disagreements=12, p=0.01, mean=-0.004),
            "Different, but by less than the margin: accuracy is 0.4 points lower than "
            "that of sklearn.",
        ),
        (
            _evidence("different", disagreements=12, mean=0.1),
            "Different: accuracy is 10 points higher than that of sklearn.",
        ),
        (
            _evidence("cannot tell", disagreements=12),
            "Cannot tell: 12 of 45,000 predictions differ, and accuracy is shown neither "
            "different nor equal to within 1 point.",
        ),
        (
            _evidence("cannot tell", disagreements=2, predictions=45, compared_runs=1),
            "Cannot tell from one run: 2 of 45 predictions differ.",
        ),
        (_evidence("failed"), "Failed: no run gave labels to compare."),
    ],
)
def test_finding_in_one_sentence(evidence: Evidence, expected: str) -> None:
    assert sentences(evidence)[0] == expected


def test_detail_of_identical_bounds_rows_and_gives_the_largest_difference() -> None:
    _, detail = sentences(_evidence("identical"))

    assert "1,000 of 1,000 runs" in detail
    assert "at most 2.0 % of rows" in detail
    assert "largest probability difference 3.1e-15" in detail


def test_the_bound_of_many_rows_is_not_said_to_be_zero() -> None:
    _, detail = sentences(_evidence("identical", row_bound=0.000166))

    assert "at most 0.017 % of rows can differ" in detail


def test_detail_of_a_test_gives_interval_and_p_value() -> None:
    _, detail = sentences(_evidence("different"))

    assert "−2.00 points, 95 % interval −4.00 to +0.10 over 1,000 runs" in detail
    assert "p = 0.040 after Holm" in detail


def test_detail_says_where_nothing_was_tested() -> None:
    _, detail = sentences(_evidence("equivalent", p=NAN, mean=0.0))

    assert "the same in every run, so not tested" in detail
    assert "nan" not in detail


@pytest.mark.parametrize(("p", "text"), [(0.25, "p = 0.250"), (NAN, "nothing to go by")])
def test_detail_of_one_run_speaks_of_one_split(p: float, text: str) -> None:
    _, detail = sentences(_evidence("cannot tell", compared_runs=1, mcnemar_p=p))

    assert "one split gives no interval" in detail
    assert text in detail


@pytest.mark.parametrize("outcome", ["identical", "different", "cannot tell", "failed"])
def test_failures_are_told_with_every_verdict(outcome: str) -> None:
    _, detail = sentences(_evidence(outcome, failures="numpy failed in 1 of 1,000 runs."))

    assert detail.endswith("numpy failed in 1 of 1,000 runs.")
