"""The pages of conformance, as text and as a browser shows them."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from gnbbench.report.conformance_page import (
    CONTENTS,
    SCOREBOARD_CONTENTS,
    conformance_page,
)
from gnbbench.report.conformance_summary import ConformanceSummary

Give = Callable[..., ConformanceSummary]
PHONE = {"width": 360, "height": 740}
DESKTOP = {"width": 1280, "height": 720}
HOSTILE = "<script>alert(1)</script>"
ALL = ("perfect", "partial", "faulty", "nothing", HOSTILE)


def band(text: str) -> str:
    """Return the part of a page above its tiles."""
    return text[text.index('<div class="band') : text.index('<ul class="tiles">')]


@pytest.mark.parametrize(
    ("name", "expected", "tone"),
    [
        ("perfect", (), "good"),
        ("faulty", (), "bad"),
        ("faulty", ("offsets-1",), "bad"),
        (
            "faulty",
            ("offsets-1", "offsets-4", "one-row-in-a-class-1", "weights-1"),
            "unsure",
        ),
        ("nothing", (), "unsure"),
    ],
)
def test_the_band_says_the_score_and_its_tone_follows_the_gate(
    conformance_of: Give, name: str, expected: tuple[str, ...], tone: str
) -> None:
    summary = conformance_of(name, expected=expected)

    text = band(conformance_page(summary))

    assert f"<h1>{summary.headline}</h1>" in text
    assert f'class="band tone-{tone}"' in text
    assert "12 checks in 3 families, each alone, for at most 30 s." in text


def test_sections_come_in_order(conformance_of: Give) -> None:
    alone = re.findall(
        r'<section id="([\w-]+)">', conformance_page(conformance_of("faulty"))
    )
    board = re.findall(r'<section id="([\w-]+)">', conformance_page(conformance_of(*ALL)))

    assert alone == [anchor for anchor, _ in CONTENTS]
    assert board == [anchor for anchor, _ in SCOREBOARD_CONTENTS]


def test_failures_have_statement_number_and_source(conformance_of: Give) -> None:
    text = conformance_page(conformance_of("faulty"))

    section = text[text.index('<section id="failures">') : text.index('id="families"')]
    assert section.count("<li") == 4
    assert "labels are those of exact arithmetic" in section
    assert "measured 0.0452, at most 0 allowed (labels)" in section
    assert "Source: NIST StRD, SmLs07" in section


def test_no_failure_is_said_so(conformance_of: Give) -> None:
    assert "Every check that applies is passed." in conformance_page(
        conformance_of("perfect")
    )
    assert "No check applies" in conformance_page(conformance_of("nothing"))


def test_no_value_is_left_unformatted(any_conformance: ConformanceSummary) -> None:
    text = conformance_page(any_conformance)

    cells = re.findall(r"<(?:td|dd|th)[^>]*>([^<]*)<", text)
    assert cells
    assert not {"nan", "None", "inf"} & {cell.strip() for cell in cells}


def test_ids_are_unique(any_conformance: ConformanceSummary) -> None:
    ids = re.findall(r'\bid="([^"]+)"', conformance_page(any_conformance))

    assert ids
    assert len(ids) == len(set(ids))


def test_names_and_messages_are_text(conformance_of: Give) -> None:
    for names in ((HOSTILE,), ALL):
        text = conformance_page(conformance_of(*names))

        assert text.count("<script>") == 1
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_the_page_repeats_the_command_and_names_its_sources(conformance_of: Give) -> None:
    text = conformance_page(conformance_of("faulty"))

    assert "<code>gnbbench conformance faulty</code>" in text
    assert "<li>Chan, Golub and LeVeque (1983)</li>" in text


def test_each_column_of_the_matrix_leads_to_its_section(conformance_of: Give) -> None:
    text = conformance_page(conformance_of("faulty", "perfect"))

    totals = re.findall(r'<td><a href="#([\w-]+)"[^>]*>([^<]+)</a></td>', text)
    assert totals == [("implementation-1", "12/12"), ("implementation-2", "7/11")]
    assert re.search(r'id="implementation-2"[^>]*>\s*<h3>faulty</h3>', text)


def test_a_page_is_the_same_twice(conformance_of: Give) -> None:
    assert conformance_page(conformance_of(*ALL)) == conformance_page(conformance_of(*ALL))


def _opened(
    browser: Browser, text: str, directory: Path, **options: Any
) -> tuple[Page, list[str]]:
    file = directory / "page.html"
    file.write_text(text)
    visited = browser.new_context(**{"viewport": DESKTOP, **options}).new_page()
    messages: list[str] = []
    visited.on("console", lambda message: messages.append(message.text))
    visited.on("pageerror", lambda error: messages.append(str(error)))
    visited.on(
        "request",
        lambda request: (
            messages.append(request.url)
            if request.url != file.as_uri() and not request.url.startswith("data:")
            else None
        ),
    )
    visited.goto(file.as_uri())
    return visited, messages


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("names", [("faulty",), ALL], ids=["alone", "scoreboard"])
def test_axe_finds_no_fault(
    browser: Browser,
    conformance_of: Give,
    tmp_path: Path,
    names: tuple[str, ...],
    scheme: str,
) -> None:
    text = conformance_page(conformance_of(*names, expected=("offsets-0", "offsets-1")))
    visited, messages = _opened(browser, text, tmp_path, color_scheme=scheme)

    found = Axe().run(visited).response["violations"]
    visited.context.close()

    assert [fault["id"] for fault in found] == []
    assert messages == []


@pytest.mark.browser
def test_axe_would_find_a_fault(
    browser: Browser, conformance_of: Give, tmp_path: Path
) -> None:
    text = conformance_page(conformance_of("faulty")).replace('lang="en"', "")
    visited, _ = _opened(browser, text, tmp_path)

    found = Axe().run(visited).response["violations"]
    visited.context.close()

    assert "html-has-lang" in [fault["id"] for fault in found]


@pytest.mark.browser
@pytest.mark.parametrize("names", [("faulty",), (HOSTILE,), ALL], ids=len)
def test_nothing_overflows_a_phone(
    browser: Browser, conformance_of: Give, tmp_path: Path, names: tuple[str, ...]
) -> None:
    text = conformance_page(conformance_of(*names))
    visited, messages = _opened(browser, text, tmp_path, viewport=PHONE)

    width = visited.evaluate("document.documentElement.scrollWidth")
    visited.context.close()

    assert width <= PHONE["width"]
    assert messages == []


@pytest.mark.browser
def test_tiles_are_above_the_fold(
    browser: Browser, conformance_of: Give, tmp_path: Path
) -> None:
    visited, _ = _opened(browser, conformance_page(conformance_of("faulty")), tmp_path)

    boxes = [visited.locator(f".tile >> nth={place}").bounding_box() for place in range(4)]
    visited.context.close()

    assert all(box is not None and box["y"] + box["height"] <= 720 for box in boxes)


@pytest.mark.browser
def test_results_can_be_sorted_and_totals_stay_below(
    browser: Browser, conformance_of: Give, tmp_path: Path
) -> None:
    text = conformance_page(conformance_of("faulty", "perfect"))
    visited, _ = _opened(browser, text, tmp_path)
    table = visited.locator("#matrix table")

    table.locator("th[scope=col] button").nth(2).click()
    marks = table.locator("tbody tr").evaluate_all(
        "rows => rows.map(r => r.cells[2].innerText)"
    )
    last = table.locator("tr").last.inner_text()
    visited.context.close()

    assert marks[:2] == ["✗ fail", "✗ fail"]
    assert marks[2:5] == ["! crash", "… timeout", "– n/a"]
    assert last.startswith("passed of those that apply")
