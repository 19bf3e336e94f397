"""How figures look."""

import gc
from contextlib import suppress
from typing import Any

import matplotlib

from gnbbench.report import style


def test_implementations_and_classes_differ_in_more_than_colour_and_ours_is_blue() -> None:
    chosen = style.line_styles(["sklearn", "river", "numpy", "a", "b", "c"])

    assert list(chosen)[:3] == ["sklearn", "river", "numpy"]
    assert (chosen["numpy"].colour, chosen["numpy"].hatch) == ("#0072B2", "")
    assert chosen["sklearn"].colour == "#D55E00"
    for trait in ("colour", "marker", "hatch", "label"):
        assert len({getattr(look, trait) for look in chosen.values()}) == 6
    assert len({style.class_style(code) for code in range(60)}) == 60


def test_settings_of_the_user_come_back_and_do_not_reach_the_figures() -> None:
    with matplotlib.rc_context({"lines.linewidth": 17.0, "svg.hashsalt": "mine"}):
        with suppress(ZeroDivisionError), style.drawing_style():
            inside = matplotlib.rcParams["lines.linewidth"]
            _ = 1 / 0
        after = matplotlib.rcParams["lines.linewidth"], matplotlib.rcParams["svg.hashsalt"]

    assert inside == matplotlib.rcParamsDefault["lines.linewidth"]
    assert after == (17.0, "mine")
    assert gc.isenabled()


def test_the_style_sheet_has_the_colours_and_sizes_of_the_page() -> None:
    with style.drawing_style():
        known: Any = matplotlib.rcParams
        settings = dict(known)

    inks = {settings[f"{axis}.labelcolor"] for axis in ("axes", "xtick", "ytick")}
    assert {*inks, settings["axes.titlecolor"], settings["text.color"]} == {style.INK}
    assert (settings["xtick.color"], settings["grid.color"]) == (style.MUTED, style.RULE)
    assert settings["figure.facecolor"] == style.PAPER
    assert settings["font.size"] == style.SMALL


def panel(**size: Any) -> style.Panel:
    return style.Panel(lambda axes: axes.set(xlabel="x", ylabel="y"), 2.0, **size)


def test_panels_fill_rows_below_their_finding_and_a_key_has_one_of_its_own() -> None:
    quarters = [panel(width=style.QUARTER)] * 4

    found, width, short = style.places("", [*[panel()] * 3, panel(apart=True), *quarters])
    *_, long = style.places("long " * 40, [place.panel for place in found])

    assert [place.row for place in found] == [0, 0, 1, 2, 3, 3, 3, 3]
    assert width == 72 * 2 * style.HALF
    assert [place.left for place in found[:3]] == [0, 72 * style.HALF, 0]
    assert long > short


def test_panels_of_a_row_are_aligned_and_their_labels_inside() -> None:
    tall = style.Panel(lambda axes: axes.set(xlabel="x\nx\nx", ylabel="y"), 2.0)

    with style.drawing_style():
        figure = style.draw("Finding", [panel(), tall])

    first, second = figure.subfigs
    bounds = [part.axes[0].get_window_extent() for part in (first, second)]
    assert abs(bounds[0].y0 - bounds[1].y0) < 0.1
    for part in (first, second):
        outer = part.axes[0].get_tightbbox()
        assert outer is not None
        assert part.bbox.x0 <= outer.x0 < outer.x1 <= part.bbox.x1
        assert part.bbox.y0 <= outer.y0 < outer.y1 <= part.bbox.y1
