import numpy as np
import pandas as pd
import pytest
from faults.invented import random_study, records_of

from gnbbench.statistics.labels import NO_CLASS
from gnbbench.statistics.remarks import failures, remarks
from gnbbench.statistics.summarize import summarize

NO_CELLS = pd.DataFrame(columns=["implementation", "truth", "label", "count"])


def _design(
    n_train: int, n_test: int, n_runs: int, thin_runs: int = 0
) -> dict[str, pd.DataFrame]:
    sizes = {"n_train": n_train, "n_test": n_test, "runs": n_runs, "thin_runs": thin_runs}
    point = {**sizes, "conservative": n_test > n_train}
    return {"points": pd.DataFrame([point]), "confusion": NO_CELLS}


def _runs(messages: list[str]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "run": range(len(messages)),
            "implementation": "numpy",
            "status": ["error" if message else "ok" for message in messages],
            "message": messages,
        }
    )


@pytest.mark.parametrize(
    ("messages", "sentence"),
    [
        (
            ["", "B: b", "A: a", "B: b"],
            'failed in 3 of 4 runs; its means cover the others. Message: "B: b".',
        ),
        (
            ["", "Z: z", "A: a"],  # of equally frequent ones the first
            'failed in 2 of 3 runs; its means cover the others. Message: "Z: z".',
        ),
        (["A: a."] * 2, 'failed in 2 of 2 runs. Message: "A: a".'),
        (["", ""], None),
    ],
)
def test_failures_are_counted_with_the_most_frequent_message(
    messages: list[str], sentence: str | None
) -> None:
    sentences = failures(_runs(messages), ["numpy"])

    assert sentences == ({} if sentence is None else {"numpy": f"numpy {sentence}"})


def test_train_fractions_without_a_split_share_a_remark() -> None:
    design = _design(50, 50, 2)
    points = pd.concat([design["points"].assign(impossible_runs=2)] * 2)
    points["fraction"] = [0.1, 0.9]
    tables = {**design, "points": points, "runs": _runs(["no split: few.", ""])}

    (remark,) = remarks(tables, (), is_sweep=True)
    assert remark.startswith("At train fractions of 10\xa0% and 90\xa0% no split")
    assert remark.endswith('mean. First message: "no split: few".')


def test_runs_not_requested_from_an_implementation_are_not_failures() -> None:
    other = _runs(["", "no luck"]).assign(implementation="x")

    sentences = failures(pd.concat([_runs(["", "", ""]), other]), ["x", "numpy"])

    assert list(sentences) == ["x"]
    assert sentences["x"].startswith("x failed in 1 of 2 runs")


@pytest.mark.parametrize(
    ("design", "words"),
    [
        ((105, 45, 1), "With one run, scores have no"),
        ((45, 105, 100), "70.0\N{NO-BREAK SPACE}% of the samples are tested: above 50 %"),
        ((80, 20, 100), "only 20 samples, so one label moves"),
        (
            (70, 30, 25, 24),
            "In 24 of 25 runs some class has fewer than two training samples; these runs",
        ),
    ],
)
def test_weak_designs_are_reported(design: tuple[int, ...], words: str) -> None:
    (remark,) = remarks(_design(*design), [], is_sweep=False)

    assert words in remark


@pytest.mark.parametrize("sizes", [(105, 45), (75, 75)])
def test_a_quiet_study_needs_no_remark(sizes: tuple[int, int]) -> None:
    assert remarks(_design(*sizes, 100), [], is_sweep=False) == ()


@pytest.mark.parametrize("only_one", [False, True])
def test_labels_that_are_none_of_the_classes_are_counted(*, only_one: bool) -> None:
    study = random_study()
    given = np.where(study.labels["numpy"] == 2, -1, study.labels["numpy"])
    if only_one:
        given = study.labels["numpy"].copy()
        given.flat[0] = -1
    labels = {**study.labels, "numpy": given}

    summary = summarize(records_of(study, labels=labels))

    count = (given == -1).sum()
    text = "1 label that is" if only_one else f"{count} labels that are"
    assert f"numpy gave {text} not among the classes." in summary.warnings
    strange = summary.confusion[summary.confusion["label"] == NO_CLASS]
    assert strange.groupby("implementation")["count"].sum()["numpy"] == count
