"""Labels of Gaussian naive Bayes as people write it, worked out without gnbbench.

The oracle of `as_people_write.py`: plain NumPy, one formula a function, no fast road.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import train_test_split


@dataclass(frozen=True)
class Formula:
    """How an implementation computes each step; defaults are scikit-learn's."""

    ddof: int = 0
    # How the amount enters, and the amount.
    smoothing: tuple[str, float] = ("largest", 1e-9)
    prior: str = "shares"
    space: str = "log"
    floor: float = 0.0  # Added to each density
    mistake: str = ""  # In words; no Gaussian naive Bayes any more

    def restored(self, field: str) -> "Formula":
        """Return the formula with one step as in scikit-learn."""
        default: Any = next(f.default for f in fields(Formula) if f.name == field)
        return replace(self, **{field: default})


DEFAULT = Formula()
Split = tuple[np.ndarray, np.ndarray, np.ndarray]  # X_train, y_train, X_test

# How each rule of smoothing changes variances, given the training samples.
SMOOTHED: dict[str, Callable[[Any, float, Any], Any]] = {
    "none": lambda var, _amount, _X: var,
    "largest": lambda var, amount, X: var + amount * X.var(axis=0).max(),
    "all entries": lambda var, amount, X: var + amount * X.var(),
    "added": lambda var, amount, _X: var + amount,
    "feature": lambda var, amount, X: var + amount * X.var(axis=0),
    "largest deviation": lambda var, amount, X: var + amount * X.std(axis=0).max(),
    "range": lambda var, amount, X: var + amount * np.ptp(X, axis=0) ** 2,
    "class mean": lambda var, amount, _X: var + amount * var.mean(),
    "deviation": lambda var, amount, _X: (np.sqrt(var) + amount) ** 2,
    "widest": lambda var, amount, X: (np.sqrt(var) + amount * X.std(axis=0).max()) ** 2,
    "at least": lambda var, amount, _X: np.maximum(var, amount),
    "if zero": lambda var, amount, _X: np.where(var == 0, amount, var),
    "in the density": lambda var, _amount, _X: var,
    "grows with each row": lambda var, _amount, _X: var,
}
PRIORS: dict[str, Callable[[Any], Any]] = {
    "shares": lambda counts: counts / counts.sum(),
    "none": lambda counts: np.ones(len(counts)),
    "twice": lambda counts: (counts / counts.sum()) ** 2,
    "square root": lambda counts: (counts / counts.sum()) ** 0.5,
    "to base 10": lambda counts: np.exp(np.log10(counts / counts.sum())),
    "beside log2": lambda counts: (counts / counts.sum()) ** np.log(2),
    "largest first": lambda counts: np.sort(counts)[::-1] / counts.sum(),
    "log of one more": lambda counts: 1.0 + counts / counts.sum(),
    "first without": lambda counts: np.append(1.0, (counts / counts.sum())[1:]),
    "last alone": lambda counts: np.append(
        np.ones(len(counts) - 1), counts[-1] / sum(counts)
    ),
    "add-one": lambda counts: (counts + 1) / (counts.sum() + len(counts)),
}


def labels(formula: Formula, split: Split) -> np.ndarray:
    """Return the label of each test sample."""
    X, y, X_test = split
    classes, counts = np.unique(y, return_counts=True)
    groups = [X[y == label] for label in classes]
    if formula.mistake == "never reset":
        groups = [np.concatenate(groups[: place + 1]) for place in range(len(groups))]
    rule, amount = formula.smoothing
    prior = PRIORS[formula.prior](counts)
    scores = []
    for share, group in zip(prior, groups, strict=True):
        var = SMOOTHED[rule](group.var(axis=0, ddof=formula.ddof), amount, X)
        if rule == "grows with each row":
            var = var + amount * np.arange(1, len(X_test) + 1)[:, np.newaxis]
        parts = _log_densities(formula, X_test, group.mean(axis=0), var)
        scores.append(_score(formula, share, parts))
    found: np.ndarray = classes[np.nan_to_num(np.array(scores), nan=-np.inf).argmax(axis=0)]
    return found


def _log_densities(formula: Formula, X: Any, mean: Any, var: Any) -> Any:
    rule, amount = formula.smoothing
    inside = amount if rule == "in the density" else 0.0
    gap = X - mean
    if formula.mistake == "variance for deviation":
        var = var**2
    if formula.mistake == "x - mu/sigma":
        gap = (X - mean / np.sqrt(var)) * np.sqrt(var)
    if formula.mistake == "variance squared":
        gap = gap / np.sqrt(var)
    if formula.mistake == "half twice":
        gap = gap / np.sqrt(2)
    if formula.mistake == "no normaliser":
        return -(gap**2) / (2 * var)
    with np.errstate(divide="ignore", invalid="ignore"):
        return -np.log(2 * np.pi * var + inside) / 2 - gap**2 / (2 * var + inside)


def _score(formula: Formula, share: float, parts: Any) -> Any:
    """Return the score of one class for each sample, in the formula's space."""
    with np.errstate(divide="ignore", under="ignore", over="ignore", invalid="ignore"):
        if formula.mistake == "last left out":
            parts = parts[:, :-1]
        if formula.space == "log" and not formula.floor and "sum" not in formula.mistake:
            return np.log(share) + parts.sum(axis=1)
        densities = np.exp(parts)
        if formula.mistake == "sum of densities":
            return share * densities.sum(axis=1)
        if formula.space == "product":
            return share * densities.prod(axis=1)
        return np.log(share) + np.log(densities + formula.floor).sum(axis=1)


def disagreements(first: Formula, second: Formula, where: str, runs: int) -> int:
    """Return how many labels of the first runs differ between two formulas."""
    pairs = ((labels(first, split), labels(second, split)) for split in splits(where, runs))
    return sum(int((one != other).sum()) for one, other in pairs)


def splits(where: str, runs: int) -> Iterator[Split]:
    """Yield the splits of a study, made only by scikit-learn."""
    X, y = samples(where)
    for run in range(runs):
        parts = train_test_split(X, y, test_size=0.3, random_state=42 + run, stratify=y)
        yield parts[0], parts[2], parts[1]


@cache
def samples(where: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the samples and labels of a dataset's name; "made" has labels of text."""
    loaders = {
        "breast_cancer": load_breast_cancer,
        "digits": load_digits,
        "iris": load_iris,
        "wine": load_wine,
    }
    if where in loaders:
        X, y = loaders[where](return_X_y=True)
        return X, y
    return made()


def made() -> tuple[np.ndarray, np.ndarray]:
    """Return classes of unequal size that overlap, with features of unequal scale."""
    random = np.random.default_rng(7)
    sizes, scale = (180, 70, 24), np.array([1.0, 0.02, 100.0, 0.3, 2.0, 0.1, 5.0, 1.0])
    shifts = random.normal(scale=0.5, size=(3, 8))
    spreads = random.uniform(0.6, 1.5, size=(3, 8))
    groups = [
        scale * (shift + spread * random.normal(size=(size, 8)))
        for size, shift, spread in zip(sizes, shifts, spreads, strict=True)
    ]
    labels = np.repeat(["north", "south", "west"], sizes)
    order = random.permutation(len(labels))
    return np.concatenate(groups).round(6)[order], labels[order]
