"""The page of a sweep as a browser shows it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from gnbbench.report.figures.catalogue import figures_of
from gnbbench.report.sweep_page import sweep_page
from gnbbench.statistics.summary import Summary

pytestmark = pytest.mark.browser

SWEEPS = ("density", "several", "hostile", "all_failed")
PHONE = {"width": 360, "height": 740}
DESKTOP = {"width": 1280, "height": 720}


@pytest.fixture(scope="module")
def addresses(
    sweep_of: Callable[[str], Summary], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], str]:
    """Give the address of the page of a made sweep; each is written once."""
    directory = tmp_path_factory.mktemp("sweeps")

    def give(name: str) -> str:
        path: Path = directory / f"{name}.html"
        if not path.exists():
            path.write_text(sweep_page(sweep_of(name)))
        return path.as_uri()

    return give


def _opened(browser: Browser, address: str, **options: Any) -> tuple[Page, list[str]]:
    visited = browser.new_context(**{"viewport": DESKTOP, **options}).new_page()
    messages: list[str] = []
    visited.on("console", lambda message: messages.append(message.text))
    visited.on("pageerror", lambda error: messages.append(str(error)))
    visited.goto(address)
    return visited, messages


@pytest.mark.parametrize("name", SWEEPS)
def test_nothing_overflows_a_phone_and_nothing_goes_wrong(
    browser: Browser, addresses: Callable[[str], str], name: str
) -> None:
    visited, messages = _opened(browser, addresses(name), viewport=PHONE)

    width = visited.evaluate("document.documentElement.scrollWidth")
    visited.context.close()

    assert messages == []
    assert width <= PHONE["width"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["density", "several"])
def test_axe_finds_no_serious_fault(
    browser: Browser, addresses: Callable[[str], str], name: str, scheme: str
) -> None:
    visited, _ = _opened(browser, addresses(name), color_scheme=scheme)
    visited.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")

    found = Axe().run(visited).response["violations"]
    visited.context.close()

    assert [f["id"] for f in found if f["impact"] in {"serious", "critical"}] == []


def test_every_figure_is_visible_and_has_a_name(
    browser: Browser, addresses: Callable[[str], str]
) -> None:
    visited, _ = _opened(browser, addresses("density"))

    for entry in figures_of("sweep-split"):
        drawing = visited.locator(f"#figure-{entry.name} svg")
        box = drawing.bounding_box()
        assert drawing.is_visible()
        assert box is not None
        assert box["width"] > 300
        assert len(drawing.get_attribute("aria-label") or "") > 60
    visited.context.close()


def test_tiles_are_above_the_fold(
    browser: Browser, addresses: Callable[[str], str]
) -> None:
    visited, _ = _opened(browser, addresses("density"))

    boxes = [visited.locator(f".tile >> nth={place}").bounding_box() for place in range(4)]
    visited.context.close()

    assert all(box is not None and box["y"] + box["height"] <= 720 for box in boxes)


def test_fractions_sort_by_size_and_not_by_their_text(
    browser: Browser, addresses: Callable[[str], str]
) -> None:
    visited, _ = _opened(browser, addresses("hostile"))
    table = visited.locator("#splits table")
    keys = "rows => rows.map(row => Number(row.cells[0].dataset.key))"

    table.locator("th[scope=col] button").first.click()
    ascending = table.locator("tbody tr").evaluate_all(keys)
    table.locator("th[scope=col] button").first.click()
    descending = table.locator("tbody tr").evaluate_all(keys)
    visited.context.close()

    assert ascending == [0.125, 0.3333, 0.5, 0.75]
    assert descending == ascending[::-1]
