"""The file of timings is read by pyperf, number by number."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from faults.invented import with_tables
from reading import Give

from gnbbench.statistics.documents import pyperf_text
from gnbbench.statistics.summary import Summary

pyperf = pytest.importorskip("pyperf", reason="the timings are read with pyperf")


def saved(summary: Summary, path: Path) -> Path:
    path.write_text(pyperf_text(summary) or "", encoding="utf-8")
    return path


def command(*arguments: str | Path) -> str:
    call = [sys.executable, "-m", "pyperf", *map(str, arguments)]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize("name", ["usual", "several", "hostile"])
def test_every_round_is_read_back(name: str, summary_of: Give, tmp_path: Path) -> None:
    summary = summary_of(name)

    suite = pyperf.BenchmarkSuite.load(str(saved(summary, tmp_path / "a.json")))

    benchmarks = suite.get_benchmarks()
    keys = ["operation", "implementation"]
    groups = dict(list(summary.timing_rounds.groupby(keys, sort=False)))
    assert len(benchmarks) == len(groups)
    for benchmark, rows in zip(benchmarks, groups.values(), strict=True):
        assert list(benchmark.get_values()) == rows["seconds"].tolist()
        assert benchmark.get_nrun() == rows["process"].nunique()
        assert {run.get_loops() for run in benchmark.get_runs()} == {7}
        assert benchmark.get_unit() == "second"


def test_names_and_metadata_say_what_and_how(summary_of: Give, tmp_path: Path) -> None:
    several = summary_of("several")
    rounds = several.timing_rounds.assign(loops=several.timing_rounds["process"] + 1)
    usual, other = (
        pyperf.BenchmarkSuite.load(str(saved(summary, tmp_path / name)))
        for summary, name in (
            (summary_of("usual"), "a.json"),
            (with_tables(several, timing_rounds=rounds), "b.json"),
        )
    )

    assert {"fit numpy", "predict_proba sklearn"} <= set(usual.get_benchmark_names())
    found = usual.get_metadata()
    assert found["python_version"] == "3.11.2"
    assert found["scikit_learn_version"] == "1.9.1"
    assert (found["cpu_count"], found["timing_regime"]) == (2, "Warm.")
    runs = other.get_benchmarks()[0].get_runs()
    assert [run.get_loops() for run in runs] == [1, 2, 3]


@pytest.mark.slow
def test_the_commands_of_pyperf_work(summary_of: Give, tmp_path: Path) -> None:
    summary = summary_of("usual")
    rounds = summary.timing_rounds
    slower = rounds.assign(seconds=rounds["seconds"] * 2)
    old = saved(summary, tmp_path / "old.json")
    new = saved(with_tables(summary, timing_rounds=slower), tmp_path / "new.json")

    assert "fit numpy" in command("stats", old)
    assert "2.00x slower" in command("compare_to", old, new)


def test_a_suite_without_its_names_is_refused(summary_of: Give, tmp_path: Path) -> None:
    """Negative control: pyperf does look at what it reads."""
    document: dict[str, Any] = json.loads(pyperf_text(summary_of("usual")) or "")
    document["benchmarks"][0]["runs"][0]["values"][0] = -1.0
    (tmp_path / "a.json").write_text(json.dumps(document))

    with pytest.raises(ValueError, match="values must be"):
        pyperf.BenchmarkSuite.load(str(tmp_path / "a.json"))
