"""How figures look."""

import gc
from contextlib import suppress

import matplotlib

from gnbbench.report.style import (
    class_style,
    drawing_style,
    line_styles,
    new_figure,
    title_points,
)


def test_ours_is_blue_and_the_reference_hatched_wherever_they_stand() -> None:
    chosen = line_styles(["sklearn", "river", "numpy"])

    assert list(chosen) == ["sklearn", "river", "numpy"]
    assert chosen["numpy"].colour == "#0072B2"
    assert chosen["numpy"].hatch == ""
    assert chosen["sklearn"].colour == "#D55E00"
    assert chosen["sklearn"].hatch


def test_implementations_differ_in_colour_and_in_marker_and_in_hatch() -> None:
    chosen = line_styles(["sklearn", "numpy", "a", "b", "c", "d"]).values()

    for trait in ("colour", "marker", "hatch", "label"):
        assert len({getattr(style, trait) for style in chosen}) == 6


def test_classes_differ_in_colour_or_marker() -> None:
    assert len({class_style(code) for code in range(60)}) == 60


def test_settings_of_the_user_come_back_and_do_not_reach_the_figures() -> None:
    with matplotlib.rc_context({"lines.linewidth": 17.0, "svg.hashsalt": "mine"}):
        with suppress(ZeroDivisionError), drawing_style():
            inside = matplotlib.rcParams["lines.linewidth"]
            _ = 1 / 0
        after = matplotlib.rcParams["lines.linewidth"], matplotlib.rcParams["svg.hashsalt"]

    assert inside == matplotlib.rcParamsDefault["lines.linewidth"]
    assert after == (17.0, "mine")
    assert gc.isenabled()


def test_a_long_finding_gets_more_room() -> None:
    with drawing_style():
        short, long = new_figure(2.0, "Short"), new_figure(2.0, "long " * 40)

    assert title_points("long " * 40) > title_points("Short")
    assert long.get_figheight() > short.get_figheight()
