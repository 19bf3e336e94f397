"""The Python interface to the assumptions: tables, figures and files."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_iris

from gnbbench.data.dataset import Dataset
from gnbbench.data.loading import load
from gnbbench.errors import DatasetError, GnbBenchError, OptionError, ResultsError
from gnbbench.studies.assumptions import ExamineAssumptions, assumptions
from gnbbench.studies.options import AssumptionsOptions
from gnbbench.studies.stored import draw_again
from gnbbench.studies.study import Study

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def iris_study() -> Study:
    """Give one study for all tests that only look at it."""
    return assumptions("iris", runs=3)


def test_summary_and_runs_are_tables(iris_study: Study) -> None:
    assert isinstance(iris_study.summary, pd.DataFrame)
    largest = iris_study.summary.query(
        "measure == 'max_abs_r' and class_name == 'virginica'"
    )
    X = load_iris().data[100:]
    expected = np.corrcoef(X.T) - np.eye(4)
    assert largest["value"].item() == pytest.approx(expected.max())
    assert len(iris_study.runs) == 3 * 5


def test_figures_are_drawn_by_name(iris_study: Study) -> None:
    assert isinstance(iris_study.figures["correlations"], Figure)
    assert len(iris_study.figures) == 4
    with pytest.raises(KeyError):
        iris_study.figures["accuracy"]


def test_saving_writes_page_tables_and_figures(iris_study: Study, tmp_path: Path) -> None:
    page = iris_study.save(tmp_path / "here")

    names = {path.name for path in page.parent.iterdir()}
    assert names == {
        "index.html",
        "summary.json",
        "runs.csv",
        "correlations.csv",
        "normality.csv",
        "runs.sqlite",
        "figures",
    }
    command = json.loads((page.parent / "summary.json").read_text())["command"]
    assert command == (
        "gnbbench.examine_assumptions('iris', runs=3, test_size=0.3, seed=42, "
        "correlation='pearson')"
    )


def test_arrays_give_what_the_name_gives(iris_study: Study) -> None:
    X, y = load_iris(return_X_y=True)

    study = assumptions(X, y, runs=3)

    for mine, other in zip(
        study.details.findings.verdicts, iris_study.details.findings.verdicts, strict=True
    ):
        assert mine.grade == other.grade
    assert study.runs["log_loss"].tolist() == iris_study.runs["log_loss"].tolist()


def test_the_chosen_correlation_reaches_the_figure() -> None:
    study = assumptions("iris", runs=1, correlation="spearman")

    assert "ρ" in study.drawings[0].finding  # type: ignore[union-attr]  # it is drawn


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"runs": 0}, "--runs: 0 is out of range"),
        ({"test_size": 1.0}, "--test-size: 1.0 is out of range"),
        ({"seed": -1}, "--seed: -1 is out of range"),
        ({"correlation": "kendall"}, "--correlation: 'kendall' is no correlation"),
    ],
)
def test_options_out_of_range_are_refused(
    options: dict[str, object], words: str, tmp_path: Path
) -> None:
    with pytest.raises(OptionError, match=words):
        assumptions("iris", out=tmp_path / "here", **options)  # type: ignore[arg-type]  # wrong on purpose

    assert not (tmp_path / "here").exists()


def test_one_class_is_refused() -> None:
    with pytest.raises(GnbBenchError, match="class"):
        assumptions(np.eye(4), [1, 1, 1, 1])


def test_a_class_with_a_single_sample_is_refused() -> None:
    with pytest.raises(DatasetError):
        assumptions(np.arange(5.0)[:, None], [0, 0, 0, 0, 1])


def test_records_are_drawn_again_instead_of_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured_again(*_: object, **__: object) -> None:
        raise AssertionError

    study = assumptions("iris", runs=1, out=tmp_path / "here")
    pages = [(tmp_path / "here" / "index.html").read_bytes()]
    monkeypatch.setattr("gnbbench.studies.assumptions.examine", measured_again)

    assumptions("iris", runs=1, out=tmp_path / "here")
    pages += [(tmp_path / "here" / "index.html").read_bytes()]
    again = draw_again(tmp_path / "here")

    assert pages[0] == pages[1]
    for name, table in vars(study.details.findings).items():
        kept = getattr(again.details.findings, name)
        if isinstance(table, pd.DataFrame):
            pd.testing.assert_frame_equal(kept, table, check_exact=True)
        else:
            assert kept == table


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
    assert assumptions("iris", runs=1, out=tmp_path).details.findings.n_runs == 1


def test_the_identifier_follows_plan_and_data() -> None:
    moved = replace(load("iris"), X=load("iris").X + 1.0)

    def name(data: Dataset, **options: Any) -> str:
        prepared = ExamineAssumptions().prepare(AssumptionsOptions(data=data, **options))
        return prepared.plan.directory_name

    names = {
        name(load("iris"), runs=2),
        name(load("iris"), runs=3),
        name(load("iris"), runs=2, correlation="spearman"),
        name(moved, runs=2),
    }

    assert len(names) == 4
    assert all(found.startswith("assumptions-iris-") for found in names)
    assert name(load("iris"), runs=2) in names
