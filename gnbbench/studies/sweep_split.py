"""The sweep study: the same comparison at several sizes of the train side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gnbbench.data.dataset import Dataset
from gnbbench.errors import GnbBenchError, OptionError
from gnbbench.implementations import Implementation
from gnbbench.measurement.split_rules import Sample, SplitRule
from gnbbench.measurement.timing import TimingPlan
from gnbbench.records import Records
from gnbbench.splits import Split
from gnbbench.studies.plan import SweepPlan
from gnbbench.studies.progress import Progress
from gnbbench.studies.steps import evaluate_missing, sample_of, settle, time_run
from gnbbench.studies.store import Store

# Times are taken at the possible fraction nearest to this one, compare's own.
TIMED_FRACTION = 0.7


@dataclass(frozen=True)
class SweepSetting:
    """A plan together with what it is carried out on, found to be possible."""

    dataset: Dataset
    entries: tuple[Implementation, ...]  # The reference first
    plan: SweepPlan
    sample: Sample  # The dataset's arrays
    # One for each train fraction; at some there may be no split
    rules: tuple[SplitRule, ...]
    timed_point: int  # Number of the fraction at which times are taken
    timed: Split  # Run 0 there


def sweep_setting(
    dataset: Dataset, entries: Sequence[Implementation], plan: SweepPlan
) -> SweepSetting:
    """Return the plan made ready; it is refused only if no fraction can be split."""
    sample = sample_of(dataset)
    rules = tuple(
        SplitRule(plan.seed, train_size=share, stratify=plan.stratify, name=dataset.name)
        for share in plan.train_fractions
    )
    possible: dict[int, Split] = {}
    reason = ""
    for point, rule in enumerate(rules):
        try:
            possible[point] = rule.cut(sample, 0)
        except GnbBenchError as error:
            reason = str(error)
    if not possible:
        raise OptionError("--train-fractions", "there is no split at any of them", reason)
    timed = min(
        possible, key=lambda point: abs(plan.train_fractions[point] - TIMED_FRACTION)
    )
    return SweepSetting(
        dataset, tuple(entries), plan, sample, rules, timed, possible[timed]
    )


def measure_sweep(
    made: SweepSetting,
    store: Store,
    *,
    command: str,
    progress: Progress,
    jobs: int | None = None,
    dask: str | None = None,
    budget_seconds: float = 1.0,
) -> None:
    """Fill the store with all records of the plan that are not there yet.

    A fraction without a split is recorded, run by run, with the reason. A run whose
    training side holds fewer than two samples of a class is evaluated like any other,
    and known by its ``smallest_class``.
    """
    plan, sample, entries = made.plan, made.sample, made.entries
    settle(store, made.dataset, plan, command)
    evaluate_missing(
        store,
        sample,
        entries,
        made.rules,
        plan.runs,
        jobs=jobs,
        dask=dask,
        progress=progress,
        compared=plan.compared_runs,
    )
    progress.begin("timing")
    timing = TimingPlan(budget_seconds, seed=plan.seed)
    time_run(store, sample, entries, made.timed, point=made.timed_point, plan=timing)


def sweep_records(made: SweepSetting, store: Store) -> Mapping[float, Records]:
    """The records of each train fraction; times are with the one they were taken at."""
    found = {}
    for point, fraction in enumerate(made.plan.train_fractions):
        records = store.records(point)
        if point != made.timed_point:
            records = replace(records, timing_notes=None)
        found[fraction] = records
    return found
