"""``gnbbench list``: a line for each name, and the command for what is missing."""

from importlib.metadata import version

import pytest
from typer.testing import CliRunner

from gnbbench.cli.app import app
from gnbbench.data.catalogue import DATASETS
from gnbbench.errors import install_command
from gnbbench.implementations import Implementation
from gnbbench.implementations.catalogue import IMPLEMENTATIONS, Library


def lines(kind: str) -> list[str]:
    """Return what is listed of one kind."""
    result = CliRunner().invoke(app, ["list", kind])
    assert result.exit_code == 0
    return result.stdout.splitlines()


def test_every_dataset_has_a_line() -> None:
    names = [line.split()[0] for line in lines("datasets")]

    fetched = ["openml:NAME", "uci:NUMBER"]
    assert names == [*(entry.name for entry in DATASETS), *fetched, "FILE"]


def test_every_implementation_has_a_line_with_its_version() -> None:
    listed = [line for line in lines("implementations") if not line.startswith(" ")]

    assert [line.split()[0] for line in listed] == [entry.name for entry in IMPLEMENTATIONS]
    told = {line.split()[0]: line.split()[1] for line in listed}
    assert told["sklearn"] == version("scikit-learn")
    assert told["numpy"] == version("gnbbench")


def test_a_missing_library_is_told_with_its_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there = Library("there", "builtins:object", "one that is there", "numpy")
    absent = Library("absent", "", "one that is not", "no-such-distribution", "gone")
    monkeypatch.setattr(
        "gnbbench.implementations.catalogue.IMPLEMENTATIONS",
        [Implementation(one.name, one, one.description) for one in (there, absent)],
    )

    listed = lines("implementations")

    width = max(len(version("numpy")), len("not installed"))
    assert listed == [
        f"there   {version('numpy'):<{width}}  one that is there",
        f"absent  {'not installed':<{width}}  one that is not",
        f"        {'':<{width}}  " + install_command("gone"),
    ]


def test_an_unknown_kind_is_refused() -> None:
    result = CliRunner().invoke(app, ["list", "colours"])

    assert result.exit_code == 2
    assert result.stderr == (
        "gnbbench: list: there is no list of 'colours'. "
        "Give datasets, implementations or studies.\n"
    )


def test_files_are_told_with_what_reads_them() -> None:
    (line,) = [line for line in lines("datasets") if line.startswith("FILE")]

    assert "CSV or TSV with --target" in line
    assert "Parquet, .npy: compare --stream" in line
    assert len(line) <= 80
