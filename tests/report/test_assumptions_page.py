"""The page of the assumptions, as text and as a browser shows it."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from gnbbench.report.assumptions_page import ASSUMPTIONS_CONTENTS, assumptions_page
from gnbbench.report.assumptions_summary import AssumptionsSummary

pytestmark = pytest.mark.slow

Give = Callable[[str], AssumptionsSummary]
PHONE = {"width": 360, "height": 740}
DESKTOP = {"width": 1280, "height": 720}


@pytest.fixture(scope="module")
def page_of(assumptions_of: Give) -> Callable[[str], str]:
    """Give the page of examined data; each is made once."""
    made: dict[str, str] = {}

    def give(name: str) -> str:
        if name not in made:
            made[name] = assumptions_page(assumptions_of(name))
        return made[name]

    return give


def test_the_band_has_both_verdicts(
    assumptions_of: Give, page_of: Callable[[str], str]
) -> None:
    text = page_of("iris")

    band = text[text.index('<div class="band') : text.index('<ul class="tiles">')]
    for verdict in assumptions_of("iris").findings.verdicts:
        assert verdict.sentence in band.replace("&#39;", "'")
    assert "Naive: strongly broken in 3 of 3 classes (max |r| 0.86)" in band


def test_sections_come_in_order(page_of: Callable[[str], str]) -> None:
    sections = re.findall(r'<section id="([\w-]+)">', page_of("iris"))

    assert sections == [anchor for anchor, _ in ASSUMPTIONS_CONTENTS]
    assert sections[:4] == ["verdict", "naive", "normal", "costs"]


@pytest.mark.parametrize("name", ["iris", "wine", "digits", "one", "many"])
def test_the_page_stays_under_a_megabyte(page_of: Callable[[str], str], name: str) -> None:
    assert len(page_of(name).encode()) < 1_000_000


def test_the_page_is_the_same_twice(
    assumptions_of: Give, page_of: Callable[[str], str]
) -> None:
    assert assumptions_page(assumptions_of("wine")) == page_of("wine")


def test_no_value_is_left_unformatted(any_assumptions: AssumptionsSummary) -> None:
    text = assumptions_page(any_assumptions)

    cells = re.findall(r"<(?:td|dd|th)[^>]*>([^<]*)<", text)
    assert cells
    assert not {"nan", "None", "inf"} & {cell.strip() for cell in cells}


def test_names_of_users_are_text(page_of: Callable[[str], str]) -> None:
    text = page_of("hostile")

    assert text.count("<script>") == 1
    assert "alert(1)&lt;/script&gt;" in text
    assert "{{ 7 * 7 }}" in text


def test_every_figure_has_a_name_and_an_own_set_of_ids(
    page_of: Callable[[str], str],
) -> None:
    text = page_of("iris")

    names = re.findall(r'<svg role="img" aria-label="([^"]+)"', text)
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(names) == 4
    assert all(len(name) > 60 for name in names)
    assert len(ids) == len(set(ids))


def test_the_source_of_the_test_is_named(page_of: Callable[[str], str]) -> None:
    assert "Bartlett, M. S. (1951)" in page_of("iris")
    assert "Bartlett&#39;s test of a diagonal correlation matrix" in page_of("iris")


def test_what_was_not_drawn_says_why(page_of: Callable[[str], str]) -> None:
    assert "No class has two features that vary." in page_of("one")


def test_a_failed_model_is_told(page_of: Callable[[str], str]) -> None:
    assert "Runs that ended in an error" in page_of("constant")
    assert "Runs that ended in an error" not in page_of("iris")


@dataclass
class Visit:
    """A page that was opened, and what it said."""

    page: Page
    messages: list[str] = field(default_factory=list)


@contextmanager
def _visit(browser: Browser, text: str, directory: Path, **options: Any) -> Iterator[Visit]:
    file = directory / "page.html"
    file.write_text(text)
    context = browser.new_context(**{"viewport": DESKTOP, **options})
    try:
        visit = Visit(context.new_page())
        visit.page.on("console", lambda message: visit.messages.append(message.text))
        visit.page.on("pageerror", lambda error: visit.messages.append(str(error)))
        visit.page.goto(file.as_uri())
        yield visit
    finally:
        context.close()


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["iris", "constant"])
def test_axe_finds_no_serious_fault(
    browser: Browser, page_of: Callable[[str], str], tmp_path: Path, name: str, scheme: str
) -> None:
    with _visit(browser, page_of(name), tmp_path, color_scheme=scheme) as visit:
        visit.page.evaluate(
            "document.querySelectorAll('details').forEach(d => d.open = true)"
        )

        faults = [
            fault["id"]
            for fault in Axe().run(visit.page).response["violations"]
            if fault["impact"] in {"serious", "critical"}
        ]
        assert faults == []


@pytest.mark.browser
@pytest.mark.parametrize("name", ["iris", "digits", "one", "hostile", "constant"])
def test_nothing_overflows_a_phone_or_goes_wrong(
    browser: Browser, page_of: Callable[[str], str], tmp_path: Path, name: str
) -> None:
    with _visit(browser, page_of(name), tmp_path, viewport=PHONE) as visit:
        width = "document.documentElement.scrollWidth - innerWidth"

        assert visit.page.evaluate(width) <= 0
        assert visit.messages == []


@pytest.mark.browser
def test_only_the_verdict_is_above_the_fold(
    browser: Browser, page_of: Callable[[str], str], tmp_path: Path
) -> None:
    with _visit(browser, page_of("iris"), tmp_path) as visit:
        for part in ("h1", ".lights li >> nth=1", ".tile >> nth=3"):
            box = visit.page.locator(part).bounding_box()

            assert box is not None
            assert box["y"] + box["height"] <= 720
