"""Labels over a plane of two features, one panel per implementation."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba_array
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from gnbbench.report.figures.drawing import Plot, tip
from gnbbench.report.figures.parts import TITLE_LETTERS, legend
from gnbbench.report.style import CLASS_COLOURS, HALF, INK, PAPER, THIRD, Panel, class_style
from gnbbench.statistics.summary import DecisionRegions, Summary
from gnbbench.words import (
    count,
    drawable,
    figure_names,
    listing,
    plural,
    printable,
    share,
    shorten,
)

MOST_IN_KEY = 12
MOST_VECTOR_POINTS = 300
TINT = 0.38

Differing = Mapping[str, NDArray[np.bool_]]


def decision_regions(summary: Summary) -> Plot | str:
    """A panel for each different map on one grid, hatched where it leaves the reference."""
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
    groups = _groups(regions, names)
    width = HALF if len(groups) <= 2 else THIRD

    def panel(group: list[str]) -> Panel:
        places = differing.get(group[0])

        def draw(axes: Axes) -> None:
            _panel(axes, summary, regions, group[0], places)
            axes.set_title(_title(summary, group, places, width))

        return Panel(draw, 0.85 * width, width)

    handles = _handles(summary)
    ringed = _disputed(summary, regions)
    classes = "There are too many classes for a key; colours repeat after ten."
    if len(summary.dataset.class_names) <= MOST_IN_KEY:
        classes = "Colour and marker tell the classes apart."
    across, upwards = (shorten(printable(name), 60) for name in regions.axis_names)
    left, right, bottom, top = regions.extent
    absent = len(summary.implementations) - len(names)
    exception = f" Not drawn: {plural(absent, 'implementation')}." if absent else ""
    return Plot(
        finding=finding,
        caption=f"{printable(regions.caption)} {classes}"
        f"{' One map stands for all that are equal.' if len(groups) < len(names) else ''}"
        f"{' Hatched: other labels than the reference.' if len(groups) > 1 else ''}"
        f"{' Ringed: rows in dispute in some run.' if ringed.any() else ''}",
        alt=f"{plural(len(names), 'map')} of predicted labels over {across} from "
        f"{left:.3g} to {right:.3g} and {upwards} from {bottom:.3g} to {top:.3g}, with "
        f"{plural(len(regions.points), 'sample')}. {finding}.{exception}",
        frame=_frame(summary, regions, differing),
        panels=[*map(panel, groups), *([legend(handles)] if handles else [])],
    )


def _groups(regions: DecisionRegions, names: list[str]) -> list[list[str]]:
    """Return names whose maps are equal together; the first of all stands in the first."""
    groups: list[list[str]] = []
    for name in names:
        codes = regions.codes[name]
        same = (g for g in groups if np.array_equal(regions.codes[g[0]], codes))
        group = next(same, None)
        if group is None:
            groups.append([name])
        else:
            group.append(name)
    return groups


def _disputed(summary: Summary, regions: DecisionRegions) -> NDArray[np.bool_]:
    """Tell which of the points drawn are rows whose label was ever in dispute."""
    return np.isin(regions.rows, summary.disputed_rows["row"].to_numpy())


def _title(
    summary: Summary,
    group: list[str],
    differing: NDArray[np.bool_] | None,
    width: float,
) -> str:
    names = figure_names(summary.implementations, 22 if len(group) == 1 else 14)
    shown = [names[name] for name in group[:3]]
    more = [f"{len(group) - 3} more"] if len(group) > 3 else []
    suffix = ""
    if summary.reference in group and len(group) == 1:
        suffix = " (reference)"
    elif differing is not None and differing.any():
        suffix = f": differs on {share(differing.mean())}"
    letters = int(TITLE_LETTERS * width) - len(suffix)
    return f"{shorten(listing([*shown, *more]), letters)}{suffix}"


def _panel(
    axes: Axes,
    summary: Summary,
    regions: DecisionRegions,
    name: str,
    differing: NDArray[np.bool_] | None,
) -> None:
    codes, n_classes = regions.codes[name], len(summary.dataset.class_names)
    tints = to_rgba_array(
        [CLASS_COLOURS[c % len(CLASS_COLOURS)] for c in range(n_classes)], TINT
    )
    image = np.where((codes >= 0)[..., None], tints[np.clip(codes, 0, n_classes - 1)], 0.0)
    left, right, bottom, top = regions.extent
    rows, columns = codes.shape
    # The points of the grid are the centres of the cells.
    across, up = (right - left) / (columns - 1) / 2, (top - bottom) / (rows - 1) / 2
    axes.imshow(
        (image * 255).round().astype(np.uint8),
        extent=(left - across, right + across, bottom - up, top + up),
        origin="lower",
        aspect="auto",
        interpolation="none",
    )
    if differing is not None and differing.any():
        _hatch(axes, differing, regions)
    _samples(axes, summary, regions)
    horizontal, vertical = (drawable(shorten(printable(n), 30)) for n in regions.axis_names)
    axes.set(xlim=(left, right), ylim=(bottom, top), xlabel=horizontal, ylabel=vertical)
    axes.locator_params(nbins=5)
    axes.grid(visible=False)


def _hatch(axes: Axes, differing: NDArray[np.bool_], regions: DecisionRegions) -> None:
    """Cover the places where labels differ with dark hatching and an outline."""
    left, right, bottom, top = regions.extent
    rows, columns = differing.shape
    x, y = np.linspace(left, right, columns), np.linspace(bottom, top, rows)
    filled = axes.contourf(
        x, y, differing.astype(float), [0.5, 1.5], colors="none", hatches=["////"]
    )
    filled.set(edgecolor=INK, linewidth=0.0, hatch_linewidth=1.1)
    axes.contour(x, y, differing.astype(float), [0.5], colors=INK, linewidths=1.0)


def _samples(axes: Axes, summary: Summary, regions: DecisionRegions) -> None:
    few = len(regions.points) < 600
    for code in range(len(summary.dataset.class_names)):
        chosen = regions.points[regions.point_codes == code]
        colour, marker = class_style(code)
        axes.plot(
            *chosen.T,
            marker,
            color=colour,
            markersize=4.2 if few else 2.8,
            markeredgecolor=INK if few else PAPER,
            markeredgewidth=0.4,
            rasterized=len(regions.points) > MOST_VECTOR_POINTS,
        )
    ringed = _disputed(summary, regions)
    axes.plot(
        *regions.points[ringed].T,
        "o",
        markerfacecolor="none",
        markeredgecolor=INK,
        markeredgewidth=1.3,
        markersize=9,
        label="in dispute",
        gid=tip(*(f"row {row}, in dispute" for row in regions.rows[ringed])),
    )


def _handles(summary: Summary) -> list[Line2D]:
    """Return what names the classes, unless there are too many to tell apart."""
    names = figure_names(summary.dataset.class_names, 18)
    if len(names) > MOST_IN_KEY:
        return []
    handles = []
    for code, label in enumerate(names.values()):
        colour, marker = class_style(code)
        style: dict[str, Any] = {"linestyle": "", "marker": marker, "color": colour}
        edge: dict[str, Any] = {"markeredgecolor": INK, "markeredgewidth": 0.4}
        handles.append(Line2D([], [], label=label, markersize=6, **style, **edge))
    return handles


def _finding(summary: Summary, differing: Differing) -> str:
    if not differing:
        return "Decision regions of a model of two features, with none to compare"
    worst = max(differing, key=lambda name: float(differing[name].mean()))
    if not differing[worst].any():
        size = count(differing[worst].size)
        return f"Fitted to two features, all give the same label at {size} of {size} points"
    label = figure_names(summary.implementations)[worst]
    part = share(differing[worst].mean())
    return f"{label} differs from the reference on {part} of the plane of two features"


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
