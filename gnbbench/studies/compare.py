"""The compare study: a plan and a dataset become records."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from gnbbench.data.dataset import Dataset
from gnbbench.implementations import Implementation
from gnbbench.measurement.decision_regions import Plane, decision_regions, plane
from gnbbench.measurement.split_rules import Sample, SplitRule
from gnbbench.splits import Split
from gnbbench.studies.plan import ComparePlan
from gnbbench.studies.progress import Progress
from gnbbench.studies.steps import (
    check_timing,
    evaluate_missing,
    measure_memory,
    sample_of,
    settle,
    time_run,
)
from gnbbench.studies.store import Store
from gnbbench.studies.timing_options import TimingOptions


@dataclass(frozen=True)
class Setting:
    """A plan together with what it is carried out on, found to be possible."""

    dataset: Dataset
    entries: tuple[Implementation, ...]  # The reference first
    plan: ComparePlan
    sample: Sample  # The dataset's arrays
    rule: SplitRule  # The plan's way to split them
    first: Split  # Run 0, which is timed and whose training side the decision regions show
    view: Plane | None  # The coordinates of the decision regions
    # How times are to be taken; no part of the plan, since nothing else depends on it
    timing: TimingOptions = field(default_factory=TimingOptions)


def setting(
    dataset: Dataset,
    entries: Sequence[Implementation],
    plan: ComparePlan,
    timing: TimingOptions | None = None,
) -> Setting:
    """Return the plan made ready; whatever the data make impossible is raised here."""
    sample = sample_of(dataset)
    rule = SplitRule(
        plan.seed, test_size=plan.test_size, stratify=plan.stratify, name=dataset.name
    )
    first = rule.cut(sample, 0)
    view = plane(dataset.X, dataset.codes, dataset.feature_names, plan.features)
    asked = timing or TimingOptions()
    return Setting(dataset, tuple(entries), plan, sample, rule, first, view, asked)


def measure(
    made: Setting,
    store: Store,
    *,
    command: str,
    progress: Progress,
    jobs: int | None = None,
    dask: str | None = None,
) -> None:
    """Fill the store with all records of the plan that are not there yet.

    Agreement is evaluated before anything is timed, and nothing else runs while it is.
    """
    plan, sample, entries = made.plan, made.sample, made.entries
    settle(store, made.dataset, plan, command)
    check_timing(store, entries, made.timing)
    evaluate_missing(
        store,
        sample,
        entries,
        [made.rule],
        plan.runs,
        jobs=jobs,
        dask=dask,
        progress=progress,
        compared=plan.compared_runs,
    )
    if store.note("decision_regions") is None and made.view is not None:
        progress.begin("decision regions")
        regions = decision_regions(sample, made.first, made.view, entries)
        store.add({}, {"decision_regions": regions})
    progress.begin("timing")
    time_run(
        store,
        sample,
        entries,
        made.first,
        point=0,
        plan=made.timing.plan(plan.seed),
        processes=made.timing.processes,
    )
    progress.begin("memory")
    measure_memory(store, sample, entries, made.first, point=0)
