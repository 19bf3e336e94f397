"""The files of a compare study."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from gnbbench.report.figures.catalogue import draw_figures
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.files import (
    PAGE_NAME,
    RUNS_NAME,
    SUMMARY_NAME,
    TIMINGS_NAME,
    replace_file,
    report_written,
    write_figures,
)
from gnbbench.report.page import page
from gnbbench.report.sweep_page import sweep_page
from gnbbench.report.timings_pyperf import pyperf_text
from gnbbench.statistics.documents import json_text
from gnbbench.statistics.summary import Summary


def write(
    summary: Summary,
    directory: Path,
    drawings: Sequence[Drawing | Absence] | None = None,
) -> Path:
    """Return the path of the page, after it and all its files were written.

    The page comes last, so that where it is there, everything that it links to is.
    Files of an earlier report are replaced; those of a figure that cannot be drawn
    any more are removed.
    """
    figures = draw_figures(summary.study, summary) if drawings is None else drawings
    with report_written(directory, "Give another directory: --out DIR"):
        svg_texts = write_figures(figures, directory)
        replace_file(directory / SUMMARY_NAME, json_text(summary).encode())
        replace_file(directory / RUNS_NAME, summary.runs.to_csv(index=False).encode())
        _write_timings(summary, directory / TIMINGS_NAME)
        replace_file(
            directory / PAGE_NAME, whole_page(summary, figures, svg_texts).encode()
        )
    return directory / PAGE_NAME


def whole_page(
    summary: Summary,
    drawings: Sequence[Drawing | Absence] | None = None,
    svg_texts: Mapping[str, str] | None = None,
) -> str:
    """Return the page of a summary of either kind."""
    if summary.is_sweep:
        return sweep_page(summary, drawings, svg_texts)
    return page(summary, drawings, svg_texts)


def _write_timings(summary: Summary, path: Path) -> None:
    """Leave the timings as a file, or none where there are none."""
    text = None if summary.is_sweep else pyperf_text(summary)
    if text is None:
        path.unlink(missing_ok=True)
    else:
        replace_file(path, text.encode())
