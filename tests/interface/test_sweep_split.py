"""A sweep from Python: tables, figures, files."""

from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure

import gnbbench
from gnbbench import Study


@pytest.fixture(scope="module")
def sweep() -> Study:
    """Give one small sweep for all tests that only look at it."""
    study: Study = gnbbench.sweep_split(
        "iris", runs=4, train_fractions=(0.3, 0.5, 0.7), budget_seconds=0.02
    )
    return study


def test_summary_has_a_row_per_fraction_implementation_and_number(sweep: Study) -> None:
    table = sweep.summary

    chosen = table.query("implementation == 'numpy' and metric == 'test_accuracy'")
    assert chosen["fraction"].tolist() == [0.3, 0.5, 0.7]
    shares = table.query("implementation == 'numpy' and metric == 'exact_share'")
    assert shares["mean"].tolist() == [1.0, 1.0, 1.0]


def test_means_are_those_of_the_runs(sweep: Study) -> None:
    runs = sweep.runs.query("implementation == 'sklearn'")

    means = runs.groupby("fraction")["test_accuracy"].mean()

    table = sweep.summary.query("implementation == 'sklearn' and metric == 'test_accuracy'")
    assert table["mean"].tolist() == pytest.approx(means.tolist(), rel=1e-12)


def test_figures_are_drawn_by_name(sweep: Study) -> None:
    assert isinstance(sweep.figures["sweep_accuracy"], Figure)
    assert len(sweep.figures) >= 4


@pytest.mark.slow
def test_saving_writes_the_page_and_its_files(sweep: Study, tmp_path: Path) -> None:
    page = sweep.save(tmp_path / "here")

    names = {path.name for path in page.parent.iterdir()}
    assert names == {"index.html", "summary.json", "runs.csv", "runs.sqlite", "figures"}
    again: Study = gnbbench.sweep_split(
        "iris", runs=4, train_fractions=(0.3, 0.5, 0.7), out=tmp_path / "here"
    )
    pd.testing.assert_frame_equal(again.summary, sweep.summary)
    assert "<iframe" in sweep._repr_html_()
