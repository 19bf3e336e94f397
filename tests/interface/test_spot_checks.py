"""Spot checks: a stated random sample of runs is compared, the rest is not."""

import numpy as np
import pytest

import gnbbench
from gnbbench import Study
from gnbbench.errors import OptionError
from gnbbench.studies.plan import SweepPlan

pytestmark = pytest.mark.slow

FRACTIONS = (0.5, 0.8)


@pytest.fixture(scope="module")
def checked() -> Study:
    """Give a sweep of our core with four of thirty runs compared."""
    study: Study = gnbbench.sweep_split(
        "wine",
        reference="numpy",
        runs=30,
        spot_checks=4,
        train_fractions=FRACTIONS,
        budget_seconds=0.02,
    )
    return study


def plan(**options: int) -> SweepPlan:
    return SweepPlan(
        dataset="wine",
        sha256="",
        dataset_options={},
        reference="numpy",
        against=("sklearn",),
        **options,  # type: ignore[arg-type]  # all of them are numbers
    )


def test_the_drawn_runs_alone_are_compared(checked: Study) -> None:
    runs = checked.runs.query("implementation == 'sklearn'")

    assert set(plan(runs=30, spot_checks=4).compared_runs or ()) == set(runs["run"])
    assert len(runs) == 4 * len(FRACTIONS)
    assert runs["status"].eq("ok").all()


def test_the_reference_has_every_run_as_if_all_were_compared(checked: Study) -> None:
    everything: Study = gnbbench.sweep_split(
        "wine", reference="numpy", runs=30, train_fractions=FRACTIONS, budget_seconds=0.02
    )

    columns = ["train_accuracy", "test_accuracy", "precision", "recall", "f1"]
    ours, theirs = (
        study.runs.query("implementation == 'numpy'").reset_index(drop=True)
        for study in (checked, everything)
    )
    assert len(ours) == 30 * len(FRACTIONS)
    assert ours[columns].equals(theirs[columns])
    assert np.allclose(ours["log_loss"], theirs["log_loss"], rtol=1e-9)


def test_the_summary_says_what_was_compared(checked: Study) -> None:
    told = [text for text in checked.details.warnings if text.startswith("Spot checks")]

    assert told == [
        "Spot checks: the implementations were compared in 4 of 30 runs at each train "
        "fraction, drawn at random (seed 42); in the others numpy alone was evaluated."
    ]
    assert checked.details.overall.set_index("implementation").loc["sklearn", "runs"] == 8


def test_no_remark_where_all_are_compared() -> None:
    """Negative control."""
    study = gnbbench.compare("iris", runs=3, budget_seconds=0.02)

    assert not [text for text in study.details.warnings if "Spot checks" in text]


def test_our_core_as_reference_is_held_against_scikit_learn_in_a_thousand_runs() -> None:
    few = gnbbench.compare("iris", reference="numpy", runs=2, budget_seconds=0.02)

    assert few.details.implementations == ("numpy", "sklearn")
    assert plan(runs=5).compared_runs is None
    assert len(plan(runs=5000, spot_checks=1000).compared_runs or ()) == 1000


@pytest.mark.parametrize("spot_checks", [0, 31])
def test_more_spot_checks_than_runs_are_refused(spot_checks: int) -> None:
    with pytest.raises(OptionError, match="--spot-checks"):
        plan(runs=30, spot_checks=spot_checks)
