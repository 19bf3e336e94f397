"""The badge of conformance."""

import re
from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from gnbbench.report.conformance_badge import ALL, FEW, MOST, NONE, badge, colour
from gnbbench.report.conformance_summary import ConformanceSummary

Give = Callable[..., ConformanceSummary]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("name", "words", "fill"),
    [
        ("perfect", "GNB conformance 12/12", ALL),
        ("partial", "GNB conformance 10/10", ALL),
        ("faulty", "GNB conformance 7/11", FEW),
        ("nothing", "GNB conformance –/–", NONE),
    ],
)
def test_words_and_colour_say_the_score(
    conformance_of: Give, name: str, words: str, fill: str
) -> None:
    text = badge(conformance_of(name).examined[0])

    root = ET.fromstring(text)  # noqa: S314  our own text
    assert root.get("role") == "img"
    assert root.get("aria-label") == words
    assert root.findtext(f"{SVG}title") == words
    assert " ".join(one.text or "" for one in root.iter(f"{SVG}text")) == words
    assert fill in text


def test_nine_tenths_are_most(conformance_of: Give) -> None:
    whole = conformance_of("perfect").examined[0]
    wrong = replace(whole.results[0], outcome="fail")

    assert colour(replace(whole, results=(wrong, *whole.results[1:]))) == MOST


def test_nothing_is_loaded_from_elsewhere(conformance_of: Give) -> None:
    text = badge(conformance_of("faulty").examined[0])

    assert re.findall(r"https?://[^\"]+", text) == ["http://www.w3.org/2000/svg"]
    assert "href" not in text


@pytest.mark.parametrize("fill", [ALL, MOST, FEW, NONE, "#2d3641"])
def test_white_text_can_be_read_on_every_colour(fill: str) -> None:
    parts = [int(fill[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    luminance = sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    assert 1.05 / (luminance + 0.05) >= 4.5


def test_texts_stay_within_their_boxes(conformance_of: Give) -> None:
    root = ET.fromstring(badge(conformance_of("faulty").examined[0]))  # noqa: S314  our own text

    boxes = [one for one in root.iter(f"{SVG}rect") if one.get("fill")]
    for box, text in zip(boxes, root.iter(f"{SVG}text"), strict=True):
        left = float(box.get("x", 0))
        start = float(text.get("x", 0))
        assert left < start
        assert start + float(text.get("textLength", 0)) < left + float(box.get("width", 0))
