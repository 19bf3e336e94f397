"""The files over the studies of several datasets, each whole or not there."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gnbbench.errors import ResultsError
from gnbbench.report.figures.catalogue import draw_figure
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.files import (
    PAGE_NAME,
    RUNS_NAME,
    SUMMARY_NAME,
    replace_file,
    report_written,
    stored_document,
    write_figures,
)
from gnbbench.report.matrix_page import Drawings, matrix_page
from gnbbench.statistics.documents import MATRIX_SCHEMA, as_text, matrix_document
from gnbbench.statistics.matrix import Matrix

MATRIX_NAME = "matrix.csv"

_OTHER_DIRECTORY = "Choose another directory with --out"


def write_matrix(
    matrix: Matrix,
    directory: Path,
    figure: Drawing | Absence | None = None,
    drawings: Mapping[str, Drawings] | None = None,
) -> Path:
    """Return the path of the page, after it and the files beside it were written.

    Those of each dataset's own study are written by itself, before; the page links to
    them, and comes last.
    """
    drawn = draw_figure("matrix", matrix) if figure is None else figure
    with report_written(directory):
        write_figures([drawn], directory)
        table = matrix.cells.to_csv(index=False)
        replace_file(directory / MATRIX_NAME, table.encode())
        replace_file(directory / SUMMARY_NAME, as_text(matrix_document(matrix)).encode())
        page = matrix_page(matrix, drawn, drawings)
        replace_file(directory / PAGE_NAME, page.encode())
    return directory / PAGE_NAME


def require_own(
    directory: Path, datasets: list[dict[str, Any]], *, overwrite: bool
) -> None:
    """Raise if a report of a matrix would replace files that belong to something else."""
    if directory.exists() and not directory.is_dir():
        raise ResultsError(str(directory), "it is a file", f"{_OTHER_DIRECTORY}.")
    ours = (SUMMARY_NAME, PAGE_NAME, MATRIX_NAME, RUNS_NAME, "runs.sqlite")
    there = [name for name in ours if (directory / name).exists()]
    if not there:
        return
    kept = stored_document(directory)
    if kept.get("schema") != MATRIX_SCHEMA:
        what = f"it holds {there[0]}, which is not from a study on several datasets"
        raise ResultsError(str(directory), what, f"{_OTHER_DIRECTORY}.")
    of_data = [
        {key: one.get(key) for key in ("name", "sha256")}
        for one in kept["plan"]["datasets"]
    ]
    if of_data != datasets and not overwrite:
        raise ResultsError(
            str(directory),
            "it holds a study on other datasets",
            f"{_OTHER_DIRECTORY}, or replace it with --overwrite.",
        )
