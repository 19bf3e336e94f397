"""Datasets and implementations about which true sentences are hard to write.

Each data set is there for a sentence that could go wrong on it: an interval without
width, a share of nothing, a class that a split leaves out.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, load_iris
from sklearn.naive_bayes import GaussianNB


class Opposite(GaussianNB):  # type: ignore[misc]
    """Gives the other of two labels, always; probabilities are mirrored."""

    def predict(self, X: Any) -> Any:
        return self.classes_[1 - np.searchsorted(self.classes_, super().predict(X))]

    def predict_proba(self, X: Any) -> Any:
        return super().predict_proba(X)[:, ::-1]


class LabelsOnly:
    """Gives labels and no probabilities."""

    def fit(self, X: Any, y: Any) -> "LabelsOnly":
        self._model = GaussianNB().fit(X, y)
        self.classes_ = self._model.classes_
        return self

    def predict(self, X: Any) -> Any:
        return self._model.predict(X)


class Undefined(GaussianNB):  # type: ignore[misc]
    """Gives scikit-learn's labels, and NaN in place of every probability."""

    def predict_proba(self, X: Any) -> Any:
        return np.full_like(super().predict_proba(X), np.nan)


class Failing(GaussianNB):  # type: ignore[misc]
    """Fails in every run."""

    def fit(self, X: Any, y: Any) -> Any:
        raise ValueError(f"nothing works on {len(X)} rows with {len(y)} labels")


class Moody(GaussianNB):  # type: ignore[misc]
    """Fails where the first training value is above the median of its feature."""

    def fit(self, X: Any, y: Any) -> Any:
        if X[0, 0] > np.median(X[:, 0]):
            raise ValueError("not today")
        return super().fit(X, y)


class Smoothed(GaussianNB):  # type: ignore[misc]
    """Smooths half of the largest variance into every one."""

    def __init__(self) -> None:
        super().__init__(var_smoothing=0.5)


class Narrow(GaussianNB):  # type: ignore[misc]
    """Works in single precision, so that probabilities differ, and few labels."""

    def fit(self, X: Any, y: Any) -> Any:
        return super().fit(np.asarray(X, np.float32), y)

    def predict_proba(self, X: Any) -> Any:
        return super().predict_proba(np.asarray(X, np.float32)).astype(float)


class Nearest:
    """No naive Bayes: the label of the nearest training row, sure of it."""

    def fit(self, X: Any, y: Any) -> "Nearest":
        self._X, self._y = np.asarray(X), np.asarray(y)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        distances = np.square(np.asarray(X)[:, None] - self._X).sum(axis=2)
        return self._y[distances.argmin(axis=1)]

    def predict_proba(self, X: Any) -> Any:
        return (self.predict(X)[:, None] == self.classes_).astype(float)


@dataclass(frozen=True)
class Hard:
    """A data set, and how it is split and labelled."""

    X: Any
    y: Any
    why: str  # What is hard to say of it
    runs: int = 4
    test_size: float = 0.3
    stratify: bool = True
    often: bool = False  # Whether a thousand runs are made to see what some runs bound
    noise: float = 0.02  # Of its times, as the standard deviation of their logarithms
    against: Mapping[str, Any] = field(default_factory=lambda: {"numpy": "numpy"})


# How long a call takes, in units of scikit-learn's; of all others as long.
SPEEDS: Mapping[str, float] = {"numpy": 0.12, "Nearest": 0.02, "Smoothed": 1.5}


def _rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def _blobs(n: int, d: int, k: int, apart: float, seed: int = 0) -> tuple[Any, Any]:
    rng = _rng(seed)
    y = np.arange(n) % k
    return rng.normal(size=(n, d)) + apart * rng.normal(size=(k, d))[y], y


def _parity() -> tuple[Any, Any]:
    rng = _rng(1)
    y = np.arange(240) % 2
    X = rng.normal(size=(240, 2))
    return np.column_stack([X, X[:, 0] * X[:, 1] * (2 * y - 1)]), y


def _ring() -> tuple[Any, Any]:
    rng = _rng(2)
    y = np.arange(160) % 2
    angle = rng.uniform(0, 2 * np.pi, 160)
    radius = 1.0 + 2 * y + 0.1 * rng.normal(size=160)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y


def _sine() -> tuple[Any, Any]:
    x, y = _rng(3).uniform(0, 1, 200), np.arange(200) % 2
    return np.column_stack([x, (2 * y - 1) * np.sin(24 * np.pi * x)]), y


def _unbalanced() -> tuple[Any, Any]:
    rng = _rng(4)
    y = np.repeat([0, 1, 2], [370, 22, 8])
    return rng.normal(size=(400, 4)) + 0.8 * y[:, None], y


def _hard(samples: tuple[Any, Any], why: str, *against: Any, **how: Any) -> Hard:
    """Return a data set; models to compare with are classes, or names of ours."""
    named = {getattr(model, "__name__", model): model for model in against}
    return Hard(*samples, why, against=named, **how)


EVERYBODY = ("numpy", Smoothed, LabelsOnly, Undefined, Failing, Moody)


def data_sets() -> dict[str, Hard]:
    """Return each data set by a name that says what it is."""
    blobs = X, y = _blobs(60, 3, 2, 1.0)
    binary = _rng(5).integers(0, 2, size=(300, 4)).astype(float)
    constant = np.column_stack([X[:, 0], np.full(60, 3.0), np.zeros(60)])
    two, far = np.repeat([[0.0, 1.0], [2.0, 1.5]], 20, axis=0), _blobs(40, 3, 2, 9.0)
    few, five = [[0.0], [1.0], [5.0], [6.0]], [[0.0], [1], [2], [5], [6]]
    six, halves = [[0.0, 1], [1, 1], [2, 3], [5, 1], [6, 0], [7, 2]], [0, 0, 0, 1, 1, 1]
    cauchy = _rng(8).standard_cauchy(size=(90, 3)), np.arange(90) % 3
    iris, most = load_iris(return_X_y=True), _blobs(40, 2, 2, 1.0, seed=6)
    pixels, digits = load_digits(return_X_y=True)
    return {
        "four rows": _hard(
            (np.array(few), list("aabb")),
            "p < 0.001 from four",
            Smoothed,
            Opposite,
            runs=10,
            test_size=0.5,
        ),
        "five rows": _hard(
            (np.array(five), halves[:5]),
            "one row of a class to train on",
            "numpy",
            runs=3,
            test_size=0.4,
        ),
        "six rows": _hard(
            (np.array(six), halves),
            "two runs of two rows to test",
            Nearest,
            "numpy",
            runs=2,
            test_size=0.34,
        ),
        "eight rows": _hard(
            _blobs(8, 2, 2, 1.0, seed=7),
            "intervals wider than all accuracies",
            Nearest,
            runs=6,
            test_size=0.5,
        ),
        "one feature": _hard((X[:, :1], y), "no pair of features", *EVERYBODY, runs=5),
        "constant features": _hard(
            (constant, y), "zero variances", Smoothed, "numpy", runs=5
        ),
        "nothing varies": _hard(
            (np.ones((24, 2)), np.arange(24) % 2),
            "no feature says anything",
            "numpy",
            runs=3,
        ),
        "sixteen rows": _hard(
            (binary, (binary.sum(axis=1) > 2).astype(int)),
            "few distinct rows",
            Smoothed,
            "numpy",
            runs=8,
        ),
        "duplicates": _hard(
            (two, np.repeat([0, 1], 20)), "two distinct rows", "numpy", Nearest, runs=5
        ),
        "parity": _hard(_parity(), "dependent in threes", Nearest, "numpy", runs=6),
        "ring": _hard(_ring(), "dependent, uncorrelated", Nearest, runs=5),
        "sine": _hard(_sine(), "waves too short to see", Nearest, Smoothed, runs=5),
        "class of one row": _hard(
            (X[:30], np.append(np.zeros(29, int), 1)),
            "no stratified split",
            "numpy",
            Smoothed,
            runs=6,
            stratify=False,
        ),
        "all agree": _hard(far, "accuracy 1 in every run", "numpy", LabelsOnly, runs=5),
        "none agree": _hard(far, "agreement 0 %", Opposite, runs=5),
        "undefined probabilities": _hard(blobs, "NaN", Undefined),
        "undefined and few": _hard(
            _blobs(12, 1, 2, 3.0), "NaN beside equal labels", Undefined, runs=2
        ),
        "failing": _hard(blobs, "no number at all", Failing),
        "failing at times": _hard(blobs, "means over other runs", Moody, "numpy", runs=6),
        "labels alone": _hard(blobs, "no probabilities", LabelsOnly),
        "one run": _hard(iris, "no interval", "numpy", Smoothed, runs=1),
        "two runs": _hard(iris, "one degree of freedom", Smoothed, Narrow, runs=2),
        "unbalanced": _hard(
            _unbalanced(), "classes of 370, 22 and 8", Smoothed, Nearest, runs=5
        ),
        "words": _hard(
            (X, np.array(["no", "yes"])[y]), "labels are words", Smoothed, runs=3
        ),
        "negative": _hard((X, -1 - y), "labels are negative numbers", Smoothed, runs=3),
        "booleans": _hard((X, y == 1), "labels are booleans", Smoothed, runs=3, often=True),
        "far away": _hard((X + 1e9, y), "offset 1e9", "numpy", Narrow),
        "tiny": _hard((X * 1e-160, y), "squares underflow", "numpy"),
        "small": _hard((X * 1e-8, y), "scale 1e-8", "numpy", Smoothed),
        "mixed scales": _hard(
            (X * [1.0, 1e6, 1e-6], y),
            "smoothing swallows a feature",
            Smoothed,
            Nearest,
            runs=5,
        ),
        "ten classes": _hard(
            (pixels[:200], digits[:200]), "ten classes", "numpy", Nearest, runs=3
        ),
        "outliers": _hard(cauchy, "infinite log loss", "numpy", Smoothed),
        "more features than rows": _hard(
            _blobs(24, 40, 2, 0.5), "singular covariances", "numpy", Smoothed, runs=3
        ),
        "equal features": _hard((np.repeat(X[:, :1], 3, axis=1), y), "|r| is 1", Nearest),
        "many rows": _hard(
            _blobs(1500, 3, 3, 1.0), "equivalence can be shown", Narrow, Smoothed, runs=6
        ),
        "everybody": _hard(_blobs(90, 3, 3, 1.0, seed=4), "all at once", *EVERYBODY),
        "most is tested": _hard(most, "conservative", Smoothed, runs=5, test_size=0.8),
    }
