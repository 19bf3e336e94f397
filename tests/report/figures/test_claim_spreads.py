"""Where a published figure lies among those of many seeds."""

from collections.abc import Callable

import numpy as np
import pytest
from faults.claims import OPEN, made_claim, made_results, made_summary, summary_of

from gnbbench.claims.claim import ClaimResult, Measured, published
from gnbbench.report.figures.claim_spreads import bin_edges
from gnbbench.report.figures.drawing import Drawing
from gnbbench.report.reproduce import report

RESULT = next(one for one in made_results() if one.claim.id == "s-spread")


def measured(*values: float) -> Measured:
    return Measured(OPEN.readings[0], float(np.mean(values)), np.array(values))


def test_a_row_for_each_reading_has_its_share_its_values_and_the_published_one(
    draw: Callable[..., Drawing],
) -> None:
    drawing = draw("claim-{0.claim.id}", made_summary(), RESULT)

    share = np.isclose(RESULT.measured[0].figures, 29 / 30).mean()
    assert drawing.frame["reading"].tolist() == ["stratified", "not stratified"]
    assert drawing.frame["share_reached"].iloc[0] == pytest.approx(share)
    assert len(drawing.figure.axes) == 2
    for axes in drawing.figure.axes:
        lines = [list(map(float, np.asarray(line.get_xdata()))) for line in axes.lines]
        heights = [patch.get_height() for patch in axes.patches]  # type: ignore[attr-defined]
        assert [0.97, 0.97] in lines
        assert sum(heights) == 200
    assert "2 readings" in drawing.alt
    assert "0.97" in drawing.alt
    assert "dashed, in the hatched bin: the published 0.97" in drawing.caption


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0.95", (0.90, 1.00)),
        ("77 %", (0.30, 0.96)),
        ("8", (2.0, 161.0)),
        ("95.56 %", (0.93, 0.97)),
        ("0", (0.0, 0.0)),
        ("3", (10.0, 20.0)),
    ],
)
def test_one_bin_is_about_the_published_value(text: str, values: tuple[float, ...]) -> None:
    figure = published(text)

    edges = bin_edges(figure, [measured(*values)])

    middles = (edges[1:] + edges[:-1]) / 2
    assert np.isclose(middles, figure.value).sum() == 1
    assert edges[0] <= figure.scale * min(values)
    assert figure.scale * max(values) <= edges[-1]
    assert len(edges) <= 100


def test_nothing_is_drawn_where_every_seed_gives_the_same() -> None:
    same = ClaimResult(made_claim("a", "0"), "reproduced", (measured(0.0, 0.0),), (), "")

    found = report(summary_of((same, RESULT))).drawings

    assert [one.name for one in found] == ["claim-s-spread"]
