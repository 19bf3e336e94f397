"""Labels and probabilities over all runs, and how far they agree."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from gnbbench.arrays import CountArray
from gnbbench.records import N_RELIABILITY_BINS, WITH_LABELS, Records
from gnbbench.statistics import intervals
from gnbbench.statistics.metrics import SplitSizes
from gnbbench.statistics.schema import table_of

NO_CLASS = "(none of the classes)"
NOT_RECORDED = (float("nan"), "")
DIFFERENCES = (
    "max_probability_difference",
    "mean_probability_difference",
    "max_joint_log_likelihood_difference",
    "mean_joint_log_likelihood_difference",
)
SMALLEST_DECADE = -16

# Columns of a run's comparison with the reference, by those of its records.
AGAINST_REFERENCE = {
    "disagreements": "labels_differ",
    "max_probability_difference": "max_abs_dp",
    "mean_probability_difference": "mean_abs_dp",
}


def with_differences(runs: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """Add to runs how each differs from the reference, whose own values are missing."""
    keys = ["run", "implementation"]
    named = pairs.rename(columns=AGAINST_REFERENCE)[[*keys, *AGAINST_REFERENCE.values()]]
    named = named.astype(dict.fromkeys(AGAINST_REFERENCE.values(), "float64"))
    named["labels_differ"] = named["labels_differ"].astype("Int64")
    return runs.merge(named, "left", on=keys)


def agreement(
    records: Records, competitors: Sequence[str], sizes: SplitSizes, *, n_rows: int
) -> pd.DataFrame:
    """Return the table `agreement` of a Summary.

    Counts are over the runs in which both gave labels. Mean differences weigh every
    compared probability equally. McNemar's test is on run 0 only, and NaN if that run is
    missing. Tested rows are distinct: counted from the votes if these cover the runs, else
    the number that the runs are expected to have tested.
    """
    repeats = {int(row): first for row, first in records.dataset.get("repeats", {}).items()}
    disputed = _disputed_rows(records.disagreements, repeats)
    discordant = ["only_reference_right", "only_implementation_right"]
    rows = []
    for name in competitors:
        pairs = records.pairs[records.pairs["implementation"] == name].sort_values("run")
        labels = records.label_pairs[records.label_pairs["implementation"] == name]
        first = pairs.loc[pairs["run"] == 0, discordant]
        predictions, differing = (int(pairs[c].sum()) for c in ("n_test", "disagreements"))
        compared = len(pairs)
        effects = disputed.loc[disputed["implementation"] == name, "effect"]
        # A stream keeps only some disagreements; within one run each is a different row.
        is_whole = records.stream is None or compared != 1
        n_disputed = len(effects) if is_whole else max(len(effects), differing)
        tested_samples = _tested_samples(records, name, compared)
        tested = intervals.rows_tested(n_rows, test_share=sizes.test_share, n_runs=compared)
        if len(tested_samples) and len(repeats) == records.dataset["n_samples"] - n_rows:
            tested = len({repeats.get(row, row) for row in tested_samples.tolist()})
        # The rows in dispute may exceed the expected number.
        tested = max(tested, n_disputed)
        row = {
            "implementation": name,
            "predictions": predictions,
            "disagreements": differing,
            "agreement": 1 - differing / predictions if predictions else np.nan,
            "exact_runs": int((pairs["disagreements"] == 0).sum()),
            "compared_runs": compared,
            "disputed_rows": n_disputed,
            "gained_rows": int((effects > 0).sum()),
            "lost_rows": int((effects < 0).sum()),
            "tested_rows": tested,
            "tested_samples": float(len(tested_samples) or "nan"),
            "row_bound": intervals.row_bound(tested, n_disputed) if compared else np.nan,
            "kappa": intervals.kappa(_square(labels)),
            "mcnemar_p": np.nan
            if first.empty
            else intervals.mcnemar_mid_p(*map(int, first.iloc[0])),
        }
        rows.append(row | {column: _over_runs(pairs, column) for column in DIFFERENCES})
    return table_of("agreement", rows)


def _disputed_rows(rows: pd.DataFrame, repeats: Mapping[int, int]) -> pd.DataFrame:
    """Return the distinct rows in dispute, and the effect of their labels on accuracy.

    The effect of a row is the number of its labels that are right instead of wrong, minus
    those that are wrong instead of right. Rows with equal features count as one.
    """
    is_right, was_right = (
        (rows[column] == rows["truth"]).astype(np.int64)
        for column in ("label", "reference_label")
    )
    distinct = [repeats.get(row, row) for row in rows["row"]]
    table = rows[["implementation"]].assign(row=distinct, effect=is_right - was_right)
    return table.groupby(["implementation", "row"]).sum().reset_index()


def _tested_samples(records: Records, name: str, compared: int) -> CountArray:
    """Return the samples tested in compared runs; none if other runs blur that."""
    runs, votes = records.runs, records.votes
    is_own = (runs["implementation"] == name) & runs["status"].isin(WITH_LABELS)
    if is_own.sum() != compared:
        return np.empty(0, np.int64)
    return np.unique(votes.loc[votes["implementation"] == name, "row"].to_numpy(np.int64))


def _over_runs(pairs: pd.DataFrame, column: str) -> float:
    """Return the largest or the mean difference over all runs that have one."""
    known = pairs[pairs[column].notna()]
    if known.empty:
        return float("nan")
    values = known[column].astype(np.float64)
    if column.startswith("max"):
        return float(values.max())
    return float(np.average(values, weights=known["n_test"]))


def _square(labels: pd.DataFrame) -> np.ndarray:
    """Return the counts as a square table over all codes that occur."""
    codes = np.union1d(labels["reference_label"], labels["label"])
    table = labels.pivot_table("count", "reference_label", "label", aggfunc="sum")
    return table.reindex(index=codes, columns=codes).fillna(0).to_numpy(np.float64)


def probability_differences(
    counts: pd.DataFrame, competitors: Sequence[str]
) -> pd.DataFrame:
    """Return the table `probability_differences` of a Summary.

    The first bin of a competitor counts exact zeros, even if there are none. Then comes one
    bin for everything above 0 and below 1e-16, if there is any: naive Bayes gives
    probabilities down to 1e-308, whose differences would fill 300 bins, all of them below
    the rounding of 1. Then one bin per power of ten from the smallest observed difference
    to 1, empty ones included.
    """
    rows: list[tuple[str, float, float, int]] = []
    for name in competitors:
        own = counts[counts["implementation"] == name]
        if own.empty:
            continue
        decades = own["decade"].astype(np.float64)
        rows.append((name, 0.0, 0.0, int(own.loc[decades.isna(), "count"].sum())))
        summed = own["count"].groupby(decades).sum()
        tiny = summed[summed.index < SMALLEST_DECADE]
        if not tiny.empty:
            rows.append((name, 0.0, float(f"1e{SMALLEST_DECADE}"), int(tiny.sum())))
        start = 0 if summed.empty else max(int(summed.index.min()), SMALLEST_DECADE)
        rows += [
            (name, float(f"1e{d}"), float(f"1e{d + 1}"), int(summed.get(d, 0)))
            for d in range(start, 0)
        ]
    return table_of("probability_differences", rows)


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
    of_class = table.groupby(["implementation", "truth"], sort=False)
    totals = of_class["count"].transform("sum")
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


def class_scores(confusion: pd.DataFrame) -> pd.DataFrame:
    """Return the table `class_scores` of a Summary.

    A score whose denominator is 0 is 0, as with scikit-learn's ``zero_division=0``: a
    class that was never predicted has precision 0. Without any prediction, as when every
    run failed, every score is NaN.
    """
    keys = ["implementation", "truth"]
    right = confusion["truth"] == confusion["label"]
    cells = confusion.assign(hit=confusion["count"].where(right, 0))
    table = cells.groupby(keys, sort=False)[["count", "hit"]].sum()
    answers = cells.groupby(["implementation", "label"], sort=False)["count"].sum()
    predicted = answers.rename_axis(keys).reindex(table.index)
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


def _share(part: "pd.Series[int]", whole: "pd.Series[int]") -> "pd.Series[float]":
    """Return the quotients, 0 if the denominator is 0."""
    return (part / whole.where(whole > 0, 1)).where(whole > 0, 0.0)


def disputed_rows(
    disagreements: pd.DataFrame,
    votes: pd.DataFrame,
    labels: Mapping[int, str],
    *,
    reference: str,
    competitors: Sequence[str],
) -> pd.DataFrame:
    """Return the table `disputed_rows` of a Summary, most disputed rows first."""
    shares = _votes(votes[votes["row"].isin(disagreements["row"])], labels)
    rows = []
    for name in competitors:
        own = disagreements[disagreements["implementation"] == name]
        own = own.assign(margin=own["margin"].astype("float64"))
        by_row = own.groupby("row").agg(
            truth=("truth", "first"), disputed=("run", "nunique"), margin=("margin", "min")
        )
        keys = ["disputed", "row"]
        ordered = by_row.reset_index().sort_values(keys, ascending=[False, True])
        for row, truth, disputed, margin in ordered.itertuples(index=False):
            tested, text = shares.get((name, row), NOT_RECORDED)
            _, other = shares.get((reference, row), NOT_RECORDED)
            rows.append((name, row, labels[truth], tested, disputed, text, other, margin))
    return table_of("disputed_rows", rows)


def vote_shares(counts: Mapping[str, int]) -> str:
    """Return the share of each label as text, the most frequent first."""
    total = sum(counts.values())
    positive = [item for item in counts.items() if item[1]]
    ordered = sorted(positive, key=lambda item: -item[1])
    return ", ".join(f"{name}: {_percent(count, total)}" for name, count in ordered)


def _percent(count: int, total: int) -> str:
    if 0 < count < 0.005 * total:
        return "<1 %"
    if 0.995 * total < count < total:
        return ">99 %"
    return f"{100 * count / total:.0f} %"


def _votes(
    votes: pd.DataFrame, labels: Mapping[int, str]
) -> dict[tuple[str, int], tuple[float, str]]:
    """Return how often each implementation labelled each row, and the shares as text."""
    summed = votes.groupby(["implementation", "row", "label"])["count"].sum().reset_index()
    counts: dict[tuple[str, int], dict[str, int]] = {}
    for name, row, label, count in summed.itertuples(index=False):
        counts.setdefault((name, row), {})[labels[label]] = int(count)
    return {key: (sum(c.values()), vote_shares(c)) for key, c in counts.items()}


def reliability(
    bins: pd.DataFrame, implementations: Sequence[str], sizes: SplitSizes, *, n_rows: int
) -> pd.DataFrame:
    """Return the table `reliability` of a Summary; empty bins are left out.

    Fifteen bins of equal width over (0, 1]. Predictions pooled over splits repeat
    rows, so the 95 % band is Wilson's with counts divided by how often a row was
    tested: it does not narrow with more splits of the same rows.
    """
    keys = ["implementation", "bin"]
    summed = bins.groupby(keys)[["count", "right", "confidence_nano"]].sum().reset_index()
    rows = []
    for name in implementations:
        own = summed[(summed["implementation"] == name) & (summed["count"] > 0)]
        if own.empty:
            continue
        # How often a row that was tested was tested, on average.
        predictions = int(own["count"].sum())
        n_runs = round(predictions / sizes.n_test)
        tested = intervals.rows_tested(n_rows, test_share=sizes.test_share, n_runs=n_runs)
        repeats = max(1.0, predictions / max(1, tested))
        for _, *counts in own.itertuples(index=False):
            place, count, right, nano = map(int, counts)
            n = max(1, round(count / repeats))
            ends = intervals.wilson_interval(round(n * right / count), n)
            edges = place / N_RELIABILITY_BINS, (place + 1) / N_RELIABILITY_BINS
            rows.append((name, *edges, count, nano / count / 1e9, right / count, *ends))
    return table_of("reliability", rows)


def expected_calibration_error(table: pd.DataFrame, implementation: str) -> float:
    """Return the mean gap between confidence and accuracy; NaN without probabilities.

    The gap of every bin, weighted by its share of the predictions (Guo et al. 2017,
    eq. 3), over the fifteen bins of `reliability`. The predictions of all runs are
    pooled, so that there is one number and no spread over splits.
    """
    bins = table[table["implementation"] == implementation]
    if bins.empty:
        return float("nan")
    gaps = (bins["mean_confidence"] - bins["accuracy"]).abs()
    return float(np.average(gaps, weights=bins["count"]))
