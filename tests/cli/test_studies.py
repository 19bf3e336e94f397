"""Commands of studies: what each says, where its report lies, what it exits with."""

import json
import os
import re
import shlex
import sys
from pathlib import Path

import pandas as pd
import pytest
from reading.commands import assert_refused, call, files

from gnbbench.studies.store import Store

DATA = "data.csv --target G3>=10 --one-hot"


# (line, exit code, beginning of the directory's name, words on stdout or stderr)
@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(
    ("line", "code", "name", "words"),
    [
        (f"compare {DATA} --runs 3 --budget 50ms", 0, "compare-data-", "data · 3 runs"),
        (
            "sweep-split wine --runs 5 --train-fractions 0.1 --against density-product "
            "--fail-if-disagreement",
            *(1, "sweep-split-wine-", "gate failed"),
        ),
        (f"assumptions {DATA} --runs 2", 0, "assumptions-data-", "data"),
        (
            "explain data.csv --against numpy --against sklearn?var_smoothing=0.1 "
            "--target sex --no-stratify --runs 2",
            *(0, "explain-data-", "data · 2 runs · 28 train, 12 test samples each"),
        ),
        (
            "explain gaussians?n=60 --against numpy --runs 2",
            *(0, "explain-gaussians-", "numpy: no diff"),
        ),
        (
            "explain iris --against sklearn --reference numpy --runs 2",
            *(0, "explain-iris-", "sklearn: no diff"),
        ),
        (
            "explain data.csv --against mine.py:Refuses --target sex --runs 2",
            *(1, "explain-data-", "Refuses: no labels to compare with sklearn. To exit"),
        ),
        (
            "scale --samples 200:400 --features 4 --classes 2 --against mine.py:Refuses "
            "--budget 2 --processes 1 --timeout 0",
            *(1, "scale-", "Refuses: no labels to compare with sklearn. To exit"),
        ),
        (
            "explain iris --against mine.py:Refuses --runs 2 --allow-failures",
            *(0, "explain-iris-", "Refuses fails: 2 of 2 runs failed"),
        ),
    ],
)
def test_a_study_has_a_verdict_and_its_own_directory(
    line: str, code: int, name: str, words: str, directory: Path
) -> None:
    ended, out, err = call(*shlex.split(line))

    assert ended == code, err
    assert (err == "") == (code == 0)
    assert words in " ".join((out + err).split())
    (made,) = (path for path in (directory / "reports").iterdir() if path.is_dir())
    assert made.name.startswith(name)
    assert out.splitlines()[-1] == f"Report: reports/{made.name}/index.html"


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_another_plan_replaces_records_on_request(directory: Path) -> None:
    study = ("compare", "iris", "--budget", "50ms", "--out", "here", "--quiet")
    call(*study, "--runs", "2")

    assert_refused((*study, "--runs", "3"), "study with other settings", directory)

    assert call(*study, "--runs", "3", "--overwrite")[0] == 0
    assert json.loads((directory / "here" / "summary.json").read_text())["n_runs"] == 3


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_the_file_of_runs_has_the_format_asked_for_and_keeps_it_when_redrawn(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def written(*words: str) -> list[str]:
        assert call(*words, "--quiet")[0] == 0
        return sorted(path.name for path in (directory / "here").glob("runs.[cp]*"))

    study = ("compare", "iris", "--runs", "3", "--budget", "50ms", "--out", "here")

    assert written(*study, "--format", "parquet") == ["runs.parquet"]
    assert len(pd.read_parquet(directory / "here" / "runs.parquet")) == 6
    assert written("report", "here") == ["runs.parquet"]
    assert written(*study) == ["runs.csv"]
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, _, err = call(*study, "--format", "parquet")
    assert (code, err.count("\n")) == (2, 1)
    assert "--format: parquet needs pyarrow. Install it: pip install" in err


@pytest.mark.slow
def test_a_file_and_the_command_share_directory_and_records(directory: Path) -> None:
    call_result = call("run", "a.toml", "--quiet")
    records = files(directory / "reports")

    assert call("compare", "iris", "--runs", "3", "--quiet") == call_result
    assert files(directory / "reports") == records


def test_an_option_that_the_study_of_a_file_does_not_have_is_refused(
    directory: Path,
) -> None:
    (directory / "a.toml").write_text('study = "scale"\n')

    call_result = call("run", "a.toml", "--format", "parquet")

    expected = "--format: scale has no such option. See gnbbench scale --help.\n"
    assert call_result == (2, "", f"gnbbench: {expected}")
    assert not (directory / "reports").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_a_file_with_several_datasets_is_run_and_gated(directory: Path) -> None:
    """Each dataset has its own table, with options of its own."""
    tables = '[[dataset]]\nname = "iris"\n[[dataset]]\nname = "gaussians?n=90"\n'
    options = '[options]\nruns = 2\nagainst = ["sklearn?var_smoothing=0.5"]\n'
    (directory / "a.toml").write_text(f'study = "compare"\n{tables}{options}')

    code, out, err = call("run", "a.toml", "--json", "--fail-if-disagreement")

    assert code == 1
    assert json.loads(out)["schema"] == "gnbbench matrix"
    assert "gate failed: iris: " in err


@pytest.mark.slow
@pytest.mark.usefixtures("directory")
def test_an_implementation_that_fails_at_a_size_is_reported_and_marked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    grid = "gnbbench.studies.scale_steps.GridMeasurement"
    monkeypatch.setattr(f"{grid}.measure_memory", lambda _: None)
    sizes = ("--samples", "200:400", "--features", "4", "--classes", "2")
    options = ("--budget", "2", "--processes", "1", "--timeout", "0", "--out", "here")
    code, out, err = call("scale", *sizes, *options, "--against", "mine.py:Small")

    text = " ".join(out.split())
    assert (code, err) == (0, "")
    assert "Small: stopped at n = 200, because it failed (MemoryError: no room (" in text
    assert '(mine.py, line 11: raise MemoryError("no room"))).' in text
    assert re.search(r" [4-9]\d of 200 labels differ in 1 comparison\.", text)
    assert "Small: labels differ at 1 size, most at 200 samples (" in text


def test_parameters_of_generated_samples_are_part_of_their_name() -> None:
    code, text, _ = call("compare", "gaussians?offset=1e6", "--print-config")

    assert code == 0
    assert '[dataset]\nname = "gaussians?offset=1e6"\n' in text


def test_an_interruption_before_anything_is_measured_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gnbbench.cli.exits.check_names", interrupt)

    assert call("compare", "iris") == (130, "", "gnbbench: interrupted.\n")


@pytest.mark.slow
def test_printed_output_is_written_as_markdown(directory: Path) -> None:
    words = ("compare", "iris", "--runs", "2", "--out", "here", "--export-markdown")
    code, out, _ = call(*words, "table.md")
    os.mkfifo(directory / "pipe")

    assert code == 0
    table = (directory / "table.md").read_text(encoding="utf-8")
    assert "| Test accuracy | 0.9444 | 0.9444 | identical |" in table
    assert "Test accuracy" in out
    why = "pipe cannot be written (it is a device or a pipe"
    assert f"--export-markdown: {why}" in call(*words, "pipe")[2]
    assert (directory / "pipe").is_fifo()


@pytest.mark.parametrize("moment", ["before a step is told", "before a commit"])
def test_an_interruption_tells_how_many_runs_are_in_the_store(
    moment: str, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    kept = 8 if moment == "before a step is told" else 0
    what = "gnbbench.cli.studies.Bar.advance"
    if not kept:
        what = "gnbbench.studies.compare.evaluated"
    monkeypatch.setattr(what, interrupt)

    code, _, err = call("compare", "iris", "--runs", "60", "--out", "here")

    assert code == 130
    assert f"interrupted; {kept} of 60 runs are kept in here; the same" in err
    with Store(directory / "here" / "runs.sqlite") as store:
        assert len(store.finished_runs()) == kept
