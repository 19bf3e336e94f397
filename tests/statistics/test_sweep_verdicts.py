"""Verdicts over all fractions, as sentences."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from gnbbench.records import Records
from gnbbench.statistics import summarize_sweep
from gnbbench.statistics.summary import Summary, Verdict

MakeSweep = Callable[..., dict[float, Records]]
Give = Callable[[str], Summary]


def _verdict(summary: Summary, name: str) -> Verdict:
    return next(v for v in summary.verdicts if v.implementation == name)


def test_mismatches_are_told_with_share_mean_and_most(sweep_records: MakeSweep) -> None:
    made = sweep_records("identical", n_runs=1000)
    pairs = made[0.1].pairs.copy()
    pairs["disagreements"] = np.where(pairs["run"] < 324, 1, 0)
    pairs.loc[0, "disagreements"] = 8
    made[0.1] = replace(made[0.1], pairs=pairs)

    (verdict,) = summarize_sweep(made).verdicts

    assert verdict.sentence == (
        "96.4 % of 9,000 runs match entirely; 0.04 labels differ per run on average, "
        "at most 8."
    )


def test_identical_needs_no_test_and_gives_a_bound(sweep_of: Give) -> None:
    (verdict,) = sweep_of("identical").verdicts

    assert verdict.sentence == "Identical: all 360 runs match entirely."
    assert "at most 1.7 % of rows can differ" in verdict.detail
    assert "Holm" not in verdict.detail


def test_runs_that_were_not_compared_are_not_called_identical(sweep_of: Give) -> None:
    verdict = _verdict(sweep_of("several"), "numpy")

    assert verdict.sentence == (
        "Identical where both gave labels: all 360 runs match entirely."
    )


def test_outcomes_are_those_of_the_fractions(sweep_of: Give) -> None:
    summary = sweep_of("several")

    outcomes = {v.implementation: v.outcome for v in summary.verdicts}

    assert outcomes == {
        "numpy": "identical",
        "density-product": "cannot tell",
        "shuffled": "different",
        "broken": "failed",
    }
    assert sweep_of("one_fraction").verdicts[0].outcome == "equivalent"


def test_a_difference_says_at_how_many_fractions(sweep_of: Give) -> None:
    summary = sweep_of("several")
    table = summary.accuracy_differences
    own = table[table["implementation"] == "shuffled"]
    number = int((own["outcome"] == "different").sum())

    verdict = _verdict(summary, "shuffled")

    assert number > 0
    assert verdict.sentence.startswith(f"Different at {number} of 9 train fractions: ")


def test_failures_are_told(sweep_of: Give) -> None:
    verdict = _verdict(sweep_of("several"), "broken")

    assert verdict.sentence == "Failed: no run gave labels to compare."
    assert "broken failed in 360 of 360 runs" in verdict.detail


def test_one_run_makes_no_claim_of_a_test(sweep_of: Give) -> None:
    (verdict,) = sweep_of("one_run").verdicts

    assert verdict.outcome == "cannot tell"
    assert "gives no interval and no test" in verdict.detail
    assert "significantly" not in verdict.detail


@pytest.mark.parametrize("name", ["identical", "density", "several", "all_failed"])
def test_the_headline_is_a_sentence(sweep_of: Give, name: str) -> None:
    assert sweep_of(name).headline.endswith(".")
    assert "nan" not in sweep_of(name).headline
