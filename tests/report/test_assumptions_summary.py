"""What the report of the assumptions is made of."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from gnbbench.assumptions.costs import QDA, YEO_JOHNSON
from gnbbench.report.assumptions_summary import AssumptionsSummary

Give = Callable[[str], AssumptionsSummary]


def _graded(
    summary: AssumptionsSummary, naive: str, normal: str, costly: set[str]
) -> AssumptionsSummary:
    """Return the summary with other grades, and costs shown of some models."""
    first, second = summary.findings.verdicts
    changes = summary.findings.differences.copy()
    for model in (QDA, YEO_JOHNSON):
        row = (changes["implementation"] == model) & (changes["metric"] == "log_loss")
        changes.loc[row, "outcome"] = "different" if model in costly else "cannot tell"
        changes.loc[row, "mean"] = -0.2
    verdicts = (replace(first, grade=naive), replace(second, grade=normal))  # type: ignore[arg-type]  # any grade
    found = replace(summary.findings, verdicts=verdicts, differences=changes)
    return replace(summary, findings=found)


@pytest.mark.parametrize(
    ("naive", "normal", "costly", "words"),
    [
        (
            "broken",
            "broken",
            set(),
            "Both assumptions are broken; no cost is shown.",
        ),
        (
            "strongly broken",
            "tenable",
            {QDA},
            "The naive assumption is strongly broken, the normal one tenable; breaking the "
            "naive one costs log loss.",
        ),
        (
            "tenable",
            "broken",
            {YEO_JOHNSON},
            "The naive assumption is tenable, the normal one broken; breaking the normal "
            "one costs log loss.",
        ),
        (
            "broken",
            "broken",
            {QDA, YEO_JOHNSON},
            "Both assumptions are broken; breaking either costs log loss.",
        ),
        (
            "not tested",
            "not tested",
            set(),
            "Neither assumption is tested; no cost is shown.",
        ),
    ],
)
def test_the_headline_says_grades_and_costs(
    assumptions_of: Give, naive: str, normal: str, costly: set[str], words: str
) -> None:
    assert _graded(assumptions_of("iris"), naive, normal, costly).headline == words


def test_a_model_that_does_worse_is_no_cost(assumptions_of: Give) -> None:
    summary = _graded(assumptions_of("iris"), "broken", "broken", {QDA})
    changes = summary.findings.differences
    worse = replace(
        summary,
        findings=replace(
            summary.findings, differences=changes.assign(mean=changes["mean"].abs())
        ),
    )

    assert worse.headline.endswith("no cost is shown.")


def test_the_frame_has_every_number_once(assumptions_of: Give) -> None:
    summary = assumptions_of("iris")
    table = summary.frame()

    assert list(table.columns) == [
        "about",
        "class_name",
        "feature",
        "model",
        "measure",
        "value",
        "low",
        "high",
    ]
    assert table["about"].value_counts().to_dict() == {
        "naive": 3 * 6,
        "normal": 12 * 4,
        "cost": 5 * 2,
        "difference from GNB": 4 * 2,
    }
    largest = table[
        (table["measure"] == "max_abs_r") & (table["class_name"] == "virginica")
    ]
    assert largest["value"].item() == pytest.approx(0.864225, abs=1e-6)
    assert not table[["about", "class_name", "feature", "model"]].isna().any().any()
