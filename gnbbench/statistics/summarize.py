"""Summarise the records of runs into everything that a report shows."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from gnbbench.records import RUN_METRICS, TABLES, Records
from gnbbench.statistics import labels as of_labels
from gnbbench.statistics import metrics, remarks
from gnbbench.statistics.schema import SWEEP
from gnbbench.statistics.summary import DatasetDescription, DecisionRegions, Summary
from gnbbench.statistics.timing import memory, memory_remarks, summarize_timings, when_taken
from gnbbench.statistics.verdicts import headline, sweep_verdicts, verdicts


def summarize(records: Records) -> Summary:
    """Return all tables, verdicts and remarks of a study with one point.

    It depends only on the records, not on the order of their rows. A failed run is left out
    of means, and counted in ``runs`` columns, in the verdict and in the warnings.
    """
    return _summary({float("nan"): records})


def summarize_sweep(by_fraction: Mapping[float, Records]) -> Summary:
    """Return all tables, verdicts and remarks of a sweep over train fractions.

    Every fraction is a point, with the results of a study at that fraction alone. A run
    without a split is left out of every mean, counted, and reported.
    """
    return _summary(dict(sorted(by_fraction.items())))


def _summary(by_fraction: Mapping[float, Records]) -> Summary:
    first = next(iter(by_fraction.values()))
    plan, dataset = first.plan, DatasetDescription.of(first.dataset)
    reference = str(plan["reference"])
    names = (reference, *map(str, plan["against"]))
    is_sweep, margin = plan["study"] == SWEEP, float(plan["margin"])
    counted = [
        table
        for records in by_fraction.values()
        for table in (records.confusion, records.label_pairs, records.votes)
    ]
    labels = of_labels.label_names(dataset.class_names, *counted)
    points = [metrics.point_of(records, at, names) for at, records in by_fraction.items()]
    by_point = [_point_tables(point, names, dataset, labels, margin) for point in points]
    tables = {name: _stacked([tables[name] for tables in by_point]) for name in by_point[0]}
    tables |= {
        "points": metrics.points_table(points),
        "differences": metrics.corrected(tables["differences"]),
    }
    place = _timed_place(points)
    timed_at = points[place].records
    timed = summarize_timings(timed_at.timings, timed_at.timing_notes, names)
    possible = _possible_runs(tables["runs"], is_sweep=is_sweep)
    failed = remarks.failures(possible, names)
    if is_sweep:
        tables = metrics.with_curves(tables, points, names)
    judged = sweep_verdicts if is_sweep else verdicts
    conclusions = tuple(judged(tables, failed, plan, n_samples=dataset.n_samples))
    # The speed of code that never answered is meaningless, and why it failed is said.
    silent = tuple(v.implementation for v in conclusions if v.outcome == "failed")
    untimed = tuple(f"{name} was not timed" for name in silent)
    timing_remarks = tuple(t for t in timed.warnings if not t.startswith(untimed))
    is_silent = timed.tables["ratios"]["implementation"].isin(silent)
    timed.tables["ratios"].loc[is_silent, ["ratio", "low", "high"]] = float("nan")
    timed.tables["ratios"].loc[is_silent, "speed"] = ""
    measured = {**timed.tables, "memory": memory(timed_at.memory, names)}
    tables |= {name: _numbered(table, place) for name, table in measured.items()}
    return Summary(
        study=plan["study"],
        command=plan["command"],
        headline=headline(
            conclusions, tables, remarks.failure_clauses(possible, names), reference
        ),
        plan=plan,
        environment=first.environment,
        reference=reference,
        implementations=names,
        tables=tables | remarks.stream_tables(first.stream),
        verdicts=conclusions,
        warnings=(
            *remarks.spot_checks(plan),
            *remarks.stream_remarks(first),
            *remarks.remarks(tables, list(failed.values()), is_sweep=is_sweep),
            *timing_remarks,
            *memory_remarks(timed_at.memory, silent),
        ),
        data=dataset,
        details={
            "timing_regime": timed.regime,
            "timing_plan": timed.plan,
            "timing_remarks": timing_remarks,
            "untimed": timed.untimed,
            "timing_taken": when_taken(timed_at.timing_notes or {}),
            "last_study": first.last_study,
            "failures": tuple(failed.values()),
            "silent": silent,
            **_regions(points, is_sweep=is_sweep),
        },
    )


def _stacked(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Concatenate tables, with the number of the point as first column."""
    numbered = [_numbered(table, number) for number, table in enumerate(tables)]
    full = [table for table in numbered if not table.empty]
    return pd.concat(full or numbered[:1], ignore_index=True)


def _numbered(table: pd.DataFrame, point: int) -> pd.DataFrame:
    table.insert(0, "point", point)
    return table


def _point_tables(
    point: metrics.Point,
    names: Sequence[str],
    dataset: DatasetDescription,
    labels: dict[int, str],
    margin: float,
) -> dict[str, pd.DataFrame]:
    """Return the tables of one point, for any kind of study."""
    records, sizes, values = point.records, point.sizes, point.run_values
    reference, *competitors = names
    n_rows = dataset.n_distinct or dataset.n_samples - (dataset.n_duplicates or 0)
    agreed = of_labels.agreement(records, competitors, sizes, n_rows=n_rows)
    cells = of_labels.confusion(records.confusion, names, dataset.class_names, labels)
    bins = of_labels.reliability(records.reliability, names, sizes, n_rows=n_rows)
    errors = {name: of_labels.expected_calibration_error(bins, name) for name in names}
    return {
        "agreement": agreed,
        "label_pairs": of_labels.label_pairs(records.label_pairs, competitors, labels),
        "probability_differences": of_labels.probability_differences(
            records.probability_differences, competitors
        ),
        "disputed_rows": of_labels.disputed_rows(
            records.disagreements,
            records.votes,
            labels,
            reference=reference,
            competitors=competitors,
        ),
        "metrics": metrics.metrics(values, sizes, errors),
        "differences": metrics.differences(
            values, metrics.disputes(agreed), sizes, reference=reference, margin=margin
        ),
        "runs": _runs(records, names),
        "class_scores": of_labels.class_scores(cells),
        "confusion": cells,
        "reliability": bins,
    }


def _runs(records: Records, names: Sequence[str]) -> pd.DataFrame:
    """Return the table `runs`, sorted by run, then in the order of the implementations."""
    place = {name: number for number, name in enumerate(names)}
    order = records.runs.assign(place=records.runs["implementation"].map(place))
    sizes = ("n_train", "n_test", "smallest_class")
    kept = () if records.plan["study"] == SWEEP else sizes
    columns = [name for name in TABLES["runs"] if name in kept or name not in sizes]
    order = of_labels.with_differences(order, records.pairs)
    columns += of_labels.AGAINST_REFERENCE.values()
    table = order.sort_values(["run", "place"])[columns].reset_index(drop=True)
    # A metric that no run has may be None, but types must be the same.
    return table.astype(dict.fromkeys(RUN_METRICS, "float64"))


def _possible_runs(runs: pd.DataFrame, *, is_sweep: bool) -> pd.DataFrame:
    """Return the runs that had a split, renumbered over all points."""
    if is_sweep:
        runs = runs[~metrics.impossible_runs(runs)]
    return runs.assign(run=runs.groupby(["point", "run"]).ngroup())


def _regions(points: Sequence[metrics.Point], *, is_sweep: bool) -> dict[str, Any]:
    """Return the decision regions of the one point, or of each by its number."""
    maps = [DecisionRegions.of(point.records.decision_regions) for point in points]
    return {"regions": dict(enumerate(maps))} if is_sweep else {"decision_regions": maps[0]}


def _timed_place(points: Sequence[metrics.Point]) -> int:
    """Return the number of the point that was timed, 0 if none was."""
    timed = [n for n, p in enumerate(points) if not p.records.timings.empty]
    with_notes = [n for n, point in enumerate(points) if point.records.timing_notes]
    return next(iter([*timed, *with_notes]), 0)
