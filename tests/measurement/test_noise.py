"""Tests of noise: what is read of the system, and what is worth a word."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from gnbbench.measurement import environment as module
from gnbbench.measurement.environment import (
    Noise,
    involuntary_switches,
    load,
    noise_warnings,
    observed_noise,
    steal_seconds,
    usable_cores,
)

QUIET = Noise(
    rounds=100,
    switched_rounds=10,
    switches=12,
    steal_seconds=0.01,
    elapsed_seconds=1.0,
    load=2.0,
    cores=2,
)


def test_steal_is_the_eighth_time_of_the_first_line(tmp_path: Path) -> None:
    stat = tmp_path / "stat"
    stat.write_text("cpu  1 2 3 4 5 6 7 250 9 10\ncpu0 1 2 3 4 5 6 7 999 9 10\n")
    ticks = os.sysconf("SC_CLK_TCK")

    assert steal_seconds(stat) == 250 / ticks


@pytest.mark.parametrize("text", ["cpu 1 2 3 4\n", None])
def test_steal_is_unknown_without_its_column_or_file(
    tmp_path: Path, text: str | None
) -> None:
    stat = tmp_path / "stat"
    if text is not None:
        stat.write_text(text)

    assert steal_seconds(stat) is None


def test_readings_of_this_machine_make_sense() -> None:
    switches, average = involuntary_switches(), load()

    assert switches is None or switches >= 0
    assert average is None or average >= 0.0
    assert usable_cores() >= 1


def test_systems_without_the_counts_give_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "resource", None)
    monkeypatch.delattr("os.getloadavg")

    assert involuntary_switches() is None
    assert load() is None


def test_switches_are_added_up_and_switched_rounds_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "steal_seconds", lambda: 5.5)

    found = observed_noise([0, 3, 1, 0], stolen_before=5.25, elapsed_seconds=2.0)

    assert (found.rounds, found.switched_rounds, found.switches) == (4, 2, 4)
    assert found.steal_seconds == 0.25


def test_unknown_counts_stay_unknown() -> None:
    found = observed_noise([None, None], stolen_before=None, elapsed_seconds=2.0)

    assert found.rounds == 2
    assert (found.switched_rounds, found.switches, found.steal_seconds) == (None,) * 3


def test_a_quiet_machine_is_worth_no_word() -> None:
    assert noise_warnings(QUIET) == []


def test_unknown_noise_is_worth_no_word() -> None:
    unknown = replace(QUIET, switched_rounds=None, steal_seconds=None, load=None)

    assert noise_warnings(unknown) == []


@pytest.mark.parametrize(
    ("louder", "words"),
    [
        ({"switched_rounds": 11}, "lost its core in 11 of 100 rounds"),
        ({"steal_seconds": 0.04}, "took 4 % of a core's time"),
        ({"load": 2.5}, "load was 2.5 on 2 cores"),
    ],
)
def test_each_disturbance_is_named(louder: dict[str, float], words: str) -> None:
    (sentence,) = noise_warnings(replace(QUIET, **louder))  # type: ignore[arg-type]  # one field

    assert words in sentence
