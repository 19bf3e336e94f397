"""What reports of invented studies say, block by block and in a terminal.

``tests/report/pages`` holds the blocks of one study of each kind as JSON, and what others
say besides. That pages show every block, and have no fault of any, are rules.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from reading import Kept, shown
from reading.commands import left_out
from reading.documents import array, as_json, block_entries, entries, words_of
from reading.pages import Outline
from rich.cells import cell_len

from gnbbench.report.blocks import Cell, Column, Document, Table, Text
from gnbbench.report.files import page
from gnbbench.report.terminal import WIDTH

pytestmark = pytest.mark.slow

PAGES = Path(__file__).parent / "pages"
EXPECTED = "expected=offsets-0,offsets-1,weights-0"
NAMES = {
    "compare": "usual, different, cannot_tell, failed, single, exact, several, "
    "no_probabilities_at_all",
    "sweep": "identical, density, several, all_failed, one_run, one_fraction",
    "explain": "mixed same, unsmoothed, divisor, tied, other, invents, undefined, crashed, "
    "uncompared, left",
    "assumptions": "iris, constant, few, many",
    "conformance": "perfect, partial, nothing, perfect partial faulty",
}
# Name of the file -> kind and invented study.
SAID = {
    f"{kind}-{name.replace(' ', '-')}": (kind, name)
    for kind, names in NAMES.items()
    for name in names.split(", ")
} | {
    "matrix": ("matrix", "several"),
    "conformance-expected": ("conformance", f"faulty {EXPECTED}"),
    "conformance-board": ("conformance", f"perfect faulty {EXPECTED}"),
    "check": ("check", "mixed absent crashed same other"),
    "reproduce": ("reproduce", ""),
    "scale": ("scale", "stopped"),
    "stream": ("compare", "streamed"),
}


# For each kind, the study whose blocks are all kept; for others, only new blocks.
WHOLE = {
    "compare": "compare-usual",
    "matrix": "matrix",
    "sweep": "sweep-identical",
    "explain": "explain-divisor",
    "assumptions": "assumptions-iris",
    "conformance": "conformance-perfect",
    "check": "check",
    "reproduce": "reproduce",
    "scale": "scale",
}
FEW_ROWS = 3


@pytest.fixture(scope="module")
def undrawn_document(
    document_of: Callable[..., Document],
) -> Iterator[Callable[[str], Document]]:
    """Return the document of a study in `SAID`; test_every_figure has its figures."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gnbbench.report.blocks.draw_figure", left_out)
        yield cache(lambda name: document_of(*SAID[name]))


@pytest.mark.parametrize("name", SAID)
def test_a_sound_page_and_a_terminal_say_what_was_looked_at(
    name: str, undrawn_document: Callable[[str], Document], kept: Kept
) -> None:
    document = undrawn_document(name)
    outline = Outline(page(document))
    whole = WHOLE[SAID[name][0]]
    lines = entries(document)
    if name != whole:
        first = {*entries(undrawn_document(whole))}
        lines = [line for line in entries(document, FEW_ROWS) if line not in first]

    text = shown(document).splitlines()
    terminal = [as_json({"terminal": line}) for line in text]
    assert max(map(cell_len, text)) <= WIDTH
    assert "\x1b" not in "".join(text)
    assert outline.faults() == []
    assert outline.missing(words_of(document)) == []
    kept(PAGES / f"{name}.json", array([*lines, *terminal]))


def test_no_page_is_kept_that_nobody_compares() -> None:
    assert {path.stem for path in PAGES.iterdir()} == set(SAID)


def test_another_word_cell_tone_or_link_is_another_entry() -> None:
    cell = Cell("3", "3", "bad", "#a")
    others = (replace(cell, text="4"), replace(cell, tone="good"), replace(cell, link="#c"))
    table, text = Table("t", [{"n": cell}], (Column("n"),)), Text("One two")
    rows = [replace(table, rows=[{"n": other}]) for other in others]
    changed = [(Text("One too"), table), *((text, row) for row in rows)]

    texts = {tuple(block_entries(parts)) for parts in ((text, table), *changed)}

    assert len(texts) == len(changed) + 1


SOUND = "<h1>a</h1><h2 id='b'>b</h2><h3>c</h3><h2>d</h2><table><td>1</td></table><p>x y</p>"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<h3>c</h3>", "<h4>c</h4>"),
        ("<h1>a</h1>", ""),
        ("<h2>d</h2>", "<h1>d</h1>"),
        ("<h2>d</h2>", "<h2> </h2>"),
        ("<td>1</td>", "<td> </td>"),
        ("<td>1</td>", "<td>nan</td>"),
        ("<h2>d", "<h2 id='b'>d"),
        ("<p>x y</p>", "<p>x y</b>"),
        ("x y", "x\n&lt;&lt;&lt;&lt;&lt;&lt;&lt; HEAD\n"),
        ("x y", "see /home/me/study"),
        ("x y", "see C:\\Users\\me"),
        ("x y", "{{ count }}"),
    ],
)
def test_a_fault_of_a_page_is_found(old: str, new: str) -> None:
    assert Outline(SOUND).faults() == []
    assert Outline(SOUND.replace(old, new)).faults() != []


def test_words_that_a_page_lacks_or_has_in_another_order_are_found() -> None:
    assert Outline(SOUND).missing(["a", "1", "x  y"]) == []
    assert Outline(SOUND).missing(["a", "2"]) == ["2"]
    assert Outline(SOUND).missing(["x y", "a"]) == ["a"]
