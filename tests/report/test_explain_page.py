"""The page on causes, as text and as a browser shows it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from gnbbench.diagnosis import CAUSES
from gnbbench.report.explain_page import CONTENTS, explain_page
from gnbbench.report.explain_summary import ExplainSummary

pytestmark = pytest.mark.slow

Give = Callable[..., ExplainSummary]
PHONE = {"width": 360, "height": 740}
DESKTOP = {"width": 1280, "height": 720}
HOSTILE = "<script>alert(1)</script>"
SEVERAL = ("tied", "other", "same", "invents", "crashed")


@pytest.fixture(scope="module")
def page_of(explain_of: Give) -> Callable[..., str]:
    """Give the page of made diagnoses; each is made once."""
    made: dict[tuple[str, ...], str] = {}

    def give(*names: str) -> str:
        if names not in made:
            made[names] = explain_page(explain_of(*names))
        return made[names]

    return give


def _section(text: str, anchor: str) -> str:
    start = text.index(f'<section id="{anchor}">')
    return text[start : text.index("</section>", start)]


@pytest.mark.parametrize(
    ("name", "tone"),
    [("same", "good"), ("divisor", "unsure"), ("unsmoothed", "bad"), ("crashed", "bad")],
)
def test_the_band_says_what_differs_and_why(
    explain_of: Give, page_of: Callable[..., str], name: str, tone: str
) -> None:
    text = page_of(name)

    band = text[text.index('<div class="band') : text.index('<ul class="tiles">')]
    assert f'class="band tone-{tone}"' in band
    assert f"<h1>{explain_of(name).headline}</h1>" in band
    assert f"{name} against sklearn on iris: 20 runs, each with 105 train samples" in band


def test_sections_come_in_order(page_of: Callable[..., str]) -> None:
    for text in (page_of("unsmoothed"), page_of(*SEVERAL)):
        sections = re.findall(r'<section id="([\w-]+)">', text)

        assert sections == [anchor for anchor, _ in CONTENTS]


def test_another_cause_changes_what_is_shown(page_of: Callable[..., str]) -> None:
    shown = {name: _section(page_of(name), "causes") for name in ("unsmoothed", "divisor")}

    assert "no-smoothing" in shown["unsmoothed"]
    assert "variance-divisor" not in shown["unsmoothed"]
    assert "variance-divisor" in shown["divisor"]
    assert "no-smoothing" not in shown["divisor"]


def test_cards_have_sample_posteriors_and_figure(page_of: Callable[..., str]) -> None:
    text = _section(page_of("unsmoothed"), "disagreements")

    card = text[text.index("<article") : text.index("</article>")]
    assert "Run 0, row 50: virginica instead of versicolor" in card
    assert "Posterior probabilities" in card
    assert "petal length (cm) = 4.2" in card
    assert 'aria-label="Paired bars for 4 features' in card
    assert "Data of this figure (5 rows)" in card
    assert text.count("<article") == 10


def test_no_disagreement_is_said_so(page_of: Callable[..., str]) -> None:
    text = _section(page_of("divisor"), "disagreements")

    assert "No label differs." in text
    assert "variance-divisor" in text
    assert "<table" not in text


def test_a_figure_that_cannot_be_drawn_says_why(page_of: Callable[..., str]) -> None:
    text = page_of("invents")

    assert text.count("&#39;7&#39; is no class, so that it has no log-odds.") == 2


def test_the_method_has_command_and_the_closed_list(page_of: Callable[..., str]) -> None:
    text = _section(page_of("same"), "method").replace("&gt;", ">").replace("&#39;", "'")

    assert "<code>gnbbench explain iris --against same</code>" in text
    assert all(name in text and words in text for name, words in CAUSES.items())


@pytest.mark.parametrize("name", ["mixed", "left", "invents", "crashed", "uncompared"])
def test_no_value_is_left_unformatted(page_of: Callable[..., str], name: str) -> None:
    text = page_of(name)

    # "nan" is the name of a cause, and so is in the closed list once.
    cells = [cell.strip() for cell in re.findall(r"<(?:td|dd|th)[^>]*>([^<]*)<", text)]
    assert cells
    assert not {"None", "inf"} & set(cells)
    assert cells.count("nan") == 1


def test_ids_are_unique(page_of: Callable[..., str]) -> None:
    ids = re.findall(r'\bid="([^"]+)"', page_of(*SEVERAL))

    assert ids
    assert len(ids) == len(set(ids))


def test_names_and_evidence_are_text(page_of: Callable[..., str]) -> None:
    text = page_of(HOSTILE)

    assert text.count("<script>") == 1
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "{{ 7 * 7 }}" in text


def test_the_page_is_small_and_the_same_twice(
    explain_of: Give, page_of: Callable[..., str]
) -> None:
    text = page_of("mixed")

    assert len(text.encode()) < 1_000_000
    assert explain_page(explain_of("mixed")) == text


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
@pytest.mark.parametrize("names", [("other",), SEVERAL], ids=len)
def test_axe_finds_no_fault(
    browser: Browser,
    page_of: Callable[..., str],
    tmp_path: Path,
    names: tuple[str, ...],
    scheme: str,
) -> None:
    visited, messages = _opened(browser, page_of(*names), tmp_path, color_scheme=scheme)

    visited.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    found = Axe().run(visited).response["violations"]
    visited.context.close()

    assert [fault["id"] for fault in found] == []
    assert messages == []


@pytest.mark.browser
def test_axe_would_find_a_fault(
    browser: Browser, page_of: Callable[..., str], tmp_path: Path
) -> None:
    text = page_of("same").replace('lang="en"', "")
    visited, _ = _opened(browser, text, tmp_path)

    found = Axe().run(visited).response["violations"]
    visited.context.close()

    assert "html-has-lang" in [fault["id"] for fault in found]


@pytest.mark.browser
@pytest.mark.parametrize("names", [("mixed",), (HOSTILE,), SEVERAL], ids=len)
def test_nothing_overflows_a_phone(
    browser: Browser, page_of: Callable[..., str], tmp_path: Path, names: tuple[str, ...]
) -> None:
    visited, messages = _opened(browser, page_of(*names), tmp_path, viewport=PHONE)

    width = visited.evaluate("document.documentElement.scrollWidth")
    visited.context.close()

    assert width <= PHONE["width"]
    assert messages == []


@pytest.mark.browser
@pytest.mark.parametrize("name", ["mixed", "divisor", "crashed"])
def test_tiles_are_above_the_fold(
    browser: Browser, page_of: Callable[..., str], tmp_path: Path, name: str
) -> None:
    visited, _ = _opened(browser, page_of(name), tmp_path)

    boxes = [visited.locator(f".tile >> nth={place}").bounding_box() for place in range(4)]
    visited.context.close()

    assert all(box is not None and box["y"] + box["height"] <= 720 for box in boxes)


@pytest.mark.browser
def test_disagreements_can_be_sorted(
    browser: Browser, page_of: Callable[..., str], tmp_path: Path
) -> None:
    visited, _ = _opened(browser, page_of("mixed"), tmp_path)
    table = visited.locator("#disagreements table").first
    column = "rows => rows.map(row => row.cells[5].innerText)"

    for _ in range(2):
        table.locator("th[scope=col] button").nth(5).click()
    margins = table.locator("tbody tr").evaluate_all(column)
    visited.context.close()

    assert margins[:2] == ["17.5", "16.5"]
    assert margins[-1] == "1.50"
