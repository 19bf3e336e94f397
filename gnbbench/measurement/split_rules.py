"""The samples of a study, and how each run splits them into training and test sets."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import Array, BoolArray, FloatArray
from gnbbench.splits import Split, splits


@dataclass(frozen=True)
class Sample:
    """The arrays that every run splits."""

    X: FloatArray  # (n_samples, n_features)
    y: Array  # (n_samples,): Labels as the implementations see them
    classes: Array  # (n_classes,): The distinct labels, sorted
    codes: NDArray[np.intp]  # Position of each label among the classes


def sample_of(dataset: Any) -> Sample:
    """Return the arrays of a dataset."""
    return Sample(dataset.X, dataset.y, dataset.classes, dataset.codes)


@dataclass(frozen=True)
class SplitRule:
    """How every run splits the samples."""

    seed: int  # Run r uses the random state seed + r
    # Share of the samples on that side; exactly one is set
    test_size: float | None = None
    train_size: float | None = None
    stratify: bool = True  # Whether both sides keep the class proportions
    name: str = "data"  # Name of the data in messages

    def cut(self, sample: Sample, run: int) -> Split:
        """Return the split of one run."""
        return self.cuts(sample, [run])[0]

    def cuts(self, sample: Sample, runs: Sequence[int]) -> list[Split]:
        """Return the splits of several runs."""
        return splits(
            sample.codes,
            runs,
            seed=self.seed,
            test_size=self.test_size,
            train_size=self.train_size,
            stratify=self.stratify,
            name=self.name,
            classes=sample.classes,
        )


# Of splitmix64 (Steele, Lea and Flood 2014, figure 17): the golden ratio in 64 bits, and
# the finalising multipliers of Stafford's variant 13.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


@dataclass(frozen=True)
class SideRule:
    """How the rows of a stream are split into training and test rows.

    A row is for training if a hash of the seed and its number lies below a bound. The
    division into blocks or parts has no influence, and no row has to be kept.
    """

    seed: int  # From 0 to 2**64 - 1
    test_size: float  # Expected share of test rows, between 0 and 1

    def of_run(self, run: int) -> "SideRule":
        """Return the rule of a run."""
        return replace(self, seed=self.seed + run)

    def train_mask(self, first_row: int, n_rows: int) -> BoolArray:
        """Return which of some consecutive rows are for training."""
        rows = np.arange(first_row, first_row + n_rows, dtype=np.uint64)
        # A share above 1 - 2**-64 does not fit.
        bound = min(round((1.0 - self.test_size) * 2.0**64), 2**64 - 1)
        return row_hashes(rows, self.seed) < np.uint64(bound)


def row_hashes(rows: NDArray[np.uint64], seed: int) -> NDArray[np.uint64]:
    """Return 64 bits for each row: element `row` of splitmix64's sequence from a seed.

    The sequence starts at the mixed seed, so that the sequences of consecutive seeds are
    not shifted copies of each other.
    """
    start = _mixed(np.array([seed], dtype=np.uint64))
    return _mixed(start + (rows + np.uint64(1)) * _GOLDEN)


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the values with their bits mixed."""
    mixed = (values ^ (values >> np.uint64(30))) * _FIRST
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _SECOND
    return mixed ^ (mixed >> np.uint64(31))
