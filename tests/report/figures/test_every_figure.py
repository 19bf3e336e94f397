"""What holds for every figure of every kind of study."""

import math
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from faults.invented_studies import KINDS
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, FigureBase
from matplotlib.text import Text
from reading import Kept

from gnbbench.report.blocks import Document
from gnbbench.report.compare import report
from gnbbench.report.figures.drawing import FIGURES, Absence, Drawing
from gnbbench.report.files import page
from gnbbench.report.style import SMALL, drawing_style

pytestmark = pytest.mark.slow

Give = Callable[[str], Any]
Documents = Callable[[str, str], Document]
SLACK_PIXELS = 2.0
MEGABYTE = 1_000_000
WORDS = Path(__file__).parent / "words"

NAMES = {
    "compare": "usual different cannot_tell failed no_probabilities single exact "
    "no_probabilities_at_all digits thirty_classes several hostile",
    "sweep": "identical density several labels_only one_fraction one_run hostile "
    "all_failed",
    "assumptions": "iris digits many one few constant",
    "matrix": "several usual failed",
}
STUDIES = (
    *((kind, name) for kind, names in NAMES.items() for name in names.split()),
    *(("scale", "numpy"), ("scale", "numpy river other"), ("reproduce", "")),
)
LARGE = {("compare", "several"), ("compare", "digits"), ("assumptions", "digits")}


def _texts(figure: FigureBase) -> list[Text]:
    found: list[Text] = figure.findobj(Text)
    return [text for text in found if text.get_visible() and text.get_text().strip()]


def _axes(figure: Figure) -> Iterator[list[Any]]:
    """Yield each panel with the axes inside it."""
    yield from ([axes, *axes.child_axes] for axes in figure.axes)


def _cut(figure: Figure) -> list[str]:
    """Texts that reach beyond the canvas, or beyond their panel."""
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]  # not annotated there
    figure.draw_without_rendering()
    hidden = {text for axes in chain(*_axes(figure)) for text in _hidden(axes)}
    found = []
    parts: list[Any] = [figure, *figure.subfigs]
    for part in parts:
        canvas = part.bbox.padded(SLACK_PIXELS)
        own = part.texts if part is figure else _texts(part)
        for text in (text for text in own if text not in hidden):
            box = text.get_window_extent(renderer)
            inside = canvas.contains(box.x0, box.y0) and canvas.contains(box.x1, box.y1)
            found += [] if inside else [text.get_text()]
    return found


def _hidden(axes: Axes) -> set[Text]:
    """Texts that are not drawn: of axes that are off, and of ticks beyond the axis."""
    hidden = set() if axes.axison else {axes.xaxis.label, axes.yaxis.label}
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
            if not (axes.axison and low <= tick.get_loc() <= high):
                hidden |= {tick.label1, tick.label2}
    return hidden


def _words(drawing: Drawing | Absence) -> str:
    """Return the text about a figure and in it, with its finding first."""
    if isinstance(drawing, Absence):
        return f"{drawing.name}: {drawing.reason}"
    texts = [text.get_text() for axes in drawing.figure.axes for text in axes.texts]
    words = [text.replace("\n", " ") for text in texts]
    titles = [axes.get_title("left").replace("\n", ": ") for axes in drawing.figure.axes]
    lines = [f"{drawing.name}: {drawing.finding}", drawing.caption, drawing.alt]
    both = filter(None, titles), sorted(set(words))[:20]
    return "\n".join([*lines, *filter(None, (" | ".join(texts) for texts in both))])


def _assert_words(drawing: Drawing) -> None:
    assert drawing.finding
    assert not drawing.finding.endswith(".")
    assert drawing.caption.endswith(".")
    assert drawing.alt.endswith(".")
    assert drawing.finding in drawing.alt
    assert not drawing.frame.empty
    assert "nan" not in (drawing.finding + drawing.alt + drawing.caption).split()


def _assert_picture(drawing: Drawing) -> None:
    figure = drawing.figure
    title = next(t for t in figure.texts if t.get_gid() == "finding")
    assert " ".join(title.get_text().split()) == " ".join(drawing.finding.split())
    texts = _texts(figure)
    assert not any(text.get_parse_math() for text in texts)
    for axes, *inside in _axes(figure):
        labelled = any(part.get_xlabel() for part in (axes, *inside))
        assert labelled or not axes.axison or drawing.name == "matrix"
        assert axes.get_legend() is None or not axes.axison, "a legend over data"
        assert all(map(math.isfinite, [*axes.get_xlim(), *axes.get_ylim()]))
    smallest = min(float(text.get_fontsize()) for text in texts)
    assert smallest >= SMALL, "smaller than can be read on a phone"
    with drawing_style():
        assert _cut(figure) == []


@pytest.mark.parametrize(("kind", "name"), STUDIES)
def test_words_data_and_picture_are_sound(
    document_of: Documents, kind_document: Documents, kind: str, name: str, kept: Kept
) -> None:
    give = kind_document if name in KINDS[kind] else document_of
    document = give(kind, name)
    found = document.drawings

    drawings = [drawing for drawing in found if isinstance(drawing, Drawing)]
    missing = [figure for figure in found if isinstance(figure, Absence)]
    assert all(absence.reason.endswith(".") for absence in missing)
    assert found
    file = f"{kind}-{name or 'claims'}.txt".replace(" ", "-")
    kept(WORDS / file, "\n\n".join(map(_words, found)))
    for drawing in drawings:
        _assert_words(drawing)
        _assert_picture(drawing)
    if (kind, name) in LARGE:
        assert len(page(document).encode()) < MEGABYTE


def test_a_text_beyond_the_canvas_would_be_noticed(document_of: Documents) -> None:
    drawing = document_of("compare", "single").drawings[1]
    assert isinstance(drawing, Drawing)
    drawing.figure.axes[0].text(3.0, 0, "far out", transform=drawing.figure.transFigure)

    with drawing_style():
        assert _cut(drawing.figure) == ["far out"]


def test_a_usual_study_has_every_figure_of_its_kind(kind_document: Documents) -> None:
    usual = [kind_document(kind, name) for kind, (name, _) in KINDS.items()]
    drawings = [drawing for document in usual for drawing in document.drawings]

    assert all(isinstance(drawing, Drawing) for drawing in drawings)
    titles = {t for titles in FIGURES.values() for t in titles.values() if "{" not in t}
    assert titles < {drawing.title for drawing in drawings}


def test_drawing_leaves_the_summary_unchanged(summary_of: Give) -> None:
    summary = summary_of("different")
    before = {name: table.copy() for name, table in summary.tables.items()}

    for drawing in report(summary).drawings:
        assert isinstance(drawing, Absence) or drawing.figure.axes

    assert before
    for name, table in before.items():
        assert table.equals(summary.tables[name])
