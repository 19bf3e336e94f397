"""A study that was carried out: its tables, figures and files."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from gnbbench.report.figures.catalogue import draw_all
from gnbbench.report.figures.drawing import Drawing
from gnbbench.report.files import replace_file, write
from gnbbench.report.page import page
from gnbbench.statistics.summary import Summary
from gnbbench.studies.store import FILE_NAME


class Figures(Mapping[str, Figure]):
    """The figures of a study by name; drawn when the first one is asked for.

    Parameters
    ----------
    details : Summary
        What is drawn.
    """

    def __init__(self, details: Summary) -> None:
        self._details = details

    @cached_property
    def drawings(self) -> Mapping[str, Any]:
        """Every drawing, or absence, with its caption, alt text and data."""
        return {drawing.name: drawing for drawing in draw_all(self._details)}

    @cached_property
    def _drawn(self) -> dict[str, Figure]:
        found = self.drawings.items()
        return {name: one.figure for name, one in found if isinstance(one, Drawing)}

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
    details : Summary
        Every figure of the report, as tables.
    database : bytes
        The records, as an SQLite file.

    Attributes
    ----------
    details : Summary
    figures : mapping of str to matplotlib.figure.Figure
        Such as ``figures["accuracy"]``.
    """

    def __init__(self, details: Summary, database: bytes) -> None:
        self.details = details
        self.figures = Figures(details)
        self._database = database

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row for each implementation and number, see `Summary.frame`."""
        return self.details.frame()

    @property
    def runs(self) -> pd.DataFrame:
        """One row for each run and implementation, with the metrics of that run."""
        return self.details.runs

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
        index = write(self.details, target, tuple(self.figures.drawings.values()))
        if not (target / FILE_NAME).exists():
            replace_file(target / FILE_NAME, self._database)
        return index

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, for a notebook."""
        text = page(self.details, tuple(self.figures.drawings.values()))
        source = text.replace("&", "&amp;").replace('"', "&quot;")
        return (
            '<iframe title="gnbbench report" style="width:100%;height:80vh;border:0" '
            f'srcdoc="{source}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Study: {self.details.headline}>"
