"""Counts and sums over the test sets of runs, which can be merged.

The tallies of two batches add up to that of both, in any order and however rows are divided
into batches. A batch of runs in memory is tallied at once; the rows of a stream come batch
by batch, so that its metrics are tallied too.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import CodeArray, CountArray, FloatArray
from gnbbench.core.row_blocks import as_block, block_length, tiles
from gnbbench.measurement import metrics
from gnbbench.measurement.predictions import UNKNOWN, Predictions, stacked
from gnbbench.records import N_RELIABILITY_BINS, RUN_METRICS

Row = tuple[Any, ...]

SIDE_BY_SIDE = 16
# The first disagreements of a stream that are kept as rows.
MOST_DISAGREEMENTS = 10_000


@dataclass(slots=True)
class Mean:
    """A mean over rows that come in batches, without loss of digits in any order.

    The sum is carried in two doubles (Knuth's two-sum, 1969). Merged sums differ by about
    the square of machine epsilon, so that they round to the same double except for rare
    ties.
    """

    rounded: float = 0.0  # The sum as one double
    rest: float = 0.0  # Its rounding error
    size: int = 0

    def add(self, mean: float, size: int) -> None:
        """Add the mean of some more rows, if there are any."""
        if size:
            self._add(mean * size)
            self.size += size

    def merge(self, other: Self) -> None:
        """Add another mean."""
        self._add(other.rounded)
        self.rest += other.rest
        self.size += other.size

    def _add(self, value: float) -> None:
        total = self.rounded + value
        part = total - self.rounded
        self.rest += (self.rounded - (total - part)) + (value - part)
        self.rounded = total

    @property
    def value(self) -> float | None:
        """The mean of all rows; None if there are none."""
        if not self.size:
            return None
        is_finite = math.isfinite(self.rounded)
        return (self.rounded + self.rest if is_finite else self.rounded) / self.size


class LabelTally:
    """Labels and probabilities of one implementation, counted."""

    def __init__(self, n_classes: int) -> None:
        self.confusion = np.zeros((n_classes, n_classes + 1), dtype=np.int64)
        self.reliability = np.zeros((N_RELIABILITY_BINS, 3), dtype=np.int64)
        self._means: dict[str, Mean] = {}  # Of the rows of a stream

    def add(self, truth: CodeArray, predicted: Predictions) -> dict[str, FloatArray]:
        """Count the predictions of some runs; return the metrics of each."""
        confusion = metrics.confusion_matrices(truth, predicted.test, len(self.confusion))
        self.confusion += confusion.sum(axis=0)
        scores = metrics.label_metrics(confusion)
        if predicted.probabilities is not None:
            right = predicted.test == truth
            self.reliability += metrics.reliability_counts(predicted.probabilities, right)
            scores |= metrics.probability_metrics(predicted.probabilities, truth, right)
        return scores

    def add_rows(self, truth: CodeArray, predicted: Predictions) -> None:
        """Count some more rows of a stream, which is one run."""
        n_right = int(np.count_nonzero(predicted.test == truth))
        names = ("mean_confidence_right", "mean_confidence_wrong")
        sizes = dict(zip(names, (n_right, len(truth) - n_right), strict=True))
        for name, values in self.add(truth[np.newaxis], stacked([predicted])).items():
            mean = self._means.setdefault(name, Mean())
            mean.add(float(values[0]), sizes.get(name, len(truth)))

    def merge(self, other: Self) -> None:
        """Add the counts of another tally."""
        self.confusion += other.confusion
        self.reliability += other.reliability
        for name, mean in other._means.items():
            self._means.setdefault(name, Mean()).merge(mean)

    @property
    def n_rows(self) -> int:
        """Number of rows counted."""
        return int(self.confusion.sum())

    def metrics(self) -> list[float | None]:
        """Return the metrics of a stream's run in the order of `RUN_METRICS`."""
        scores = {name: mean.value for name, mean in self._means.items()}
        if self.n_rows:
            of_labels = metrics.label_metrics(self.confusion[np.newaxis])
            scores |= {name: float(values[0]) for name, values in of_labels.items()}
        return [scores.get(name) for name in RUN_METRICS]

    def rows(self, run: int, name: str) -> dict[str, list[Row]]:
        """Return the rows of the tables of counts, zeros left out."""
        bins = enumerate(self.reliability.tolist())
        return {
            "confusion": [(run, name, *cell) for cell in _cells(self.confusion)],
            "reliability": [(run, name, place, *row) for place, row in bins if row[0]],
        }


class PairTally:
    """Labels and probabilities of a competitor beside the reference's, counted."""

    def __init__(self, n_classes: int) -> None:
        self.label_pairs = np.zeros((n_classes + 1, n_classes + 1), dtype=np.int64)
        self.decades: Counter[int | None] = Counter()
        # Of a stream: disagreements; both right, only the reference, only the competitor,
        # neither.
        self.counts = np.zeros(5, dtype=np.int64)
        # Of probabilities, then of joint log-likelihoods.
        self._largest = np.full(2, np.nan)
        self._means = (Mean(), Mean())
        # Row, truth, label, reference label, margin.
        self.disagreements: list[Row] = []

    def add(
        self,
        truth: CodeArray,
        competitor: Predictions,
        reference: Predictions,
        *,
        most_disagreements: int | None = None,
    ) -> metrics.PairValues:
        """Count some runs; return how the two differ."""
        most = most_disagreements
        pairs = metrics.pair_values(truth, competitor, reference, most_disagreements=most)
        width = len(self.label_pairs)
        # Code -1, an unknown label, goes to the last place.
        cells = reference.test % width * width + competitor.test % width
        counts = np.bincount(cells.ravel(), minlength=width * width)
        self.label_pairs += counts.reshape(width, width)
        for decade, count in metrics.decade_counts(pairs.probability_differences):
            self.decades[decade] += count or 0
        return pairs

    def add_rows(
        self,
        rows: CountArray,
        truth: CodeArray,
        competitor: Predictions,
        reference: Predictions,
    ) -> None:
        """Count some more rows of a stream."""
        pair = stacked([competitor]), stacked([reference])
        pairs = self.add(truth[np.newaxis], *pair, most_disagreements=MOST_DISAGREEMENTS)
        self.counts += np.array([column[0] for column in pairs.counts])
        largest, mean, *of_joint = (float(column[0]) for column in pairs.differences)
        self._largest = np.fmax(self._largest, (largest, of_joint[0]))
        for total, value in zip(self._means, (mean, of_joint[1]), strict=True):
            total.add(value, 0 if np.isnan(value) else len(rows))
        self._keep([(int(rows[row]), *rest) for _, row, *rest in pairs.disagreements])

    def merge(self, other: Self) -> None:
        """Add the counts of another tally."""
        self.label_pairs += other.label_pairs
        self.decades += other.decades
        self.counts += other.counts
        self._largest = np.fmax(self._largest, other._largest)
        for mean, more in zip(self._means, other._means, strict=True):
            mean.merge(more)
        self._keep(other.disagreements)

    def rows(self, run: int, name: str) -> dict[str, list[Row]]:
        """Return the rows of the tables of counts, zeros left out."""
        # Exact zeros, without a decade, come first.
        decades = sorted(self.decades.items(), key=lambda item: item[0] or -math.inf)
        return {
            "label_pairs": [(run, name, *cell) for cell in _cells(self.label_pairs)],
            "probability_differences": [(run, name, *item) for item in decades],
        }

    def _keep(self, disagreements: list[Row]) -> None:
        """Keep those that are among the first of the stream."""
        if not disagreements:
            return
        known = self.disagreements
        ordered = not known or known[-1][0] < disagreements[0][0]
        if ordered and len(known) >= MOST_DISAGREEMENTS:
            return
        joined = [*known, *disagreements]
        if not ordered:
            joined.sort(key=lambda row: row[0])
        self.disagreements = joined[:MOST_DISAGREEMENTS]

    @property
    def n_rows(self) -> int:
        """Number of rows counted."""
        return int(self.label_pairs.sum())

    def pair_rows(self, run: int, name: str, reference: str) -> dict[str, list[Row]]:
        """Return the rows of the tables that pair a competitor with the reference."""
        if not self.n_rows:
            return {}
        values = [
            value
            for largest, mean in zip(self._largest.tolist(), self._means, strict=True)
            for value in (None if math.isnan(largest) else largest, mean.value)
        ]
        kept = self.disagreements
        return {
            **self.rows(run, name),
            "pairs": [(run, name, self.n_rows, *self.counts.tolist(), *values)],
            "disagreements": [(run, name, *row) for row in kept],
            "votes": [
                (run, who, row, label, 1)
                for row, _, competitor_label, reference_label, _ in kept
                for who, label in ((name, competitor_label), (reference, reference_label))
            ],
        }


def _cells(table: CountArray) -> Iterator[tuple[int, ...]]:
    """Yield codes and count of each cell that is not zero; -1 for an unknown label."""
    last = table.shape[1] - 1
    for first, second in np.argwhere(table).tolist():
        codes = (UNKNOWN if place == last else place for place in (first, second))
        yield (*codes, int(table[first, second]))


class FeatureRanges:
    """Minimum, maximum, mean and standard deviation of features, batch by batch.

    Means and sums of squares are merged as in Chan, Golub and LeVeque (1983, eq. 2.1).
    """

    def __init__(self, n_features: int) -> None:
        self.n_features = n_features
        self._n_rows = 0
        self._minimum = np.full(n_features, np.inf)
        self._maximum = np.full(n_features, -np.inf)
        self._mean = np.zeros(n_features)
        self._squares = np.zeros(n_features)

    def add(self, X: NDArray[np.floating[Any]]) -> None:
        """Add some more rows, in pieces that fit in a cache."""
        n_features = X.shape[1]
        batch = FeatureRanges(n_features)  # Merged as one, so that results are reproducible
        for start, stop in tiles(0, len(X), block_length(n_features)):
            # Short rows are slow to reduce, so several are joined into a long one.
            whole = (stop - start) // SIDE_BY_SIDE * SIDE_BY_SIDE
            cut = start + whole
            if whole:
                wide = as_block(X, start, cut).reshape(-1, SIDE_BY_SIDE * n_features)
                batch._add(wide, n_features)
            if cut < stop:
                batch._add(as_block(X, cut, stop), n_features)
        self.merge(batch)

    def _add(self, wide: FloatArray, n_features: int) -> None:
        other = FeatureRanges(n_features)
        folded = (-1, n_features)
        other._n_rows = wide.size // n_features
        wider = wide.reshape(-1, wide.shape[1] * math.gcd(len(wide), 8))  # Faster to search
        other._minimum = wider.min(axis=0).reshape(folded).min(axis=0)
        other._maximum = wider.max(axis=0).reshape(folded).max(axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            other._mean = wide.sum(axis=0).reshape(folded).sum(axis=0) / other._n_rows
            distances = wide - np.tile(other._mean, wide.shape[1] // n_features)
            squares = np.einsum("ij,ij->j", distances, distances)
            other._squares = squares.reshape(folded).sum(axis=0)
        self.merge(other)

    def merge(self, other: "FeatureRanges") -> None:
        """Add the rows of another one."""
        if not other._n_rows:
            return
        self._minimum = np.minimum(self._minimum, other._minimum)
        self._maximum = np.maximum(self._maximum, other._maximum)
        total = self._n_rows + other._n_rows
        with np.errstate(over="ignore", invalid="ignore"):
            apart = other._mean - self._mean
            between = apart * apart * (self._n_rows * other._n_rows / total)
            self._squares += other._squares + between
            self._mean += apart * (other._n_rows / total)
        self._n_rows = total

    def rows(self, names: list[str] | tuple[str, ...]) -> list[dict[str, Any]]:
        """Return one row per feature, ready for JSON."""
        columns = {
            "minimum": self._minimum,
            "maximum": self._maximum,
            "mean": self._mean,
            "standard_deviation": np.sqrt(self._squares / max(self._n_rows, 1)),
        }
        rows = zip(*(values.tolist() for values in columns.values()), strict=True)
        finite = ([v if math.isfinite(v) else None for v in row] for row in rows)
        return [
            {"feature": name, **dict(zip(columns, row, strict=True)), "distinct": None}
            for name, row in zip(names, finite, strict=True)
        ]


class TestTally:
    """The predictions of all models on the test rows of a split, counted."""

    __test__ = False  # for pytest, which would collect it

    def __init__(self, names: Sequence[str], n_classes: int) -> None:
        """The reference is the first name."""
        self.n_rows = 0
        self.labels = {name: LabelTally(n_classes) for name in names}
        self.pairs = {name: PairTally(n_classes) for name in names[1:]}

    def add(
        self, rows: CountArray, truth: CodeArray, predicted: Mapping[str, Predictions]
    ) -> None:
        """Count the predictions for some rows."""
        self.n_rows += len(rows)
        for name, predictions in predicted.items():
            self.labels[name].add_rows(truth, predictions)
        reference = predicted.get(next(iter(self.labels)))
        for name, pair in self.pairs.items():
            if reference is not None and name in predicted:
                pair.add_rows(rows, truth, predicted[name], reference)

    def merge(self, other: Self) -> None:
        """Add the counts of other rows."""
        self.n_rows += other.n_rows
        for name, tally in self.labels.items():
            tally.merge(other.labels[name])
        for name, pair in self.pairs.items():
            pair.merge(other.pairs[name])
