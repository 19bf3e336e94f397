"""The page of a sweep as text."""

import re
from collections.abc import Callable

import pytest

from gnbbench.report.figures.catalogue import figures_of
from gnbbench.report.sweep_page import SWEEP_CONTENTS, sweep_page
from gnbbench.statistics.summary import Summary

pytestmark = pytest.mark.slow

Give = Callable[[str], Summary]


@pytest.fixture(scope="module")
def pages(sweep_of: Give) -> Callable[[str], str]:
    made: dict[str, str] = {}

    def give(name: str) -> str:
        if name not in made:
            made[name] = sweep_page(sweep_of(name))
        return made[name]

    return give


def test_sections_stand_in_order_and_the_contents_lead_there(
    pages: Callable[[str], str],
) -> None:
    text = pages("density")

    anchors = re.findall(r'<section id="([^"]+)">', text)
    assert anchors == [anchor for anchor, _ in SWEEP_CONTENTS]
    assert all(f'href="#{anchor}"' in text for anchor in anchors)


def test_the_verdict_is_the_first_heading(pages: Callable[[str], str]) -> None:
    first = re.search(r"<h1>(.*?)</h1>", pages("identical"))

    assert first is not None
    assert first.group(1) == "Identical: all 360 runs match entirely."


@pytest.mark.parametrize("name", ["density", "several", "one_fraction", "all_failed"])
def test_every_figure_is_there_or_its_absence_explained(
    pages: Callable[[str], str], name: str
) -> None:
    text = pages(name)

    drawn = re.findall(r'<figure id="figure-(\w+)">', text)
    absent = re.findall(r"<strong>([^<]*):</strong> not drawn\. ([^<]+)", text)
    assert {title for title, _ in absent} == {
        entry.title for entry in figures_of("sweep-split") if entry.name not in drawn
    }
    assert len(drawn) + len(absent) == len(figures_of("sweep-split"))


def test_ids_are_unique_and_the_page_is_small(pages: Callable[[str], str]) -> None:
    text = pages("several")

    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert len(text.encode()) < 1_000_000


def test_same_bytes_on_every_build(pages: Callable[[str], str], sweep_of: Give) -> None:
    assert sweep_page(sweep_of("density")) == pages("density")


def test_conservative_intervals_are_explained_where_there_are_any(
    pages: Callable[[str], str],
) -> None:
    assert "* Conservative: more than half" in pages("density")
    assert "* Conservative: more than half" not in pages("one_fraction")


def test_errors_and_missing_splits_are_told(pages: Callable[[str], str]) -> None:
    text = pages("several")

    assert "Runs that ended in an error" in text
    assert "ValueError: singular" in text
    assert "no split: --train-fractions: too few samples." in text


def test_it_is_never_claimed_that_runs_at_several_fractions_were_tested_together(
    pages: Callable[[str], str],
) -> None:
    assert "there is no test over all fractions" in pages("density")


def test_hostile_names_are_text_and_nothing_else(pages: Callable[[str], str]) -> None:
    text = pages("hostile")

    assert "<script>alert(1)</script>" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "\x00" not in text
