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
from gnbbench.arrays import FloatArray
from gnbbench.report import style
from gnbbench.report.figures import parts
from gnbbench.report.figures.drawing import Plot
from gnbbench.statistics.summary import DecisionRegions, Summary

MOST_IN_KEY = 12
MOST_VECTOR_POINTS = 300
MOST_SMALL_POINTS = 100
TINT = 0.38
FINER = 3  # Steps of the picture for each step of the grid
WRONG = style.LineStyle("wrong label", style.INK, "x", "")

Differing = Mapping[str, NDArray[np.bool_]]


def decision_regions(summary: Summary, whole: Summary | None = None) -> Plot | str:
    """One panel for each distinct map, hatched where it differs from the reference.

    Panels are small, with fewer samples, if the summary is a part of a whole.
    """
    regions = summary.decision_regions
    if regions is None or not regions.codes:
        if summary.is_streamed:
            return "Data that are read in blocks are not drawn as samples."
        if summary.dataset.n_features < 2:
            return "One feature spans no plane."
        return "No decision regions were recorded."
    mapped = [name for name in summary.implementations if name in regions.codes]
    names = parts.small(whole, mapped)
    differing = _differing(summary, regions)
    groups: dict[bytes, list[str]] = {}  # Names whose maps are equal
    for name in names:
        groups.setdefault(regions.codes[name].tobytes(), []).append(name)
    width = style.HALF if len(groups) <= 2 and whole is None else style.THIRD
    most_samples = len(regions.points) if whole is None else MOST_SMALL_POINTS
    n_classes = len(summary.dataset.class_names)

    def draw(group: list[str], axes: Axes) -> None:
        name, is_other = group[0], differing.get(group[0])
        labels = refined(regions, name)
        smooth = name in regions.margins and whole is None
        _draw_map(axes, regions, labels, n_classes)
        if is_other is not None and is_other.any():
            _hatch(axes, labels != refined(regions, summary.reference), regions)
        # The boundaries of all classes but the last include every one.
        for lead in list(_leads(regions, name).values())[:-1] if smooth else ():
            axes.contour(
                *_steps(regions, lead), lead, [0.0], colors=style.INK, linewidths=0.7
            )
        _samples(axes, regions, name, n_classes, most_samples)
        axes.set_title(_title(summary, group, is_other, width))

    across, upwards = (words.shorten(words.printable(n), 60) for n in regions.axis_names)
    left, right, bottom, top = regions.extent
    absent = len(summary.implementations) - len(names)
    many = "There are too many classes for a key; colours repeat after ten."
    notes = {
        words.printable(regions.caption): True,
        many: n_classes > MOST_IN_KEY,
        "Hatched: labels that differ from the reference's.": len(groups) > 1,
    }
    return Plot(
        finding=_finding(summary, differing),
        caption=" ".join(text for text, holds in notes.items() if holds),
        shows=f"{words.plural(len(names), 'map')} of predicted labels over {across} from "
        f"{left:.3g} to {right:.3g} and {upwards} from {bottom:.3g} to {top:.3g}, with "
        f"{words.plural(len(regions.points), 'sample')}",
        exception=f"Not drawn: {words.plural(absent, 'implementation')}." if absent else "",
        frame=_frame(summary, regions, differing),
        panels=[
            *parts.panels(draw, groups.values(), 0.85 * width, width),
            *([parts.legend(key)] if (key := _handles(summary, regions)) else []),
        ],
    )


def _differing(summary: Summary, regions: DecisionRegions) -> Differing:
    """Return of each competitor where its labels are not the reference's."""
    reference = regions.codes.get(summary.reference)
    return {
        name: np.asarray(regions.codes[name] != reference)
        for name in summary.implementations[1:]
        if reference is not None and name in regions.codes
    }


def differing_shares(summary: Summary) -> Mapping[str, float]:
    """Return the share of the plane where each competitor leaves the reference."""
    regions = summary.decision_regions
    if regions is None:
        return {}
    found = _differing(summary, regions)
    return {name: float(differs.mean()) for name, differs in found.items()}


def _leads(regions: DecisionRegions, name: str) -> dict[int, FloatArray]:
    """Return the lead of each class over all others, below 0 where another leads."""
    codes, margins = regions.codes[name], regions.margins[name]
    return {code: np.where(codes == code, margins, -margins) for code in np.unique(codes)}


def refined(regions: DecisionRegions, name: str) -> NDArray[np.integer[Any]]:
    """Return labels on a finer grid, with boundaries where interpolated scores are equal.

    Without scores, labels are those of the nearest point.
    """
    codes = regions.codes[name]
    fine = [np.linspace(0, n - 1, FINER * (n - 1) + 1) for n in codes.shape]
    if name not in regions.margins:
        return np.asarray(codes[np.ix_(*(np.rint(places).astype(int) for places in fine))])
    up, across = (
        np.maximum(1 - np.abs(places[:, None] - np.arange(n)), 0)
        for places, n in zip(fine, codes.shape, strict=True)
    )
    leads = _leads(regions, name)
    between = [up @ lead @ across.T for lead in leads.values()]
    return np.asarray(np.take(list(leads), np.argmax(between, axis=0)))


def _title(
    summary: Summary, group: list[str], differing: NDArray[np.bool_] | None, width: float
) -> str:
    more = [f"{len(group) - 3} more"] if len(group) > 3 else []
    suffix = ""
    if summary.reference in group and len(group) == 1:
        suffix = " (reference)"
    elif differing is not None and differing.any():
        suffix = f": {words.share(differing.mean())} hatched"
    letters = int(parts.TITLE_LETTERS * width) - len(suffix)
    for longest in (22, 14):
        names = words.figure_names(summary.implementations, longest)
        title = words.listing([*(names[name] for name in group[:3]), *more])
        if len(title) <= letters:
            break
    return f"{words.shorten(title, letters)}{suffix}"


def _draw_map(
    axes: Axes, regions: DecisionRegions, codes: NDArray[np.integer], n_classes: int
) -> None:
    every = style.CLASS_COLOURS
    colours = [every[code % len(every)] for code in range(n_classes)]
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


def _steps(regions: DecisionRegions, grid: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
    """Return the coordinates of the columns and rows of a grid."""
    left, right, bottom, top = regions.extent
    n_rows, n_columns = grid.shape
    return np.linspace(left, right, n_columns), np.linspace(bottom, top, n_rows)


def _hatch(axes: Axes, differing: NDArray[np.bool_], regions: DecisionRegions) -> None:
    """Cover the places where labels differ with dark hatching and an outline."""
    grid = (*_steps(regions, differing), differing.astype(float))
    filled = axes.contourf(*grid, [0.5, 1.5], colors="none", hatches=["////"])
    filled.set(edgecolor=style.INK, linewidth=0.0, hatch_linewidth=1.1)
    axes.contour(*grid, [0.5], colors=style.INK, linewidths=0.7)


def _samples(
    axes: Axes, regions: DecisionRegions, name: str, n_classes: int, most: int
) -> None:
    points, truth = regions.points[:most], regions.point_codes[:most]
    few = len(points) < 600
    look: dict[str, Any] = {
        "size": 4.2 if few else 2.8,
        "markeredgecolor": style.INK if few else style.PAPER,
        "rasterized": len(points) > MOST_VECTOR_POINTS,
    }
    for code in range(n_classes):
        x, y = points[truth == code].T
        parts.marks(axes, x, y, style.class_style(code), (), edge_width=0.4, **look)
    labels = regions.point_labels.get(name, regions.point_codes)[:most]
    wrong = np.flatnonzero(labels != truth)
    x, y = points[wrong].T
    tips = (f"row {row}, wrong label" for row in regions.rows[wrong])
    parts.marks(axes, x, y, WRONG, tips, size=7, edge_width=1.3, markeredgecolor=style.INK)


def _handles(summary: Summary, regions: DecisionRegions) -> list[Line2D]:
    """Return the legend of the classes, unless there are too many to distinguish."""
    names = words.figure_names(summary.dataset.class_names, 18)
    styles = [style.class_style(code, label) for code, label in enumerate(names.values())]
    shown = styles if len(names) <= MOST_IN_KEY else []
    shown = [*shown, WRONG] if regions.point_labels else shown
    return parts.handles(
        shown, linestyle="", markeredgecolor=style.INK, markeredgewidth=0.7
    )


def _finding(summary: Summary, differing: Differing) -> str:
    if not differing:
        return "Decision regions of a model of two features, with none to compare"
    worst = max(differing, key=lambda name: float(differing[name].mean()))
    if not differing[worst].any():
        size = words.count(differing[worst].size)
        are_all = len(differing) == len(summary.implementations) - 1
        who = "all" if are_all else "those drawn"
        return f"Fitted to two features, {who} give the same label at all {size} points"
    label = words.figure_names(summary.implementations)[worst]
    part = words.share(differing[worst].mean())
    return f"{label} differs from the reference on {part} of the plane of two features"


def _frame(
    summary: Summary, regions: DecisionRegions, differing: Differing
) -> pd.DataFrame:
    """Return the grid points of each class, and how many differ from the reference."""
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
