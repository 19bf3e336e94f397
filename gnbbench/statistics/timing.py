"""Times and paired ratios of every operation, and reasons to distrust them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from math import exp, hypot, isfinite, log, sqrt
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd

from gnbbench import words
from gnbbench.arrays import FloatArray
from gnbbench.records import NULL_COMPETITOR, OPERATIONS
from gnbbench.sign_test import SMALLEST_SEEN, widening
from gnbbench.statistics import intervals
from gnbbench.statistics.schema import table_of
from gnbbench.statistics.summary import Speed

WIDEST_INTERVAL = 4.0  # Upper over lower end; a wider one is inconclusive
# Standard deviation between processes of the logarithm of a ratio of fit times: three times
# twenty processes and three implementations (benchmarks/processes.py) came to 1.7 %.
PROCESS_SPREAD = 0.018
LARGE_FACTOR = 2.0  # Reported even if noise may be behind it
UNRESOLVED = {"not separated": "not distinguishable", "too noisy": "too noisy to tell"}
# Above these shares of rounds and of wall time a disturbance is reported.
SWITCHED_SHARE = 0.1
STEAL_SHARE = 0.01
# Beginnings of the sentences of earlier versions that `disturbances` replaces.
_OF_NOISE = ("The process lost its core", "Other machines on", "The machine's load")
NOTHING_TIMED: Mapping[str, Any] = {
    "regime": "Nothing was timed.",
    "warnings": (),
    "cold_seconds": {},
    "skipped": {},
}


def process_notes(notes: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the notes of each process that was timed."""
    return notes.get("processes") or [notes]


def recorded(notes: Mapping[str, Any] | None) -> str:
    """Return the sentence of a call that measured nothing, with the date of the times."""
    noises = [dict(part.get("noise", {})) for part in process_notes(notes or {})]
    if not any(noises):
        return "Nothing was measured: all records are from an earlier call."
    when = when_taken(notes or {}) or "an earlier call"
    return f"Nothing was measured. Times are from {when}; --remeasure repeats the timing."


def when_taken(notes: Mapping[str, Any]) -> str:
    """Return when times were taken and under which load, unless `disturbances` says it."""
    noises = [n for part in process_notes(notes) for n in part.get("noise", {}).values()]
    loads = ((n["load"] or 0.0, n.get("cores", float("inf"))) for n in noises)
    highest, cores = max(loads, default=(0, 0))
    load = f" (load {highest:.1f})" if 0 < highest <= cores else ""
    if "taken" not in notes:
        return f"an earlier call{load}" if load else ""
    taken = datetime.fromtimestamp(datetime.fromisoformat(notes["taken"]).timestamp())
    return f"{words.day(taken.date().isoformat())}, {taken:%H:%M}{load}"


def disturbances(notes: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return one sentence on what disturbed the times of these notes, if anything did.

    Reported are interruptions of more than a tenth of the rounds, more than a hundredth of
    the wall time stolen, and a load above the number of cores.
    """
    noises = [noise for part in notes for noise in part.get("noise", {}).values()]
    rounds, switched, stolen, elapsed = (
        sum(noise[name] or 0 for noise in noises)
        for name in ("rounds", "switched_rounds", "steal_seconds", "elapsed_seconds")
    )
    loads = [(n["load"], n["cores"]) for n in noises if (n["load"] or 0.0) > n["cores"]]
    causes = [f"load {load:.1f} on {cores} cores" for load, cores in sorted(loads)[-1:]]
    if switched > SWITCHED_SHARE * rounds:
        of_rounds = f"{switched} of {words.plural(rounds, 'round')}"
        causes.append(f"other programs interrupted {of_rounds}")
    if stolen > STEAL_SHARE * elapsed:
        taken = f"{100 * stolen / elapsed:.0f} % of a core's time"
        causes.append(f"other machines on the same host took {taken}")
    return [f"Times were disturbed: {'; '.join(causes)}."] if causes else []


def of_measurement(notes: Mapping[str, Any]) -> list[str]:
    """Return the warnings of a measurement, except those on disturbances."""
    texts = [(text, text.partition(": ")[2]) for text in notes["warnings"]]
    has_noise = any("noise" in part for part in process_notes(notes))
    return [text for text, what in texts if not (has_noise and what.startswith(_OF_NOISE))]


def timing_plan(notes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the plan of the timing with the number of its processes."""
    plan = dict(notes.get("plan", {}))
    return {**plan, "processes": len(process_notes(notes))} if plan else {}


def round_counts(notes: Mapping[str, Any], operation: str, n_rounds: int) -> list[int]:
    """Return how many of an operation's rounds each process timed."""
    parts = process_notes(notes)
    if len(parts) == 1:
        return [n_rounds]
    return [int(part["rounds"][operation]) for part in parts]


def timing_rounds(timings: pd.DataFrame, notes: Mapping[str, Any]) -> pd.DataFrame:
    """Return every timing except the null run's, with its process and inner count."""
    kept = timings[timings["implementation"] != NULL_COMPETITOR]
    columns = ["implementation", "operation", "round", "seconds"]
    rounds = kept[columns].assign(process=0, loops=1)
    for operation, rows in kept.groupby("operation", sort=False):
        name = str(operation)
        counts = round_counts(notes, name, int(rows["round"].nunique()))
        process = np.repeat(np.arange(len(counts)), counts)[rows["round"].to_numpy(int)]
        loops = [int(p.get("inner_counts", {}).get(name, 1)) for p in process_notes(notes)]
        rounds.loc[rows.index, "process"] = process
        rounds.loc[rows.index, "loops"] = np.array(loops)[process]
    return table_of("timing_rounds", rounds.reset_index(drop=True))


def precision_warnings(
    operation: str, ratios: Sequence[intervals.PairedRatio], notes: Mapping[str, Any]
) -> list[str]:
    """Return a sentence if an interval is wider than requested."""
    plan = notes.get("plan", {})
    precision = plan.get("precision")
    if precision is None:
        return []
    widths = [log(ratio.high / ratio.low) / 2 for ratio in ratios]
    # Half a per mille of the requested precision is rounding.
    if all(width <= 1.0005 * precision for width in widths):
        return []
    if np.isnan(widths).any():
        reached = "there were too few rounds for an interval"
    else:
        reached = f"{100 * max(widths):.2g} % was reached"
    precise = [part.get("is_precise", {}).get(operation) for part in process_notes(notes)]
    if all(precise):
        how = "since processes differ more than their rounds"
    else:
        how = f"within its share of the {plan['budget_seconds']:g} s"
    wish = f"a precision of {100 * precision:.2g} % was requested"
    return [f"{operation}: {wish}, and {reached} {how}."]


@dataclass(frozen=True, slots=True)
class TimingSummary:
    """The timings of a study, summarised."""

    # Of a Summary: ``timing``, ``ratios`` and ``timing_rounds``
    tables: Mapping[str, pd.DataFrame]
    regime: str  # How it was timed, in one sentence
    warnings: tuple[str, ...]  # Remarks a reader must see, one sentence each
    # ``threads``, ``processes`` and whatever else is known about the plan
    plan: Mapping[str, Any]
    untimed: Mapping[str, str]  # Implementation -> why some operation was not timed


def summarize_timings(
    timings: pd.DataFrame, notes: Mapping[str, Any] | None, implementations: Sequence[str]
) -> TimingSummary:
    """Return times, ratios and warnings, operation by operation; the reference is first."""
    timing: list[dict[str, Any]] = []
    ratios: list[dict[str, Any]] = []
    notes = notes or NOTHING_TIMED
    warnings = [*disturbances(process_notes(notes)), *of_measurement(notes)]
    hidden: dict[str, float] = {}
    for operation, times in _times_by_operation(timings).items():
        cold = notes["cold_seconds"].get(operation, {})
        present = [name for name in implementations if name in times]
        counts = round_counts(notes, operation, len(next(iter(times.values()))))
        timing += [_times(operation, name, times[name], cold, counts) for name in present]
        if implementations[0] in present:
            by_name, null = _ratios(times, present, counts)
            floor = noise_floor(null, len(counts))
            ratios += [
                {
                    "implementation": name,
                    "operation": operation,
                    **asdict(ratio),
                    "floor_low": floor.low,
                    "floor_high": floor.high,
                    "speed": speed(ratio, floor),
                }
                for name, ratio in by_name.items()
            ]
            sizes = [smallest_seen(ratio, floor) for ratio in by_name.values()]
            hidden[operation] = max(sizes, default=1.0)
            warnings += _ratio_warnings(operation, by_name, null)
            warnings += precision_warnings(operation, [*by_name.values(), null], notes)
    warnings += hidden_by_noise(hidden)
    untimed = dict(notes["skipped"])
    warnings += [
        f"{name} was not timed in every operation: {reason}."
        for name, reason in untimed.items()
        if not all(part.endswith(" is not offered") for part in reason.split("; "))
    ]
    return TimingSummary(
        tables={
            "timing": table_of("timing", timing),
            "ratios": table_of("ratios", ratios),
            "timing_rounds": timing_rounds(timings, notes),
        },
        regime=notes["regime"],
        warnings=tuple(warnings),
        plan=timing_plan(notes),
        untimed=untimed,
    )


def noise_floor(null: intervals.PairedRatio, n_processes: int) -> intervals.PairedRatio:
    """Return the reference against itself, widened by the spread between processes.

    A process draws its memory layout once, which its rounds cannot show. With too few
    processes to measure that, the 95 % range of their median under `PROCESS_SPREAD` is
    added to the further end, in quadrature, and the floor reaches equally far on both sides
    of 1.
    """
    if intervals.medians_decide(n_processes, 1):
        return null
    between = 1.96 * PROCESS_SPREAD * min(1.0, 1.2533 / sqrt(n_processes))
    reach = hypot(max(-log(null.low), log(null.high)), between)
    return replace(null, low=exp(-reach), high=exp(reach))


def smallest_seen(ratio: intervals.PairedRatio, floor: intervals.PairedRatio) -> float:
    """Return the factor above which a difference would almost always be detected.

    It exceeds the noise floor by one and a half half-widths of the ratio's interval: such a
    difference is detected in 95 % of simulations.
    """
    reach = max(-log(floor.low), log(floor.high))
    return exp(reach + 0.75 * log(ratio.high / ratio.low))


def hidden_by_noise(hidden: Mapping[str, float]) -> list[str]:
    """Return one sentence on the differences that noise may hide, if any are large."""
    large = {name: size for name, size in hidden.items() if size > SMALLEST_SEEN}
    texts = [f"{words.significant(size, 2)}× for {name}" for name, size in large.items()]
    lead = "Noise may hide differences in time below"
    return [f"{lead} {words.listing(texts)}."] if texts else []


def speed(ratio: intervals.PairedRatio, floor: intervals.PairedRatio) -> Speed:
    """Return which is faster, if the measurement shows it.

    An interval whose ends are more than a factor of 4 apart is too noisy. Two are not
    separated if the interval contains 1 or does not exist, or if the ratio is inside the
    noise floor: no further from 1, up or down, than its further end.
    """
    if ratio.high > WIDEST_INTERVAL * ratio.low:
        return "too noisy"
    if not (ratio.high < 1.0 or ratio.low > 1.0):
        return "not separated"
    # A missing floor is NaN, which nothing exceeds.
    if not abs(log(ratio.ratio)) > max(-log(floor.low), log(floor.high)):
        return "not separated"
    return "faster" if ratio.ratio < 1.0 else "slower"


# The arguments of `speed_text`, from a row of ratios.
RATIO = itemgetter("ratio", "low", "high", "speed")


def speed_text(ratio: float, low: float, high: float, speed: str) -> str:
    """Return a ratio of times as a factor, with a word if noise may be behind it."""
    return words.with_ends(*speed_parts(ratio, low, high, speed))


def speed_parts(ratio: float, low: float, high: float, speed: str) -> tuple[str, str]:
    """Return the text of a ratio of times, and the ends of its interval."""
    if not isfinite(ratio):
        return words.DASH, ""
    if speed not in UNRESOLVED:
        return words.factor_parts(ratio, low, high)
    if max(ratio, 1.0 / ratio) < LARGE_FACTOR:
        return UNRESOLVED[speed], ""
    return f"{words.factor(ratio)}, but uncertain", ""


def factor_text(ratio: float, low: float, high: float, speed: str) -> str:
    """Return a ratio to the digits of `speed_text`, without its interval."""
    return speed_parts(ratio, low, high, speed)[0]


def timed_text(operation: str, ratio: float, low: float, high: float, speed: str) -> str:
    """Return the speed of an operation, such as "fit 9.7× faster (9.4 to 10.1)"."""
    text = speed_text(ratio, low, high, speed)
    return f"{operation} {text}" if "×" in text else f"{operation} time {text}"


def _times_by_operation(timings: pd.DataFrame) -> dict[str, dict[str, FloatArray]]:
    """Return operation -> implementation -> seconds in the order of the rounds."""
    by_operation = {}
    for operation in OPERATIONS:
        rows = timings[timings["operation"] == operation]
        if not rows.empty:
            wide = rows.pivot(  # noqa: PD010  # pivot_table would merge repeated rows
                index="round", columns="implementation", values="seconds"
            )
            by_operation[operation] = {str(n): wide[n].to_numpy(float) for n in wide}
    return by_operation


def _times(
    operation: str,
    name: str,
    seconds: FloatArray,
    cold: Mapping[str, float],
    counts: Sequence[int],
) -> dict[str, Any]:
    """Return one row of the timing table, with the median of the processes' medians."""
    p5, p95 = np.percentile(seconds, [5, 95])
    medians = [np.median(part) for part in np.split(seconds, np.cumsum(counts)[:-1])]
    return {
        "implementation": name,
        "operation": operation,
        "median_seconds": np.median(medians),
        "p5_seconds": p5,
        "p95_seconds": p95,
        "minimum_seconds": seconds.min(),
        "mean_seconds": seconds.mean(),
        "standard_deviation_seconds": pd.Series(seconds).std(),
        "cold_seconds": cold.get(name, np.nan),
        "rounds": len(seconds),
    }


def _ratios(
    times: Mapping[str, FloatArray], names: Sequence[str], counts: Sequence[int]
) -> tuple[dict[str, intervals.PairedRatio], intervals.PairedRatio]:
    """Return the ratio of each competitor, and that of the null run."""
    reference, *competitors = names
    parts = {
        name: np.split(
            intervals.log_ratios(times[name], times[reference]), np.cumsum(counts)[:-1]
        )
        for name in (*competitors, NULL_COMPETITOR)
    }
    null = intervals.ratio_over_processes(parts[NULL_COMPETITOR])
    n = len(competitors)
    p_values = [intervals.p_over_processes(parts[c], n_comparisons=n) for c in competitors]
    levels = intervals.holm_levels(p_values)
    return {
        name: intervals.ratio_over_processes(parts[name], level, n_comparisons=n)
        for name, level in zip(competitors, levels, strict=True)
    }, null


def _ratio_warnings(
    operation: str, ratios: Mapping[str, intervals.PairedRatio], null: intervals.PairedRatio
) -> list[str]:
    """Return warnings about the noise floor, or about the interval of a ratio."""
    texts = []
    if null.low > 1.0 or null.high < 1.0:
        texts.append(
            f"{operation}: the reference timed against itself came to {null.low:.4f} to "
            f"{null.high:.4f}, not 1; small differences may be noise."
        )
    alike = {
        name: ratio.autocorrelation
        for name, ratio in ratios.items()
        if widening(ratio.autocorrelation) > 1.0
        and not intervals.medians_decide(ratio.processes, len(ratios))
    }
    if alike:
        most, whose = f"{max(alike.values()):.2f}", "its interval is"
        if len(alike) > 1:
            most, whose = f"up to {most}", "their intervals are"
        texts.append(
            f"{operation}: successive rounds of {words.listing([*alike])} resemble each "
            f"other (autocorrelation {most}); {whose} widened for that."
        )
    return texts


def memory(notes: Mapping[str, Any] | None, names: Sequence[str]) -> pd.DataFrame:
    """Return the memory of each operation and implementation."""
    rows = {(r["operation"], r["implementation"]): r for r in (notes or {}).get("rows", ())}
    order = [(operation, name) for operation in OPERATIONS for name in names]
    return table_of("memory", [rows[key] for key in order if key in rows])


def memory_remarks(notes: Mapping[str, Any] | None, silent: Sequence[str]) -> list[str]:
    """Return why the memory of implementations, but for silent ones, was not measured."""
    skipped = notes["skipped"].items() if notes else ()
    return [
        f"The memory of {name} was not measured: {str(why).removesuffix('.')}."
        for name, why in skipped
        if name not in silent
    ]
