"""The page as a browser shows it."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Browser, Page

from gnbbench.report.figures.catalogue import figures_of
from gnbbench.report.page import page
from gnbbench.statistics.summary import Summary

pytestmark = pytest.mark.browser

Give = Callable[[str], Summary]
STUDIES = ("usual", "several", "hostile", "no_probabilities_at_all", "digits")
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}


@dataclass
class Visit:
    """A page that was opened, and what it did."""

    page: Page
    address: str
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def addresses(
    summary_of: Give, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], str]:
    """Give the address of the page of an invented study; each is written once."""
    directory = tmp_path_factory.mktemp("pages")

    def give(name: str) -> str:
        path = directory / f"{name}.html"
        if not path.exists():
            path.write_text(page(summary_of(name)))
        return path.as_uri()

    return give


@contextmanager
def _visit(browser: Browser, address: str, **options: Any) -> Iterator[Visit]:
    context = browser.new_context(**{"viewport": DESKTOP, **options})
    try:
        visit = Visit(context.new_page(), address)
        visit.page.on("console", lambda message: visit.messages.append(message.text))
        visit.page.on("pageerror", lambda error: visit.messages.append(str(error)))
        visit.page.on("request", lambda request: visit.requests.append(request.url))
        visit.page.goto(address)
        yield visit
    finally:
        context.close()


def _faults(visited: Page) -> list[str]:
    found = Axe().run(visited).response["violations"]
    return [
        f"{fault['id']}: {fault['nodes'][0]['html'][:120]}"
        for fault in found
        if fault["impact"] in {"serious", "critical"}
    ]


def _overflow(visited: Page) -> int:
    width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    return int(visited.evaluate(width))


def _pixels(visited: Page) -> np.ndarray:
    return np.asarray(Image.open(BytesIO(visited.screenshot())).convert("L"), dtype=float)


@pytest.mark.parametrize("study", STUDIES)
def test_opens_without_an_error_and_asks_for_nothing_else(
    browser: Browser, addresses: Callable[[str], str], study: str
) -> None:
    with _visit(browser, addresses(study)) as visit:
        outside = [
            url
            for url in visit.requests
            if url != visit.address and not url.startswith("data:")
        ]

        assert visit.messages == []
        assert outside == []


def test_a_request_would_be_noticed(browser: Browser, tmp_path: Path) -> None:
    leaky = tmp_path / "leaky.html"
    leaky.write_text('<html lang="en"><img alt="" src="elsewhere.png"></html>')

    with _visit(browser, leaky.as_uri()) as visit:
        assert [url for url in visit.requests if url.endswith("elsewhere.png")]


def test_every_figure_is_visible_and_has_a_name(
    browser: Browser, addresses: Callable[[str], str]
) -> None:
    with _visit(browser, addresses("usual")) as visit:
        for entry in figures_of("compare"):
            drawing = visit.page.locator(f"#figure-{entry.name} svg")
            box = drawing.bounding_box()
            assert drawing.is_visible()
            assert box is not None
            assert box["width"] > 300
            assert box["height"] > 80
            assert drawing.get_attribute("role") == "img"
            assert len(drawing.get_attribute("aria-label") or "") > 60


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("study", ["usual", "several", "failed"])
def test_axe_finds_no_serious_fault(
    browser: Browser, addresses: Callable[[str], str], study: str, scheme: str
) -> None:
    with _visit(browser, addresses(study), color_scheme=scheme) as visit:
        visit.page.evaluate(
            "document.querySelectorAll('details').forEach(d => d.open = true)"
        )

        assert _faults(visit.page) == []


def test_axe_would_find_a_fault(browser: Browser, tmp_path: Path) -> None:
    faulty = tmp_path / "faulty.html"
    faulty.write_text("<html><p style='color: #ddd; background: #fff'>pale</p></html>")

    with _visit(browser, faulty.as_uri()) as visit:
        assert _faults(visit.page)


@pytest.mark.parametrize("study", STUDIES)
def test_nothing_overflows_a_phone(
    browser: Browser, addresses: Callable[[str], str], study: str
) -> None:
    with _visit(browser, addresses(study), viewport=PHONE) as visit:
        assert _overflow(visit.page) <= 0


def test_an_overflow_would_be_noticed(browser: Browser, tmp_path: Path) -> None:
    wide = tmp_path / "wide.html"
    wide.write_text("<html><div style='width: 500px'>wide</div></html>")

    with _visit(browser, wide.as_uri(), viewport=PHONE) as visit:
        assert _overflow(visit.page) > 0


def test_phone_and_dark_pictures_are_not_blank(
    browser: Browser, addresses: Callable[[str], str]
) -> None:
    with _visit(browser, addresses("usual"), viewport=PHONE) as visit:
        phone = _pixels(visit.page)
    with _visit(browser, addresses("usual"), color_scheme="dark") as visit:
        dark = _pixels(visit.page)
    with _visit(browser, addresses("usual")) as visit:
        light = _pixels(visit.page)

    assert all(picture.std() > 10 for picture in (phone, dark, light))
    assert np.median(dark) < 60
    assert np.median(light) > 200


def test_text_of_figures_can_be_read_in_the_dark(
    browser: Browser, addresses: Callable[[str], str]
) -> None:
    colour = "getComputedStyle(document.querySelector('#figure-accuracy text')).fill"
    with _visit(browser, addresses("usual"), color_scheme="dark") as visit:
        dark = visit.page.evaluate(colour)
    with _visit(browser, addresses("usual")) as visit:
        light = visit.page.evaluate(colour)

    assert dark != light


def test_only_the_verdict_is_above_the_fold(
    browser: Browser, addresses: Callable[[str], str]
) -> None:
    with _visit(
        browser, addresses("usual"), viewport={"width": 1280, "height": 720}
    ) as visit:
        for shown in ("h1", ".tile >> nth=0", ".tile >> nth=3"):
            box = visit.page.locator(shown).bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= 720
        first = visit.page.locator("main h2").first.bounding_box()
        assert first is not None
        assert first["y"] > 680


def test_a_column_sorts_both_ways_and_says_so(
    browser: Browser, addresses: Callable[[str], str]
) -> None:
    with _visit(browser, addresses("different")) as visit:
        caption = visit.page.locator(
            "caption", has_text=re.compile("^Rows ever in dispute$")
        )
        table = visit.page.locator("table").filter(has=caption)
        head = table.locator("th[scope=col]").nth(3)
        numbers = "rows => rows.map(row => Number(row.cells[3].dataset.key))"

        head.locator("button").click()
        upward = table.locator("tbody tr").evaluate_all(numbers)
        state = head.get_attribute("aria-sort")
        head.locator("button").click()
        downward = table.locator("tbody tr").evaluate_all(numbers)

        assert state == "ascending"
        assert len(set(upward)) > 5
        assert upward == sorted(upward)
        assert head.get_attribute("aria-sort") == "descending"
        assert downward == sorted(upward, reverse=True)
        assert table.locator("th[aria-sort=none]").count() == 6


def test_the_theme_can_be_changed(
    browser: Browser, addresses: Callable[[str], str]
) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    with _visit(browser, addresses("usual")) as visit:
        before = visit.page.evaluate(background)
        visit.page.locator("button.theme").click()

        assert visit.page.evaluate(background) != before
        assert visit.page.locator("button.theme").inner_text() == "Light"


def test_print_is_light_and_has_no_navigation(
    browser: Browser, addresses: Callable[[str], str]
) -> None:
    with _visit(browser, addresses("usual"), color_scheme="dark") as visit:
        visit.page.emulate_media(media="print")

        assert visit.page.evaluate("getComputedStyle(document.body).backgroundColor") == (
            "rgb(255, 255, 255)"
        )
        assert not visit.page.locator("nav").is_visible()
        assert not visit.page.locator("button.theme").is_visible()


def test_hostile_names_are_read_and_not_run(
    browser: Browser, addresses: Callable[[str], str]
) -> None:
    with _visit(browser, addresses("hostile")) as visit:
        asked: list[str] = []
        visit.page.on("dialog", lambda dialog: asked.append(dialog.message))
        visit.page.reload()

        assert asked == []
        assert "<script>alert(1)</script>" in visit.page.locator(".tile").first.inner_text()
        assert visit.page.locator("script").count() == 1


def test_wide_tables_can_be_reached_by_keyboard(
    browser: Browser, addresses: Callable[[str], str]
) -> None:
    with _visit(browser, addresses("usual"), viewport=PHONE) as visit:
        regions = visit.page.locator(".scroll, .drawing")

        assert regions.count() > 10
        assert regions.evaluate_all("all => all.every(one => one.tabIndex === 0)")
