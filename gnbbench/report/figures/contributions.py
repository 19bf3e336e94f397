"""What each feature says of one disagreement, under the reference and the other."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from gnbbench.report.assumptions_choices import class_words
from gnbbench.report.explain_contributions import (
    REST,
    Card,
    cards,
    changes,
    contribution_table,
    log_odds,
)
from gnbbench.report.explain_summary import ExplainSummary
from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.figures.panels import beside, rows_named
from gnbbench.report.style import (
    INK,
    MUTED,
    PAPER,
    LineStyle,
    drawing_style,
    freeze,
    line_styles,
)
from gnbbench.report.style import new_figure as figure_with_title
from gnbbench.words import (
    DASH,
    MINUS,
    drawable,
    figure_names,
    plural,
    power_of_ten,
    printable,
    significant,
)

NAME = "contributions"
MOST_FEATURES = 12
BAR_HEIGHT = 0.38
# Where the largest part is more than this, and so many times the smallest, the scale is
# logarithmic beyond 1.
WIDEST_SPAN = 300.0
INCHES_PER_ROW = 0.34


@dataclass(frozen=True)
class _Words:
    """How the two labels and the two implementations are called in a figure."""

    wanted: str
    given: str
    reference: str
    implementation: str


def shown(summary: ExplainSummary) -> tuple[Card, ...]:
    """The disagreements shown in full; each has a figure."""
    return cards(summary)


@drawing_style()
def contributions(summary: ExplainSummary, card: Card) -> Drawing | Absence:
    """Paired bars of each feature's part in the log-odds, the largest change on top."""
    name, title = f"{NAME}_{card.number}", _title(summary, card)
    table = contribution_table(summary, card)
    parts = table[table["feature"] != REST]
    if parts[["reference", "implementation"]].isna().all(axis=None):
        return Absence(name, title, _why_not(summary, card))
    words = _words(summary, card)
    shown = pd.concat([parts.head(MOST_FEATURES), table.iloc[len(parts) :]])
    finding = _finding(parts, table.iloc[len(parts) :], words, card.disagreement.cause)
    return Drawing(
        name,
        title,
        finding,
        _caption(summary, card, len(parts), words),
        _alt(shown, finding, words),
        freeze(
            _draw(shown, line_styles([summary.reference, card.implementation]), finding)
        ),
        table,
    )


def _draw(shown: pd.DataFrame, styles: dict[str, LineStyle], finding: str) -> Figure:
    figure = figure_with_title(INCHES_PER_ROW * len(shown) + 1.15, finding)
    axes = figure.subplots()
    first, second = styles.values()
    for column, style, shift in (
        ("reference", first, -BAR_HEIGHT / 2),
        ("implementation", second, BAR_HEIGHT / 2),
    ):
        _bars(axes, shown[column].tolist(), style, shift)
        _words_for_none(axes, shown, column, shift)
    for row, (before, after) in enumerate(
        zip(shown["reference"], shown["implementation"], strict=True)
    ):
        same = changes(shown.iloc[[row]])[0] == 0.0
        text = f"{part_text(before)} in both" if same else _pair(before, after)
        beside(axes, row, text)
    rows_named(axes, _row_names(shown))
    _scale(axes, shown)
    axes.axvline(0, color=MUTED, linewidth=0.9)
    axes.set_xlabel("part in the log-odds: right of 0 for the reference's label, in nats")
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2)
    return figure


def _bars(axes: Axes, values: Sequence[float], style: LineStyle, shift: float) -> None:
    """Draw the bars of one implementation, none for what is no finite number."""
    drawn = [value if math.isfinite(value) else 0.0 for value in values]
    axes.barh(
        [row + shift for row in range(len(values))],
        drawn,
        height=BAR_HEIGHT,
        color=style.colour,
        hatch=style.hatch,
        edgecolor=PAPER,
        linewidth=0,
        label=style.label,
    )


def _words_for_none(axes: Axes, shown: pd.DataFrame, column: str, shift: float) -> None:
    """Say in words what is no finite number; beside the features it is only not known."""
    for row, (feature, value) in enumerate(
        zip(shown["feature"], shown[column], strict=True)
    ):
        if not math.isfinite(value):
            axes.annotate(
                "not known" if feature == REST else part_text(value),
                (0, row + shift),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                size=7,
                color=INK,
            )


def _scale(axes: Axes, shown: pd.DataFrame) -> None:
    """Set a symmetric logarithmic scale where parts span too much for a linear one."""
    sizes = np.abs(shown[["reference", "implementation"]].to_numpy(dtype=np.float64))
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    largest = float(sizes.max(initial=1.0))
    if largest <= WIDEST_SPAN * max(float(sizes.min(initial=1.0)), 1.0):
        axes.margins(x=0.04)
        axes.xaxis.set_major_locator(MaxNLocator(7, steps=[1, 2, 2.5, 5, 10]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _linear_tick(value)))
        return
    axes.set_xscale("symlog", linthresh=1.0)
    step = max(math.ceil(math.log10(largest) / 4), 1)
    powers = range(0, math.ceil(math.log10(largest)) + step, step)
    ticks = [sign * 10.0**power for sign in (-1, 1) for power in powers]
    low, high = axes.get_xlim()
    axes.set_xticks([0.0, *(tick for tick in ticks if low <= tick <= high)])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _log_tick(value)))
    axes.minorticks_off()


def part_text(value: float) -> str:
    """Return a part with its sign, or what it is instead of a number."""
    if math.isnan(value):
        return "undefined"
    sign = "+" if value > 0 else ""
    return f"{sign}{significant(value)}"


def _pair(before: float, after: float) -> str:
    texts = [DASH if math.isnan(value) else part_text(value) for value in (before, after)]
    return f"{texts[0]} → {texts[1]}"


def _known(value: float) -> str:
    return "not known" if math.isnan(value) else part_text(value)


def _linear_tick(value: float) -> str:
    return f"{value:g}".replace("-", MINUS)


def _log_tick(value: float) -> str:
    if value == 0:
        return "0"
    sign = MINUS if value < 0 else ""
    power = round(math.log10(abs(value)))
    return f"{sign}{power_of_ten(power) if power else 1}"


def _row_names(shown: pd.DataFrame) -> list[str]:
    """Return the features with the sample's values."""
    names = figure_names(map(str, shown["feature"].tolist()), 26)
    return [
        names[feature] if math.isnan(value) else f"{names[feature]} = {_value(value)}"
        for feature, value in zip(shown["feature"], shown["value"], strict=True)
    ]


def _value(value: float) -> str:
    is_plain = value == 0.0 or 1e-4 <= abs(value) < 1e6
    return f"{value:.6g}".replace("-", MINUS) if is_plain else significant(value, 4)


def _words(summary: ExplainSummary, card: Card) -> _Words:
    one = card.disagreement
    return _Words(
        drawable(class_words(summary.label_name(one.reference_label))),
        drawable(class_words(summary.label_name(one.label))),
        summary.names[summary.reference],
        summary.names[card.implementation],
    )


def _title(summary: ExplainSummary, card: Card) -> str:
    one = card.disagreement
    name = summary.names[card.implementation]
    return f"Log-odds by feature: {name}, run {one.run}, row {one.row}"


def _why_not(summary: ExplainSummary, card: Card) -> str:
    one = card.disagreement
    for label in (one.reference_label, one.label):
        if summary.code(label) is None:
            return f"{summary.label_name(label)} is no class, so that it has no log-odds."
    return "No feature's part is a number, neither under one nor under the other."


def _finding(
    parts: pd.DataFrame, rest: pd.DataFrame, words: _Words, cause: str | None
) -> str:
    size = changes(parts)
    odds = f"in the log-odds of {words.wanted} over {words.given}"
    undefined = int(np.isinf(size).sum())
    if undefined:
        told = plural(undefined, "feature")
        verb = "gives" if undefined == 1 else "give"
        where = [words.implementation]
        if parts["reference"].isna().any():
            where.append(words.reference)
        return f"{told} of {len(parts)} {verb} no number under {' or '.join(where)}, {odds}"
    if size.max(initial=0.0) > 0:
        top = parts.iloc[int(size.argmax())]
        return (
            f"{drawable(printable(top['feature']))} changes most, from "
            f"{part_text(top['reference'])} under {words.reference} to "
            f"{part_text(top['implementation'])} under {words.implementation}, {odds}"
        )
    if not rest.empty and changes(rest)[0] > 0 and np.isfinite(changes(rest)[0]):
        both = rest.iloc[0]
        return (
            f"No feature says anything else; the prior and the rest change from "
            f"{part_text(both['reference'])} under {words.reference} to "
            f"{part_text(both['implementation'])} under {words.implementation}, {odds}"
        )
    why = f"; its cause, {cause}, lies elsewhere" if cause else ""
    return f"No feature says anything else under {words.implementation}, {odds}{why}"


def _caption(summary: ExplainSummary, card: Card, n_features: int, words: _Words) -> str:
    told = (
        f"Bars to the right speak for {words.wanted}, the label of {words.reference}; bars "
        f"to the left for {words.given}, that of {words.implementation}. Beside each "
        "feature stands its value in this sample, at the right both parts."
    )
    if n_features > MOST_FEATURES:
        told += (
            f" Of {n_features} features the {MOST_FEATURES} whose parts change most are "
            "drawn; all are in the table."
        )
    before, after = log_odds(summary, card)
    told += (
        f" In all, with the prior, the log-odds are {_known(before)} under "
        f"{words.reference} and {_known(after)} under {words.implementation}."
    )
    if not card.is_reproduced:
        told += (
            f" The parts under {words.implementation} are those of the nearest variant, "
            "which does not reproduce it."
        )
    return told


def _alt(shown: pd.DataFrame, finding: str, words: _Words) -> str:
    numbers = shown[["reference", "implementation"]].to_numpy(dtype=np.float64)
    known = numbers[np.isfinite(numbers)]
    ends = (
        f"{part_text(float(known.min()))} to {part_text(float(known.max()))}"
        if known.size
        else "none finite"
    )
    undefined = int((~np.isfinite(numbers)).sum())
    exception = f" {plural(undefined, 'part')} have no finite number." if undefined else ""
    n_features = int((shown["feature"] != REST).sum())
    return (
        f"Paired bars for {plural(n_features, 'feature')}, {words.reference} and "
        f"{words.implementation}; parts from {ends} nats. {finding}.{exception}"
    )
