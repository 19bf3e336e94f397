"""Names that are safe to draw and to print, whatever a user called things."""

from collections.abc import Iterable
from functools import cache

from matplotlib.font_manager import FontProperties, findfont, get_font

ELLIPSIS = "…"
MISSING_GLYPH = "□"


def printable(text: str) -> str:
    """Text on one line without control characters; a replacement mark stands for each."""
    spaced = " ".join(text.split())
    return "".join(letter if letter.isprintable() else "�" for letter in spaced)


def shorten(text: str, width: int) -> str:
    """Text of at most `width` characters, cut in the middle, where names differ least."""
    if len(text) <= width:
        return text
    head = width // 2
    return f"{text[:head]}{ELLIPSIS}{text[len(text) - (width - head - 1) :]}"


def short_names(names: Iterable[str], width: int) -> dict[str, str]:
    """Short printable form of each name; numbered where two would come out the same."""
    short: dict[str, str] = {}
    for name in dict.fromkeys(names):
        stem = shorten(printable(name), width)
        taken = set(short.values())
        number = 2
        label = stem
        while label in taken:
            label = f"{stem} ({number})"
            number += 1
        short[name] = label
    return short


def drawable(text: str) -> str:
    """Text in which a box stands for every character that the figures' font lacks."""
    glyphs = _glyphs()
    return "".join(
        letter if letter == "\n" or ord(letter) in glyphs else MISSING_GLYPH
        for letter in text
    )


def figure_names(names: Iterable[str], width: int = 22) -> dict[str, str]:
    """Short form of each name that the figures' font can draw; all different."""
    known = list(dict.fromkeys(names))
    drawn = [drawable(printable(name)) for name in known]
    if len(set(drawn)) == len(drawn):
        short = short_names(drawn, width)
        return {name: short[text] for name, text in zip(known, drawn, strict=True)}
    return {
        name: f"{shorten(text, width)} ({position})"
        for position, (name, text) in enumerate(zip(known, drawn, strict=True), 1)
    }


@cache
def _glyphs() -> frozenset[int]:
    return frozenset(get_font(findfont(FontProperties(family="DejaVu Sans"))).get_charmap())
