"""The document as a page, one self-contained HTML text, and as a card for a notebook."""

import re
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from gnbbench.report.blocks import Document, Figure, Prose, frame_table, visible
from gnbbench.report.figures.drawing import Absence, Drawing, inline_svg, svg
from gnbbench.words import DASH, count

TEMPLATE = "document.html"
MOST_ROWS = 200  # Of the data of a figure; more are in its file
LARGEST_CARD = 40_000  # Bytes; a notebook keeps every output
_DIGITS = 12


def page(document: Document, svg_texts: Mapping[str, str] | None = None) -> str:
    """Return the report as one HTML text that needs neither network nor other files.

    Figures whose SVG was written already are not drawn again.
    """
    environment = templates()

    said: set[str] = set()

    def picture(figure: Figure) -> dict[str, Any]:
        shown = _picture(figure, svg_texts or {})
        return {**shown, "caption": _once(shown.get("caption", ""), said)}

    def prose(block: Prose) -> Markup:
        text = environment.get_template(f"prose/{block.name}.html").render(block.values)
        return Markup(text)  # noqa: S704  escaped when it was rendered

    template = environment.get_template(f"templates/{TEMPLATE}")
    script = environment.get_template("templates/script.js").render()
    text = template.render(
        **{"document": document, "picture": picture, "prose": prose, "dash": DASH},
        **{"version": version(), "script": Markup(script)},  # noqa: S704  our own
        # By this a browser runs our script, and no other that got into the page.
        script_digest=b64encode(sha256(script.encode()).digest()).decode(),
    )
    return text.lstrip()  # macros leave empty lines above the doctype


def card(document: Document, saved: Path | None) -> str:
    """Return verdict, tiles and the first figure that fits; `saved` is the page's path."""
    here = f"{Path.cwd().as_uri()}/"  # What a notebook's links start from
    link = "" if saved is None else saved.resolve().as_uri().removeprefix(here)

    def of(figure: Drawing | None) -> str:
        text = Markup(inline_svg(figure, svg(figure))) if figure else ""  # noqa: S704  matplotlib escapes
        template = templates().get_template("templates/card.html")
        return template.render(document=document, figure=figure, svg=text, link=link)

    drawn = (drawing for drawing in document.drawings if isinstance(drawing, Drawing))
    cards = (of(drawing) for drawing in drawn)
    return next((text for text in cards if len(text.encode()) <= LARGEST_CARD), of(None))


@cache
def version() -> str:
    """Return a digest of the texts that pages are made from.

    A page names it in ``<meta name="generator">``, so that a stored page can be told from
    one that the present templates would make.
    """
    environment = templates()
    digest = sha256()
    for name in sorted(environment.list_templates(["html", "css", "js"])):
        assert environment.loader is not None  # noqa: S101  given below; for mypy
        text = environment.loader.get_source(environment, name)[0]
        digest.update(f"{name}\0{text}\0".encode())
    return digest.hexdigest()[:_DIGITS]


@cache
def templates() -> Environment:
    """Return what renders templates; names in them that are not given are errors."""
    environment = Environment(
        loader=PackageLoader("gnbbench", "report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    environment.filters["coded"] = _coded
    return environment


def _coded(text: str) -> Markup:
    """Return a sentence with what stands between backticks as code."""
    escaped = str(escape(_visible(text)))
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", escaped))  # noqa: S704  escaped


def _visible(value: Any) -> Any:
    is_text = isinstance(value, str) and not isinstance(value, Markup)
    return visible(value) if is_text else value


def _once(caption: str, said: set[str]) -> str:
    """Return the sentences of a caption that the page has not said yet, and note them."""
    sentences = re.split(r"(?<=\.) (?=[A-Z])", caption)
    new = [sentence for sentence in sentences if sentence not in said]
    said.update(sentences)
    return " ".join(new)


def _picture(figure: Figure, svg_texts: Mapping[str, str]) -> dict[str, Any]:
    """Return a figure as the template takes it; with a reason where it was not drawn."""
    drawing = figure.drawing
    named = {"name": drawing.name, "title": drawing.title, "reason": ""}
    if isinstance(drawing, Absence):
        return {**named, "reason": drawing.reason}
    text = svg_texts[figure.name] if figure.name in svg_texts else svg(drawing)
    caption = f"Data: {drawing.title.lower()}"
    is_short = len(drawing.frame) <= MOST_ROWS
    return {
        **named,
        "finding": drawing.finding,
        "caption": drawing.caption,
        "slim": drawing.is_slim,
        "svg": Markup(inline_svg(drawing, text)),  # noqa: S704  matplotlib escapes
        "n_rows": count(len(drawing.frame)),
        "table": frame_table(caption, drawing.frame) if is_short else None,
    }
