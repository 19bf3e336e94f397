"""Runs fitted together say what single fits say, or are fitted one by one."""

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, load_wine

from gnbbench.implementations import Implementation, implementation
from gnbbench.implementations.together import core_together
from gnbbench.measurement.batch_predictions import answers, predictions_together
from gnbbench.measurement.predictions import Predictions
from gnbbench.measurement.split_rules import Sample, SplitRule

NUMPY = implementation("numpy")


def iris_like(load: Any = load_iris) -> Sample:
    X, y = load(return_X_y=True)
    return Sample(X, y, np.unique(y), y)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
@pytest.mark.parametrize(
    ("train_size", "stratify"), [(0.1, True), (8, False), (0.6, False)]
)
def test_labels_are_those_of_single_fits(
    load: Any, train_size: float, stratify: bool
) -> None:
    sample = iris_like(load)
    splits = SplitRule(seed=3, train_size=train_size, stratify=stratify).cuts(
        sample, range(6)
    )
    expected = answers(sample, splits, NUMPY).said

    found = answers(sample, splits, NUMPY, alone=True).said

    assert list(found) == list(range(6))
    for place, one in found.items():
        assert np.array_equal(one.train, expected[place].train)
        assert np.array_equal(one.test, expected[place].test)
        tables = one.probabilities, expected[place].probabilities
        assert tables[0] is not None
        assert tables[1] is not None
        assert np.abs(tables[0] - tables[1]).max() < 1e-9


def one_label_off(X: Any, y: Any, masks: Any) -> Iterator[tuple[Any, Any]]:
    for labels, probabilities in core_together(X, y, masks):
        yield np.where(np.arange(len(X)) == 3, 1 - (labels == 1), labels), probabilities


def probabilities_off(X: Any, y: Any, masks: Any) -> Iterator[tuple[Any, Any]]:
    for labels, probabilities in core_together(X, y, masks):
        yield labels, probabilities + 1e-8


def loud(X: Any, y: Any, masks: Any) -> Iterator[tuple[Any, Any]]:
    warnings.warn("something unusual", stacklevel=1)
    yield from core_together(X, y, masks)


@pytest.mark.parametrize("planted", [one_label_off, probabilities_off, loud])
def test_what_differs_from_a_single_fit_or_warns_is_not_taken(planted: Any) -> None:
    """Negative control of the single fit that is held against them."""
    sample = iris_like()
    splits = SplitRule(seed=3, test_size=0.3).cuts(sample, range(4))
    entry: Implementation = replace(NUMPY, together=planted)

    found = predictions_together(entry, sample, splits)

    assert found == {}
    fallback: Predictions = answers(sample, splits, entry, alone=True).said[0]
    assert np.array_equal(fallback.test, answers(sample, splits, NUMPY).said[0].test)
