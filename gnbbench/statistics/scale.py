"""Summarise a scale study: times, ratios, growth, stops."""

from collections.abc import Mapping, Sequence
from itertools import product
from math import isnan
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd

from gnbbench.records import NULL_COMPETITOR, READ_COMPETITOR, ScaleRecords
from gnbbench.statistics.intervals import PairedRatio, log_ratios, ratio_over_processes
from gnbbench.statistics.schema import columns_of, table_of
from gnbbench.statistics.summary import Summary
from gnbbench.statistics.timing import noise_floor, speed, speed_text
from gnbbench.statistics.verdicts import rows_of
from gnbbench.words import differ, factor, listing, plural, raised, share, significant

AXES = ("samples", "features", "classes")
SYMBOLS = {"samples": "n", "features": "d", "classes": "K"}
SCALE_OPERATIONS = ("fit", "predict")
FLOAT_BYTES = 8
NO_RATIO = PairedRatio(np.nan, np.nan, np.nan, 0, 0, np.nan)
# Below this share of the largest size, the fixed cost of a call would flatten the line.
UPPER_PART = 0.1
FEWEST_POINTS = 3
LEVEL = 0.95
# An exponent whose interval is wider than this to either side is not shown.
LARGEST_HALF_WIDTH = 0.3
TOO_NOISY = "too noisy"
Item = TypeVar("Item")


def axes_of(summary: Summary) -> tuple[str, ...]:
    """Return the axes that have more than one size."""
    return tuple(axis for axis in AXES if axis in set(summary.points["axis"]))


def differing(agreement: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `agreement` in which labels differ."""
    return agreement[agreement["disagreements"] > 0]


def held_text(summary: Summary, axis: str = "") -> str:
    """Return the sizes that are held while one axis varies, or all, as a formula."""
    sizes = {name: int(summary.plan["axes"][name]["held"]) for name in AXES}
    return ", ".join(f"{SYMBOLS[n]} = {size:,}" for n, size in sizes.items() if n != axis)


def some_of(items: Sequence[Item], most: int = 4) -> list[Item]:
    """Return at most `most` items, evenly spaced, including the first and the last."""
    if len(items) <= most:
        return list(items)
    gap = (len(items) - 1) / (most - 1)
    return [items[round(gap * place)] for place in range(most)]


def summarize_scale(records: ScaleRecords) -> Summary:
    """Return everything a report may show of a scale study."""
    plan = records.plan
    reference, competitors = str(plan["reference"]), tuple(map(str, plan["against"]))
    names = (reference, *competitors)
    times, reads = scale_times(records.timings, records.points, names)
    axes = tuple(axis for axis in AXES if axis in set(records.points["axis"]))
    exponents = _exponents(times, axes, names)
    agreement = _agreement(records)
    labels = _equal_labels(agreement)
    answered = set(agreement.loc[agreement["n_test"] > 0, "implementation"])
    return Summary(
        study="scale",
        command=str(plan["command"]),
        headline=_headline(times, agreement, reference, competitors),
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
            "stops": _stops(records),
        },
        warnings=_warnings(records, agreement),
        details={
            "labels": labels,
            "silent": tuple(name for name in competitors if name not in answered),
            "detail": " ".join(filter(None, (labels, _growth(exponents, axes[0])))),
            "timing_regime": records.regime,
        },
    )


def _exponents(
    times: pd.DataFrame, axes: Sequence[str], names: Sequence[str]
) -> pd.DataFrame:
    """Return an exponent for each axis, operation and implementation."""
    timed = times.set_index(["axis", "operation", "implementation"])
    rows = []
    for key in product(axes, SCALE_OPERATIONS, names):
        curve = timed[timed.index == key]
        rows.append((*key, *scaling_exponent(list(curve["size"]), list(curve["seconds"]))))
    return table_of("exponents", rows, "scale")


def _agreement(records: ScaleRecords) -> pd.DataFrame:
    """Return the share of equal labels of each competitor at each of its points."""
    asked = records.looks[records.looks["implementation"].isin(records.plan["against"])]
    compared = asked.merge(records.pairs, on=["point", "implementation"], how="left").merge(
        records.points, on="point"
    )
    shares = 1.0 - compared["disagreements"] / compared["n_test"]
    return compared.assign(agreement=shares)[columns_of("scale", "agreement")]


def _memory(records: ScaleRecords) -> pd.DataFrame:
    """Return measured peaks with the sizes of their points, and as multiples of X."""
    measured = records.memory[records.memory["point"] >= 0].drop(columns="axis")
    peaks = measured.merge(records.points, on="point")
    x_bytes = FLOAT_BYTES * peaks["n_samples"] * peaks["n_features"]
    peaks = peaks.assign(
        traced_multiple=peaks["traced_bytes"] / x_bytes,
        resident_multiple=peaks["resident_bytes"] / x_bytes,
    )
    return peaks[columns_of("scale", "memory")]


def _warnings(records: ScaleRecords, agreement: pd.DataFrame) -> tuple[str, ...]:
    """Return remarks on labels that differ, on warnings and on disturbances."""
    remarks = []
    for name, rows in differing(agreement).groupby("implementation", sort=False):
        worst = rows.sort_values("agreement", kind="stable").iloc[0]
        where = f"{int(worst['size']):,} {worst['axis']}"
        remarks.append(
            f"{name}: labels differ at {plural(len(rows), 'size')}, most at {where} "
            f"({share(1.0 - float(worst['agreement']))}); its times are for other labels."
        )
    is_sound = records.looks["status"] == "ok"
    warned = records.looks[is_sound & (records.looks["message"] != "")]
    for name, rows in warned.groupby("implementation", sort=False):
        sizes = plural(len(rows), "size")
        remarks.append(f"{name} {rows['message'].iloc[0]} (at {sizes}).")
    return (*remarks, *records.remarks)


def scale_times(
    timings: pd.DataFrame, points: pd.DataFrame, names: Sequence[str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return times of implementations, the reference first, and of reads of X beside them.

    A time is the median of the processes' medians; ratios are those of
    `ratio_over_processes`.
    """
    reference, *_ = names
    times: list[dict[str, Any]] = []
    reads: list[dict[str, Any]] = []
    where: dict[Any, dict[Any, Any]] = points.set_index("point").to_dict("index")
    for (point, operation), rows in timings.groupby(["point", "operation"], sort=True):
        fixed = {**where[int(str(point))], "operation": operation}
        wide = rows.pivot(  # noqa: PD010  # pivot_table would merge repeated rows
            index=["process", "round"], columns="implementation", values="seconds"
        )
        n_samples = float(fixed["n_samples"])
        x_bytes = FLOAT_BYTES * n_samples * float(fixed["n_features"])
        medians = wide.groupby(level="process").median()
        read = float(medians[READ_COMPETITOR].median())
        reads.append({**fixed, "seconds": read, "bytes_per_second": x_bytes / read})
        null = _ratio(wide, NULL_COMPETITOR, reference)
        for name in names:
            if name not in wide:
                continue
            per_process = medians[name].dropna()
            seconds = float(per_process.median())
            floor = noise_floor(null, len(per_process))
            ratio = NO_RATIO if name == reference else _ratio(wide, name, reference)
            row = {
                "implementation": name,
                "seconds": seconds,
                "low_seconds": float(per_process.min()),
                "high_seconds": float(per_process.max()),
                "processes": len(per_process),
                "rounds": int(wide[name].count()),
                "ratio": ratio.ratio,
                "ratio_low": ratio.low,
                "ratio_high": ratio.high,
                "floor_low": floor.low,
                "floor_high": floor.high,
                "speed": "" if isnan(ratio.ratio) else speed(ratio, floor),
                "rows_per_second": n_samples / seconds,
                "bytes_per_second": x_bytes / seconds,
                "share_of_read": read / seconds,
            }
            times.append({**fixed, **row})
    return table_of("times", times, "scale"), table_of("reads", reads, "scale")


def _ratio(wide: pd.DataFrame, name: str, reference: str) -> PairedRatio:
    """Return the paired ratio over all processes, NaN if one was not timed."""
    if name not in wide or reference not in wide:
        return NO_RATIO
    both = wide[[name, reference]].dropna()
    if both.empty:
        return NO_RATIO
    processes = (rounds.to_numpy(float) for _, rounds in both.groupby(level="process"))
    return ratio_over_processes([log_ratios(*rounds.T) for rounds in processes])


class Exponent(NamedTuple):
    """The p of time ~ size^p over the upper part of an axis."""

    value: float  # NaN with fewer than two sizes
    low: float  # Ends of its 95 % interval; NaN, and not shown, below three sizes
    high: float
    first: int  # Smallest and largest size used; 0 if there are none
    last: int
    points: int  # Number of sizes


NO_EXPONENT = Exponent(np.nan, np.nan, np.nan, 0, 0, 0)


def scaling_exponent(sizes: Sequence[int], seconds: Sequence[float]) -> Exponent:
    """Return the slope of log time against log size over the upper decade of sizes.

    Least squares through the sizes from a tenth of the largest up, or through the three
    largest if those are fewer: small sizes show the fixed cost of a call, not its growth.
    The interval is Student's t for a slope, with n - 2 degrees of freedom. Any deviation
    from a straight line counts as noise: a curve that bends has a wide interval.
    """
    x, y = np.asarray(sizes, dtype=np.float64), np.asarray(seconds, dtype=np.float64)
    if len(x) < 2:
        return NO_EXPONENT
    used = max(int((x >= UPPER_PART * x[-1]).sum()), min(FEWEST_POINTS, len(x)))
    x, y = x[-used:], y[-used:]
    # SciPy's linregress has no standard error for a level line.
    across, up = np.log(x) - np.log(x).mean(), np.log(y) - np.log(y).mean()
    spread = float(across @ across)
    slope, half = float(across @ up) / spread, np.nan
    if used >= FEWEST_POINTS:
        from scipy import stats

        left = up - slope * across
        error = float(np.sqrt(left @ left / (used - 2) / spread))
        half = float(stats.t.ppf((1 + LEVEL) / 2, used - 2)) * error
    ends = slope - half, slope + half
    return Exponent(round(slope, 12), *ends, int(x[0]), int(x[-1]), used)


_WHY = {"error": "it failed", "timeout": "it timed out", "crash": "it crashed its process"}


def _stops(records: ScaleRecords) -> pd.DataFrame:
    """Return where implementations stopped before the end of an axis, and why."""
    columns = ["point", "implementation", "status", "message"]
    looks = records.looks.loc[records.looks["status"] != "ok", columns]
    losses = records.losses[columns].drop_duplicates(["point", "implementation"])
    ends = pd.concat([looks, losses]).merge(records.points, on="point")
    timed = records.timings[["point", "implementation"]].drop_duplicates()
    reached = timed.merge(records.points).groupby(["axis", "implementation"])["size"].max()
    rows = []
    for row in ends.itertuples():
        axis, name, status = str(row.axis), str(row.implementation), str(row.status)
        last = float(reached.get((axis, name), np.nan))
        place = "first" if isnan(last) else "next"
        why = f"the {place} size would have exceeded its share of the budget"
        where = f"stopped at {SYMBOLS[axis]} = {last:,.0f}"
        if isnan(last):
            where = f"not timed along {SYMBOLS[axis]}"
        sentence = f"{name}: {where}, because {_why(row, why)}."
        rows.append((axis, name, status, last, sentence))
    unmeasured = records.memory[~records.memory["status"].isin(["ok", "absent"])]
    for row in unmeasured.itertuples():
        axis, name, status = str(row.axis), str(row.implementation), str(row.status)
        why = _why(row, "the budget for memory was spent")
        sentence = f"{name}: memory not measured along {SYMBOLS[axis]}, because {why}."
        rows.append((axis, name, status, np.nan, sentence))
    return table_of("stops", rows, "scale").drop_duplicates("sentence", ignore_index=True)


def _why(row: Any, over_budget: str) -> str:
    """Return why a row of looks, losses or memory is not a measurement."""
    if row.status == "budget":
        return over_budget
    return f"{_WHY[row.status]} ({' '.join(str(row.message).split())})"


def _headline(
    times: pd.DataFrame, agreement: pd.DataFrame, reference: str, competitors: Sequence[str]
) -> str:
    """Return the finding: labels, then times at the largest size that both reached."""
    compared = times[times["ratio"].notna()]
    if compared.empty:
        if times.empty:
            return "Nothing could be timed."
        return "No implementation could be timed beside the reference."
    axis = next(axis for axis in AXES if axis in set(compared["axis"]))
    compared = compared[compared["axis"] == axis]
    size = int(compared["size"].max())
    there = compared[compared["size"] == size]
    timed = set(there["implementation"])
    absent = [name for name in competitors if name not in timed]
    more = f"; {listing(absent)} {'was' if len(absent) == 1 else 'were'} not timed there"
    end = f"{more if absent else ''}."
    if len(competitors) == 1:
        alike: dict[str, list[str]] = {}
        for row in rows_of(there):
            text = speed_text(*_speed(row)).replace(", but uncertain", " (uncertain)")
            alike.setdefault(text, []).append(row["operation"])
        speeds = [
            f"{listing(names)} {'' if '×' in text else 'time '}{text}"
            for text, names in alike.items()
        ]
        labels = _labels(agreement, competitors[0], reference)
        return f"{competitors[0]}: {labels}; at {size:,} {axis} {listing(speeds)}{end}"
    others = list(dict.fromkeys(differing(agreement)["implementation"]))
    labels = f"labels of {listing(others)} differ" if others else "no label differs"
    labels = labels if (agreement["n_test"] > 0).any() else "no labels were compared"
    return f"At {size:,} {axis}, {listing(_ranked(there, reference))}; {labels}{end}"


def _ranked(at_size: pd.DataFrame, reference: str) -> list[str]:
    """Return which implementations fit and predict fastest, if that was shown."""
    fastest: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    unclear = []
    for operation in SCALE_OPERATIONS:
        rows = at_size[at_size["operation"] == operation]
        for row in rows_of(rows.sort_values("ratio", kind="stable").head(1)):
            if row["speed"] == "faster":
                by = factor(*_speed(row)[:3]).replace(" faster", "")
                # Those whose interval reaches that of the fastest may be as fast.
                alike = rows.loc[rows["ratio_low"] <= row["ratio_high"], "implementation"]
                fastest.setdefault(tuple(alike), []).append((operation, by))
            elif (rows["speed"] == "slower").all():
                fastest.setdefault((reference,), []).append((operation, ""))
            else:
                unclear.append(operation)
    parts = []
    for names, ratios in fastest.items():
        is_one, by = len(names) == 1, listing([text for _, text in ratios if text])
        verbs = [f"{verb}s" if is_one else verb for verb, _ in ratios]
        parts.append(f"{listing(names)} {listing(verbs)} fastest")
        most = by if is_one else f"up to {by}"
        parts[-1] += f", {most} faster than {reference}" if by else ""
    if unclear:
        parts.append(f"none is shown to {' or '.join(unclear)} faster than {reference}")
    return parts


def _labels(agreement: pd.DataFrame, name: str, reference: str) -> str:
    own = agreement[(agreement["implementation"] == name) & (agreement["n_test"] > 0)]
    if own.empty:
        return f"no labels to compare with {reference}"
    n_differ = len(differing(own))
    if n_differ:
        sizes = f"{n_differ} of {plural(len(own), 'size')}"
        return f"labels differ from {reference} at {sizes}"
    return f"same labels as {reference}"


def _speed(row: Mapping[str, Any]) -> tuple[float, float, float, str]:
    return row["ratio"], row["ratio_low"], row["ratio_high"], row["speed"]


def _equal_labels(agreement: pd.DataFrame) -> str:
    """Return how many labels are equal."""
    compared = agreement[agreement["n_test"] > 0]
    differing, total = (int(compared[c].sum()) for c in ("disagreements", "n_test"))
    comparisons = plural(len(compared), "comparison")
    if compared.empty:
        return "There were no labels to compare."
    if not differing:
        return f"All {plural(total, 'label')} in {comparisons} are equal."
    return f"{differ(differing, total)} in {comparisons}."


def _growth(exponents: pd.DataFrame, axis: str) -> str:
    """Return how time grows along an axis; empty if that is unknown."""
    known = exponents[(exponents["axis"] == axis) & exponents["low"].notna()]
    clear, noisy = [], []
    for row in rows_of(known):
        what = f"{row['operation']} of {row['implementation']}"
        text = tenfold_text(row["exponent"], row["low"], row["high"])
        clear += [f"{what} {text}"] if text != TOO_NOISY else []
        noisy += [what] if text == TOO_NOISY else []
    growth = [", ".join(clear)] if clear else []
    growth += [f"{TOO_NOISY} to tell for {listing(noisy)}"] if noisy else []
    return f"Time for ten times the {axis}: {'; '.join(growth)}." if growth else ""


def tenfold_text(value: float, low: float, high: float) -> str:
    """Return how often the time is taken at ten times the size, such as "9.5×"."""
    is_clear = (high - low) / 2 <= LARGEST_HALF_WIDTH
    return f"{significant(10**value, 2)}×" if is_clear else TOO_NOISY


def exponent_text(value: float, low: float, high: float, axis: str) -> str:
    """Return a size to a power, such as "n⁰·⁹⁸", unless its interval is too wide."""
    if (high - low) / 2 > LARGEST_HALF_WIDTH:
        return TOO_NOISY
    return f"{SYMBOLS[axis]}{raised(value)}"
