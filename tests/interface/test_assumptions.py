"""The Python interface to the assumptions: tables, figures and files."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_iris

from gnbbench.data.bundled import iris
from gnbbench.errors import DatasetError, GnbBenchError, OptionError, ResultsError
from gnbbench.interface.assumptions import (
    AssumptionsStudy,
    assumptions,
    assumptions_plan,
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def iris_study() -> AssumptionsStudy:
    """Give one study for all tests that only look at it."""
    return assumptions("iris", runs=3)


def test_summary_and_runs_are_tables(iris_study: AssumptionsStudy) -> None:
    assert isinstance(iris_study.summary, pd.DataFrame)
    largest = iris_study.summary.query(
        "measure == 'max_abs_r' and class_name == 'virginica'"
    )
    X = load_iris().data[100:]
    expected = np.corrcoef(X.T) - np.eye(4)
    assert largest["value"].item() == pytest.approx(expected.max())
    assert len(iris_study.runs) == 3 * 5


def test_figures_are_drawn_by_name(iris_study: AssumptionsStudy) -> None:
    assert isinstance(iris_study.figures["correlations"], Figure)
    assert len(iris_study.figures) == 4
    with pytest.raises(KeyError):
        iris_study.figures["accuracy"]


def test_a_notebook_shows_the_page_in_a_frame(iris_study: AssumptionsStudy) -> None:
    html = iris_study._repr_html_()

    assert html.startswith("<iframe")
    assert html.count('"') == 6
    assert repr(iris_study).startswith(
        "<AssumptionsStudy: Both assumptions are strongly broken"
    )


def test_saving_writes_page_tables_and_figures(
    iris_study: AssumptionsStudy, tmp_path: Path
) -> None:
    page = iris_study.save(tmp_path / "here")

    names = {path.name for path in page.parent.iterdir()}
    assert names == {
        "index.html",
        "summary.json",
        "runs.csv",
        "correlations.csv",
        "normality.csv",
        "figures",
    }
    command = json.loads((page.parent / "summary.json").read_text())["command"]
    assert command == (
        "gnbbench.examine_assumptions('iris', runs=3, test_size=0.3, seed=42, "
        "correlation='pearson')"
    )


def test_arrays_give_what_the_name_gives(iris_study: AssumptionsStudy) -> None:
    X, y = load_iris(return_X_y=True)

    study = assumptions(X, y, runs=3)

    for mine, other in zip(
        study.details.findings.verdicts, iris_study.details.findings.verdicts, strict=True
    ):
        assert mine.grade == other.grade
    assert study.runs["log_loss"].tolist() == iris_study.runs["log_loss"].tolist()


def test_the_chosen_correlation_reaches_the_figure() -> None:
    study = assumptions("iris", runs=1, correlation="spearman")

    assert "ρ" in study.figures.drawings[0].finding  # type: ignore[union-attr]  # it is drawn


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


def test_results_of_another_plan_are_kept(tmp_path: Path) -> None:
    assumptions("iris", runs=1, out=tmp_path)
    before = (tmp_path / "summary.json").read_bytes()

    with pytest.raises(ResultsError, match="another plan"):
        assumptions("iris", runs=2, out=tmp_path)

    assert (tmp_path / "summary.json").read_bytes() == before
    assumptions("iris", runs=2, out=tmp_path, overwrite=True)
    assert json.loads((tmp_path / "summary.json").read_text())["n_runs"] == 2


def test_the_identifier_follows_plan_and_data() -> None:
    dataset = iris()
    moved = replace(dataset, X=dataset.X + 1.0)

    names = {
        assumptions_plan(dataset, runs=2).directory_name,
        assumptions_plan(dataset, runs=3).directory_name,
        assumptions_plan(dataset, runs=2, correlation="spearman").directory_name,
        assumptions_plan(moved, runs=2).directory_name,
    }

    assert len(names) == 4
    assert all(name.startswith("assumptions-iris-") for name in names)
    assert assumptions_plan(iris(), runs=2).directory_name in names
