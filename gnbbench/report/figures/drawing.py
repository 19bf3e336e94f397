"""What a figure hands over: the picture, its words and its data."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Drawing:
    """A figure together with all that a reader who cannot see it needs."""

    name: str  # Stem of its files
    title: str  # What it shows, whatever the data
    finding: str  # What the data say, as one sentence; it is the title within the picture
    caption: str  # How to read it
    alt: str  # What it is; range; finding; exception
    figure: "Figure"  # Laid out and unsaved
    frame: pd.DataFrame  # The drawn values, without rounding


@dataclass(frozen=True)
class Absence:
    """A figure that could not be drawn, and why."""

    name: str  # As in `Drawing`
    title: str  # As in `Drawing`
    reason: str  # One sentence for the page
