"""``gnbbench.compare`` takes one dataset, arrays, or a list of datasets."""

import inspect

import pytest
from sklearn.datasets import load_iris

import gnbbench
from gnbbench import Study
from gnbbench.errors import GnbBenchError
from gnbbench.studies.matrix import MatrixStudy


@pytest.mark.slow
def test_a_name_and_arrays_give_a_study_and_a_list_a_matrix() -> None:
    X, y = load_iris(return_X_y=True)

    assert isinstance(gnbbench.compare("iris", runs=2, budget_seconds=0.05), Study)
    assert isinstance(gnbbench.compare(X, y, runs=2, budget_seconds=0.05), Study)
    assert isinstance(gnbbench.compare(["iris"], runs=2, budget_seconds=0.05), MatrixStudy)


def test_samples_given_as_lists_are_samples() -> None:
    samples = [[float(i), float(i % 3)] for i in range(30)]

    study = gnbbench.compare(samples, [i % 2 for i in range(30)], runs=2)

    assert isinstance(study, Study)


def test_an_empty_list_is_an_error_of_ours() -> None:
    with pytest.raises(GnbBenchError):
        gnbbench.compare([])


def test_its_options_can_be_looked_up() -> None:
    assert {"against", "runs", "margin"} <= set(
        inspect.signature(gnbbench.compare).parameters
    )
