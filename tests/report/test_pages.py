"""What reports of invented studies say, word by word: their page and their terminal.

``tests/report/pages`` holds the text of each. A difference is looked at, then written
down by ``pytest tests/report/test_pages.py --rewrite``.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from reading import Kept, shown
from reading.commands import left_out
from reading.pages import page_text

from gnbbench.report.blocks import Document
from gnbbench.report.html import page

pytestmark = pytest.mark.slow

SWEEPS = ("identical", "density", "several", "all_failed", "one_run", "one_fraction")

PAGES = Path(__file__).parent / "pages"
EXPECTED = "expected=offsets-0,offsets-1,weights-0"
# Name of the file -> kind and invented study.
SAID = {
    **{
        f"compare-{name}": ("compare", name)
        for name in (
            *("usual", "different", "cannot_tell", "failed", "single", "exact"),
            *("no_probabilities_at_all", "several"),
        )
    },
    "matrix": ("matrix", "several"),
    **{f"sweep-{n}": ("sweep", n) for n in SWEEPS},
    **{
        f"explain-{name.replace(' ', '-')}": ("explain", name)
        for name in (
            *("mixed same", "unsmoothed", "divisor", "tied", "other", "invents"),
            *("undefined", "crashed", "uncompared", "left"),
        )
    },
    **{f"assumptions-{n}": ("assumptions", n) for n in ("iris", "constant", "few", "many")},
    **{
        f"conformance-{name.replace(' ', '-')}": ("conformance", name)
        for name in ("perfect", "partial", "nothing", "perfect partial faulty")
    },
    "conformance-expected": ("conformance", f"faulty {EXPECTED}"),
    "conformance-board": ("conformance", f"perfect faulty {EXPECTED}"),
    "check": ("check", "mixed absent crashed same other"),
    "reproduce": ("reproduce", ""),
    "scale": ("scale", "stopped"),
    "stream": ("compare", "streamed"),
}


# Of one page a kind the method too; what assumptions cost is measured, with the versions.
WHOLE = {
    *("compare-usual", "matrix", "sweep-identical", "explain-divisor", "stream"),
    *("conformance-perfect", "check", "reproduce", "scale"),
}


@pytest.fixture(autouse=True)
def undrawn_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave figures out: test_every_figure has their words."""
    monkeypatch.setattr("gnbbench.report.blocks.draw_figure", left_out)


@pytest.mark.parametrize("name", SAID)
def test_a_page_and_a_terminal_say_what_was_looked_at(
    name: str, document_of: Callable[..., Document], kept: Kept
) -> None:
    document = document_of(*SAID[name])

    text = page_text(page(document))
    text = text if name in WHOLE else text.partition("\n#method\n")[0]

    kept(PAGES / f"{name}.txt", f"{text}\n\n{'=' * 80}\n{shown(document)}")


def test_no_page_is_kept_that_nobody_compares() -> None:
    assert {path.stem for path in PAGES.iterdir()} == set(SAID)


def test_another_word_cell_tone_or_link_is_another_text() -> None:
    page = '<p>One <b>two</b></p><tr><td class="tone-bad">3</td></tr><a href="#a">b</a>'
    changes = (("two", "too"), ("3", "4"), ("tone-bad", "tone-good"), ("#a", "#c"))

    others = {page_text(page.replace(*change)) for change in changes}

    assert len({page_text(page), *others}) == len(changes) + 1
