"""Comparisons over randomised splits, at one train fraction or at several."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np

from gnbbench.data.dataset import Dataset
from gnbbench.errors import GnbBenchError, OptionError
from gnbbench.implementations import implementations
from gnbbench.implementations.isolation import payload_of
from gnbbench.measurement.batches import batches, evaluated
from gnbbench.measurement.decision_regions import Plane, decision_regions, plane
from gnbbench.measurement.memory import Arrays
from gnbbench.measurement.timing import TimingPlan
from gnbbench.processes.dask_cluster import require_cluster
from gnbbench.progress import Progress
from gnbbench.records import Records
from gnbbench.report.compare import report as compare_report
from gnbbench.report.sweep import report as sweep_report
from gnbbench.splits import Sample, Split, SplitRule, sample_of
from gnbbench.statistics.summarize import summarize, summarize_sweep
from gnbbench.statistics.summary import Summary, spread
from gnbbench.studies import plan as planning
from gnbbench.studies.costs import memory_notes, time_in_processes
from gnbbench.studies.kinds import run
from gnbbench.studies.option import study_function
from gnbbench.studies.options import CompareOptions, SweepOptions, TimingOptions
from gnbbench.studies.store import Store
from gnbbench.studies.study import RUNS_KEPT, Kind, Study, counting, require_finished

O = TypeVar("O", CompareOptions, SweepOptions)  # noqa: E741  options

# A sweep is timed at the feasible fraction nearest to this one.
TIMED_FRACTION = 0.7
USUAL_BUDGET_SECONDS = 1.0
PRECISE_BUDGET_SECONDS = 30.0
NOISY_BUDGET_SECONDS = 10.0  # On a noisy machine


@dataclass(frozen=True, kw_only=True)
class PreparedRuns(planning.Prepared[O]):
    """A comparison together with its samples and splits."""

    dataset: Dataset
    sample: Sample
    # One per train fraction; at some fractions no split may be possible
    rules: tuple[SplitRule, ...]
    splits: Mapping[int, Split]  # Run 0 of each fraction that can be split
    point: int  # Index of the fraction that is timed
    view: Plane | None  # The coordinates of the decision regions

    @property
    def first_split(self) -> Split:
        """Run 0 at the fraction that is timed."""
        return self.splits[self.point]

    @property
    def arrays(self) -> Arrays:
        """Training samples, their labels and test samples of run 0."""
        X, train = self.sample.X, self.first_split.train
        return X[train], self.sample.y[train], X[self.first_split.test]


PreparedCompare: TypeAlias = PreparedRuns[CompareOptions]
PreparedSweep: TypeAlias = PreparedRuns[SweepOptions]


class SplitComparison(Kind):
    """Runs at one or several train fractions."""

    kept = RUNS_KEPT
    plan_options: ClassVar[tuple[str, ...]]  # Options of the plan that other kinds lack

    @abstractmethod
    def sizes(self, options: Any) -> list[tuple[float | None, float | None]]:
        """Return the sizes of the test and the train side at each point; one is None."""

    def prepare_on(self, dataset: Dataset, options: O) -> PreparedRuns[O]:
        """Return the comparison on one dataset."""
        asked = options.against, options.reference
        against, spot_checks = planning.competitors_of(*asked, options.runs)
        require_cluster(options.dask)
        limit, data = options.timeout_seconds, (dataset.X, dataset.y)
        entries = implementations(
            options.reference, against, timeout_seconds=limit, data=data, keep=options.keep
        )
        fields = planning.origins(entries), planning.of_dataset(dataset), self.plan_options
        plan = planning.plan_of_runs(self.name, options, *fields, spot_checks=spot_checks)
        sample, seed, stratify = sample_of(dataset), options.seed, options.stratify
        rules = tuple(SplitRule(seed, *sides, stratify) for sides in self.sizes(options))
        splits = _first_splits(sample, rules)
        point = min(splits, key=lambda p: abs((rules[p].train_size or 0) - TIMED_FRACTION))
        names, features = dataset.feature_names, getattr(options, "features", None)
        return PreparedRuns(
            options=options,
            plan=plan,
            dataset=dataset,
            entries=entries,
            sample=sample,
            rules=rules,
            splits=splits,
            point=point,
            view=plane(dataset.X, dataset.codes, names, features),
        )


class Compare(SplitComparison):
    """Runs at one test size."""

    name = "compare"
    function = "compare"
    plan_options = ("test_size", "features")
    report = staticmethod(compare_report)

    def sizes(self, options: CompareOptions) -> list[tuple[float | None, float | None]]:
        return [(options.test_size, None)]

    def prepare(self, options: CompareOptions) -> PreparedCompare:
        if options.optional:
            what, remedy = "there is one dataset", "Name them in against."
            raise OptionError("optional", what, remedy)
        return self.prepare_on(planning.dataset_of(options), options)

    def measure(self, prepared: PreparedCompare, store: Store, progress: Progress) -> None:
        """Evaluate the runs first, so that nothing else is running during timing."""
        options, entries = prepared.options, prepared.entries
        notes = store.note("timing_notes")
        if notes is None and options.processes > 1:
            remedy = "Time it in this one (--processes 1), or give it as file.py:Class."
            for entry in entries:
                payload_of(entry.direct or entry.make, entry.name, remedy)
        if notes is not None and times_differ(options, notes):
            store.forget_times()
        evaluate_missing(prepared, store, progress)
        add_regions(prepared, store, progress, {"decision_regions": 0})
        progress.begin("timing")
        take_times(prepared, store, timing_plan(options, options.seed), options.processes)
        progress.begin("memory")
        if store.note("memory") is None:
            crashed_before = _crashed_before(prepared, store)
            notes = memory_notes(entries, prepared.arrays, crashed_before=crashed_before)
            store.add({}, {"memory": notes})

    def summarize(self, store: Store) -> Summary:
        require_finished(store, len(store.finished_runs(0)), store.note("plan")["runs"])
        records = store.records()
        return planning.with_next(summarize(records), {records.plan["test_size"]: records})


class SweepSplit(SplitComparison):
    """The same comparison at several train fractions."""

    name = "sweep-split"
    function = "sweep_split"
    plan_options = ("train_fractions",)
    report = staticmethod(sweep_report)

    def sizes(self, options: SweepOptions) -> list[tuple[float | None, float | None]]:
        return [(None, fraction) for fraction in options.train_fractions]

    def prepare(self, options: SweepOptions) -> PreparedSweep:
        return self.prepare_on(planning.dataset_of(options), options)

    def measure(self, prepared: PreparedSweep, store: Store, progress: Progress) -> None:
        """Record every run of a fraction that cannot be split, with the reason."""
        evaluate_missing(prepared, store, progress)
        shown = {_regions_key(point): point for point in spread(list(prepared.splits))}
        add_regions(prepared, store, progress, shown)
        progress.begin("timing")
        seconds, seed = prepared.options.budget_seconds, prepared.options.seed
        take_times(prepared, store, TimingPlan(seconds, seed=seed))

    def summarize(self, store: Store) -> Summary:
        plan = store.note("plan")
        points = range(len(plan["train_fractions"]))
        done = sum(len(store.finished_runs(point)) for point in points)
        require_finished(store, done, len(points) * plan["runs"])
        records = sweep_records(store)
        sides = {round(1.0 - fraction, 12): records[fraction] for fraction in records}
        return planning.with_next(summarize_sweep(records), sides)


def sweep_records(store: Store) -> dict[float, Records]:
    """Return the records of each fraction; only one of them has timings."""
    fractions = store.note("plan")["train_fractions"]
    records = [store.records(point) for point in range(len(fractions))]
    timed = [point for point, records in enumerate(records) if len(records.timings)]
    near = sorted(range(len(records)), key=lambda p: abs(fractions[p] - TIMED_FRACTION))
    for point in range(len(records)):
        regions = store.note(_regions_key(point))
        records[point] = replace(records[point], decision_regions=regions)
        if point != (timed or near)[0]:
            records[point] = replace(records[point], timing_notes=None)
    return dict(zip(fractions, records, strict=True))


def _first_splits(sample: Sample, rules: Sequence[SplitRule]) -> dict[int, Split]:
    """Return run 0 of each fraction; raise if no fraction can be split."""
    if rules[0].train_size is None:
        return {0: rules[0].cut(sample, 0)}
    possible: dict[int, Split] = {}
    reason = ""
    for point, rule in enumerate(rules):
        try:
            possible[point] = rule.cut(sample, 0)
        except GnbBenchError as error:
            reason = str(error)
    if not possible:
        raise OptionError("--train-fractions", "there is no split at any of them", reason)
    return possible


def _regions_key(point: int) -> str:
    """Return the key of the decision regions of a train fraction."""
    return f"decision_regions-{point}"


def add_regions(
    prepared: PreparedRuns[Any], store: Store, progress: Progress, points: Mapping[str, int]
) -> None:
    """Add the decision regions of these points that the store lacks, under their keys."""
    missing = {key: p for key, p in points.items() if store.note(key) is None}
    if prepared.view is None or not missing:
        return
    progress.begin("decision regions")
    for key, point in missing.items():
        split = prepared.splits[point]
        regions = decision_regions(prepared.sample, split, prepared.view, prepared.entries)
        store.add({}, {key: regions})


def compared_runs(plan: Mapping[str, Any]) -> frozenset[int] | None:
    """Draw the runs in which all implementations take part; None means every run."""
    if plan["spot_checks"] is None:
        return None
    generator = np.random.default_rng(plan["seed"])
    drawn = generator.choice(plan["runs"], plan["spot_checks"], replace=False)
    return frozenset(drawn.tolist())


def evaluate_missing(prepared: PreparedRuns[Any], store: Store, progress: Progress) -> None:
    """Add the records of all missing runs, batch by batch."""
    options, sample, entries = prepared.options, prepared.sample, prepared.entries
    if options.remeasure:
        store.forget_times()
    n_runs, compared = options.runs, compared_runs(prepared.plan)
    n_values = len(sample.X) * len(sample.classes)
    work = []
    for point, rule in enumerate(prepared.rules):
        finished = store.finished_runs(point)
        missing = [run for run in range(n_runs) if run not in finished]
        both = [run for run in missing if compared is None or run in compared]
        work += batches(point, rule, both, n_values=n_values * len(entries))
        rest = [run for run in missing if compared is not None and run not in compared]
        work += batches(point, rule, rest, n_values=n_values, reference_only=True)
    points = range(len(prepared.rules))

    def kept() -> int:
        return sum(len(store.finished_runs(point)) for point in points)

    with counting(progress, "runs", len(points) * n_runs, kept):
        parts = evaluated(sample, entries, work, jobs=options.jobs, dask=options.dask)
        for batch, tables in parts:
            store.add(tables, point=batch.point)
            progress.advance(len(batch.runs))


def timing_plan(options: TimingOptions, seed: int) -> TimingPlan:
    """Return the timing plan; the default budget depends on the precision."""
    usual = USUAL_BUDGET_SECONDS if options.precision is None else PRECISE_BUDGET_SECONDS
    is_usual = options.precision is None and options.budget_seconds is None
    return TimingPlan(
        budget_seconds=options.budget_seconds or usual,
        threads=options.threads,
        seed=seed,
        precision=options.precision,
        noisy_budget_seconds=NOISY_BUDGET_SECONDS if is_usual else None,
    )


def times_differ(options: TimingOptions, notes: Mapping[str, Any]) -> bool:
    """Return whether the stored times were taken with different options.

    Default options accept any times, and the budget is ignored.
    """
    wanted = {name: getattr(options, name) for name in TimingOptions.model_fields}
    defaults = TimingOptions()
    if all(value == getattr(defaults, name) for name, value in wanted.items()):
        return False
    kept = {"precision": None, **notes.get("plan", {})}
    kept["processes"] = len(notes.get("processes", ())) or 1
    del wanted["budget_seconds"]
    return any(kept.get(name) != value for name, value in wanted.items())


def take_times(
    prepared: PreparedRuns[Any], store: Store, plan: TimingPlan, processes: int = 1
) -> None:
    """Time every operation on one run, unless its times are stored already."""
    if store.note("timing_notes") is not None:
        return
    timed = time_in_processes(
        prepared.entries,
        prepared.arrays,
        plan=plan,
        processes=processes,
        crashed_before=_crashed_before(prepared, store),
    )
    store.add({"timings": timed.rows}, {"timing_notes": timed.notes}, point=prepared.point)


def _crashed_before(prepared: PreparedRuns[Any], store: Store) -> set[str]:
    """Return the implementations that hung or crashed in a run."""
    if all(entry.direct is None for entry in prepared.entries):
        return set()
    runs = store.records(prepared.point).runs
    return set(runs.loc[runs["status"].isin(["timeout", "crash"]), "implementation"])


@study_function(CompareOptions)
def compare(options: CompareOptions) -> Study:
    """Compare implementations of Gaussian naive Bayes over randomised splits.

    Run r is ``train_test_split(..., test_size=test_size, random_state=seed + r,
    stratify=y)``. ``data`` may also be an array or what `load_dataset` returns. An
    implementation is a name, a class or an unfitted object; a dict names several.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> study = compare("iris", against=[GaussianNB(var_smoothing=0.5)], runs=5)
    >>> study.verdict.partition(" (")[0]
    'Not identical: 16 of 225 labels differ'
    >>> study.metrics.loc["test_accuracy"].round(2).to_dict()
    {'sklearn': 0.94, 'GaussianNB': 0.89}
    """
    return run(options)


@study_function(SweepOptions)
def sweep_split(options: SweepOptions) -> Study:
    """Compare implementations at several train fractions.

    Each fraction is a `gnbbench.compare` with ``train_size`` in place of ``test_size``.

    Examples
    --------
    >>> study = sweep_split("iris", runs=3, train_fractions=(0.5, 0.8))
    >>> study.verdict
    'Identical: none of 315 labels differ.'
    """
    return run(options)


# doctest skips decorated functions.
__test__ = {"compare": compare, "sweep_split": sweep_split}
