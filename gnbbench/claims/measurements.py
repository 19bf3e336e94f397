"""Claims, each held against the figure that its protocol gives here."""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.claims.claim import Claim, ClaimResult, Contrast, Measured, Reading
from gnbbench.claims.metrics import METRICS, Metric
from gnbbench.claims.table import STUDENT_PERFORMANCE
from gnbbench.claims.verdicts import CENTRAL, explanation, share_reached, verdict_on
from gnbbench.conformance.certified_data import SAMPLES
from gnbbench.data.dataset import Dataset, from_arrays
from gnbbench.data.loading import load
from gnbbench.errors import DatasetError, UnknownNameError
from gnbbench.implementations import Implementation, implementation
from gnbbench.measurement.rounds import Call
from gnbbench.measurement.split_rules import Sample, SplitRule
from gnbbench.measurement.timing import TimingPlan, Timings, measure
from gnbbench.records import NULL_COMPETITOR, TABLES
from gnbbench.splits import Split
from gnbbench.statistics.ratios import log_ratios, paired_ratio
from gnbbench.studies.plan import sample_of
from gnbbench.studies.runner import Batch, batches, evaluated
from gnbbench.studies.study import Progress, Silence

FloatArray = NDArray[np.float64]

REFERENCE = "sklearn"
N_RESAMPLES = 1000
# Of student-performance.
FILES = {"mat": "student-mat.csv", "por": "student-por.csv"}
GRADES = ["G1", "G2"]
FINAL_GRADE = "G3"
PASS_MARK = 10


def examine(
    claims: Sequence[Claim],
    *,
    data: Path | None = None,
    most_runs: int | None = None,
    progress: Progress | None = None,
) -> Iterator[ClaimResult]:
    """Yield the result of each claim, in order; what they share is measured once."""
    evaluations = Evaluations(claims, data=data, most_runs=most_runs, progress=progress)
    times = FitTimes()

    def measure(claim: Claim, reading: Reading, name: str) -> Measured:
        if claim.protocol.kind == "certified":
            return certified(reading, claim.metric, name)
        if claim.protocol.kind == "times":
            timed = times.ratio if claim.metric == "fit_ratio" else times.seconds
            return timed(reading, name)
        return evaluations.measured(reading, METRICS[claim.metric], name)

    for claim in claims:
        begin = time.perf_counter()
        found = _result(claim, measure)
        is_cut = bool(found.measured) and any(
            evaluations.is_cut(reading) for reading in claim.protocol.readings
        )
        yield replace(found, seconds=time.perf_counter() - begin, is_cut=is_cut)


def _result(
    claim: Claim, measure: Callable[[Claim, Reading, str], Measured]
) -> ClaimResult:
    readings = claim.protocol.readings
    try:
        measured = tuple(
            measure(claim, reading, claim.implementation) for reading in readings
        )
    except DataNotGivenError as error:
        return ClaimResult(claim, "not available", (), (), str(error))
    contrasts = []
    for name in claim.contrasts:
        found = measure(claim, readings[0], name)
        is_published = share_reached(claim.published, found) == 1.0
        contrasts.append(Contrast(name, found.value, is_published))
    verdict = verdict_on(claim, measured)
    words = explanation(claim, verdict, measured, contrasts)
    return ClaimResult(claim, verdict, measured, tuple(contrasts), words)


def certified(reading: Reading, metric: str, name: str) -> Measured:
    """Return a parameter that an implementation learns from one sample, as one class."""
    if reading.dataset not in SAMPLES:
        raise UnknownNameError("certified sample", reading.dataset, SAMPLES)
    values = SAMPLES[reading.dataset].groups[0]
    n = len(values)
    model = implementation(name).make()
    model.fit(values[:, np.newaxis], np.zeros(n, dtype=np.int64))
    if metric == "mean":
        return Measured(reading, float(model.theta_[0, 0]))
    return Measured(reading, math.sqrt(float(model.var_[0, 0]) * n / (n - 1)))


class FitTimes:
    """Times of fit beside scikit-learn's, each pair measured once."""

    def __init__(self, plan: TimingPlan | None = None) -> None:
        self._plan = plan or TimingPlan()
        self._found: dict[tuple[Reading, str], Timings] = {}

    def seconds(self, reading: Reading, name: str) -> Measured:
        """Return the mean time of a call, with its spread and the central 95 % of calls."""
        timings = self._timings(reading, name)
        own = timings.seconds[:, timings.names.index(name)]
        low, high = np.quantile(own, CENTRAL)
        return Measured(
            reading,
            float(own.mean()),
            low=float(low),
            high=float(high),
            spread=float(own.std(ddof=1)),
            message=f"{len(own)} calls, 95 % of them from {low:.6f} to {high:.6f} s",
        )

    def ratio(self, reading: Reading, name: str) -> Measured:
        """The median ratio to scikit-learn's time, paired, with its 95 % interval."""
        timings = self._timings(reading, name)
        column = {each: timings.seconds[:, i] for i, each in enumerate(timings.names)}
        found = paired_ratio(log_ratios(column[name], column[REFERENCE]))
        floor = paired_ratio(log_ratios(column[NULL_COMPETITOR], column[REFERENCE]))
        told = (
            f"median of paired ratios, 95 % interval {found.low:.3f} to {found.high:.3f}; "
            f"sklearn against itself {floor.low:.3f} to {floor.high:.3f}"
        )
        return Measured(reading, found.ratio, low=found.low, high=found.high, message=told)

    def _timings(self, reading: Reading, name: str) -> Timings:
        key = (reading, name)
        if name == REFERENCE:
            # Its times stand beside another's already, where one was asked for.
            key = next((one for one in self._found if one[0] == reading), key)
        if key not in self._found:
            self._found[key] = _timed(reading, name, self._plan)
        return self._found[key]


def _timed(reading: Reading, name: str, plan: TimingPlan) -> Timings:
    sample = sample_of(dataset_of(reading))
    train = rules_of(reading)[0].cut(sample, 0).train
    own = Sample(sample.X[train], sample.y[train], sample.classes, sample.codes[train])
    preparations = {
        each: partial(_fit, implementation(each), own) for each in {REFERENCE: 0, name: 0}
    }
    return measure(preparations, plan, reference=REFERENCE)


def _fit(entry: Implementation, sample: Sample) -> Call:
    """Return the fit of a fresh model, which is made outside the clock."""
    return partial(entry.make().fit, sample.X, sample.y)


class Evaluations:
    """The runs of readings, each evaluated once for all claims that read from them."""

    def __init__(
        self,
        claims: Iterable[Claim],
        *,
        data: Path | None = None,
        most_runs: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.data, self.most_runs = data, most_runs
        self._progress = progress or Silence()
        self._wanted: dict[Reading, dict[str, None]] = {}
        self._found: dict[Reading, pd.DataFrame] = {}
        for claim in claims:
            for reading in claim.protocol.readings:
                wanted = self._wanted.setdefault(_evaluated_as(reading), {})
                if METRICS[claim.metric].needs_reference:
                    wanted[REFERENCE] = None
                wanted.update(dict.fromkeys((claim.implementation, *claim.contrasts)))

    def is_cut(self, reading: Reading) -> bool:
        """Return whether fewer runs are made than a reading asks for."""
        return len(runs_of(reading, self.most_runs)) < len(runs_of(reading))

    def measured(self, reading: Reading, metric: Metric, name: str) -> Measured:
        """Return the figure that a reading gives for an implementation."""
        runs = self._runs(_evaluated_as(reading))
        own = runs.loc[runs["implementation"] == name].sort_values(["run", "point"])
        failed = own.loc[own["status"] != "ok"]
        if len(failed):
            why = f"{len(failed)} of {len(own)} runs failed: {failed['message'].iloc[0]}"
            return Measured(reading, float("nan"), message=why)
        assert metric.of_runs is not None  # noqa: S101  those of other kinds are not asked for
        values = np.array(metric.of_runs(own), dtype=np.float64)
        values = values.reshape((-1, len(rules_of(reading))))
        total = int(own["n_test"].iloc[0])
        if metric.over_runs is not None:
            return _over_runs(reading, values, metric.over_runs)
        value = float(values.mean())
        if values.size == 1:
            return Measured(reading, value, total=total)
        return Measured(reading, value, values.ravel(), total=total)

    def _runs(self, reading: Reading) -> pd.DataFrame:
        if reading not in self._found:
            self._found[reading] = self._evaluate(reading)
        return self._found[reading]

    def _evaluate(self, reading: Reading) -> pd.DataFrame:
        """Return a row for each run and implementation, paired with the reference."""
        sample = sample_of(dataset_of(reading, self.data))
        names = sorted(self._wanted[reading], key=lambda name: name != REFERENCE)
        entries = [implementation(name) for name in names]
        n_values = len(sample.X) * len(sample.classes) * len(entries)
        work = _work(reading, n_values, self.most_runs)
        self._progress.begin(reading.dataset, total=sum(len(batch.runs) for batch in work))
        runs, pairs = [], []
        for batch, tables in evaluated(sample, entries, work):
            runs += [(batch.point, *row) for row in tables["runs"]]
            pairs += [(batch.point, *row) for row in tables["pairs"]]
            self._progress.advance(len(batch.runs))
        keys = ["point", "run", "implementation"]
        of_pairs = _frame("pairs", pairs).drop(columns="n_test")
        return _frame("runs", runs).merge(of_pairs, on=keys, how="left")


def _evaluated_as(reading: Reading) -> Reading:
    """Return the reading whose runs serve this one: all train fractions are evaluated."""
    return replace(reading, fractions_per_run="all", open=())


def _work(reading: Reading, n_values: int, most_runs: int | None) -> list[Batch]:
    runs = runs_of(reading, most_runs)
    rules = rules_of(reading)
    if reading.kind == "folds":
        # Folds may differ in size, and a batch is evaluated as one array.
        return [Batch(0, rules[0], (run,)) for run in runs]
    return [
        batch
        for point, rule in enumerate(rules)
        for batch in batches(point, rule, runs, n_values=n_values)
    ]


def _frame(table: str, rows: Sequence[tuple[object, ...]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["point", *TABLES[table]])


def _over_runs(
    reading: Reading, values: FloatArray, over_runs: Callable[[FloatArray], Any]
) -> Measured:
    """Return a figure over all runs, and what it is for resampled sets of runs."""
    is_mean = over_runs is np.mean
    if reading.kind == "folds":
        spread = float(values.std()) if is_mean else math.nan
        return Measured(
            reading, float(over_runs(values)), n_runs=values.size, spread=spread
        )
    n_runs, n_fractions = values.shape
    one = reading.fractions_per_run == "one"
    rows = np.arange(n_runs)
    chosen = values[rows, rows % n_fractions] if one else values
    random = np.random.default_rng(0)
    resampled, spreads = np.empty(N_RESAMPLES), np.full(N_RESAMPLES, math.nan)
    for place in range(N_RESAMPLES):
        drawn = random.integers(n_runs, size=n_runs)
        columns = random.integers(n_fractions, size=n_runs) if one else slice(None)
        resampled[place] = over_runs(values[drawn, columns])
        if is_mean:
            spreads[place] = values[drawn, columns].std()
    low, high = (float(end) for end in np.quantile(spreads, CENTRAL))
    return Measured(
        reading,
        float(over_runs(chosen)),
        resampled,
        is_resampled=True,
        n_runs=chosen.size,
        low=low,
        high=high,
        spread=float(chosen.std()) if is_mean else math.nan,
    )


class DataNotGivenError(DatasetError):
    """Data that do not come with gnbbench, and were not pointed at."""

    def __init__(self, files: tuple[str, ...]) -> None:
        remedy = (
            "Download them from archive.ics.uci.edu/dataset/320 and give their directory: "
            "--data DIR"
        )
        names = " and ".join(files)
        super().__init__(STUDENT_PERFORMANCE, f"{names} (UCI 320) were not found", remedy)


@cache
def dataset_of(reading: Reading, data: Path | None = None) -> Dataset:
    """Return the dataset of a reading, with only the classes that it keeps."""
    if reading.dataset == STUDENT_PERFORMANCE:
        return _student_performance(reading, data)
    dataset = load(reading.dataset)
    if not reading.classes:
        return dataset
    kept = np.isin(dataset.y, reading.classes)
    return from_arrays(dataset.X[kept], dataset.y[kept], dataset.name)


def _student_performance(reading: Reading, data: Path | None) -> Dataset:
    """Return whether students pass (final grade of 10 or more), from what else is known."""
    names = tuple(
        file for subject, file in FILES.items() if reading.subject in {subject, "both"}
    )
    if data is None or not all((data / name).is_file() for name in names):
        raise DataNotGivenError(names)
    table = pd.concat([_table(data / name) for name in names], ignore_index=True)
    passed = (table[FINAL_GRADE] >= PASS_MARK).astype(np.int64).rename("passed")
    left_out = [FINAL_GRADE, *([] if reading.earlier_grades else GRADES)]
    features = table.drop(columns=left_out)
    if reading.encoding == "one-hot":
        features = pd.get_dummies(features, dtype=np.float64)
    return from_arrays(features.select_dtypes("number"), passed, STUDENT_PERFORMANCE)


def _table(path: Path) -> pd.DataFrame:
    """Return a file of the collection; its grades are partly quoted."""
    remedy = "Use the files of UCI 320 unchanged."
    try:
        table = pd.read_csv(path, sep=";")
    except (OSError, ValueError) as error:
        raise DatasetError(str(path), f"it cannot be read ({error})", remedy) from error
    missing = [name for name in (*GRADES, FINAL_GRADE) if name not in table]
    if missing:
        raise DatasetError(str(path), f"it has no column '{missing[0]}'", remedy)
    for name in (*GRADES, FINAL_GRADE):
        table[name] = pd.to_numeric(table[name], errors="coerce")
    if table[[*GRADES, FINAL_GRADE]].isna().to_numpy().any():
        raise DatasetError(str(path), "a grade is not a number", remedy)
    return table


@dataclass(frozen=True)
class WholeSet(SplitRule):
    """Trains on all samples and scores the same."""

    def cuts(self, sample: Sample, runs: Sequence[int]) -> list[Split]:
        """Return for each run all samples on both sides."""
        rows = np.arange(len(sample.X))
        return [Split(run, rows, rows) for run in runs]


@dataclass(frozen=True)
class Folds(SplitRule):
    """Run r tests on fold r of those of ``cross_val_score(model, X, y, cv=folds)``."""

    folds: int = 10

    def cuts(self, sample: Sample, runs: Sequence[int]) -> list[Split]:
        """Return the folds of these numbers; their sizes may differ by one."""
        from sklearn.model_selection import StratifiedKFold

        sides = list(StratifiedKFold(self.folds).split(sample.X, sample.codes))
        return [Split(run, *sides[run]) for run in runs]


def rules_of(reading: Reading) -> tuple[SplitRule, ...]:
    """Return how a reading cuts the sample, a rule for each train fraction."""
    if reading.kind == "whole":
        return (WholeSet(0, name=reading.dataset),)
    if reading.kind == "folds":
        return (Folds(0, name=reading.dataset, folds=reading.folds),)
    sizes = reading.train_fractions or (None,)
    return tuple(
        SplitRule(
            reading.random_state,
            test_size=reading.test_size,
            train_size=train_size,
            stratify=reading.stratify,
            name=reading.dataset,
        )
        for train_size in sizes
    )


def runs_of(reading: Reading, most_runs: int | None = None) -> range:
    """Return the numbers of the runs of each rule."""
    if reading.kind == "folds":
        return range(reading.folds)
    return range(min(reading.runs, most_runs or reading.runs))
