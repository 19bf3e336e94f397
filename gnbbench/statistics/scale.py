"""The records of a scale study become its summary: times, ratios, growth, stops."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.records import NULL_COMPETITOR, READ_COMPETITOR, ScaleRecords
from gnbbench.statistics.ratios import PairedRatio, log_ratios, paired_ratio
from gnbbench.statistics.scale_sentences import (
    AXES,
    SCALE_OPERATIONS,
    detail,
    headline,
    stops,
)
from gnbbench.statistics.schema import columns_of, table_of
from gnbbench.statistics.summary import Summary
from gnbbench.statistics.timing import speed

FLOAT_BYTES = 8
NO_RATIO = PairedRatio(np.nan, np.nan, np.nan, 0, 0, np.nan)
FloatArray = NDArray[np.float64]
# Below this share of the largest size, what every call costs anyway would flatten the line.
UPPER_PART = 0.1
FEWEST_POINTS = 3
LEVEL = 0.95


def summarize_scale(records: ScaleRecords) -> Summary:
    """Return everything a report shows of a scale study."""
    plan = records.plan
    reference, competitors = str(plan["reference"]), tuple(map(str, plan["against"]))
    names = (reference, *competitors)
    times, reads = scale_times(records.timings, records.points, reference)
    times = _ordered(times, names)
    axes = tuple(axis for axis in AXES if axis in set(records.points["axis"]))
    exponents = _exponents(times, axes, names)
    agreement = _agreement(records)
    return Summary(
        study="scale",
        command=str(plan["command"]),
        headline=headline(times, reference, competitors),
        plan={key: value for key, value in plan.items() if key != "command"},
        environment=records.environment,
        reference=reference,
        implementations=names,
        tables={
            "points": records.points,
            "times": times,
            "reads": reads,
            "agreement": agreement,
            "exponents": exponents,
            "memory": _memory(records),
            "stops": stops(records),
        },
        warnings=_warnings(records, agreement),
        details={
            "detail": detail(exponents, agreement, axes),
            "timing_regime": records.regime,
        },
    )


def _ordered(times: pd.DataFrame, names: tuple[str, ...]) -> pd.DataFrame:
    """Return rows axis by axis, sizes ascending, implementations as the plan has them."""
    keys = times.assign(
        axis=times["axis"].map(AXES.index),
        operation=times["operation"].map(SCALE_OPERATIONS.index),
        implementation=times["implementation"].map(names.index),
    )
    order = keys.sort_values(["axis", "size", "operation", "implementation"]).index
    return times.loc[order].reset_index(drop=True)


def _exponents(
    times: pd.DataFrame, axes: tuple[str, ...], names: tuple[str, ...]
) -> pd.DataFrame:
    """Return an exponent for each axis, operation and implementation."""
    rows = []
    for axis in axes:
        for operation in SCALE_OPERATIONS:
            for name in names:
                timed = times.loc[
                    (times["axis"] == axis)
                    & (times["operation"] == operation)
                    & (times["implementation"] == name)
                ]
                found = scaling_exponent(timed["size"].tolist(), timed["seconds"].tolist())
                rows.append((axis, operation, name, *astuple(found)))
    return table_of("exponents", rows, "scale")


def _agreement(records: ScaleRecords) -> pd.DataFrame:
    """Return the share of equal labels of each competitor at each point it was asked at."""
    asked = records.looks.loc[records.looks["implementation"].isin(records.plan["against"])]
    found = asked.merge(records.pairs, on=["point", "implementation"], how="left").merge(
        records.points, on="point"
    )
    shares = 1.0 - found["disagreements"] / found["n_test"]
    return found.assign(agreement=shares)[columns_of("scale", "agreement")]


def _memory(records: ScaleRecords) -> pd.DataFrame:
    """Return measured peaks with the sizes of their points, and as multiples of X."""
    measured = records.memory.loc[records.memory["point"] >= 0].drop(columns="axis")
    found = measured.merge(records.points, on="point")
    x_bytes = FLOAT_BYTES * found["n_samples"] * found["n_features"]
    found = found.assign(
        traced_multiple=found["traced_bytes"] / x_bytes,
        resident_multiple=found["resident_bytes"] / x_bytes,
    )
    return found[columns_of("scale", "memory")]


def _warnings(records: ScaleRecords, agreement: pd.DataFrame) -> tuple[str, ...]:
    """Return remarks on labels that differ, on warnings and on disturbances."""
    told = []
    differing = agreement.loc[agreement["disagreements"] > 0]
    for name, rows in differing.groupby("implementation", sort=False):
        worst = rows.sort_values("agreement", kind="stable").iloc[0]
        share = np.format_float_positional(
            100 * float(worst["agreement"]), 3, fractional=False
        )
        told.append(
            f"{name}: labels differ from the reference's at {len(rows)} points, most at "
            f"{int(worst['size']):,} {worst['axis']}, where {share} % are equal. The times "
            "of other answers compare little."
        )
    is_sound = records.looks["status"] == "ok"
    warned = records.looks.loc[is_sound & (records.looks["message"] != "")]
    for name, rows in warned.groupby("implementation", sort=False):
        told.append(f"{name} {rows['message'].iloc[0]} (at {len(rows)} points).")
    return (*told, *records.remarks)


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
        table_of("times", times, "scale"),
        table_of("reads", reads, "scale"),
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


@dataclass(frozen=True, slots=True)
class Exponent:
    """The p of time ~ size^p over the upper part of an axis."""

    value: float  # NaN where there are fewer than two sizes
    low: float  # Ends of its 95 % interval; NaN where there are fewer than three sizes
    high: float
    first: int  # The sizes it was taken between; 0 where there is none
    last: int
    points: int  # Number of sizes


NO_EXPONENT = Exponent(np.nan, np.nan, np.nan, 0, 0, 0)


def scaling_exponent(sizes: Sequence[int], seconds: Sequence[float]) -> Exponent:
    """Return the slope of log time against log size over the upper decade of sizes.

    Least squares through the sizes from a tenth of the largest on, or through the three
    largest where those are fewer: small sizes show the cost of a call, not how it grows.
    The interval is that of Student's t for a slope, n - 2 degrees of freedom. It takes
    deviations from a straight line, of whatever cause, for noise: a curve that bends has a
    wide one.
    """
    x, y = np.asarray(sizes, dtype=np.float64), np.asarray(seconds, dtype=np.float64)
    if not (np.isfinite(y).all() and (y > 0.0).all()):
        raise ValueError("Times should be positive numbers.")
    if not (np.diff(x) > 0.0).all():
        raise ValueError("Sizes should ascend.")
    if len(x) < 2:
        return NO_EXPONENT
    used = max(int((x >= UPPER_PART * x[-1]).sum()), min(FEWEST_POINTS, len(x)))
    x, y = x[-used:], y[-used:]
    slope, error = _slope(np.log(x), np.log(y))
    half = np.nan
    if used >= FEWEST_POINTS:
        from scipy import stats

        half = float(stats.t.ppf((1 + LEVEL) / 2, used - 2)) * error
    return Exponent(
        round(slope, 12), slope - half, slope + half, int(x[0]), int(x[-1]), used
    )


def _slope(x: FloatArray, y: FloatArray) -> tuple[float, float]:
    """Return the slope of least squares and its standard error, NaN for two points."""
    # SciPy's linregress has no standard error for a level line.
    across, up = x - x.mean(), y - y.mean()
    spread = float(across @ across)
    slope = float(across @ up) / spread
    if len(x) < FEWEST_POINTS:
        return slope, float("nan")
    left = up - slope * across
    return slope, float(np.sqrt(left @ left / (len(x) - 2) / spread))
