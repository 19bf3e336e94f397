"""The short ways give the predictions of the long one, or none."""

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

from gnbbench.implementations import Implementation, implementation
from gnbbench.implementations.catalogue import core_together, sklearn_posterior
from gnbbench.measurement import predictions as module
from gnbbench.measurement.predictions import batch_predictions, codes_of, scored_predictions
from gnbbench.splits import Sample, Split, SplitRule

NAMES = ("train", "test", "probabilities", "joint_log_likelihood")
NUMPY, SKLEARN = implementation("numpy"), implementation("sklearn")


def sample_of(X: Any, y: Any) -> Sample:
    classes = np.unique(y)
    return Sample(X, y, classes, np.searchsorted(classes, y))


def iris(n_runs: int) -> tuple[Sample, list[Split]]:
    sample = sample_of(*load_iris(return_X_y=True))
    return sample, SplitRule(seed=1, test_size=0.3).cuts(sample, range(n_runs))


def in_full(entry: Implementation, sample: Sample, split: Split) -> module.Predictions:
    X_train, X_test = sample.X[split.train], sample.X[split.test]
    return module.predictions(entry, X_train, sample.y[split.train], X_test, sample.classes)


@pytest.mark.parametrize("entry", [SKLEARN, NUMPY], ids=["sklearn", "numpy"])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
@pytest.mark.parametrize("train_size", [0.1, 0.7])
def test_every_scored_run_has_the_bits_of_the_long_way(
    entry: Implementation, load: Any, train_size: float
) -> None:
    sample = sample_of(*load(return_X_y=True))
    splits = SplitRule(seed=1, train_size=train_size).cuts(sample, range(6))

    scored = scored_predictions(entry, sample, splits)

    assert list(scored) == list(range(6))
    for place, run in scored.items():
        expected = in_full(entry, sample, splits[place])
        for name in NAMES:
            np.testing.assert_array_equal(getattr(run, name), getattr(expected, name))


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
@pytest.mark.parametrize(("size", "stratify"), [(0.1, True), (8, False), (0.6, False)])
def test_runs_fitted_together_have_the_labels_of_single_fits(
    load: Any, size: float, stratify: bool
) -> None:
    sample = sample_of(*load(return_X_y=True))
    rule = SplitRule(seed=3, train_size=size, stratify=stratify)
    splits = rule.cuts(sample, range(6))
    expected = batch_predictions(sample, splits, NUMPY).runs

    found = batch_predictions(sample, splits, NUMPY, together=True).runs

    assert list(found) == list(range(6))
    for place, run in found.items():
        assert np.array_equal(run.train, expected[place].train)
        assert np.array_equal(run.test, expected[place].test)
        tables = run.probabilities, expected[place].probabilities
        assert tables[0] is not None
        assert tables[1] is not None
        assert np.abs(tables[0] - tables[1]).max() < 1e-9


def test_a_run_without_some_class_is_left_to_the_long_way() -> None:
    sample = sample_of(np.arange(9.0)[:, np.newaxis], np.array([0, 0, 0, 0, 1, 1, 1, 1, 2]))
    splits = SplitRule(seed=0, test_size=4, stratify=False).cuts(sample, range(8))
    absent = [place for place, split in enumerate(splits) if 8 in split.test]

    scored = scored_predictions(NUMPY, sample, splits)

    assert 0 < len(absent) < 8
    assert set(scored) == set(range(8)) - set(absent)


class AnotherLabel(ScikitLearnGaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """Says in `predict` something else than its likelihoods do."""

    def predict(self, X: Any) -> Any:
        """Return the first class always."""
        return np.repeat(self.classes_[:1], len(X))


def one_label_off(X: Any, y: Any, masks: Any) -> Iterator[tuple[Any, Any]]:
    for labels, probabilities in core_together(X, y, masks):
        yield np.where(np.arange(len(X)) == 3, 1 - (labels == 1), labels), probabilities


def probabilities_off(X: Any, y: Any, masks: Any) -> Iterator[tuple[Any, Any]]:
    for labels, probabilities in core_together(X, y, masks):
        yield labels, probabilities + 1e-8


def loud(X: Any, y: Any, masks: Any) -> Iterator[tuple[Any, Any]]:
    warnings.warn("something unusual", stacklevel=1)
    yield from core_together(X, y, masks)


def last_digit_off(scores: Any) -> Any:
    return np.nextafter(sklearn_posterior(scores), 0.0)


@pytest.mark.parametrize(
    ("short_way", "planted"),
    [
        (scored_predictions, replace(SKLEARN, make=AnotherLabel)),
        (scored_predictions, replace(SKLEARN, posterior=last_digit_off)),
        (module.predictions_together, replace(NUMPY, together=one_label_off)),
        (module.predictions_together, replace(NUMPY, together=probabilities_off)),
        (module.predictions_together, replace(NUMPY, together=loud)),
    ],
    ids=["labels", "last digit", "label together", "probabilities together", "warning"],
)
def test_short_ways_that_differ_are_left(short_way: Any, planted: Implementation) -> None:
    """Negative control of the look at one run in full."""
    sample, splits = iris(4)

    predictions = short_way(planted, sample, splits)

    assert predictions == {}
    alone = short_way is module.predictions_together
    asked = batch_predictions(sample, splits, planted, together=alone)
    assert all(
        np.array_equal(asked.runs[place].test, in_full(planted, sample, split).test)
        for place, split in enumerate(splits)
    )


class Loud(ScikitLearnGaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """Warns, or fails, where the first training sample is of a certain class."""

    def fit(self, X: Any, y: Any) -> Any:
        if y[0] == 0:
            warnings.warn("class 0 comes first", stacklevel=1)
        if y[0] == 1:
            raise ValueError("class 1 comes first")
        return super().fit(X, y)


def test_warnings_and_failures_are_recorded_by_the_long_way() -> None:
    sample, splits = iris(12)
    first = [sample.y[split.train[0]] for split in splits]

    predictions = batch_predictions(sample, splits, replace(SKLEARN, make=Loud))

    loud, failing = ({p for p, label in enumerate(first) if label == k} for k in (0, 1))
    assert {0, 1, 2} == set(first)
    assert set(predictions.warnings) == loud
    assert set(predictions.failures) == failing
    assert set(predictions.runs) == set(range(12)) - failing


@pytest.mark.parametrize(
    ("answer", "codes"),
    [
        (["nobody", 0, -2, 1.0], [-1, 1, 0, 2]),
        (("nobody", None, True), [-1, -1, 2]),
        (["-2", "0"], [-1, -1]),
    ],
)
def test_a_list_of_text_and_numbers_keeps_both(answer: Any, codes: list[int]) -> None:
    assert codes_of(answer, len(answer), np.array([-2, 0, 1])).tolist() == codes
