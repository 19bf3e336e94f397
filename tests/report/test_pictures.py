"""Drawings as bytes."""

import re
from dataclasses import replace
from io import BytesIO
from typing import Any
from xml.etree import ElementTree

import pytest
from reading import Give

from gnbbench.report.compare import report
from gnbbench.report.figures.drawing import (
    Drawing,
    add_titles,
    draw_figure,
    inline_svg,
    png,
    svg,
)
from gnbbench.report.style import HALF, INK, MUTED, RULE, drawing_style
from gnbbench.statistics.summary import Summary


def _drawn(summary: Summary) -> list[Drawing]:
    return [drawing for drawing in report(summary).drawings if isinstance(drawing, Drawing)]


@pytest.fixture(scope="module")
def usual(summary_of: Give) -> list[tuple[Drawing, str]]:
    return [(drawing, svg(drawing)) for drawing in _drawn(summary_of("usual"))]


@pytest.mark.slow
@drawing_style()
def test_bytes_equal_those_of_saving_a_figure(usual: list[tuple[Drawing, str]]) -> None:
    for drawing, text in usual:
        saved = BytesIO()
        options: dict[str, Any] = {"pil_kwargs": {"compress_level": 2}}
        drawing.figure.savefig(saved, format="png", metadata={"Software": None}, **options)
        assert png(drawing) == saved.getvalue()
        assert svg(drawing) == text
    # As many pixels after its SVG was made
    assert int.from_bytes(png(usual[0][0])[16:20], "big") == HALF * 130


def test_values_are_said_where_a_pointer_rests_and_words_beside_slim_pictures(
    usual: list[tuple[Drawing, str]],
) -> None:
    texts = {d.name: re.findall("<title>(.*?)</title>", text) for d, text in usual}

    assert texts["accuracy"].count("sklearn and numpy: 0.884 (0.82 to 0.93)") == 1
    assert "setosa taken for versicolor: 762" in texts["confusion"]
    assert len([one for one in texts["timing"] if one.startswith("numpy: fit ")]) == 2
    assert {name for name, words in texts.items() if not words} <= {"decision_regions"}
    slim = {drawing.name for drawing, _ in usual if drawing.is_slim}
    assert {"confusion", "decision_regions"} <= slim
    assert not {"reliability", "timing"} & slim
    assert not any("tip:" in text for _, text in usual)


def test_an_unannounced_mark_leaves_all_without_a_title() -> None:
    marks = '<g><use x="1" /><use x="2" /></g>'
    group, other = (ElementTree.fromstring(marks) for _ in range(2))  # noqa: S314  ours

    add_titles(group, ["a", "b"])
    add_titles(other, ["a"] * 3)

    assert [title.text for title in group.findall("use/title")] == ["a", "b"]
    assert ElementTree.tostring(other, "unicode") == marks


def test_svg_is_well_formed_has_no_date_and_text_that_is_text(
    usual: list[tuple[Drawing, str]],
) -> None:
    assert len({text for _, text in usual}) == len(usual)
    for drawing, text in usual:
        assert ElementTree.fromstring(text).tag.endswith("svg")  # noqa: S314  our own text
        assert "<dc:date>" not in text
        assert drawing.finding.split()[0] in text


def test_inline_ids_are_unique_and_referred_to(usual: list[tuple[Drawing, str]]) -> None:
    seen: list[str] = []
    for drawing, text in usual:
        inline = inline_svg(drawing, text)
        ids = re.findall(r'\sid="([^"]*)"', inline)
        wanted = re.findall(r'href="#([^"]*)"|url\(#([^)]*)\)', inline)
        assert wanted
        assert {link or address for link, address in wanted} <= set(ids)
        seen += ids
    assert len(seen) == len(set(seen))


def test_inline_has_the_colours_of_the_page_a_name_and_no_finding(
    usual: list[tuple[Drawing, str]],
) -> None:
    for drawing, text in usual:
        inline = inline_svg(drawing, text)
        element = ElementTree.fromstring(inline)  # noqa: S314  our own
        panels = element.findall(".//{*}svg")
        assert len(panels) == len(drawing.panels)
        assert all(panel.get("viewBox") for panel in panels)
        assert "currentColor" in inline
        assert not any(colour in inline for colour in (INK, MUTED, RULE))
        assert element.get("role") == "img"
        assert element.get("aria-label") == drawing.alt
        assert drawing.finding not in "".join(element.itertext())


def test_hostile_names_stay_text_even_where_they_look_like_ids(summary_of: Give) -> None:
    drawing = draw_figure("accuracy", summary_of("hostile"))

    assert isinstance(drawing, Drawing)
    inline = inline_svg(replace(drawing, shows='"><script>alert(1)</script>'), svg(drawing))
    element = ElementTree.fromstring(inline)  # noqa: S314  our own text
    assert "<script" not in inline
    assert '$x_1$ & id="a"' in "".join(element.itertext())
    assert str(element.get("aria-label")).startswith('"><script>alert(1)</script>. ')
