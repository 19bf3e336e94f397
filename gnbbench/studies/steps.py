"""The steps that every study takes: settle what it is, evaluate runs, time one."""

from collections.abc import Mapping, Sequence, Set
from typing import Any, Protocol

from gnbbench.data.dataset import Dataset, describe
from gnbbench.errors import ResultsError
from gnbbench.implementations import Implementation
from gnbbench.measurement.environment import environment
from gnbbench.measurement.split_rules import Sample, SplitRule
from gnbbench.measurement.timing import TimingPlan
from gnbbench.splits import Split
from gnbbench.studies.costs import memory_notes, require_sendable, time_in_processes
from gnbbench.studies.progress import Progress
from gnbbench.studies.runner import batches, evaluated
from gnbbench.studies.shared_options import TimingOptions
from gnbbench.studies.store import Store

USUAL_BUDGET_SECONDS = 1.0
PRECISE_BUDGET_SECONDS = 30.0

# Records of one study must come from one version of each of these.
DECISIVE_VERSIONS = ("gnbbench", "numpy", "scikit-learn")


def sample_of(dataset: Dataset) -> Sample:
    """Return the arrays of a dataset that every run is cut from."""
    return Sample(dataset.X, dataset.y, dataset.classes, dataset.codes)


class Settled(Protocol):
    """A plan of any kind of study."""

    @property
    def directory_name(self) -> str:
        """Usual name of the results directory."""

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as JSON knows it."""


def settle(store: Store, dataset: Dataset | None, plan: Settled, command: str) -> None:
    """Write down what the records are of, or check that it is what was written down."""
    here = environment()
    kept = store.note("plan")
    settled = {**plan.as_dict(), "command": command}
    if kept is None:
        notes = {"plan": settled, "environment": here}
        if dataset is not None:
            notes["dataset"] = describe(dataset)
        store.add({}, notes)
        return
    if {**kept, "command": command} != settled:
        raise ResultsError(
            str(store.path),
            "it holds the records of another plan",
            "Choose another directory with --out, or replace them with --overwrite.",
        )
    then, now = store.note("environment")["versions"], here["versions"]
    for package in DECISIVE_VERSIONS:
        if then.get(package) != now.get(package):
            raise ResultsError(
                str(store.path),
                f"its records are of {package} {then.get(package)}, not {now.get(package)}",
                "Choose another directory with --out, or measure again with --overwrite.",
            )


def evaluate_missing(
    store: Store,
    sample: Sample,
    entries: Sequence[Implementation],
    rules: Sequence[SplitRule],
    n_runs: int,
    *,
    jobs: int | None,
    dask: str | None,
    progress: Progress,
    compared: Set[int] | None = None,
) -> None:
    """Add the records of all runs that are missing, a batch at a time."""
    n_values = len(sample.X) * len(sample.classes)
    work = []
    for point, rule in enumerate(rules):
        finished = store.finished_runs(point)
        missing = [run for run in range(n_runs) if run not in finished]
        both = [run for run in missing if compared is None or run in compared]
        work += batches(point, rule, both, n_values=n_values * len(entries))
        rest = [run for run in missing if compared is not None and run not in compared]
        work += batches(point, rule, rest, n_values=n_values, alone=True)
    total = len(rules) * n_runs
    n_missing = sum(len(batch.runs) for batch in work)
    progress.begin("runs", total=total, done=total - n_missing)
    for batch, tables in evaluated(sample, entries, work, jobs=jobs, dask=dask):
        store.add(tables, point=batch.point)
        progress.advance(len(batch.runs))


def timing_plan(options: TimingOptions, seed: int) -> TimingPlan:
    """Return the plan of the measurement; the budget follows from the precision."""
    usual = USUAL_BUDGET_SECONDS if options.precision is None else PRECISE_BUDGET_SECONDS
    return TimingPlan(
        budget_seconds=options.budget_seconds or usual,
        regime=options.regime,
        threads=options.threads,
        seed=seed,
        precision=options.precision,
    )


def times_differ(options: TimingOptions, notes: Mapping[str, Any]) -> bool:
    """Return whether times that were taken are other ones than are asked for.

    Nothing asked for goes with any times; another budget alone is no difference.
    """
    wanted = {name: getattr(options, name) for name in TimingOptions.model_fields}
    defaults = TimingOptions()
    if all(value == getattr(defaults, name) for name, value in wanted.items()):
        return False
    kept = {"precision": None, **notes.get("plan", {})}
    kept["processes"] = len(notes.get("processes", ())) or 1
    del wanted["budget_seconds"]
    return any(kept.get(name) != value for name, value in wanted.items())


def check_timing(
    store: Store, entries: Sequence[Implementation], timing: TimingOptions
) -> None:
    """Raise unless times can be taken as they are asked for, or have been."""
    notes = store.note("timing_notes")
    if notes is not None and times_differ(timing, notes):
        raise ResultsError(
            str(store.path),
            "its times were taken with other options",
            "Choose another directory with --out, or measure again with --overwrite.",
        )
    if notes is None and timing.processes > 1:
        require_sendable(entries)


def time_run(
    store: Store,
    sample: Sample,
    entries: Sequence[Implementation],
    one: Split,
    *,
    point: int,
    plan: TimingPlan,
    processes: int = 1,
) -> None:
    """Add the times of every operation, taken on one run, unless they are there."""
    if store.note("timing_notes") is not None:
        return
    arrays = sample.X[one.train], sample.y[one.train], sample.X[one.test]
    timed = time_in_processes(
        entries,
        arrays,
        plan=plan,
        processes=processes,
        unsafe=_unsafe(store, entries, point),
    )
    store.add({"timings": timed.rows()}, {"timing_notes": timed.notes()}, point=point)


def measure_memory(
    store: Store,
    sample: Sample,
    entries: Sequence[Implementation],
    one: Split,
    *,
    point: int,
) -> None:
    """Add the memory of every operation, taken on one run, unless it is there."""
    if store.note("memory") is not None:
        return
    arrays = sample.X[one.train], sample.y[one.train], sample.X[one.test]
    unsafe = _unsafe(store, entries, point)
    store.add({}, {"memory": memory_notes(entries, arrays, unsafe=unsafe)}, point=point)


def _unsafe(store: Store, entries: Sequence[Implementation], point: int) -> set[str]:
    """Return the implementations that hung or crashed in a process of their own."""
    if all(entry.direct is None for entry in entries):
        return set()
    runs = store.records(point).runs
    return set(runs.loc[runs["status"].isin(["timeout", "crash"]), "implementation"])
