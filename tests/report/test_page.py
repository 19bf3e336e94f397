"""The page as text."""

import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest

from gnbbench.report.figures.catalogue import figures_of
from gnbbench.report.page import CONTENTS, page
from gnbbench.statistics.summary import Summary

pytestmark = pytest.mark.slow

Give = Callable[[str], Summary]
MEGABYTE = 1_000_000
VOID = {"meta", "link", "br", "img", "input", "hr"}


class _Outline(HTMLParser):
    """Tags, ids, links and text of a page; complains where a tag is closed wrongly."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for key, value in attrs:
            if key == "id" and value:
                self.ids.append(value)
            if key in {"href", "src"} and value and tag in {"a", "img", "link", "script"}:
                self.links.append(value)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.wrong.append(tag)

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def _outline(text: str) -> _Outline:
    outline = _Outline()
    outline.feed(text)
    return outline


@pytest.fixture(scope="module")
def pages(summary_of: Give) -> Callable[[str], str]:
    made: dict[str, str] = {}

    def give(name: str) -> str:
        if name not in made:
            made[name] = page(summary_of(name))
        return made[name]

    return give


@pytest.mark.parametrize(
    "name", ["usual", "several", "failed", "single", "digits", "hostile"]
)
def test_tags_are_closed_and_ids_unique(pages: Callable[[str], str], name: str) -> None:
    outline = _outline(pages(name))

    assert outline.wrong == []
    assert outline.open == []
    assert len(outline.ids) == len(set(outline.ids))


def test_same_bytes_on_every_build(pages: Callable[[str], str], summary_of: Give) -> None:
    assert page(summary_of("usual")) == pages("usual")


@pytest.mark.parametrize("name", ["usual", "several", "digits", "hostile"])
def test_is_smaller_than_a_megabyte(pages: Callable[[str], str], name: str) -> None:
    assert len(pages(name).encode()) < MEGABYTE


def test_sections_stand_in_order_and_the_contents_lead_there(
    pages: Callable[[str], str],
) -> None:
    text = pages("usual")

    anchors = re.findall(r'<section id="([^"]+)">', text)
    assert anchors == [anchor for anchor, _ in CONTENTS]
    assert all(f'href="#{anchor}"' in text for anchor in anchors)


def test_the_verdict_is_the_first_heading(pages: Callable[[str], str]) -> None:
    text = pages("usual")

    first = re.search(r"<h1>(.*?)</h1>", text)
    assert first is not None
    assert first.group(1) == "Identical: none of 45,000 predictions differ."
    assert text.index("<h1>") < text.index("<h2>")


def test_nothing_is_loaded_and_links_are_relative(pages: Callable[[str], str]) -> None:
    text = pages("usual")

    assert "default-src &#39;none&#39;" in text or "default-src 'none'" in text
    for link in _outline(text).links:
        assert re.match(
            r"#|data:,$|figures/\w+\.(png|svg|csv)$|runs\.csv$"
            r"|(summary|timings\.pyperf)\.json$",
            link,
        )


def test_every_figure_is_there_or_its_absence_explained(
    pages: Callable[[str], str], summary_of: Give
) -> None:
    text = pages("no_probabilities_at_all")

    drawn = re.findall(r'<figure id="figure-(\w+)">', text)
    absent = re.findall(r"<strong>([^<]*):</strong> not drawn\. ([^<]+)", text)
    assert set(drawn) == {"accuracy", "accuracy_spread", "confusion"}
    assert {title for title, _ in absent} == {
        entry.title for entry in figures_of("compare") if entry.name not in drawn
    }
    assert all(reason.strip() for _, reason in absent)
    assert summary_of("no_probabilities_at_all").decision_regions is None


def test_empty_states_say_so(pages: Callable[[str], str]) -> None:
    assert "No row of the data ever got another label" in pages("usual")
    assert "There are no labels to hold against each other." in pages("failed")
    assert "No row of the data ever got another label" not in pages("failed")


def test_errors_of_an_implementation_are_told(pages: Callable[[str], str]) -> None:
    text = pages("several")

    assert "Runs that ended in an error" in text
    assert "ValueError: covariance is singular" in text


def test_hostile_names_are_text_and_nothing_else(pages: Callable[[str], str]) -> None:
    text = pages("hostile")
    outline = _outline(text)

    assert "<script>alert(1)</script>" not in text
    assert "<script>alert(1)</script>" in "".join(outline.words)
    assert outline.tags.count("script") == 1
    assert "{{ 7 * 7 }}" in "".join(outline.words)
    assert "\x00" not in text


def test_remarks_are_shown(pages: Callable[[str], str]) -> None:
    assert "The machine was busy: load 3.2 on 2 cores." in pages("cannot_tell")


def test_long_data_are_linked_and_short_data_shown(pages: Callable[[str], str]) -> None:
    text = pages("usual")

    spread = text[text.index('id="figure-accuracy_spread"') :]
    spread = spread[: spread.index("</figure>")]
    bars = text[text.index('id="figure-accuracy"') :]
    bars = bars[: bars.index("</figure>")]
    assert "Too many rows" in spread
    assert "<table>" not in spread
    assert "<table>" in bars


def test_only_the_worst_disputes_stand_in_the_page(summary_of: Give) -> None:
    summary = summary_of("different")
    rows = summary.disputed_rows
    many = rows.loc[rows.index.repeat(30)].reset_index(drop=True)

    text = page(summary.with_tables(disputed_rows=many))

    assert f"The {len(many) - 200} rows with fewer disputes" in text


def test_tables_have_captions_scopes_and_sort_states(pages: Callable[[str], str]) -> None:
    text = pages("usual")

    tables = text.count("<table>")
    assert tables > 8
    assert text.count("<caption>") == tables
    assert '<th scope="row"' in text
    assert (
        len(re.findall(r"<thead><tr>\s*<th scope=\"col\" aria-sort=\"none\"", text))
        == tables
    )


def test_plan_and_machine_are_told_in_words_and_units(pages: Callable[[str], str]) -> None:
    text = pages("usual")

    assert "<dt>memory</dt><dd>8.0 GiB</dd>" in text
    assert "<dt>test size</dt><dd>0.3</dd>" in text
    assert "<dt>stratify</dt><dd>yes</dd>" in text
