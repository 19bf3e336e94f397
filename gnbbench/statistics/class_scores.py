"""Precision, recall and F1 of every class, over the predictions of all runs."""

import pandas as pd


def class_scores(confusion: pd.DataFrame) -> pd.DataFrame:
    """Return the table `class_scores` of a Summary.

    A score whose denominator is 0 is 0, as with scikit-learn's ``zero_division=0``: a
    class that was never predicted has precision 0. Without any prediction at all, as
    where every run failed, every score is NaN.
    """
    keys = ["implementation", "truth"]
    cells = confusion.assign(hit=confusion["count"].where(_diagonal(confusion), 0))
    table = cells.groupby(keys, sort=False)[["count", "hit"]].sum()
    given = cells.groupby(["implementation", "label"], sort=False)["count"].sum()
    predicted = given.rename_axis(keys).reindex(table.index)
    tested_at_all = table.groupby("implementation")["count"].transform("sum") > 0
    scores = pd.DataFrame(
        {
            "precision": _share(table["hit"], predicted),
            "recall": _share(table["hit"], table["count"]),
            "f1": _share(2 * table["hit"], predicted + table["count"]),
        }
    ).where(tested_at_all)
    scores["support"] = table["count"]
    return scores.rename_axis(["implementation", "class_name"]).reset_index()


def _diagonal(confusion: pd.DataFrame) -> "pd.Series[bool]":
    return confusion["truth"] == confusion["label"]


def _share(part: "pd.Series[int]", whole: "pd.Series[int]") -> "pd.Series[float]":
    """Return the quotients, 0 where the denominator is 0."""
    return (part / whole.where(whole > 0, 1)).where(whole > 0, 0.0)
