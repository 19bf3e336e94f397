"""The command line: what each call exits with, prints and leaves behind."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnbbench.cli.app import app

RUNNER = CliRunner()

REPORT = {
    *("index.html", "summary.json", "runs.csv", "runs.sqlite"),
    *("timings.pyperf.json", "figures"),
}
GOOD = "a,b,kind\n" + "\n".join(f"{i % 7}.5,{i * i % 11},{'xy'[i % 2]}" for i in range(40))


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty directory that holds one good file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.csv").write_text(GOOD)
    return tmp_path


def call(*arguments: str) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr of one call."""
    result = RUNNER.invoke(app, arguments)
    return result.exit_code, result.stdout, result.stderr


# (arguments, exit code, words on stderr)
REFUSED = [
    (["compare", "irsi"], "Unknown dataset 'irsi'. Did you mean 'iris'?"),
    (["compare", "iris", "--runs", "0"], "--runs: 0 is out of range"),
    (["compare", "iris", "--runs", "many"], "Invalid value for '--runs'"),
    (["compare", "iris", "--test-size", "1.5"], "--test-size: 1.5 is out of range"),
    (["compare", "iris", "--test-size", "0.001"], "--test-size"),
    (["compare", "iris", "--seed", "-1"], "--seed: -1 is out of range"),
    (["compare", "iris", "--seed", "4294967295"], "--seed"),
    (["compare", "iris", "--margin", "0"], "--margin: 0.0 is out of range"),
    (["compare", "iris", "--jobs", "0"], "--jobs: 0 is less than 1"),
    (["compare", "iris", "--processes", "0"], "--processes: 0 is less than 1"),
    (["compare", "iris", "--threads", "0"], "--threads: 0 is less than 1"),
    (["compare", "iris", "--regime", "hot"], "Give warm or interleaved."),
    (["compare", "iris", "--budget", "soon"], "--budget: 'soon' is no time."),
    (["compare", "iris", "--budget", "0s"], "--budget: '0s' is no time."),
    (["compare", "iris", "--precision", "2"], "--precision: '2' is no share."),
    (["compare", "iris", "--precision", "fine"], "--precision: 'fine' is no share."),
    (["compare", "iris", "--against", "nunpy"], "Did you mean 'numpy'?"),
    (["compare", "iris", "--reference", "sklaern"], "Did you mean 'sklearn'?"),
    (["compare", "iris", "--against", "sklearn"], "'sklearn' is named twice"),
    (["compare", "iris", "--features", "a,b"], "there is no feature 'a'"),
    (["compare", "iris", "--features", "petal width (cm)"], "does not name two features"),
    (["compare", "iris", "--target", "x"], "--target"),
    (["compare", "iris", "--n-samples", "9"], "--n-samples"),
    (["compare", "missing.csv", "--target", "y"], "missing.csv"),
    (["compare", ".", "--target", "y"], "directory"),
    (["compare", "good.csv"], "--target"),
    (["compare", "good.csv", "--target", "kin"], "kind"),
    (["compare", "good.csv", "--target", "kind", "--drop", "c"], "it has no column 'c'"),
    (["compare", "good.csv", "--target", "kind", "--missing", "guess"], "--missing"),
    (["compare"], "Missing argument"),
    (["compare", "iris", "--unknown"], "No such option"),
    (["list", "models"], "there is no list of 'models'"),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSED, ids=lambda value: str(value)[:60])
def test_what_cannot_be_used_exits_2_with_one_line_and_writes_nothing(
    arguments: list[str], words: str, directory: Path
) -> None:
    before = sorted(directory.rglob("*"))

    code, out, err = call(*arguments)

    assert code == 2
    assert words in " ".join(err.split())
    assert out == ""
    assert "Traceback" not in err
    if err.startswith("gnbbench:"):
        assert len(err.strip().splitlines()) == 1
    assert sorted(directory.rglob("*")) == before


def test_a_comparison_says_its_verdict_and_where_the_report_lies(directory: Path) -> None:
    code, out, err = call("compare", "iris", "--runs", "3")

    assert code == 0
    assert err == ""
    first_lines = "\n".join(out.splitlines()[:3])
    assert "Identical: none of 135 predictions differ" in first_lines
    assert max(len(line) for line in out.splitlines()[:-1]) <= 80
    page = directory / out.strip().splitlines()[-1].removeprefix("Report: ")
    assert page.is_file()
    names = {path.name for path in page.parent.iterdir()}
    assert names == REPORT


@pytest.mark.slow
def test_json_is_all_that_stdout_gets(directory: Path) -> None:
    code, out, _ = call("compare", "iris", "--runs", "2", "--json", "--out", "here")

    assert code == 0
    assert json.loads(out)["schema_version"] == 1
    assert out == (directory / "here" / "summary.json").read_text()


@pytest.mark.slow
@pytest.mark.usefixtures("directory")
def test_quiet_prints_the_path_alone() -> None:
    _, out, err = call("compare", "iris", "--runs", "2", "--quiet", "--out", "here")

    assert (out, err) == (f"{Path('here') / 'index.html'}\n", "")


@pytest.mark.slow
def test_the_same_command_again_changes_no_record(directory: Path) -> None:
    call("compare", "iris", "--runs", "4", "--out", "here")
    before = (directory / "here" / "runs.csv").read_bytes()
    times = json.loads((directory / "here" / "summary.json").read_text())

    code, _, _ = call("compare", "iris", "--runs", "4", "--out", "here")

    assert code == 0
    assert (directory / "here" / "runs.csv").read_bytes() == before
    assert json.loads((directory / "here" / "summary.json").read_text()) == times


@pytest.mark.slow
def test_another_plan_in_the_same_directory_is_refused_unless_it_may_overwrite(
    directory: Path,
) -> None:
    call("compare", "iris", "--runs", "2", "--out", "here")
    before = {path: path.read_bytes() for path in (directory / "here").glob("*.*")}

    code, _, err = call("compare", "iris", "--runs", "3", "--out", "here")

    assert code == 2
    assert "another plan" in err
    assert {path: path.read_bytes() for path in (directory / "here").glob("*.*")} == before
    assert call("compare", "iris", "--runs", "3", "--out", "here", "--overwrite")[0] == 0


def test_files_of_somebody_else_are_not_replaced(directory: Path) -> None:
    (directory / "site").mkdir()
    (directory / "site" / "index.html").write_text("mine")

    code, _, err = call("compare", "iris", "--runs", "2", "--out", "site")

    assert code == 2
    assert "index.html" in err
    assert [path.name for path in (directory / "site").iterdir()] == ["index.html"]


def test_a_foreign_or_damaged_store_is_refused_and_kept(directory: Path) -> None:
    for content in (
        b"not a database at all, but text" * 40,
        b"SQLite format 3\x00" + b"\x07" * 500,
    ):
        (directory / "here").mkdir(exist_ok=True)
        (directory / "here" / "runs.sqlite").write_bytes(content)

        code, _, err = call("compare", "iris", "--runs", "2", "--out", "here")

        assert code == 2
        assert "runs.sqlite" in err
        assert (directory / "here" / "runs.sqlite").read_bytes() == content


@pytest.mark.slow
@pytest.mark.usefixtures("directory")
def test_a_file_is_compared() -> None:
    code, out, _ = call("compare", "good.csv", "--target", "kind", "--runs", "3")

    assert code == 0
    assert "good" in out.splitlines()[0]


@pytest.mark.slow
@pytest.mark.usefixtures("directory")
def test_the_gate_fails_where_labels_differ_and_passes_where_not() -> None:
    smooth = "sklearn?var_smoothing=0.5"

    passed = call("compare", "iris", "--runs", "3", "--fail-if-disagreement")
    failed = call(
        "compare", "iris", "--runs", "3", "--fail-if-disagreement", "--against", smooth
    )

    assert passed[0] == 0
    assert failed[0] == 1
    assert "gate failed" in failed[2]


@pytest.mark.parametrize(
    ("kind", "words"), [("datasets", "breast_cancer"), ("implementations", "numpy")]
)
def test_lists_name_what_there_is(kind: str, words: str) -> None:
    code, out, _ = call("list", kind)

    assert code == 0
    assert words in out


def test_version_and_help_answer() -> None:
    assert call("--version")[1].startswith("gnbbench ")
    assert "compare" in call("--help")[1]
    help_text = call("compare", "--help")[1]
    assert "Example: gnbbench compare iris --runs 1000" in help_text


# A shell that starts a command in the background has it ignore SIGINT; a user has not.
LISTENING = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from gnbbench.cli import main
main()
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("ps") is None, reason="lists processes by ps")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interruption_exits_130_keeps_records_and_leaves_no_process(
    jobs: str, directory: Path
) -> None:
    command = [sys.executable, "-c", LISTENING, "compare", "digits", "--runs", "400"]
    command += ["--out", "here", "--quiet", "--jobs", jobs]
    process = subprocess.Popen(
        command,
        cwd=directory,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    log = directory / "here" / "runs.sqlite-wal"
    deadline = time.monotonic() + 60
    while not (log.exists() and log.stat().st_size > 100_000):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)

    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)

    assert process.returncode == 130
    assert "interrupted" in err
    assert "of 400 runs are kept" in err
    assert not (directory / "here" / "index.html").exists()
    deadline = time.monotonic() + 30
    while processes_of_session(process.pid):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def processes_of_session(session: int) -> list[str]:
    """Return the processes of a session that still run."""
    listed = subprocess.run(
        ["ps", "-o", "stat=,pid=,args=", "-s", str(session)],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    return [line for line in listed.splitlines() if not line.startswith("Z")]
