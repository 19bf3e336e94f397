"""Comparisons over randomised splits: at one train fraction, or at several."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gnbbench.data.dataset import Dataset
from gnbbench.errors import GnbBenchError, OptionError
from gnbbench.implementations import Implementation, implementations
from gnbbench.measurement.decision_regions import Plane, decision_regions, plane
from gnbbench.measurement.split_rules import Sample, SplitRule
from gnbbench.measurement.timing import TimingPlan
from gnbbench.records import Records
from gnbbench.splits import Split
from gnbbench.statistics import summarize, summarize_sweep
from gnbbench.statistics.summary import Summary
from gnbbench.studies.inputs import (
    call_text,
    competitors_of,
    dataset_of,
    named_options,
    of_dataset,
    origins,
)
from gnbbench.studies.options import CompareOptions, SweepOptions
from gnbbench.studies.plan import ComparePlan, SweepPlan
from gnbbench.studies.progress import Progress
from gnbbench.studies.shared_options import RunOptions
from gnbbench.studies.steps import (
    check_timing,
    evaluate_missing,
    measure_memory,
    sample_of,
    time_run,
    timing_plan,
)
from gnbbench.studies.store import Store
from gnbbench.studies.study import (
    RUNS_KEPT,
    Kind,
    Study,
    require_finished,
    run,
    study_function,
)

if TYPE_CHECKING:
    from gnbbench.report.blocks import Document

# Times are taken at the possible fraction nearest to this one, compare's own.
TIMED_FRACTION = 0.7


@dataclass(frozen=True)
class PreparedCompare:
    """A comparison together with what it is carried out on, found to be possible."""

    options: CompareOptions
    plan: ComparePlan
    dataset: Dataset
    entries: tuple[Implementation, ...]  # The reference first
    sample: Sample  # The dataset's arrays
    rule: SplitRule  # The plan's way to split them
    first: Split  # Run 0, which is timed and whose training side the decision regions show
    view: Plane | None  # The coordinates of the decision regions


class Compare(Kind[CompareOptions, PreparedCompare]):
    """Runs at one test size."""

    name = "compare"
    function = "compare"
    kept = RUNS_KEPT

    def prepare(self, options: CompareOptions) -> PreparedCompare:
        if options.optional:
            what, remedy = "there is one dataset", "Name them in against."
            raise OptionError("optional", what, remedy)
        return self.prepare_on(dataset_of(options), options)

    def prepare_on(self, dataset: Dataset, options: CompareOptions) -> PreparedCompare:
        """Return the comparison on one dataset, be it of several."""
        entries, checks = _entries(options)
        plan = ComparePlan(
            **of_dataset(dataset),
            **origins(entries),
            **_of_runs(options, checks),
            test_size=options.test_size,
            features=options.features,
        )
        sample = sample_of(dataset)
        rule = SplitRule(
            plan.seed, test_size=plan.test_size, stratify=plan.stratify, name=dataset.name
        )
        first = rule.cut(sample, 0)
        view = plane(dataset.X, dataset.codes, dataset.feature_names, plan.features)
        return PreparedCompare(options, plan, dataset, entries, sample, rule, first, view)

    def measure(self, prepared: PreparedCompare, store: Store, progress: Progress) -> None:
        """Agreement is evaluated before anything is timed, and nothing else runs then."""
        options, plan = prepared.options, prepared.plan
        sample, entries, first = prepared.sample, prepared.entries, prepared.first
        check_timing(store, entries, options)
        evaluate_missing(
            store,
            sample,
            entries,
            [prepared.rule],
            plan.runs,
            jobs=options.jobs,
            dask=options.dask,
            progress=progress,
            compared=plan.compared_runs,
        )
        if store.note("decision_regions") is None and prepared.view is not None:
            progress.begin("decision regions")
            regions = decision_regions(sample, first, prepared.view, entries)
            store.add({}, {"decision_regions": regions})
        progress.begin("timing")
        how, processes = timing_plan(options, plan.seed), options.processes
        time_run(store, sample, entries, first, point=0, plan=how, processes=processes)
        progress.begin("memory")
        measure_memory(store, sample, entries, first, point=0)

    def summarize(self, store: Store) -> Summary:
        require_finished(store, len(store.finished_runs(0)), store.note("plan")["runs"])
        return summarize(store.records())

    def call(self, prepared: PreparedCompare) -> str:
        named = named_options(prepared.options, prepared.plan)
        return call_text(self.function, prepared.plan.dataset, **named)

    def report(self, summary: Summary) -> "Document":
        from gnbbench.report.compare import report

        return report(summary)


@dataclass(frozen=True)
class PreparedSweep:
    """A sweep together with what it is carried out on, found to be possible."""

    options: SweepOptions
    plan: SweepPlan
    dataset: Dataset
    entries: tuple[Implementation, ...]  # The reference first
    sample: Sample  # The dataset's arrays
    # One for each train fraction; at some there may be no split
    rules: tuple[SplitRule, ...]
    timed_point: int  # Number of the fraction at which times are taken
    timed: Split  # Run 0 there


class SweepSplit(Kind[SweepOptions, PreparedSweep]):
    """The same comparison at several sizes of the train side."""

    name = "sweep-split"
    function = "sweep_split"
    kept = RUNS_KEPT

    def prepare(self, options: SweepOptions) -> PreparedSweep:
        """It is refused only if no fraction can be split."""
        dataset = dataset_of(options)
        entries, checks = _entries(options)
        plan = SweepPlan(
            **of_dataset(dataset),
            **origins(entries),
            **_of_runs(options, checks),
            train_fractions=options.train_fractions,
        )
        sample = sample_of(dataset)
        rules = tuple(
            SplitRule(
                plan.seed, train_size=share, stratify=plan.stratify, name=plan.dataset
            )
            for share in plan.train_fractions
        )
        point, timed = _timed_split(sample, rules, plan.train_fractions)
        return PreparedSweep(options, plan, dataset, entries, sample, rules, point, timed)

    def measure(self, prepared: PreparedSweep, store: Store, progress: Progress) -> None:
        """A fraction without a split is recorded, run by run, with the reason.

        A run whose training side holds fewer than two samples of a class is evaluated like
        any other, and known by its ``smallest_class``.
        """
        plan, sample, entries = prepared.plan, prepared.sample, prepared.entries
        evaluate_missing(
            store,
            sample,
            entries,
            prepared.rules,
            plan.runs,
            jobs=prepared.options.jobs,
            dask=prepared.options.dask,
            progress=progress,
            compared=plan.compared_runs,
        )
        progress.begin("timing")
        how = TimingPlan(prepared.options.budget_seconds, seed=plan.seed)
        point = prepared.timed_point
        time_run(store, sample, entries, prepared.timed, point=point, plan=how)

    def summarize(self, store: Store) -> Summary:
        plan = store.note("plan")
        points = range(len(plan["train_fractions"]))
        done = sum(len(store.finished_runs(point)) for point in points)
        require_finished(store, done, len(points) * plan["runs"])
        return summarize_sweep(sweep_records(store))

    def call(self, prepared: PreparedSweep) -> str:
        named = named_options(prepared.options, prepared.plan)
        return call_text(self.function, prepared.plan.dataset, **named)

    def report(self, summary: Summary) -> "Document":
        from gnbbench.report.sweep import report

        return report(summary)


def sweep_records(store: Store) -> dict[float, Records]:
    """Return the records of each fraction; times are with the one they were taken at."""
    fractions = store.note("plan")["train_fractions"]
    found = [store.records(point) for point in range(len(fractions))]
    timed = [point for point, records in enumerate(found) if len(records.timings)]
    near = sorted(range(len(found)), key=lambda p: abs(fractions[p] - TIMED_FRACTION))
    for point in range(len(found)):
        if point != (timed or near)[0]:
            found[point] = replace(found[point], timing_notes=None)
    return dict(zip(fractions, found, strict=True))


def _entries(options: RunOptions) -> tuple[tuple[Implementation, ...], int | None]:
    """Return the implementations, the reference first, and in how many runs they meet."""
    against, checks = competitors_of(
        options.against, options.reference, options.runs, options.spot_checks
    )
    limit = getattr(options, "timeout_seconds", None)
    return implementations(options.reference, against, timeout_seconds=limit), checks


def _of_runs(options: RunOptions, spot_checks: int | None) -> dict[str, Any]:
    """Return the fields of a plan that say how runs are done."""
    names = ("runs", "stratify", "seed", "margin")
    return {name: getattr(options, name) for name in names} | {"spot_checks": spot_checks}


def _timed_split(
    sample: Sample, rules: tuple[SplitRule, ...], fractions: tuple[float, ...]
) -> tuple[int, Split]:
    """Return the possible fraction at which times are taken, and its first split."""
    possible: dict[int, Split] = {}
    reason = ""
    for point, rule in enumerate(rules):
        try:
            possible[point] = rule.cut(sample, 0)
        except GnbBenchError as error:
            reason = str(error)
    if not possible:
        raise OptionError("--train-fractions", "there is no split at any of them", reason)
    timed = min(possible, key=lambda point: abs(fractions[point] - TIMED_FRACTION))
    return timed, possible[timed]


@study_function(CompareOptions)
def compare(options: CompareOptions) -> Study:
    """Return how implementations of Gaussian naive Bayes compare over randomised splits.

    Run r is ``train_test_split(..., test_size=test_size, random_state=seed + r,
    stratify=y)``; all implementations see the same arrays. Data are a name such as
    "iris", what `gnbbench.load_dataset` returned, or samples; or a list of names, paths
    and datasets, each of which gets a study of its own, and all a matrix. With ``stream``
    the data are a path, read in blocks and never as a whole.

    Returns
    -------
    Study

    Raises
    ------
    GnbBenchError
        If the data, an option or the directory cannot be used; nothing is written then.

    Examples
    --------
    >>> compare("iris", runs=3).details.verdicts[0].outcome
    'identical'
    >>> len(compare(["iris", "wine"], runs=3).frame())
    2
    >>> from sklearn.naive_bayes import GaussianNB
    >>> study = compare("iris", against=[GaussianNB(var_smoothing=0.5)], runs=5)
    >>> study.details.verdicts[0].outcome
    'cannot tell'
    """
    return run(options)


@study_function(SweepOptions)
def sweep_split(options: SweepOptions) -> Study:
    """Return how implementations compare at several train fractions.

    As `gnbbench.compare` at each of them, with the share of samples trained on in place
    of that tested on.

    Returns
    -------
    Study

    Raises
    ------
    GnbBenchError
        If the data, an option or the directory cannot be used; nothing is written then.

    Examples
    --------
    >>> study = sweep_split("iris", runs=3, train_fractions=(0.5, 0.8))
    >>> study.details.overall["exact_share"].tolist()
    [nan, 1.0]
    """
    return run(options)


# doctest finds no examples in what a decorator made.
__test__ = {"compare": compare, "sweep_split": sweep_split}
