"""Examine both assumptions on a dataset."""

import pandas as pd

from gnbbench.assumptions import independence
from gnbbench.assumptions.class_samples import class_samples
from gnbbench.assumptions.costs import costs
from gnbbench.assumptions.findings import (
    Assumptions,
    naive_verdict,
    normal_verdict,
    reason_of,
)
from gnbbench.assumptions.normality import densities, histograms, normality, quantile_points
from gnbbench.data.dataset import Dataset
from gnbbench.errors import DatasetError
from gnbbench.measurement.environment import limited_threads
from gnbbench.splits import SplitRule, sample_of
from gnbbench.statistics.metrics import LEVEL
from gnbbench.statistics.schema import columns_of

MOST_LARGEST = 10  # Pairs of a class among the largest correlations


def examine(dataset: Dataset, *, n_runs: int, seed: int, test_size: float) -> Assumptions:
    """Return how well both assumptions hold on all samples, and what each costs."""
    names = dataset.feature_names
    # Small products are slower on several threads.
    with limited_threads(1):
        cost = costs(dataset, n_runs=n_runs, seed=seed, test_size=test_size)
        samples = class_samples(dataset)
        matrices = independence.correlations(samples, names)
        pairs, left_out = independence.dependence(samples, names, level=LEVEL)
        linear = independence.independence(samples, names)
        depending = linear.merge(pairs, on="class_name", how="left")
        depending = depending[columns_of("assumptions", "independence")]
        shapes = normality(samples, names)
        return Assumptions(
            feature_names=names,
            n_runs=n_runs,
            verdicts=(
                naive_verdict(depending, cost["differences"]),
                normal_verdict(shapes, cost["differences"]),
            ),
            independence=depending,
            correlations=matrices,
            largest_correlations=independence.largest_correlations(
                matrices, names, n_largest=MOST_LARGEST
            ),
            normality=shapes,
            histograms=histograms(dataset, samples),
            densities=densities(dataset, samples),
            quantile_points=quantile_points(samples, names),
            notes=(*_untested(depending, shapes), *left_out, *cost.pop("notes")),
            **cost,
        )


def require_possible(dataset: Dataset, *, seed: int, test_size: float) -> None:
    """Raise unless there are at least two classes and enough samples to split."""
    if len(dataset.classes) < 2:
        what = "it has only one class, so there is nothing to classify"
        raise DatasetError(dataset.name, what, "Give data with at least two classes.")
    rule = SplitRule(seed, test_size, stratify=True)
    rule.cut(sample_of(dataset), 0)


def _untested(depending: pd.DataFrame, shapes: pd.DataFrame) -> list[str]:
    """Return a sentence for each reason why something was not tested."""
    sentences = []
    cells = (
        (depending, "a diagonal correlation matrix", "classes"),
        (shapes, "normality", "pairs of class and feature"),
    )
    for table, of, what in cells:
        reasons = table.loc[table["note"] != "", "note"].value_counts(sort=False)
        sentences += [
            f"Not tested for {of}: {number} of {len(table)} {what} ({reason_of(str(why))})."
            for why, number in reasons.items()
        ]
    return sentences
