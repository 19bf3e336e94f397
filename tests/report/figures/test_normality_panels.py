"""What both figures of the normal assumption share."""

from collections.abc import Callable

import pytest

from gnbbench.report.assumptions_choices import worst_cells
from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.report.figures.normality_panels import (
    choice,
    grid,
    label_edges,
    lead,
    named_cells,
    of_cells,
)
from gnbbench.report.style import drawing_style

Give = Callable[[str], AssumptionsSummary]


@pytest.mark.parametrize(("n_panels", "shape"), [(1, (1, 1)), (5, (2, 3)), (12, (3, 4))])
def test_panels_stand_in_even_rows(n_panels: int, shape: tuple[int, int]) -> None:
    with drawing_style():
        figure, panels = grid(n_panels, "a finding")

    place = panels[0].get_subplotspec()
    assert place is not None
    assert place.get_gridspec().get_geometry() == shape
    assert len(panels) == n_panels
    assert len(figure.axes) == shape[0] * shape[1]


def test_axes_are_named_at_the_edges_alone() -> None:
    with drawing_style():
        _, panels = grid(12, "a finding")

    label_edges(panels, "below", "beside")

    assert [axes.get_xlabel() for axes in panels] == [""] * 8 + ["below"] * 4
    assert [axes.get_ylabel() for axes in panels] == ["beside", "", "", ""] * 3


def test_titles_name_class_and_feature(assumptions_of: Give) -> None:
    cells = list(named_cells(assumptions_of("digits")))

    assert len(cells) == len({title for _, _, title in cells}) == 12
    assert all(title.startswith("class ") for _, _, title in cells)


def test_rows_of_the_drawn_cells_keep_their_order(assumptions_of: Give) -> None:
    summary = assumptions_of("wine")

    rows = of_cells(summary.findings.normality, summary)

    assert rows["feature"].tolist() == worst_cells(summary)["feature"].tolist()


def test_a_choice_is_told_where_one_was_made(assumptions_of: Give) -> None:
    assert choice(assumptions_of("iris")) == ""
    assert "Of 39 pairs" in choice(assumptions_of("wine"))
    assert "besides" not in choice(assumptions_of("wine"))
    assert "Of 517 pairs" in choice(assumptions_of("digits"))
    assert "besides" in choice(assumptions_of("digits"))


def test_the_worst_of_all_is_claimed_only_where_it_is_drawn(assumptions_of: Give) -> None:
    assert lead(assumptions_of("wine"), "Worst") == "Worst"
    assert lead(assumptions_of("digits"), "Worst") == "Worst of these"
