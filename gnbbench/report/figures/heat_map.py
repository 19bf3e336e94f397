"""One heat map over classes, with numbers where they can be read."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, Normalize
from numpy.typing import NDArray

from gnbbench.report.style import MUTED, ON_DARK_CELL, ON_LIGHT_CELL, RULE, bare

MOST_NAMED = 12
MOST_VECTOR_CLASSES = 12
LETTERS_PER_INCH = 15


@dataclass(frozen=True)
class Scale:
    """Colours for values from `low` to `high`."""

    palette: Colormap
    low: float
    high: float

    def contrast(self, value: float) -> str:
        """Colour of text that can be read on the cell of a value; muted on a blank one."""
        if np.isnan(value):
            return MUTED
        cell = self.palette(float(Normalize(self.low, self.high)(value)))
        return ON_LIGHT_CELL if _luminance(cell) > 0.18 else ON_DARK_CELL


def heat_map(
    axes: Axes,
    values: NDArray[np.float64],
    texts: NDArray[np.object_],
    labels: Sequence[str],
    scale: Scale,
    *,
    inches: float,
    first: bool,
) -> None:
    """Draw one heat map; cells with NaN stay blank."""
    n_rows, n_columns = values.shape
    sns.heatmap(
        values,
        mask=np.isnan(values),
        ax=axes,
        cmap=scale.palette,
        vmin=scale.low,
        vmax=scale.high,
        cbar=False,
        linewidths=0,
        xticklabels=False,
        yticklabels=False,
        rasterized=n_columns > MOST_VECTOR_CLASSES,
    )
    bare(axes)
    axes.hlines(range(n_rows + 1), 0, n_columns, color=RULE, linewidth=0.5)
    axes.vlines(range(n_columns + 1), 0, n_rows, color=RULE, linewidth=0.5)
    _name_cells(axes, labels, n_rows, inches, first=first)
    size = 8.0 if inches / n_columns > 0.6 else 6.8
    for (row, column), text in np.ndenumerate(texts):
        if text:
            axes.text(
                column + 0.5,
                row + 0.5,
                text,
                color=scale.contrast(float(values[row, column])),
                size=size,
                ha="center",
                va="center",
            )


def _name_cells(
    axes: Axes, labels: Sequence[str], n_rows: int, inches: float, *, first: bool
) -> None:
    step = 1 if len(labels) <= MOST_NAMED else -(-len(labels) // 10)
    names = list(labels[::step])
    ticks = [position + 0.5 for position in range(0, len(labels), step)]
    rows = len(range(0, n_rows, step))
    long = max(map(len, names)) * len(names) > LETTERS_PER_INCH * inches
    axes.set_xticks(ticks, names, rotation=90 if long else 0, size=7.5)
    axes.set_yticks(ticks[:rows], names[:rows] if first else [""] * rows, size=7.5)
    axes.set_xlabel("predicted label")
    if first:
        axes.set_ylabel("true class")


def _luminance(colour: Sequence[float]) -> float:
    """Relative luminance of WCAG 2.2."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in colour[:3]
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
