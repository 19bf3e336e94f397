"""Options of data: every command with a dataset takes them, and says what is wrong."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from faults.repositories import Repositories, standing_in
from reading.commands import assert_refused, call

from gnbbench.studies.configuration import configuration
from gnbbench.studies.options import DataSource
from gnbbench.studies.plan import dataset_of

# The libraries leave answers open that broke off.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

COMMANDS = (
    ("compare",),
    ("sweep-split",),
    ("explain", "--against", "numpy"),
    ("assumptions",),
)


@pytest.fixture
def repositories(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Repositories]:
    with standing_in(monkeypatch, directory.parent / "cache") as server:
        yield server


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["openml:toy", "--offline"], "openml:toy: there is no copy in"),
        (["openml:toy"], "www.openml.org answered with an error (500"),
        (["uci:320"], "archive.ics.uci.edu answered with an error (500"),
    ],
)
def test_failed_downloads_are_one_line_errors(
    repositories: Repositories,
    directory: Path,
    command: tuple[str, ...],
    given: list[str],
    words: str,
) -> None:
    repositories.fault = lambda _path: "500"

    assert_refused([command[0], *given, *command[1:]], words, directory.parent)


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
    assert dataset_of(DataSource(**found, offline=True)).name
    assert repositories.asked


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_downloads_are_run_from_a_file_offline(
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
