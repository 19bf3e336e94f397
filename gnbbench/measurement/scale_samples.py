"""Samples of any size to time on, and the memory that they need."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gnbbench.data.gaussians import gaussians

FEWEST_OF_A_CLASS = 2
# Enough draws that every class has its two training samples, whatever its share.
_DRAWS_A_CLASS = 40
# Arrays of the size of X at the worst moment: both sides and what drawing them needs
# besides, or both sides and what an implementation makes of one.
_ARRAYS = 6
_SCORES = 3
_ITEM = 8


@dataclass(frozen=True, eq=False)
class ScaleSamples:
    """What implementations are fitted to and asked for at one point of a grid."""

    # (n_samples, n_features): C-contiguous float64, drawn alike; no sample is in both
    X_train: NDArray[np.float64]
    y_train: NDArray[np.int64]  # (n_samples,): At least two samples of every class
    # (n_samples, n_features): C-contiguous float64, drawn alike; no sample is in both
    X_test: NDArray[np.float64]


def scale_samples(
    n_samples: int, n_features: int, n_classes: int, *, seed: int
) -> ScaleSamples:
    """Return as many training samples as asked for, and as many others to predict.

    Both come from `gnbbench.data.gaussians.gaussians`. Where a class would have fewer
    than two training samples, its first two are put among them.
    """
    n_draws = max(2 * n_samples, _DRAWS_A_CLASS * n_classes)
    drawn = gaussians(
        n_samples=n_draws, n_features=n_features, n_classes=n_classes, seed=seed
    )
    X, y = drawn.X, np.asarray(drawn.y, dtype=np.int64)
    counts = np.bincount(y[:n_samples], minlength=n_classes)
    if counts.min() >= FEWEST_OF_A_CLASS:
        return ScaleSamples(X[:n_samples], y[:n_samples], X[n_samples : 2 * n_samples])
    train = _with_every_class(y, n_samples, n_classes)
    others = np.setdiff1d(np.arange(n_draws), train)[:n_samples]
    return ScaleSamples(X[train], y[train], X[others])


def _with_every_class(
    y: NDArray[np.int64], n_samples: int, n_classes: int
) -> NDArray[np.intp]:
    """Return rows, ascending: the first two of each class, and the first of the rest."""
    needed = np.concatenate(
        [np.flatnonzero(y == code)[:FEWEST_OF_A_CLASS] for code in range(n_classes)]
    )
    rest = np.setdiff1d(np.arange(len(y)), needed)[: n_samples - len(needed)]
    return np.sort(np.concatenate([needed, rest]))


def needed_bytes(n_samples: int, n_features: int, n_classes: int) -> int:
    """Return what a point of a grid takes at its worst moment, as an estimate.

    Six arrays of the size of X (both sides, what drawing or an implementation needs
    besides) and three tables of a score for each sample and class.
    """
    return _ITEM * n_samples * (_ARRAYS * n_features + _SCORES * n_classes)


def available_bytes(
    meminfo: Path = Path("/proc/meminfo"), group: Path = Path("/sys/fs/cgroup")
) -> int | None:
    """Return the memory that may still be taken, None where the system does not tell."""
    known = [_free_of_machine(meminfo), _free_of_group(group)]
    return min((one for one in known if one is not None), default=None)


def _free_of_machine(meminfo: Path) -> int | None:
    try:
        lines = meminfo.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    found = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
    return int(found[0]) * 1024 if found else None


def _free_of_group(group: Path) -> int | None:
    try:
        limit, used = (
            (group / name).read_text(encoding="ascii").strip()
            for name in ("memory.max", "memory.current")
        )
    except OSError:
        return None
    return int(limit) - int(used) if limit.isdigit() and used.isdigit() else None
