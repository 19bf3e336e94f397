"""The files of a report, each whole or not there."""

import json
import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from gnbbench.errors import ResultsError
from gnbbench.report.blocks import Attachment, Document
from gnbbench.report.figures.drawing import Absence, Drawing, png, svg
from gnbbench.report.html import page
from gnbbench.statistics.documents import as_text as json_text

PAGE_NAME = "index.html"
SUMMARY_NAME = "summary.json"
RUNS_NAME = "runs.csv"
MATRIX_NAME = "matrix.csv"
FIGURES_NAME = "figures"
FIGURE_SUFFIXES = (".png", ".svg", ".csv")
_SHOWN = re.compile(r'<figure id="figure-(\w[\w.-]*)"')
OTHER_DIRECTORY = "Use another --out."


def write(document: Document, directory: Path) -> Path:
    """Return the path of the page, after it and all its files were written.

    The page comes last, so that where it is there, everything that it links to is.
    Files of an earlier report are replaced; those of a figure that cannot be drawn
    any more are removed.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        _remove_figures_of(directory / PAGE_NAME)
        svg_texts = write_figures(document.drawings, directory)
        for file in document.attachments:
            _write_attachment(file, directory / file.name)
        replace_file(directory / SUMMARY_NAME, json_text(document.payload).encode())
        replace_file(directory / PAGE_NAME, page(document, svg_texts).encode())
    except OSError as error:
        what = f"the report cannot be written ({error.strerror or error})"
        raise ResultsError(str(directory), what, OTHER_DIRECTORY) from error
    return directory / PAGE_NAME


def _remove_figures_of(shown: Path) -> None:
    """Remove the files of the figures that an earlier page shows."""
    if shown.is_file():
        text = shown.read_text(encoding="utf-8", errors="replace")
        for name in _SHOWN.findall(text):
            _remove_figure(shown.parent / FIGURES_NAME / name)


def _write_attachment(file: Attachment, path: Path) -> None:
    if file.content is None:
        path.unlink(missing_ok=True)
        return
    if isinstance(file.content, pd.DataFrame):
        replace_file(path, file.content.to_csv(index=False).encode())
    else:
        replace_file(path, file.content.encode())


def require_replaceable(
    directory: Path, names: Sequence[str], schema: str, origin: str
) -> None:
    """Raise if a report would replace files that are not from a study of that origin."""
    if directory.exists() and not directory.is_dir():
        raise ResultsError(str(directory), "it is a file", OTHER_DIRECTORY)
    known = (SUMMARY_NAME, PAGE_NAME, *names)
    there = [name for name in known if (directory / name).exists()]
    if there and stored_document(directory).get("schema") != schema:
        what = f"it holds {there[0]}, which is not from a study {origin}"
        raise ResultsError(str(directory), what, OTHER_DIRECTORY)


def write_figures(drawings: Sequence[Drawing | Absence], directory: Path) -> dict[str, str]:
    """Return the SVG text of each figure, after its PNG, SVG and CSV files were written.

    Files of those that cannot be drawn are removed.
    """
    figures = directory / FIGURES_NAME
    if drawings:
        figures.mkdir(parents=True, exist_ok=True)
    svg_texts = {}
    for drawing in drawings:
        stem = figures / drawing.name
        if isinstance(drawing, Absence):
            _remove_figure(stem)
            continue
        svg_texts[drawing.name] = text = svg(drawing)
        data = drawing.frame.to_csv(index=False)
        replace_file(stem.with_suffix(".png"), png(drawing))
        replace_file(stem.with_suffix(".svg"), text.encode())
        replace_file(stem.with_suffix(".csv"), data.encode())
    return svg_texts


def stored_document(directory: Path) -> dict[str, Any]:
    """Return the summary that a report left there, empty where it cannot be read."""
    try:
        found = json.loads((directory / SUMMARY_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _remove_figure(stem: Path) -> None:
    """Remove the files of a figure, if they are there."""
    for suffix in FIGURE_SUFFIXES:
        stem.with_suffix(suffix).unlink(missing_ok=True)


def replace_file(path: Path, content: bytes) -> None:
    """Leave a file with the given content, or the file that was there before.

    The content is written under another name in the same directory, then moved in one
    step.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
