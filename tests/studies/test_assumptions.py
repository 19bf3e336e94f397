"""The Python interface to the assumptions."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from gnbbench.assumptions.findings import DESCRIPTIONS
from gnbbench.studies.assumptions import assumptions
from gnbbench.studies.study import Study

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def iris_study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Give one study for all tests that only look at it."""
    return assumptions("iris", runs=3, out=tmp_path_factory.mktemp("iris"))


def test_summary_and_runs_are_tables(iris_study: Study) -> None:
    row = "measure == 'max_abs_r' and class_name == 'virginica'"
    expected = np.corrcoef(load_iris().data[100:].T) - np.eye(4)
    largest = iris_study.summary.query(row)
    assert largest["value"].item() == pytest.approx(expected.max())
    assert list(iris_study.runs["implementation"]) == [*DESCRIPTIONS] * 3
    assert iris_study.details.command == ("gnbbench.examine_assumptions('iris', runs=3)")
    with pytest.raises(KeyError):
        iris_study.figures["accuracy"]
