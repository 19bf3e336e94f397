"""What passes over a stream come to, batch by batch: counts and sums that add up.

The tally of one batch plus that of the next is the tally of both, in any order and however
the rows were cut. At the end it becomes the records of one run, as `evaluation` has them.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gnbbench.measurement.metrics import (
    brier_score,
    confidence_metrics,
    confusion_matrices,
    decade_counts,
    log_loss,
    macro_scores,
    reliability_counts,
)
from gnbbench.measurement.pairs import pair_values
from gnbbench.measurement.predictions import UNKNOWN, Predictions
from gnbbench.records import N_RELIABILITY_BINS, RUN_METRICS


@dataclass(slots=True)
class Total:
    """A sum carried in two doubles (Knuth's two-sum, 1969).

    Parts may be added one by one, or summed apart and merged: the results differ by about
    the square of machine epsilon, so that all of them round to the same double but for
    rare ties.
    """

    rounded: float = 0.0  # The sum as one double
    rest: float = 0.0  # What rounding left of it

    def add(self, value: float) -> None:
        """Add one number."""
        total = self.rounded + value
        part = total - self.rounded
        self.rest += (self.rounded - (total - part)) + (value - part)
        self.rounded = total

    def merge(self, other: Self) -> None:
        """Add what another one summed."""
        self.add(other.rounded)
        self.rest += other.rest

    @property
    def value(self) -> float:
        """The sum as one double; infinite where a part of it is."""
        if not math.isfinite(self.rounded):
            return self.rounded
        return self.rounded + self.rest


FloatArray = NDArray[np.float64]


class FeatureRanges:
    """What the table of features says, without what needs all rows at once.

    Means and sums of squares are merged as Chan, Golub and LeVeque (1983, eq. 2.1) do.
    """

    def __init__(self, n_features: int) -> None:
        self._n_rows = 0
        self._minimum = np.full(n_features, np.inf)
        self._maximum = np.full(n_features, -np.inf)
        self._mean = np.zeros(n_features)
        self._squares = np.zeros(n_features)

    def add(self, X: FloatArray) -> None:
        """Take in some more rows."""
        with np.errstate(over="ignore", invalid="ignore"):
            mean = X.mean(axis=0)
            distances = X - mean
            squares = np.einsum("ij,ij->j", distances, distances)
        self._join(len(X), X.min(axis=0), X.max(axis=0), mean, squares)

    def merge(self, other: Self) -> None:
        """Take in what another one saw."""
        if other._n_rows:
            self._join(
                other._n_rows, other._minimum, other._maximum, other._mean, other._squares
            )

    def _join(
        self,
        n_rows: int,
        minimum: FloatArray,
        maximum: FloatArray,
        mean: FloatArray,
        squares: FloatArray,
    ) -> None:
        self._minimum = np.minimum(self._minimum, minimum)
        self._maximum = np.maximum(self._maximum, maximum)
        total = self._n_rows + n_rows
        with np.errstate(over="ignore", invalid="ignore"):
            apart = mean - self._mean
            self._squares += squares + apart * apart * (self._n_rows * n_rows / total)
            self._mean += apart * (n_rows / total)
        self._n_rows = total

    def rows(self, names: list[str] | tuple[str, ...]) -> list[dict[str, Any]]:
        """Return one row a feature, ready for JSON."""
        spread = np.sqrt(self._squares / max(self._n_rows, 1))
        columns = {
            "minimum": self._minimum,
            "maximum": self._maximum,
            "mean": self._mean,
            "standard_deviation": spread,
        }
        return [
            {
                "feature": name,
                **{key: _number(values[place]) for key, values in columns.items()},
                "distinct": None,
            }
            for place, name in enumerate(names)
        ]


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


CodeArray = NDArray[np.intp]
Row = tuple[Any, ...]

# Of all disagreements so many are kept as rows, the first of the stream.
MOST_DISAGREEMENTS = 10_000

_AVERAGED = (
    "mean_confidence",
    "mean_confidence_right",
    "mean_confidence_wrong",
    "log_loss",
    "brier_score",
)
_DIFFERENCES = ("probabilities", "joint_log_likelihood")


class Tally:
    """Labels and probabilities of one implementation, counted."""

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes
        self.confusion = np.zeros((n_classes, n_classes + 1), dtype=np.int64)
        self.reliability = np.zeros((N_RELIABILITY_BINS, 3), dtype=np.int64)
        self._averages = {name: _Average() for name in _AVERAGED}

    def add(self, truth: CodeArray, said: Predictions) -> None:
        """Count some more rows."""
        codes, labels = truth[np.newaxis], said.test[np.newaxis]
        self.confusion += confusion_matrices(codes, labels, self.n_classes)[0]
        if said.probabilities is None:
            return
        probabilities, right = said.probabilities[np.newaxis], labels == codes
        for place, *row in reliability_counts(probabilities, right):
            self.reliability[place] += np.array(row)
        n_rows, n_right = len(truth), int(right.sum())
        sizes = (n_rows, n_right, n_rows - n_right, n_rows, n_rows)
        means = {
            **confidence_metrics(probabilities, right),
            "log_loss": log_loss(probabilities, codes),
            "brier_score": brier_score(probabilities, codes),
        }
        for name, size in zip(_AVERAGED, sizes, strict=True):
            self._averages[name].add(float(means[name][0]), size)

    def merge(self, other: Self) -> None:
        """Add what another one counted."""
        self.confusion += other.confusion
        self.reliability += other.reliability
        for name, average in self._averages.items():
            average.merge(other._averages[name])

    @property
    def n_rows(self) -> int:
        """Rows that were counted."""
        return int(self.confusion.sum())

    def metrics(self) -> list[float | None]:
        """Return the metrics of the run in the order of `RUN_METRICS`."""
        found = {name: average.value for name, average in self._averages.items()}
        if self.n_rows:
            scores = macro_scores(self.confusion[np.newaxis])
            names = ("precision", "recall", "f1")
            found |= {n: float(s[0]) for n, s in zip(names, scores, strict=True)}
            found["test_accuracy"] = float(np.trace(self.confusion)) / self.n_rows
        return [found.get(name) for name in RUN_METRICS]

    def rows(self, name: str) -> dict[str, list[Row]]:
        """Return the rows of the tables of counts, zeros left out."""
        bins = enumerate(self.reliability.tolist())
        return {
            "confusion": [(0, name, *cell) for cell in _cells(self.confusion)],
            "reliability": [(0, name, place, *row) for place, row in bins if row[0]],
        }


class PairTally:
    """A competitor held against the reference, counted."""

    def __init__(self, n_classes: int) -> None:
        self.label_pairs = np.zeros((n_classes + 1, n_classes + 1), dtype=np.int64)
        # Disagreements; both right, only the reference, only the competitor, neither.
        self.counts = np.zeros(5, dtype=np.int64)
        self.decades: Counter[int | None] = Counter()
        self._largest = dict.fromkeys(_DIFFERENCES, float("nan"))
        self._averages = {name: _Average() for name in _DIFFERENCES}
        # Row, truth, label, reference label, margin.
        self.disagreements: list[Row] = []

    def add(
        self,
        rows: NDArray[np.int64],
        truth: CodeArray,
        said: Predictions,
        reference: Predictions,
    ) -> None:
        """Count some more rows."""
        found = pair_values(
            truth[np.newaxis], [said], [reference], most_disputes=MOST_DISAGREEMENTS
        )
        self.counts += np.array([column[0] for column in found.counts])
        # Code -1, no class, is the last place.
        np.add.at(self.label_pairs, (reference.test, said.test), 1)
        for decade, count in decade_counts(found.probability_differences):
            self.decades[decade] += count or 0
        values = iter(float(column[0]) for column in found.differences)
        for name in _DIFFERENCES:
            largest, mean = next(values), next(values)
            if not np.isnan(mean):
                self._largest[name] = float(np.fmax(self._largest[name], largest))
                self._averages[name].add(mean, len(rows))
        self._keep([(int(rows[row]), *rest) for _, row, *rest in found.disputes])

    def merge(self, other: Self) -> None:
        """Add what another one counted."""
        self.label_pairs += other.label_pairs
        self.counts += other.counts
        self.decades += other.decades
        for name in _DIFFERENCES:
            largest = np.fmax(self._largest[name], other._largest[name])
            self._largest[name] = float(largest)
            self._averages[name].merge(other._averages[name])
        self._keep(other.disagreements)

    def _keep(self, disagreements: list[Row]) -> None:
        """Keep these as well, as long as they are among the first of the stream."""
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
        """Rows that were counted."""
        return int(self.label_pairs.sum())

    def rows(self, name: str, reference: str) -> dict[str, list[Row]]:
        """Return the rows of the tables that pair a competitor with the reference."""
        if not self.n_rows:
            return {}
        values = [
            value
            for which in _DIFFERENCES
            for value in (self._largest[which], self._averages[which].value)
        ]
        nullable = [None if value is None or np.isnan(value) else value for value in values]
        kept = self.disagreements
        decades = sorted(self.decades.items(), key=lambda item: (item[0] or 0, item[1]))
        return {
            "pairs": [(0, name, self.n_rows, *self.counts.tolist(), *nullable)],
            "label_pairs": [(0, name, *cell) for cell in _cells(self.label_pairs)],
            "probability_differences": [(0, name, *item) for item in decades],
            "disagreements": [(0, name, *row) for row in kept],
            "votes": [
                (0, who, row, label, 1)
                for row, _, own, other, _ in kept
                for who, label in ((name, own), (reference, other))
            ],
        }


@dataclass(slots=True)
class _Average:
    """A mean over rows that come in blocks."""

    total: Total = field(default_factory=Total)
    size: int = 0

    def add(self, mean: float, size: int) -> None:
        """Take in the mean of some more rows, if there are any."""
        if size:
            self.total.add(mean * size)
            self.size += size

    def merge(self, other: "_Average") -> None:
        """Take in another one."""
        self.total.merge(other.total)
        self.size += other.size

    @property
    def value(self) -> float | None:
        """The mean of all rows; None where there were none."""
        return self.total.value / self.size if self.size else None


def _cells(table: NDArray[np.int64]) -> Iterator[tuple[int, ...]]:
    """Yield place and count of each cell; the last place of an axis is no class.

    A table of label pairs has that place for both, one of truths for labels alone.
    """
    last = table.shape[1] - 1
    for first, second in np.argwhere(table).tolist():
        codes = (UNKNOWN if place == last else place for place in (first, second))
        yield (*codes, int(table[first, second]))


@dataclass(frozen=True)
class PassSeconds:
    """How long a pass over the stream took."""

    stage: str
    n_rows: int  # Rows that implementations learned from, or labelled
    seconds: float  # From its begin to its end
    # In which blocks were read, all rows of them, by a thread beside the work
    reading_seconds: float
    own_seconds: Mapping[str, float]  # Implementation -> seconds within its calls


class Seen:
    """What the training pass saw of the data, whoever learned from them."""

    def __init__(self, n_classes: int, n_features: int) -> None:
        self.n_rows = 0
        self.train_counts = np.zeros(n_classes, dtype=np.int64)
        self.ranges = FeatureRanges(n_features)

    def merge(self, other: Self) -> None:
        """Add what another one saw of other rows."""
        self.n_rows += other.n_rows
        self.train_counts += other.train_counts
        self.ranges.merge(other.ranges)


class Scores:
    """The tallies of a scoring pass."""

    def __init__(self, names: Sequence[str], reference: str, n_classes: int) -> None:
        self.n_rows = 0
        self.tallies = {name: Tally(n_classes) for name in names}
        paired = [name for name in names if name != reference and reference in names]
        self.pairs = {name: PairTally(n_classes) for name in paired}
        self._reference = reference

    def add(
        self,
        rows: NDArray[np.int64],
        truth: NDArray[np.intp],
        said: Mapping[str, Predictions],
    ) -> None:
        """Count what was said of some rows."""
        for name, predictions in said.items():
            self.tallies[name].add(truth, predictions)
        reference = said.get(self._reference)
        for name, pair in self.pairs.items():
            if reference is not None and name in said:
                pair.add(rows, truth, said[name], reference)

    def merge(self, other: Self) -> None:
        """Add what another one counted of other rows."""
        self.n_rows += other.n_rows
        for name, tally in self.tallies.items():
            tally.merge(other.tallies[name])
        for name, pair in self.pairs.items():
            pair.merge(other.pairs[name])
