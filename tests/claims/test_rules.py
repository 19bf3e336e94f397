"""How readings cut samples, held against scikit-learn's own."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, train_test_split

from gnbbench.claims.claim import Reading
from gnbbench.claims.samples import dataset_of, rules_of, runs_of
from gnbbench.measurement.split_rules import Sample
from gnbbench.studies.steps import sample_of


@pytest.fixture(scope="module")
def iris() -> Sample:
    return sample_of(dataset_of(Reading("whole", "iris")))


def test_a_split_is_that_of_train_test_split(iris: Sample) -> None:
    reading = Reading("split", "iris", test_size=0.25, random_state=1)

    one = rules_of(reading)[0].cut(iris, 0)

    train, test = train_test_split(np.arange(150), test_size=0.25, random_state=1)
    assert one.train.tolist() == train.tolist()
    assert one.test.tolist() == test.tolist()


def test_folds_are_those_of_cross_val_score(iris: Sample) -> None:
    reading = Reading("folds", "iris", folds=7)
    (rule,) = rules_of(reading)

    found = [rule.cut(iris, run).test.tolist() for run in runs_of(reading)]

    expected = StratifiedKFold(7).split(iris.X, iris.y)
    assert found == [test.tolist() for _, test in expected]


def test_the_whole_set_is_on_both_sides(iris: Sample) -> None:
    one = rules_of(Reading("whole", "iris"))[0].cut(iris, 0)

    assert one.train.tolist() == one.test.tolist() == list(range(150))


def test_runs_are_cut_where_splits_are_repeated_alone() -> None:
    assert len(runs_of(Reading("splits", "iris", runs=1000), 50)) == 50
    assert len(runs_of(Reading("splits", "iris", runs=30), 50)) == 30
    assert len(runs_of(Reading("folds", "digits", folds=10), 5)) == 10
