"""What holds for the report of every kind of study: as text, as files, in a browser."""

import csv
import html
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe
from faults.invented_studies import HOSTILE, KINDS
from jsonschema import Draft202012Validator
from playwright.sync_api import Browser, Page
from reading import shown, tables, texts
from reading.pages import Outline
from rich.cells import cell_len

from gnbbench.report import files
from gnbbench.report.blocks import Attachment, Block, Document, Table
from gnbbench.report.terminal import WIDTH, markdown
from gnbbench.studies.directory import write_report

pytestmark = pytest.mark.slow

MEGABYTE = 1_000_000
# Pages of their own, to which that of the matrix leads: test_matrix has them.
PARTS = ("data-0/", "data-1/")
PHONE = {"width": 360, "height": 740}
NARROWEST_CELL = 34  # Pixels
DESKTOP = {"width": 1280, "height": 800}
PAPER = {"width": 688, "height": 1000}  # A4 within its margins
WIDEST = "parts => Math.max(...parts.map(part => part.getBoundingClientRect().width))"
PRINTED = "table, figure, pre"
# Of the page of a kind: how many words it may show before anything is unfolded.
BUDGETS = {
    "compare": 400,
    "matrix": 300,
    "sweep": 500,
    "scale": 550,
    "explain": 500,
    "assumptions": 450,
    "conformance": 200,
    "check": 250,
    "reproduce": 450,
}
LONGEST_NUMBER = 24  # What is longer is a name with digits
OPEN_FOLDS = "document.querySelectorAll('details').forEach(one => one.open = true)"
# Removes what is built and styled as two of its siblings are, such as rows of a table, and
# what is inside figures, which have tests of their own. What is left has every fault of
# style and structure, at a tenth of the time.
THIN_OUT = """() => {
  const worded = /^(class|role|style|scope|open|type|fill|aria-sort|tabindex)$/;
  const shape = node => node.tagName + [...node.attributes].map(
    ({name, value}) => worded.test(name) ? name + value : name + !value).sort()
    + [...node.childNodes].some(part => part.nodeType === 3 && part.data.trim())
    + '(' + [...node.children].map(shape) + ')';
  const thin = node => {
    const seen = {};
    for (const child of [...node.children]) {
      thin(child);
      const kind = shape(child);
      seen[kind] = (seen[kind] || 0) + 1;
      if (seen[kind] > 2) child.remove();
    }
  };
  document.querySelectorAll('svg').forEach(drawing => drawing.replaceChildren());
  thin(document.body);
}"""


REPORTS = [(kind, which) for kind in KINDS for which in ("usual", "hostile")]


@dataclass(frozen=True)
class Drawn:
    """A report that was written, and what its document holds but for figures."""

    kind: str
    directory: Path
    payload: Any
    attachments: Sequence[Attachment]
    anchors: Sequence[str]
    figures: Mapping[str, str]  # Name -> why there is none; empty for one that was drawn
    terminal: Sequence[Block]

    @cached_property
    def page(self) -> str:
        return (self.directory / files.PAGE_NAME).read_text(encoding="utf-8")

    @cached_property
    def outline(self) -> Outline:
        return Outline(self.page)

    @cached_property
    def names(self) -> set[str]:
        paths = (path for path in self.directory.rglob("*") if path.is_file())
        return {path.relative_to(self.directory).as_posix() for path in paths}


@pytest.fixture(scope="session")
def drawn_report(
    kind_document: Callable[..., Document],
    made_once: Callable[..., Any],
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[..., Drawn]:
    """Give the usual or the hostile report of a kind, drawn once; its PNGs are empty."""

    def draw(kind: str, name: str) -> Drawn:
        document = kind_document(kind, KINDS[kind][name == "hostile"])
        directory = tmp_path_factory.mktemp(kind)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(files, "png", lambda _: b"")
            write_report(directory, files.contents(document))
        return Drawn(
            kind,
            directory,
            document.payload,
            document.attachments,
            [section.anchor for section in document.sections],
            {one.name: getattr(one, "reason", "") for one in document.drawings},
            document.terminal,
        )

    give: Callable[..., Drawn] = made_once(draw)
    return give


# Scope module: all tests of a report run consecutively, on one worker.
@pytest.fixture(scope="module", params=REPORTS, ids="-".join)
def drawn(request: pytest.FixtureRequest, drawn_report: Callable[..., Drawn]) -> Drawn:
    """Every report in turn."""
    return drawn_report(*request.param)


def test_json_is_what_its_schema_says(drawn: Drawn) -> None:
    path = Path(__file__).parents[2] / "docs" / "summary.schema.json"
    validator = Draft202012Validator(json.loads(path.read_text(encoding="utf-8")))

    assert next(validator.iter_errors(drawn.payload), None) is None
    assert not validator.is_valid({**drawn.payload, "headline": None})


def test_the_file_of_runs_is_the_same_table_as_parquet(drawn: Drawn) -> None:
    attached = {file.name: file.content for file in drawn.attachments}
    runs = attached.get("runs.csv")

    assert (runs is not None) == (drawn.kind in {"compare", "sweep", "assumptions"})
    if isinstance(runs, pd.DataFrame):
        content = BytesIO(files.runs_file(runs, "parquet"))
        pd.testing.assert_frame_equal(pd.read_parquet(content), runs)


def test_tags_ids_headings_and_links_are_sound(drawn: Drawn) -> None:
    outline, text = drawn.outline, drawn.page
    links = {*outline.links} - {"data:,"}
    anchors = drawn.anchors

    assert (outline.wrong, outline.open) == ([], [])
    assert len(outline.ids) == len(set(outline.ids))
    assert [level for level, _ in outline.headings].count("h1") == 1
    assert outline.headings[0][0] == "h1"
    assert anchors == re.findall(r'<li><a href="#([^"]+)">', text)[: len(anchors)]
    assert len(anchors) > 4
    assert {link[1:] for link in links if link.startswith("#")} <= {*outline.ids}
    assert {link for link in links if not link.startswith(("#", *PARTS))} <= drawn.names


def test_a_tag_closed_wrongly_is_seen_and_what_is_folded_or_drawn_is_not_shown() -> None:
    text = "<p>One, two – 3.</p><details><p>four</p></details><svg><text>5</text></svg>"

    assert Outline("<p><b></p></b>").wrong == ["p"]
    assert Outline(text).shown == ["One,", "two", "3."]


def sentences(outline: Outline) -> list[str]:
    """Return the sentences on a page, except short ones."""
    found = re.split(r"(?<=[.;:])\s+", " ".join("\n".join(outline.told).split()))
    return [text for text in found if len(text.split()) > 7]


# How no number is written on a page: by computers, without a space, with a hyphen.
ODD_NUMBERS = r"\d[eE][-+]?\d|\d%|(?<![\w.–-])-\d|\b(?!\d{4}\b)\d{4,}(?![\w.,-])|\b0\.\d+× "


def odd_numbers(text: str) -> list[str]:
    return re.findall(rf"\S*(?:{ODD_NUMBERS})\S*", text)


@pytest.mark.parametrize(
    "text", ["up to 1e-15", "98%", "-0.5 points", "12345 rows", "0.24× faster"]
)
def test_a_number_in_another_style_is_found(text: str) -> None:
    assert odd_numbers(text)


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_says_each_sentence_once_in_few_words_and_numbers_in_one_style(
    drawn_report: Callable[..., Drawn], kind: str
) -> None:
    outline = drawn_report(kind, "usual").outline

    split_sentences = sentences(outline)
    assert 50 < len(outline.shown) <= BUDGETS[kind], len(outline.shown)
    assert len(split_sentences) > 1
    assert [text for text in set(split_sentences) if split_sentences.count(text) > 1] == []
    assert odd_numbers(" ".join("\n".join(outline.told).split())) == []


def test_every_file_is_named_by_the_page_and_there_is_no_other(drawn: Drawn) -> None:
    expected = {files.SUMMARY_NAME, files.PAGE_NAME, files.MANIFEST_NAME}
    expected |= {a.name for a in drawn.attachments if a.content is not None}
    drawings = [name for name, reason in drawn.figures.items() if not reason]
    expected |= {f"figures/{n}{end}" for n in drawings for end in files.FIGURE_SUFFIXES}

    assert drawn.names == expected
    # Any other would be put beside foreign files without checking them.
    assert drawn.names <= set(files.present(drawn.directory))
    linked = set(drawn.outline.links)
    assert expected - {files.PAGE_NAME, files.MANIFEST_NAME} <= linked


def test_figures_and_tables_have_names_and_nothing_is_loaded(drawn: Drawn) -> None:
    text = drawn.page

    for name, reason in drawn.figures.items():
        if reason:
            assert reason in html.unescape(text)
        else:
            assert text.count(f'<figure id="figure-{name}"') == 1
    pictures = re.findall(r'<figure id="figure-[^"]+"', text)
    named = re.findall(r'<div class="drawing" role="img" aria-label="[^"]+', text)
    heads = re.findall(r"<thead><tr>\s*<th scope=\"col\" aria-sort=\"none\"", text)
    assert len(named) == len(pictures)
    assert text.count("<caption>") == len(heads) == text.count("<table>") > 1
    assert "default-src 'none'" in text
    assert not re.search(r'(?:src|href)="(?:https?:)?//', text)
    assert len(text.encode()) < MEGABYTE


@pytest.mark.parametrize("kind", KINDS)
def test_foreign_names_are_only_text(drawn_report: Callable[..., Drawn], kind: str) -> None:
    report = drawn_report(kind, "hostile")
    text = report.page

    assert HOSTILE not in text
    assert HOSTILE in "".join(report.outline.words)
    assert report.outline.tags.count("script") == 1
    assert not re.search(r"[\x00-\x08\x0b-\x1f]", text)


def test_the_summary_is_strict_json(drawn: Drawn) -> None:
    text = (drawn.directory / files.SUMMARY_NAME).read_text(encoding="utf-8")

    document = json.loads(text, parse_constant=pytest.fail)
    assert document == drawn.payload
    assert document["schema"].startswith("gnbbench ")


def test_text_that_begins_like_a_formula_is_quoted_and_numbers_are_not() -> None:
    frame = pd.DataFrame(
        {"=a": ["=cmd|' /C calc'!A0", "@b", "-c", "\tx"], "d": [-1, 2, -3, 4]}
    )
    frame["label"] = pd.Categorical(["-1", "+2.5", "-1e-3", "a=b"])

    rows = list(csv.reader(StringIO(files.runs_file(frame, "csv").decode())))

    assert rows[0] == ["'=a", "d", "label"]
    assert [row[0][:2] for row in rows[1:]] == ["'=", "'@", "'-", "'\t"]
    numbers = [["-1", "-1"], ["2", "+2.5"], ["-3", "-1e-3"], ["4", "a=b"]]
    assert [row[1:] for row in rows[1:]] == numbers


# Studies of other sizes and with names that do harm, beside those of test_pages.
FURTHER = (
    ("compare", "digits"),
    ("compare", "hostile"),
    ("sweep", "hostile"),
    ("matrix", "failed"),
    ("matrix", "no_probabilities_at_all"),
    ("matrix", "single"),
    ("assumptions", "digits"),
    ("assumptions", "one"),
    ("explain", "left same"),
)


@pytest.mark.parametrize(("kind", "name"), FURTHER)
def test_a_terminal_of_80_columns_has_every_column_and_a_page_no_bare_value(
    document_of: Callable[..., Document], kind: str, name: str
) -> None:
    document = document_of(kind, name)

    text = shown(document)
    assert max(map(cell_len, text.splitlines())) <= WIDTH
    assert "\x1b" not in text
    assert len(text.splitlines()) > 2
    anchors = [one.anchor for one in document.sections if one.anchor != "method"]
    every = (tables(document, anchor).values() for anchor in anchors)
    rows = (row for found in every for table in found for row in texts(table))
    cells = {cell for row in rows for cell in row}
    assert cells
    assert not {"nan", "None", "inf"} & cells


# Letters and signs of a number that stand together, in cells and in sentences.
NUMBER = re.compile(r"[\d.,]*\d\S*(?:\N{NO-BREAK SPACE}\S+)*")


def test_a_terminal_of_any_width_breaks_no_number_and_leaves_none_out(drawn: Drawn) -> None:
    whole = _numbers(shown(drawn, 1000))

    for width in (40, 50, 60, 80, 120, 200):
        text = shown(drawn, width)
        assert max(map(len, text.splitlines())) <= width
        assert _numbers(text) == whole


def test_markdown_equals_the_terminal_and_escapes_foreign_markup(drawn: Drawn) -> None:
    text = markdown(drawn.terminal)

    code = re.findall(r"^    .*", text, re.MULTILINE)
    prose = re.sub(r"^    .*", "", text, flags=re.MULTILINE)
    assert not re.search(r"(?<!\\)[<`]", prose)
    plain = re.sub(r"\\(.)", r"\1", prose) + "\n".join(code)
    assert _numbers(plain) == _numbers(shown(drawn, 1000))
    rows = [line.count(" | ") for line in prose.splitlines() if line.startswith("|")]
    tables_shown = [b for b in drawn.terminal if isinstance(b, Table)]
    assert len(rows) == sum(len(table) + 2 for table in tables_shown)


def _numbers(text: str) -> set[str]:
    numbers = (number.rstrip(".,;:") for number in NUMBER.findall(text))
    return {number for number in numbers if len(number) < LONGEST_NUMBER}


def test_a_number_that_is_broken_would_be_seen() -> None:
    assert NUMBER.findall("took 2.2\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}10⁻¹") != ["2.2"]


def test_matplotlib_is_loaded_with_the_first_figure() -> None:
    reports = ", ".join(f"gnbbench.report.{kind}" for kind in KINDS)
    code = (
        f"import sys, {reports}, gnbbench.report.files\n"
        "assert not {'matplotlib', 'seaborn'} & set(sys.modules)"
    )

    subprocess.run([sys.executable, "-c", code], check=True)


@dataclass
class Visit:
    """A page that was opened, and what it did."""

    page: Page
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def faults(self, *rules: str) -> list[str]:
        """Return what breaks these rules of accessibility, or any."""
        options: dict[str, Any] = {"resultTypes": ["violations"]}  # Thrice as fast
        if rules:
            options["runOnly"] = list(rules)
        found = Axe().run(self.page, options=options).response["violations"]
        return [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found]

    @property
    def narrow_cells(self) -> list[str]:
        """Return the texts of cells that are narrower than three letters."""
        cells = "[...document.querySelectorAll('th, td')].filter(cell => "
        cells += "cell.checkVisibility() && cell.textContent.trim().length > 1 && "
        cells += f"cell.getBoundingClientRect().width < {NARROWEST_CELL})"
        return list(self.page.evaluate(f"{cells}.map(cell => cell.textContent)"))

    @property
    def overflow(self) -> int:
        root = "document.documentElement"
        return int(self.page.evaluate(f"{root}.scrollWidth - {root}.clientWidth"))


@contextmanager
def _visit(browser: Browser, file: Path, **options: Any) -> Iterator[Visit]:
    context = browser.new_context(**options)
    try:
        visit = Visit(context.new_page())
        visit.page.on("console", lambda message: visit.messages.append(message.text))
        visit.page.on("pageerror", lambda error: visit.messages.append(str(error)))
        visit.page.on("request", lambda request: visit.requests.append(request.url))
        visit.page.goto(file.as_uri())
        yield visit
    finally:
        context.close()


# What shows the finding, of kinds that have neither figure nor table there: boxes.
FIRST = "main :is(figure, table, .verdicts)"


def _assert_first_screen(page: Page, kind: str) -> None:
    """Band, tiles and the first evidence are above the fold."""
    band, tiles, first = (
        page.locator(name).first.bounding_box()
        for name in (".band", ".tiles", f"{FIRST}:visible")
    )
    size = page.evaluate("getComputedStyle(document.querySelector('h1')).fontSize")

    assert band is not None
    assert tiles is not None
    assert first is not None
    assert band["height"] <= 200
    assert float(size.removesuffix("px")) <= 40
    assert tiles["y"] + tiles["height"] < first["y"] < DESKTOP["height"]
    if kind in {"compare", "assumptions", "scale"}:
        figure = page.locator("main figure").first.bounding_box()
        assert figure is not None
        assert figure["y"] < DESKTOP["height"] - 100


@pytest.mark.browser
@pytest.mark.parametrize(("kind", "name"), REPORTS)
def test_a_browser_finds_no_fault_and_a_phone_shows_all_by_day_and_night(
    browser: Browser, drawn_report: Callable[..., Drawn], kind: str, name: str
) -> None:
    file = drawn_report(kind, name).directory / files.PAGE_NAME
    with _visit(browser, file, viewport=DESKTOP) as visit:
        if name == "usual":
            _assert_first_screen(visit.page, kind)
            _assert_printable(visit.page)
        visit.page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
        overflow = visit.overflow
        visit.page.evaluate(OPEN_FOLDS)

        assert overflow <= 0
        assert visit.narrow_cells == []
        assert visit.messages == []
        outside = [url for url in visit.requests if not url.startswith("data:")]
        assert outside == [file.as_uri()]
        visit.page.evaluate(THIN_OUT)
        assert visit.faults() == []
        if name == "usual":
            visit.page.emulate_media(color_scheme="dark")
            assert visit.faults("color-contrast") == []


@pytest.mark.browser
def test_a_cell_that_is_squeezed_is_seen(
    browser: Browser, drawn_report: Callable[..., Drawn]
) -> None:
    file = drawn_report("compare", "usual").directory / files.PAGE_NAME
    with _visit(browser, file, viewport=PHONE) as visit:
        visit.page.evaluate(OPEN_FOLDS)
        style = "display: block; padding: 0; min-width: 0; width: 20px"
        visit.page.locator("td:visible").evaluate_all(
            f"cells => cells.forEach(cell => {{ cell.style.cssText = '{style}'; }})"
        )

        assert len(visit.narrow_cells) > 10


@pytest.mark.browser
def test_a_browser_runs_our_script_and_no_other(
    browser: Browser, drawn_report: Callable[..., Drawn], tmp_path: Path
) -> None:
    """The Content-Security-Policy of the page names ours by its digest."""
    injected = (
        "<script>document.title = 'mine'</script>"
        "<img src='data:,' onerror=\"document.title = 'mine'\">"
    )
    file = tmp_path / "page.html"
    text = drawn_report("compare", "usual").page
    file.write_text(text.replace("</main>", f"{injected}</main>"))

    with _visit(browser, file, viewport=DESKTOP) as visit:
        assert "gnbbench" in visit.page.title()
        assert len([words for words in visit.messages if "Security Policy" in words]) == 2
        assert visit.page.locator(".theme").is_visible()


@pytest.mark.browser
def test_faults_overflow_and_requests_are_noticed(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "bad.html"
    file.write_text(
        "<html><p style='color: #ddd; background: #fff; width: 500px'>pale and wide</p>"
        '<img src="elsewhere.png">'
        + "<table>"
        + "<tr><td>dark</td></tr>" * 5
        + "<tr><td class='pale'>pale</td></tr></table>"
        "<style>.pale { color: #ddd; background: #fff }</style></html>"
    )

    with _visit(browser, file, viewport=PHONE) as visit:
        assert visit.faults()
        assert visit.overflow > 0
        assert any(url.endswith("elsewhere.png") for url in visit.requests)
        visit.page.evaluate(THIN_OUT)
        assert visit.page.locator("td").count() == 3
        visit.page.locator("p").evaluate("paragraph => paragraph.remove()")
        assert visit.faults("color-contrast")


@pytest.mark.browser
def test_long_tables_are_filtered_and_commands_copied(
    browser: Browser, drawn_report: Callable[..., Drawn]
) -> None:
    file = drawn_report("conformance", "usual").directory / files.PAGE_NAME
    with _visit(browser, file, viewport=DESKTOP) as visit:
        visit.page.evaluate(OPEN_FOLDS)
        place = visit.page.locator("section:has(> details .filter)").first
        rows = place.locator("tbody tr")
        every = rows.count()
        place.locator("input[type=search]").first.fill("nothing is called so")
        none = rows.locator("visible=true").count()
        place.locator("input[type=search]").first.fill("")
        place.get_by_label("failures only").first.check()
        failed = rows.locator("visible=true").count()
        visit.page.locator("pre .copy").first.click()

        assert every > 11
        assert none == 0
        assert failed == place.locator("tbody tr:has(.tone-bad)").count() < every
        assert visit.page.locator("pre .copy").first.inner_text() == "Copied"
        visit.page.evaluate(THIN_OUT)
        assert visit.faults() == []
        assert visit.messages == []


def _assert_printable(page: Page) -> None:
    """Chromium shrinks a page on which anything is wider, until it cannot be read."""
    page.set_viewport_size({"width": PAPER["width"], "height": PAPER["height"]})
    page.emulate_media(media="print")
    heads = "heads => heads.map(head => getComputedStyle(head).display)"

    assert page.locator(PRINTED).evaluate_all(WIDEST) <= 1.03 * PAPER["width"]
    shows = set(page.locator("th button").evaluate_all(heads))
    assert shows <= {"contents"}, "a button keeps heads from being repeated"
    page.emulate_media(media="screen")


@pytest.mark.browser
def test_print_opens_folds_and_what_is_too_wide_is_seen(
    browser: Browser, drawn_report: Callable[..., Drawn]
) -> None:
    file = drawn_report("conformance", "usual").directory / files.PAGE_NAME
    with _visit(browser, file, viewport=PAPER) as visit:
        folded = visit.page.locator("#method .prose").first
        on_screen = folded.bounding_box()
        visit.page.emulate_media(media="print")
        printed = folded.bounding_box() or {"height": 0}
        style = "heads => heads.forEach(head => { head.style.minWidth = '30rem'; })"
        visit.page.locator("th").evaluate_all(style)

        assert on_screen is None or on_screen["height"] == 0
        assert printed["height"] > 100
        assert visit.page.locator(PRINTED).evaluate_all(WIDEST) > 1.03 * PAPER["width"]
