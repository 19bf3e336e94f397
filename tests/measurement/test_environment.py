"""What a reader needs to judge a time, and what disturbs one."""

import json
import os
import platform
import re
import time
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

from gnbbench.measurement import environment as module
from gnbbench.measurement.environment import environment, observed_noise
from gnbbench.statistics.timing import when_taken

PRIVATE = "host-7f3a-of-maria"


def test_versions_are_those_installed_and_the_machine_has_these_fields_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "PACKAGES", ("numpy", "no-such-package"))

    description = environment()

    assert description["versions"] == {
        "python": platform.python_version(),
        "numpy": metadata.version("numpy"),
    }
    assert json.loads(json.dumps(description)) == description
    machine = description["machine"]
    names = "system architecture cpu cores usable_cores memory_bytes"
    assert list(machine) == names.split()
    assert 1 <= machine["usable_cores"] <= machine["cores"]


def test_neither_host_nor_user_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    real = platform.uname()
    named = platform.uname_result(real.system, PRIVATE, real.release, "", real.machine)
    monkeypatch.setattr(platform, "uname", lambda: named)
    monkeypatch.setenv("USER", PRIVATE)
    monkeypatch.setenv("HOME", f"/home/{PRIVATE}")

    text = json.dumps(environment())

    assert platform.node() == PRIVATE
    assert PRIVATE not in text


BLAS = {"internal_api": "openblas", "num_threads": 2, "version": "0.3"}
OMP = {"internal_api": "openmp", "num_threads": 4, "version": None}


@pytest.mark.parametrize(
    ("pools", "sentence"),
    [
        (
            [BLAS, BLAS, OMP],
            "Threads by default: openblas 0.3: 2, openmp (version unknown): 4.",
        ),
        ([], "No library with threads of its own is loaded."),
    ],
)
def test_threads_are_one_sentence_that_names_each_pool_once_without_its_path(
    monkeypatch: pytest.MonkeyPatch, pools: list[dict[str, object]], sentence: str
) -> None:
    located = [{**pool, "filepath": f"/home/{PRIVATE}/lib.so"} for pool in pools]
    loaded = SimpleNamespace(info=lambda: located)
    monkeypatch.setattr(module, "_controller", lambda _: loaded)

    assert environment()["threads"] == sentence
    keys = {key for pool in module.thread_pools() for key in pool}
    assert keys == ({"library", "version", "threads"} if pools else set())


def test_the_processor_is_named_by_its_first_model_or_architecture(tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\nmodel name\t: Fast 9000: X\nmodel name\t: other\n")

    assert module.cpu_model(cpuinfo) == "Fast 9000: X"
    named = {platform.processor(), platform.machine()}
    assert module.cpu_model(tmp_path / "missing") in named


def test_memory_is_unknown_if_nothing_reports_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("os.sysconf")

    assert environment()["machine"]["memory_bytes"] is None


@pytest.mark.parametrize(
    ("text", "ticks"),
    [
        ("cpu  1 2 3 4 5 6 7 250 9 10\ncpu0 1 2 3 4 5 6 7 999 9 10\n", 250),
        ("cpu 1 2 3 4\n", None),
        (None, None),
    ],
)
def test_steal_is_the_eighth_time_of_the_first_line_where_there_is_one(
    tmp_path: Path, text: str | None, ticks: int | None
) -> None:
    stat = tmp_path / "stat"
    if text is not None:
        stat.write_text(text)

    expected = None if ticks is None else ticks / os.sysconf("SC_CLK_TCK")
    assert module.steal_seconds(stat) == expected


def test_systems_without_the_counts_give_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert module.usable_cores() >= 1
    monkeypatch.setattr(module, "resource", None)
    monkeypatch.delattr("os.getloadavg")

    assert module.involuntary_switches() is None
    assert module.load() is None


def test_counts_are_added_and_unknown_ones_stay_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "steal_seconds", lambda: 5.5)

    found = observed_noise([0, 3, 1, 0], stolen_before=5.25, elapsed_seconds=2.0)
    unknown = observed_noise([None, None], stolen_before=None, elapsed_seconds=2.0)

    names = ("rounds", "switched_rounds", "switches", "steal_seconds")
    assert [found[name] for name in names] == [4, 2, 4, 0.25]
    assert [unknown[name] for name in names] == [2, None, None, None]


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="there the time zone is fixed")
def test_an_invalid_time_zone_alters_only_the_date(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its offset is more than a day, which `datetime` takes in no time zone."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "UTC-99999")
        time.tzset()
        dated = environment()["date"]
        taken = when_taken({"taken": "2026-11-25T21:00:00+00:00"})
    time.tzset()

    assert re.fullmatch(r"\d{4}-\d\d-\d\d", dated)
    assert "2026" in taken
