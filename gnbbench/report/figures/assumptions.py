"""How far both assumptions hold: correlations, distributions, and what they cost."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from gnbbench.assumptions.costs import GNB, LDA, MARGIN, QDA, QUANTILES, YEO_JOHNSON
from gnbbench.report.assumptions import (
    class_words,
    least_normal,
    models_table,
    pairs_of,
)
from gnbbench.report.figures.drawing import Plot, tip
from gnbbench.report.figures.parts import (
    DIVERGING,
    MOST_VECTOR_CELLS,
    TITLE_LETTERS,
    Scale,
    bars,
    colour_key,
    differences,
    ends,
    finite,
    heat_map,
    known,
    legend,
    map_inches,
    measures,
    rows_inches,
)
from gnbbench.report.style import INK, MUTED, QUARTER, THIRD, Panel, line_styles
from gnbbench.statistics.metrics import LEVEL
from gnbbench.statistics.summary import Summary
from gnbbench.words import (
    count,
    decimal,
    figure_names,
    listing,
    plural,
    printable,
    significant,
)

# Where there is too much to draw, the worst is drawn; the rest stands in tables.
MOST_SHOWN = 12
# A feature with one value in a larger share of a class is drawn after all others: there
# is nothing to see in its picture.
NEARLY_CONSTANT = 0.9
CELL = ["class_name", "feature"]

SMALLEST_CELL = 0.4
KINDS = {"pearson": ("Pearson's r", "r"), "spearman": ("Spearman's ρ", "ρ")}

# Of a title over one of four columns, and over one of three.
LETTERS, FEW_LETTERS = 21, 29
NOT_DRAWN = "No feature that varies has three samples in a class."
BARS = "#56B4E9"
KERNEL = "#D55E00"
POINTS = "#0072B2"
# Standard deviations to either side that a histogram shows.
REACH = 3.2
MOST_VECTOR_POINTS = 800

METRICS = {
    "test_accuracy": ("Test accuracy", "share of samples"),
    "log_loss": ("Log loss", "nats; less is better"),
}


def nearly_constant(summary: Summary) -> set[tuple[str, str]]:
    """Return classes and features of which one value has more than nine tenths."""
    points = summary.table("quantile_points")
    equal = points.groupby([*CELL, "observed"], sort=False).size()
    share = equal.groupby(level=CELL).max() / points.groupby(CELL).size()
    return set(share.index[share > NEARLY_CONSTANT])


def _telling_first(
    table: pd.DataFrame, summary: Summary, columns: tuple[str, ...]
) -> pd.DataFrame:
    """Return the rows with those that have a nearly constant feature at the end."""
    dull = nearly_constant(summary)
    is_dull = [
        any((name, feature) in dull for feature in features)
        for name, *features in table[["class_name", *columns]].to_numpy()
    ]
    order = pd.Series(is_dull, index=table.index).sort_values(kind="stable").index
    return table.loc[order]


def _first_of(names: Sequence[str], ranked: Any) -> list[str]:
    """Return all names, or the first 12 of a ranking, in the order of the data."""
    chosen = list(dict.fromkeys(ranked))[:MOST_SHOWN]
    return [name for name in names if name in chosen or len(names) <= MOST_SHOWN]


def shown_features(summary: Summary) -> list[str]:
    """Return all features, or the 12 with the largest correlations of any class."""
    both = ("feature", "other_feature")
    pairs = _telling_first(pairs_of(summary), summary, both)
    return _first_of(summary.details["feature_names"], pairs[[*both]].to_numpy().ravel())


def shown_classes(summary: Summary) -> list[str]:
    """Return all classes, or the 12 with the largest correlations."""
    return _first_of(summary.dataset.class_names, pairs_of(summary)["class_name"])


def correlations(summary: Summary) -> Plot | str:
    """One heat map a class; the diagonal and constant features stay blank."""
    pairs = pairs_of(summary)
    if pairs.empty:
        return "No class has two features that vary."
    classes, features = shown_classes(summary), shown_features(summary)
    drawn = pairs[
        pairs["class_name"].isin(classes)
        & pairs["feature"].isin(features)
        & pairs["other_feature"].isin(features)
    ]
    finding = _correlation_finding(summary, pairs, drawn)
    names = list(figure_names(features, 14).values())
    label = KINDS[summary.details["correlation"]][0]
    scale = Scale(-1.0, 1.0, DIVERGING)
    width, height, cell = map_inches(names)
    titles = figure_names(map(class_words, classes), int(TITLE_LETTERS * width))
    raster = len(features) ** 2 * len(classes) > 2 * MOST_VECTOR_CELLS

    def panel(name: str) -> Panel:
        def draw(axes: Axes) -> None:
            values = _matrix(summary, name, features)
            texts, tips = _texts(values, cell), _tips(values, names)
            heat_map(axes, values, texts, names, scale, tips=tips, raster=raster)
            axes.set(xlabel="feature", ylabel="feature")
            axes.set_title(titles[class_words(name)])

        return Panel(draw, height, width)

    values = drawn[summary.details["correlation"]]
    strong = int((values.abs() >= 0.5).sum())
    n_classes = plural(1, "class") if len(classes) == 1 else f"{len(classes)} classes"
    return Plot(
        finding=finding,
        caption=_correlation_caption(summary, label, len(features), len(classes)),
        alt=(
            f"Heat maps of {label} between {plural(len(features), 'feature')} in "
            f"{n_classes}, {ends(values, 2)}. {finding}. {plural(strong, 'pair')} of "
            f"{len(drawn)} reach 0.5 in absolute value."
        ),
        frame=drawn.reset_index(drop=True),
        panels=[*map(panel, classes), colour_key(scale, label)],
    )


def _matrix(summary: Summary, class_name: str, features: list[str]) -> NDArray[np.float64]:
    """Return the correlations of one class; NaN on the diagonal."""
    table = summary.table("correlations")
    wide = table[table["class_name"] == class_name].pivot_table(
        index="feature", columns="other_feature", values=summary.details["correlation"]
    )
    matrix = wide.reindex(index=features, columns=features).to_numpy(dtype=float).copy()
    np.fill_diagonal(matrix, np.nan)
    return matrix


def _texts(values: NDArray[np.float64], cell_inches: float) -> NDArray[np.object_]:
    texts = np.full(values.shape, "", dtype=object)
    if cell_inches >= SMALLEST_CELL:
        for cell, value in np.ndenumerate(values):
            texts[cell] = "" if np.isnan(value) else decimal(float(value), 2)
    return texts


def _tips(values: NDArray[np.float64], names: Sequence[str]) -> list[str]:
    return [
        f"{names[row]} and {names[column]}: {decimal(float(value), 2)}"
        for (row, column), value in np.ndenumerate(values)
    ]


def _correlation_finding(summary: Summary, pairs: pd.DataFrame, drawn: pd.DataFrame) -> str:
    by, worst = summary.details["correlation"], drawn.iloc[0]
    lead = "Most correlated" if worst.equals(pairs.iloc[0]) else "Most correlated of these"
    return (
        f"{lead}: {printable(worst['feature'])} and {printable(worst['other_feature'])} in "
        f"{class_words(worst['class_name'])}, {KINDS[by][1]} = {decimal(worst[by], 2)}"
    )


def _correlation_caption(
    summary: Summary, label: str, n_features: int, n_classes: int
) -> str:
    chosen = ""
    all_features, all_classes = summary.dataset.n_features, len(summary.dataset.class_names)
    if n_features < all_features:
        chosen += (
            f" Of {all_features} features the {MOST_SHOWN} with the largest "
            "correlations of any class are shown (those with one value in more than nine "
            "tenths of a class come last)."
        )
    if n_classes < all_classes:
        chosen += (
            f" Of {all_classes} classes the {MOST_SHOWN} with the largest "
            "correlations are shown."
        )
    rest = f"{chosen} All pairs are in correlations.csv." if chosen else ""
    return (
        f"{label} over all samples of a class, on one scale: red "
        "where two features rise together, blue where one falls, pale where there is no "
        "correlation. The naive assumption wants every cell pale. The diagonal, and "
        f"features that are constant in the class, are blank.{rest}"
    )


@dataclass(frozen=True, eq=False)
class PanelData:
    """One feature in one class, and what is drawn of it."""

    title: str
    shape: "pd.Series[Any]"  # Its row of the table of normality
    bins: pd.DataFrame
    curves: pd.DataFrame
    points: pd.DataFrame


def worst_cells(summary: Summary) -> pd.DataFrame:
    """Return the classes and features that are least normal, by their Q–Q correlation."""
    table = summary.table("normality")
    cells = table[table["qq_correlation"].notna()]
    if len(cells) > MOST_SHOWN:
        ranked = cells.sort_values("qq_correlation", kind="stable")
        cells = _telling_first(ranked, summary, ("feature",)).head(MOST_SHOWN)
    return cells.reset_index(drop=True)


def panels_of(summary: Summary) -> list[PanelData]:
    """Return every class and feature that is drawn, each with a title of its own."""
    cells = worst_cells(summary)
    width = LETTERS if len(cells) > 6 else FEW_LETTERS
    classes = figure_names(map(class_words, cells["class_name"]), width)
    features = figure_names(cells["feature"], width)
    names = ("histograms", "densities", "quantile_points")
    tables = [summary.table(name).groupby(CELL, sort=False) for name in names]
    return [
        PanelData(
            f"{classes[class_words(row['class_name'])]}\n{features[row['feature']]}",
            row,
            *(table.get_group((row["class_name"], row["feature"])) for table in tables),
        )
        for _, row in cells.iterrows()
    ]


def _plot(
    panels: Sequence[PanelData],
    draw_panel: Callable[[Axes, PanelData], None],
    edges: tuple[str, str],
    keys: Sequence[Line2D] = (),
    **said: Any,
) -> Plot:
    """Return the drawing of one panel a class and feature, with what is said of it."""

    def panel(shown: PanelData) -> Panel:
        def draw(axes: Axes) -> None:
            draw_panel(axes, shown)
            axes.set_title(shown.title)
            axes.set(xlabel=edges[0], ylabel=edges[1])
            axes.grid(visible=False)

        return Panel(draw, 2.1, width)

    width = QUARTER if len(panels) > 6 else THIRD
    footer = [legend(keys)] if keys else []
    return Plot(**said, panels=[*map(panel, panels), *footer])


def normality_histograms(summary: Summary) -> Plot | str:
    """One panel a class and feature, the least normal ones where there are many."""
    panels = panels_of(summary)
    if not panels:
        return NOT_DRAWN
    cells = worst_cells(summary)
    worst = least_normal(cells)
    finding = (
        f"{lead(summary, 'Farthest from normal')}: {printable(worst['feature'])} in "
        f"{class_words(worst['class_name'])}, skewness {decimal(worst['skewness'], 2)}, "
        f"excess kurtosis {decimal(worst['excess_kurtosis'], 2)}"
    )
    left, right = ((side > 0.5).sum() for side in (-cells["skewness"], cells["skewness"]))
    return _plot(
        panels,
        _histogram,
        ("value of the feature", "density"),
        _DENSITY_KEYS,
        finding=finding,
        caption="Histogram of the samples of a class, the normal density with their mean "
        "and variance that the model fits (solid), and a kernel density that assumes no "
        "shape (dashed, Scott's bandwidth). Where the assumption holds, the lines "
        f"coincide. All areas are 1.{choice(summary)}",
        alt=f"{plural(len(panels), 'histogram')} with the fitted normal and a kernel "
        f"density; skewness {ends(cells['skewness'], 2)}. {finding}. Skewed by more than a "
        f"half: {right} to the right, {left} to the left.",
        frame=pd.concat(map(_with_densities, panels), ignore_index=True),
    )


def normality_quantiles(summary: Summary) -> Plot | str:
    """One panel a class and feature, the same ones as the histograms."""
    panels = panels_of(summary)
    if not panels:
        return NOT_DRAWN
    finding = _quantile_finding(summary.table("normality"))
    frame = pd.concat([panel.points for panel in panels], ignore_index=True)
    cells = worst_cells(summary)
    best = cells.iloc[int(cells["qq_correlation"].to_numpy().argmax())]
    return _plot(
        panels,
        partial(_quantiles, raster=len(frame) > MOST_VECTOR_POINTS),
        ("normal quantile", "observed"),
        finding=finding,
        caption="Ordered values in standard deviations from the class mean, against the "
        "quantiles that a normal distribution would have; where it holds, points lie on "
        "the dashed line. The number is the correlation of the two, 1 for a perfect line."
        f"{choice(summary)}",
        alt=f"{plural(len(panels), 'Q–Q plot')}, correlations "
        f"{ends(cells['qq_correlation'], 3)}. {finding}. Closest to the line: "
        f"{printable(best['feature'])} in {class_words(best['class_name'])}.",
        frame=frame,
    )


def choice(summary: Summary) -> str:
    """Sentence on which classes and features are drawn; empty where all are."""
    n_known = int(summary.table("normality")["qq_correlation"].notna().sum())
    if n_known <= MOST_SHOWN:
        return ""
    n_dull = len(nearly_constant(summary))
    without = (
        f", besides {count(n_dull)} with one value in over nine tenths" if n_dull else ""
    )
    return (
        f" Of {count(n_known)} pairs of class and feature the {MOST_SHOWN} with the lowest "
        f"Q–Q correlation are shown{without}; the table has all."
    )


def lead(summary: Summary, words: str) -> str:
    """Return the words, restricted to what is drawn where the worst of all is not."""
    lowest = summary.table("normality")["qq_correlation"].min()
    drawn = worst_cells(summary)["qq_correlation"].min()
    return words if lowest == drawn else f"{words} of these"


_NORMAL: dict[str, Any] = {"color": INK, "linewidth": 1.6}
_KERNEL: dict[str, Any] = {"color": KERNEL, "linewidth": 1.4, "linestyle": (0, (4, 2))}
_DENSITY_KEYS = (
    Line2D([], [], color=BARS, alpha=0.55, linewidth=7, label="samples"),
    Line2D([], [], label="fitted normal", **_NORMAL),
    Line2D([], [], label="kernel density", **_KERNEL),
)


def _moments(shape: "pd.Series[Any]") -> str:
    return (
        f"mean {significant(shape['mean'])}, "
        f"standard deviation {significant(shape['standard_deviation'])}"
    )


def _histogram(axes: Axes, panel: PanelData) -> None:
    bins, curves, shape = panel.bins, panel.curves, panel.shape
    edges = np.append(bins["low"].to_numpy(), bins["high"].to_numpy()[-1])
    axes.stairs(bins["density"], edges, fill=True, color=BARS, alpha=0.55, linewidth=0)
    x = curves["x"]
    axes.plot(x, curves["gaussian"], **_NORMAL, gid=tip(_moments(shape)))
    axes.plot(x, curves["kernel"], **_KERNEL)
    # Where there are samples or the normal density is not small.
    reach = REACH * shape["standard_deviation"]
    filled = bins[bins["count"] > 0]
    low = max(shape["mean"] - reach, curves["x"].min())
    high = min(shape["mean"] + reach, curves["x"].max())
    axes.set_xlim(min(low, filled["low"].min()), max(high, filled["high"].max()))
    axes.set_ylim(bottom=0)
    axes.locator_params(axis="x", nbins=4)
    axes.set_yticks([])


def _with_densities(panel: PanelData) -> pd.DataFrame:
    """Return the bins, with both densities in the middle of each."""
    middle = (panel.bins["low"] + panel.bins["high"]).to_numpy() / 2.0
    x = panel.curves["x"].to_numpy()
    densities = {
        f"{curve}_at_middle": np.interp(middle, x, panel.curves[curve].to_numpy())
        for curve in ("gaussian", "kernel")
    }
    return panel.bins.assign(**densities)


def _quantiles(axes: Axes, panel: PanelData, *, raster: bool) -> None:
    expected, observed = panel.points["theoretical"], panel.points["observed"]
    ends = expected.min(), expected.max()
    marks = [] if raster else zip(expected, observed, strict=True)
    axes.plot(ends, ends, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
    axes.plot(
        expected,
        observed,
        "o",
        color=POINTS,
        markersize=2.6,
        markeredgewidth=0,
        alpha=0.8,
        rasterized=raster,
        gid=tip(*(f"{decimal(x, 2)}, {decimal(y, 2)}" for x, y in marks)),
    )
    text = decimal(panel.shape["qq_correlation"], 3)
    axes.annotate(text, (0.98, 0.04), xycoords="axes fraction", ha="right")
    axes.locator_params(nbins=4)


def _quantile_finding(table: pd.DataFrame) -> str:
    worst = least_normal(table)
    tested = table[table["p_holm"].notna()]
    rejected = int((tested["p_holm"] < LEVEL).sum())
    verb = "is" if rejected == 1 else "are"
    return (
        f"{count(rejected)} of {plural(len(tested), 'pair')} of class and feature {verb} "
        "not normal by test; the lowest Q–Q correlation is "
        f"{decimal(worst['qq_correlation'], 3)} ({printable(worst['feature'])}, "
        f"{class_words(worst['class_name'])})"
    )


def costs(summary: Summary) -> Plot | str:
    """Bars of accuracy and log loss above the paired differences from GNB."""
    table = summary.table("costs")
    names = list(dict.fromkeys(table["implementation"]))
    others = [name for name in names if name != GNB]
    values = {
        metric: measures(table, names, metric, none="failed in every run")
        for metric in METRICS
    }
    means = {metric: known(measured) for metric, measured in values.items()}
    if not any(means.values()):
        return "No model gave labels in any run."
    styles = line_styles(names)
    finding = _cost_finding(means["log_loss"])
    failed = [name for name in names if name not in means["test_accuracy"]]
    exception = f" Failed in every run: {listing(failed)}." if failed else ""

    def bar_panel(metric: str) -> Panel:
        def draw(axes: Axes) -> None:
            title, unit = METRICS[metric]
            bars(axes, values[metric], styles)
            axes.set(xlabel=f"{title.lower()} ({unit})", title=title)
            right = [end for m in values[metric] for end in (m.value, m.high) if end > 0]
            axes.set_xlim(0, 1.04 * max(finite(right), default=1.0))

        return Panel(draw, rows_inches(len(names)))

    def change_panel(metric: str) -> Panel:
        def draw(axes: Axes) -> None:
            changes = measures(summary.differences, others, metric, signed=True)
            differences(axes, changes, styles, MARGIN)
            what = METRICS[metric][0].lower()
            axes.set(xlabel=f"difference in {what}", title=f"Minus {GNB}, paired")

        return Panel(draw, rows_inches(len(others)))

    return Plot(
        finding=finding,
        caption=_cost_caption(summary.n_runs),
        alt=f"Bars for {listing(names)}: {'; '.join(_ranges(means))}. {finding}."
        f"{exception}",
        frame=models_table(summary),
        panels=[*map(bar_panel, METRICS), *map(change_panel, METRICS)],
    )


def _ranges(means: dict[str, dict[str, float]]) -> Iterator[str]:
    for metric, (title, _) in METRICS.items():
        if means[metric]:
            yield f"{title.lower()} {ends(means[metric].values(), 3)}"


def _cost_finding(losses: dict[str, float]) -> str:
    if not losses:
        return "No model gave probabilities in any run"
    best = min(losses, key=losses.__getitem__)
    if best == GNB:
        return f"No model has a lower log loss than {GNB}, {decimal(losses[GNB], 3)} nats"
    beside = f"has {decimal(losses[GNB], 3)}" if GNB in losses else "failed"
    lowest = decimal(losses[best], 3)
    return f"{best} has the lowest log loss, {lowest} nats; {GNB} {beside}"


def _cost_caption(n_runs: int) -> str:
    lines = (
        "One run, so there are no intervals."
        if n_runs == 1
        else f"Means over {plural(n_runs, 'run')}, the same splits for all; lines are 95 % "
        "intervals, corrected for the samples that runs share (Nadeau and Bengio 2003)."
    )
    return (
        f"{lines} {QDA} and {LDA} do without the naive assumption, Yeo–Johnson and "
        f"quantile transforms ease the normal one. Below, each minus {GNB} run by run: a "
        f"log loss to the left of zero is less than that of {GNB}. {QDA} measures what the "
        f"naive assumption costs and {YEO_JOHNSON} what the normal one does; {LDA} and "
        f"{QUANTILES} can gain by other means. The grey band, {decimal(MARGIN, 2)} to "
        "either side, does not matter."
    )
