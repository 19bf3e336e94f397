"""Data with no spread, too few or very many of something, ties, and labels of all kinds."""

from functools import partial

import numpy as np

from gnbbench.conformance.contract import (
    Array,
    Make,
    class_order,
    configured,
    fitted,
    learned_in_batches,
    require,
    require_batches,
    right_and_finite,
    right_or_refused,
    wrong_labels,
)
from gnbbench.conformance.problems import Problem, blobs, lent, on_grid, undisputed
from gnbbench.conformance.result import YES_OR_NO, Family, Finding, Measure

DEGENERATE = Family(
    "degenerate data",
    "scikit-learn: 1e-9 of the largest variance keeps every variance above zero",
)
EMPTY = "a class without a row has no likelihood"


def _problem(X: object, y: object, X_test: object, labels: object) -> Problem:
    return Problem(
        np.array(X, dtype=np.float64),
        np.array(y),
        np.array(X_test, dtype=np.float64),
        np.array(labels),
    )


@DEGENERATE.check(
    "constant-feature",
    "A feature that is constant changes no label and makes no probability NaN.",
)
def _constant_feature(make: Make) -> Finding:
    problem = blobs().with_samples(lambda X: np.column_stack([X, np.full(len(X), 7.0)]))
    return problem.right_and_finite(make)


@DEGENERATE.check(
    "constant-in-one-class",
    "A feature that is constant in one class decides for it or rules it out.",
)
def _constant_in_class(make: Make) -> Finding:
    # The second feature is 0 throughout class 0: another value rules the class out.
    X = [[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [0.0, -2.0], [2.0, 2.0], [1.0, 1.0]]
    X_test = [[1.0, 0.0], [0.5, 0.0], [1.0, 0.5], [1.0, -1.0]]
    problem = _problem(X, [0, 0, 0, 1, 1, 1], X_test, [0, 0, 1, 1])
    return problem.right_and_finite(make)


@DEGENERATE.check(
    "all-constant",
    "If all features are constant, the likelier class is predicted, or an exception.",
    source="limit of ever smaller variances; priors decide between equal likelihoods",
)
def _all_constant(make: Make) -> Finding:
    """Nothing but the priors tells classes apart; an exception is as good."""
    blobs().wrong_labels(make)
    problem = _problem([[5.0, 5.0]] * 3, [0, 1, 1], [[5.0, 5.0]] * 2, [1, 1])
    return right_or_refused(lambda: problem.right_and_finite(make))


@DEGENERATE.check(
    "one-row-in-a-class", "A class of one row is predicted next to that row alone."
)
def _one_row(make: Make) -> Finding:
    # The single row of class 1 is far from class 0, whose rows are far from it.
    X = [[-1.0, 0.0], [0.0, 1.0], [1.0, -1.0], [50.0, 50.0]]
    X_test = [[0.5, 0.5], [50.0, 50.0], [-2.0, 1.0]]
    return _problem(X, [0, 0, 0, 1], X_test, [0, 1, 0]).right_and_finite(make)


@DEGENERATE.check(
    "one-row-in-each-class", "Of classes of one row each, the nearest is predicted."
)
def _one_row_each(make: Make) -> Finding:
    """With equal variances and priors the nearest row has the label."""
    X = [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]]
    X_test = [[1.0, 0.5], [3.0, 0.5], [0.5, 3.0], [9.0, 1.0]]
    return _problem(X, [0, 1, 2], X_test, [0, 1, 2, 1]).right_and_finite(make)


@DEGENERATE.check(
    "one-class",
    "A single class is predicted everywhere, with finite probabilities.",
    source="scikit-learn's GaussianNB takes a single class",
)
def _one_class(make: Make) -> Finding:
    X, X_test = [[1.0], [2.0], [4.0]], [[1.5], [-100.0], [1e6]]
    return _problem(X, [3] * 3, X_test, [3] * 3).right_and_finite(make)


@DEGENERATE.check(
    "empty-class",
    "A class announced to partial_fit that never comes is never predicted.",
    source=EMPTY,
)
def _empty_class(make: Make) -> Finding:
    """Of the three classes announced, the last never comes."""
    problem = blobs()
    seen, asked = problem.y < 2, problem.labels < 2
    # The mean of a class without rows is 0 in many programs: ask there too.
    X_test = np.vstack([problem.X_test[asked], np.zeros((1, 4))])
    labels = np.append(problem.labels[asked], 0)
    require_batches(make)
    model = learned_in_batches(make, [(problem.X[seen], problem.y[seen])], [0, 1, 2])
    return right_and_finite(model, X_test, labels, [0, 1, 2])


@DEGENERATE.check(
    "empty-class-with-prior",
    "A class that never comes is not predicted even if it has a prior.",
    source=EMPTY,
)
def _empty_class_with_prior(make: Make) -> Finding:
    return _empty_class(partial(configured, make, priors=[0.25, 0.25, 0.5]))


SIZES = Family(
    "sizes", "classes so far apart that the nearest mean is right by any definition"
)
EXACT = "labels by exact arithmetic, margins of at least half a nat"


def _random_classes(make: Make, n_classes: int, n_features: int) -> Finding:
    generator = np.random.default_rng(40)
    y = np.repeat(np.arange(n_classes), 15)
    noise = generator.normal(size=(len(y), n_features))
    asked = n_classes * generator.normal(size=(60, n_features))
    problem = undisputed(on_grid(noise + 2.0 * y[:, np.newaxis]), y, on_grid(asked))
    return problem.right_and_finite(make)


SIZES.check(
    "two-classes", "Two classes of three features get the right labels.", source=EXACT
)(partial(_random_classes, n_classes=2, n_features=3))


@SIZES.check("thousand-classes", "A thousand classes are told apart.")
def _thousand_classes(make: Make) -> Finding:
    """Classes sit 10 standard deviations apart on a lattice of 10 by 10 by 10."""
    generator = np.random.default_rng(41)
    labels = np.arange(1000)
    centres = 10.0 * np.column_stack([labels // 100, labels // 10 % 10, labels % 10])
    # Four fixed corners a class give all of them the same variance.
    corners = np.array([[1, 1, 1], [-1, -1, 1], [1, -1, -1], [-1, 1, -1]], dtype=np.float64)
    X = (centres[:, np.newaxis] + corners).reshape(-1, 3)
    X_test = centres + on_grid(generator.uniform(-3.0, 3.0, centres.shape))
    asked = labels[::10]  # enough, where a program takes long for each
    return Problem(X, np.repeat(labels, 4), X_test[asked], asked).right_and_finite(make)


SIZES.check("one-feature", "A single feature is enough.", source=EXACT)(
    partial(_random_classes, n_classes=3, n_features=1)
)


@SIZES.check(
    "ten-thousand-features", "Ten thousand features neither underflow nor overflow."
)
def _many_features(make: Make) -> Finding:
    """Each of 10 000 features tells a little; densities multiplied would be zero."""
    generator = np.random.default_rng(42)
    y = np.tile([0, 1], 10)
    X = generator.normal(size=(20, 10_000)) + 0.5 * y[:, np.newaxis]
    X_test = generator.normal(size=(10, 10_000)) + 0.5 * y[:10, np.newaxis]
    return Problem(X, y, X_test, y[:10]).right_and_finite(make)


TIES = Family(
    "ties", "scikit-learn: numpy.argmax takes the first of equal classes, in sorted order"
)


@lent
def mirrored() -> Problem:
    """Return two classes that mirror each other, and rows half way between them."""
    return _problem([[-3.0], [-1.0], [1.0], [3.0]], [7, 7, 4, 4], [[0.0]] * 2, [4, 4])


@TIES.check(
    "tie-first-class",
    "Half way between two mirrored classes, the first in sorted order is predicted.",
)
def _first_class(make: Make) -> Finding:
    """Every number is small and whole or a sum of equal terms: the tie is exact."""
    return mirrored().wrong_labels(make)


@TIES.check(
    "tie-probabilities",
    "Two classes that tie have a probability of one half each.",
    measure=Measure("absolute error", 4.0 * 2.0**-53),
    source="equal scores have equal shares; exp and log are off by one unit at most",
)
def _half(make: Make) -> Finding:
    table = mirrored().table(make)[:1]
    return Finding(float(np.abs(table - 0.5).max()), message=f"{table[0].tolist()}")


LABELS = Family(
    "labels", "scikit-learn, glossary: classes_ are the sorted labels, predict gives those"
)


def _named(make: Make, names: Array) -> Finding:
    """Without the third class, the best of the other two is the same by the same margin."""
    problem = blobs()
    trained, asked = problem.y < len(names), problem.labels < len(names)
    model = fitted(make, problem.X[trained], names[problem.y[trained]])
    return wrong_labels(model, problem.X_test[asked], names[problem.labels[asked]])


for _kind, _statement, _names in (
    (
        "string",
        "Labels may be strings of different length.",
        np.array(["virginica", "no", "setosa"]),
    ),
    ("bool", "Labels may be False and True.", np.array([True, False])),
    ("negative", "Labels may be negative and have gaps.", np.array([-1, 1_000_000, -7])),
    (
        "object",
        "Labels may be Python strings in an array of objects.",
        np.array(["b", "c", "a"], dtype=object),
    ),
):
    LABELS.check(f"{_kind}-labels", _statement)(partial(_named, names=_names))


@LABELS.check(
    "sorted-classes",
    "classes_ holds the distinct labels in sorted order.",
    measure=YES_OR_NO,
)
def _sorted_classes(make: Make) -> Finding:
    problem = blobs()
    names = np.array(["z", "m", "a"])
    model = fitted(make, problem.X, names[problem.y])
    require(model, "classes_")
    in_order = class_order(model, names).tolist() == [0, 1, 2]
    return Finding(holds=in_order, message=f"classes_ is {list(model.classes_)}")
