"""Reproduce claims by their protocols and compare the figures."""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gnbbench.arrays import FloatArray
from gnbbench.claims import verdicts
from gnbbench.claims.claim import Claim, ClaimResult, Contrast, Measured, Reading
from gnbbench.claims.protocols import (
    METRICS,
    ClaimedMetric,
    DataNotGivenError,
    Fitted,
    KeyOfClaimError,
    dataset_of,
    refuse_unknown,
    rules_of,
    runs_of,
)
from gnbbench.claims.table import place_of
from gnbbench.errors import ConfigurationError
from gnbbench.implementations import Implementation, implementation
from gnbbench.measurement.batches import RunBatch, batches, evaluated
from gnbbench.measurement.rounds import Call
from gnbbench.measurement.timing import TimingPlan, Timings, measure
from gnbbench.progress import Progress, Silence
from gnbbench.records import NULL_COMPETITOR, TABLES
from gnbbench.splits import Sample, sample_of
from gnbbench.statistics.intervals import log_ratios, paired_ratio
from gnbbench.words import plural

REFERENCE = "sklearn"
N_RESAMPLES = 1000


def examine(
    claims: Sequence[Claim],
    *,
    known: Sequence[Claim] = (),
    data: Path | None = None,
    most_runs: int | None = None,
    progress: Progress | None = None,
) -> Iterator[ClaimResult]:
    """Yield the result of each claim, in order; shared measurements are made once.

    Figures of single splits are judged on the seeds that give all figures of their source
    and protocol, among these claims or all `known` ones.
    """
    known = known or claims
    fellows = {claim.id: _fellows(claim, known) for claim in claims}
    asked = {c.id: c for claim in claims for c in (claim, *fellows[claim.id])}
    evaluations = Evaluations(
        asked.values(), data=data, most_runs=most_runs, progress=progress
    )
    times = FitTimes()

    def measured(claim: Claim, reading: Reading, name: str) -> Measured:
        if METRICS[claim.metric].of_model is not None:
            return of_model(claim, reading, name, data)
        if claim.protocol.kind == "times":
            timed = times.ratio if claim.metric == "fit_ratio" else times.seconds
            return timed(reading, name)
        figure = of_runs(claim, reading, name)
        if not fellows[claim.id]:
            return figure
        together = verdicts.reached(claim.published, figure)
        for fellow in fellows[claim.id]:
            theirs = of_runs(fellow, reading, fellow.implementation)
            together = together & verdicts.reached(fellow.published, theirs)
        return replace(figure, together=float(together.mean()))

    def of_runs(claim: Claim, reading: Reading, name: str) -> Measured:
        return evaluations.measured(reading, METRICS[claim.metric], name)

    for claim in claims:
        begin = time.perf_counter()
        result = _result(claim, measured)
        is_cut = bool(result.measured) and any(
            evaluations.is_cut(reading) for reading in claim.protocol.readings
        )
        yield replace(result, seconds=time.perf_counter() - begin, is_cut=is_cut)


def _fellows(claim: Claim, known: Sequence[Claim]) -> tuple[Claim, ...]:
    """Return the other figures of single splits that must come from the same seeds."""
    if claim.protocol.kind != "splits" or METRICS[claim.metric].over_runs is not None:
        return ()
    return tuple(
        other
        for other in known
        if other.id != claim.id
        and (other.source, other.protocol) == (claim.source, claim.protocol)
        and METRICS[other.metric].over_runs is None
    )


def _result(
    claim: Claim, measure: Callable[[Claim, Reading, str], Measured]
) -> ClaimResult:
    readings = claim.protocol.readings
    try:
        measured = tuple(measure(claim, r, claim.implementation) for r in readings)
    except DataNotGivenError as error:
        return ClaimResult(claim, "not available", (), (), str(error))
    except KeyOfClaimError as error:
        where, what = place_of(claim, error.key), f"'{error.key}': {error}".rstrip(".")
        raise ConfigurationError(where, what, "Correct it, or the data.") from error
    contrasts = []
    for name in claim.contrasts:
        figure = measure(claim, readings[0], name)
        is_published = verdicts.share_reached(claim.published, figure) == 1.0
        contrasts.append(Contrast(name, figure.value, is_published))
    verdict = verdicts.verdict_on(claim, measured)
    words = verdicts.explanation(claim, verdict, measured, contrasts)
    return ClaimResult(claim, verdict, measured, tuple(contrasts), words)


def of_model(claim: Claim, reading: Reading, name: str, data: Path | None) -> Measured:
    """Return a figure of a model that the implementation trains on one split."""
    dataset, metric = dataset_of(reading, data), METRICS[claim.metric]
    sample = sample_of(dataset)
    split = rules_of(reading, data)[0].cut(sample, 0)
    X_test, codes = sample.X[split.test], sample.codes[split.test]
    samples = np.array(claim.samples, dtype=np.float64)
    if claim.test_rows:
        refuse_unknown("test_rows", claim.test_rows, range(len(X_test)))
        samples = X_test[list(claim.test_rows)]
    if samples.size and samples.shape[1] != sample.X.shape[1]:
        what = f"the data have {plural(sample.X.shape[1], 'feature')}"
        raise KeyOfClaimError("samples", what)
    names = {"label": dataset.class_names, "feature": dataset.feature_names}
    try:
        model = implementation(name).make()
        model.fit(sample.X[split.train], sample.y[split.train])
        asked = Fitted(model, dataset.class_names, X_test, codes, samples)
        table = np.atleast_2d(metric.of_model(asked))  # type: ignore[misc]  # it is of a model
    except Exception as error:  # noqa: BLE001  whatever a model raises is its failure
        return Measured(reading, math.nan, message=f"{name} failed: {error}")
    for key, axis in (("label", 0 if metric.is_by_class else 1), ("feature", 1)):
        if name := getattr(claim, key):
            refuse_unknown(key, [name], names[key])
            table = np.take(table, [names[key].index(name)], axis)
    rows = tuple(tuple(map(float, row)) for row in table.tolist())
    return Measured(reading, float(np.mean(table)), rows=rows)


class FitTimes:
    """Times of fit together with scikit-learn's, each pair measured once."""

    def __init__(self, plan: TimingPlan | None = None) -> None:
        self._plan = plan or TimingPlan()
        self._cache: dict[tuple[Reading, str], Timings] = {}

    def seconds(self, reading: Reading, name: str) -> Measured:
        """Return the mean time of a call, with its spread and the central 95 % of calls."""
        timings = self._timings(reading, name)
        own = timings.seconds[:, timings.names.index(name)]
        low, high = np.quantile(own, verdicts.CENTRAL)
        return Measured(
            reading,
            float(own.mean()),
            low=float(low),
            high=float(high),
            spread=float(own.std(ddof=1)),
            message=f"{len(own)} calls, 95 % of them from {low:.6f} to {high:.6f} s",
        )

    def ratio(self, reading: Reading, name: str) -> Measured:
        """Return the median paired ratio to scikit-learn's time, with its 95 % interval."""
        timings = self._timings(reading, name)
        column = {of: timings.seconds[:, i] for i, of in enumerate(timings.names)}
        paired = paired_ratio(log_ratios(column[name], column[REFERENCE]))
        floor = paired_ratio(log_ratios(column[NULL_COMPETITOR], column[REFERENCE]))
        text = (
            "median of paired ratios, 95 % interval "
            f"{paired.low:.3f} to {paired.high:.3f}; "
            f"sklearn against itself {floor.low:.3f} to {floor.high:.3f}"
        )
        low, high = paired.low, paired.high
        return Measured(reading, paired.ratio, low=low, high=high, message=text)

    def _timings(self, reading: Reading, name: str) -> Timings:
        key = (reading, name)
        if name == REFERENCE:
            # It was already timed with another implementation, if there was one.
            key = next((known for known in self._cache if known[0] == reading), key)
        if key not in self._cache:
            self._cache[key] = _timed(reading, name, self._plan)
        return self._cache[key]


def _timed(reading: Reading, name: str, plan: TimingPlan) -> Timings:
    sample = sample_of(dataset_of(reading))
    train = rules_of(reading)[0].cut(sample, 0).train
    own = Sample(sample.X[train], sample.y[train], sample.classes, sample.codes[train])
    preparations = {
        competitor: partial(_fit, implementation(competitor), own)
        for competitor in {REFERENCE: 0, name: 0}
    }
    return measure(preparations, plan, reference=REFERENCE)


def _fit(entry: Implementation, sample: Sample) -> Call:
    """Return the fit of a fresh model, whose construction is not timed."""
    return partial(entry.make().fit, sample.X, sample.y)


class Evaluations:
    """The runs of readings, evaluated once for all claims that use them."""

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
        self._cache: dict[Reading, pd.DataFrame] = {}
        for claim in claims:
            if not METRICS[claim.metric].of_runs:
                continue
            for reading in claim.protocol.readings:
                wanted = self._wanted.setdefault(_evaluated_as(reading), {})
                if METRICS[claim.metric].needs_reference:
                    wanted[REFERENCE] = None
                wanted.update(dict.fromkeys((claim.implementation, *claim.contrasts)))

    def is_cut(self, reading: Reading) -> bool:
        """Return whether there are fewer runs than a reading requires."""
        return len(runs_of(reading, self.most_runs)) < len(runs_of(reading))

    def measured(self, reading: Reading, metric: ClaimedMetric, name: str) -> Measured:
        """Return the figure that a reading gives for an implementation."""
        runs = self._runs(_evaluated_as(reading))
        own = runs[runs["implementation"] == name].sort_values(["run", "point"])
        failed = own[own["status"] != "ok"]
        if len(failed):
            why = (
                f"{len(failed):,} of {len(own):,} runs failed: {failed['message'].iloc[0]}"
            )
            return Measured(reading, float("nan"), message=why)
        values = metric.values(own).reshape((-1, max(1, len(reading.train_fractions))))
        total = int(own["n_test"].iloc[0])
        if metric.over_runs is not None:
            return _over_runs(reading, values, metric.over_runs)
        value = float(values.mean())
        if reading.is_listed:
            return Measured(reading, value, rows=(tuple(values.ravel().tolist()),))
        if values.size == 1:
            return Measured(reading, value, total=total)
        return Measured(reading, value, values.ravel(), total=total)

    def _runs(self, reading: Reading) -> pd.DataFrame:
        if reading not in self._cache:
            self._cache[reading] = self._evaluate(reading)
        return self._cache[reading]

    def _evaluate(self, reading: Reading) -> pd.DataFrame:
        """Return a row per run and implementation, paired with the reference."""
        sample = sample_of(dataset_of(reading, self.data))
        names = sorted(self._wanted[reading], key=lambda name: name != REFERENCE)
        entries = [implementation(name) for name in names]
        n_values = len(sample.X) * len(sample.classes) * len(entries)
        work = _work(reading, n_values, self.most_runs, self.data)
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
    """Return the reading whose runs this one shares: it evaluates all train fractions."""
    return replace(reading, fractions_per_run="all", open=())


def _work(
    reading: Reading, n_values: int, most_runs: int | None, data: Path | None
) -> list[RunBatch]:
    runs = runs_of(reading, most_runs)
    rules = rules_of(reading, data)
    if reading.folds:
        # Folds may differ in size, and a batch is evaluated as one array.
        return [RunBatch(0, rules[0], (run,)) for run in runs]
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
    """Return a figure over all runs and over resampled sets of runs."""
    is_mean = over_runs is np.mean
    if reading.is_listed:
        spread = float(values.std()) if is_mean else math.nan
        figure = float(over_runs(values))
        return Measured(reading, figure, n_runs=values.size, spread=spread)
    n_runs, n_fractions = values.shape
    size = min(reading.runs, n_runs)
    by_turns = reading.fractions_per_run == "one"
    rows = np.arange(n_runs)
    chosen = values[rows, rows % n_fractions] if by_turns else values
    random = np.random.default_rng(0)
    resampled, spreads = np.empty(N_RESAMPLES), np.full(N_RESAMPLES, math.nan)
    for place in range(N_RESAMPLES):
        drawn = random.integers(n_runs, size=size)
        columns = random.integers(n_fractions, size=size) if by_turns else slice(None)
        resampled[place] = over_runs(values[drawn, columns])
        if is_mean:
            spreads[place] = values[drawn, columns].std()
    low, high = (float(end) for end in np.quantile(spreads, verdicts.CENTRAL))
    return Measured(
        reading,
        float(over_runs(chosen)),
        resampled,
        is_resampled=True,
        n_runs=size * (1 if by_turns else n_fractions),
        low=low,
        high=high,
        spread=float(chosen.std()) if is_mean else math.nan,
    )
