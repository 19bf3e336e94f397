"""What is drawn where there is too much to draw: the worst; the rest stands in tables."""

from typing import Any

import numpy as np
import pandas as pd

from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.words import printable

MOST_SHOWN = 12
# A feature with one value in a larger share of a class is drawn after all others: there
# is nothing to see in its picture.
NEARLY_CONSTANT = 0.9


def class_words(name: str) -> str:
    """Return the name of a class as a sentence takes it: numbers need the word before."""
    shown = printable(name)
    return shown if any(letter.isalpha() for letter in shown) else f"class {shown}"


def nearly_constant(summary: AssumptionsSummary) -> set[tuple[str, str]]:
    """Return classes and features of which one value has more than nine tenths."""
    points = summary.findings.quantile_points
    keys = ["class_name", "feature"]
    equal = points.groupby([*keys, "observed"], sort=False).size()
    share = equal.groupby(level=keys).max() / points.groupby(keys).size()
    return set(share.index[share > NEARLY_CONSTANT])


def ranked_pairs(summary: AssumptionsSummary) -> pd.DataFrame:
    """Return each pair of features once a class, the largest correlation first."""
    table = summary.findings.correlations
    place = {name: number for number, name in enumerate(summary.findings.feature_names)}
    earlier = table["feature"].map(place) < table["other_feature"].map(place)
    pairs = table[earlier & table[summary.correlation].notna()]
    size = pairs[summary.correlation].abs()
    order = size.sort_values(ascending=False, kind="stable").index
    return pairs.loc[order].reset_index(drop=True)


def largest_pairs(summary: AssumptionsSummary, n_largest: int) -> pd.DataFrame:
    """Return the first pairs of each class out of `ranked_pairs`, class by class."""
    first = ranked_pairs(summary).groupby("class_name", sort=False).head(n_largest)
    place = {name: number for number, name in enumerate(summary.findings.class_names)}
    ranked = first.sort_values(
        "class_name", key=lambda names: names.map(place), kind="stable"
    )
    return ranked.reset_index(drop=True)


def shown_features(summary: AssumptionsSummary) -> list[str]:
    """Return all features, or the 12 with the largest correlations of any class."""
    names = list(summary.findings.feature_names)
    if len(names) <= MOST_SHOWN:
        return names
    pairs = _telling_first(ranked_pairs(summary), summary, ("feature", "other_feature"))
    both = pairs[["feature", "other_feature"]].to_numpy().ravel()
    chosen = list(dict.fromkeys(both))[:MOST_SHOWN]
    return [name for name in names if name in chosen]


def shown_classes(summary: AssumptionsSummary) -> list[str]:
    """Return all classes, or the 12 with the largest correlations."""
    names = list(summary.findings.class_names)
    if len(names) <= MOST_SHOWN:
        return names
    chosen = list(dict.fromkeys(ranked_pairs(summary)["class_name"]))[:MOST_SHOWN]
    return [name for name in names if name in chosen]


def worst_cells(summary: AssumptionsSummary) -> pd.DataFrame:
    """Return the classes and features that are least normal, by their Q–Q correlation."""
    table = summary.findings.normality
    known = table[table["qq_correlation"].notna()]
    if len(known) > MOST_SHOWN:
        ranked = known.sort_values("qq_correlation", kind="stable")
        known = _telling_first(ranked, summary, ("feature",)).head(MOST_SHOWN)
    return known.reset_index(drop=True)


def least_normal(table: pd.DataFrame) -> "pd.Series[Any]":
    """Return the row with the lowest Q–Q correlation."""
    return table.iloc[int(np.nanargmin(table["qq_correlation"].to_numpy()))]


def _telling_first(
    table: pd.DataFrame, summary: AssumptionsSummary, columns: tuple[str, ...]
) -> pd.DataFrame:
    """Return the rows with those that have a nearly constant feature at the end."""
    dull = nearly_constant(summary)
    is_dull = [
        any(pair in dull for pair in zip([name] * len(columns), features, strict=True))
        for name, *features in table[["class_name", *columns]].to_numpy()
    ]
    order = pd.Series(is_dull, index=table.index).sort_values(kind="stable").index
    return table.loc[order]
