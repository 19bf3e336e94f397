"""The four tiles under the headline: labels, time, growth, memory."""

import pandas as pd

from gnbbench.report.scale_wording import multiple, power, power_interval, ratio_text
from gnbbench.report.tiles import Fact, Tile
from gnbbench.statistics.scale_summary import SYMBOLS, ScaleSummary
from gnbbench.words import DASH, count, share, short_names


def scale_tiles(summary: ScaleSummary) -> tuple[Tile, ...]:
    """Return what the study found, under four headings."""
    names = short_names(summary.implementations, 28)
    reference, *competitors = summary.implementations
    axis = summary.axes[0]
    return (
        Tile(
            "Labels like the reference's",
            tuple(Fact(names[one], *_labels(summary, one)) for one in competitors),
        ),
        Tile(
            f"Time over that of {names[reference]}",
            tuple(Fact(names[one], *_ratios(summary, axis, one)) for one in competitors),
        ),
        Tile(
            f"Growth of fit with {axis}",
            tuple(
                Fact(names[one], *_growth(summary, axis, one))
                for one in summary.implementations
            ),
        ),
        Tile(
            "Most memory beyond the arrays",
            tuple(
                Fact(names[one], *_memory(summary, axis, one))
                for one in summary.implementations
            ),
        ),
    )


def _labels(summary: ScaleSummary, name: str) -> tuple[str, str]:
    mine = summary.agreement.loc[summary.agreement["implementation"] == name]
    compared = mine.loc[mine["n_test"] > 0]
    if compared.empty:
        return DASH, "no labels to compare"
    rows, differing = compared["n_test"].sum(), compared["disagreements"].sum()
    detail = f"{count(differing)} of {count(rows)} labels differ, {len(compared)} points"
    return share(float(1 - differing / rows)), detail


def _ratios(summary: ScaleSummary, axis: str, name: str) -> tuple[str, str]:
    table = summary.times
    mine = table.loc[
        (table["axis"] == axis) & (table["implementation"] == name) & table["ratio"].notna()
    ]
    if mine.empty:
        return DASH, "not timed beside it"
    last = mine.loc[mine["size"] == mine["size"].max()].set_index("operation")
    told = [
        f"{one} {ratio_text(float(last.loc[one, 'ratio']), str(last.loc[one, 'speed']))}"
        for one in last.index
    ]
    at = f"{SYMBOLS[axis]} = {count(float(mine['size'].max()))}"
    return told[0].partition(" ")[2], f"{'; '.join(told)}, at {at}"


def _growth(summary: ScaleSummary, axis: str, name: str) -> tuple[str, str]:
    table = summary.exponents
    row = table.loc[
        (table["axis"] == axis)
        & (table["implementation"] == name)
        & (table["operation"] == "fit")
    ].iloc[0]
    value = float(row["exponent"])
    if pd.isna(value):
        return DASH, "too few sizes"
    ends = power_interval(float(row["low"]), float(row["high"]))
    interval = "no interval" if ends == DASH else ends
    first, last = count(float(row["first"])), count(float(row["last"]))
    return power(axis, value), f"{interval}; {SYMBOLS[axis]} = {first} to {last}"


def _memory(summary: ScaleSummary, axis: str, name: str) -> tuple[str, str]:
    table = summary.memory
    mine = table.loc[(table["axis"] == axis) & (table["implementation"] == name)]
    if mine.empty:
        return DASH, "not measured"
    last = mine.loc[mine["size"] == mine["size"].max()]
    largest = last.sort_values("traced_multiple").iloc[-1]
    at = f"{SYMBOLS[axis]} = {count(float(mine['size'].max()))}"
    return multiple(
        float(largest["traced_multiple"])
    ), f"in {largest['operation']}, at {at}"
