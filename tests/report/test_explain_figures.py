"""The figures of a report on causes."""

from collections.abc import Callable

from gnbbench.report.explain_summary import ExplainSummary
from gnbbench.report.figures.catalogue import draw_figures

Give = Callable[..., ExplainSummary]


def test_each_card_has_a_figure_of_its_own_name(explain_of: Give) -> None:
    names = [
        one.name for one in draw_figures("explain", explain_of("mixed", "tied", "same"))
    ]

    assert names == [f"contributions_{number}" for number in range(1, 5)]


def test_no_disagreement_has_no_figure(explain_of: Give) -> None:
    assert draw_figures("explain", explain_of("same", "divisor", "crashed")) == ()
