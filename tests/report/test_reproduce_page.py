"""The page of published figures, as text and as a browser shows it."""

import re
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from faults.claims import HOSTILE, made_results, made_summary
from playwright.sync_api import Browser, Page

from gnbbench.report.reproduce_page import CONTENTS, reproduce_page

DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}


@pytest.mark.slow
def test_the_page_opens_with_the_count() -> None:
    text = reproduce_page(made_summary())

    assert "<h1>1 of 7 published figures are reproduced.</h1>" in text
    assert "Besides: 1 within run-to-run spread; 1 not reproduced" in text


def test_every_claim_has_a_row_and_every_source_a_section() -> None:
    text = reproduce_page(made_summary())

    for result in made_results():
        assert text.count(f'id="claim-{result.claim.id}"') == 1
    assert 'id="source-S"' in text
    assert 'id="source-H"' in text
    for name, _ in CONTENTS:
        assert f'<section id="{name}">' in text


def test_what_was_lost_and_what_explains_stands_above_the_table() -> None:
    text = reproduce_page(made_summary())
    verdict = text[
        text.index('<section id="verdict">') : text.index('<section id="claims">')
    ]

    assert "s-lost was reproduced and is not reproduced now." in verdict
    assert "not with numpy (0.9333): a floor." in verdict
    assert "s-spread" not in verdict


def test_nothing_telling_is_said_to_be_so() -> None:
    assert "No figure was refuted" in reproduce_page(made_summary("s-spread"))


def test_links_within_the_page_lead_somewhere() -> None:
    text = reproduce_page(made_summary())

    targets = set(re.findall(r'href="#([^"]+)"', text))
    assert targets - set(re.findall(r'id="([^"]+)"', text)) == set()


def test_text_of_a_table_is_no_markup() -> None:
    text = reproduce_page(made_summary())

    assert text.count("<script>") == 1
    assert HOSTILE not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_a_page_is_the_same_twice() -> None:
    assert reproduce_page(made_summary()) == reproduce_page(made_summary())


def _opened(browser: Browser, directory: Path, **options: Any) -> tuple[Page, list[str]]:
    file = directory / "page.html"
    file.write_text(reproduce_page(made_summary()))
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
def test_axe_finds_no_fault(browser: Browser, tmp_path: Path, scheme: str) -> None:
    visited, messages = _opened(browser, tmp_path, color_scheme=scheme)

    found = Axe().run(visited).response["violations"]
    visited.context.close()

    assert [fault["id"] for fault in found] == []
    assert messages == []


@pytest.mark.browser
def test_nothing_overflows_a_phone(browser: Browser, tmp_path: Path) -> None:
    visited, messages = _opened(browser, tmp_path, viewport=PHONE)

    width = visited.evaluate("document.documentElement.scrollWidth")
    visited.context.close()

    assert width <= PHONE["width"]
    assert messages == []


@pytest.mark.browser
def test_claims_are_sorted_by_the_measured_value(browser: Browser, tmp_path: Path) -> None:
    visited, _ = _opened(browser, tmp_path)

    visited.locator("#claims thead button", has_text="measured").click()
    names = visited.locator("#claims tbody th").all_inner_texts()
    visited.context.close()

    assert names[0] == "s-time"
    assert names[-1] == "h-absent"


@pytest.mark.browser
def test_every_column_of_claims_fits_a_desktop(browser: Browser, tmp_path: Path) -> None:
    visited, _ = _opened(browser, tmp_path)

    hidden = visited.locator("#claims .scroll").evaluate(
        "e => e.scrollWidth - e.clientWidth"
    )
    visited.context.close()

    assert hidden <= 0
