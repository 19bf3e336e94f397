"""The files of a report of published figures, each whole or not there."""

from pathlib import Path

from gnbbench.errors import ResultsError
from gnbbench.report.figures.catalogue import draw_figures
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
from gnbbench.report.reproduce_documents import SCHEMA, reproduce_json_text
from gnbbench.report.reproduce_page import reproduce_page
from gnbbench.report.reproduce_summary import ReproduceSummary

CLAIMS_NAME = "claims.csv"


def write_reproduce(summary: ReproduceSummary, directory: Path) -> Path:
    """Return the path of the page, after it and all its files were written.

    The page comes last, so that where it is there, everything that it links to is. Figures
    of an earlier report are removed.
    """
    drawings = draw_figures("reproduce", summary)
    with report_written(directory):
        _remove_figures(directory / FIGURES_NAME)
        svg_texts = write_figures(drawings, directory)
        table = summary.frame().to_csv(index=False)
        replace_file(directory / CLAIMS_NAME, table.encode())
        replace_file(directory / SUMMARY_NAME, reproduce_json_text(summary).encode())
        page = reproduce_page(summary, drawings, svg_texts)
        replace_file(directory / PAGE_NAME, page.encode())
    return directory / PAGE_NAME


def require_replaceable(directory: Path) -> None:
    """Raise if a report would replace files that are not of published figures."""
    if directory.exists() and not directory.is_dir():
        raise ResultsError(str(directory), "it is a file", OTHER_DIRECTORY)
    ours = (SUMMARY_NAME, PAGE_NAME, CLAIMS_NAME, FIGURES_NAME)
    there = [name for name in ours if (directory / name).exists()]
    if there and stored_document(directory).get("schema") != SCHEMA:
        what = f"it holds {there[0]}, which is not from a study of published figures"
        raise ResultsError(str(directory), what, OTHER_DIRECTORY)


def _remove_figures(directory: Path) -> None:
    for path in directory.glob("claim-*"):
        if path.suffix in FIGURE_SUFFIXES:
            path.unlink()
