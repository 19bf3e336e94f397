"""What holds for every figure of every study."""

import math
from collections.abc import Callable

import pytest
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text

from gnbbench.report.figures.accuracy import accuracy
from gnbbench.report.figures.catalogue import draw_figures, figures_of
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.style import drawing_style
from gnbbench.statistics.summary import Summary
from gnbbench.statistics.sweep_summary import SweepSummary

pytestmark = pytest.mark.slow

Give = Callable[[str], Summary]
SLACK_PIXELS = 2.0


def _drawn(drawings: tuple[Drawing | Absence, ...]) -> list[Drawing]:
    return [drawing for drawing in drawings if isinstance(drawing, Drawing)]


@pytest.fixture(scope="module")
def drawings_of(summary_of: Give) -> Callable[[str], list[Drawing]]:
    """Give the figures of an invented study; each is drawn once."""
    made: dict[str, list[Drawing]] = {}

    def give(name: str) -> list[Drawing]:
        if name not in made:
            made[name] = _drawn(draw_figures(summary_of(name).study, summary_of(name)))
        return made[name]

    return give


@pytest.fixture
def any_drawings(
    study_name: str, drawings_of: Callable[[str], list[Drawing]]
) -> list[Drawing]:
    return drawings_of(study_name)


@pytest.fixture(scope="module")
def sweep_drawings_of() -> Callable[[SweepSummary], list[Drawing]]:
    """Give the figures of a made sweep; each is drawn once."""
    made: dict[int, list[Drawing]] = {}

    def give(summary: SweepSummary) -> list[Drawing]:
        if id(summary) not in made:
            made[id(summary)] = _drawn(draw_figures(summary.study, summary))
        return made[id(summary)]

    return give


@pytest.fixture
def any_sweep_drawings(
    any_sweep: SweepSummary,
    sweep_drawings_of: Callable[[SweepSummary], list[Drawing]],
) -> list[Drawing]:
    return sweep_drawings_of(any_sweep)


def _texts(figure: Figure) -> list[Text]:
    found: list[Text] = figure.findobj(Text)
    return [text for text in found if text.get_visible() and text.get_text().strip()]


def _cut(figure: Figure) -> list[str]:
    """Texts that reach beyond the canvas."""
    renderer: RendererBase = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]  # not annotated there
    figure.draw_without_rendering()
    hidden = _hidden(figure)
    canvas = figure.bbox.padded(SLACK_PIXELS)
    boxes = [
        (t.get_text(), t.get_window_extent(renderer))
        for t in _texts(figure)
        if t not in hidden
    ]
    return [
        words
        for words, box in boxes
        if not (canvas.contains(box.x0, box.y0) and canvas.contains(box.x1, box.y1))
    ]


def _hidden(figure: Figure) -> set[Text]:
    """Texts that are not drawn: of axes that are off, and of ticks beyond the axis."""
    hidden: set[Text] = set()
    for axes in figure.axes:
        if not axes.axison:
            hidden |= {axes.xaxis.label, axes.yaxis.label}
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not (axes.axison and low <= tick.get_loc() <= high):
                    hidden |= {tick.label1, tick.label2}
    return hidden


def test_names_are_unique_and_functions_give_them(summary_of: Give) -> None:
    drawings = draw_figures(summary_of("usual").study, summary_of("usual"))

    assert [entry.name for entry in figures_of("compare")] == [
        drawing.name for drawing in drawings
    ]
    assert [entry.title for entry in figures_of("compare")] == [
        drawing.title for drawing in drawings
    ]
    assert (
        len({entry.name for entry in figures_of("compare")})
        == len(figures_of("compare"))
        == 8
    )


def test_a_usual_study_has_every_figure(
    drawings_of: Callable[[str], list[Drawing]],
) -> None:
    assert len(drawings_of("usual")) == len(figures_of("compare"))


def _assert_words_and_data(drawings: list[Drawing]) -> None:
    for drawing in drawings:
        assert drawing.finding
        assert not drawing.finding.endswith(".")
        assert drawing.caption.endswith(".")
        assert drawing.alt.endswith(".")
        assert drawing.finding in drawing.alt
        assert not drawing.frame.empty
        assert "nan" not in (drawing.finding + drawing.alt + drawing.caption).split()


def test_words_and_data_come_with_every_figure(any_drawings: list[Drawing]) -> None:
    _assert_words_and_data(any_drawings)


def test_words_and_data_come_with_every_figure_of_a_sweep(
    any_sweep_drawings: list[Drawing],
) -> None:
    _assert_words_and_data(any_sweep_drawings)


def _assert_titles(drawings: list[Drawing]) -> None:
    for drawing in drawings:
        title = next(t for t in drawing.figure.texts if t.get_gid() == "finding")
        assert " ".join(title.get_text().split()) == " ".join(drawing.finding.split())


def test_the_title_within_the_picture_is_the_finding(any_drawings: list[Drawing]) -> None:
    _assert_titles(any_drawings)


def test_the_title_within_the_picture_is_the_finding_of_a_sweep(
    any_sweep_drawings: list[Drawing],
) -> None:
    _assert_titles(any_sweep_drawings)


def _assert_whole_texts(drawings: list[Drawing]) -> None:
    for drawing in drawings:
        with drawing_style():
            assert _cut(drawing.figure) == [], drawing.name


def test_no_text_is_cut_off(any_drawings: list[Drawing]) -> None:
    _assert_whole_texts(any_drawings)


def test_no_text_is_cut_off_of_a_sweep(
    any_sweep_drawings: list[Drawing],
) -> None:
    _assert_whole_texts(any_sweep_drawings)


def test_a_text_beyond_the_canvas_would_be_noticed(summary_of: Give) -> None:
    drawing = _drawn((accuracy(summary_of("single")),))[0]
    drawing.figure.axes[0].text(3.0, 0, "far out", transform=drawing.figure.transFigure)

    with drawing_style():
        assert _cut(drawing.figure) == ["far out"]


def test_no_text_is_read_as_mathematics(
    drawings_of: Callable[[str], list[Drawing]],
) -> None:
    for drawing in drawings_of("hostile"):
        assert not any(text.get_parse_math() for text in _texts(drawing.figure))


def _assert_named_axes(drawings: list[Drawing]) -> None:
    for drawing in drawings:
        lowest = [axes for axes in drawing.figure.axes if axes.axison]
        assert any(axes.get_xlabel() for axes in lowest)
        for axes in drawing.figure.axes:
            legend = axes.get_legend()
            assert not isinstance(legend, Legend) or not axes.axison


def test_axes_have_names_and_legends_cover_no_data(any_drawings: list[Drawing]) -> None:
    _assert_named_axes(any_drawings)


def test_axes_have_names_and_legends_cover_no_data_of_a_sweep(
    any_sweep_drawings: list[Drawing],
) -> None:
    _assert_named_axes(any_sweep_drawings)


def test_drawing_leaves_the_summary_as_it_was(summary_of: Give) -> None:
    summary = summary_of("different")
    before = {
        name: summary.__dict__[name].copy() for name in ("runs", "metrics", "confusion")
    }

    draw_figures(summary.study, summary)

    for name, table in before.items():
        assert table.equals(summary.__dict__[name])


@pytest.mark.parametrize(
    ("study", "absent"),
    [
        ("usual", set()),
        ("no_probabilities", {"probability_differences"}),
        (
            "no_probabilities_at_all",
            {
                "probability_differences",
                "confidence",
                "reliability",
                "decision_regions",
                "timing",
            },
        ),
        ("failed", {"probability_differences"}),
    ],
)
def test_what_cannot_be_drawn_is_told_with_its_reason(
    summary_of: Give, study: str, absent: set[str]
) -> None:
    missing = [
        d
        for d in draw_figures(summary_of(study).study, summary_of(study))
        if isinstance(d, Absence)
    ]

    assert {absence.name for absence in missing} == absent
    assert all(absence.reason.endswith(".") for absence in missing)


def _assert_finite(drawings: list[Drawing]) -> None:
    for drawing in drawings:
        for axes in drawing.figure.axes:
            assert all(map(math.isfinite, [*axes.get_xlim(), *axes.get_ylim()]))


def test_no_drawn_number_is_infinite(any_drawings: list[Drawing]) -> None:
    _assert_finite(any_drawings)


def test_no_drawn_number_is_infinite_in_a_sweep(any_sweep_drawings: list[Drawing]) -> None:
    _assert_finite(any_sweep_drawings)


def test_names_of_a_sweep_are_unique_and_functions_give_them(
    sweep_of: Callable[[str], SweepSummary],
) -> None:
    drawings = draw_figures(sweep_of("density").study, sweep_of("density"))

    assert [entry.name for entry in figures_of("sweep-split")] == [
        one.name for one in drawings
    ]
    assert [entry.title for entry in figures_of("sweep-split")] == [
        one.title for one in drawings
    ]
    assert (
        len({entry.name for entry in figures_of("sweep-split")})
        == len(_drawn(drawings))
        == 5
    )


@pytest.mark.parametrize(
    ("study", "absent"),
    [
        ("identical", set()),
        ("one_fraction", {"learning_slope"}),
        ("labels_only", {"timing"}),
        (
            "all_failed",
            {
                "sweep_accuracy",
                "sweep_gap",
                "learning_slope",
                "sweep_disagreements",
                "timing",
            },
        ),
    ],
)
def test_what_a_sweep_cannot_draw_is_told_with_its_reason(
    sweep_of: Callable[[str], SweepSummary], study: str, absent: set[str]
) -> None:
    missing = [
        d
        for d in draw_figures(sweep_of(study).study, sweep_of(study))
        if isinstance(d, Absence)
    ]

    assert {absence.name for absence in missing} == absent
    assert all(absence.reason.endswith(".") for absence in missing)
