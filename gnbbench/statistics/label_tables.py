"""Who gave which label: tables over all cells, with class names."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

NO_CLASS = "(none of the classes)"


def label_names(class_names: Sequence[str], *tables: pd.DataFrame) -> dict[int, str]:
    """Return the name of every label code; code -1 only where a table has it."""
    names = dict(enumerate(class_names))
    columns = [t[c] for t in tables for c in ("label", "reference_label") if c in t]
    if any((column == -1).any() for column in columns):
        names[-1] = NO_CLASS
    return names


def confusion(
    counts: pd.DataFrame,
    implementations: Sequence[str],
    class_names: Sequence[str],
    labels: dict[int, str],
) -> pd.DataFrame:
    """Return the table `confusion` of a Summary: every cell, zeros included."""
    truths = dict(enumerate(class_names))
    table = _every_cell(counts, implementations, {"truth": truths, "label": labels})
    totals = table.groupby(["implementation", "truth"], sort=False)["count"].transform(
        "sum"
    )
    table["share"] = table["count"] / totals.where(totals > 0)
    return table


def label_pairs(
    counts: pd.DataFrame, competitors: Sequence[str], labels: dict[int, str]
) -> pd.DataFrame:
    """Return the table `label_pairs` of a Summary: every cell, zeros included."""
    return _every_cell(counts, competitors, {"reference_label": labels, "label": labels})


def _every_cell(
    counts: pd.DataFrame, implementations: Sequence[str], axes: dict[str, dict[int, str]]
) -> pd.DataFrame:
    """Return the counts over the product of implementations and codes, codes named."""
    keys = ["implementation", *axes]
    cells = pd.MultiIndex.from_product([implementations, *axes.values()], names=keys)
    summed = counts.groupby(keys)["count"].sum()
    table = summed.reindex(cells, fill_value=0).astype(np.int64).reset_index()
    for column, names in axes.items():
        table[column] = table[column].map(names)
    return table
