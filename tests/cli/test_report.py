"""``gnbbench report``: redrawn from the records, which stay unchanged."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from reading.commands import assert_refused, call, files

import gnbbench

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the results directory of a small study."""
    out = tmp_path_factory.mktemp("study") / "here"
    gnbbench.compare("iris", runs=3, out=out, budget_seconds=0.05)
    return out


def test_elsewhere_the_records_go_along(study: Path, tmp_path: Path) -> None:
    assert call("report", study, "--out", tmp_path / "new", "-q")[0] == 0

    assert files(tmp_path / "new").keys() == files(study).keys()
    assert call("report", tmp_path / "new", "-q")[0] == 0


def test_undrawable_studies_exit_2_with_one_line(study: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(study, damaged)
    (damaged / "runs.sqlite").write_bytes((study / "runs.sqlite").read_bytes()[:9000])
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("mine")

    for words, remark in (
        ([damaged], "damaged or edited"),
        ([study, "--out", tmp_path / "site"], "it holds index.html"),
        ([study, "--out", damaged], "the records of something else"),
    ):
        assert_refused(["report", *words], remark, tmp_path)


def test_from_a_read_only_disk_it_is_drawn_elsewhere(
    study: Path, disk: tuple[Path, Callable[[str], None]], tmp_path: Path
) -> None:
    place, change = disk
    shutil.copytree(study, place / "here")
    change("ro")
    refused = call("report", place / "here")
    drawn = call("report", place / "here", "--out", tmp_path / "new", "-q")

    assert refused[0] == 2
    assert "Use another --out" in refused[2]
    assert drawn[0] == 0
    summary = (tmp_path / "new" / "summary.json").read_bytes()
    assert summary == (place / "here" / "summary.json").read_bytes()
