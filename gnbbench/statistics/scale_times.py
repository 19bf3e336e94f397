"""Times, paired ratios and throughput at every point, over all processes."""

from typing import Any

import numpy as np
import pandas as pd

from gnbbench.records import NULL_COMPETITOR, READ_COMPETITOR
from gnbbench.statistics.paired_ratio import PairedRatio, log_ratios, paired_ratio
from gnbbench.statistics.timing import speed

FLOAT_BYTES = 8
NO_RATIO = PairedRatio(np.nan, np.nan, np.nan, 0, 0, np.nan)

SIZES = ("axis", "size", "n_samples", "n_features", "n_classes")
TIME_COLUMNS = (
    *SIZES,
    *("operation", "implementation", "seconds", "low_seconds", "high_seconds"),
    *("processes", "rounds", "ratio", "ratio_low", "ratio_high"),
    *("floor_low", "floor_high", "speed"),
    *("rows_per_second", "bytes_per_second", "share_of_read"),
)
READ_COLUMNS = (*SIZES, "operation", "seconds", "bytes_per_second")


def scale_times(
    timings: pd.DataFrame, points: pd.DataFrame, reference: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return times of implementations, and of one read of X beside them.

    A time is the median of the processes' medians. A ratio is the median of the processes'
    median paired ratios; its interval is that of the sign test over all rounds, widened
    to the smallest and the largest of the processes' medians.
    """
    times: list[dict[str, Any]] = []
    reads: list[dict[str, Any]] = []
    where: dict[Any, dict[Any, Any]] = points.set_index("point").to_dict("index")
    for (point, operation), rows in timings.groupby(["point", "operation"], sort=True):
        sizes = where[int(str(point))]
        n_samples = float(sizes["n_samples"])
        wide = rows.pivot(  # noqa: PD010  # pivot_table would merge repeated rows
            index=["process", "round"], columns="implementation", values="seconds"
        )
        x_bytes = FLOAT_BYTES * n_samples * float(sizes["n_features"])
        medians = wide.groupby(level="process").median()
        read = float(medians[READ_COMPETITOR].median())
        fixed = {**sizes, "operation": operation}
        reads.append({**fixed, "seconds": read, "bytes_per_second": x_bytes / read})
        null = _ratio(wide, NULL_COMPETITOR, reference)
        for name in wide.columns:
            if name not in {NULL_COMPETITOR, READ_COMPETITOR}:
                found = _time(wide, medians, str(name), reference, null)
                seconds = found["seconds"]
                found["rows_per_second"] = n_samples / seconds
                found["bytes_per_second"] = x_bytes / seconds
                found["share_of_read"] = read / seconds
                times.append({**fixed, "implementation": str(name), **found})
    return (
        pd.DataFrame(times, columns=list(TIME_COLUMNS)),
        pd.DataFrame(reads, columns=list(READ_COLUMNS)),
    )


def _time(
    wide: pd.DataFrame,
    medians: pd.DataFrame,
    name: str,
    reference: str,
    null: PairedRatio,
) -> dict[str, Any]:
    own = medians[name].dropna()
    found: dict[str, Any] = {
        "seconds": float(own.median()),
        "low_seconds": float(own.min()),
        "high_seconds": float(own.max()),
        "processes": len(own),
        "rounds": int(wide[name].count()),
    }
    ratio = NO_RATIO if name == reference else _ratio(wide, name, reference)
    told = "" if np.isnan(ratio.ratio) else speed(ratio, null)
    return {
        **found,
        "ratio": ratio.ratio,
        "ratio_low": ratio.low,
        "ratio_high": ratio.high,
        "floor_low": null.low,
        "floor_high": null.high,
        "speed": told,
    }


def _ratio(wide: pd.DataFrame, name: str, reference: str) -> PairedRatio:
    """Return the paired ratio over all processes, NaN where one was not timed."""
    if name not in wide or reference not in wide:
        return NO_RATIO
    both = wide[[name, reference]].dropna()
    if both.empty:
        return NO_RATIO
    d = pd.Series(
        log_ratios(*(both[one].to_numpy(float) for one in both)),
        both.index,
        dtype=np.float64,
    )
    pooled = paired_ratio(d.to_numpy(np.float64))
    medians = np.exp(d.groupby(level="process").median().to_numpy(float))
    return PairedRatio(
        float(np.exp(np.median(np.log(medians)))),
        float(min(pooled.low, medians.min())),
        float(max(pooled.high, medians.max())),
        pooled.outliers,
        pooled.ties,
        pooled.autocorrelation,
    )
