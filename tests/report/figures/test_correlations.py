"""Heat maps of correlations."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.report.figures.drawing import Drawing

Draw = Callable[..., Drawing]
Give = Callable[[str], AssumptionsSummary]


def _maps(
    drawing: Drawing,
) -> list[np.ma.MaskedArray[tuple[int, ...], np.dtype[np.float64]]]:
    panels = [axes for axes in drawing.figure.axes if axes.get_title(loc="left")]
    return [np.ma.asarray(axes.collections[0].get_array()) for axes in panels]


def test_cells_are_the_correlations_and_the_diagonal_is_blank(
    draw: Draw, assumptions_of: Give
) -> None:
    summary = assumptions_of("iris")

    maps = _maps(draw("correlations", summary))

    assert len(maps) == 3
    cells = maps[2].reshape(4, 4)
    assert cells[0, 2] == pytest.approx(0.864225, abs=1e-6)
    assert np.ma.getmaskarray(cells).tolist() == np.eye(4, dtype=bool).tolist()


@pytest.mark.slow
def test_all_classes_have_one_symmetric_scale(draw: Draw, assumptions_of: Give) -> None:
    drawing = draw("correlations", assumptions_of("digits"))

    panels = [axes for axes in drawing.figure.axes if axes.get_title(loc="left")]
    assert len(panels) == 10
    assert {axes.collections[0].get_clim() for axes in panels} == {(-1.0, 1.0)}


def test_the_chosen_correlation_is_drawn(draw: Draw, assumptions_of: Give) -> None:
    drawing = draw("correlations", replace(assumptions_of("iris"), correlation="spearman"))

    assert "ρ = 0.82" in drawing.finding
    assert drawing.caption.startswith("Spearman's ρ")
    assert _maps(drawing)[2].reshape(4, 4)[0, 2] == pytest.approx(0.824323, abs=1e-6)


@pytest.mark.slow
def test_twelve_of_many_are_drawn_and_it_is_said(draw: Draw, assumptions_of: Give) -> None:
    drawing = draw("correlations", assumptions_of("many"))

    maps = _maps(drawing)
    assert len(maps) == 12
    assert {cells.size for cells in maps} == {144}
    assert "Of 20 features the 12" in drawing.caption
    assert "Of 15 classes the 12" in drawing.caption
    assert len(drawing.frame) == 12 * 66


def test_the_worst_of_all_is_not_claimed_where_it_is_not_drawn(
    draw: Draw,
    assumptions_of: Give,
) -> None:
    assert draw("correlations", assumptions_of("digits")).finding.startswith(
        "Most correlated of these:"
    )
    assert draw("correlations", assumptions_of("wine")).finding.startswith(
        "Most correlated: "
    )


def test_constant_features_are_blank(draw: Draw, assumptions_of: Give) -> None:
    drawing = draw("correlations", assumptions_of("digits"))

    assert any(np.ma.getmaskarray(cells).sum() > 12 for cells in _maps(drawing))
