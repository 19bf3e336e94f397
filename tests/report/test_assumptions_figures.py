"""What holds for every figure of the assumptions."""

import math
from collections.abc import Callable

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.report.figures.catalogue import draw_figures
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.style import drawing_style

pytestmark = pytest.mark.slow

Give = Callable[[str], AssumptionsSummary]
SLACK_PIXELS = 2.0


@pytest.fixture(scope="module")
def drawings_of() -> Callable[[AssumptionsSummary], list[Drawing]]:
    """Give the figures of what was found; each is drawn once."""
    made: dict[int, list[Drawing]] = {}

    def give(summary: AssumptionsSummary) -> list[Drawing]:
        if id(summary) not in made:
            drawn = draw_figures("assumptions", summary)
            made[id(summary)] = [one for one in drawn if isinstance(one, Drawing)]
        return made[id(summary)]

    return give


@pytest.fixture
def any_drawings(
    any_assumptions: AssumptionsSummary,
    drawings_of: Callable[[AssumptionsSummary], list[Drawing]],
) -> list[Drawing]:
    return drawings_of(any_assumptions)


def _cut(figure: Figure) -> list[str]:
    """Texts that reach beyond the canvas."""
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]  # not annotated there
    figure.draw_without_rendering()
    hidden: set[Text] = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            hidden |= set() if axes.axison else {axis.label}
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not (axes.axison and low <= tick.get_loc() <= high):
                    hidden |= {tick.label1, tick.label2}
    canvas = figure.bbox.padded(SLACK_PIXELS)
    shown: list[Text] = [
        text
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and text not in hidden
    ]
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in shown]
    return [
        words
        for words, box in boxes
        if not (canvas.contains(box.x0, box.y0) and canvas.contains(box.x1, box.y1))
    ]


def test_usual_data_have_every_figure(assumptions_of: Give) -> None:
    names = [
        drawing.name for drawing in draw_figures("assumptions", assumptions_of("iris"))
    ]

    assert names == ["correlations", "normality_histograms", "normality_quantiles", "costs"]


def test_words_and_data_come_with_every_figure(any_drawings: list[Drawing]) -> None:
    assert any_drawings
    for drawing in any_drawings:
        assert drawing.finding
        assert not drawing.finding.endswith(".")
        assert drawing.caption.endswith(".")
        assert drawing.alt.endswith(".")
        assert drawing.finding in drawing.alt
        assert not drawing.frame.empty
        words = (drawing.finding + drawing.alt + drawing.caption).split()
        assert "nan" not in words
        assert "–" not in words


def test_no_text_is_cut_off(any_drawings: list[Drawing]) -> None:
    for drawing in any_drawings:
        with drawing_style():
            assert _cut(drawing.figure) == [], drawing.name


def test_a_text_beyond_the_canvas_would_be_noticed(assumptions_of: Give) -> None:
    drawing = draw_figures("assumptions", assumptions_of("one"))[-1]
    assert isinstance(drawing, Drawing)
    drawing.figure.axes[0].text(3.0, 0, "far out", transform=drawing.figure.transFigure)

    with drawing_style():
        assert _cut(drawing.figure) == ["far out"]


def test_axes_have_names_and_legends_cover_no_data(any_drawings: list[Drawing]) -> None:
    for drawing in any_drawings:
        assert any(axes.get_xlabel() for axes in drawing.figure.axes)
        assert all(axes.get_legend() is None for axes in drawing.figure.axes)
        for axes in drawing.figure.axes:
            assert all(map(math.isfinite, [*axes.get_xlim(), *axes.get_ylim()]))


@pytest.mark.parametrize(
    ("data", "absent"),
    [
        ("iris", set()),
        ("one", {"correlations"}),
        ("constant", {"correlations", "normality_histograms", "normality_quantiles"}),
    ],
)
def test_what_cannot_be_drawn_is_told_with_its_reason(
    assumptions_of: Give, data: str, absent: set[str]
) -> None:
    drawn = draw_figures("assumptions", assumptions_of(data))

    missing = [one for one in drawn if isinstance(one, Absence)]
    assert {absence.name for absence in missing} == absent
    assert all(absence.reason.endswith(".") for absence in missing)
