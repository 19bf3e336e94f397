"""A study on several datasets that was carried out: its matrix, figures and files."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure
from rich.console import RenderableType

from gnbbench.interface.shown import Shown
from gnbbench.interface.study import Study
from gnbbench.report.figures.catalogue import draw_figure
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.matrix_files import write_matrix
from gnbbench.report.matrix_page import matrix_page
from gnbbench.report.matrix_terminal import matrix_text
from gnbbench.statistics.matrix import Matrix


class MatrixFigures(Mapping[str, Figure]):
    """The matrix and every figure of the studies: "matrix", "iris/accuracy"."""

    def __init__(self, drawing: Drawing | Absence, studies: Mapping[str, Study]) -> None:
        self._drawing = drawing
        self._studies = studies

    def __getitem__(self, name: str) -> Figure:
        folder, _, stem = name.rpartition("/")
        if folder:
            return self._studies[folder].figures[stem]
        if name == self._drawing.name and isinstance(self._drawing, Drawing):
            return self._drawing.figure
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        if isinstance(self._drawing, Drawing):
            yield self._drawing.name
        for folder, study in self._studies.items():
            yield from (f"{folder}/{name}" for name in study.figures)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class MatrixStudy(Shown):
    """A study on several datasets that was carried out."""

    details: Matrix

    def __init__(self, details: Matrix, studies: Mapping[str, Study]) -> None:
        self.details = details
        self.studies = dict(studies)

    @cached_property
    def figures(self) -> MatrixFigures:
        """Figures by name: "matrix", and "iris/accuracy" for that of a dataset."""
        return MatrixFigures(self._drawing, self.studies)

    def frame(self) -> pd.DataFrame:
        """Return one row for each implementation and dataset."""
        return self.details.cells.copy()

    def _table(self) -> RenderableType:
        return matrix_text(self.details)

    def _write(self, directory: Path) -> Path:
        target = Path(directory)
        for folder, study in self.studies.items():
            study.save(target / folder)
        return self.save_matrix(target)

    def save_matrix(self, directory: Path) -> Path:
        """Write the page of the matrix alone; the studies are there already."""
        return write_matrix(self.details, directory, self._drawing, self._drawings)

    @cached_property
    def _drawing(self) -> Drawing | Absence:
        return draw_figure("matrix", self.details)

    @property
    def _drawings(self) -> dict[str, tuple[Drawing | Absence, ...]]:
        return {folder: study.figures.drawings for folder, study in self.studies.items()}

    def _page(self) -> str:
        return matrix_page(self.details, self._drawing, self._drawings)
