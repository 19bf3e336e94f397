"""``gnbbench report``: redrawn from the records, which stay unchanged."""

import shutil
import subprocess
from collections.abc import Iterator
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


@pytest.fixture
def read_only(study: Path, tmp_path: Path) -> Iterator[Path]:
    """Give the study on a file system that takes no write."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=10m", "none", str(place)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("needs root and mount: to root, no directory is read-only otherwise")
    shutil.copytree(study, place / "here")
    subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
    yield place / "here"
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_from_a_read_only_disk_it_is_drawn_elsewhere(
    read_only: Path, tmp_path: Path
) -> None:
    refused = call("report", read_only)
    drawn = call("report", read_only, "--out", tmp_path / "new", "-q")

    assert refused[0] == 2
    assert "Use another --out" in refused[2]
    assert drawn[0] == 0
    summary = (tmp_path / "new" / "summary.json").read_bytes()
    assert summary == (read_only / "summary.json").read_bytes()
