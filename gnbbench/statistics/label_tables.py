"""Who gave which label: tables over all cells, with class names."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

NO_CLASS = "(none of the classes)"


def label_names(class_names: Sequence[str], *tables: pd.DataFrame) -> dict[int, str]:
    """Return the name of every label code; code -1 only where a table has it.

    Parameters
    ----------
    class_names : sequence of str
        One per class, in sorted order of the classes.
    *tables : DataFrame
        With columns ``label`` and, if it has one, ``reference_label``.

    Returns
    -------
    dict of int to str
        In the order in which tables and figures show them.

    Examples
    --------
    >>> label_names(["a", "b"], pd.DataFrame({"label": [1, -1]}))
    {0: 'a', 1: 'b', -1: '(none of the classes)'}
    """
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
    """Return the table `confusion` of a Summary: every cell, zeros included.

    Parameters
    ----------
    counts : DataFrame
        Records: ``implementation``, ``truth``, ``label`` (codes), ``count``.
    implementations : sequence of str
    class_names : sequence of str
        What the truth can be.
    labels : dict of int to str
        What was given, from `label_names`.

    Returns
    -------
    DataFrame
        ``share`` is of the truth's row, NaN where the class was never tested.
    """
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
    """Return the table `label_pairs` of a Summary: every cell, zeros included.

    Parameters
    ----------
    counts : DataFrame
        Records: ``implementation``, ``reference_label``, ``label`` (codes), ``count``.
    competitors : sequence of str
    labels : dict of int to str
        From `label_names`.

    Returns
    -------
    DataFrame
    """
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
