"""The Python function: tables, figures and files of a study, on any kind of data."""

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

import gnbbench
from gnbbench import Study
from gnbbench.errors import DatasetError, GnbBenchError, OptionError, ResultsError
from gnbbench.studies.matrix import MatrixStudy


@pytest.fixture(scope="module")
def iris_study() -> Study:
    """Give one study for all tests that only look at it."""
    study: Study = gnbbench.compare("iris", runs=12)
    return study


def value(study: Study, implementation: str, metric: str) -> float:
    """Return one number of the summary."""
    table = study.summary
    rows = table[(table["implementation"] == implementation) & (table["metric"] == metric)]
    assert len(rows) == 1
    return float(rows["mean"].iloc[0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("iris", (0.9810, 0.9111, 0.9698, 0.9800, 0.8656)),
        ("breast_cancer", (0.9447, 0.9474, 0.9871, 0.9906, 0.9240)),
    ],
)
def test_one_run_gives_study_a_s_figures_to_four_digits(
    name: str, figures: tuple[float, ...]
) -> None:
    study = gnbbench.compare(name, runs=1, seed=42)

    metrics = ["train_accuracy", "test_accuracy", "mean_confidence"]
    metrics += ["mean_confidence_right", "mean_confidence_wrong"]
    for implementation in ("sklearn", "numpy"):
        found = tuple(round(value(study, implementation, metric), 4) for metric in metrics)
        assert found == figures


@pytest.mark.slow
def test_another_seed_gives_other_figures() -> None:
    """Negative control for the test above."""
    study = gnbbench.compare("iris", runs=1, seed=43)

    assert round(value(study, "sklearn", "test_accuracy"), 4) != 0.9111


@pytest.mark.slow
def test_summary_and_runs_are_tables(iris_study: Study) -> None:
    assert isinstance(iris_study.summary, pd.DataFrame)
    assert len(iris_study.runs) == 24
    assert value(iris_study, "numpy", "agreement") == 1.0
    mean = iris_study.runs.query("implementation == 'numpy'")["test_accuracy"].mean()
    assert value(iris_study, "numpy", "test_accuracy") == pytest.approx(mean, rel=1e-12)


@pytest.mark.slow
def test_figures_are_drawn_by_name(iris_study: Study) -> None:
    assert isinstance(iris_study.figures["accuracy"], Figure)
    assert {"accuracy", "confusion", "timing", "decision_regions"} <= set(
        iris_study.figures
    )
    with pytest.raises(KeyError):
        iris_study.figures["nothing"]


@pytest.mark.slow
def test_a_notebook_shows_the_page_in_a_frame(iris_study: Study) -> None:
    html = iris_study._repr_html_()

    assert html.startswith("<iframe")
    assert html.count('"') == 6
    assert repr(iris_study).startswith("<Study: Identical")


@pytest.mark.slow
def test_saving_writes_what_the_command_writes(iris_study: Study, tmp_path: Path) -> None:
    page = iris_study.save(tmp_path / "here")

    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    names = {path.name for path in page.parent.iterdir()}
    assert names == {
        *("index.html", "summary.json", "runs.csv", "timings.pyperf.json"),
        *("runs.sqlite", "figures"),
    }
    again: Study = gnbbench.compare(
        "iris", runs=12, budget_seconds=0.05, out=tmp_path / "here"
    )
    pd.testing.assert_frame_equal(again.summary, iris_study.summary)


@pytest.mark.slow
def test_an_interrupted_study_goes_on_to_the_same_records(tmp_path: Path) -> None:
    class Stop(Exception):  # noqa: N818  no error, but the end of patience
        """Ends the study after the first batch."""

    class Impatient:
        def begin(self, stage: str, total: int | None = None, done: int = 0) -> None:
            self.stage, self.done = (stage, total), done

        def advance(self, steps: int) -> None:
            raise Stop(steps)

    whole: Study = gnbbench.compare("iris", runs=120, budget_seconds=0.05)
    with pytest.raises(Stop):
        gnbbench.compare(
            "iris", runs=120, budget_seconds=0.05, out=tmp_path, progress=Impatient()
        )

    resumed: Study = gnbbench.compare("iris", runs=120, budget_seconds=0.05, out=tmp_path)

    pd.testing.assert_frame_equal(resumed.runs, whole.runs)
    pd.testing.assert_frame_equal(resumed.details.metrics, whole.details.metrics)
    pd.testing.assert_frame_equal(resumed.details.confusion, whole.details.confusion)
    pd.testing.assert_frame_equal(resumed.details.reliability, whole.details.reliability)


@pytest.mark.slow
def test_arrays_and_own_estimators_are_compared() -> None:
    X, y = load_breast_cancer(return_X_y=True)

    study = gnbbench.compare(
        X, y, against=[ScikitLearnGaussianNB(var_smoothing=0.1)], runs=20
    )

    assert study.details.implementations == ("sklearn", "GaussianNB")
    assert value(study, "GaussianNB", "disagreements") > 0
    assert study.details.verdicts[0].outcome != "identical"


@pytest.mark.slow
def test_several_competitors_get_a_verdict_each() -> None:
    against = {"ours": gnbbench.GaussianNB(), "other": LogisticRegression(max_iter=5000)}

    study = gnbbench.compare("iris", against=against, runs=5)

    outcomes = {v.implementation: v.outcome for v in study.details.verdicts}
    assert outcomes["ours"] == "identical"
    assert outcomes["other"] != "identical"


class Broken:
    """Fits nothing."""

    def fit(self, X: Any, y: Any) -> None:
        raise RuntimeError(f"nothing works with {len(X)} samples and {len(y)} labels")

    def predict(self, X: Any) -> Any:
        raise AssertionError(X)


@pytest.mark.slow
def test_an_implementation_that_always_fails_is_shown_as_failed(tmp_path: Path) -> None:
    study = gnbbench.compare(
        "iris", against={"bad": Broken(), "good": "numpy"}, runs=3, budget_seconds=0.05
    )

    outcomes = {v.implementation: v.outcome for v in study.details.verdicts}
    assert outcomes == {"bad": "failed", "good": "identical"}
    assert "nothing works" in study.save(tmp_path).read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_failing_reference_leaves_nothing_to_compare_with_and_says_so(
    tmp_path: Path,
) -> None:
    study = gnbbench.compare("iris", reference=Broken(), runs=3, budget_seconds=0.05)

    assert {v.outcome for v in study.details.verdicts} == {"failed"}
    assert study.save(tmp_path).is_file()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: gnbbench.compare("irsi"), GnbBenchError),
        (lambda: gnbbench.compare("iris", runs=0), OptionError),
        (lambda: gnbbench.compare(np.ones((4, 2)), [0, 0, 0, 0]), DatasetError),
        (lambda: gnbbench.compare(np.ones((4, 2))), DatasetError),
        (lambda: gnbbench.compare("iris", [1, 2, 3]), OptionError),
        (lambda: gnbbench.compare("iris", out="/proc/none/here"), ResultsError),
    ],
)
def test_what_cannot_be_used_is_an_error_of_ours(
    call: Callable[[], Study], error: type[GnbBenchError]
) -> None:
    with pytest.raises(error):
        call()


@pytest.mark.slow
def test_data_of_any_shape_go_through(tmp_path: Path) -> None:
    """One feature; two; constant columns; a class of two rows; thirty classes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    X[:, 2] = 1.0
    cases = {
        "one feature": (X[:, :1], np.arange(90) % 2),
        "two features": (X[:, :2], np.arange(90) % 3),
        "constant column": (X, np.arange(90) % 2),
        "small class": (X, (np.arange(90) >= 88).astype(int)),
        "many classes": (X.repeat(2, axis=0)[:, :2], np.arange(180) % 30),
        "text": (X, np.array(["<b>", "$x_1$", "日本"])[np.arange(90) % 3]),
    }
    for name, (samples, labels) in cases.items():
        study = gnbbench.compare(samples, labels, runs=3, budget_seconds=0.05)

        assert study.details.verdicts[0].outcome == "identical", name
        assert study.save(tmp_path / name).is_file()


@pytest.mark.slow
def test_the_summary_file_holds_the_numbers_of_the_table(
    iris_study: Study, tmp_path: Path
) -> None:
    iris_study.save(tmp_path)

    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))

    assert summary["schema_version"] == 1
    assert summary["plan"]["runs"] == 12
    assert summary["headline"] == iris_study.details.headline


@pytest.mark.slow
def test_load_dataset_serves_files_with_options(tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.assign(kind=y).to_csv(tmp_path / "flowers.csv", index=False)

    data = gnbbench.load_dataset(tmp_path / "flowers.csv", target="kind")
    study = gnbbench.compare(data, runs=2)

    assert study.details.dataset.n_samples == 150


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
