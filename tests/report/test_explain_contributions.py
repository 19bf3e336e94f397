"""Which disagreements are shown in full, and what each feature says in them."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gnbbench.report.explain_contributions import (
    REST,
    Example,
    changes,
    contribution_table,
    examples,
    log_odds,
)
from gnbbench.report.explain_summary import ExplainSummary

Give = Callable[..., ExplainSummary]


def _example(summary: ExplainSummary, **changed: object) -> Example:
    example = examples(summary)[0]
    return replace(example, disagreement=replace(example.disagreement, **changed))  # type: ignore[arg-type]  # any field


def test_ten_are_shown_and_each_cause_is_among_them(explain_of: Give) -> None:
    chosen = examples(explain_of("mixed"))

    causes = [example.disagreement.cause for example in chosen]
    assert causes == ["no-smoothing"] * 7 + ["prior", "prior", "density-floor"] or (
        causes == ["no-smoothing"] * 8 + ["prior", "density-floor"]
    )
    rows = [example.disagreement.row for example in chosen]
    assert rows == sorted(rows)


def test_several_share_the_ten(explain_of: Give) -> None:
    chosen = examples(explain_of("unsmoothed", "mixed", "same"))

    assert [example.implementation for example in chosen] == ["unsmoothed"] * 3 + [
        "mixed"
    ] * 3
    assert examples(explain_of("same", "divisor")) == ()


def test_the_largest_change_comes_first_and_the_rest_last(explain_of: Give) -> None:
    summary = explain_of("unsmoothed")

    table = contribution_table(summary, examples(summary)[0])

    assert table["feature"].tolist() == [
        "petal length (cm)",
        "sepal width (cm)",
        "petal width (cm)",
        "sepal length (cm)",
        REST,
    ]
    assert table["change"].tolist()[:4] == [-2.0, -0.5, 0.125, 0.0]
    # 1.5 of margin less the 1.5 of all features; log(1/3) less -0.875.
    rest = table.iloc[-1]
    assert rest["reference"] == 0.0
    assert rest["implementation"] == pytest.approx(np.log(1 / 3) + 0.875)


def test_undefined_parts_come_before_all_changes(explain_of: Give) -> None:
    summary = explain_of("unsmoothed")
    parts = np.array([np.nan, 0.0, 0.0, np.inf])

    table = contribution_table(summary, _example(summary, contributions=parts))

    assert table["feature"].tolist()[:2] == ["sepal length (cm)", "petal width (cm)"]
    assert np.isinf(changes(table)[:2]).all()
    assert np.isnan(table.iloc[-1]["implementation"])


def test_what_is_undefined_in_both_is_no_change(explain_of: Give) -> None:
    summary = explain_of("unsmoothed")
    both = np.array([np.nan, np.inf, 1.0, 1.0 + 1e-13])
    other = np.array([np.nan, np.inf, 1.0, 1.0])

    example = _example(summary, contributions=both, reference_contributions=other)

    assert changes(contribution_table(summary, example).iloc[:4]).tolist() == [0.0] * 4


def test_the_rest_is_left_out_where_rounding_hides_it(explain_of: Give) -> None:
    summary = explain_of("unsmoothed")
    huge = np.array([1e15, -1e15, 0.0, 0.0])

    example = _example(summary, contributions=huge, reference_contributions=huge)

    assert REST not in contribution_table(summary, example)["feature"].tolist()


def test_the_rest_of_what_is_not_reproduced_is_not_known(explain_of: Give) -> None:
    summary = explain_of("other")

    table = contribution_table(summary, examples(summary)[0])

    assert table.iloc[-1]["reference"] == 0.0
    assert np.isnan(table.iloc[-1]["implementation"])


def test_log_odds_want_probabilities_and_two_classes(explain_of: Give) -> None:
    summary = explain_of("unsmoothed")

    known = log_odds(summary, examples(summary)[0])
    without = log_odds(summary, _example(summary, posterior=None))
    saturated = log_odds(summary, _example(summary, posterior=np.array([0.0, 1.0, 0.0])))
    unseen = log_odds(summary, _example(summary, label="7"))

    assert known[0] == 1.5
    assert known[1] == pytest.approx(np.log(1 / 3))
    for odds in (without, saturated, unseen):
        assert odds[0] == 1.5
        assert np.isnan(odds[1])
