"""What a study is run on: a numeric matrix, its labels and where they come from."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Dataset:
    """A labelled sample, ready to be split.

    It can be pickled; two datasets are the same where their `sha256` is.
    """

    name: str  # Name shown in reports and used in the results directory
    X: NDArray[np.float64]  # (n_samples, n_features): Finite float64 values, C-contiguous
    y: NDArray[Any]  # (n_samples,): Labels of any sortable dtype
    feature_names: tuple[str, ...]  # One name per column of `X`
    class_names: tuple[str, ...]  # One display name per entry of `classes`, in that order
    target_name: str = "target"  # What the labels are called
    origin: str = ""  # Where the data come from, in one sentence
    licence: str = ""  # Terms of use as far as known
    # What was done to the data on the way in, one sentence each
    notes: tuple[str, ...] = ()
    # Whatever has to be given again to load the same data (for the plan):
    # ``load(**parameters)`` does
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def classes(self) -> NDArray[Any]:
        """Sorted distinct labels, shape (n_classes,)."""
        return np.unique(self.y)

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """Position of each label in `classes`, shape (n_samples,)."""
        return np.searchsorted(self.classes, self.y)

    @cached_property
    def sha256(self) -> str:
        """Hexadecimal digest of the values, the labels and their shapes."""
        digest = hashlib.sha256(repr(self.X.shape).encode())
        digest.update(np.ascontiguousarray(self.X).tobytes())
        digest.update("\x1f".join(map(str, self.y.tolist())).encode())
        return digest.hexdigest()
