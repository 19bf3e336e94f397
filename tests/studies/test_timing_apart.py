"""Code of others is timed beside the rest in a process that it may take down."""

import os
import time
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

from gnbbench.implementations import Implementation, implementation, isolated
from gnbbench.measurement.timing import TimingPlan
from gnbbench.records import NULL_COMPETITOR
from gnbbench.studies.timing_apart import time_entries, time_in_processes

X, y = load_iris(return_X_y=True)
ARRAYS = (X, y, X)
QUICK = TimingPlan(budget_seconds=0.03)
HERE = os.getpid()


def foreign(kind: str) -> Implementation:
    """Return one that lives elsewhere; its class is sent there by value."""

    class Other(ScikitLearnGaussianNB):  # type: ignore[misc]  # scikit-learn has no types
        def predict(self, X: Any) -> Any:
            if kind == "dies" and os.getpid() != HERE:
                os._exit(3)
            if kind == "hangs":
                time.sleep(60.0)
            if kind == "prints":
                os.write(1, b"noise\n")
            return super().predict(X)

    entry = Implementation(kind, Other, foreign=True)
    return isolated(entry, timeout_seconds=5.0)


def timed(*others: Implementation, **options: Any) -> Any:
    return time_entries([implementation("sklearn"), *others], ARRAYS, plan=QUICK, **options)


@pytest.mark.slow
def test_all_are_timed_side_by_side_and_prints_go_nowhere(
    capfd: pytest.CaptureFixture[str],
) -> None:
    found = timed(foreign("prints"))

    assert found.skipped == {}
    for one in found.operations.values():
        assert {"sklearn", "prints"} <= set(one.names)
    fits = found.operations["fit"]
    ours, theirs = (fits.names.index(name) for name in ("sklearn", "prints"))
    ratio = np.median(fits.seconds[:, theirs] / fits.seconds[:, ours])
    assert 0.2 < ratio < 5.0
    assert capfd.readouterr().out == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "seconds", "reason"),
    [("dies", 60.0, "ended the process"), ("hangs", 3.0, "took longer than 3 s")],
)
def test_one_that_takes_the_process_down_leaves_the_rest_their_times(
    kind: str, seconds: float, reason: str
) -> None:
    found = timed(implementation("numpy"), foreign(kind), longest_seconds=seconds)

    assert found.skipped == {kind: f"timing {reason}"}
    assert {"sklearn", "numpy"} <= set(found.operations["fit"].names)
    assert kind not in found.operations["fit"].names


def test_one_that_failed_before_is_not_tried() -> None:
    found = timed(foreign("dies"), unsafe={"dies"})

    assert found.skipped == {"dies": "it hung or crashed in a run"}
    assert "sklearn" in found.operations["fit"].names


def test_without_the_reference_there_are_no_times() -> None:
    found = time_entries(
        [foreign("dies"), implementation("numpy")], ARRAYS, plan=QUICK, unsafe={"dies"}
    )

    assert found.operations == {}
    assert found.skipped == {
        "numpy": "the reference cannot be timed",
        "dies": "it hung or crashed in a run",
    }


@pytest.mark.slow
def test_every_process_is_another_one_with_a_seed_and_a_share_of_its_own() -> None:
    plan = TimingPlan(budget_seconds=0.06, seed=5)

    found = time_in_processes(
        [implementation("sklearn"), implementation("numpy")],
        ARRAYS,
        plan=plan,
        processes=2,
    )

    assert [part.plan.seed for part in found.parts] == [5, 6]
    assert [part.plan.budget_seconds for part in found.parts] == [0.03, 0.03]
    assert found.plan == plan
    assert len(found.notes()["processes"]) == 2
    operations = {row[0] for row in found.rows()}
    assert operations == {"fit", "predict", "predict_proba"}


@pytest.mark.slow
def test_one_that_takes_a_process_down_is_not_tried_in_the_next() -> None:
    found = time_in_processes(
        [implementation("sklearn"), foreign("dies")], ARRAYS, plan=QUICK, processes=2
    )

    assert found.notes()["skipped"] == {"dies": "timing ended the process"}
    assert {row[1] for row in found.rows()} == {"sklearn", NULL_COMPETITOR}
