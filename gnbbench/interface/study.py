"""A study that was carried out: its tables, figures and files."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from rich.console import RenderableType

from gnbbench.report.figures.catalogue import draw_all
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.files import replace_file, write
from gnbbench.report.page import page
from gnbbench.report.terminal import table
from gnbbench.studies.store import FILE_NAME

Drawings = Sequence[Drawing | Absence]


@dataclass(frozen=True)
class Presentation:
    """How the summary of one kind of study is shown.

    Parameters
    ----------
    draw : callable
        Summary -> drawings and absences.
    page : callable
        Summary and drawings -> HTML text.
    write : callable
        Summary, directory and drawings -> path of the page.
    table : callable
        Summary -> what a terminal shows.
    """

    draw: Callable[[Any], Drawings]
    page: Callable[[Any, Drawings], str]
    write: Callable[[Any, Path, Drawings], Path]
    table: Callable[[Any], RenderableType]


COMPARE = Presentation(draw_all, page, write, table)


class Figures(Mapping[str, Figure]):
    """The figures of a study by name; drawn when the first one is asked for.

    Parameters
    ----------
    draw : callable
        Gives the drawings.
    """

    def __init__(self, draw: Callable[[], Drawings]) -> None:
        self._draw = draw

    @cached_property
    def drawings(self) -> Drawings:
        """Every drawing, or absence, with its caption, alt text and data."""
        return tuple(self._draw())

    @cached_property
    def _drawn(self) -> dict[str, Figure]:
        return {one.name: one.figure for one in self.drawings if isinstance(one, Drawing)}

    def __getitem__(self, name: str) -> Figure:
        return self._drawn[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._drawn)

    def __len__(self) -> int:
        return len(self._drawn)


class Study:
    """A study that was carried out.

    Parameters
    ----------
    details : Summary or SweepSummary
        Every figure of the report, as tables.
    database : bytes
        The records, as an SQLite file.
    presentation : Presentation
        How this kind of study is shown.

    Attributes
    ----------
    details : Summary or SweepSummary
    figures : mapping of str to matplotlib.figure.Figure
        Such as ``figures["accuracy"]``.
    """

    def __init__(
        self, details: Any, database: bytes, presentation: Presentation = COMPARE
    ) -> None:
        self.details = details
        self.figures = Figures(lambda: presentation.draw(details))
        self._database = database
        self._presentation = presentation

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row for each implementation and number."""
        frame: pd.DataFrame = self.details.frame()
        return frame

    @property
    def runs(self) -> pd.DataFrame:
        """One row for each run and implementation, with the metrics of that run."""
        runs: pd.DataFrame = self.details.runs
        return runs

    def table(self) -> RenderableType:
        """Return what a terminal shows: the verdict in words, then the numbers.

        Returns
        -------
        rich.console.RenderableType
            Fits 80 columns.
        """
        return self._presentation.table(self.details)

    def save(self, directory: str | Path) -> Path:
        """Write the page, the figures, the tables and the records.

        Parameters
        ----------
        directory : str or Path
            Made if it does not exist; files of an earlier report are replaced.

        Returns
        -------
        Path
            Of ``index.html``.

        Raises
        ------
        ResultsError
            If the directory cannot be written.
        """
        target = Path(directory)
        index = self._presentation.write(self.details, target, self.figures.drawings)
        if not (target / FILE_NAME).exists():
            replace_file(target / FILE_NAME, self._database)
        return index

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, for a notebook."""
        text = self._presentation.page(self.details, self.figures.drawings)
        source = text.replace("&", "&amp;").replace('"', "&quot;")
        return (
            '<iframe title="gnbbench report" style="width:100%;height:80vh;border:0" '
            f'srcdoc="{source}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Study: {self.details.headline}>"
