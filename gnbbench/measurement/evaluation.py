"""Some runs of a plan, evaluated: the rows they add to each table of the records."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.errors import GnbBenchError
from gnbbench.implementations import Implementation
from gnbbench.measurement.batch_predictions import Answers, answers
from gnbbench.measurement.metrics import (
    brier_score,
    confidence_metrics,
    confusion_matrices,
    decade_counts,
    log_loss,
    macro_scores,
    pair_counts,
    reliability_counts,
)
from gnbbench.measurement.pairs import pair_values
from gnbbench.measurement.split_rules import Sample, SplitRule
from gnbbench.records import RUN_METRICS, TABLES, VOTES_LIMIT
from gnbbench.splits import Split

Row = tuple[Any, ...]
Tables = dict[str, list[Row]]


def evaluate(
    sample: Sample, rule: SplitRule, runs: Sequence[int], entries: Sequence[Implementation]
) -> Tables:
    """The rows of these runs for every table."""
    tables: Tables = {name: [] for name in TABLES}
    try:
        splits = rule.cuts(sample, runs)
    except GnbBenchError as error:
        tables["runs"] = [
            (
                run,
                entry.name,
                "error",
                f"no split: {error}",
                0,
                0,
                0,
                *[None] * len(RUN_METRICS),
            )
            for run in runs
            for entry in entries
        ]
        return tables
    alone = len(entries) == 1
    reference, *competitors = (
        answers(sample, splits, entry, alone=alone) for entry in entries
    )
    for spoken in (reference, *competitors):
        _add_runs(tables, sample, splits, spoken)
    for competitor in competitors:
        _add_pairs(tables, sample, splits, competitor, reference)
    return tables


def _add_runs(
    tables: Tables, sample: Sample, splits: Sequence[Split], spoken: Answers
) -> None:
    """Add the metrics of each run, and the counts over all of them."""
    places = spoken.places()
    metrics = np.full((len(splits), len(RUN_METRICS)), np.nan)
    if places:
        for name, values in _label_metrics(tables, sample, splits, spoken, places).items():
            metrics[places, RUN_METRICS.index(name)] = values
    places = spoken.places("probabilities")
    if places:
        for name, values in _table_metrics(tables, sample, splits, spoken, places).items():
            metrics[places, RUN_METRICS.index(name)] = values
    for place, one in enumerate(splits):
        failure = spoken.failed.get(place)
        status, message = "ok", spoken.warned.get(place, "")
        if failure is not None:
            status, message = failure.status, str(failure)
        key = (one.run, spoken.name, status, message)
        counts_of_classes = np.bincount(
            sample.codes[one.train], minlength=len(sample.classes)
        )
        sizes = (len(one.train), len(one.test), int(counts_of_classes.min()))
        tables["runs"].append((*key, *sizes, *_nullable(metrics[place])))


def _label_metrics(
    tables: Tables,
    sample: Sample,
    splits: Sequence[Split],
    spoken: Answers,
    places: list[int],
) -> dict[str, NDArray[np.float64]]:
    """Return the metrics of labels; add the counts of truths, labels and votes."""
    rows = np.stack([splits[place].test for place in places])
    truth = sample.codes[rows]
    labels = spoken.stacked("test", places)
    train_truth = sample.codes[np.stack([splits[place].train for place in places])]
    confusion = confusion_matrices(truth, labels, len(sample.classes))
    precision, recall, f1 = macro_scores(confusion)
    key = (splits[0].run, spoken.name)
    tables["confusion"] += [(*key, *row) for row in pair_counts(truth, labels)]
    if len(sample.X) <= VOTES_LIMIT:
        tables["votes"] += [(*key, *row) for row in pair_counts(rows, labels)]
    return {
        "train_accuracy": (spoken.stacked("train", places) == train_truth).mean(axis=1),
        "test_accuracy": (labels == truth).mean(axis=1),
        "precision": precision,
        "recall": recall,
        "f1": f1,
    }


def _table_metrics(
    tables: Tables,
    sample: Sample,
    splits: Sequence[Split],
    spoken: Answers,
    places: list[int],
) -> dict[str, NDArray[np.float64]]:
    """Return the metrics of probabilities; add the counts of the reliability curve."""
    truth = sample.codes[np.stack([splits[place].test for place in places])]
    probabilities = spoken.stacked("probabilities", places)
    right = spoken.stacked("test", places) == truth
    key = (splits[0].run, spoken.name)
    reliability = reliability_counts(probabilities, right)
    tables["reliability"] += [(*key, *row) for row in reliability]
    return {
        **confidence_metrics(probabilities, right),
        "log_loss": log_loss(probabilities, truth),
        "brier_score": brier_score(probabilities, truth),
    }


def _add_pairs(
    tables: Tables,
    sample: Sample,
    splits: Sequence[Split],
    competitor: Answers,
    reference: Answers,
) -> None:
    """Add what pairs a competitor with the reference: run by run, and counted."""
    places = [place for place in competitor.places() if place in reference.said]
    if not places:
        return
    rows = np.stack([splits[place].test for place in places])
    found = pair_values(
        sample.codes[rows],
        [competitor.said[place] for place in places],
        [reference.said[place] for place in places],
    )
    runs, name = [splits[place].run for place in places], competitor.name
    whole = zip(*(column.tolist() for column in found.counts), strict=True)
    differences = zip(*(_nullable(column) for column in found.differences), strict=True)
    tables["pairs"] += [
        (run, name, rows.shape[1], *of_labels, *of_values)
        for run, of_labels, of_values in zip(runs, whole, differences, strict=True)
    ]
    tables["disagreements"] += [
        (runs[place], name, int(rows[place, row]), *values)
        for place, row, *values in found.disputes
    ]
    key = (splits[0].run, name)
    labels = (speaker.stacked("test", places) for speaker in (reference, competitor))
    tables["label_pairs"] += [(*key, *row) for row in pair_counts(*labels)]
    decades = decade_counts(found.probability_differences)
    tables["probability_differences"] += [(*key, *row) for row in decades]


def _nullable(values: Sequence[float] | NDArray[np.float64]) -> list[float | None]:
    """Return plain numbers for the store, None in place of NaN."""
    return [None if math.isnan(value) else float(value) for value in values]
