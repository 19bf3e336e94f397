"""From the records of a study to everything a report shows of it."""

from dataclasses import dataclass

import pandas as pd

from gnbbench.records import RUN_METRICS, Records
from gnbbench.statistics.agreement import agreement, probability_differences
from gnbbench.statistics.calibration import expected_calibration_error, reliability
from gnbbench.statistics.descriptions import dataset_description, decision_regions
from gnbbench.statistics.labels import (
    class_scores,
    confusion,
    disputed_rows,
    label_names,
    label_pairs,
)
from gnbbench.statistics.metrics import SplitSizes, differences, metrics, run_values
from gnbbench.statistics.remarks import failures, remarks, spot_checks
from gnbbench.statistics.streamed import stream_remarks, streamed
from gnbbench.statistics.summary import DatasetDescription, Summary, Verdict
from gnbbench.statistics.timing import memory, memory_remarks, summarize_timings
from gnbbench.statistics.verdicts import headline, verdicts


def summarize(records: Records) -> Summary:
    """Return all tables, verdicts and remarks of a compare study.

    Depends on the records alone, and not on the order of their rows. A failed run is in
    no mean, and is counted in ``runs`` columns, in the verdict and in the warnings.
    """
    if records.runs.empty:
        raise ValueError("records hold no run: nothing to summarize")
    return _assembled(records, _setting(records))


@dataclass(frozen=True)
class _Setting:
    """What every table needs to know of the study."""

    reference: str
    competitors: tuple[str, ...]
    margin: float
    n_runs: int
    sizes: SplitSizes
    dataset: DatasetDescription
    labels: dict[int, str]

    @property
    def implementations(self) -> tuple[str, ...]:
        return (self.reference, *self.competitors)

    @property
    def n_rows(self) -> int:
        return self.dataset.n_samples - (self.dataset.n_duplicates or 0)


def _setting(records: Records) -> _Setting:
    runs, plan = records.runs, records.plan
    dataset = dataset_description(records.dataset)
    return _Setting(
        reference=str(plan["reference"]),
        competitors=tuple(plan["against"]),
        margin=float(plan["margin"]),
        n_runs=int(runs["run"].nunique()),
        # Every split has the same sizes.
        sizes=SplitSizes(int(runs["n_train"].max()), int(runs["n_test"].max())),
        dataset=dataset,
        labels=label_names(
            dataset.class_names, records.confusion, records.label_pairs, records.votes
        ),
    )


def _assembled(records: Records, s: _Setting) -> Summary:
    agreed, changes, verdicts_found = _judged(records, s)
    given, bins, means = _measured(records, s)
    failed = list(failures(records.runs, s.implementations).values())
    timed = summarize_timings(
        records.timings,
        records.timing_notes,
        reference=s.reference,
        competitors=s.competitors,
    )
    return Summary(
        study=records.plan["study"],
        command=records.plan["command"],
        plan=records.plan,
        environment=records.environment,
        dataset=s.dataset,
        reference=s.reference,
        implementations=s.implementations,
        n_runs=s.n_runs,
        n_train=s.sizes.n_train,
        n_test=s.sizes.n_test,
        margin=s.margin,
        headline=headline(verdicts_found, reference=s.reference),
        verdicts=verdicts_found,
        agreement=agreed,
        label_pairs=label_pairs(records.label_pairs, s.competitors, s.labels),
        probability_differences=probability_differences(
            records.probability_differences, s.competitors
        ),
        disputed_rows=_disputed(records, s),
        metrics=means,
        differences=changes,
        runs=_runs(records.runs, s),
        class_scores=class_scores(given),
        confusion=given,
        reliability=bins,
        timing=timed.timing,
        ratios=timed.ratios,
        timing_regime=timed.regime,
        warnings=(
            *spot_checks(records.plan),
            *stream_remarks(records),
            *remarks(s.sizes, s.n_runs, given, failed),
            *timed.warnings,
            *memory_remarks(records.memory),
        ),
        decision_regions=decision_regions(records.decision_regions),
        timing_rounds=timed.rounds,
        memory=memory(records.memory, s.implementations),
        timing_plan=timed.plan,
        streamed=streamed(records.stream),
    )


def _judged(
    records: Records, s: _Setting
) -> tuple[pd.DataFrame, pd.DataFrame, tuple[Verdict, ...]]:
    """Return agreement, differences and verdicts."""
    agreed = agreement(records, s.competitors, s.sizes, n_rows=s.n_rows)
    differing = dict(zip(agreed["implementation"], agreed["disagreements"], strict=True))
    values = run_values(records.runs, s.implementations)
    changes = differences(
        values, differing, s.sizes, reference=s.reference, margin=s.margin
    )
    found = verdicts(
        agreed,
        changes,
        failures(records.runs, s.implementations),
        reference=s.reference,
        margin=s.margin,
        n_runs=s.n_runs,
    )
    return agreed, changes, found


def _measured(
    records: Records, s: _Setting
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return confusion, reliability and metrics of every implementation."""
    given = confusion(records.confusion, s.implementations, s.dataset.class_names, s.labels)
    bins = reliability(records.reliability, s.implementations, s.sizes, n_rows=s.n_rows)
    errors = {name: expected_calibration_error(bins, name) for name in s.implementations}
    means = metrics(run_values(records.runs, s.implementations), s.sizes, errors)
    return given, bins, means


def _disputed(records: Records, s: _Setting) -> pd.DataFrame:
    return disputed_rows(
        records.disagreements,
        records.votes,
        s.labels,
        reference=s.reference,
        competitors=s.competitors,
    )


def _runs(runs: pd.DataFrame, s: _Setting) -> pd.DataFrame:
    """Return the table `runs` of a Summary, by run and then in the order asked for."""
    place = {name: number for number, name in enumerate(s.implementations)}
    order = runs.assign(place=runs["implementation"].map(place))
    columns = ["run", "implementation", "status", "message", *RUN_METRICS]
    table = order.sort_values(["run", "place"])[columns].reset_index(drop=True)
    return table.astype(dict.fromkeys(RUN_METRICS, "float64"))
