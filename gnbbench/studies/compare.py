"""The compare study: a plan and a dataset become records."""

from collections.abc import Sequence
from dataclasses import dataclass

from gnbbench.datasets.dataset import Dataset
from gnbbench.datasets.description import describe
from gnbbench.errors import ResultsError
from gnbbench.implementations import Implementation
from gnbbench.measurement.decision_regions import decision_regions
from gnbbench.measurement.environment import environment
from gnbbench.measurement.evaluation import Sample, SplitRule
from gnbbench.measurement.operations import time_implementations
from gnbbench.measurement.plane import Plane, plane
from gnbbench.measurement.timing import TimingPlan
from gnbbench.splits import Split
from gnbbench.studies.plan import ComparePlan
from gnbbench.studies.progress import Progress
from gnbbench.studies.runner import batches, evaluated
from gnbbench.studies.store import Store

# Records of one study must come from one version of each of these.
DECISIVE_VERSIONS = ("gnbbench", "numpy", "scikit-learn")


@dataclass(frozen=True)
class Setting:
    """A plan together with what it is carried out on, found to be possible.

    Parameters
    ----------
    dataset : Dataset
    entries : tuple of Implementation
        The reference first.
    plan : ComparePlan
    sample : Sample
        The dataset's arrays.
    rule : SplitRule
        The plan's way to split them.
    first : Split
        Run 0, which is timed and whose training side the decision regions show.
    view : Plane or None
        The coordinates of the decision regions.
    """

    dataset: Dataset
    entries: tuple[Implementation, ...]
    plan: ComparePlan
    sample: Sample
    rule: SplitRule
    first: Split
    view: Plane | None


def setting(
    dataset: Dataset, entries: Sequence[Implementation], plan: ComparePlan
) -> Setting:
    """Return the plan made ready; whatever the data make impossible is raised here.

    Parameters
    ----------
    dataset : Dataset
    entries : sequence of Implementation
        The reference first.
    plan : ComparePlan

    Returns
    -------
    Setting

    Raises
    ------
    OptionError, DatasetError
        If the samples cannot be split so, or have no such features.
    """
    sample = Sample(dataset.X, dataset.y, dataset.classes, dataset.codes)
    rule = SplitRule(plan.seed, plan.test_size, None, plan.stratify, dataset.name)
    first = rule.cut(sample, 0)
    view = plane(dataset.X, dataset.codes, dataset.feature_names, plan.features)
    return Setting(dataset, tuple(entries), plan, sample, rule, first, view)


def measure(
    made: Setting,
    store: Store,
    *,
    command: str,
    progress: Progress,
    jobs: int | None = None,
    budget_seconds: float = 1.0,
) -> None:
    """Fill the store with all records of the plan that are not there yet.

    Agreement is evaluated before anything is timed, and nothing else runs while it is.

    Parameters
    ----------
    made : Setting
    store : Store
        New, or left by an earlier call with the same plan.
    command : str
        What repeats the study, as the user would type it.
    progress : Progress
    jobs : int, default=None
        Worker processes for the evaluation; judged by the work when None.
    budget_seconds : float, default=1
        Time for the timing of all implementations.

    Raises
    ------
    ResultsError
        If the store holds another plan, or records of other versions.
    """
    _settle(made, store, command)
    _evaluate(made, store, jobs, progress)
    if store.note("decision_regions") is None and made.view is not None:
        progress.begin("decision regions")
        regions = decision_regions(made.sample, made.first, made.view, made.entries)
        store.add({}, {"decision_regions": regions})
    if store.note("timing_notes") is None:
        progress.begin("timing")
        _time(made, store, TimingPlan(budget_seconds, seed=made.plan.seed))


def _settle(made: Setting, store: Store, command: str) -> None:
    """Write down what the records are of, or check that it is what was written down."""
    here = environment()
    kept = store.note("plan")
    plan = {**made.plan.as_dict(), "command": command}
    if kept is None:
        notes = {"plan": plan, "environment": here, "dataset": describe(made.dataset)}
        store.add({}, notes)
        return
    if {**kept, "command": command} != plan:
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


def _evaluate(made: Setting, store: Store, jobs: int | None, progress: Progress) -> None:
    """Add the records of all runs that are missing, a batch at a time."""
    finished, n_runs = store.finished_runs(), made.plan.runs
    missing = [run for run in range(n_runs) if run not in finished]
    progress.begin("runs", total=n_runs, done=n_runs - len(missing))
    n_values = len(made.sample.X) * len(made.sample.classes) * len(made.entries)
    work = batches(missing, n_values)
    for batch, tables in evaluated(made.sample, made.rule, made.entries, work, jobs=jobs):
        store.add(tables)
        progress.advance(len(batch))


def _time(made: Setting, store: Store, timing: TimingPlan) -> None:
    """Add the times of every operation, taken on run 0."""
    timed = time_implementations(
        {entry.name: entry.make for entry in made.entries},
        made.sample.X[made.first.train],
        made.sample.y[made.first.train],
        made.sample.X[made.first.test],
        reference=made.entries[0].name,
        plan=timing,
    )
    store.add({"timings": timed.rows()}, {"timing_notes": timed.notes()})
