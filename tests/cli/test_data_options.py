"""Options of data: every command with a dataset takes them, and says what is wrong."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from faults.repositories import Repositories, standing_in
from typer.testing import CliRunner

from gnbbench.cli.app import app
from gnbbench.studies.configuration import configuration
from gnbbench.studies.options import Source
from gnbbench.studies.plan import dataset_of

# The libraries leave answers open that broke off.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

COMMANDS = (
    ("compare",),
    ("sweep-split",),
    ("explain", "--against", "numpy"),
    ("assumptions",),
)
ROWS = "".join(f"{'FM'[i % 2]},{i % 7}.5,{5 + i % 11}\n" for i in range(40))


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a directory that holds one file."""
    work = tmp_path / "work"
    work.mkdir()
    (work / "data.csv").write_text("sex,size,G3\n" + ROWS)
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def repositories(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Repositories]:
    with standing_in(monkeypatch, directory.parent / "cache") as server:
        yield server


def call(*arguments: str) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr of one call."""
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["openml:toy", "--offline"], "openml:toy: there is no copy in"),
        (["openml:toy"], "www.openml.org answered with an error (500"),
        (["uci:320"], "archive.ics.uci.edu answered with an error (500"),
        (["uci:iris"], "asked for by number"),
        (["openml:a b"], "can be called so"),
        (["data.csv", "--target", "G3>=10"], "--one-hot; or leave out: --drop sex"),
        (["data.csv", "--target", "G3=10"], "'=' at character 3. Write ==."),
        (["data.csv", "--target", "G4>=10"], "Did you mean 'G3'?"),
        (["iris", "--one-hot"], "--one-hot: it does not apply to the dataset 'iris'"),
    ],
)
def test_bad_data_get_one_line_and_nothing_is_written(
    repositories: Repositories, command: tuple[str, ...], given: list[str], words: str
) -> None:
    repositories.fault = lambda _path: "500"

    code, out, err = call(command[0], *given, *command[1:])

    assert (code, out) == (2, "")
    assert words in err
    assert err.startswith("gnbbench: ")
    assert err.count("\n") == 1
    assert [path.name for path in Path().iterdir()] == ["data.csv"]
    assert not Path("../cache").exists()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_text_and_comparisons_are_taken(directory: Path, command: tuple[str, ...]) -> None:
    """The data serve: what is refused is the seed, which is looked at after them."""
    given = ["data.csv", "--target", "G3>=10", "--one-hot", "--seed", "-1"]

    code, _, err = call(command[0], *given, *command[1:])

    assert directory.is_dir()
    assert code == 2
    assert "--seed" in err


OF_TOY = ["--target", "G3>=10", "--one-hot", "--missing", "drop", "--test-size", "0.5"]


@pytest.mark.parametrize(
    ("source", "number"), [("openml:toy", "openml:9001"), ("uci:320", "uci:320")]
)
def test_a_file_names_what_was_fetched_by_number(
    repositories: Repositories, source: str, number: str
) -> None:
    code, text, err = call("compare", source, *OF_TOY, "--print-config")

    assert (code, err) == (0, "")
    assert f'name = "{number}"' in text
    assert 'target = "G3>=10"' in text
    assert "one_hot = true" in text
    found = configuration(text).datasets[0]
    assert dataset_of(Source(**found, offline=True)).name
    assert repositories.asked


@pytest.mark.slow
def test_what_was_fetched_is_run_from_a_file_without_a_network(
    repositories: Repositories, directory: Path
) -> None:
    _, text, _ = call("compare", "openml:toy", *OF_TOY, "--runs", "2", "--print-config")
    asked = len(repositories.asked)
    (directory / "again.toml").write_text(text)
    code, out, _ = call("run", "again.toml", "--offline", "--json")
    assert code == 0
    assert all(part in out for part in ('"openml:9001"', '"G3 < 10"', '"sex=F"'))
    assert len(repositories.asked) == asked


def test_several_datasets_of_a_file_heed_offline(
    repositories: Repositories, directory: Path
) -> None:
    tables = '[[dataset]]\nname = "iris"\n[[dataset]]\nname = "openml:toy"\n'
    (directory / "two.toml").write_text(f'study = "compare"\n{tables}')

    code, _, err = call("run", "two.toml", "--offline")

    assert (code, repositories.asked) == (2, [])
    assert "openml:toy: there is no copy" in err
