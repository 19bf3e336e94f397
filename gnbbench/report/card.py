"""The document as a card for a notebook: what was found, and the way to the page."""

from pathlib import Path

from markupsafe import Markup

from gnbbench.report.blocks import Document
from gnbbench.report.figures.drawing import Drawing, inline_svg, svg
from gnbbench.report.html import templates

LARGEST_CARD = 40_000  # Bytes; a notebook keeps every output


def card(document: Document, saved: Path | None) -> str:
    """Return verdict, tiles and the first figure that fits; `saved` is the page's path."""
    link = "" if saved is None else _address(saved)

    def of(figure: Drawing | None) -> str:
        text = Markup(inline_svg(figure, svg(figure))) if figure else ""  # noqa: S704  matplotlib escapes
        template = templates().get_template("templates/card.html")
        return template.render(document=document, figure=figure, svg=text, link=link)

    drawn = (found for found in document.drawings if isinstance(found, Drawing))
    cards = (of(drawing) for drawing in drawn)
    return next((text for text in cards if len(text.encode()) <= LARGEST_CARD), of(None))


def _address(path: Path) -> str:
    """Return how a notebook of the working directory links to a file."""
    return path.resolve().as_uri().removeprefix(f"{Path.cwd().as_uri()}/")
