"""From the records of runs to everything that a report shows of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from gnbbench.records import RUN_METRICS, TABLES, Records
from gnbbench.statistics.columns import SWEEP
from gnbbench.statistics.labels import (
    agreement,
    class_scores,
    confusion,
    disputed_rows,
    expected_calibration_error,
    label_names,
    label_pairs,
    probability_differences,
    reliability,
)
from gnbbench.statistics.metrics import (
    Point,
    corrected,
    disputes,
    impossible_runs,
    metrics,
    point_of,
    points_table,
    uncorrected,
)
from gnbbench.statistics.remarks import failures, remarks, spot_checks, sweep_remarks
from gnbbench.statistics.streamed import stream_remarks, stream_tables
from gnbbench.statistics.summary import DatasetDescription, DecisionRegions, Summary
from gnbbench.statistics.sweep import with_curves
from gnbbench.statistics.timing import memory, memory_remarks, summarize_timings
from gnbbench.statistics.verdicts import headline, sweep_verdicts, verdicts

Tables = dict[str, pd.DataFrame]


def summarize(records: Records) -> Summary:
    """Return all tables, verdicts and remarks of a study with one point.

    Depends on the records alone, and not on the order of their rows. A failed run is in
    no mean, and is counted in ``runs`` columns, in the verdict and in the warnings.
    """
    if records.runs.empty:
        raise ValueError("records hold no run: nothing to summarize")
    return _summary({float("nan"): records})


def summarize_sweep(by_fraction: Mapping[float, Records]) -> Summary:
    """Return all tables, verdicts and remarks of a sweep over train fractions.

    Every fraction is a point, and says what a study at it alone would say. A run without a
    split to be run on is in no mean, and is counted and told.
    """
    empty = [fraction for fraction in by_fraction if by_fraction[fraction].runs.empty]
    if empty or not by_fraction:
        which = f"train fraction {empty[0]}" if empty else "any train fraction"
        raise ValueError(f"records hold no run at {which}: nothing to summarize")
    return _summary(dict(sorted(by_fraction.items())))


@dataclass(frozen=True)
class _Setting:
    """What every table needs to know of the study."""

    first: Records
    points: tuple[Point, ...]
    is_sweep: bool
    reference: str
    competitors: tuple[str, ...]
    margin: float
    dataset: DatasetDescription
    labels: dict[int, str]

    @property
    def implementations(self) -> tuple[str, ...]:
        return (self.reference, *self.competitors)

    @property
    def n_rows(self) -> int:
        return self.dataset.n_samples - (self.dataset.n_duplicates or 0)


def _setting(by_fraction: Mapping[float, Records]) -> _Setting:
    first = next(iter(by_fraction.values()))
    plan, dataset = first.plan, DatasetDescription.of(first.dataset)
    names = (str(plan["reference"]), *map(str, plan["against"]))
    counted = [
        table
        for records in by_fraction.values()
        for table in (records.confusion, records.label_pairs, records.votes)
    ]
    return _Setting(
        first,
        tuple(
            point_of(records, fraction, names) for fraction, records in by_fraction.items()
        ),
        plan["study"] == SWEEP,
        names[0],
        names[1:],
        float(plan["margin"]),
        dataset,
        label_names(dataset.class_names, *counted),
    )


def _summary(by_fraction: Mapping[float, Records]) -> Summary:
    s = _setting(by_fraction)
    tables, place = _tables(s), _timed_place(s.points)
    timed_at = s.points[place].records
    timed = summarize_timings(timed_at.timings, timed_at.timing_notes, s.implementations)
    failed = failures(_possible_runs(tables, s), s.implementations)
    if s.is_sweep:
        tables = with_curves(tables, s.points, s.implementations)
    judged, told = (sweep_verdicts, sweep_remarks) if s.is_sweep else (verdicts, remarks)
    found = judged(tables, failed, reference=s.reference, margin=s.margin)
    measured = {**timed.tables, "memory": memory(timed_at.memory, s.implementations)}
    tables |= {name: _numbered(table, place) for name, table in measured.items()}
    return Summary(
        study=s.first.plan["study"],
        command=s.first.plan["command"],
        headline=headline(found, tables, failed, s.reference),
        plan=s.first.plan,
        environment=s.first.environment,
        reference=s.reference,
        implementations=s.implementations,
        tables=tables | stream_tables(s.first.stream),
        verdicts=found,
        warnings=(
            *spot_checks(s.first.plan),
            *stream_remarks(s.first),
            *told(tables, list(failed.values())),
            *timed.warnings,
            *memory_remarks(timed_at.memory),
        ),
        data=s.dataset,
        details={
            "timing_regime": timed.regime,
            "timing_plan": timed.plan,
            "timing_remarks": timed.warnings,
            "timing_taken": timed.taken,
            "failures": tuple(failed.values()),
            "decision_regions": DecisionRegions.of(s.first.decision_regions),
        },
    )


def _tables(s: _Setting) -> Tables:
    """Return the tables of every point, one below the other."""
    by_point = [_point_tables(point, s) for point in s.points]
    tables = {name: _stacked([tables[name] for tables in by_point]) for name in by_point[0]}
    tables["differences"] = corrected(tables["differences"])
    return {"points": points_table(s.points), **tables}


def _stacked(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return tables as one, led by the number of the point."""
    numbered = [_numbered(table, number) for number, table in enumerate(tables)]
    full = [table for table in numbered if not table.empty]
    return pd.concat(full or numbered[:1], ignore_index=True)


def _numbered(table: pd.DataFrame, point: int) -> pd.DataFrame:
    table.insert(0, "point", point)
    return table


def _point_tables(point: Point, s: _Setting) -> Tables:
    """Return what the runs of one point come to, whatever kind of study they are of."""
    records, sizes, values = point.records, point.sizes, point.run_values
    agreed = agreement(records, s.competitors, sizes, n_rows=s.n_rows)
    given = confusion(records.confusion, s.implementations, s.dataset.class_names, s.labels)
    bins = reliability(records.reliability, s.implementations, sizes, n_rows=s.n_rows)
    errors = {name: expected_calibration_error(bins, name) for name in s.implementations}
    return {
        "agreement": agreed,
        "label_pairs": label_pairs(records.label_pairs, s.competitors, s.labels),
        "probability_differences": probability_differences(
            records.probability_differences, s.competitors
        ),
        "disputed_rows": disputed_rows(
            records.disagreements,
            records.votes,
            s.labels,
            reference=s.reference,
            competitors=s.competitors,
        ),
        "metrics": metrics(values, sizes, errors),
        "differences": uncorrected(
            values, disputes(agreed), sizes, reference=s.reference, margin=s.margin
        ),
        "runs": _runs(records.runs, s),
        "class_scores": class_scores(given),
        "confusion": given,
        "reliability": bins,
    }


def _runs(runs: pd.DataFrame, s: _Setting) -> pd.DataFrame:
    """Return the table `runs`, by run and then in the order asked for."""
    place = {name: number for number, name in enumerate(s.implementations)}
    order = runs.assign(place=runs["implementation"].map(place))
    sizes = () if s.is_sweep else ("n_train", "n_test", "smallest_class")
    columns = [column for column in TABLES["runs"] if column not in sizes]
    table = order.sort_values(["run", "place"])[columns].reset_index(drop=True)
    # Where no run has a metric its column may hold None; types have to be the same.
    return table.astype(dict.fromkeys(RUN_METRICS, "float64"))


def _possible_runs(tables: Tables, s: _Setting) -> pd.DataFrame:
    """Return the runs that had a split, numbered anew over all points."""
    runs = tables["runs"]
    if s.is_sweep:
        runs = runs[~impossible_runs(runs)]
    return runs.assign(run=runs.groupby(["point", "run"]).ngroup())


def _timed_place(points: Sequence[Point]) -> int:
    """Return the number of the point that times were taken at, if they were at any."""
    timed = [n for n, p in enumerate(points) if not p.records.timings.empty]
    if len(timed) > 1:
        raise ValueError(f"timings stand at {len(timed)} train fractions, expected one")
    noted = [n for n, point in enumerate(points) if point.records.timing_notes]
    return next(iter([*timed, *noted]), 0)
