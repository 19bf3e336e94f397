"""``gnbbench assumptions``: what each call exits with, prints and leaves behind."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnbbench.cli.app import app

pytestmark = pytest.mark.slow

GOOD = "a,b,kind\n" + "\n".join(f"{i % 7}.5,{i * i % 11},{'xy'[i % 2]}" for i in range(40))


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty directory that holds one good file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.csv").write_text(GOOD)
    return tmp_path


def call(*arguments: str) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr of one call."""
    result = CliRunner().invoke(app, ["assumptions", *arguments])
    return result.exit_code, result.stdout, result.stderr


# (arguments, words on stderr)
REFUSED = [
    (["irsi"], "Did you mean 'iris'?"),
    (["iris", "--runs", "0"], "--runs: 0 is out of range"),
    (["iris", "--runs", "many"], "Invalid value for '--runs'"),
    (["iris", "--test-size", "1.5"], "--test-size: 1.5 is out of range"),
    (["iris", "--test-size", "0.001"], "--test-size"),
    (["iris", "--seed", "-1"], "--seed: -1 is out of range"),
    (["iris", "--correlation", "kendall"], "Give pearson or spearman."),
    (["missing.csv", "--target", "y"], "missing.csv"),
    (["good.csv", "--target", "kin"], "kind"),
    ([], "Missing argument"),
    (["iris", "--unknown"], "No such option"),
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


def test_an_examination_says_its_verdicts_and_where_the_report_lies(
    directory: Path,
) -> None:
    code, out, err = call("iris", "--runs", "2")

    assert code == 0
    assert err == ""
    assert out.splitlines()[1].startswith("Naive: strongly broken in 3 of 3 classes")
    assert max(len(line) for line in out.splitlines()[:-1]) <= 80
    page = directory / out.strip().splitlines()[-1].removeprefix("Report: ")
    assert page.is_file()
    assert page.parent.parent == directory / "reports"
    assert page.parent.name.startswith("assumptions-iris-")


def test_json_is_all_that_stdout_gets(directory: Path) -> None:
    code, out, _ = call("iris", "--runs", "1", "--json", "--out", "here")

    assert code == 0
    assert json.loads(out)["schema"] == "gnbbench assumptions"
    assert out == (directory / "here" / "summary.json").read_text()


@pytest.mark.usefixtures("directory")
def test_another_plan_in_the_same_directory_is_refused_unless_it_may_overwrite() -> None:
    call("iris", "--runs", "1", "--out", "here")

    code, _, err = call("iris", "--runs", "2", "--out", "here")

    assert code == 2
    assert "another plan" in err
    assert call("iris", "--runs", "2", "--out", "here", "--overwrite")[0] == 0


@pytest.mark.usefixtures("directory")
def test_a_file_is_examined() -> None:
    code, out, _ = call("good.csv", "--target", "kind", "--runs", "2")

    assert code == 0
    assert "good" in out.splitlines()[0]


def test_an_interruption_says_that_nothing_is_kept(
    monkeypatch: pytest.MonkeyPatch, directory: Path
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gnbbench.studies.assumptions.examine", interrupted)

    code, out, err = call("iris", "--out", "here")

    assert (code, out) == (130, "")
    assert "interrupted; nothing is kept of an examination" in err
    assert not (directory / "here" / "index.html").exists()


def test_a_file_that_was_printed_repeats_the_study(directory: Path) -> None:
    given = ("iris", "--runs", "2", "--correlation", "spearman")
    (directory / "a.toml").write_text(call(*given, "--print-config")[1])

    found = CliRunner().invoke(app, ["run", "a.toml", "--json"])

    plan = json.loads(found.stdout)["plan"]
    assert (plan["runs"], plan["correlation"]) == (2, "spearman")
    assert call(*given, "--quiet")[1].startswith("reports/assumptions-iris-")
    assert len(list((directory / "reports").iterdir())) == 1


def test_help_has_an_example() -> None:
    assert "Example: gnbbench assumptions wine" in call("--help")[1]
