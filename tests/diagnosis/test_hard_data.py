"""On made data each knob of the family moves labels; on iris hardly any does."""

from functools import cache

import numpy as np
import pytest
from sklearn.datasets import load_iris

from gnbbench.diagnosis.family import Batch, TrainedRun
from gnbbench.diagnosis.variants import DEFAULT
from gnbbench.diagnosis.visibility import QUESTIONS, hard_datasets, moved_labels, not_shown
from gnbbench.splits import split

FEWEST = 5


def batch_of(X: np.ndarray, y: np.ndarray) -> Batch:
    """The first run of a study with its usual options."""
    one = split(y, 0, seed=42)
    train, test = one.train, one.test
    return Batch.of([TrainedRun(X[train], y[train], X[test], int(y.max()) + 1, test)])


@cache
def batches() -> list[Batch]:
    return [batch_of(X, y) for X, y in hard_datasets().values()]


@pytest.mark.parametrize("question", QUESTIONS)
def test_each_knob_moves_labels_on_some_made_data(question: str) -> None:
    assert max(moved_labels(DEFAULT, batch, question) for batch in batches()) >= FEWEST


def test_made_data_are_the_same_each_time() -> None:
    first, second = hard_datasets(), hard_datasets()

    assert all(np.array_equal(first[name][0], second[name][0]) for name in first)


def test_what_iris_cannot_show_is_told() -> None:
    X, y = load_iris(return_X_y=True)

    hidden = not_shown(DEFAULT, batch_of(X, y))

    assert "dividing by n − 1" in hidden
    assert "no smoothing" in hidden


def test_what_shows_is_not_called_hidden() -> None:
    hidden = [not_shown(DEFAULT, batch) for batch in batches()]

    assert set.intersection(*map(set, hidden)) == set()
