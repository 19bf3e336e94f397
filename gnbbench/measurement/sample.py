"""What the runs of a study are cut from, and how."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.splits import Split, splits


@dataclass(frozen=True)
class Sample:
    """The arrays that every run is cut from."""

    X: NDArray[np.float64]  # (n_samples, n_features)
    y: NDArray[Any]  # (n_samples,): Labels as the implementations see them
    classes: NDArray[Any]  # (n_classes,): The distinct labels, sorted
    codes: NDArray[np.intp]  # Position of each label among the classes


@dataclass(frozen=True)
class SplitRule:
    """How every run cuts the sample."""

    seed: int  # Run r uses the random state seed + r
    test_size: float | None = None  # Share of the samples on that side; one of the two
    train_size: float | None = None  # Share of the samples on that side; one of the two
    stratify: bool = True  # Whether both sides keep the shares of the classes
    name: str = "data"  # What the data are called in messages

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
        )
