"""Labels over a plane of two features, one panel per implementation."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba_array
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from gnbbench.report.figures.drawing import Plot
from gnbbench.report.style import CLASS_COLOURS, INK, PAPER, class_style
from gnbbench.statistics.summary import DecisionRegions, Summary
from gnbbench.words import count, drawable, figure_names, plural, printable, share, shorten

MOST_IN_KEY = 12
MOST_VECTOR_POINTS = 300
TINT = 0.38

Differing = Mapping[str, NDArray[np.bool_]]


def decision_regions(summary: Summary) -> Plot | str:
    """One panel per implementation on one grid, hatched where it leaves the reference."""
    regions = summary.decision_regions
    if regions is None or not regions.codes:
        if summary.is_streamed:
            return "Data that are read in blocks are not drawn as samples."
        return "Two features cannot be had from this dataset."
    names = [name for name in summary.implementations if name in regions.codes]
    reference = regions.codes.get(summary.reference)
    differing = {
        name: np.asarray(regions.codes[name] != reference)
        for name in names
        if reference is not None and name != summary.reference
    }
    finding = _finding(summary, differing)
    columns = min(len(names), 3)
    rows = math.ceil(len(names) / columns)
    key_inches = 0.3 * math.ceil(min(len(summary.dataset.class_names), MOST_IN_KEY) / 4)

    def draw(figure: Figure) -> None:
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        panels = list(grid.ravel())
        for axes in panels[len(names) :]:
            axes.set_axis_off()
        labels = figure_names(names, 22 if len(names) <= 2 else 12)
        for axes, name in zip(panels, names, strict=False):
            codes, places = regions.codes[name], differing.get(name)
            _panel(axes, regions, codes, places, len(summary.dataset.class_names))
            suffix = " (reference)" if name == summary.reference else ""
            if places is not None:
                part = share(places.mean())
                suffix = f": differs on {part}" if places.any() else ": no difference"
            axes.set_title(labels[name] + suffix)
        _name_axes(panels[: len(names)], regions, columns)
        _key(figure, summary)

    classes = "There are too many classes for a key; colours repeat after ten."
    if len(summary.dataset.class_names) <= MOST_IN_KEY:
        classes = "Colour and marker tell the classes apart."
    across, upwards = (shorten(printable(name), 60) for name in regions.axis_names)
    left, right, bottom, top = regions.extent
    absent = len(summary.implementations) - len(names)
    exception = f" Not drawn: {plural(absent, 'implementation')}." if absent else ""
    return Plot(
        finding=finding,
        caption=f"{printable(regions.caption)} {classes} Hatched places, if any, are where "
        "an implementation gives another label than the reference.",
        alt=f"{plural(len(names), 'map')} of predicted labels over {across} from "
        f"{left:.3g} to {right:.3g} and {upwards} from {bottom:.3g} to {top:.3g}, with "
        f"{plural(len(regions.points), 'sample')}. {finding}.{exception}",
        frame=_frame(summary, regions, differing),
        inches=rows * (3.5 if columns == 2 else 2.7) + key_inches,
        draw=draw,
    )


def _panel(
    axes: Axes,
    regions: DecisionRegions,
    codes: NDArray[np.integer[Any]],
    differing: NDArray[np.bool_] | None,
    n_classes: int,
) -> None:
    tints = to_rgba_array(
        [CLASS_COLOURS[c % len(CLASS_COLOURS)] for c in range(n_classes)], TINT
    )
    image = np.where((codes >= 0)[..., None], tints[np.clip(codes, 0, n_classes - 1)], 0.0)
    left, right, bottom, top = regions.extent
    axes.imshow(
        (image * 255).round().astype(np.uint8),
        extent=(left, right, bottom, top),
        origin="lower",
        aspect="auto",
        interpolation="none",
    )
    if differing is not None and differing.any():
        _hatch(axes, differing, regions)
    _samples(axes, regions, n_classes)
    axes.set(xlim=(left, right), ylim=(bottom, top))
    axes.grid(visible=False)


def _hatch(axes: Axes, differing: NDArray[np.bool_], regions: DecisionRegions) -> None:
    """Cover the places where labels differ with dark hatching and an outline."""
    left, right, bottom, top = regions.extent
    rows, columns = differing.shape
    x = left + (np.arange(columns) + 0.5) * (right - left) / columns
    y = bottom + (np.arange(rows) + 0.5) * (top - bottom) / rows
    filled = axes.contourf(
        x, y, differing.astype(float), [0.5, 1.5], colors="none", hatches=["////"]
    )
    filled.set(edgecolor=INK, linewidth=0.0, hatch_linewidth=1.1)
    axes.contour(x, y, differing.astype(float), [0.5], colors=INK, linewidths=1.0)


def _samples(axes: Axes, regions: DecisionRegions, n_classes: int) -> None:
    for code in range(n_classes):
        chosen = regions.points[regions.point_codes == code]
        colour, marker = class_style(code)
        axes.plot(
            chosen[:, 0],
            chosen[:, 1],
            marker,
            color=colour,
            markersize=4.2 if len(regions.points) < 600 else 2.8,
            markeredgecolor=INK if len(regions.points) < 600 else PAPER,
            markeredgewidth=0.4,
            rasterized=len(regions.points) > MOST_VECTOR_POINTS,
        )


def _name_axes(panels: list[Axes], regions: DecisionRegions, columns: int) -> None:
    horizontal, vertical = (drawable(shorten(printable(n), 40)) for n in regions.axis_names)
    for position, axes in enumerate(panels):
        if position + columns >= len(panels):
            axes.set_xlabel(horizontal)
            axes.tick_params(labelbottom=True)
        if position % columns == 0:
            axes.set_ylabel(vertical)


def _key(figure: Figure, summary: Summary) -> None:
    """Name the classes below the panels, unless there are too many to tell apart."""
    names = figure_names(summary.dataset.class_names, 18)
    if len(names) > MOST_IN_KEY:
        return
    handles = []
    for code, label in enumerate(names.values()):
        colour, marker = class_style(code)
        handles.append(
            Line2D(
                [],
                [],
                linestyle="",
                marker=marker,
                color=colour,
                label=label,
                markeredgecolor=INK,
                markeredgewidth=0.4,
                markersize=6,
            )
        )
    columns = len(handles) if len(handles) <= 5 else math.ceil(len(handles) / 2)
    figure.legend(handles=handles, loc="outside lower center", ncols=columns)


def _finding(summary: Summary, differing: Differing) -> str:
    if not differing:
        return "Decision regions, with nothing to hold them against"
    worst = max(differing, key=lambda name: float(differing[name].mean()))
    if not differing[worst].any():
        size = count(differing[worst].size)
        return f"The decision regions are the same at all {size} points of the grid"
    label = figure_names(summary.implementations)[worst]
    part = share(differing[worst].mean())
    return f"{label} leaves the reference's labels on {part} of the plane"


def _frame(
    summary: Summary, regions: DecisionRegions, differing: Differing
) -> pd.DataFrame:
    """Grid points given to each class, and how many of them leave the reference."""
    rows = []
    for name in (name for name in summary.implementations if name in regions.codes):
        for code, class_name in enumerate(summary.dataset.class_names):
            given = regions.codes[name] == code
            rows.append(
                {
                    "implementation": name,
                    "label": class_name,
                    "grid_points": int(given.sum()),
                    "share": float(given.mean()),
                    "differing_points": int((given & differing.get(name, False)).sum()),
                }
            )
    return pd.DataFrame(rows)
