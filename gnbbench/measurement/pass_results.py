"""What passes over a stream leave behind: what was seen, what was scored, what it took."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from gnbbench.measurement.feature_ranges import FeatureRanges
from gnbbench.measurement.predictions import Predictions
from gnbbench.measurement.tallies import PairTally, Tally


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
