"""Studies of the default folder are listed, on a page of their own too."""

import json
import os
from pathlib import Path

import pytest
from reading.commands import call

pytestmark = pytest.mark.slow

QUICK = ("--runs", "2", "--budget", "50ms", "--quiet")
INDEX = Path("reports/index.html")


@pytest.fixture(autouse=True)
def _empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


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
    lines = call("list", "studies")[1].splitlines()
    assert lines[1:3] == [f"  {listed[0]['verdict']}", f"  {listed[0]['path']}"]


def test_a_page_of_somebody_else_stays() -> None:
    INDEX.parent.mkdir()
    INDEX.write_text("mine")

    assert call("compare", "iris", *QUICK)[0] == 0

    assert INDEX.read_text() == "mine"


def test_without_studies_a_first_command_is_named() -> None:
    assert call("list", "studies") == (
        *(0, "No studies in reports. Start with: gnbbench compare iris\n"),
        "",
    )
    assert call("list", "studies", "--json") == (0, "[]\n", "")


def test_other_lists_have_no_json() -> None:
    code, _, err = call("list", "datasets", "--json")

    assert (code, err) == (
        2,
        "gnbbench: --json: there is no JSON of datasets. Leave it out.\n",
    )
