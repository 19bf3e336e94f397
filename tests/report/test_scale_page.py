"""The page of a scale study, as text and as a browser shows it."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from faults.scale import HOSTILE, made_records
from playwright.sync_api import Browser

from gnbbench.report.scale_page import CONTENTS, scale_page
from gnbbench.statistics.scale import summarize_scale
from gnbbench.statistics.scale_summary import ScaleSummary

pytestmark = pytest.mark.slow

HALT = {"numpy": ("features", 16, "error", f"ValueError: {HOSTILE}")}


@cache
def marked() -> str:
    """Return the page of a study with labels that differ, and a failure."""
    return scale_page(made("numpy", "river", differing={"river": 4}, stopped=HALT))


@cache
def usual() -> str:
    """Return the page of the usual study."""
    return scale_page(made())


def made(*competitors: str, **options: Any) -> ScaleSummary:
    return summarize_scale(made_records(competitors or ("numpy",), **options))


def test_the_page_opens_with_the_finding() -> None:
    text = usual()

    assert "<h1>At 100,000 samples, fit of numpy takes " in text
    assert "Every label is the reference&#39;s in 12 comparisons." in text
    assert 'class="band tone-good"' in text
    assert "Every implementation was measured at every size." in text


def test_every_section_and_figure_is_there() -> None:
    text = usual()

    for name, _ in CONTENTS:
        assert f'<section id="{name}">' in text
    for name in ("samples", "features", "throughput", "memory"):
        assert f'<figure id="figure-scale_{name}">' in text
    assert "figure-scale_classes" not in text


def test_what_was_left_out_is_said_and_labels_that_differ_are_marked() -> None:
    text = marked()

    assert "numpy: stopped at d = 8: it failed (ValueError: " in text
    assert 'class="band tone-bad"' in text
    assert "✗ 99.6" in text


def test_text_of_others_is_no_markup() -> None:
    text = scale_page(made(HOSTILE, stopped={HOSTILE: ("samples", 5000, "error", HOSTILE)}))

    assert text.count("<script>") == 1
    assert HOSTILE not in text


def test_links_within_the_page_lead_somewhere() -> None:
    text = usual()

    targets = set(re.findall(r'href="#([^"]+)"', text))
    assert targets - set(re.findall(r'id="([^"]+)"', text)) == set()


def test_a_page_is_the_same_twice() -> None:
    assert scale_page(made()) == usual()


def test_nothing_timed_is_still_a_page() -> None:
    records = made_records()
    empty = type(records)(
        **{
            **vars(records),
            "timings": records.timings.head(0),
            "memory": records.memory.head(0),
        }
    )

    text = scale_page(summarize_scale(empty))

    assert "<h1>Nothing could be timed.</h1>" in text
    assert text.count("not drawn.") == 4


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault_and_nothing_overflows_a_phone(
    browser: Browser, tmp_path: Path, scheme: Any
) -> None:
    file = tmp_path / "page.html"
    file.write_text(marked())
    messages: list[str] = []
    visited = browser.new_context(
        viewport={"width": 390, "height": 800}, color_scheme=scheme
    ).new_page()
    visited.on("console", lambda message: messages.append(message.text))
    visited.on("pageerror", lambda error: messages.append(str(error)))
    visited.goto(file.as_uri())

    found = Axe().run(visited).response["violations"]
    width = visited.evaluate("document.documentElement.scrollWidth")
    visited.context.close()

    assert [fault["id"] for fault in found] == []
    assert width <= 390
    assert messages == []
