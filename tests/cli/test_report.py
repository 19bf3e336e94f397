"""``gnbbench report``: drawn again from the records, which stay as they are."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import gnbbench
from gnbbench.cli.app import app

pytestmark = pytest.mark.slow

FILES = {
    *("index.html", "summary.json", "runs.csv", "runs.sqlite"),
    *("timings.pyperf.json", "figures"),
}


def call(*arguments: object) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr of one call."""
    result = CliRunner().invoke(app, ["report", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the results directory of a small study."""
    out = tmp_path_factory.mktemp("study") / "here"
    gnbbench.compare("iris", runs=3, out=out, budget_seconds=0.05)
    return out


@pytest.mark.slow
def test_a_lost_report_is_drawn_again(study: Path, tmp_path: Path) -> None:
    shutil.copytree(study, tmp_path / "here")
    for name in ("index.html", "summary.json", "runs.csv"):
        (tmp_path / "here" / name).unlink()
    shutil.rmtree(tmp_path / "here" / "figures")

    code, out, err = call(tmp_path / "here", "--quiet")

    assert (code, err) == (0, "")
    assert out.strip() == str(tmp_path / "here" / "index.html")
    assert {path.name for path in (tmp_path / "here").iterdir()} == FILES
    for name in ("index.html", "summary.json", "runs.csv", "runs.sqlite"):
        assert (tmp_path / "here" / name).read_bytes() == (study / name).read_bytes()


@pytest.mark.slow
def test_elsewhere_the_records_go_along(study: Path, tmp_path: Path) -> None:
    assert call(study, "--out", tmp_path / "new", "-q")[0] == 0

    assert {path.name for path in (tmp_path / "new").iterdir()} == FILES
    assert call(tmp_path / "new", "-q")[0] == 0


@pytest.mark.slow
def test_the_table_and_the_path_are_shown(study: Path) -> None:
    code, out, _ = call(study)

    assert code == 0
    assert out.startswith("iris · 3 runs")
    assert out.strip().splitlines()[-1].startswith("Report: ")


@pytest.mark.slow
def test_json_is_the_summary(study: Path) -> None:
    assert call(study, "--json")[1] == (study / "summary.json").read_text()


def test_what_cannot_be_drawn_exits_2_with_one_line(study: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(study, damaged)
    (damaged / "runs.sqlite").write_bytes((study / "runs.sqlite").read_bytes()[:9000])
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("mine")

    for arguments, words in (
        ([tmp_path / "nothing"], "it holds no runs.sqlite"),
        ([damaged], "it is damaged"),
        ([study, "--out", site], "it holds index.html"),
        ([study, "--out", damaged], "another study"),
    ):
        code, out, err = call(*arguments)

        assert (code, out) == (2, "")
        assert words in err
        assert len(err.splitlines()) == 1
    assert (site / "index.html").read_text() == "mine"


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


@pytest.mark.slow
def test_from_a_read_only_disk_it_is_drawn_elsewhere(
    read_only: Path, tmp_path: Path
) -> None:
    refused = call(read_only)
    drawn = call(read_only, "--out", tmp_path / "new", "-q")

    assert refused[0] == 2
    assert "Choose another directory with --out" in refused[2]
    assert drawn[0] == 0
    summary = (tmp_path / "new" / "summary.json").read_bytes()
    assert summary == (read_only / "summary.json").read_bytes()
