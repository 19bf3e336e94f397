"""The core against scikit-learn over a grid of sizes.

Both fit and predict samples of every shape in turns, after a call that is not counted.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np
from measured import Measured, ratios_of
from numpy.typing import NDArray
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

from gnbbench.core import GaussianNB

ROWS = (100, 1000, 10_000, 100_000, 1_000_000)
FEATURES = (2, 10, 50, 200)
CLASSES = (2, 10, 100)
MOST_VALUES = 10_000_000
LIMITS = {"fit": 0.7, "predict": 0.7, "predict_proba": 0.9}
# Sizes and operations with stricter limits.
STRICTER = {
    (10_000, 10, 10, "fit"): 0.2,
    (1000, 200, 2, "fit"): 0.3,
    (1000, 50, 100, "predict_proba"): 0.15,
}


def measured() -> Iterator[Measured]:
    """Yield the ratios of every size, and the worst of each operation last."""
    worst: dict[str, tuple[float, str]] = {}
    for size in product(ROWS, FEATURES, CLASSES):
        n_samples, n_features, n_classes = size
        if n_samples * n_features > MOST_VALUES or n_samples < 2 * n_classes:
            continue
        name = f"{n_samples:,} x {n_features}, {n_classes} classes"
        X, y = samples(*size)
        ours, theirs = GaussianNB(), ScikitLearnGaussianNB()
        for what, usual in LIMITS.items():
            arguments = (X, y) if what == "fit" else (X,)
            ratios = ratios_of(getattr(ours, what), getattr(theirs, what), *arguments)
            limit = STRICTER.get((*size, what), usual)
            figure = Measured(name, what, ratios, limit=limit)
            yield figure
            worst[what] = max(worst.get(what, (0.0, "")), (figure.value, name))
    for what, (ratio, name) in worst.items():
        yield Measured(f"worst: {name}", what, (ratio,), limit=LIMITS[what])


def samples(
    n_samples: int, n_features: int, n_classes: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Draw normal samples of classes half a deviation apart."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n_samples)
    y[:n_classes] = np.arange(n_classes)
    centres = 0.5 * rng.normal(size=(n_classes, n_features))
    return rng.normal(size=(n_samples, n_features)) + centres[y], y
