"""The records of a scale study become its summary."""

import numpy as np
import pandas as pd

from gnbbench.records import ScaleRecords
from gnbbench.statistics.scale_summary import AXES, SCALE_OPERATIONS, ScaleSummary
from gnbbench.statistics.scale_times import FLOAT_BYTES, SIZES, scale_times
from gnbbench.statistics.scale_wording import detail, headline, stops
from gnbbench.statistics.scaling import scaling_exponent

EXPONENT_COLUMNS = (
    *("axis", "operation", "implementation", "exponent", "low", "high"),
    *("first", "last", "points"),
)
MEMORY_COLUMNS = (
    *SIZES,
    *("operation", "implementation", "traced_bytes", "resident_bytes"),
    *("traced_multiple", "resident_multiple"),
)


def summarize_scale(records: ScaleRecords) -> ScaleSummary:
    """Return everything a report shows of a scale study."""
    plan = records.plan
    reference, competitors = str(plan["reference"]), tuple(map(str, plan["against"]))
    names = (reference, *competitors)
    times, reads = scale_times(records.timings, records.points, reference)
    times = _ordered(times, names)
    axes = tuple(axis for axis in AXES if axis in set(records.points["axis"]))
    exponents = _exponents(times, axes, names)
    agreement = _agreement(records)
    return ScaleSummary(
        plan={key: value for key, value in plan.items() if key != "command"},
        environment=records.environment,
        command=str(plan["command"]),
        reference=reference,
        implementations=names,
        headline=headline(times, reference, competitors),
        detail=detail(exponents, agreement, axes),
        points=records.points,
        times=times,
        reads=reads,
        agreement=agreement,
        exponents=exponents,
        memory=_memory(records),
        stops=stops(records),
        regime=records.regime,
        warnings=_warnings(records, agreement),
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
                mine = times.loc[
                    (times["axis"] == axis)
                    & (times["operation"] == operation)
                    & (times["implementation"] == name)
                ]
                one = scaling_exponent(mine["size"].tolist(), mine["seconds"].tolist())
                value = (one.value, one.low, one.high, one.first, one.last, one.points)
                rows.append((axis, operation, name, *value))
    return pd.DataFrame(rows, columns=list(EXPONENT_COLUMNS))


def _agreement(records: ScaleRecords) -> pd.DataFrame:
    """Return the share of equal labels of each competitor at each point it was asked at."""
    asked = records.looks.loc[records.looks["implementation"].isin(records.plan["against"])]
    found = asked.merge(records.pairs, on=["point", "implementation"], how="left").merge(
        records.points, on="point"
    )
    shares = 1.0 - found["disagreements"] / found["n_test"]
    columns = [*SIZES, "implementation", "status", "message", "n_test", "disagreements"]
    return found[columns].assign(agreement=shares)


def _memory(records: ScaleRecords) -> pd.DataFrame:
    """Return measured peaks with the sizes of their points, and as multiples of X."""
    measured = records.memory.loc[records.memory["point"] >= 0].drop(columns="axis")
    found = measured.merge(records.points, on="point")
    x_bytes = FLOAT_BYTES * found["n_samples"] * found["n_features"]
    found = found.assign(
        traced_multiple=found["traced_bytes"] / x_bytes,
        resident_multiple=found["resident_bytes"] / x_bytes,
    )
    return found[list(MEMORY_COLUMNS)]


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
