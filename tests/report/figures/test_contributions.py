"""Paired bars of what each feature says of a disagreement."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnbbench.data.bundled import digits
from gnbbench.report.explain_contributions import cards
from gnbbench.report.explain_summary import ExplainSummary
from gnbbench.report.figures.contributions import MOST_FEATURES, contributions
from gnbbench.report.figures.drawing import Absence, Drawing

Give = Callable[..., ExplainSummary]


def _drawn(summary: ExplainSummary, **changed: Any) -> Drawing | Absence:
    card = cards(summary)[0]
    changed_card = replace(card, disagreement=replace(card.disagreement, **changed))
    return contributions(summary, changed_card)


def _drawing(summary: ExplainSummary, **changed: Any) -> Drawing:
    found = _drawn(summary, **changed)
    assert isinstance(found, Drawing)
    return found


def test_bars_are_the_parts_of_both(explain_of: Give) -> None:
    drawing = _drawing(explain_of("unsmoothed"))

    widths = [bar.get_width() for bar in drawing.figure.axes[0].patches]  # type: ignore[attr-defined]  # they are rectangles
    assert widths[:5] == [1.0, -0.25, 0.25, 0.5, 0.0]
    assert widths[5:9] == [-1.0, -0.75, 0.375, 0.5]
    pd.testing.assert_series_equal(
        drawing.frame["implementation"].head(4),
        pd.Series([-1.0, -0.75, 0.375, 0.5], name="implementation"),
    )


def test_the_finding_names_the_feature_that_changes_most(explain_of: Give) -> None:
    assert _drawing(explain_of("unsmoothed")).finding == (
        "petal length (cm) changes most, from +1.00 under sklearn to −1.00 under "
        "unsmoothed, in the log-odds of versicolor over virginica"
    )


def test_the_finding_names_the_prior_where_no_feature_changes(explain_of: Give) -> None:
    parts = np.array([0.5, -0.25, 1.0, 0.25])

    drawing = _drawing(explain_of("unsmoothed"), contributions=parts, causes=("prior",))

    assert "No feature says anything else; the prior and the rest change from 0 " in (
        drawing.finding
    )
    assert "to −2.60 under unsmoothed" in drawing.finding


def test_a_cause_beside_features_and_prior_is_named(explain_of: Give) -> None:
    parts = np.array([0.5, -0.25, 1.0, 0.25])

    drawing = _drawing(
        explain_of("unsmoothed"),
        contributions=parts,
        causes=("class-order",),
        posterior=None,
    )

    assert drawing.finding.endswith("; its cause, class-order, lies elsewhere")


def test_what_is_undefined_is_counted_and_written(explain_of: Give) -> None:
    parts = np.array([np.nan, -0.25, -np.inf, 0.25])

    drawing = _drawing(explain_of("unsmoothed"), contributions=parts)

    assert drawing.finding.startswith(
        "2 features of 4 give no number under unsmoothed, in the log-odds of versicolor"
    )
    written = [text.get_text() for text in drawing.figure.axes[0].texts]
    assert "undefined" in written
    assert "−infinite" in written
    assert "3 parts have no finite number" in drawing.alt


def test_only_the_twelve_largest_changes_are_drawn(explain_of: Give) -> None:
    data = digits()
    reference = np.arange(64.0)
    own = reference + np.where(np.arange(64) < 12, 5.0, 0.5)

    drawing = _drawing(
        explain_of("unsmoothed", dataset=data),
        features=data.X[0],
        reference_contributions=reference,
        contributions=own,
        reference_posterior=np.full(10, 0.1),
        posterior=np.full(10, 0.1),
    )

    labels = [label.get_text() for label in drawing.figure.axes[0].get_yticklabels()]
    assert len(labels) == MOST_FEATURES + 1
    assert {label.split(" = ")[0] for label in labels[:-1]} == set(data.feature_names[:12])
    assert len(drawing.frame) == 65
    assert "Of 64 features the 12 whose parts change most" in drawing.caption
    assert "class 1 over class 2" in drawing.finding


@pytest.mark.parametrize(("largest", "scale"), [(250.0, "linear"), (3e9, "symlog")])
def test_parts_of_all_sizes_can_be_seen(
    explain_of: Give, largest: float, scale: str
) -> None:
    parts = np.array([largest, -2.0, 0.5, 0.25])

    axes = _drawing(explain_of("unsmoothed"), contributions=parts).figure.axes[0]

    assert axes.get_xscale() == scale
    assert len(axes.get_xticks()) <= 12


def test_the_legend_stands_outside_the_axes(explain_of: Give) -> None:
    figure = _drawing(explain_of("unsmoothed")).figure

    legend = figure.legends[0].get_window_extent()
    axes = figure.axes[0].get_window_extent()
    assert legend.y1 <= axes.y0
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["sklearn", "unsmoothed"]


def test_a_label_that_is_no_class_has_no_log_odds(explain_of: Give) -> None:
    nothing = np.full(4, np.nan)

    absence = _drawn(
        explain_of("invents"), contributions=nothing, reference_contributions=nothing
    )

    assert isinstance(absence, Absence)
    assert absence.reason == "'7' is no class, so that it has no log-odds."


def test_what_is_not_reproduced_is_told(explain_of: Give) -> None:
    assert "does not reproduce it" in _drawing(explain_of("other")).caption
    assert "does not reproduce it" not in _drawing(explain_of("unsmoothed")).caption
