"""Tests of the environment: what it tells, and what it keeps to itself."""

import json
import platform
from importlib import metadata
from pathlib import Path

import pytest

from gnbbench.measurement import environment as module
from gnbbench.measurement.environment import cpu_model, environment, thread_pools

PRIVATE = "host-7f3a-of-maria"


def test_versions_are_those_installed() -> None:
    versions = environment()["versions"]

    assert versions["python"] == platform.python_version()
    assert versions["scikit-learn"] == metadata.version("scikit-learn")


def test_a_package_that_is_not_installed_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "PACKAGES", ("numpy", "no-such-package"))

    assert list(environment()["versions"]) == ["python", "numpy"]


def test_it_survives_json_unchanged() -> None:
    found = environment()

    assert json.loads(json.dumps(found)) == found


def test_the_machine_is_told_by_these_fields_alone() -> None:
    machine = environment()["machine"]

    assert list(machine) == [
        "system",
        "architecture",
        "cpu",
        "cores",
        "usable_cores",
        "memory_bytes",
    ]
    assert 1 <= machine["usable_cores"] <= machine["cores"]


def test_neither_host_nor_user_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    real = platform.uname()
    named = platform.uname_result(real.system, PRIVATE, real.release, "", real.machine)
    monkeypatch.setattr(platform, "uname", lambda: named)
    monkeypatch.setenv("USER", PRIVATE)
    monkeypatch.setenv("HOME", f"/home/{PRIVATE}")

    text = json.dumps(environment())

    assert platform.node() == PRIVATE
    assert PRIVATE not in text


def test_paths_of_libraries_are_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = {
        "internal_api": "openblas",
        "num_threads": 2,
        "version": "1",
        "filepath": f"/home/{PRIVATE}/lib.so",
    }
    monkeypatch.setattr(module, "threadpool_info", lambda: [pool])

    assert thread_pools() == [{"library": "openblas", "version": "1", "threads": 2}]


def test_threads_are_one_sentence_that_names_each_pool_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    blas = {"internal_api": "openblas", "num_threads": 2, "version": "0.3"}
    openmp = {"internal_api": "openmp", "num_threads": 4, "version": None}
    monkeypatch.setattr(module, "threadpool_info", lambda: [blas, blas, openmp])

    threads = environment()["threads"]

    assert threads == "Threads by default: openblas 0.3: 2, openmp (version unknown): 4."


def test_no_pool_is_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "threadpool_info", list)

    assert environment()["threads"] == "No library with threads of its own is loaded."


def test_the_processor_is_named_by_its_first_model(tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\nmodel name\t: Fast 9000: X\nmodel name\t: other\n")

    assert cpu_model(cpuinfo) == "Fast 9000: X"


def test_without_a_model_the_architecture_stands_in(tmp_path: Path) -> None:
    assert cpu_model(tmp_path / "missing") in {platform.processor(), platform.machine()}


def test_memory_is_unknown_where_the_system_does_not_tell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr("os.sysconf")

    assert environment()["machine"]["memory_bytes"] is None
