"""Numbers that others have printed: scikit-learn's pages and a published comparison."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gnbbench.conformance.contract import Make, fitted, labels_of, probabilities_of
from gnbbench.conformance.evidence import wrong_labels
from gnbbench.conformance.result import Check, Finding
from gnbbench.data.bundled import breast_cancer, iris
from gnbbench.splits import split

GUIDE = "scikit-learn, user guide 1.9, Naive Bayes"
COMPARISON = (
    "A comparative analysis and implementation of Gaussian naive Bayes: stratified "
    "70/30 split, random_state=42"
)


@dataclass(frozen=True, eq=False)
class _Halves:
    X_train: NDArray[np.float64]
    y_train: NDArray[np.generic]
    X_test: NDArray[np.float64]
    y_test: NDArray[np.generic]


def _toy(make: Make) -> Finding:
    X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    model = fitted(make, X, np.array([1, 1, 1, 2, 2, 2]))
    return wrong_labels(model, np.array([[-0.8, -1.0]]), np.array([1]))


def _iris_half(make: Make) -> Finding:
    # What ``train_test_split(X, y, test_size=0.5, random_state=0)`` gives.
    data = iris()
    one = split(data.y, 0, seed=0, test_size=0.5, stratify=False)
    model = fitted(make, data.X[one.train], data.y[one.train])
    predicted = labels_of(model, data.X[one.test])
    return _against(4, int((predicted != data.y[one.test]).sum()), len(predicted))


def _iris_whole(make: Make) -> Finding:
    data = iris()
    predicted = labels_of(fitted(make, data.X, data.y), data.X)
    return _against(6, int((predicted != data.y).sum()), len(predicted))


def _mislabelled(
    make: Make, *, name: str, published_train: int, published_test: int
) -> Finding:
    halves = _comparison(name)
    model = fitted(make, halves.X_train, halves.y_train)
    train = int((labels_of(model, halves.X_train) != halves.y_train).sum())
    test = int((labels_of(model, halves.X_test) != halves.y_test).sum())
    return Finding(
        float(abs(train - published_train) + abs(test - published_test)),
        message=f"{train} and {test} mislabelled in training and test data, "
        f"published {published_train} and {published_test}",
    )


def _confidence(make: Make, *, name: str, published: float) -> Finding:
    halves = _comparison(name)
    model = fitted(make, halves.X_train, halves.y_train)
    probabilities = probabilities_of(model, halves.X_test, halves.y_train)
    mean = float(probabilities.max(axis=1).mean())
    return Finding(abs(mean - published), message=f"{mean:.5f}, published {published}")


def _comparison(name: str) -> _Halves:
    data = {"iris": iris, "breast_cancer": breast_cancer}[name]()
    one = split(data.y, 0)
    return _Halves(data.X[one.train], data.y[one.train], data.X[one.test], data.y[one.test])


def _against(published: int, measured: int, n_samples: int) -> Finding:
    return Finding(
        float(abs(measured - published)),
        message=f"{measured} of {n_samples} mislabelled, published {published}",
    )


# A mean of confidences printed to four digits is off by half a unit of the last at most.
HALF_A_DIGIT = 0.5e-4

CHECKS = (
    Check(
        "published-toy-example",
        "published values",
        "The example of scikit-learn's documentation gets the label 1.",
        0.0,
        "labels",
        "scikit-learn, GaussianNB, Examples",
        _toy,
    ),
    Check(
        "published-iris-75",
        "published values",
        "4 of 75 irises are mislabelled after training on the other half.",
        0.0,
        "labels",
        GUIDE,
        _iris_half,
    ),
    Check(
        "published-iris-150",
        "published values",
        "6 of 150 irises are mislabelled after training on all of them.",
        0.0,
        "labels",
        "scikit-learn, user guide 0.19, Naive Bayes",
        _iris_whole,
    ),
    Check(
        "published-iris-accuracy",
        "published values",
        "Accuracy on iris is 0.9810 in training and 0.9111 in test data.",
        0.0,
        "labels",
        COMPARISON,
        partial(_mislabelled, name="iris", published_train=2, published_test=4),
    ),
    Check(
        "published-cancer-accuracy",
        "published values",
        "Accuracy on breast_cancer is 0.9447 in training and 0.9474 in test data.",
        0.0,
        "labels",
        COMPARISON,
        partial(_mislabelled, name="breast_cancer", published_train=22, published_test=9),
    ),
    Check(
        "published-iris-confidence",
        "published values",
        "Mean confidence on iris is 0.9698.",
        HALF_A_DIGIT,
        "probability",
        COMPARISON,
        partial(_confidence, name="iris", published=0.9698),
    ),
    Check(
        "published-cancer-confidence",
        "published values",
        "Mean confidence on breast_cancer is 0.9871.",
        HALF_A_DIGIT,
        "probability",
        COMPARISON,
        partial(_confidence, name="breast_cancer", published=0.9871),
    ),
)
