"""Classification problems whose right labels do not hang on any matter of taste.

Values lie on a grid of powers of two, so that offsets and scales are added without
rounding; labels come from exact arithmetic. A test row is kept only if divisor n or n - 1
and smoothing or none lead to the same label, by a margin that rounding cannot reach, and
so does a floor under the densities.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from gnbbench.conformance.contract import (
    Array,
    FloatArray,
    Make,
    alike,
    fitted,
    parameters_of,
    right_and_finite,
    table_of,
    wrong_labels,
)
from gnbbench.conformance.exact import NO_SMOOTHING, SMOOTHING, ExactModel, exact_model
from gnbbench.conformance.result import Finding

MARGIN = 0.5
"""Least log-odds between the two best classes, in nats, of a test row that is kept."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Samples to train on, samples to predict, and the labels that are right for these."""

    X: Array  # (n_samples, n_features)
    y: Array  # (n_samples,)
    X_test: Array  # (n_test, n_features)
    labels: Array  # (n_test,): Of the test samples

    def with_samples(self, change: Callable[[Array], Array]) -> "Problem":
        """Return the problem with all samples, of both sides, changed in one way."""
        return Problem(change(self.X), self.y, change(self.X_test), self.labels)

    def fitted(self, make: Make, **arguments: Any) -> Any:
        """Return a fresh model fitted to the training samples."""
        return fitted(make, self.X, self.y, **arguments)

    def table(self, make: Make, method: str = "predict_proba") -> FloatArray:
        """Return what a method of a fresh model gives for the test samples."""
        return table_of(self.fitted(make), method, self.X_test, self.y)

    def parameters(self, make: Make) -> tuple[FloatArray, FloatArray]:
        """Return the means and variances that a fresh model learns."""
        return parameters_of(self.fitted(make), self.y)

    def exact(self, smoothing: Fraction = SMOOTHING) -> ExactModel:
        """Return the model that is right for the training samples."""
        return exact_model(self.X, self.y, smoothing=smoothing)

    def wrong_labels(self, make: Make) -> Finding:
        """Return how many labels a fresh model gets wrong."""
        return wrong_labels(self.fitted(make), self.X_test, self.labels)

    def right_and_finite(self, make: Make) -> Finding:
        """Return how many labels are wrong; broken where a probability is not one."""
        return right_and_finite(self.fitted(make), self.X_test, self.labels, self.y)

    def like_one_fit(self, make: Make, model: Any) -> Finding:
        """Return by how much a model differs from one fitted to the training samples."""
        return alike(model, self.fitted(make), self.X_test, self.y)


def lent(problem: Callable[[], Problem]) -> Callable[[], Problem]:
    """Return what gives the problem in new arrays: an implementation may spoil them."""
    kept = cache(problem)

    def copied() -> Problem:
        whole = kept()
        return Problem(
            whole.X.copy(), whole.y.copy(), whole.X_test.copy(), whole.labels.copy()
        )

    copied.__doc__ = problem.__doc__
    return copied


@lent
def blobs() -> Problem:
    """Return three overlapping classes of 20 rows and four features, on a grid of 2**-8."""
    generator = np.random.default_rng(20)
    y = np.repeat(np.arange(3), 20)
    centres = np.array([[0, 0, 0, 0], [2, 1, 0, 1], [1, 2, 2, 0]], dtype=np.float64)
    spreads = np.array([[1, 1, 1, 1], [1, 0.5, 1, 2], [0.5, 1, 1, 1]])
    X = on_grid(centres[y] + spreads[y] * generator.normal(size=(60, 4)))
    candidates = on_grid(1.0 + 1.5 * generator.normal(size=(120, 4)))
    order = generator.permutation(60)
    return undisputed(X[order], y[order], candidates)


@lent
def unequal() -> Problem:
    """Return two classes of features whose standard deviations run from 1 to 1024.

    Smoothing by 1e-9 of the largest variance is a thousandth of the smallest one. The rows
    come in order of the widest feature, so that batches of them differ in variance.
    """
    generator = np.random.default_rng(21)
    y = np.tile([0, 1], 30)
    scales = np.array([1.0, 32.0, 1024.0])
    X = on_grid(scales * (generator.normal(size=(60, 3)) + 1.5 * y[:, np.newaxis]))
    order = np.argsort(np.abs(X[:, 2]), kind="stable")
    candidates = on_grid(scales * (0.75 + 1.2 * generator.normal(size=(120, 3))))
    return undisputed(X[order], y[order], candidates)


def on_grid(values: FloatArray) -> FloatArray:
    """Return the values rounded to multiples of 2**-8."""
    return np.round(values * 256.0) / 256.0


def undisputed(X: FloatArray, y: Array, candidates: FloatArray) -> Problem:
    """Return a problem with those candidates whose label no usual definition changes."""
    definitions = [
        exact_model(X, y, smoothing=smoothing, lost_degrees=lost)
        for smoothing in (SMOOTHING, NO_SMOOTHING)
        for lost in (0, 1)
    ]
    joints = [definition.joint_log_likelihood(candidates) for definition in definitions]
    best = np.array([joint.argmax(axis=1) for joint in joints])
    ordered = [np.sort(joint, axis=1) for joint in joints]
    margin = np.min([joint[:, -1] - joint[:, -2] for joint in ordered], axis=0)
    kept = (best == best[0]).all(axis=0) & (margin > MARGIN)
    kept &= _floored_scores(definitions[0], candidates).argmax(axis=1) == best[0]
    return Problem(X, y, candidates[kept], np.unique(y)[best[0, kept]])


def _floored_scores(model: ExactModel, X: FloatArray) -> FloatArray:
    """Return sums of log(density + 1e-9), as some programs have it."""
    scores = [
        np.log(
            np.exp(-((X - theta) ** 2) / (2.0 * var)) / np.sqrt(2.0 * np.pi * var) + 1e-9
        ).sum(axis=1)
        for theta, var in zip(model.theta, model.var, strict=True)
    ]
    return np.column_stack(scores) + np.log(np.array(model.priors, dtype=np.float64))
