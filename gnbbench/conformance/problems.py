"""Problems with indisputable labels, by exact arithmetic; certified data.

A double is a fraction, and so are means, variances and quadratic forms of doubles: only
logarithms are rounded, each to the nearest double. Values lie on a grid of
powers of two, so that adding offsets and scaling are exact. A test row is kept
only if the divisors n and n - 1, smoothing, no smoothing and a floor under the
densities all give the same label, by a margin that rounding cannot reach.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from gnbbench.arrays import Array, FloatArray
from gnbbench.conformance import contract
from gnbbench.conformance.contract import Finding
from gnbbench.files import toml_beside

UNIT_ROUNDOFF = 2.0**-53

SMOOTHING = Fraction(1e-9)
"""scikit-learn's default ``var_smoothing``, as the double that it is."""

NO_SMOOTHING = Fraction(0)


@dataclass(frozen=True)
class ExactModel:
    """Priors, means and variances as fractions."""

    priors: tuple[Fraction, ...]
    means: tuple[tuple[Fraction, ...], ...]  # One row per class, in sorted order
    variances: tuple[tuple[Fraction, ...], ...]  # Including the smoothing
    epsilon: Fraction  # Added to each variance

    @property
    def theta(self) -> FloatArray:
        """Means, each rounded to the nearest double, shape (n_classes, n_features)."""
        return np.array(self.means, dtype=np.float64)

    @property
    def var(self) -> FloatArray:
        """Variances, each rounded to the nearest double, shape (n_classes, n_features)."""
        return np.array(self.variances, dtype=np.float64)

    def joint_log_likelihood(self, X: FloatArray) -> FloatArray:
        """``log P(c) + log p(x | c)``, every term rounded once and summed exactly."""
        scores = [self._scores([Fraction(x) for x in row]) for row in X.tolist()]
        return np.array(scores)

    def posterior(self, X: FloatArray) -> FloatArray:
        """Return the posterior probabilities, shape (n_samples, n_classes)."""
        joint = self.joint_log_likelihood(X)
        weights = np.exp(joint - joint.max(axis=1, keepdims=True))
        result: FloatArray = weights / weights.sum(axis=1, keepdims=True)
        return result

    def _scores(self, row: list[Fraction]) -> list[float]:
        scores = []
        for prior, means, variances in zip(
            self.priors, self.means, self.variances, strict=True
        ):
            terms = [math.log(prior)]
            for x, mean, variance in zip(row, means, variances, strict=True):
                terms.append(-0.5 * math.log(2.0 * math.pi * float(variance)))
                terms.append(float((x - mean) ** 2 / (-2 * variance)))
            scores.append(math.fsum(terms))
        return scores


def exact_model(
    X: FloatArray, y: Array, *, smoothing: Fraction = SMOOTHING, lost_degrees: int = 0
) -> ExactModel:
    """Return the exact model by scikit-learn's definition."""
    epsilon = smoothing * max(moments(column)[1] for column in X.T)
    priors, means, variances = [], [], []
    for label in np.unique(y):
        rows = X[y == label]
        of_columns = [moments(column, lost_degrees=lost_degrees) for column in rows.T]
        priors.append(Fraction(len(rows), len(X)))
        means.append(tuple(mean for mean, _ in of_columns))
        variances.append(tuple(variance + epsilon for _, variance in of_columns))
    return ExactModel(tuple(priors), tuple(means), tuple(variances), epsilon)


def moments(values: FloatArray, *, lost_degrees: int = 0) -> tuple[Fraction, Fraction]:
    """Return the exact mean and variance of doubles."""
    numbers = [Fraction(value) for value in values.tolist()]
    mean = sum(numbers, Fraction(0)) / len(numbers)
    squares = sum(((number - mean) ** 2 for number in numbers), Fraction(0))
    return mean, squares / (len(numbers) - lost_degrees)


def stable_variance_bound(n_samples: int, condition: float) -> float:
    """Return a bound on the relative error of a stable algorithm's variance.

    ``n u k`` for updating formulas such as Welford's (Chan, Golub and LeVeque 1983,
    table 1), which is more than a two-pass sum needs and far less than the ``n u k**2`` of
    E[x²] − E[x]².
    """
    return n_samples * UNIT_ROUNDOFF * (1.0 + condition)


MARGIN = 0.5
"""Minimum log-odds between the two best classes of a test row, in nats."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Training samples, test samples, and the right labels of the test samples."""

    X: Array  # (n_samples, n_features)
    y: Array  # (n_samples,)
    X_test: Array  # (n_test, n_features)
    labels: Array  # (n_test,): Of the test samples

    def with_samples(self, change: Callable[[Array], Array]) -> "Problem":
        """Return the problem with the samples of both sides changed."""
        return Problem(change(self.X), self.y, change(self.X_test), self.labels)

    def named(self, names: Array) -> "Problem":
        """Return the problem with as many of its classes as there are names."""
        rows, asked = self.y < len(names), self.labels < len(names)
        of_test = self.X_test[asked], names[self.labels[asked]]
        return Problem(self.X[rows], names[self.y[rows]], *of_test)

    def fitted(self, make: contract.Make, **arguments: Any) -> Any:
        """Return a fresh model fitted to the training samples."""
        return contract.fitted(make, self.X, self.y, **arguments)

    def table(self, make: contract.Make, method: str = "predict_proba") -> FloatArray:
        """Return the result of a fresh model's method on the test samples."""
        return contract.table_of(self.fitted(make), method, self.X_test, self.y)

    def parameters(self, make: contract.Make) -> tuple[FloatArray, FloatArray]:
        """Return the means and variances that a fresh model learns."""
        return contract.parameters_of(self.fitted(make), self.y)

    def exact(self, smoothing: Fraction = SMOOTHING) -> ExactModel:
        """Return the exact model of the training samples."""
        return exact_model(self.X, self.y, smoothing=smoothing)

    def wrong_labels(self, make: contract.Make) -> Finding:
        """Count the labels that a fresh model gets wrong."""
        return contract.wrong_labels(self.fitted(make), self.X_test, self.labels)

    def right_and_finite(self, make: contract.Make) -> Finding:
        """Count wrong labels; the check fails if a probability is invalid."""
        asked = self.X_test, self.labels, self.y
        return contract.right_and_finite(self.fitted(make), *asked)

    def like_one_fit(self, make: contract.Make, model: Any) -> Finding:
        """Return how much a model differs from one fitted to the training samples."""
        return contract.alike(model, self.fitted(make), self.X_test, self.y)


Ask = Callable[[Problem, contract.Make], Finding]  # The function of a check on a problem


def lent(problem: Callable[[], Problem]) -> Callable[[], Problem]:
    """Return a function that copies the problem, since implementations may modify it."""
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
    """Return two classes of features whose standard deviations range from 1 to 1024.

    Smoothing by 1e-9 of the largest variance is a thousandth of the smallest one. Rows
    are sorted by the widest feature, so that batches differ in variance.
    """
    generator = np.random.default_rng(21)
    y = np.tile([0, 1], 30)
    scales = np.array([1.0, 32.0, 1024.0])
    X = on_grid(scales * (generator.normal(size=(60, 3)) + 1.5 * y[:, np.newaxis]))
    order = np.argsort(np.abs(X[:, 2]), kind="stable")
    candidates = on_grid(scales * (0.75 + 1.2 * generator.normal(size=(120, 3))))
    return undisputed(X[order], y[order], candidates)


def blobs_with(change: Callable[[Array], Array]) -> Callable[[], Problem]:
    """Return a function that returns the blobs with the samples of both sides changed."""
    return lambda: blobs().with_samples(change)


def or_refused(ask: Ask) -> Ask:
    """Let an exception pass too, of code that answers on ordinary samples."""

    def asked(problem: Problem, make: contract.Make) -> Finding:
        blobs().wrong_labels(make)
        try:
            return ask(problem, make)
        except (contract.BrokenContract, contract.NotOffered):
            raise
        except Exception as error:  # noqa: BLE001  any refusal will do
            return Finding(0.0, message=f"refused with {type(error).__name__}")

    return asked


def with_far_row() -> tuple[Array, Array, Array]:
    """Return 2,000 rows, one of them far off, and some to label."""
    generator = np.random.default_rng(54)
    y = np.tile([0, 1], 1000)
    X = generator.normal(size=(2000, 2)) + y[:, np.newaxis] + 8.0
    X[0, 0] = 108.0
    return X, y, generator.normal(size=(100, 2)) + 8.5


def on_grid(values: FloatArray) -> FloatArray:
    """Round values to multiples of 2**-8."""
    return np.round(values * 256.0) / 256.0


def undisputed(X: FloatArray, y: Array, candidates: FloatArray) -> Problem:
    """Return a problem with the candidates on which all usual definitions agree."""
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
    """Return sums of log(density + 1e-9), as some programs compute them."""
    scores = [
        np.log(
            np.exp(-((X - theta) ** 2) / (2.0 * var)) / np.sqrt(2.0 * np.pi * var) + 1e-9
        ).sum(axis=1)
        for theta, var in zip(model.theta, model.var, strict=True)
    ]
    return np.column_stack(scores) + np.log(np.array(model.priors, dtype=np.float64))


@dataclass(frozen=True, eq=False)
class CertifiedData:
    """Values in one or several groups, and NIST's certified statistics of each group.

    The National Institute of Standards and Technology computed them in multiple precision
    (https://www.itl.nist.gov/div898/strd).
    """

    name: str  # NIST's name of the dataset
    # (n_groups, n_samples): The decimal numbers of the file, rounded to double
    groups: FloatArray
    means: FloatArray  # (n_groups,): Certified to 15 digits
    deviation: float  # Within each group, with the divisor n - 1, to 15 digits
    statement: str  # What must hold of the moments computed from them
    source: str  # The part of NIST's datasets

    @property
    def variance(self) -> float:
        """Certified variance with the divisor n."""
        n = self.groups.shape[1]
        return float(self.deviation**2 * (n - 1) / n)


def _certified(name: str, entry: Mapping[str, Any]) -> CertifiedData:
    """Return the groups of an entry of ``certified.toml``, read or made by its rule."""
    if "values" in entry:
        numbers = [entry.get("before", "") + digits for digits in entry["values"].split()]
        groups, means = [[*map(float, numbers)]], [entry["mean"]]
    else:
        digits = np.array(entry["digits"])[:, np.newaxis]
        near = np.hstack([digits, *[digits - 1, digits + 1] * entry["pairs"]])
        groups = [[float(f"{entry['lead']}.{d}") for d in row] for row in near.tolist()]
        means = [group[0] for group in groups]
    source = entry.get("source", f"univariate summary statistics, {name}")
    certified = np.array(groups), np.array(means), entry["deviation"]
    return CertifiedData(name, *certified, entry["statement"], source)


CERTIFIED = {
    name: _certified(name, entry)
    for name, entry in toml_beside(__file__, "certified.toml").items()
}
"""Certified samples by name."""
