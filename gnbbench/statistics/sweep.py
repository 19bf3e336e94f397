"""What only a sweep has: curves over train fractions, and the verdicts over all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench import words
from gnbbench.records import RUN_METRICS
from gnbbench.statistics.metrics import run_mean
from gnbbench.statistics.points import Point, impossible_runs
from gnbbench.statistics.schema import SWEEP, columns_of, table_of
from gnbbench.statistics.summary import Outcome, Verdict
from gnbbench.statistics.verdicts import rows_of

TEN_POINTS = 0.1
PER_RUN = ("exact_share", "mismatches_mean", "mismatches_median", "mismatches_max")

Tables = Mapping[str, pd.DataFrame]


def with_curves(
    tables: Tables, points: Sequence[Point], implementations: Sequence[str]
) -> dict[str, pd.DataFrame]:
    """Return the tables of all points with what is told of a sweep besides."""
    competitors = implementations[1:]
    return {
        **tables,
        "agreement": _agreement_per_run(tables["agreement"], points),
        "metrics": _metrics_with_gap(tables["metrics"], points, implementations),
        "overall": overall(points, implementations),
        "mismatch_counts": mismatch_counts(points, competitors),
        "slopes": slopes(points, implementations),
    }


def _agreement_per_run(table: pd.DataFrame, points: Sequence[Point]) -> pd.DataFrame:
    """Return the table `agreement` with disagreements per run."""
    keys = table[["point", "implementation"]].itertuples(index=False)
    found = [compared(points[number].pairs(name)) for number, name in keys]
    columns = {column: [row[column] for row in found] for column in PER_RUN}
    return table.assign(**columns)[columns_of(SWEEP, "agreement")]


def _metrics_with_gap(
    table: pd.DataFrame, points: Sequence[Point], implementations: Sequence[str]
) -> pd.DataFrame:
    """Return the table `metrics` with percentiles of runs, and the gap as a metric.

    The gap is train minus test accuracy, run by run: what is learned by heart.
    """
    gaps = []
    for number, point in enumerate(points):
        for name in implementations:
            m = run_mean(_values(point, name, "gap"), point.sizes)
            gaps.append((number, name, "gap", m.mean, m.spread, m.low, m.high, m.runs))
    both = pd.concat([table, pd.DataFrame(gaps, columns=table.columns)], ignore_index=True)
    found = both.sort_values("point", kind="stable", ignore_index=True)
    keys = found[["point", "implementation", "metric"]].itertuples(index=False)
    ends = [_percentiles(_values(points[number], *key)) for number, *key in keys]
    found = found.assign(p5=[low for low, _ in ends], p95=[high for _, high in ends])
    return found[columns_of(SWEEP, "metrics")]


def _values(point: Point, name: str, metric: str) -> NDArray[np.float64]:
    """Return one metric of every run, nothing where it is not one of single runs."""
    if metric == "gap":
        train = point.metric(name, "train_accuracy")
        gap: NDArray[np.float64] = train - point.metric(name, "test_accuracy")
        return gap
    return point.metric(name, metric) if metric in RUN_METRICS else np.empty(0)


def _percentiles(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the 5th and 95th percentile of the values that are there."""
    known = values[~np.isnan(values)]
    if not known.size:
        return float("nan"), float("nan")
    with np.errstate(invalid="ignore"):
        low, high = np.percentile(known, [5, 95])
    return float(low), float(high)


def compared(pairs: pd.DataFrame) -> dict[str, float]:
    """Return what runs come to in which this one and the reference both gave labels."""
    differing = pairs["disagreements"].to_numpy(np.float64)
    probabilities = pairs["max_probability_difference"].to_numpy(np.float64)
    known = probabilities[~np.isnan(probabilities)]
    runs, exact = differing.size, int(np.count_nonzero(differing == 0))
    nan = float("nan")
    return {
        "runs": runs,
        "exact_runs": exact,
        "exact_share": exact / runs if runs else nan,
        "mismatches_mean": float(differing.mean()) if runs else nan,
        "mismatches_median": float(np.median(differing)) if runs else nan,
        "mismatches_max": float(differing.max()) if runs else nan,
        "max_probability_difference": float(known.max()) if known.size else nan,
    }


def overall(points: Sequence[Point], implementations: Sequence[str]) -> pd.DataFrame:
    """Return the table `overall`: all runs of all fractions alike."""
    runs = pd.concat([point.records.runs for point in points], ignore_index=True)
    failed = runs.loc[(runs["status"] != "ok") & ~impossible_runs(runs), "implementation"]
    rows = []
    for place, name in enumerate(implementations):
        pairs = pd.concat([point.pairs(name) for point in points], ignore_index=True)
        accuracies = np.concatenate([p.metric(name, "test_accuracy") for p in points])
        known = accuracies[~np.isnan(accuracies)]
        rows.append(
            {
                "implementation": name,
                **(compared(pairs) if place else {}),
                "test_accuracy": float(known.mean()) if known.size else float("nan"),
                "failed_runs": int((failed == name).sum()),
            }
        )
    return table_of("overall", rows, SWEEP)


def mismatch_counts(points: Sequence[Point], competitors: Sequence[str]) -> pd.DataFrame:
    """Return the table `mismatch_counts`: runs by their number of disagreements."""
    rows: list[tuple[int, str, int, int]] = []
    for place, point in enumerate(points):
        for name in competitors:
            differing = point.pairs(name)["disagreements"].to_numpy(np.int64)
            numbers, counts = np.unique(differing, return_counts=True)
            rows += [
                (place, name, int(number), int(count))
                for number, count in zip(numbers, counts, strict=True)
            ]
    columns = columns_of(SWEEP, "mismatch_counts")
    table = pd.DataFrame(rows, columns=columns)
    types = dict.fromkeys(("point", "disagreements", "runs"), "int64")
    return table.astype({**types, "implementation": "str"})


def slopes(points: Sequence[Point], implementations: Sequence[str]) -> pd.DataFrame:
    """Return the table `slopes`: the learning curve, from one fraction to the next.

    A slope is the mean over runs of the gain from one fraction to the next, both taken
    from the run of the same number and so of the same random state. The interval uses the
    correction for the smaller fraction, the larger one of the two, so that it is rather too
    wide than too narrow. Fractions without a split are passed over.
    """
    possible = [point for point in points if point.is_possible]
    rows = []
    for name in implementations:
        for first, second in pairwise(possible):
            step = (second.fraction - first.fraction) / TEN_POINTS
            m = run_mean(_gains(first, second, name) / step, first.sizes)
            ends = (first.fraction, second.fraction)
            rows.append((name, *ends, m.mean, m.low, m.high))
    return table_of("slopes", rows, SWEEP)


def _gains(first: Point, second: Point, name: str) -> NDArray[np.float64]:
    """Return the gain in test accuracy of every run that both have."""
    _, before, after = np.intersect1d(
        first.runs, second.runs, assume_unique=True, return_indices=True
    )
    gains: NDArray[np.float64] = (
        second.metric(name, "test_accuracy")[after]
        - first.metric(name, "test_accuracy")[before]
    )
    return gains


@dataclass(frozen=True)
class _Evidence:
    """What one implementation is judged by."""

    reference: str
    overall: Mapping[str, Any]  # Its row of the table `overall`, and the reference's
    reference_overall: Mapping[str, Any]
    outcomes: Sequence[str]  # Of the test accuracy at each fraction that has splits
    margin: float
    planned: int  # Runs of all fractions, compared or not
    is_tested: bool  # Whether there are runs enough for intervals and tests
    row_bound: float  # 95 % upper bound on the share of rows that can differ where none did


def verdicts(
    tables: Tables, failures: Mapping[str, str], *, reference: str, margin: float
) -> tuple[Verdict, ...]:
    """Return one verdict per competitor over all fractions.

    Identical: no label differs in any run. Different: the test accuracy differs at some
    fraction, after correction over all. Equivalent: it is shown to be within the margin at
    every fraction. Else it cannot be told. No test is made over fractions together, whose
    runs share samples.
    """
    rows = {str(row["implementation"]): row for row in rows_of(tables["overall"])}
    points, differences = tables["points"], tables["differences"]
    possible = points.loc[points["n_train"] > 0, "point"]
    judged = differences[
        differences["point"].isin(possible) & (differences["metric"] == "test_accuracy")
    ]
    # The fraction that tested most rows bounds them best.
    bounds = tables["agreement"].groupby("implementation")["row_bound"].min()
    found = []
    for name in [name for name in rows if name != reference]:
        failed = " ".join(failures[who] for who in (reference, name) if who in failures)
        evidence = _Evidence(
            reference,
            rows[name],
            rows[reference],
            judged.loc[judged["implementation"] == name, "outcome"].tolist(),
            margin,
            int(points["runs"].sum()),
            bool(points["runs"].max() > 1),
            float(bounds[name]),
        )
        outcome = _outcome(evidence)
        sentence, detail = _sentence(evidence, outcome), _detail(evidence, outcome)
        found.append(Verdict(name, outcome, sentence, f"{detail} {failed}".strip()))
    return tuple(found)


def share_text(part: float, whole: float) -> str:
    """Return a share in per cent that says 0 or 100 only where it is exactly so."""
    if part in {0, whole}:
        return "100 %" if part else "0 %"
    text = f"{100 * part / whole:.1f}"
    return {"0.0": "<0.1 %", "100.0": ">99.9 %"}.get(text, f"{text} %")


def _outcome(e: _Evidence) -> Outcome:
    if not e.overall["runs"]:
        return "failed"
    if e.overall["exact_runs"] == e.overall["runs"]:
        return "identical"
    if "different" in e.outcomes:
        return "different"
    equal = all(found in {"identical", "equivalent"} for found in e.outcomes)
    return "equivalent" if equal else "cannot tell"


def _sentence(e: _Evidence, outcome: Outcome) -> str:
    if outcome == "failed":
        return "Failed: no run gave labels to compare."
    runs = words.plural(int(e.overall["runs"]), "run")
    if outcome == "identical":
        where = "" if e.overall["runs"] == e.planned else " where both gave labels"
        return f"Identical{where}: all {runs} match entirely."
    finding = (
        f"{share_text(e.overall['exact_runs'], e.overall['runs'])} of {runs} match "
        "entirely; "
        f"{_labels(e.overall['mismatches_mean'])} per run on average, "
        f"at most {e.overall['mismatches_max']:,.0f}."
    )
    if outcome == "different":
        return f"Different at {_fractions(e, 'different')}: {finding}"
    return finding


def _detail(e: _Evidence, outcome: Outcome) -> str:
    if outcome == "failed":
        return ""
    largest = words.largest_difference(e.overall["max_probability_difference"])
    if outcome == "identical":
        return (
            f"Same labels at {words.plural(len(e.outcomes), 'train fraction')}; at most "
            f"{words.bound_text(e.row_bound)} of rows can differ (95 % bound from the "
            f"distinct rows tested); {largest}."
        )
    means = (
        f"Mean test accuracy {e.overall['test_accuracy']:.4f} against "
        f"{e.reference_overall['test_accuracy']:.4f} of {e.reference}"
    )
    return f"{means}; {_tests(e)}; {largest}."


def _tests(e: _Evidence) -> str:
    """Say at how many fractions which result was reached."""
    if not e.is_tested:
        return "one run at each train fraction gives no interval and no test"
    certain = "no train fraction"
    if "different" in e.outcomes:
        certain = _fractions(e, "different")
    return (
        f"it differs significantly at {certain} (corrected test, Holm over fractions), and "
        f"is shown equal to within {words.points(e.margin)} at "
        f"{_fractions(e, 'identical', 'equivalent')}"
    )


def _fractions(e: _Evidence, *outcomes: str) -> str:
    """Say at how many fractions the accuracy is called so."""
    found = sum(outcome in outcomes for outcome in e.outcomes)
    return words.counted(found, len(e.outcomes), "train fraction")


def _labels(mean: float) -> str:
    """Return a mean number of labels with its verb."""
    text = f"{mean:,.2f}" if mean >= 0.005 else f"{mean:.1g}"
    return f"{text} labels differ"
