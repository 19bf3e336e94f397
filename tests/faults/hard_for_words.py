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


def _iris() -> tuple[Any, Any]:
    data = load_iris()
    return data.data, data.target


def _digits() -> tuple[Any, Any]:
    data = load_digits()
    return data.data[:200], data.target[:200]


def _named(*models: Any) -> dict[str, Any]:
    """Return each model, a class or the name of ours, by its name."""
    return {getattr(model, "__name__", model): model for model in models}


EVERYBODY = _named("numpy", Smoothed, LabelsOnly, Undefined, Failing, Moody)


def data_sets() -> dict[str, Hard]:
    """Return each data set by a name that says what it is."""
    iris, blobs = _iris(), _blobs(60, 3, 2, 1.0)
    few = np.array([[0.0], [1.0], [5.0], [6.0]])
    binary = _rng(5).integers(0, 2, size=(300, 4)).astype(float)
    steps = _blobs(8, 2, 2, 1.0, seed=7)
    constant = np.column_stack([blobs[0][:, 0], np.full(60, 3.0), np.zeros(60)])
    alone = np.append(np.zeros(29, int), 1)
    cauchy = _rng(8).standard_cauchy(size=(90, 3))
    flat = np.ones((24, 2))
    return {
        "four rows": Hard(
            few,
            list("aabb"),
            "p < 0.001 from four",
            10,
            test_size=0.5,
            against=_named(Smoothed, Opposite),
        ),
        "five rows": Hard(
            np.array([[0.0], [1], [2], [5], [6]]),
            [0, 0, 0, 1, 1],
            "one row of a class to train on",
            3,
            0.4,
        ),
        "six rows": Hard(
            np.array([[0.0, 1], [1, 1], [2, 3], [5, 1], [6, 0], [7, 2]]),
            [0, 0, 0, 1, 1, 1],
            "two runs of two rows to test",
            2,
            0.34,
            against=_named(Nearest, "numpy"),
        ),
        "eight rows": Hard(
            *steps, "intervals wider than all accuracies", 6, 0.5, against=_named(Nearest)
        ),
        "one feature": Hard(
            blobs[0][:, :1], blobs[1], "no pair of features", 5, against=EVERYBODY
        ),
        "constant features": Hard(
            constant, blobs[1], "zero variances", 5, against=_named(Smoothed, "numpy")
        ),
        "nothing varies": Hard(
            flat, np.arange(24) % 2, "no feature says anything", 3, against=_named("numpy")
        ),
        "sixteen rows": Hard(
            binary,
            (binary.sum(axis=1) > 2).astype(int),
            "few distinct rows",
            8,
            against=_named(Smoothed, "numpy"),
        ),
        "duplicates": Hard(
            np.repeat([[0.0, 1.0], [2.0, 1.5]], 20, axis=0),
            np.repeat([0, 1], 20),
            "two distinct rows",
            5,
            against=_named("numpy", Nearest),
        ),
        "parity": Hard(
            *_parity(), "dependent in threes", 6, against=_named(Nearest, "numpy")
        ),
        "ring": Hard(*_ring(), "dependent, uncorrelated", 5, against=_named(Nearest)),
        "sine": Hard(
            *_sine(), "waves too short to see", 5, against=_named(Nearest, Smoothed)
        ),
        "class of one row": Hard(
            blobs[0][:30],
            alone,
            "no stratified split",
            6,
            stratify=False,
            against=_named("numpy", Smoothed),
        ),
        "all agree": Hard(
            *_blobs(40, 3, 2, 9.0),
            "accuracy 1 in every run",
            5,
            against=_named("numpy", LabelsOnly),
        ),
        "none agree": Hard(
            *_blobs(40, 3, 2, 9.0), "agreement 0 %", 5, against=_named(Opposite)
        ),
        "undefined probabilities": Hard(*blobs, "NaN", 4, against=_named(Undefined)),
        "undefined and few": Hard(
            *_blobs(12, 1, 2, 3.0), "NaN beside equal labels", 2, against=_named(Undefined)
        ),
        "failing": Hard(*blobs, "no number at all", 4, against=_named(Failing)),
        "failing at times": Hard(
            *blobs, "means over other runs", 6, against=_named(Moody, "numpy")
        ),
        "labels alone": Hard(*blobs, "no probabilities", 4, against=_named(LabelsOnly)),
        "one run": Hard(*iris, "no interval", 1, against=_named("numpy", Smoothed)),
        "two runs": Hard(
            *iris, "one degree of freedom", 2, against=_named(Smoothed, Narrow)
        ),
        "unbalanced": Hard(
            *_unbalanced(), "classes of 370, 22 and 8", 5, against=_named(Smoothed, Nearest)
        ),
        "words": Hard(
            blobs[0],
            np.array(["no", "yes"])[blobs[1]],
            "labels are words",
            3,
            against=_named(Smoothed),
        ),
        "negative": Hard(
            blobs[0],
            -1 - blobs[1],
            "labels are negative numbers",
            3,
            against=_named(Smoothed),
        ),
        "booleans": Hard(
            blobs[0],
            blobs[1] == 1,
            "labels are booleans",
            3,
            often=True,
            against=_named(Smoothed),
        ),
        "far away": Hard(
            blobs[0] + 1e9, blobs[1], "offset 1e9", 4, against=_named("numpy", Narrow)
        ),
        "tiny": Hard(
            blobs[0] * 1e-160, blobs[1], "squares underflow", 4, against=_named("numpy")
        ),
        "small": Hard(
            blobs[0] * 1e-8, blobs[1], "scale 1e-8", 4, against=_named("numpy", Smoothed)
        ),
        "mixed scales": Hard(
            blobs[0] * [1.0, 1e6, 1e-6],
            blobs[1],
            "smoothing swallows a feature",
            5,
            against=_named(Smoothed, Nearest),
        ),
        "ten classes": Hard(*_digits(), "ten classes", 3, against=_named("numpy", Nearest)),
        "outliers": Hard(
            cauchy,
            np.arange(90) % 3,
            "infinite log loss",
            4,
            against=_named("numpy", Smoothed),
        ),
        "more features than rows": Hard(
            *_blobs(24, 40, 2, 0.5),
            "singular covariances",
            3,
            against=_named("numpy", Smoothed),
        ),
        "equal features": Hard(
            np.repeat(blobs[0][:, :1], 3, axis=1),
            blobs[1],
            "|r| is 1",
            4,
            against=_named(Nearest),
        ),
        "many rows": Hard(
            *_blobs(1500, 3, 3, 1.0),
            "equivalence can be shown",
            6,
            against=_named(Narrow, Smoothed),
        ),
        "everybody": Hard(
            *_blobs(90, 3, 3, 1.0, seed=4), "all at once", 4, against=EVERYBODY
        ),
        "most is tested": Hard(
            *_blobs(40, 2, 2, 1.0, seed=6), "conservative", 5, 0.8, against=_named(Smoothed)
        ),
    }
