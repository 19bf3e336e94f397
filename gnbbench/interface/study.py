"""A study that was carried out: its tables, figures and files."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from gnbbench.interface.shown import Shown
from gnbbench.report.figures.drawing import Absence, Drawing


class Figures(Mapping[str, Figure]):
    """The figures of a study by name; drawn when the first one is asked for."""

    def __init__(self, draw: Callable[[], tuple[Drawing | Absence, ...]]) -> None:
        self._draw = draw

    @cached_property
    def drawings(self) -> tuple[Drawing | Absence, ...]:
        """Every drawing, or absence, with its caption, alt text and data."""
        return self._draw()

    @cached_property
    def _drawn(self) -> dict[str, Figure]:
        return {one.name: one.figure for one in self.drawings if isinstance(one, Drawing)}

    def __getitem__(self, name: str) -> Figure:
        return self._drawn[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._drawn)

    def __len__(self) -> int:
        return len(self._drawn)


class Study(Shown):
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

    def __init__(self, details: Any, database: bytes) -> None:
        self.details = details
        self._database = database

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
