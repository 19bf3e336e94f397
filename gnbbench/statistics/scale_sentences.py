"""A scale study in words: its finding, and what was left out of it."""

from collections.abc import Sequence
from math import isfinite
from typing import Any, TypeVar

import pandas as pd

from gnbbench.records import ScaleRecords
from gnbbench.statistics.schema import table_of
from gnbbench.statistics.summary import Summary
from gnbbench.words import listing

Item = TypeVar("Item")
AXES = ("samples", "features", "classes")
SYMBOLS = {"samples": "n", "features": "d", "classes": "K"}
SCALE_OPERATIONS = ("fit", "predict")

_WORDS = {
    "error": "it failed",
    "timeout": "it did not answer in time",
    "crash": "it took its process down",
    "budget": "the next point would have passed its share of the budget",
}


def some_of(items: Sequence[Item], most: int = 4) -> list[Item]:
    """Return no more than that many, evenly spread, the first and the last among them."""
    if len(items) <= most:
        return list(items)
    gap = (len(items) - 1) / (most - 1)
    return [items[round(gap * place)] for place in range(most)]


def axes_of(summary: Summary) -> tuple[str, ...]:
    """Return the axes that have more than one size."""
    return tuple(axis for axis in AXES if axis in set(summary.points["axis"]))


def differing(summary: Summary) -> pd.DataFrame:
    """Return the rows of `agreement` in which labels differ."""
    return summary.agreement.loc[summary.agreement["disagreements"] > 0]


def held_text(summary: Summary, axis: str) -> str:
    """Return the sizes that are held while one axis varies, as a formula."""
    sizes = {name: int(summary.plan["axes"][name]["held"]) for name in AXES}
    return ", ".join(
        f"{SYMBOLS[name]} = {size:,}" for name, size in sizes.items() if name != axis
    )


def stops(records: ScaleRecords) -> pd.DataFrame:
    """Return where implementations stopped before the end of an axis, and why."""
    looks = records.looks.loc[records.looks["status"] != "ok"]
    losses = records.losses.drop(columns="process").drop_duplicates(
        ["point", "implementation"]
    )
    columns = ["point", "implementation", "status", "message"]
    every = pd.concat([looks[columns], losses[columns]]).merge(records.points, on="point")
    timed = records.timings[["point", "implementation"]].drop_duplicates()
    reached = timed.merge(records.points, on="point")
    found = []
    for row in every.itertuples():
        mine = reached.loc[
            (reached["implementation"] == row.implementation)
            & (reached["axis"] == row.axis)
        ]
        last = float(mine["size"].max()) if len(mine) else float("nan")
        told = _sentence(
            str(row.implementation), str(row.axis), str(row.status), str(row.message), last
        )
        found.append((row.axis, row.implementation, row.status, last, told))
    found += _unmeasured(records.memory)
    frame = table_of("stops", found, "scale")
    return frame.drop_duplicates("sentence", ignore_index=True)


def _sentence(name: str, axis: str, status: str, message: str, last: float) -> str:
    symbol, reached = SYMBOLS[axis], isfinite(last)
    where = f"stopped at {symbol} = {last:,.0f}" if reached else f"not timed along {symbol}"
    why = _WORDS[status]
    if status != "budget":
        why += f" ({' '.join(message.split())})"
    elif not reached:
        why = why.replace("next", "first")
    return f"{name}: {where}: {why}."


def _unmeasured(memory: pd.DataFrame) -> list[tuple[str, str, str, float, str]]:
    """Return rows for the axes along which memory was not measured."""
    bad = memory.loc[~memory["status"].isin(["ok", "absent"])]
    found = []
    for row in bad.itertuples():
        axis, name, status = str(row.axis), str(row.implementation), str(row.status)
        why = "the memory's part of the budget was spent"
        if status != "budget":
            why = f"{_WORDS[status]} ({' '.join(str(row.message).split())})"
        told = f"{name}: memory not measured along {SYMBOLS[axis]}: {why}."
        found.append((axis, name, status, float("nan"), told))
    return found


def headline(times: pd.DataFrame, reference: str, competitors: tuple[str, ...]) -> str:
    """Return the finding: who is faster at the largest size that both reached."""
    for axis in AXES:
        compared = times.loc[(times["axis"] == axis) & times["ratio"].notna()]
        if compared.empty:
            continue
        size = int(compared["size"].max())
        there = compared.loc[compared["size"] == size]
        at = f"At {size:,} {axis}"
        timed = set(there["implementation"])
        untimed = [name for name in competitors if name not in timed]
        more = f"; {_untimed(untimed)}" if untimed else ""
        if len(timed) == 1:
            told = [_compared(row) for _, row in there.iterrows()]
            subject = f"{told[0].partition(' ')[0]} of {timed.pop()} takes"
            rest = [told[0].partition(" ")[2], *told[1:]]
            return f"{at}, {subject} {' and '.join(rest)} the time of {reference}{more}."
        fastest = {
            str(operation): _fastest(rows, reference)
            for operation, rows in there.groupby("operation")
        }
        listed = " and ".join(f"{one} of {name}" for one, name in fastest.items())
        return f"{at}, {listed} are the quickest{more}."
    if times.empty:
        return "Nothing could be timed."
    return "No implementation could be timed beside the reference."


def _untimed(names: list[str]) -> str:
    """Return that these were not timed at the size that is told of."""
    return f"{listing(names)} {'was' if len(names) == 1 else 'were'} not timed there"


def _compared(row: "pd.Series[Any]") -> str:
    """Return operation and ratio, such as "fit 0.24 ×"."""
    told = f"{row['operation']} {float(row['ratio']):.2g}\N{NO-BREAK SPACE}×"
    return f"{told} (not separated)" if row["speed"] == "not separated" else told


def _fastest(rows: pd.DataFrame, reference: str) -> str:
    best = rows.sort_values("ratio", kind="stable").iloc[0]
    return str(best["implementation"]) if best["ratio"] < 1.0 else reference


def detail(exponents: pd.DataFrame, agreement: pd.DataFrame, axes: tuple[str, ...]) -> str:
    """Return whether labels are equal, and how time grows along the first axis."""
    compared = agreement.loc[agreement["n_test"] > 0]
    asked = f"{len(compared)} comparisons"
    differing = int((compared["disagreements"] > 0).sum())
    if compared.empty:
        labels = "There were no labels to compare."
    elif differing:
        labels = f"Labels differ from the reference's in {differing} of {asked}."
    else:
        labels = f"Every label is the reference's in {asked}."
    known = exponents.loc[(exponents["axis"] == axes[0]) & exponents["exponent"].notna()]
    if known.empty:
        return labels
    told = [
        f"{row.operation} of {row.implementation} as {SYMBOLS[axes[0]]}^{row.exponent:.2f}"
        for row in known.itertuples()
    ]
    return f"{labels} Time grows: {', '.join(told)}."
