"""What a figure hands over: the picture, its words and its data."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pandas as pd

from gnbbench.report.style import drawing_style, freeze, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, kw_only=True)
class Plot:
    """What a figure of the catalogue says and shows of a summary."""

    finding: str  # What the data say, as one sentence; it is the title within the picture
    caption: str  # How to read it
    alt: str  # What it is; range; finding; exception
    frame: pd.DataFrame  # The drawn values, without rounding
    inches: float  # Height of what stands below the title
    draw: Callable[["Figure"], None]  # Takes an empty figure


@dataclass(frozen=True, kw_only=True)
class Drawing(Plot):
    """A figure together with all that a reader who cannot see it needs."""

    name: str  # Stem of its files
    title: str  # What it shows, whatever the data

    @cached_property
    def figure(self) -> "Figure":
        """The picture, laid out and unsaved; drawn when it is first asked for."""
        with drawing_style():
            figure = new_figure(self.inches, self.finding)
            self.draw(figure)
            return freeze(figure)


@dataclass(frozen=True)
class Absence:
    """A figure that could not be drawn, and why."""

    name: str  # As in `Drawing`
    title: str  # As in `Drawing`
    reason: str  # One sentence for the page
