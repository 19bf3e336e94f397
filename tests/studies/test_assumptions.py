"""The Python interface to the assumptions."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from gnbbench.assumptions.costs import DESCRIPTIONS
from gnbbench.errors import ResultsError
from gnbbench.studies.assumptions import assumptions
from gnbbench.studies.stored import draw_again
from gnbbench.studies.study import Study

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def iris_study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Give one study for all tests that only look at it."""
    return assumptions("iris", runs=3, out=tmp_path_factory.mktemp("iris"))


def test_summary_and_runs_are_tables(iris_study: Study) -> None:
    largest = iris_study.summary.query(
        "measure == 'max_abs_r' and class_name == 'virginica'"
    )
    X = load_iris().data[100:]
    expected = np.corrcoef(X.T) - np.eye(4)
    assert largest["value"].item() == pytest.approx(expected.max())
    assert list(iris_study.runs["implementation"]) == [*DESCRIPTIONS] * 3
    assert iris_study.details.command == ("gnbbench.examine_assumptions('iris', runs=3)")
    with pytest.raises(KeyError):
        iris_study.figures["accuracy"]


def test_arrays_give_what_the_name_gives(iris_study: Study) -> None:
    X, y = load_iris(return_X_y=True)

    study = assumptions(X, y, runs=3)

    grades = [verdict.outcome for verdict in study.details.verdicts]
    assert grades == [verdict.outcome for verdict in iris_study.details.verdicts]
    assert study.runs["log_loss"].tolist() == iris_study.runs["log_loss"].tolist()


def test_records_are_kept_to_the_last_digit(iris_study: Study, tmp_path: Path) -> None:
    iris_study.save(tmp_path)

    again = draw_again(tmp_path)

    for name, table in iris_study.details.tables.items():
        pd.testing.assert_frame_equal(again.details.tables[name], table, check_exact=True)
    assert again.details.verdicts == iris_study.details.verdicts


def test_an_interrupted_examination_is_not_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("gnbbench.studies.assumptions.examine", interrupted)
        with pytest.raises(KeyboardInterrupt):
            assumptions("iris", runs=1, out=tmp_path)

    with pytest.raises(ResultsError, match=r"not finished\. Finish it first"):
        draw_again(tmp_path)
    assert assumptions("iris", runs=1, out=tmp_path).details.n_runs == 1
