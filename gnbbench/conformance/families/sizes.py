"""Few and very many classes, features and rows."""

import numpy as np

from gnbbench.conformance.contract import Make, fitted
from gnbbench.conformance.evidence import right_and_finite
from gnbbench.conformance.problems import on_grid, settled
from gnbbench.conformance.result import Check, Finding

EXACT = "labels by exact arithmetic, margins of at least half a nat"
APART = "classes so far apart that the nearest mean is right by any definition"


def _two_classes(make: Make) -> Finding:
    return _settled(make, n_classes=2, n_features=3)


def _one_feature(make: Make) -> Finding:
    return _settled(make, n_classes=3, n_features=1)


def _settled(make: Make, *, n_classes: int, n_features: int) -> Finding:
    generator = np.random.default_rng(40)
    y = np.repeat(np.arange(n_classes), 15)
    noise = generator.normal(size=(len(y), n_features))
    asked = n_classes * generator.normal(size=(60, n_features))
    problem = settled(on_grid(noise + 2.0 * y[:, np.newaxis]), y, on_grid(asked))
    model = fitted(make, problem.X, problem.y)
    return right_and_finite(model, problem.X_test, problem.labels, problem.y)


def _thousand_classes(make: Make) -> Finding:
    """Classes sit 10 standard deviations apart on a lattice of 10 by 10 by 10."""
    generator = np.random.default_rng(41)
    labels = np.arange(1000)
    centres = 10.0 * np.column_stack([labels // 100, labels // 10 % 10, labels % 10])
    # Four fixed corners a class give all of them the same variance.
    corners = np.array([[1, 1, 1], [-1, -1, 1], [1, -1, -1], [-1, 1, -1]], dtype=np.float64)
    X = (centres[:, np.newaxis] + corners).reshape(-1, 3)
    X_test = centres + on_grid(generator.uniform(-3.0, 3.0, centres.shape))
    y = np.repeat(labels, 4)
    asked = labels[::10]  # enough, where a program takes long for each
    return right_and_finite(fitted(make, X, y), X_test[asked], asked, y)


def _many_features(make: Make) -> Finding:
    """Each of 10 000 features tells a little; densities multiplied would be zero."""
    generator = np.random.default_rng(42)
    y = np.tile([0, 1], 10)
    X = generator.normal(size=(20, 10_000)) + 0.5 * y[:, np.newaxis]
    X_test = generator.normal(size=(10, 10_000)) + 0.5 * y[:10, np.newaxis]
    return right_and_finite(fitted(make, X, y), X_test, y[:10], y)


CHECKS = (
    Check(
        "two-classes",
        "sizes",
        "Two classes of three features get the right labels.",
        0.0,
        "labels",
        EXACT,
        _two_classes,
    ),
    Check(
        "thousand-classes",
        "sizes",
        "A thousand classes are told apart.",
        0.0,
        "labels",
        APART,
        _thousand_classes,
    ),
    Check(
        "one-feature",
        "sizes",
        "A single feature is enough.",
        0.0,
        "labels",
        EXACT,
        _one_feature,
    ),
    Check(
        "ten-thousand-features",
        "sizes",
        "Ten thousand features neither underflow nor overflow.",
        0.0,
        "labels",
        APART,
        _many_features,
    ),
)
