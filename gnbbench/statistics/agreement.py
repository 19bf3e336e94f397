"""How far labels and probabilities agree with the reference's."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from gnbbench.records import Records
from gnbbench.statistics.kappa import kappa
from gnbbench.statistics.mcnemar import mcnemar_mid_p
from gnbbench.statistics.row_bounds import row_bound, rows_tested
from gnbbench.statistics.run_values import SplitSizes

DIFFERENCES = (
    "max_probability_difference",
    "mean_probability_difference",
    "max_joint_log_likelihood_difference",
    "mean_joint_log_likelihood_difference",
)


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
    return pd.DataFrame(rows)


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
