"""Times are judged by the ratio to the reference, on one machine with the same versions."""

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from gnbbench.statistics.comparison_sides import (
    Side,
    environment_changes,
    time_changes,
)
from gnbbench.statistics.metrics import SplitSizes

ENVIRONMENT = {
    "machine": {"cpu": "fast", "cores": 2},
    "versions": {"gnbbench": "1", "numpy": "2.4"},
    "threads": "one",
}


def timed(ratio: float, *, half: float = 1.01, floor: float = 1.005) -> Side:
    """Return a side whose competitor takes `ratio` of a second, the reference one."""
    ratios = {"ratio": ratio, "low": ratio / half, "high": ratio * half}
    ratios |= {"floor_low": 1 / floor, "floor_high": floor}
    return Side(
        name="a",
        study="compare",
        plan={},
        environment=ENVIRONMENT,
        reference="sklearn",
        implementations=("sklearn", "numpy"),
        margin=0.01,
        n_runs=1,
        sizes={"all": SplitSizes(70, 30)},
        metrics=pd.DataFrame(),
        timing=pd.DataFrame(
            {
                "implementation": ["sklearn", "numpy"],
                "operation": "fit",
                "median_seconds": [1.0, ratio],
            }
        ),
        ratios=pd.DataFrame([{"implementation": "numpy", "operation": "fit", **ratios}]),
        runs=None,
    )


def fit(old: Side, new: Side, *, comparable: bool = True) -> Any:
    table = time_changes(old, new, comparable=comparable)
    return table.set_index("implementation").loc["numpy"]


@pytest.mark.parametrize(
    ("new", "speed"),
    [(0.1, "not separated"), (0.13, "slower"), (0.08, "faster"), (0.102, "not separated")],
)
def test_a_change_counts_beyond_both_noise_floors(new: float, speed: str) -> None:
    found = fit(timed(0.1), timed(new))

    assert found["speed"] == speed
    assert found["seconds_ratio"] == pytest.approx(new / 0.1)
    assert found["low"] < found["change"] < found["high"]
    assert found["change"] == pytest.approx(new / 0.1)


def test_a_wide_floor_swallows_what_a_narrow_one_shows() -> None:
    assert fit(timed(0.1), timed(0.13))["speed"] == "slower"
    assert fit(timed(0.1), timed(0.13, floor=1.4))["speed"] == "not separated"


def test_intervals_are_added_in_quadrature_on_the_logarithm() -> None:
    found = fit(timed(0.1, half=1.03), timed(0.1, half=1.04))

    assert found["high"] == pytest.approx(1.0503, abs=1e-4)


def test_nothing_is_judged_where_times_cannot_be_compared() -> None:
    assert fit(timed(0.1), timed(9.0), comparable=False)["speed"] == "not judged"
    other = replace(timed(9.0), reference="numpy")
    assert fit(timed(0.1), other)["speed"] == "not judged"


def test_the_reference_has_seconds_and_no_verdict() -> None:
    table = time_changes(timed(0.1), timed(0.1), comparable=True)

    assert table["speed"].tolist() == ["not judged", "not separated"]


def test_without_times_there_is_nothing_to_compare() -> None:
    empty = replace(timed(0.1), timing=pd.DataFrame(), ratios=pd.DataFrame())

    assert time_changes(timed(0.1), empty, comparable=True).empty


@pytest.mark.parametrize(
    ("part", "key", "value", "sentence"),
    [
        ("machine", "cpu", "slow", "Machine, cpu: fast then, slow now."),
        ("machine", "memory", 5, "Machine, memory: none then, 5 now."),
        ("versions", "numpy", "2.5", "numpy: 2.4 then, 2.5 now."),
    ],
)
def test_another_machine_or_version_is_said(
    part: str, key: str, value: Any, sentence: str
) -> None:
    parts: dict[str, Any] = {**ENVIRONMENT}
    parts[part] = {**parts[part], key: value}

    found = environment_changes(timed(1.0), replace(timed(1.0), environment=parts))

    assert found == (sentence,)


def test_our_own_version_is_what_is_compared() -> None:
    newer = {**ENVIRONMENT, "versions": {"gnbbench": "2", "numpy": "2.4"}}

    assert environment_changes(timed(1.0), replace(timed(1.0), environment=newer)) == ()


def test_other_sizes_or_threads_make_times_incomparable() -> None:
    sizes = {"all": SplitSizes(50, 50)}
    threads = {**ENVIRONMENT, "threads": "many"}

    assert len(environment_changes(timed(1.0), replace(timed(1.0), sizes=sizes))) == 1
    assert (
        len(environment_changes(timed(1.0), replace(timed(1.0), environment=threads))) == 1
    )


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ({"regime": "interleaved"}, ("Timing, regime: warm then, interleaved now.",)),
        ({"threads": 2}, ("Timing, threads: 1 then, 2 now.",)),
        ({"regime": "warm", "threads": 1, "processes": 3}, ()),
    ],
)
def test_times_of_another_regime_are_not_comparable(
    plan: dict[str, Any], words: tuple[str, ...]
) -> None:
    """A side without a plan is of an earlier version, which knew the usual one alone."""
    assert environment_changes(timed(0.1), replace(timed(0.1), timing_plan=plan)) == words
