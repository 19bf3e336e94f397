"""The files of a report on causes, each whole or not there."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gnbbench.errors import ResultsError
from gnbbench.report.explain_documents import SCHEMA, explain_json_text
from gnbbench.report.explain_page import explain_page
from gnbbench.report.explain_summary import ExplainSummary
from gnbbench.report.figures.catalogue import draw_figures
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.files import (
    FIGURE_SUFFIXES,
    FIGURES_NAME,
    OTHER_DIRECTORY,
    PAGE_NAME,
    SUMMARY_NAME,
    replace_file,
    report_written,
    stored_document,
    write_figures,
)
from gnbbench.report.plain_values import plain

DISAGREEMENTS_NAME = "disagreements.csv"


def write_explain(
    summary: ExplainSummary,
    directory: Path,
    drawings: Sequence[Drawing | Absence] | None = None,
) -> Path:
    """Return the path of the page, after it and all its files were written.

    The page comes last, so that where it is there, everything that it links to is.
    """
    figures = draw_figures("explain", summary) if drawings is None else drawings
    with report_written(directory):
        svg_texts = write_figures(figures, directory)
        _clear_figures(directory / FIGURES_NAME, set(svg_texts))
        table = summary.frame().to_csv(index=False)
        replace_file(directory / DISAGREEMENTS_NAME, table.encode())
        replace_file(directory / SUMMARY_NAME, explain_json_text(summary).encode())
        text = explain_page(summary, figures, svg_texts)
        replace_file(directory / PAGE_NAME, text.encode())
    return directory / PAGE_NAME


def require_replaceable(directory: Path, plan: Mapping[str, Any]) -> None:
    """Raise if a report would replace files that are not of the same plan."""
    if directory.exists() and not directory.is_dir():
        raise ResultsError(str(directory), "it is a file", OTHER_DIRECTORY)
    names = (SUMMARY_NAME, PAGE_NAME, DISAGREEMENTS_NAME)
    there = [name for name in names if (directory / name).exists()]
    if not there:
        return
    kept = stored_document(directory)
    if kept.get("schema") != SCHEMA:
        what = f"it holds {there[0]}, which is not from a study of causes"
        raise ResultsError(str(directory), what, OTHER_DIRECTORY)
    if kept.get("plan") != plain(plan):
        what = "it holds the report of another plan"
        raise ResultsError(str(directory), what, OTHER_DIRECTORY)


def _clear_figures(directory: Path, kept: set[str]) -> None:
    """Remove the figures of an earlier report that this one does not have."""
    for suffix in FIGURE_SUFFIXES:
        for path in directory.glob(f"contributions_*{suffix}"):
            if path.stem not in kept:
                path.unlink(missing_ok=True)
