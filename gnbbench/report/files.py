"""The report as a page, as a card for a notebook, and as files."""

import os
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from gnbbench.files import json_of
from gnbbench.report.blocks import Document, Figure, Prose, csv_text, frame_table, visible
from gnbbench.report.figures.drawing import (
    FIGURES,
    TITLES,
    Absence,
    Drawing,
    inline_svg,
    png,
    svg,
)
from gnbbench.statistics.documents import as_text as json_text
from gnbbench.words import DASH, count

TEMPLATE = "document.html"
MOST_ROWS = 200  # Of the data of a figure; more are in its file
LARGEST_CARD = 40_000  # Bytes; a notebook keeps every output
_DIGITS = 12


def page(document: Document, svg_texts: Mapping[str, str] | None = None) -> str:
    """Return the report as one HTML text that needs neither network nor other files.

    Figures with an SVG in `svg_texts` are not drawn again.
    """
    environment = templates()

    shown_sentences: set[str] = set()

    def picture(figure: Figure) -> dict[str, Any]:
        shown = _picture(figure, svg_texts or {})
        return {**shown, "caption": _once(shown.get("caption", ""), shown_sentences)}

    def prose(block: Prose) -> Markup:
        text = environment.get_template(f"prose/{block.name}.html").render(block.values)
        return Markup(text)  # noqa: S704  escaped when it was rendered

    template = environment.get_template(f"templates/{TEMPLATE}")
    script = environment.get_template("templates/script.js").render()
    text = template.render(
        document=document,
        picture=picture,
        prose=prose,
        dash=DASH,
        version=version(),
        script=Markup(script),  # noqa: S704  our own
        # Lets a browser run our script, but no other that got into the page.
        script_digest=b64encode(sha256(script.encode()).digest()).decode(),
    )
    return text.lstrip()  # macros leave empty lines above the doctype


def card(document: Document, saved: Path | None) -> str:
    """Return verdict, tiles and the first figure that fits; `saved` is the page's path."""
    base = f"{Path.cwd().as_uri()}/"  # Links in a notebook are relative to it
    link = "" if saved is None else saved.resolve().as_uri().removeprefix(base)

    def html(figure: Drawing | None) -> str:
        text = Markup(inline_svg(figure, svg(figure))) if figure else ""  # noqa: S704  matplotlib escapes
        template = templates().get_template("templates/card.html")
        return template.render(document=document, figure=figure, svg=text, link=link)

    drawn = (drawing for drawing in document.drawings if isinstance(drawing, Drawing))
    cards = (html(drawing) for drawing in drawn)
    return next((text for text in cards if len(text.encode()) <= LARGEST_CARD), html(None))


@cache
def version() -> str:
    """Return a digest of the templates.

    A page names it in ``<meta name="generator">``, so that outdated pages can be told.
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
    """Return the environment of the templates; undefined names are errors."""
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
    """Escape a sentence, and mark text between backticks as code."""
    escaped = str(escape(_visible(text)))
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", escaped))  # noqa: S704  escaped


def _visible(value: Any) -> Any:
    is_text = isinstance(value, str) and not isinstance(value, Markup)
    return visible(value) if is_text else value


def _once(caption: str, shown: set[str]) -> str:
    """Drop the sentences of a caption that the page has shown already."""
    sentences = re.split(r"(?<=\.) (?=[A-Z])", caption)
    new = [sentence for sentence in sentences if sentence not in shown]
    shown.update(sentences)
    return " ".join(new)


def _picture(figure: Figure, svg_texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the template's values for a figure, or the reason why it was not drawn."""
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


PAGE_NAME = "index.html"
SUMMARY_NAME = "summary.json"
MATRIX_NAME = "matrix.csv"
MANIFEST_NAME = "manifest.json"
# Formats of the file of all runs, the default first.
RUNS_FORMATS = ("csv", "parquet")
RUNS_NAMES = {f"runs.{kind}": kind for kind in RUNS_FORMATS}
# Every file name that a report may use, except those of figures.
REPORT_NAMES = (
    *(PAGE_NAME, SUMMARY_NAME, MANIFEST_NAME, MATRIX_NAME, *RUNS_NAMES),
    *dict.fromkeys(name for files in TITLES["files"].values() for name in files),
)
FIGURES_NAME = "figures"
FIGURE_SUFFIXES = (".png", ".svg", ".csv")
FIGURE_FILE = re.compile(rf"{FIGURES_NAME}/\w[\w.-]*\.(png|svg|csv)")
OTHER_DIRECTORY = "Use another --out."


def contents(document: Document, runs_format: str = "csv") -> dict[str, bytes]:
    """Return the files of a report by their names, the page last."""
    contents: dict[str, bytes] = {}
    svg_texts = {}
    for drawing in document.drawings:
        if isinstance(drawing, Drawing):
            stem = f"{FIGURES_NAME}/{drawing.name}"
            svg_texts[drawing.name] = text = svg(drawing)
            contents[f"{stem}.png"] = png(drawing)
            contents[f"{stem}.svg"] = text.encode()
            contents[f"{stem}.csv"] = csv_text(drawing.frame).encode()
    for file in document.attachments:
        if isinstance(file.content, pd.DataFrame) and file.name in RUNS_NAMES:
            contents[f"runs.{runs_format}"] = runs_file(file.content, runs_format)
        elif isinstance(file.content, pd.DataFrame):
            contents[file.name] = csv_text(file.content).encode()
        elif file.content is not None:
            contents[file.name] = file.content.encode()
    contents[SUMMARY_NAME] = json_text(document.payload).encode()
    contents[PAGE_NAME] = page(document, svg_texts).encode()
    return contents


def runs_file(frame: pd.DataFrame, kind: str) -> bytes:
    """Return the content of the file of all runs in a format."""
    if kind == "parquet":
        return frame.to_parquet(index=False, engine="pyarrow")
    return csv_text(frame).encode()


def runs_format(directory: Path) -> str:
    """Return the format of the runs in a report's directory."""
    kinds = (kind for name, kind in RUNS_NAMES.items() if (directory / name).is_file())
    return next(kinds, RUNS_FORMATS[0])


def stored_document(directory: Path) -> dict[str, Any]:
    """Return the summary of a report in a directory; empty if there is none."""
    try:
        document = json_of(directory / SUMMARY_NAME)
    except (OSError, ValueError):
        return {}
    is_ours = isinstance(document, dict) and str(document.get("schema")).startswith(
        "gnbbench "
    )
    return document if is_ours else {}


def present(directory: Path) -> Iterator[str]:
    """Yield the existing files whose names a report might use."""
    yield from (name for name in REPORT_NAMES if os.path.lexists(directory / name))
    stems = [re.sub(r"{.*}", "*", name) for titles in FIGURES.values() for name in titles]
    for pattern in (stem + suffix for stem in stems for suffix in FIGURE_SUFFIXES):
        for path in sorted((directory / FIGURES_NAME).glob(pattern)):
            yield f"{FIGURES_NAME}/{path.name}"
