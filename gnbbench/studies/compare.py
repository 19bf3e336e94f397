"""The compare study: a plan and a dataset become records."""

from collections.abc import Sequence
from dataclasses import dataclass

from gnbbench.datasets.dataset import Dataset
from gnbbench.implementations import Implementation
from gnbbench.measurement.decision_regions import decision_regions
from gnbbench.measurement.plane import Plane, plane
from gnbbench.measurement.sample import Sample, SplitRule
from gnbbench.measurement.timing import TimingPlan
from gnbbench.splits import Split
from gnbbench.studies.plan import ComparePlan
from gnbbench.studies.progress import Progress
from gnbbench.studies.steps import evaluate_missing, sample_of, settle, time_run
from gnbbench.studies.store import Store


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
    sample = sample_of(dataset)
    rule = SplitRule(
        plan.seed, test_size=plan.test_size, stratify=plan.stratify, name=dataset.name
    )
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
    dask: str | None = None,
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
    dask : str, default=None
        Address of a Dask scheduler that takes the evaluation instead.
    budget_seconds : float, default=1
        Time for the timing of all implementations.

    Raises
    ------
    ResultsError
        If the store holds another plan, or records of other versions.
    """
    plan, sample, entries = made.plan, made.sample, made.entries
    settle(store, made.dataset, plan, command)
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
    timing = TimingPlan(budget_seconds, seed=plan.seed)
    time_run(store, sample, entries, made.first, point=0, plan=timing)
