"""Remarks on a sweep."""

from collections.abc import Callable
from dataclasses import replace

import pandas as pd

from gnbbench.records import Records
from gnbbench.statistics import summarize_sweep
from gnbbench.statistics.sweep_summary import SweepSummary

MakeSweep = Callable[..., dict[float, Records]]
Give = Callable[[str], SweepSummary]


def _told(summary: SweepSummary) -> str:
    return " ".join(summary.warnings)


def test_a_fraction_without_a_split_is_told_with_its_runs_and_message(
    sweep_of: Give,
) -> None:
    told = _told(sweep_of("several"))

    assert (
        "At a train fraction of 1 % there is no split: 40 runs with an error, in no mean. "
        'Message: "no split: --train-fractions: too few samples.".'
    ) in told
    assert "numpy failed" not in told


def test_thin_runs_are_told_with_their_fractions(sweep_of: Give) -> None:
    assert (
        "In 7 of 1,800 runs some class has fewer than two training samples (7 at 10 %); "
        "they count like all others."
    ) in _told(sweep_of("density"))
    assert "fewer than two" not in _told(sweep_of("identical"))


def test_conservative_fractions_are_told(sweep_of: Give) -> None:
    assert "Up to a train fraction of 40 % more than half" in _told(sweep_of("identical"))
    assert "conservative" not in _told(sweep_of("one_fraction"))


def test_the_smallest_test_side_is_told(sweep_of: Give) -> None:
    assert "At a train fraction of 90 % a test side has 18 samples only" in _told(
        sweep_of("identical")
    )
    assert "samples only" not in _told(sweep_of("one_fraction"))


def test_one_run_has_no_intervals(sweep_of: Give) -> None:
    assert "One run at each train fraction" in _told(sweep_of("one_run"))
    assert "conservative" not in _told(sweep_of("one_run"))


def test_runs_of_equal_number_at_two_fractions_are_two_failures(sweep_of: Give) -> None:
    assert "broken failed in 360 of 360 runs" in _told(sweep_of("several"))


def test_labels_that_are_no_class_are_told(sweep_records: MakeSweep) -> None:
    made = sweep_records("identical", n_runs=2)
    confusion = pd.DataFrame(
        {"implementation": ["numpy"], "truth": [0], "label": [-1], "count": [3]}
    )
    made[0.5] = replace(made[0.5], confusion=confusion)

    assert "numpy gave 3 labels that are none of the classes." in _told(
        summarize_sweep(made)
    )
