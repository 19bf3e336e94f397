"""``gnbbench run``: a file and the command it stands for give the same study."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from gnbbench.cli.app import app as whole

pytestmark = pytest.mark.slow

CONFIG = """study = "compare"
[dataset]
name = "iris"
[options]
runs = 3
"""


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a directory that holds a configuration and nothing else."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.toml").write_text(CONFIG)
    return tmp_path


def call(*arguments: str, app: typer.Typer = whole) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr of one call."""
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.slow
def test_a_file_and_the_command_share_directory_and_records(directory: Path) -> None:
    code, out, _ = call("run", "a.toml", "--quiet")
    records = (directory / out.strip()).with_name("runs.csv").read_bytes()
    again = call("compare", "iris", "--runs", "3", "--quiet", app=whole)

    assert code == 0
    assert out.startswith("reports/compare-iris-")
    assert again[1] == out
    assert (directory / out.strip()).with_name("runs.csv").read_bytes() == records


@pytest.mark.slow
def test_a_sweep_is_run(directory: Path) -> None:
    text = CONFIG.replace("compare", "sweep-split") + "train_fractions = [0.5, 0.8]\n"
    (directory / "a.toml").write_text(text)

    code, out, _ = call("run", "a.toml", "--out", "here", "--json")

    assert code == 0
    assert json.loads(out)["plan"]["train_fractions"] == [0.5, 0.8]


@pytest.mark.slow
def test_a_file_of_samples_lies_beside_the_file_that_names_it(directory: Path) -> None:
    (directory / "deep").mkdir()
    rows = "\n".join(f"{i % 7}.5,{i * i % 11},{'xy'[i % 2]}" for i in range(40))
    (directory / "deep" / "good.csv").write_text(f"a,b,kind\n{rows}")
    text = CONFIG.replace('name = "iris"', 'path = "good.csv"\ntarget = "kind"')
    (directory / "deep" / "b.toml").write_text(text)

    code, out, _ = call("run", "deep/b.toml", "--json")

    assert code == 0
    assert json.loads(out)["dataset"]["name"] == "good"


@pytest.mark.slow
def test_the_gate_and_overwriting_are_compare_s(directory: Path) -> None:
    call("run", "a.toml", "--out", "here", "-q")
    # Uniform priors against those of unequal classes.
    text = CONFIG.replace("iris", "breast_cancer") + 'against = ["study-c"]\n'
    (directory / "a.toml").write_text(text)

    refused = call("run", "a.toml", "--out", "here", "-q")
    replaced = call(
        "run", "a.toml", "--out", "here", "-q", "--overwrite", "--fail-if-disagreement"
    )

    assert refused[0] == 2
    assert "another plan" in refused[2]
    assert replaced[0] == 1
    assert "gate failed" in replaced[2]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("runs", "rnus", "a.toml, line 5: unknown key 'rnus' in [options]. Did you mean"),
        ("runs = 3", "runs = '3'", "a.toml, line 5: 'runs' is text."),
        ("runs = 3", "runs = 0", "--runs: 0 is out of range"),
        ("runs = 3", "processes = 0", "--processes: 0 is less than 1"),
        ("runs = 3", "precision = '1%'", "a.toml, line 5: 'precision' is text."),
        ("runs = 3", "precision = 1", "--precision: 100 % is out of range"),
        ("runs = 3", 'regime = "hot"', "Give warm or interleaved."),
        ("runs = 3", "runs = ", "a.toml: it is not TOML"),
        ('name = "iris"', 'path = "iris.csv"', "iris.csv"),
        ('name = "iris"', 'name = "iris"\ntarget = "x"', "--target"),
        ("runs = 3", 'against = ["nunpy"]', "Did you mean 'numpy'?"),
        ("runs = 3", "against = []", "against"),
    ],
)
def test_a_mistake_exits_2_with_one_line_and_writes_nothing(
    old: str, new: str, words: str, directory: Path
) -> None:
    (directory / "a.toml").write_text(CONFIG.replace(old, new))

    code, out, err = call("run", "a.toml")

    assert code == 2
    assert words in err
    assert len(err.splitlines()) == 1
    assert out == ""
    assert [path.name for path in directory.iterdir()] == ["a.toml"]


@pytest.mark.usefixtures("directory")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.toml"], "missing.toml: it cannot be read"),
        (["."], "cannot be read"),
        (["a.toml", "--jobs", "0"], "--jobs: 0 is less than 1"),
        ([], "Missing argument"),
    ],
)
def test_a_call_that_cannot_be_exits_2(arguments: list[str], words: str) -> None:
    code, _, err = call("run", *arguments)

    assert code == 2
    assert words in err
