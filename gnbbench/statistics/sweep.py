"""From the records of a sweep over train fractions to everything a report shows of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from gnbbench.records import RUN_METRICS, TABLES, Records
from gnbbench.statistics.descriptions import dataset_description
from gnbbench.statistics.learning_curve import slopes
from gnbbench.statistics.remarks import spot_checks
from gnbbench.statistics.summary import DatasetDescription
from gnbbench.statistics.sweep_accuracy import (
    accuracy_by_fraction,
    differences_by_fraction,
)
from gnbbench.statistics.sweep_agreement import (
    agreement_by_fraction,
    mismatch_counts,
    overall,
)
from gnbbench.statistics.sweep_points import SweepPoint, fractions_table, sweep_points
from gnbbench.statistics.sweep_remarks import sweep_failures, sweep_remarks
from gnbbench.statistics.sweep_summary import SweepSummary
from gnbbench.statistics.sweep_verdicts import sweep_verdicts
from gnbbench.statistics.timing import TimingSummary, summarize_timings
from gnbbench.statistics.verdicts import headline

NOT_TIMED = {
    "regime": "Nothing was timed.",
    "warnings": [],
    "skipped": {},
    "cold_seconds": {},
}


def summarize_sweep(by_fraction: Mapping[float, Records]) -> SweepSummary:
    """Return all tables, verdicts and remarks of a sweep over train fractions.

    Depends on the records alone, and neither on the order of the fractions nor on that of
    rows. A run with an error, or without a split to be run on, is in no mean, and is
    counted and told.
    """
    empty = [fraction for fraction in by_fraction if by_fraction[fraction].runs.empty]
    if empty or not by_fraction:
        which = f"train fraction {empty[0]}" if empty else "any train fraction"
        raise ValueError(f"records hold no run at {which}: nothing to summarize")
    return _assembled(_setting(by_fraction))


@dataclass(frozen=True)
class _Setting:
    """What every table needs to know of the sweep."""

    first: Records
    points: tuple[SweepPoint, ...]
    reference: str
    competitors: tuple[str, ...]
    margin: float
    dataset: DatasetDescription

    @property
    def implementations(self) -> tuple[str, ...]:
        return (self.reference, *self.competitors)

    @property
    def n_rows(self) -> int:
        return self.dataset.n_samples - (self.dataset.n_duplicates or 0)


def _setting(by_fraction: Mapping[float, Records]) -> _Setting:
    first = by_fraction[min(by_fraction)]
    reference, competitors = str(first.plan["reference"]), tuple(first.plan["against"])
    return _Setting(
        first,
        sweep_points(by_fraction, (reference, *competitors)),
        reference,
        competitors,
        float(first.plan["margin"]),
        dataset_description(first.dataset),
    )


def _assembled(s: _Setting) -> SweepSummary:
    agreed = agreement_by_fraction(s.points, s.competitors)
    counts = mismatch_counts(s.points, s.competitors)
    changes = differences_by_fraction(
        s.points,
        _disagreements(counts),
        reference=s.reference,
        competitors=s.competitors,
        margin=s.margin,
    )
    headline_table, fractions = (
        overall(s.points, s.implementations),
        fractions_table(s.points),
    )
    failed = sweep_failures(s.points, s.implementations)
    found = sweep_verdicts(
        headline_table,
        changes,
        s.points,
        failed,
        reference=s.reference,
        margin=s.margin,
        n_rows=s.n_rows,
    )
    timed = _timed(s)
    remarks = (
        *spot_checks(s.first.plan),
        *sweep_remarks(s.points, fractions, list(failed.values())),
    )
    return SweepSummary(
        study=s.first.plan["study"],
        command=s.first.plan["command"],
        plan=s.first.plan,
        environment=s.first.environment,
        dataset=s.dataset,
        reference=s.reference,
        implementations=s.implementations,
        fractions=tuple(point.fraction for point in s.points),
        n_runs=max(len(point.runs) for point in s.points),
        margin=s.margin,
        headline=headline(found, reference=s.reference),
        verdicts=found,
        overall=headline_table,
        fractions_table=fractions,
        accuracy=accuracy_by_fraction(s.points, s.implementations),
        differences=changes,
        agreement=agreed,
        mismatch_counts=counts,
        slopes=slopes(s.points, s.implementations),
        runs=_runs(s.points, s.implementations),
        timing=timed.timing,
        ratios=timed.ratios,
        timing_regime=timed.regime,
        warnings=(*remarks, *timed.warnings),
    )


def _disagreements(counts: pd.DataFrame) -> dict[tuple[float, str], int]:
    """Return the labels that differ, by fraction and competitor."""
    labels = counts["disagreements"] * counts["runs"]
    summed = labels.groupby([counts["fraction"], counts["implementation"]]).sum()
    return {(float(key[0]), str(key[1])): int(value) for key, value in summed.items()}  # type: ignore[index]  # keys of two levels are tuples


def _timed(s: _Setting) -> TimingSummary:
    """Return the times, taken at one fraction, if any were."""
    timed = [p.records for p in s.points if not p.records.timings.empty]
    if len(timed) > 1:
        raise ValueError(f"timings stand at {len(timed)} train fractions, expected one")
    noted = [p.records for p in s.points if p.records.timing_notes]
    source = next(iter([*timed, *noted]), s.first)
    return summarize_timings(
        source.timings,
        source.timing_notes or NOT_TIMED,
        reference=s.reference,
        competitors=s.competitors,
    )


def _runs(points: Sequence[SweepPoint], implementations: Sequence[str]) -> pd.DataFrame:
    """Return all runs by fraction, run, and then in the order asked for."""
    place = {name: number for number, name in enumerate(implementations)}
    tables = []
    for point in points:
        runs = point.records.runs[list(TABLES["runs"])]
        order = runs.assign(place=runs["implementation"].map(place))
        ordered = order.sort_values(["run", "place"]).drop(columns="place")
        ordered.insert(0, "fraction", point.fraction)
        # Where no run has a metric its column may hold None; types have to be the same.
        tables.append(ordered.astype(dict.fromkeys(RUN_METRICS, "float64")))
    return pd.concat(tables, ignore_index=True)
