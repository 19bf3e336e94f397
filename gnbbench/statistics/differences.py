"""Differences between implementations and the reference, paired within runs."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.records import RUN_METRICS
from gnbbench.statistics.intervals import holm
from gnbbench.statistics.outcomes import outcome
from gnbbench.statistics.run_values import RunMean, SplitSizes, run_mean

COLUMNS = ("implementation", "metric", "mean", "low", "high", "p", "outcome", "runs")


def differences(
    values: Mapping[str, NDArray[np.float64]],
    disagreements: Mapping[str, int],
    sizes: SplitSizes,
    *,
    reference: str,
    margin: float,
) -> pd.DataFrame:
    """Return the table `differences` of a Summary: competitor minus reference.

    The mean is over the runs in which both have the metric; ``runs`` counts them. The
    margin applies to every metric in its own unit. Intervals are not corrected for the
    number of competitors, p values are (Holm, per metric).
    """
    competitors = [name for name in values if name != reference]
    rows = {
        name: _rows(_subtract(values[name], values[reference]), disagreements[name], sizes)
        for name in competitors
    }
    corrected = {
        metric: dict(
            zip(
                competitors,
                holm([rows[name][metric][1] for name in competitors]),
                strict=True,
            )
        )
        for metric in RUN_METRICS
    }
    table = []
    for name in competitors:
        failed = rows[name]["test_accuracy"][0].runs == 0
        for metric, (m, _, same) in rows[name].items():
            p = float(corrected[metric][name])
            called = outcome(m.estimate, identical=same, corrected_p=p, margin=margin)
            verdict = "failed" if failed else called
            table.append((name, metric, m.mean, m.low, m.high, p, verdict, m.runs))
    return pd.DataFrame(table, columns=list(COLUMNS))


def _subtract(
    values: NDArray[np.float64], reference: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the paired differences; NaN where both are infinite."""
    with np.errstate(invalid="ignore"):
        return values - reference


def _rows(
    paired: NDArray[np.float64], disagreements: int, sizes: SplitSizes
) -> dict[str, tuple[RunMean, float, bool]]:
    """Return per metric the mean difference, its plain p value, and "identical"."""
    steps = {"train_accuracy": 1 / sizes.n_train, "test_accuracy": 1 / sizes.n_test}
    rows = {}
    for metric, column in zip(RUN_METRICS, paired.T, strict=True):
        zero = not np.any(column[~np.isnan(column)])
        # Labels can differ without a change in accuracy: that is not "identical".
        same = zero and not (metric == "test_accuracy" and disagreements)
        m = run_mean(column, sizes, step=0.0 if same else steps.get(metric, 0.0))
        p = float("nan") if zero or m.estimate is None else m.estimate.p_value()
        rows[metric] = (m, p, same and m.runs > 0)
    return rows
