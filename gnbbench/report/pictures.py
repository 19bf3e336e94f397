"""A drawing as bytes: PNG and SVG for files, and SVG to stand within a page."""

import html
import re
from io import BytesIO
from typing import Any

from gnbbench.report.figures.drawing import Drawing
from gnbbench.report.style import (
    INK,
    MUTED,
    PAPER,
    RULE,
    TITLE_GID,
    drawing_style,
    title_points,
)

_NOTHING = {"Date": None, "Creator": None, "Format": None, "Type": None}
_TAG = re.compile(r"<[^>]*>")
_PAGE_COLOURS = {
    INK: "currentColor",
    MUTED: "var(--muted)",
    RULE: "var(--rule)",
    PAPER: "var(--paper)",
}


@drawing_style()
def png(drawing: Drawing) -> bytes:
    """Picture as PNG on white; the same bytes for the same data."""
    buffer = BytesIO()
    canvas: Any = drawing.figure.canvas
    canvas.print_png(buffer, metadata={"Software": None})
    return buffer.getvalue()


@drawing_style()
def svg(drawing: Drawing) -> str:
    """Picture as a standalone SVG on white; the same text for the same data."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    buffer = BytesIO()
    figure = drawing.figure
    canvas, dots_per_inch = figure.canvas, figure.dpi
    FigureCanvasSVG(figure).print_svg(buffer, metadata=_NOTHING)  # type: ignore[no-untyped-call]  # matplotlib's has no types
    # It leaves a resolution of its own behind; the PNG is drawn by the other canvas.
    figure.dpi = dots_per_inch
    figure.set_canvas(canvas)
    return buffer.getvalue().decode()


def inline_svg(drawing: Drawing, text: str) -> str:
    """SVG to stand in a page: own ids, the page's colours, a name, no title of its own."""
    prefix = f"{drawing.name}-"
    body = _TAG.sub(lambda tag: _of_page(tag.group(), prefix), text[text.index("<svg") :])
    body = _without_title(body, prefix)
    return re.sub(r"<svg[^>]*>", lambda tag: _opening(drawing, tag.group()), body, count=1)


def _of_page(tag: str, prefix: str) -> str:
    """One tag with its ids prefixed and the page's variables for colours."""
    if tag.startswith("<image"):
        return re.sub(r'\sid="[^"]*"', "", tag)
    tag = re.sub(r'\bid="', f'id="{prefix}', tag)
    tag = tag.replace('href="#', f'href="#{prefix}').replace("url(#", f"url(#{prefix}")
    for colour, variable in _PAGE_COLOURS.items():
        tag = tag.replace(colour, variable)
    return tag


def _without_title(body: str, prefix: str) -> str:
    """Drop the group of the finding; it holds text elements only."""
    start = body.index(f'<g id="{prefix}{TITLE_GID}">')
    depth = 0
    for tag in re.finditer(r"<g\b|</g>", body[start:]):
        depth += 1 if tag.group() != "</g>" else -1
        if depth == 0:
            return body[:start] + body[start + tag.end() :]
    return body


def _opening(drawing: Drawing, tag: str) -> str:
    found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', tag)
    width, height = (float(size) for size in found.groups()) if found else (1.0, 1.0)
    top = title_points(drawing.finding) - 6
    name = html.escape(drawing.alt, quote=True)
    box = f"0 {top:g} {width:g} {height - top:g}"
    return (
        f'<svg role="img" aria-label="{name}" viewBox="{box}" '
        'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
    )
