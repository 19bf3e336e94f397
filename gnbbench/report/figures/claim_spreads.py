"""Where a published figure lies in the distribution over seeds, reading by reading."""

import textwrap
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import seaborn
from matplotlib.axes import Axes

from gnbbench.arrays import FloatArray
from gnbbench.claims.claim import ClaimResult, Measured, Published
from gnbbench.claims.protocols import METRICS
from gnbbench.claims.verdicts import central_range, finer, share_reached
from gnbbench.report.blocks import note
from gnbbench.report.figures.drawing import Plot, tip
from gnbbench.report.figures.parts import LINE_INCHES
from gnbbench.report.style import CLASS_COLOURS, INK, MUTED, PAPER, Panel
from gnbbench.statistics.summary import Summary
from gnbbench.words import MINUS, count, drawable, plural, printable, share

MOST_BINS = 90
LETTERS = 46
REACHED_COLOUR, OTHER_COLOUR = "#D55E00", CLASS_COLOURS[0]


def claim(_: Summary, result: ClaimResult) -> Plot:
    """A histogram for each reading, one above the other, with the published figure."""
    rows, published = result.spreads, result.claim.published
    edges = bin_edges(published, rows)
    unit = " (%)" if published.scale != 1.0 else ""
    metric = METRICS[result.claim.metric].words
    words = printable(f"{metric}{unit}, {result.claim.implementation}")
    words = drawable(textwrap.fill(words, LETTERS))
    titles = {
        measured: drawable(textwrap.fill(printable(measured.reading.words), LETTERS))
        for measured in rows
    }

    def draw(measured: Measured, axes: Axes) -> None:
        _histogram(axes, published, measured, edges)
        axes.set_title(titles[measured], weight="normal")
        axes.set(xlabel=words, ylabel="")

    of = "resampled sets of runs" if rows[0].is_resampled else "seeds"
    several = "One row for each reading of what the source leaves open. "
    ends = [central_range(measured) for measured in rows]
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    return Plot(
        finding=_finding(result, rows, of),
        caption=(several if len(rows) > 1 else "")
        + note(
            "claim", number=count(len(rows[0].figures)), of=of, published=published.text
        ),
        shows=f"Histograms of {metric}, {plural(len(rows), 'reading')} of the protocol; "
        f"the central 95 % lie from {finer(published, low)} to {finer(published, high)}",
        frame=frame(result),
        panels=[
            Panel(
                partial(draw, measured),
                1.25 + LINE_INCHES * f"{titles[measured]}{words}".count("\n"),
            )
            for measured in rows
        ],
    )


def bin_edges(published: Published, rows: Sequence[Measured]) -> FloatArray:
    """Return bin edges so that one bin holds what rounds to the published figure."""
    values = np.concatenate([measured.figures for measured in rows])
    low, high = published.scale * values.min(), published.scale * values.max()
    low, high = min(low, published.value), max(high, published.value)
    unit = 10.0**-published.decimals
    width = unit * (1 + 2 * int(np.ceil(max((high - low) / unit / MOST_BINS - 1, 0) / 2)))
    first = np.floor((low - published.value) / width) - 1
    last = np.ceil((high - published.value) / width) + 2
    return np.asarray(published.value + (np.arange(first, last) - 0.5) * width)


def frame(result: ClaimResult) -> pd.DataFrame:
    """Return one row for each reading: how often it gives the figure, and its spread."""
    published = result.claim.published
    return pd.DataFrame(
        {
            "reading": measured.reading.words or measured.reading.description,
            "published": published.text,
            "share_reached": share_reached(published, measured),
            "values": len(measured.figures),
            "mean": float(measured.figures.mean()),
            **dict(zip(("low", "high"), central_range(measured), strict=True)),
            "minimum": float(measured.figures.min()),
            "maximum": float(measured.figures.max()),
        }
        for measured in result.spreads
    )


def _histogram(
    axes: Axes, published: Published, measured: Measured, edges: FloatArray
) -> None:
    values, middles = measured.figures * published.scale, (edges[:-1] + edges[1:]) / 2
    look: dict[str, Any] = {"shrink": 0.92, "linewidth": 0, "alpha": 1.0}
    seaborn.histplot(x=values, bins=edges, color=OTHER_COLOUR, ax=axes, **look)
    counts, _ = np.histogram(values, edges)
    for bar, value, height in zip(axes.patches, middles, counts, strict=True):
        bar.set_gid(tip(f"about {value:.6g}: {height} of {len(values)}"))
        if np.isclose(value, published.value):
            bar.set(facecolor=REACHED_COLOUR, hatch="///", edgecolor=PAPER)
    axes.axvline(published.value, color=INK, linewidth=1.1, linestyle=(0, (4, 2)))
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.spines["bottom"].set_color(MUTED)
    axes.margins(x=0.01)
    axes.set_xlim(edges[0], edges[-1])
    axes.locator_params(axis="x", integer=published.decimals == 0)
    text = share(share_reached(published, measured))
    axes.text(1.01, 0.3, text, transform=axes.transAxes)


def _finding(result: ClaimResult, rows: Sequence[Measured], of: str) -> str:
    published = result.claim.published
    shares = [share_reached(published, measured) for measured in rows]
    reached = f"of {of} give {published.text.replace('-', MINUS)}"
    low, high = share(min(shares)), share(max(shares))
    if low == high:
        return f"{result.claim.id}: {low} {reached}"
    most = rows[int(np.argmax(shares))].reading.words
    return f"{result.claim.id}: {low} to {high} {reached}; most often: {most}"
