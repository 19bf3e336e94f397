from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnbbench.records import Records
from gnbbench.statistics import summarize
from gnbbench.statistics.labels import NO_CLASS
from gnbbench.statistics.metrics import SplitSizes
from gnbbench.statistics.remarks import failures, remarks

NO_CELLS = pd.DataFrame(columns=["implementation", "truth", "label", "count"])


def _runs(messages: list[str]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "run": range(len(messages)),
            "implementation": "numpy",
            "status": ["error" if message else "ok" for message in messages],
            "message": messages,
        }
    )


def test_failures_are_counted_with_the_most_frequent_message() -> None:
    found = failures(_runs(["", "B: b", "A: a", "B: b"]), ["numpy"])

    assert found == {
        "numpy": "numpy failed in 3 of 4 runs; its means are over the others. "
        'Message: "B: b".'
    }


def test_of_equally_frequent_messages_the_first_is_told() -> None:
    found = failures(_runs(["", "Z: z", "A: a"]), ["numpy"])

    assert 'Message: "Z: z"' in found["numpy"]


def test_an_implementation_that_always_failed_has_no_means() -> None:
    found = failures(_runs(["A: a", "A: a"]), ["numpy"])

    assert "failed in 2 of 2 runs; it has no means" in found["numpy"]


def test_no_failure_no_sentence() -> None:
    assert failures(_runs(["", ""]), ["numpy"]) == {}


def test_runs_that_were_not_asked_of_an_implementation_are_no_failures() -> None:
    runs = pd.concat(
        [_runs(["", "", ""]), _runs(["", "no luck"]).assign(implementation="x")]
    )

    found = failures(runs, ["x", "numpy"])

    assert list(found) == ["x"]
    assert found["x"].startswith("x failed in 1 of 2 runs")


def test_a_long_message_stays_one_short_line() -> None:
    found = failures(_runs(["E: " + "word\n" * 100]), ["numpy"])["numpy"]

    assert "\n" not in found
    assert len(found) < 300


def test_a_quiet_study_needs_no_remark() -> None:
    assert remarks(SplitSizes(105, 45), 100, NO_CELLS, []) == ()


@pytest.mark.parametrize(
    ("sizes", "n_runs", "words"),
    [
        (SplitSizes(105, 45), 1, "One run only"),
        (SplitSizes(45, 105), 100, "70 % of the samples are tested: above 50 %"),
        (SplitSizes(80, 20), 100, "20 samples only: one label moves"),
    ],
)
def test_weak_designs_are_told(sizes: SplitSizes, n_runs: int, words: str) -> None:
    (remark,) = remarks(sizes, n_runs, NO_CELLS, [])

    assert words in remark


def test_half_and_half_is_not_yet_conservative() -> None:
    assert remarks(SplitSizes(75, 75), 100, NO_CELLS, []) == ()


def test_labels_that_are_none_of_the_classes_are_counted(
    random_study: Callable[..., Any], records_of: Callable[..., Records]
) -> None:
    study = random_study()
    given = np.where(study.labels["numpy"] == 2, -1, study.labels["numpy"])
    labels = {**study.labels, "numpy": given}

    summary = summarize(records_of(study, labels=labels))

    count = (given == -1).sum()
    assert f"numpy gave {count} labels that are none of the classes." in summary.warnings
    strange = summary.confusion[summary.confusion["label"] == NO_CLASS]
    assert strange.groupby("implementation")["count"].sum()["numpy"] == count
