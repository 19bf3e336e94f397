"""Commands in odd surroundings, each in a process of its own: one line or the report."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

RUNS = ("--runs", "4", "--budget", "10ms")
COMPARE = (
    *("compare", "a.csv", "--target", "y", "--out", "o", "--allow-failures"),
    "--quiet",
)
EQUAL = "a,b,y\n" + "1,1,x\n1,1,y\n" * 30
HUGE = "a,b,y\n" + "1e308,-1e308,x\n1e-320,1e300,y\n" * 30


def ended(
    here: Path,
    *words: str,
    stdout: int = subprocess.PIPE,
    environment: Mapping[str, str] | None = None,
) -> tuple[int, str]:
    """Return exit code and stderr of a command."""
    found = subprocess.run(
        [sys.executable, "-m", "gnbbench", *words],
        cwd=here,
        env={**os.environ, **(environment or {})},
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    return found.returncode, found.stderr


@pytest.mark.parametrize("more", [RUNS, ("--stream",)], ids=["runs", "stream"])
def test_what_libraries_warn_of_is_not_on_the_terminal(
    more: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_text(HUGE)

    assert ended(tmp_path, *COMPARE, *more) == (0, "")
    assert (tmp_path / "o" / "index.html").exists()


def test_a_terminal_of_ascii_and_a_backend_that_is_none_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(EQUAL)
    odd = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "MPLBACKEND": "nonsense"}
    nowhere = "/dev/null/none"  # Where no program may keep its settings
    odd |= dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"), nowhere)

    assert ended(tmp_path, *COMPARE[:-1], *RUNS, environment=odd) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_output_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    full = os.open("/dev/full", os.O_WRONLY)

    found = ended(tmp_path, "list", "datasets", stdout=full)
    os.close(full)

    assert found == (2, "gnbbench: the output cannot be written (the disk is full).\n")
