"""Curves over train fractions, and figures of a compare at three of them."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from gnbbench import words
from gnbbench.arrays import BoolArray, FloatArray
from gnbbench.report.blocks import note
from gnbbench.report.figures import accuracy, decision_regions, heat_maps, parts
from gnbbench.report.figures import probabilities as of_probabilities
from gnbbench.report.figures.drawing import Plot
from gnbbench.report.style import INK, MUTED, THIRD, LineStyle, Panel, line_styles
from gnbbench.report.sweep import conservative_fractions, possible_fractions
from gnbbench.statistics.summary import Summary, spread

DISAGREEMENTS = {
    "exact_share": "Runs that match entirely",
    "mismatches_mean": "Disagreements per run: mean",
    "mismatches_max": "Disagreements per run: most",
}
SIDES = {"test_accuracy": "Test", "train_accuracy": "Train"}
# Columns of the data of the figure of disagreements.
AGREEMENT_COLUMNS = [
    *("fraction", "implementation", "compared_runs", "exact_runs", "exact_share"),
    *("mismatches_mean", "mismatches_median", "mismatches_max"),
    "max_probability_difference",
]
PANEL_INCHES = 3.0
POINTS = 100.0
DOTTED = (0, (1, 1.6))
MOST_TICKS = 9
NO_LABELS = "No implementation gave labels in any run."

Plots = Mapping[float, Plot]  # By train fraction


def sweep_disagreements(summary: Summary) -> Plot | str:
    """Share of runs without a disagreement; mean and largest number of them in a run."""
    table = summary.agreement
    frame = table.loc[table["compared_runs"] > 0, AGREEMENT_COLUMNS].reset_index(drop=True)
    if frame.empty:
        return "No run gave labels to compare."
    styles = line_styles(summary.implementations)
    compared = parts.styles_present(styles, frame)

    def draw(column: str, axes: Axes) -> None:
        is_share, values = column == "exact_share", frame[column]
        text = words.share if is_share else words.per_run_text
        parts.curves(
            axes,
            frame,
            compared,
            ("fraction", column),
            lambda at, value: f"{words.percent(at)}: {text(value)}",
            wide=False,
        )
        fraction_axis(axes, summary.fractions)
        axes.set_title(DISAGREEMENTS[column])
        if is_share:
            span = max(1 - float(values.min()), 0.02)
            axes.set_ylim(max(1 - 1.15 * span, -0.03), 1 + 0.08 * span)
            axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
            axes.yaxis.set_major_formatter(lambda part, _: f"{100 * part:.4g} %")
        else:
            largest = float(values.max()) or 1.0
            axes.set_ylim(-0.05 * largest, 1.08 * largest)
            axes.yaxis.set_major_locator(MaxNLocator(5, integer="max" in column))

    reference = styles[summary.reference].label
    low, high = frame["exact_share"].min(), frame["exact_share"].max()
    return Plot(
        finding=_agreement_finding(frame, styles),
        caption=note("sweep_disagreements", reference=reference),
        shows=f"Agreement of {parts.labels(compared)} with "
        f"{reference} by train fraction, {words.percent_span(summary.fractions)}: from "
        f"{words.share(low)} to {words.share(high)} of runs match entirely, at most "
        f"{words.count(frame['mismatches_max'].max())} labels differ in a run",
        exception=exception(summary),
        frame=frame,
        panels=[
            *parts.panels(draw, DISAGREEMENTS, PANEL_INCHES - 0.4, THIRD),
            parts.key(compared.values()),
        ],
    )


def sweep_accuracy(summary: Summary) -> Plot | str:
    """Mean with corrected interval, and band of single runs, one panel per side."""
    frame = parts.metric_rows(summary, *SIDES)
    if frame.empty:
        return NO_LABELS
    styles = parts.styles_present(line_styles(summary.implementations), frame)
    limits = reach(frame, conservative_fractions(summary), summary.reference, at_most=1.0)

    def draw(metric: str, axes: Axes) -> None:
        _curves(axes, summary, frame[frame["metric"] == metric], styles)
        axes.set(title=SIDES[metric], ylabel="accuracy (share of samples)", ylim=limits)

    spread = frame.loc[frame["metric"] == "test_accuracy", ["fraction", "spread"]].dropna()
    widest = ""
    if len(spread):
        row = spread.sort_values("spread").iloc[-1]
        widest = (
            f"Widest spread of test accuracy {words.decimal(row['spread'], 3)} at "
            f"{words.percent(row['fraction'])}. "
        )
    return Plot(
        finding=_accuracy_finding(frame, styles),
        caption=_caption(summary, frame, "accuracy"),
        shows=f"Train and test accuracy of {parts.labels(styles)} by train fraction, "
        f"{words.percent_span(summary.fractions)}, means {parts.ends(frame['mean'])}",
        exception=f"{widest}{exception(summary)}",
        frame=frame,
        panels=[*parts.panels(draw, SIDES, PANEL_INCHES), _key(summary, styles)],
    )


def sweep_gap(summary: Summary) -> Plot | str:
    """Mean gap with corrected interval, and band of single runs."""
    frame = parts.metric_rows(summary, "gap")
    if frame.empty:
        return NO_LABELS
    styles = parts.styles_present(line_styles(summary.implementations), frame)
    label = "train minus test accuracy\n(share of samples)"
    return Plot(
        finding=_gap_finding(frame, styles),
        caption=f"{_caption(summary, frame, 'gap, taken run by run,')} {note('sweep_gap')}",
        shows=f"Train minus test accuracy of {parts.labels(styles)} by train fraction, "
        f"{words.percent_span(summary.fractions)}, means {parts.ends(frame['mean'])}",
        exception=exception(summary),
        frame=frame,
        panels=_about_zero(summary, frame, styles, label),
    )


def learning_slope(summary: Summary) -> Plot | str:
    """Points of accuracy gained per ten points of train fraction, with intervals."""
    frame = summary.slopes[summary.slopes["slope"].notna()].reset_index(drop=True)
    if frame.empty:
        return "A slope needs two train fractions at which labels were given."
    styles = parts.styles_present(line_styles(summary.implementations), frame)
    # The interval of a slope depends on the fraction it starts from.
    drawn = frame.rename(columns={"slope": "mean", "from_fraction": "fraction"})
    drawn[["mean", "low", "high"]] *= POINTS
    drawn["x"] = (drawn["fraction"] + drawn["to_fraction"]) / 2
    label = "gain in test accuracy (points per\nten points of train fraction)"
    of_slopes = "with the correction for the smaller of the two training sets"
    return Plot(
        finding=_slope_finding(frame, styles),
        caption=f"{note('learning_slope')} {_interval_words(summary, of_slopes)}",
        shows=f"Gain in test accuracy per ten points of train fraction for "
        f"{parts.labels(styles)}, {words.percent_span(summary.fractions)}, "
        f"{parts.ends(drawn['mean'], 2)} points",
        exception=exception(summary),
        frame=frame,
        panels=_about_zero(summary, drawn, styles, label),
    )


def sweep_probability_differences(summary: Summary) -> Plot | str:
    """Histograms at three train fractions, on one axis."""

    def finding(plots: Plots) -> str:
        values = summary.agreement.pivot_table(
            index="fraction", columns="implementation", values="max_probability_difference"
        ).loc[list(plots)]
        who, largest = _worst(summary, values)
        lead = f"Largest probability difference of {who}"
        return _at_each(lead, plots, map(words.two_digits, largest))

    return _multiples(summary, of_probabilities.probability_differences, finding)


def sweep_confusion(summary: Summary) -> Plot | str:
    """Matrices at three train fractions; the finding follows a mistake of the first."""

    def finding(plots: Plots) -> str:
        tables = [plot.frame for plot in plots.values()]
        first_rows = tables[0][tables[0]["share"].notna()]
        name = str(first_rows["implementation"].iloc[0])
        own = [table[table["implementation"] == name] for table in tables]
        worst = own[0][own[0]["truth"] != own[0]["label"]].nlargest(1, "share").iloc[0]
        who = words.figure_names(summary.implementations)[name]
        if not worst["share"]:
            return f"{who} confuses no classes {_where(list(plots)[:1])}"
        pair = [worst["truth"], worst["label"]]
        true, taken = map(words.class_words, words.figure_names(pair).values())
        shares = [rows[(rows[["truth", "label"]] == pair).all(axis=1)] for rows in own]
        lead = f"Share of {true} that {who} takes for {taken}"
        return _at_each(lead, plots, [words.share(row["share"].item()) for row in shares])

    return _multiples(summary, heat_maps.confusion, finding)


def sweep_decision_regions(summary: Summary) -> Plot | str:
    """Maps at three train fractions, each of models that were fitted there."""

    def finding(plots: Plots) -> str:
        at_each = [decision_regions.differing_shares(summary.at(at)) for at in plots]
        shares = pd.DataFrame(at_each)
        if shares.empty:
            return plots[max(plots)].finding
        who, largest = _worst(summary, shares)
        if not largest.any():
            return f"Fitted to two features, all give the same labels {_where(plots)}"
        lead = f"Share of the plane where {who} differs from the reference"
        return _at_each(lead, plots, map(words.share, largest))

    return _multiples(summary, decision_regions.decision_regions, finding)


def sweep_confidence(summary: Summary) -> Plot | str:
    """Bars of mean confidence at three train fractions."""

    def finding(plots: Plots) -> str:
        table = summary.metrics
        wrong = table[table["metric"] == "mean_confidence_wrong"]
        known = wrong[wrong["fraction"].isin(plots) & wrong["mean"].notna()]
        if known.empty:
            return plots[max(plots)].finding
        name = str(known["implementation"].iloc[0])
        means = wrong[wrong["implementation"] == name].set_index("fraction")["mean"]
        who = words.figure_names(summary.implementations)[name]
        values = (words.two_decimals(float(means[at])) for at in plots)
        return _at_each(f"Mean confidence of {who} when wrong", plots, values)

    each = lambda part, _: accuracy.confidence(part)  # noqa: E731
    return _multiples(summary, each, finding, all_drawn=True)


def _multiples(
    summary: Summary,
    draw: Callable[[Summary, Summary], Plot | str],
    finding: Callable[[Plots], str],
    *,
    all_drawn: bool = False,
) -> Plot | str:
    """Return a figure of a compare at the first, the middle and the last train fraction."""
    fractions = spread(sorted(possible_fractions(summary)))
    drawn = {fraction: draw(summary.at(fraction), summary) for fraction in fractions}
    plots = {at: plot for at, plot in drawn.items() if isinstance(plot, Plot)}
    reasons = {at: text for at, text in drawn.items() if isinstance(text, str)}
    lacking = " ".join(f"At {words.percent(at)}: {text}" for at, text in reasons.items())
    if not plots:
        alike = set(reasons.values())
        return lacking if len(alike) > 1 else next(iter(alike), NO_LABELS)
    places: dict[str, list[float]] = {}
    for at, plot in plots.items():
        for text in re.split(r"(?<=\.) ", plot.caption):
            places.setdefault(text, []).append(at)
    frames = {at: plot.frame for at, plot in plots.items()}
    captions = [
        text.replace(" labels here ", f" labels {_where(at)} ")
        for text, at in places.items()
    ]
    n_others = len(summary.implementations) - 1
    if n_others > parts.MOST_SMALL and not all_drawn:
        captions.append(note("sweep: most", n=parts.MOST_SMALL, total=n_others))
    shows = (f"Train fraction {words.percent(at)}: {p.shows}" for at, p in plots.items())
    return Plot(
        finding=finding(plots),
        caption=" ".join(captions),
        shows=". ".join(shows),
        exception=lacking,
        frame=pd.concat(frames, names=["fraction"]).reset_index(0).reset_index(drop=True),
        panels=_small(plots),
    )


def _small(plots: Plots) -> list[Panel]:
    """Return the panels of plots: a row each, or one below the other where they are narrow.

    Keys are the same in all of them.
    """
    columns = [[(at, p) for p in plots[at].panels if not p.is_key] for at in plots]
    rows = columns
    if all(panel.width == THIRD for column in columns for _, panel in column):
        rows = [[*filter(None, row)] for row in zip_longest(*columns)]
    keys = [panel for panel in plots[max(plots)].panels if panel.is_key]
    return [
        *(
            replace(
                panel,
                draw=partial(_draw_at, at, panel),
                height=panel.height + parts.LINE_INCHES,
                apart=False,
                first=not place,
            )
            for row in rows
            for place, (at, panel) in enumerate(row)
        ),
        *keys,
    ]


def _draw_at(fraction: float, panel: Panel, axes: Axes) -> None:
    panel.draw(axes)
    axes.set_title(f"{words.percent(fraction)} training data\n{axes.get_title('left')}")


def _worst(summary: Summary, values: pd.DataFrame) -> tuple[str, "pd.Series[float]"]:
    """Return the name and column of the drawn implementation with the largest value."""
    name = str(values[parts.small(summary, map(str, values))].max().idxmax())
    return words.figure_names(summary.implementations)[name], values[name]


def _at_each(lead: str, fractions: Iterable[float], values: Iterable[str]) -> str:
    """Sentence on the values that there are; one value where all are equal."""
    known = [pair for pair in zip(fractions, values, strict=True) if pair[1] != words.DASH]
    where, shown = zip(*known, strict=True)
    text = words.listing(shown) if len({*shown}) > 1 else shown[0]
    return f"{lead} {_where(where)}: {text}"


def _where(fractions: Iterable[float]) -> str:
    """Words for train fractions."""
    return f"at {words.listing([words.percent(fraction) for fraction in fractions])}"


def exception(summary: Summary) -> str:
    """Return a sentence on the fractions without a split; empty if there are none."""
    table = summary.points
    absent = table.loc[table["impossible_runs"] == table["runs"], "fraction"]
    if absent.empty:
        return ""
    return f"No split exists at {words.listing([words.percent(f) for f in absent])}."


def _curves(
    axes: Axes, summary: Summary, frame: pd.DataFrame, styles: parts.Styles
) -> None:
    """Draw means of all implementations over the train fractions, or over their ``x``."""
    dotted = conservative_fractions(summary)
    offsets = shifts(len(styles), summary.fractions)
    place = "x" if "x" in frame else "fraction"

    def spread(number: int, style: LineStyle, rows: pd.DataFrame) -> None:
        x = rows[place].to_numpy()
        if "p5" in rows:
            axes.fill_between(x, rows["p5"], rows["p95"], color=style.colour, **parts.BAND)
        intervals(axes, rows, x + offsets[number], style, dotted)

    parts.curves(
        axes,
        frame,
        styles,
        (place, "mean"),
        lambda at, value: f"{words.percent(at)}: {words.decimal(value)}",
        below=spread,
    )
    fraction_axis(axes, summary.fractions)


def _about_zero(
    summary: Summary, frame: pd.DataFrame, styles: parts.Styles, label: str
) -> list[Panel]:
    """Return a panel of means of differences on an axis that shows zero, and its key."""
    low, high = reach(frame, conservative_fractions(summary), summary.reference)

    def draw(axes: Axes) -> None:
        axes.axhline(0, color=MUTED, linewidth=0.9)
        _curves(axes, summary, frame, styles)
        axes.set(ylim=(min(low, -0.1 * high), max(high, -0.1 * low)), ylabel=label)

    return [Panel(draw, PANEL_INCHES), _key(summary, styles)]


def intervals(
    axes: Axes,
    rows: pd.DataFrame,
    x: FloatArray,
    style: LineStyle,
    dotted: Collection[float],
) -> None:
    """Draw the ends of the intervals as upright lines, dotted where conservative."""
    low, high = rows["low"].to_numpy(), rows["high"].to_numpy()
    known = np.isfinite(low) & np.isfinite(high)
    wide: BoolArray = rows["fraction"].isin(dotted).to_numpy()
    for which, dashes, label in (
        (known & ~wide, "solid", "_interval"),
        (known & wide, DOTTED, "_conservative"),
    ):
        if which.any():
            look: Any = {"linewidth": 1.5, "linestyle": dashes, "label": label}
            axes.vlines(x[which], low[which], high[which], style.colour, **look)


def shifts(number: int, fractions: Sequence[float]) -> FloatArray:
    """Return offsets that keep the intervals of several implementations apart."""
    gap = float(np.diff(fractions).min()) if len(fractions) > 1 else 0.1
    step = float(gap * min(0.16, 0.5 / number))
    return (np.arange(float(number)) - (number - 1) / 2) * step


def reach(
    frame: pd.DataFrame,
    dotted: frozenset[float],
    reference: str,
    *,
    at_most: float = np.inf,
) -> tuple[float, float]:
    """Return a range of an axis that small fractions do not stretch.

    It has all means, the bands and intervals that are not conservative, and the bands of
    the reference.
    """
    bands = [name for name in ("p5", "p95") if name in frame]
    sure = ~frame["fraction"].isin(dotted)
    own = frame["implementation"] == reference
    drawn = (frame["mean"], frame.loc[sure, ["low", "high"]], frame.loc[sure | own, bands])
    values = np.concatenate([part.to_numpy(np.float64).ravel() for part in drawn])
    known = values[np.isfinite(values)]
    low, high = float(known.min()), float(known.max())
    pad = 0.06 * ((high - low) or 0.1)
    return low - pad, min(high, at_most) + pad


def fraction_axis(axes: Axes, fractions: Sequence[float]) -> None:
    """Name the train fractions along the axis, every one if there is room."""
    step = -(-len(fractions) // MOST_TICKS)
    shown = fractions[::step]
    axes.set_xticks(shown, [f"{100 * fraction:.4g}" for fraction in shown])
    gap = (fractions[-1] - fractions[0]) / 25 or 0.05
    axes.set_xlim(fractions[0] - gap, fractions[-1] + gap)
    axes.set_xlabel("train fraction (% of the samples)")
    axes.grid(visible=True, axis="both")


def _key(summary: Summary, styles: parts.Styles) -> Panel:
    dotted = Line2D(
        [], [], color=INK, linestyle=DOTTED, linewidth=1.5, label="conservative"
    )
    has_dotted = conservative_fractions(summary)
    return parts.key(styles.values(), [dotted] if has_dotted else [])


def _caption(summary: Summary, frame: pd.DataFrame, what: str) -> str:
    """Explain how to read the curves of a metric."""
    lines = f"Lines: {what}."
    if summary.n_runs > 1:
        runs = parts.most_runs(frame, summary.n_runs)
        lines = note("sweep curves", what=what, runs=runs)
    return f"{lines} {_interval_words(summary, 'corrected for overlapping splits')}"


def _interval_words(summary: Summary, corrected: str) -> str:
    if summary.n_runs == 1:
        return "One run, so there are no intervals."
    return f"Upright lines: 95 % intervals of the mean, {corrected}."


def _accuracy_finding(frame: pd.DataFrame, styles: parts.Styles) -> str:
    test = frame[frame["metric"] == "test_accuracy"]
    if test.empty:
        return "No implementation has a test accuracy"
    wide = test.pivot_table(index="fraction", columns="implementation", values="mean")
    name = test["implementation"].iloc[0]
    shown = wide[name].dropna()
    first, best = float(shown.index.min()), float(str(shown.idxmax()))
    text = f"Test accuracy of {styles[name].label} is {words.decimal(shown[first])} at "
    text += words.percent(first)
    if best > first:
        text += f", at best {words.decimal(shown[best])} at {words.percent(best)}"
    if len(wide.columns) < 2:
        return text
    apart = wide.max(axis=1) - wide.min(axis=1)
    if words.decimal(apart.max()) == words.decimal(0.0):
        return f"{text}; the curves coincide"
    where = words.percent(float(str(apart.idxmax())))
    return f"{text}; the curves are at most {words.decimal(apart.max())} apart, at {where}"


def _largest(
    frame: pd.DataFrame,
    column: str,
    at: str,
    styles: parts.Styles,
    text: Callable[[float], str],
) -> tuple["pd.Series[Any]", str]:
    """Return the row with the largest value, and its implementation unless all have it."""
    row = frame.sort_values(column, kind="stable").iloc[-1]
    least = frame.loc[frame[at] == row[at], column].min()
    if text(least) == text(row[column]):
        return row, ""
    return row, f" ({styles[str(row['implementation'])].label})"


def _gap_finding(frame: pd.DataFrame, styles: parts.Styles) -> str:
    worst, who = _largest(frame, "mean", "fraction", styles, words.decimal)
    where = f"{words.decimal(worst['mean'])} at {words.percent(worst['fraction'])}{who}"
    largest = frame["fraction"].max()
    if frame["fraction"].min() == largest:
        return f"Train minus test accuracy is {where}"
    last = frame.loc[frame["fraction"] == largest, "mean"]
    low, high = words.decimal(last.min()), words.decimal(last.max())
    at_the_end = low if low == high else f"{low} to {high}"
    return f"The gap is largest, {where}; at {words.percent(largest)} it is {at_the_end}"


def _slope_finding(frame: pd.DataFrame, styles: parts.Styles) -> str:
    def points(slope: float) -> str:
        return words.decimal(POINTS * slope, 2)

    steep, who = _largest(frame, "slope", "from_fraction", styles, points)
    step = words.percent_span([steep["from_fraction"], steep["to_fraction"]])
    lead = "Ten more points of training samples gain at most"
    if steep["slope"] < 0:
        lead = "Test accuracy falls with more training samples; the best step is"
    return f"{lead} {points(steep['slope'])} points, from {step}{who}"


def _agreement_finding(frame: pd.DataFrame, styles: parts.Styles) -> str:
    runs, exact = frame["compared_runs"].sum(), frame["exact_runs"].sum()
    if exact == runs:
        return f"All {words.plural(int(runs), 'run')} match the reference entirely"
    worst = frame.sort_values("exact_share", kind="stable").iloc[0]
    whose = ""
    if len(styles) > 2:
        whose = f" of {styles[str(worst['implementation'])].label}"
    return (
        f"Fewest runs{whose} match entirely at {words.percent(worst['fraction'])} training "
        f"data: {words.share(worst['exact_share'])}; "
        f"{words.per_run_text(worst['mismatches_mean'])} labels differ per run there, at "
        f"most {words.count(worst['mismatches_max'])}"
    )
