"""How far both assumptions hold: correlations, distributions, and what they cost."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import seaborn
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from gnbbench import words
from gnbbench.assumptions.findings import GNB, MARGIN
from gnbbench.records import METRICS
from gnbbench.report import assumptions
from gnbbench.report.blocks import note
from gnbbench.report.figures import parts
from gnbbench.report.figures.drawing import Plot, tip
from gnbbench.report.style import INK, MUTED, QUARTER, THIRD, LineStyle, Panel, line_styles
from gnbbench.statistics.metrics import LEVEL
from gnbbench.statistics.summary import Summary

Row: TypeAlias = "pd.Series[Any]"

# If there is too much to draw, the worst is drawn; tables have the rest.
MOST_SHOWN = 12
# A feature with one value in a larger share of a class is drawn last: its picture shows
# nothing.
NEARLY_CONSTANT = 0.9
CELL = ["class_name", "feature"]

SMALLEST_CELL = 0.4
KINDS = {"pearson": ("Pearson's r", "r"), "spearman": ("Spearman's ρ", "ρ")}

# In the title of a panel, with four and with three panels side by side.
LETTERS, FEW_LETTERS = 24, 33
FEATURE_LETTERS = 28  # Beside the rows of a heat map
NOT_DRAWN = "No feature that varies has three samples in a class."
BARS = "#56B4E9"
KERNEL = "#D55E00"
POINTS = LineStyle("", "#0072B2", "o", "")
# Standard deviations shown on either side in a histogram.
REACH = 3.2
MOST_VECTOR_POINTS = 800

UNITS = {"test_accuracy": "share of samples", "log_loss": "nats; less is better"}


def nearly_constant(summary: Summary) -> set[tuple[str, str]]:
    """Return classes and features with one value in more than nine tenths."""
    points = summary.quantile_points
    equal = points.groupby([*CELL, "observed"], sort=False).size()
    share = equal.groupby(level=CELL).max() / points.groupby(CELL).size()
    return set(share.index[share > NEARLY_CONSTANT])


def _telling_first(
    table: pd.DataFrame, summary: Summary, columns: Sequence[str]
) -> pd.DataFrame:
    """Return the rows, those with a nearly constant feature last."""
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


def correlations(summary: Summary) -> Plot | str:
    """One heat map per class; the diagonal and constant features stay blank."""
    pairs = assumptions.pairs_of(summary)
    if pairs.empty:
        return "No class has two features that vary."
    both = ["feature", "other_feature"]
    ranked = _telling_first(pairs, summary, both)[both].to_numpy().ravel()
    features = _first_of(summary.details["feature_names"], ranked)
    classes = _first_of(summary.dataset.class_names, pairs["class_name"])
    of_shown = pairs[both].isin(features).all(axis=1)
    drawn = pairs[pairs["class_name"].isin(classes) & of_shown]
    by, worst = summary.details["correlation"], drawn.iloc[0]
    label, symbol = KINDS[by]
    names = list(words.figure_names(features, FEATURE_LETTERS).values())
    numbered = parts.is_long(names, len(names))
    scale = parts.Scale(-1.0, 1.0, parts.DIVERGING)
    width, _, cell = parts.map_inches(names, numbered=numbered)
    titles = words.figure_names(
        map(words.class_words, classes), int(parts.TITLE_LETTERS * width)
    )
    raster = len(features) ** 2 * len(classes) > 2 * parts.MOST_VECTOR_CELLS
    of_class = summary.correlations.groupby("class_name", sort=False)

    def panel(name: str) -> Panel:
        wide = of_class.get_group(name).pivot_table(
            index="feature", columns="other_feature", values=by
        )
        values = wide.reindex(index=features, columns=features).to_numpy(dtype=float).copy()
        np.fill_diagonal(values, np.nan)
        is_shown = ~np.isnan(values) & (cell >= SMALLEST_CELL)
        texts = np.array([[words.two_decimals(v) for v in row] for row in values.tolist()])
        return parts.map_panel(
            titles[words.class_words(name)],
            names,
            values,
            scale,
            axis_names=("number of the feature", "") if numbered else ("feature",) * 2,
            text=lambda row, column: texts[row, column] if is_shown[row, column] else "",
            tip=lambda row, column: (
                f"{names[row]} and {names[column]}: {texts[row, column]}"
            ),
            raster=raster,
            numbered=numbered,
        )

    lead = "Most correlated" if worst.equals(pairs.iloc[0]) else "Most correlated of these"
    strong = int((drawn[by].abs() >= 0.5).sum())
    n_classes = words.plural(len(classes), "class", "classes")
    return Plot(
        finding=f"{lead}: {words.printable(worst['feature'])} and "
        f"{words.printable(worst['other_feature'])} in "
        f"{words.class_words(worst['class_name'])}, "
        f"{symbol} = {words.two_decimals(worst[by])}",
        caption=" ".join(_correlation_notes(summary, len(features), len(classes))),
        shows=f"Heat maps of {label} between {words.plural(len(features), 'feature')} in "
        f"{n_classes}, {parts.ends(drawn[by], 2)}",
        exception=f"{words.counted(strong, len(drawn), 'pair')} "
        f"{'reaches' if strong == 1 else 'reach'} 0.5 in absolute value.",
        frame=drawn.reset_index(drop=True),
        panels=[*map(panel, classes), parts.colour_key(scale, label)],
    )


def _correlation_notes(summary: Summary, n_features: int, n_classes: int) -> Iterator[str]:
    """Yield how to read the maps, and which features and classes are drawn if not all."""
    yield note("correlations")
    totals = summary.dataset.n_features, len(summary.dataset.class_names)
    counted = zip((n_features, n_classes), totals, ("features", "classes"), strict=True)
    if shown := [f"{part} of {size} {noun}" for part, size, noun in counted if part < size]:
        yield note("correlations: left out", shown=words.listing(shown))


def worst_cells(summary: Summary) -> pd.DataFrame:
    """Return the classes and features that are least normal, by their Q–Q correlation."""
    table = summary.normality
    cells = table[table["qq_correlation"].notna()]
    if len(cells) > MOST_SHOWN:
        ranked = cells.sort_values("qq_correlation", kind="stable")
        cells = _telling_first(ranked, summary, ("feature",)).head(MOST_SHOWN)
    return cells.reset_index(drop=True)


def _panels(
    cells: pd.DataFrame, draw: Callable[[Row, Axes], None], across: str, upwards: str
) -> list[Panel]:
    """Return a titled panel for each class and feature."""
    width, letters = (QUARTER, LETTERS) if len(cells) > 6 else (THIRD, FEW_LETTERS)
    classes = words.figure_names(map(words.class_words, cells["class_name"]), letters)
    features = words.figure_names(cells["feature"], letters)

    def titled(cell: Row, axes: Axes) -> None:
        draw(cell, axes)
        name = classes[words.class_words(cell["class_name"])]
        axes.set_title(f"{name}\n{features[cell['feature']]}")
        axes.set(xlabel=across, ylabel=upwards)
        axes.grid(visible=False)

    return parts.panels(titled, (cell for _, cell in cells.iterrows()), 2.1, width)


def _of_cell(table: pd.DataFrame) -> Callable[[Row], pd.DataFrame]:
    """Return a function that selects the rows of one class and feature."""
    groups = table.groupby(CELL, sort=False)
    return lambda cell: groups.get_group((cell["class_name"], cell["feature"]))


def normality_histograms(summary: Summary) -> Plot | str:
    """One panel per class and feature; the least normal ones if there are many."""
    cells = worst_cells(summary)
    if cells.empty:
        return NOT_DRAWN
    worst = assumptions.least_normal(cells)
    bins, curves = map(_of_cell, (summary.histograms, summary.densities))
    left, right = ((side > 0.5).sum() for side in (-cells["skewness"], cells["skewness"]))

    def draw(cell: Row, axes: Axes) -> None:
        _histogram(axes, cell, bins(cell), curves(cell))

    return Plot(
        finding=f"{lead(summary, 'Farthest from normal')}: "
        f"{words.printable(worst['feature'])} in "
        f"{words.class_words(worst['class_name'])}, "
        f"skewness {words.decimal(worst['skewness'], 2)}, "
        f"excess kurtosis {words.decimal(worst['excess_kurtosis'], 2)}",
        caption=note("normality_histograms") + choice(summary),
        shows=f"{words.plural(len(cells), 'histogram')} with the fitted normal and a "
        f"kernel density; skewness {parts.ends(cells['skewness'], 2)}",
        exception=f"Skewed by more than a half: {right} to the right, {left} to the left.",
        frame=pd.concat(
            [_with_densities(bins(cell), curves(cell)) for _, cell in cells.iterrows()],
            ignore_index=True,
        ),
        panels=[
            *_panels(cells, draw, "value of the feature", "density"),
            parts.legend(_DENSITY_KEYS),
        ],
    )


def normality_quantiles(summary: Summary) -> Plot | str:
    """One panel per class and feature, the same ones as in the histograms."""
    cells = worst_cells(summary)
    if cells.empty:
        return NOT_DRAWN
    points = _of_cell(summary.quantile_points)
    frame = pd.concat([points(cell) for _, cell in cells.iterrows()], ignore_index=True)
    best = cells.iloc[int(cells["qq_correlation"].to_numpy().argmax())]

    def draw(cell: Row, axes: Axes) -> None:
        _quantiles(axes, cell, points(cell), raster=len(frame) > MOST_VECTOR_POINTS)

    return Plot(
        finding=_quantile_finding(summary.normality),
        caption=note("normality_quantiles") + choice(summary),
        shows=f"{words.plural(len(cells), 'Q–Q plot')}, correlations "
        f"{parts.ends(cells['qq_correlation'], 3)}",
        exception=f"Closest to the line: {words.printable(best['feature'])} in "
        f"{words.class_words(best['class_name'])}.",
        frame=frame,
        panels=_panels(cells, draw, "normal quantile", "observed"),
    )


def choice(summary: Summary) -> str:
    """Return a sentence on which classes and features are drawn; empty if all are."""
    n_known = int(summary.normality["qq_correlation"].notna().sum())
    if n_known <= MOST_SHOWN:
        return ""
    without, n_dull = "", len(nearly_constant(summary))
    if n_dull:
        dull = f"{words.count(n_dull)} with one value in over nine tenths of their samples"
        without = f"; {dull} come last"
    known = {"known": words.count(n_known), "shown": MOST_SHOWN, "without": without}
    return f" {note('normality: left out', **known)}"


def lead(summary: Summary, text: str) -> str:
    """Qualify the text if the worst case of all is not drawn."""
    lowest = summary.normality["qq_correlation"].min()
    drawn = worst_cells(summary)["qq_correlation"].min()
    return text if lowest == drawn else f"{text} of these"


_NORMAL: dict[str, Any] = {"color": INK, "linewidth": 1.6}
_KERNEL: dict[str, Any] = {"color": KERNEL, "linewidth": 1.4, "linestyle": (0, (4, 2))}
_DENSITY_KEYS = (
    Line2D([], [], color=BARS, alpha=0.55, linewidth=7, label="samples"),
    Line2D([], [], label="fitted normal", **_NORMAL),
    Line2D([], [], label="kernel density", **_KERNEL),
)


def _histogram(axes: Axes, cell: Row, bins: pd.DataFrame, curves: pd.DataFrame) -> None:
    edges = np.append(bins["low"].to_numpy(), bins["high"].to_numpy()[-1])
    look: dict[str, Any] = {"color": BARS, "alpha": 0.55, "linewidth": 0, "element": "step"}
    drawn = pd.DataFrame({"x": (edges[:-1] + edges[1:]) / 2, "density": bins["density"]})
    seaborn.histplot(drawn, x="x", weights="density", bins=edges.tolist(), ax=axes, **look)
    axes.set(xlabel="", ylabel="")
    x, mean, deviation = curves["x"], cell["mean"], cell["standard_deviation"]
    text = (
        f"mean {words.significant(mean)}, standard deviation {words.significant(deviation)}"
    )
    axes.plot(x, curves["gaussian"], **_NORMAL, gid=tip(text))
    axes.plot(x, curves["kernel"], **_KERNEL)
    # Where there are samples or the normal density is not small.
    filled = bins[bins["count"] > 0]
    low = max(mean - REACH * deviation, x.min())
    high = min(mean + REACH * deviation, x.max())
    axes.set_xlim(min(low, filled["low"].min()), max(high, filled["high"].max()))
    axes.set_ylim(bottom=0)
    axes.locator_params(axis="x", nbins=4)
    axes.set_yticks([])


def _with_densities(bins: pd.DataFrame, curves: pd.DataFrame) -> pd.DataFrame:
    """Add both densities at the middle of each bin."""
    middle = (bins["low"] + bins["high"]).to_numpy() / 2.0
    densities = {
        f"{name}_at_middle": np.interp(middle, curves["x"], curves[name])
        for name in ("gaussian", "kernel")
    }
    return bins.assign(**densities)


def _quantiles(axes: Axes, cell: Row, points: pd.DataFrame, *, raster: bool) -> None:
    expected, observed = points["theoretical"], points["observed"]
    ends = expected.min(), expected.max()
    shown = [] if raster else zip(expected, observed, strict=True)
    axes.plot(ends, ends, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
    tips = (f"{words.decimal(x, 2)}, {words.decimal(y, 2)}" for x, y in shown)
    look: dict[str, Any] = {"size": 2.6, "alpha": 0.8, "rasterized": raster}
    parts.marks(axes, expected, observed, POINTS, tips, **look)
    text = words.decimal(cell["qq_correlation"], 3)
    axes.annotate(text, (0.98, 0.04), xycoords="axes fraction", ha="right")
    axes.locator_params(nbins=4)


def _quantile_finding(table: pd.DataFrame) -> str:
    tested = table[table["p_holm"].notna()]
    rejected = words.count(int((tested["p_holm"] < LEVEL).sum()))
    pairs = f"{words.plural(len(tested), 'pair')} of class and feature"
    text = f"A test rejects normality in {rejected} of {pairs}"
    if tested.empty:
        text = f"{words.plural(len(table), 'pair')} of class and feature not tested"
    worst = assumptions.least_normal(table if tested.empty else tested)
    lowest = words.decimal(worst["qq_correlation"], 3)
    feature, of_class = words.printable(worst["feature"]), worst["class_name"]
    where = f"{feature}, {words.class_words(of_class)}"
    return f"{text}; the lowest Q–Q correlation is {lowest} ({where})"


def costs(summary: Summary) -> Plot | str:
    """Bars of accuracy and log loss above the paired differences from GNB."""
    table = summary.costs
    names = list(dict.fromkeys(table["implementation"]))
    others = [name for name in names if name != GNB]
    none = "failed in every run"
    values = {metric: parts.measures(table, names, metric, none=none) for metric in UNITS}
    means = {metric: parts.known(measured) for metric, measured in values.items()}
    if not any(means.values()):
        return "No model gave labels in any run."
    styles = line_styles(names)

    def draw_bars(metric: str, axes: Axes) -> None:
        title = METRICS[metric].title
        parts.bars(axes, values[metric], styles)
        axes.set(xlabel=f"{title} ({UNITS[metric]})", title=title.capitalize())
        right = [end for m in values[metric] for end in (m.value, m.high) if end > 0]
        axes.set_xlim(0, 1.04 * max(parts.finite(right), default=1.0))

    def draw_changes(metric: str, axes: Axes) -> None:
        changes = parts.measures(summary.differences, others, metric, signed=True)
        parts.differences(axes, changes, styles, MARGIN)
        label = f"difference in {METRICS[metric].title}"
        axes.set(xlabel=label, title=f"Minus {GNB}, paired")

    ranges = [
        f"{METRICS[metric].title} {parts.ends(by_model.values(), 3)}"
        for metric, by_model in means.items()
        if by_model
    ]
    failed = [name for name in names if name not in means["test_accuracy"]]
    return Plot(
        finding=_cost_finding(means["log_loss"]),
        caption=_cost_caption(parts.most_runs(table, summary.n_runs), summary.n_runs),
        shows=f"Bars for {words.listing(names)}: {'; '.join(ranges)}",
        exception=f"Failed in every run: {words.listing(failed)}." if failed else "",
        frame=assumptions.models_table(summary),
        panels=[
            *parts.panels(draw_bars, UNITS, parts.rows_inches(len(names))),
            *parts.panels(draw_changes, UNITS, parts.rows_inches(len(others))),
        ],
    )


def _cost_finding(losses: dict[str, float]) -> str:
    if not losses:
        return "No model gave probabilities in any run"
    best = min(losses, key=losses.__getitem__)
    lowest = words.decimal(losses[best], 3)
    if best == GNB:
        return f"No model has a lower log loss than {GNB}, {lowest} nats"
    beside = f"has {words.decimal(losses[GNB], 3)}" if GNB in losses else "failed"
    return f"{best} has the lowest log loss, {lowest} nats; {GNB} {beside}"


def _cost_caption(runs: str, n_runs: int) -> str:
    lines = "One run, so there are no intervals."
    if n_runs > 1:
        lines = note("costs", runs=runs)
    return f"{lines} {note('costs: models', gnb=GNB, margin=words.decimal(MARGIN, 2))}"
