"""The files of a report, by their names."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from gnbbench.files import json_of
from gnbbench.report.blocks import Document, csv_text
from gnbbench.report.figures.drawing import FIGURES, Drawing, png, svg
from gnbbench.report.html import page
from gnbbench.statistics.documents import as_text as json_text

PAGE_NAME = "index.html"
SUMMARY_NAME = "summary.json"
MATRIX_NAME = "matrix.csv"
MANIFEST_NAME = "manifest.json"
# Formats of the file of all runs: the first unless another one is asked for.
RUNS_FORMATS = ("csv", "parquet")
RUNS_NAMES = {f"runs.{kind}": kind for kind in RUNS_FORMATS}
# Every name that a report may take, besides those of figures.
REPORT_NAMES = (
    *(PAGE_NAME, SUMMARY_NAME, MANIFEST_NAME, MATRIX_NAME, *RUNS_NAMES),
    *("timings.pyperf.json", "correlations.csv", "normality.csv", "disagreements.csv"),
    *("contributions.csv", "conformance.csv", "claims.csv", "times.csv", "exponents.csv"),
    *("reads.csv", "agreement.csv", "memory.csv", "stops.csv", "check.csv", "causes.csv"),
)
FIGURES_NAME = "figures"
FIGURE_SUFFIXES = (".png", ".svg", ".csv")
FIGURE_FILE = re.compile(rf"{FIGURES_NAME}/\w[\w.-]*\.(png|svg|csv)")
_SHOWN = re.compile(r'<figure id="figure-(\w[\w.-]*)"')
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
    """Return the format in which a report wrote its runs there."""
    there = (kind for name, kind in RUNS_NAMES.items() if (directory / name).is_file())
    return next(there, RUNS_FORMATS[0])


def stored_document(directory: Path) -> dict[str, Any]:
    """Return the summary that a report of ours left there, empty where there is none."""
    try:
        document = json_of(directory / SUMMARY_NAME)
    except (OSError, ValueError):
        return {}
    is_ours = isinstance(document, dict) and str(document.get("schema")).startswith(
        "gnbbench "
    )
    return document if is_ours else {}


def present(directory: Path) -> Iterator[str]:
    """Yield the names in use there that a report might take."""
    yield from (name for name in REPORT_NAMES if os.path.lexists(directory / name))
    stems = [re.sub(r"{.*}", "*", name) for titles in FIGURES.values() for name in titles]
    for pattern in (stem + suffix for stem in stems for suffix in FIGURE_SUFFIXES):
        for path in sorted((directory / FIGURES_NAME).glob(pattern)):
            yield f"{FIGURES_NAME}/{path.name}"


def unlisted_files(directory: Path) -> list[str]:
    """Return the files of a report that was written when there was no list of them yet."""
    page = directory / PAGE_NAME
    text = page.read_text(encoding="utf-8", errors="replace") if page.is_file() else ""
    names = set(REPORT_NAMES if stored_document(directory) else ())
    if '<meta name="generator" content="gnbbench' not in text:
        return sorted(names - {MANIFEST_NAME, PAGE_NAME})
    shown = (f"{FIGURES_NAME}/{name}" for name in _SHOWN.findall(text))
    figures = [stem + suffix for stem in shown for suffix in FIGURE_SUFFIXES]
    return [*sorted({PAGE_NAME, *names} - {MANIFEST_NAME}), *figures]
