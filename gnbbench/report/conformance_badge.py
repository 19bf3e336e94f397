"""A badge that says how many checks are passed: an SVG picture of one line."""

from gnbbench.conformance.result import Conformance
from gnbbench.words import DASH

LABEL = "GNB conformance"
HEIGHT = 20
PADDING = 7.0
# Advance widths of Verdana at 11 pixels; the text is fitted to what they add up to, so
# that it fills its box in any other font as well.
WIDTHS = {" ": 3.9, "/": 5.0, "–": 7.0, "G": 8.5, "N": 8.2, "B": 7.5, "m": 10.7, "f": 3.9}
USUAL_WIDTH = 7.0

# Share of the checks that apply -> colour under white text, at least 4.5:1.
ALL, MOST, FEW, NONE = "#0a6b4d", "#7a5c00", "#a83a00", "#59636f"
DARK = "#2d3641"


def badge(one: Conformance) -> str:
    """Return a badge such as "GNB conformance 47/52" as SVG text.

    Colour repeats what the numbers say: all checks that apply, nine tenths, or fewer.
    """
    value = f"{one.n_passed}/{one.n_applicable}" if one.n_applicable else f"{DASH}/{DASH}"
    left, right = text_width(LABEL) + 2 * PADDING, text_width(value) + 2 * PADDING
    name = f"{LABEL} {value}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right:.1f}" '
        f'height="{HEIGHT}" viewBox="0 0 {left + right:.1f} {HEIGHT}" role="img" '
        f'aria-label="{name}">\n'
        f"<title>{name}</title>\n"
        f'<clipPath id="r"><rect width="{left + right:.1f}" height="{HEIGHT}" rx="3"/>'
        "</clipPath>\n"
        f'<g clip-path="url(#r)"><rect width="{left:.1f}" height="{HEIGHT}" fill="{DARK}"/>'
        f'<rect x="{left:.1f}" width="{right:.1f}" height="{HEIGHT}" '
        f'fill="{colour(one)}"/></g>\n'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" '
        'font-size="11">'
        f"{_text(LABEL, PADDING)}{_text(value, left + PADDING)}</g>\n"
        "</svg>\n"
    )


def colour(one: Conformance) -> str:
    """Return the colour of a score."""
    if not one.n_applicable:
        return NONE
    if one.n_passed == one.n_applicable:
        return ALL
    return MOST if one.n_passed >= 0.9 * one.n_applicable else FEW


def text_width(text: str) -> float:
    """Return about how wide a text is, in pixels."""
    return sum(WIDTHS.get(letter, USUAL_WIDTH) for letter in text)


def _text(text: str, x: float) -> str:
    return f'<text x="{x:.1f}" y="14" textLength="{text_width(text):.1f}">{text}</text>'
