"""The command ``sweep-split``: what it says, leaves behind and refuses."""

import json
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from gnbbench.cli.app import app
from gnbbench.errors import OptionError
from gnbbench.studies.option import fractions_of

RUNNER = CliRunner()


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*arguments: str) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr of one call."""
    result = RUNNER.invoke(app, arguments)
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize(
    ("text", "fractions"),
    [
        ("0.1:0.9:0.1", (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)),
        ("0.05:0.5:0.15", (0.05, 0.2, 0.35, 0.5)),
        ("0.5", (0.5,)),
        (" 0.25, 0.5 ", (0.25, 0.5)),
        ("0.9:0.1:0.1", ()),
    ],
)
def test_fractions_are_the_decimals_a_user_means(
    text: str, fractions: tuple[float, ...]
) -> None:
    assert fractions_of(text) == fractions


@pytest.mark.parametrize(
    "text", ["", "a", "0.1:0.9", "0.1:0.9:0", "0.1:0.9:-0.1", "0.1,0.2:0.3", "0.1;0.2"]
)
def test_fractions_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(OptionError, match="--train-fractions"):
        fractions_of(text)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--train-fractions", "0.5,0.4"], "ascending order"),
        (["--train-fractions", "0.9:0.1:0.1"], "at least one share"),
        (["--train-fractions", "0:1:0.5"], "--train-fractions: 0.0 is out of range"),
        (["--train-fractions", "0.001"], "there is no split at any of them"),
        (["--runs", "0"], "--runs: 0 is out of range"),
        (["--dask", "nonsense://x"], "--dask: no scheduler answers"),
    ],
)
def test_what_cannot_be_used_exits_2(
    arguments: list[str], words: str, directory: Path
) -> None:
    code, out, err = call("sweep-split", "iris", "--out", "here", *arguments)

    assert (code, out) == (2, "")
    assert words in err
    assert len(err.strip().splitlines()) == 1
    assert not (directory / "here" / "index.html").exists()


@pytest.mark.slow
def test_a_sweep_leaves_a_report_and_one_row_per_fraction_run_and_implementation(
    directory: Path,
) -> None:
    arguments = ["sweep-split", "iris", "--runs", "3", "--train-fractions", "0.3,0.6"]

    code, out, err = call(*arguments)

    assert (code, err) == (0, "")
    assert "Identical: all 6 runs match entirely." in " ".join(out.split())
    assert max(len(line) for line in out.splitlines()[:-1]) <= 80
    page = directory / out.strip().splitlines()[-1].removeprefix("Report: ")
    assert page.is_file()
    assert len(pd.read_csv(page.parent / "runs.csv")) == 12


@pytest.mark.slow
def test_json_tells_the_headline_table() -> None:
    code, out, _ = call(
        *["sweep-split", "wine", "--runs", "5", "--train-fractions", "0.1,0.5"],
        *["--against", "density-product", "--json"],
    )

    summary = json.loads(out)
    (row,) = [r for r in summary["overall"] if r["implementation"] == "density-product"]
    assert code == 0
    assert row["runs"] == 10
    assert row["exact_runs"] < 10


@pytest.mark.slow
def test_the_same_command_again_changes_no_record(directory: Path) -> None:
    arguments = ["sweep-split", "iris", "--runs", "3", "--train-fractions", "0.3,0.6"]
    arguments += ["--out", "here"]
    call(*arguments)
    before = (directory / "here" / "runs.csv").read_bytes()

    assert call(*arguments)[0] == 0

    assert (directory / "here" / "runs.csv").read_bytes() == before


@pytest.mark.slow
def test_the_gate_fails_where_labels_differ() -> None:
    code, _, err = call(
        *["sweep-split", "wine", "--runs", "5", "--train-fractions", "0.1"],
        *["--against", "density-product", "--fail-if-disagreement"],
    )

    assert code == 1
    assert "gate failed" in err
