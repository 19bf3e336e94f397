"""The files of a report of the assumptions, each whole or not there."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gnbbench.errors import ResultsError
from gnbbench.report.assumptions_choices import ranked_pairs
from gnbbench.report.assumptions_documents import SCHEMA, assumptions_json_text
from gnbbench.report.assumptions_page import assumptions_page
from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.report.figures.catalogue import draw_figures
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.files import (
    OTHER_DIRECTORY,
    PAGE_NAME,
    RUNS_NAME,
    SUMMARY_NAME,
    replace_file,
    report_written,
    stored_document,
    write_figures,
)
from gnbbench.report.plain_values import plain

CORRELATIONS_NAME = "correlations.csv"
NORMALITY_NAME = "normality.csv"


def write_assumptions(
    summary: AssumptionsSummary,
    directory: Path,
    drawings: Sequence[Drawing | Absence] | None = None,
) -> Path:
    """Return the path of the page, after it and all its files were written.

    The page comes last, so that where it is there, everything that it links to is.
    """
    figures = draw_figures("assumptions", summary) if drawings is None else drawings
    tables = {
        RUNS_NAME: summary.runs,
        CORRELATIONS_NAME: ranked_pairs(summary),
        NORMALITY_NAME: summary.findings.normality,
    }
    with report_written(directory, "Give another directory: --out DIR"):
        svg_texts = write_figures(figures, directory)
        for name, table in tables.items():
            replace_file(directory / name, table.to_csv(index=False).encode())
        replace_file(directory / SUMMARY_NAME, assumptions_json_text(summary).encode())
        text = assumptions_page(summary, figures, svg_texts)
        replace_file(directory / PAGE_NAME, text.encode())
    return directory / PAGE_NAME


def require_replaceable(
    directory: Path, plan: Mapping[str, Any], *, overwrite: bool = False
) -> None:
    """Raise if a report would replace files that are not of the same study."""
    names = [SUMMARY_NAME, PAGE_NAME, RUNS_NAME, CORRELATIONS_NAME, NORMALITY_NAME]
    there = [name for name in names if (directory / name).exists()]
    if not there:
        return
    kept = stored_document(directory)
    if kept.get("schema") != SCHEMA:
        raise ResultsError(
            str(directory),
            f"it holds {there[0]}, which is not from a study of the assumptions",
            OTHER_DIRECTORY,
        )
    if kept.get("plan") != plain(plan) and not overwrite:
        raise ResultsError(
            str(directory),
            "it holds the report of another plan",
            "Choose another directory with --out, or replace it with --overwrite.",
        )
