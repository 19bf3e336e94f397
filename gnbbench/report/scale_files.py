"""The files of a report on time and memory against sizes, each whole or not there."""

from collections.abc import Sequence
from pathlib import Path

from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.files import (
    PAGE_NAME,
    SUMMARY_NAME,
    replace_file,
    report_written,
    write_figures,
)
from gnbbench.report.scale_documents import TABLES, scale_json_text
from gnbbench.report.scale_figures import scale_drawings
from gnbbench.report.scale_page import scale_page
from gnbbench.statistics.scale_summary import ScaleSummary


def write_scale(
    summary: ScaleSummary,
    directory: Path,
    drawings: Sequence[Drawing | Absence] | None = None,
) -> Path:
    """Return the path of the page, after it and all its files were written.

    The page comes last, so that where it is there, everything that it links to is.
    """
    drawn = scale_drawings(summary) if drawings is None else drawings
    with report_written(directory):
        svg_texts = write_figures(drawn, directory)
        for name in TABLES:
            table = getattr(summary, name).to_csv(index=False)
            replace_file(directory / f"{name}.csv", table.encode())
        replace_file(directory / SUMMARY_NAME, scale_json_text(summary).encode())
        page = scale_page(summary, drawn, svg_texts)
        replace_file(directory / PAGE_NAME, page.encode())
    return directory / PAGE_NAME
