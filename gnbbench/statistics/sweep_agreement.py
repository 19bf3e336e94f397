"""How far labels agree with the reference's, at each train fraction and over all."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from gnbbench.statistics.sweep_points import SweepPoint, impossible_runs

COMPARED = {
    "compared_runs": "int64",
    "exact_runs": "int64",
    "exact_share": "float64",
    "mismatches_mean": "float64",
    "mismatches_median": "float64",
    "mismatches_max": "float64",
    "max_probability_difference": "float64",
}
AGREEMENT_COLUMNS = {"fraction": "float64", "implementation": "str", **COMPARED}

MISMATCH_COLUMNS = {
    "fraction": "float64",
    "implementation": "str",
    "disagreements": "int64",
    "runs": "int64",
}

OVERALL_COLUMNS = ("implementation", "runs", *list(COMPARED)[1:])


def agreement_by_fraction(
    points: Sequence[SweepPoint], competitors: Sequence[str]
) -> pd.DataFrame:
    """Return the table `agreement` of a SweepSummary."""
    rows = [
        (point.fraction, name, *_compared(_of(point.records.pairs, name)))
        for point in points
        for name in competitors
    ]
    return pd.DataFrame(rows, columns=list(AGREEMENT_COLUMNS)).astype(AGREEMENT_COLUMNS)


def mismatch_counts(
    points: Sequence[SweepPoint], competitors: Sequence[str]
) -> pd.DataFrame:
    """Return the table `mismatch_counts` of a SweepSummary."""
    rows: list[tuple[float, str, int, int]] = []
    for point in points:
        for name in competitors:
            differing = _of(point.records.pairs, name)["disagreements"].to_numpy(np.int64)
            numbers, counts = np.unique(differing, return_counts=True)
            rows += [
                (point.fraction, name, int(number), int(count))
                for number, count in zip(numbers, counts, strict=True)
            ]
    return pd.DataFrame(rows, columns=list(MISMATCH_COLUMNS)).astype(MISMATCH_COLUMNS)


def overall(points: Sequence[SweepPoint], implementations: Sequence[str]) -> pd.DataFrame:
    """Return the table `overall` of a SweepSummary: all runs of all fractions alike."""
    pairs = pd.concat([point.records.pairs for point in points], ignore_index=True)
    runs = pd.concat([point.records.runs for point in points], ignore_index=True)
    failed = runs.loc[(runs["status"] != "ok") & ~impossible_runs(runs), "implementation"]
    rows = []
    for place, name in enumerate(implementations):
        nothing = [float("nan")] * len(COMPARED)
        compared = _compared(_of(pairs, name)) if place else nothing
        accuracies = np.concatenate([p.metric(name, "test_accuracy") for p in points])
        known = accuracies[~np.isnan(accuracies)]
        mean = float(known.mean()) if known.size else float("nan")
        rows.append((name, *compared, mean, int((failed == name).sum())))
    columns = [*OVERALL_COLUMNS, "test_accuracy", "failed_runs"]
    return pd.DataFrame(rows, columns=columns).astype(
        dict.fromkeys(OVERALL_COLUMNS[1:], "float64")
    )


def _of(pairs: pd.DataFrame, name: str) -> pd.DataFrame:
    return pairs[pairs["implementation"] == name]


def _compared(pairs: pd.DataFrame) -> tuple[float, ...]:
    """Return the values of `COMPARED` over the runs in which both gave labels."""
    differing = pairs["disagreements"].to_numpy(np.float64)
    probabilities = pairs["max_probability_difference"].to_numpy(np.float64)
    known = probabilities[~np.isnan(probabilities)]
    runs, exact = differing.size, int(np.count_nonzero(differing == 0))
    nan = float("nan")
    per_run = (nan, nan, nan)
    if runs:
        per_run = (
            float(differing.mean()),
            float(np.median(differing)),
            float(differing.max()),
        )
    largest = float(known.max()) if known.size else nan
    return (runs, exact, exact / runs if runs else nan, *per_run, largest)
