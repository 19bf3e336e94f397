"""Labels over a plane of two features, one panel per implementation."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba_array
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from gnbbench import words
from gnbbench.report import style
from gnbbench.report.figures.drawing import Plot
from gnbbench.report.figures.parts import TITLE_LETTERS, handles, legend, marks, panels
from gnbbench.statistics.summary import DecisionRegions, Summary

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
    groups: dict[bytes, list[str]] = {}  # Names whose maps are equal
    for name in names:
        groups.setdefault(regions.codes[name].tobytes(), []).append(name)
    width = style.HALF if len(groups) <= 2 else style.THIRD
    # Points drawn that are rows whose label was ever in dispute.
    disputed = np.isin(regions.rows, summary.disputed_rows["row"].to_numpy())

    def draw(group: list[str], axes: Axes) -> None:
        places = differing.get(group[0])
        _draw_map(axes, regions, regions.codes[group[0]], len(summary.dataset.class_names))
        if places is not None and places.any():
            _hatch(axes, places, regions)
        _samples(axes, regions, disputed, len(summary.dataset.class_names))
        axes.set_title(_title(summary, group, places, width))

    classes_shown = _handles(summary)
    classes = "There are too many classes for a key; colours repeat after ten."
    if len(summary.dataset.class_names) <= MOST_IN_KEY:
        classes = "Colour and marker tell the classes apart."
    across, upwards = (
        words.shorten(words.printable(name), 60) for name in regions.axis_names
    )
    left, right, bottom, top = regions.extent
    absent = len(summary.implementations) - len(names)
    return Plot(
        finding=_finding(summary, differing),
        caption=f"{words.printable(regions.caption)} {classes}"
        f"{' One map stands for all that are equal.' if len(groups) < len(names) else ''}"
        f"{' Hatched: other labels than the reference.' if len(groups) > 1 else ''}"
        f"{' Ringed: rows in dispute in some run.' if disputed.any() else ''}",
        shows=f"{words.plural(len(names), 'map')} of predicted labels over {across} from "
        f"{left:.3g} to {right:.3g} and {upwards} from {bottom:.3g} to {top:.3g}, with "
        f"{words.plural(len(regions.points), 'sample')}",
        exception=f"Not drawn: {words.plural(absent, 'implementation')}." if absent else "",
        frame=_frame(summary, regions, differing),
        panels=[
            *panels(draw, groups.values(), 0.85 * width, width),
            *([legend(classes_shown)] if classes_shown else []),
        ],
    )


def _title(
    summary: Summary, group: list[str], differing: NDArray[np.bool_] | None, width: float
) -> str:
    names = words.figure_names(summary.implementations, 22 if len(group) == 1 else 14)
    shown = [names[name] for name in group[:3]]
    more = [f"{len(group) - 3} more"] if len(group) > 3 else []
    suffix = ""
    if summary.reference in group and len(group) == 1:
        suffix = " (reference)"
    elif differing is not None and differing.any():
        suffix = f": differs on {words.share(differing.mean())}"
    letters = int(TITLE_LETTERS * width) - len(suffix)
    return f"{words.shorten(words.listing([*shown, *more]), letters)}{suffix}"


def _draw_map(
    axes: Axes, regions: DecisionRegions, codes: NDArray[np.integer], n_classes: int
) -> None:
    colours = [
        style.CLASS_COLOURS[code % len(style.CLASS_COLOURS)] for code in range(n_classes)
    ]
    tints = to_rgba_array(colours, TINT)
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
    horizontal, vertical = (
        words.drawable(words.shorten(words.printable(n), 30)) for n in regions.axis_names
    )
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
    filled.set(edgecolor=style.INK, linewidth=0.0, hatch_linewidth=1.1)
    axes.contour(x, y, differing.astype(float), [0.5], colors=style.INK, linewidths=1.0)


def _samples(
    axes: Axes, regions: DecisionRegions, disputed: NDArray[np.bool_], n_classes: int
) -> None:
    few = len(regions.points) < 600
    look: dict[str, Any] = {
        "size": 4.2 if few else 2.8,
        "markeredgecolor": style.INK if few else style.PAPER,
        "rasterized": len(regions.points) > MOST_VECTOR_POINTS,
    }
    for code in range(n_classes):
        x, y = regions.points[regions.point_codes == code].T
        marks(axes, x, y, style.class_style(code), (), edge_width=0.4, **look)
    said = (f"row {row}, in dispute" for row in regions.rows[disputed])
    ring = style.LineStyle("in dispute", style.INK, "o", "")
    x, y = regions.points[disputed].T
    look = {"size": 9, "markerfacecolor": "none", "markeredgecolor": style.INK}
    marks(axes, x, y, ring, said, edge_width=1.3, **look)


def _handles(summary: Summary) -> list[Line2D]:
    """Return what names the classes, unless there are too many to tell apart."""
    names = words.figure_names(summary.dataset.class_names, 18)
    if len(names) > MOST_IN_KEY:
        return []
    styles = [style.class_style(code, label) for code, label in enumerate(names.values())]
    return handles(styles, linestyle="", markeredgecolor=style.INK, markeredgewidth=0.4)


def _finding(summary: Summary, differing: Differing) -> str:
    if not differing:
        return "Decision regions of a model of two features, with none to compare"
    worst = max(differing, key=lambda name: float(differing[name].mean()))
    if not differing[worst].any():
        size = words.count(differing[worst].size)
        return f"Fitted to two features, all give the same label at {size} of {size} points"
    label = words.figure_names(summary.implementations)[worst]
    part = words.share(differing[worst].mean())
    return f"{label} differs from the reference on {part} of the plane of two features"


def _frame(
    summary: Summary, regions: DecisionRegions, differing: Differing
) -> pd.DataFrame:
    """Grid points given to each class, and how many of them leave the reference."""
    rows = []
    for name in (name for name in summary.implementations if name in regions.codes):
        for code, class_name in enumerate(summary.dataset.class_names):
            labelled = regions.codes[name] == code
            left = int((labelled & differing.get(name, False)).sum())
            rows.append(
                (name, class_name, int(labelled.sum()), float(labelled.mean()), left)
            )
    columns = ["implementation", "label", "grid_points", "share", "differing_points"]
    return pd.DataFrame(rows, columns=columns)
