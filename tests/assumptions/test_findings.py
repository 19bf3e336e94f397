"""The summary of both assumptions: its headline, and the numbers of a notebook."""

from collections.abc import Callable

import pandas as pd
import pytest

from gnbbench.assumptions.findings import AssumptionVerdict, headline, numbers
from gnbbench.statistics.documents import document
from gnbbench.statistics.summary import Summary


@pytest.mark.parametrize(
    ("naive", "normal", "costly", "words"),
    [
        (
            "broken",
            "broken",
            set(),
            "Both assumptions are broken; no cost could be demonstrated in 20 runs (QDA: "
            "log loss 0.013 against 0.067).",
        ),
        (
            "strongly broken",
            "tenable",
            {"QDA"},
            "The naive assumption is strongly broken, the normal one tenable; breaking the "
            "naive one costs log loss.",
        ),
        (
            "tenable",
            "broken",
            {"Yeo–Johnson + GNB"},
            "The naive assumption is tenable, the normal one broken; breaking the normal "
            "one costs log loss.",
        ),
        (
            "broken",
            "broken",
            {"QDA", "Yeo–Johnson + GNB"},
            "Both assumptions are broken; breaking either costs log loss.",
        ),
        (
            "not tested",
            "not tested",
            {"LDA"},
            "Neither assumption is tested; no cost could be demonstrated in 20 runs (QDA: "
            "log loss 0.013 against 0.067).",
        ),
    ],
)
def test_the_headline_says_grades_and_costs(
    naive: str, normal: str, costly: set[str], words: str
) -> None:
    verdicts = (
        AssumptionVerdict("naive", naive, "", ""),  # type: ignore[arg-type]  # any grade
        AssumptionVerdict("normal", normal, "", ""),  # type: ignore[arg-type]  # any grade
    )
    models = ["QDA", "LDA", "Yeo–Johnson + GNB"]
    changes = pd.DataFrame(
        {"implementation": models, "metric": "log_loss", "mean": -0.2, "runs": 20}
    )
    losses = {
        "implementation": ["GNB", "QDA"],
        "metric": "log_loss",
        "mean": [0.067, 0.013],
    }
    costs = pd.DataFrame(losses)
    shown = ["different" if model in costly else "cannot tell" for model in models]

    told = headline(verdicts, changes.assign(outcome=shown), costs)
    worse = headline(verdicts, changes.assign(outcome="different", mean=0.2), costs)

    assert told == words
    assert "; no cost could be demonstrated in 20 runs (QDA" in worse


@pytest.mark.slow
def test_a_notebook_has_every_number_once(assumptions_of: Callable[..., Summary]) -> None:
    table = numbers(assumptions_of("iris"))

    named = ["about", "class_name", "feature", "model"]
    assert list(table) == [*named, "measure", "value", "low", "high"]
    assert table["about"].value_counts().to_dict() == {
        "naive": 3 * 8,
        "normal": 12 * 4,
        "cost": 6 * 2,
        "difference from GNB": 5 * 2,
    }
    largest = table[
        (table["measure"] == "max_abs_r") & (table["class_name"] == "virginica")
    ]
    assert largest["value"].item() == pytest.approx(0.864225, abs=1e-6)
    assert not table[named].isna().any().any()


@pytest.mark.slow
def test_infinite_dependence_is_a_word(assumptions_of: Callable[..., Summary]) -> None:
    found = document(assumptions_of("digits"))

    assert found["independence"][1]["total_correlation"] == "Infinity"
