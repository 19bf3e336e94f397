"""Evaluate runs into rows of the tables of records."""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from gnbbench.arrays import FloatArray
from gnbbench.errors import GnbBenchError
from gnbbench.implementations import Implementation
from gnbbench.measurement.metrics import pair_counts
from gnbbench.measurement.predictions import BatchPredictions, batch_predictions, stacked
from gnbbench.measurement.tallies import LabelTally, PairTally, Row
from gnbbench.records import INVALID, RUN_METRICS, TABLES, VOTES_LIMIT
from gnbbench.splits import Sample, Split, SplitRule

Tables = dict[str, list[Row]]


def evaluate(
    sample: Sample, rule: SplitRule, runs: Sequence[int], entries: Sequence[Implementation]
) -> Tables:
    """Return the rows of these runs for every table."""
    tables: Tables = {name: [] for name in TABLES}
    try:
        splits = rule.cuts(sample, runs)
    except GnbBenchError as error:
        unknown = ("error", f"no split: {error}", 0, 0, 0, *[None] * len(RUN_METRICS))
        tables["runs"] = [(run, entry.name, *unknown) for run in runs for entry in entries]
        return tables
    together = len(entries) == 1
    predicted = [batch_predictions(sample, splits, e, together=together) for e in entries]
    for predictions in predicted:
        _add_runs(tables, sample, splits, predictions)
    for competitor in predicted[1:]:
        _add_pairs(tables, sample, splits, competitor, predicted[0])
    return tables


def add_rows(tables: Tables, rows: dict[str, list[Row]]) -> None:
    """Add rows to some of the tables."""
    for name, more in rows.items():
        tables[name] += more


def _add_runs(
    tables: Tables, sample: Sample, splits: Sequence[Split], predictions: BatchPredictions
) -> None:
    """Add the metrics of each run, and counts over all runs."""
    metrics = np.full((len(splits), len(RUN_METRICS)), np.nan)
    tally = LabelTally(len(sample.classes))
    key = (splits[0].run, predictions.name)
    for places in _alike(predictions):
        predicted = stacked([predictions.runs[place] for place in places])
        rows = np.stack([splits[place].test for place in places])
        truth = sample.codes[rows]
        train_truth = sample.codes[np.stack([splits[place].train for place in places])]
        values = tally.add(truth, predicted)
        values["train_accuracy"] = (predicted.train == train_truth).mean(axis=1)
        for name, column in values.items():
            metrics[places, RUN_METRICS.index(name)] = column
        if len(sample.X) <= VOTES_LIMIT:
            tables["votes"] += [(*key, *row) for row in pair_counts(rows, predicted.test)]
    add_rows(tables, tally.rows(*key))
    for place, split in enumerate(splits):
        failure = predictions.failures.get(place)
        status, message = "ok", predictions.warnings.get(place, "")
        if failure is not None:
            status, message = failure.status, str(failure)
        elif fault := predictions.runs[place].fault:
            status, message = INVALID, fault
        class_counts = np.bincount(sample.codes[split.train], minlength=len(sample.classes))
        sizes = (len(split.train), len(split.test), int(class_counts.min()))
        of_run = (split.run, predictions.name, status, message)
        tables["runs"].append((*of_run, *sizes, *_nullable(metrics[place])))


def _add_pairs(
    tables: Tables,
    sample: Sample,
    splits: Sequence[Split],
    competitor: BatchPredictions,
    reference: BatchPredictions,
) -> None:
    """Add the comparison of a competitor with the reference, by run and in counts."""
    name, tally = competitor.name, PairTally(len(sample.classes))
    for places in _alike(competitor, reference):
        sides = (competitor, reference)
        first, second = (stacked([side.runs[p] for p in places]) for side in sides)
        rows = np.stack([splits[place].test for place in places])
        runs = [splits[place].run for place in places]
        pairs = tally.add(sample.codes[rows], first, second)
        counts = zip(*(column.tolist() for column in pairs.counts), strict=True)
        values = zip(*(_nullable(column) for column in pairs.differences), strict=True)
        tables["pairs"] += [
            (run, name, rows.shape[1], *of_labels, *of_values)
            for run, of_labels, of_values in zip(runs, counts, values, strict=True)
        ]
        tables["disagreements"] += [
            (runs[place], name, int(rows[place, row]), *rest)
            for place, row, *rest in pairs.disagreements
        ]
    add_rows(tables, tally.rows(splits[0].run, name))


def _alike(*sides: BatchPredictions) -> list[list[int]]:
    """Return the places of runs in which all gave labels, grouped by their tables."""
    places: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for place in sorted(set.intersection(*(set(side.runs) for side in sides))):
        places[tuple(side.runs[place].tables for side in sides)].append(place)
    return list(places.values())


def _nullable(values: Sequence[float] | FloatArray) -> list[float | None]:
    """Return numbers for the store, with None for NaN."""
    return [None if math.isnan(value) else float(value) for value in values]
