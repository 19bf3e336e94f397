"""``gnbbench list``: names, the command for what is missing, and the studies there are."""

import json
import os
from importlib.metadata import version
from pathlib import Path

import pytest
from reading.commands import call

from gnbbench.data.catalogue import DATASETS
from gnbbench.errors import install_command
from gnbbench.implementations import Implementation
from gnbbench.implementations.catalogue import IMPLEMENTATIONS, Library


def lines(kind: str) -> list[str]:
    """Return what is listed of one kind."""
    code, out, _ = call("list", kind)
    assert code == 0
    listed: list[str] = out.splitlines()
    return listed


def test_every_dataset_has_a_line() -> None:
    listed = lines("datasets")

    fetched = ["openml:NAME", "uci:NUMBER"]
    names = [line.split()[0] for line in listed]
    assert names == [*(entry.name for entry in DATASETS), *fetched, "FILE"]
    assert listed[-1].split(maxsplit=1)[1] == (
        "CSV or TSV with --target COLUMN; Parquet, .npy: compare --stream"
    )
    assert len(listed[-1]) <= 80


def test_every_implementation_has_a_line_with_its_version() -> None:
    listed = [line for line in lines("implementations") if not line.startswith(" ")]

    assert [line.split()[0] for line in listed] == [entry.name for entry in IMPLEMENTATIONS]
    versions = {line.split()[0]: line.split()[1] for line in listed}
    assert versions["sklearn"] == version("scikit-learn")
    assert versions["numpy"] == version("gnbbench")


def test_a_missing_library_is_reported_with_the_install_command(
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
        f"        {'':<{width}}  " + install_command("no-such-distribution"),
    ]


QUICK = ("--runs", "2", "--budget", "50ms", "--quiet")
INDEX = Path("reports/index.html")


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty directory."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("empty", "undrawn")
def test_studies_are_listed_newest_first_and_on_a_page() -> None:
    for words in (("iris", "--seed", "1"), ("iris", "wine"), ("wine", "--out", "mine")):
        assert call("compare", *words, *QUICK)[0] == 0
    older, newer = sorted(Path("reports").glob("*/summary.json"), key=os.path.getmtime)
    os.utime(older, (1_000_000_000, 1_000_000_000))

    code, out, err = call("list", "studies", "--json")

    assert (code, err) == (0, "")
    listed = json.loads(out)
    assert [study["path"] for study in listed] == [str(newer.parent), str(older.parent)]
    assert [study["dataset"] for study in listed] == ["iris, wine", "iris"]
    assert listed[1]["date"].startswith("2001-09-")
    assert listed[1]["verdict"] == json.loads(older.read_text())["headline"]
    page = INDEX.read_text()
    assert f'href="{newer.parent.name}/index.html"' in page
    assert "mine/" not in page
    assert ">whole<" not in page
    lines = call("list", "studies")[1].splitlines()
    assert lines[1:3] == [f"  {listed[0]['verdict']}", f"  {listed[0]['path']}"]


@pytest.mark.slow
@pytest.mark.usefixtures("empty", "undrawn")
def test_a_page_of_somebody_else_stays() -> None:
    INDEX.parent.mkdir()
    INDEX.write_text("mine")

    assert call("compare", "iris", *QUICK)[0] == 0

    assert INDEX.read_text() == "mine"


@pytest.mark.usefixtures("empty")
def test_without_studies_a_first_command_is_named() -> None:
    words = "No studies in reports. Start with: gnbbench compare iris\n"
    assert call("list", "studies") == (0, words, "")
    assert call("list", "studies", "--json") == (0, "[]\n", "")


@pytest.mark.usefixtures("empty")
def test_a_locked_folder_or_study_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("free", "locked"):
        path = Path("reports", name, "summary.json")
        path.parent.mkdir(parents=True)
        path.write_text('{"schema": "gnbbench compare", "headline": "Identical."}')

    def denied(path: Path) -> object:
        if path.parent.name == "locked":
            raise PermissionError(13, "Permission denied")
        return json.loads(path.read_text())

    monkeypatch.setattr("gnbbench.studies.reports.json_of", denied)
    code, out, _ = call("list", "studies")

    assert (code, out.splitlines()[1]) == (0, "  Identical.")
    assert out.splitlines()[-3:] == [
        "unreadable",
        "  cannot be read (Permission denied)",
        f"  {Path('reports', 'locked')}",
    ]
    Path("reports").rename("elsewhere")
    Path("reports").touch()
    assert call("list", "studies") == (
        *(2, ""),
        "gnbbench: reports: it cannot be read (Not a directory). Check the path and its "
        "permissions.\n",
    )


def test_without_words_the_help_is_shown() -> None:
    code, out, err = call()

    assert (code, out) == (2, "")
    assert "Start with: gnbbench compare iris --runs 1000" in err.splitlines()[-1]
