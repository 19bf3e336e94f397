"""The short way gives the predictions of the long one, or none."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

from gnbbench.implementations import Implementation, implementation
from gnbbench.implementations.posteriors import sklearn_posterior
from gnbbench.measurement.batch_predictions import answers, scored_predictions
from gnbbench.measurement.predictions import Predictions, predictions
from gnbbench.measurement.split_rules import Sample, SplitRule
from gnbbench.splits import Split

NAMES = ("train", "test", "probabilities", "joint_log_likelihood")


def sample_of(X: NDArray[np.float64], y: NDArray[Any]) -> Sample:
    classes = np.unique(y)
    return Sample(X, y, classes, np.searchsorted(classes, y))


def in_full(entry: Implementation, sample: Sample, one: Split) -> Predictions:
    X_train, X_test = sample.X[one.train], sample.X[one.test]
    return predictions(entry, X_train, sample.y[one.train], X_test, sample.classes)


def short_of(base: Implementation, **changes: Any) -> Implementation:
    return replace(base, **changes)


@pytest.mark.parametrize("name", ["sklearn", "numpy"])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
@pytest.mark.parametrize("train_size", [0.1, 0.7])
def test_every_run_has_the_bits_of_the_long_way(
    name: str, load: Any, train_size: float
) -> None:
    sample, entry = sample_of(*load(return_X_y=True)), implementation(name)
    splits = SplitRule(seed=1, train_size=train_size).cuts(sample, range(6))

    found = scored_predictions(entry, sample, splits)

    assert list(found) == list(range(6))
    for place, one in found.items():
        expected = in_full(entry, sample, splits[place])
        assert all(
            np.array_equal(getattr(one, what), getattr(expected, what)) for what in NAMES
        )


def test_a_run_without_some_class_is_left_to_the_long_way() -> None:
    sample = sample_of(np.arange(9.0)[:, np.newaxis], np.array([0, 0, 0, 0, 1, 1, 1, 1, 2]))
    rule = SplitRule(seed=0, test_size=4, stratify=False)
    splits = rule.cuts(sample, range(8))
    absent = [place for place, one in enumerate(splits) if 8 in one.test]

    found = scored_predictions(implementation("numpy"), sample, splits)

    assert 0 < len(absent) < 8
    assert set(found) == set(range(8)) - set(absent)


class AnotherLabel(ScikitLearnGaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """Says in `predict` something else than its likelihoods do."""

    def predict(self, X: Any) -> Any:
        """Return the first class always."""
        return np.repeat(self.classes_[:1], len(X))


@pytest.mark.parametrize(
    "planted",
    [
        short_of(implementation("sklearn"), make=AnotherLabel),
        short_of(
            implementation("sklearn"),
            posterior=lambda scores: np.nextafter(sklearn_posterior(scores), 0.0),
        ),
    ],
    ids=["labels", "last digit"],
)
def test_a_short_way_that_says_something_else_is_not_taken(planted: Implementation) -> None:
    """Negative control of the look at one run in full."""
    sample = sample_of(*load_iris(return_X_y=True))
    splits = SplitRule(seed=1, test_size=0.3).cuts(sample, range(4))

    found = scored_predictions(planted, sample, splits)

    assert found == {}
    asked = answers(sample, splits, planted)
    assert all(
        np.array_equal(asked.said[place].test, in_full(planted, sample, one).test)
        for place, one in enumerate(splits)
    )


class Loud(ScikitLearnGaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """Warns, or fails, where the first training sample is of a certain class."""

    def fit(self, X: Any, y: Any) -> Any:
        """Warn, fail or fit."""
        if y[0] == 0:
            warnings.warn("class 0 comes first", stacklevel=1)
        if y[0] == 1:
            raise ValueError("class 1 comes first")
        return super().fit(X, y)


def test_warnings_and_failures_are_recorded_by_the_long_way() -> None:
    sample = sample_of(*load_iris(return_X_y=True))
    splits = SplitRule(seed=1, test_size=0.3).cuts(sample, range(12))
    first = [sample.y[one.train[0]] for one in splits]

    found = answers(sample, splits, short_of(implementation("sklearn"), make=Loud))

    assert {0, 1, 2} == set(first)
    assert set(found.warned) == {place for place, label in enumerate(first) if label == 0}
    assert set(found.failed) == {place for place, label in enumerate(first) if label == 1}
    assert set(found.said) == {place for place, label in enumerate(first) if label != 1}
