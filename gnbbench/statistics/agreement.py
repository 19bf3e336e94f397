"""How far labels and probabilities agree with the reference's."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from gnbbench.records import Records
from gnbbench.statistics.intervals import kappa, mcnemar_mid_p, row_bound, rows_tested
from gnbbench.statistics.metrics import SplitSizes
from gnbbench.statistics.schema import table_of

DIFFERENCES = (
    "max_probability_difference",
    "mean_probability_difference",
    "max_joint_log_likelihood_difference",
    "mean_joint_log_likelihood_difference",
)
SMALLEST_DECADE = -16


def agreement(
    records: Records, competitors: Sequence[str], sizes: SplitSizes, *, n_rows: int
) -> pd.DataFrame:
    """Return the table `agreement` of a Summary.

    Counts are over the runs in which both gave labels. Mean differences weigh every
    compared probability alike. McNemar's test is on run 0 alone, and NaN where that run
    is missing. The bound on rows counts the distinct rows that these runs are expected
    to have tested.
    """
    disputed = records.disagreements.groupby("implementation")["row"].nunique()
    rows = []
    for name in competitors:
        pairs = records.pairs[records.pairs["implementation"] == name].sort_values("run")
        labels = records.label_pairs[records.label_pairs["implementation"] == name]
        counts = _counts(pairs, sizes, n_rows)
        row = {"implementation": name, **counts}
        # One run disputes a row once, and counts those that are not kept as rows as well.
        differing = counts["disagreements"] if counts["compared_runs"] == 1 else 0
        row["disputed_rows"] = max(int(disputed.get(name, 0)), int(differing))
        row.update(_differences(pairs))
        row["kappa"] = kappa(_square(labels))
        row["mcnemar_p"] = _first_split(pairs)
        rows.append(row)
    return table_of("agreement", rows)


def _counts(pairs: pd.DataFrame, sizes: SplitSizes, n_rows: int) -> dict[str, float]:
    predictions, differing = int(pairs["n_test"].sum()), int(pairs["disagreements"].sum())
    compared = len(pairs)
    agree = 1 - differing / predictions if predictions else float("nan")
    bound = float("nan")
    if compared and not differing:
        tested = rows_tested(n_rows, test_share=sizes.test_share, n_runs=compared)
        bound = row_bound(tested)
    return {
        "predictions": predictions,
        "disagreements": differing,
        "agreement": agree,
        "exact_runs": int((pairs["disagreements"] == 0).sum()),
        "compared_runs": compared,
        "row_bound": bound,
    }


def _differences(pairs: pd.DataFrame) -> Mapping[str, float]:
    """Return the largest and the mean differences over all runs that have them."""
    values = pairs[list(DIFFERENCES)].astype(np.float64)
    found = {}
    for column in DIFFERENCES:
        known = values[column].notna()
        if not known.any():
            found[column] = float("nan")
        elif column.startswith("max"):
            found[column] = float(values[column].max())
        else:
            weights = pairs.loc[known, "n_test"]
            found[column] = float(np.average(values.loc[known, column], weights=weights))
    return found


def _square(labels: pd.DataFrame) -> np.ndarray:
    """Return the counts as a square table over all codes that occur."""
    codes = np.union1d(labels["reference_label"], labels["label"]).astype(np.int64)
    table = np.zeros((codes.size, codes.size))
    rows = np.searchsorted(codes, labels["reference_label"].to_numpy(np.int64))
    columns = np.searchsorted(codes, labels["label"].to_numpy(np.int64))
    np.add.at(table, (rows, columns), labels["count"].to_numpy(np.float64))
    return table


def _first_split(pairs: pd.DataFrame) -> float:
    first = pairs[pairs["run"] == 0]
    if first.empty:
        return float("nan")
    return mcnemar_mid_p(
        int(first["only_reference_right"].iloc[0]),
        int(first["only_implementation_right"].iloc[0]),
    )


def probability_differences(
    counts: pd.DataFrame, competitors: Sequence[str]
) -> pd.DataFrame:
    """Return the table `probability_differences` of a Summary.

    The first bin of a competitor counts exact zeros, if there are none as 0. Then comes
    one bin for all that lies above 0 and below 1e-16, where there is any: naive Bayes
    gives probabilities down to 1e-308, whose differences would fill 300 bins and lie all
    below the rounding of 1. Then one bin per power of ten from the smallest difference
    seen to 1, empty ones included.
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
        rows.extend(
            (
                name,
                float(f"1e{decade}"),
                float(f"1e{decade + 1}"),
                int(summed.get(decade, 0)),
            )
            for decade in range(start, 0)
        )
    return table_of("probability_differences", rows)
