"""Every timed round with the process it belongs to, and how a precision was kept."""

from collections.abc import Mapping, Sequence
from math import log
from typing import Any

import numpy as np
import pandas as pd

from gnbbench.records import NULL_COMPETITOR
from gnbbench.statistics.paired_ratio import FloatArray, PairedRatio

ROUND_COLUMNS = {
    "implementation": "str",
    "operation": "str",
    "process": "int64",
    "round": "int64",
    "seconds": "float64",
    "loops": "int64",
}


def process_notes(notes: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the particulars of each process that times were taken in."""
    return notes.get("processes") or [notes]


def timing_plan(notes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the plan of the timing with the number of its processes."""
    plan = dict(notes.get("plan", {}))
    return {**plan, "processes": len(process_notes(notes))} if plan else {}


def round_counts(notes: Mapping[str, Any], operation: str, n_rounds: int) -> list[int]:
    """Return how many of an operation's rounds each process timed."""
    parts = process_notes(notes)
    if len(parts) == 1:
        return [n_rounds]
    counts = [int(part["rounds"][operation]) for part in parts]
    if sum(counts) != n_rounds:
        raise ValueError(
            f"{operation} has {n_rounds} rounds, and its processes noted {counts}."
        )
    return counts


def split_rounds(values: FloatArray, counts: Sequence[int]) -> list[FloatArray]:
    """Return the values of each process."""
    return np.split(values, np.cumsum(counts)[:-1])


def timing_rounds(timings: pd.DataFrame, notes: Mapping[str, Any]) -> pd.DataFrame:
    """Return every timing but those of the null run, with its process and inner count."""
    kept = timings.loc[timings["implementation"] != NULL_COMPETITOR]
    columns = ["implementation", "operation", "round", "seconds"]
    found = kept[columns].assign(process=0, loops=1)
    for operation, rows in kept.groupby("operation", sort=False):
        name = str(operation)
        counts = round_counts(notes, name, int(rows["round"].nunique()))
        process = np.repeat(np.arange(len(counts)), counts)[rows["round"].to_numpy(int)]
        loops = [
            int(part.get("inner_counts", {}).get(name, 1)) for part in process_notes(notes)
        ]
        found.loc[rows.index, "process"] = process
        found.loc[rows.index, "loops"] = np.array(loops)[process]
    ordered = found[list(ROUND_COLUMNS)].reset_index(drop=True)
    return ordered.astype(ROUND_COLUMNS)


def precision_warnings(
    operation: str, found: Sequence[PairedRatio], notes: Mapping[str, Any]
) -> list[str]:
    """Return a sentence if an interval is wider than was asked for."""
    plan = notes.get("plan", {})
    asked = plan.get("precision")
    if asked is None:
        return []
    widths = [log(ratio.high / ratio.low) / 2 for ratio in found]
    # Half a per mille of what was asked for is rounding.
    if all(width <= 1.0005 * asked for width in widths):
        return []
    if np.isnan(widths).any():
        reached = "there were too few rounds for any"
    else:
        reached = f"{100 * max(widths):.2g} % was reached"
    precise = [part.get("is_precise", {}).get(operation) for part in process_notes(notes)]
    if all(precise):
        how = "since processes differ by more than their rounds do"
    else:
        how = f"within its share of the {plan['budget_seconds']:g} s"
    wish = f"a precision of {100 * asked:.2g} % was asked for"
    return [f"{operation}: {wish}, and {reached} {how}."]
