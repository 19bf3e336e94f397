"""Share of labels that differ, every implementation against every dataset."""

import math
import textwrap

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from gnbbench.report.figures.drawing import Plot
from gnbbench.report.figures.parts import Scale, cells, write_cell
from gnbbench.report.style import RULE
from gnbbench.statistics.matrix import Matrix
from gnbbench.words import count, figure_names, plural, printable, share

MOST_WRITTEN_COLUMNS = 10
ROW_INCHES = 0.36
LOWEST_POWER = -4.0
# That stand side by side over all columns.
LETTERS = 100
COLUMNS = (
    "implementation",
    "dataset",
    "outcome",
    "runs",
    "failed_runs",
    "predictions",
    "disagreements",
    "agreement",
)


def matrix(found: Matrix) -> Plot | str:
    """One cell for each implementation and dataset, coloured by the share that differs."""
    frame = found.cells[list(COLUMNS)].copy()
    if not (frame["predictions"] > 0).any():
        return "No run gave labels to compare."
    frame["share_differing"] = _shares(frame)
    finding = _finding(frame)
    return Plot(
        finding=finding,
        caption=f"Share of test predictions whose label is not that of "
        f"{printable(found.reference)}, over all runs of a dataset that both did. The "
        "darker, the more labels differ, on a logarithmic scale; without colour where none "
        "does, grey where no run gave labels. Equal labels can still come with other "
        "probabilities.",
        alt=_alt(found, frame, finding),
        frame=frame,
        inches=ROW_INCHES * len(found.competitors) + 0.9,
        draw=lambda figure: _draw(figure.subplots(), found, frame),
    )


def _shares(frame: pd.DataFrame) -> "pd.Series[float]":
    """Return the share of labels that differ; NaN where none could be compared."""
    compared = frame["predictions"].where(frame["predictions"] > 0)
    return frame["disagreements"] / compared


def _draw(axes: Axes, found: Matrix, frame: pd.DataFrame) -> None:
    wide = frame.pivot_table(
        index="implementation", columns="dataset", values="share_differing", dropna=False
    ).reindex(index=list(found.competitors), columns=list(found.datasets))
    shares = wide.to_numpy(dtype=float)
    scale = Scale(colormaps["viridis_r"], LOWEST_POWER, 0.0)
    levels = _levels(shares)
    cells(axes, levels, scale)
    for (row, column), value in np.ndenumerate(shares):
        if math.isnan(value):
            axes.add_patch(Rectangle((column, row), 1, 1, facecolor=RULE, linewidth=0))
        if shares.shape[1] <= MOST_WRITTEN_COLUMNS:
            text = "no labels" if math.isnan(value) else share(float(value))
            colour = scale.contrast(float(levels[row, column]))
            write_cell(axes, row, column, text, color=colour, size=8.0)
    _name(axes, found)


def _levels(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return powers of ten; NaN, which stays without colour, where nothing differs."""
    seen = np.where(shares > 0, shares, np.nan)
    return np.maximum(np.log10(seen), LOWEST_POWER)


def _name(axes: Axes, found: Matrix) -> None:
    rows = list(figure_names(found.competitors).values())
    names = figure_names(found.datasets, 24).values()
    letters = max(LETTERS // len(names), 1)
    columns = [
        textwrap.fill(name, max(letters, 8), break_long_words=False) for name in names
    ]
    long = max(len(line) for name in columns for line in name.split("\n")) > letters
    axes.set_yticks([place + 0.5 for place in range(len(rows))], rows)
    axes.set_xticks(
        [place + 0.5 for place in range(len(columns))], columns, rotation=90 if long else 0
    )
    axes.xaxis.tick_top()
    axes.tick_params(length=0)


def _finding(frame: pd.DataFrame) -> str:
    compared = frame.loc[frame["share_differing"].notna()]
    same = int((compared["disagreements"] == 0).sum())
    cells = plural(len(compared), "pair")
    if same == len(compared):
        return f"Not one label differs in any of {cells} of implementation and dataset"
    worst = compared.sort_values("share_differing", ascending=False, kind="stable").iloc[0]
    return (
        f"{count(same)} of {cells} of implementation and dataset agree in every label; "
        f"furthest off is {printable(worst['implementation'])} on "
        f"{printable(worst['dataset'])}, where {share(worst['share_differing'])} differ"
    )


def _alt(found: Matrix, frame: pd.DataFrame, finding: str) -> str:
    values = frame["share_differing"]
    silent = int(values.isna().sum())
    rest = f" {plural(silent, 'pair')} gave no labels to compare." if silent else ""
    return (
        f"Heat map of {plural(len(found.competitors), 'implementation')} by "
        f"{plural(len(found.datasets), 'dataset')}: share of labels that differ from "
        f"{printable(found.reference)}, from {share(float(values.min()))} to "
        f"{share(float(values.max()))}. {finding}.{rest}"
    )
