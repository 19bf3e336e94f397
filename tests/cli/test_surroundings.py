"""Commands in odd surroundings, each in a process of its own: one line or the report."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from faults.commands import start

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]

RUNS = ("--runs", "4", "--budget", "10ms")
COMPARE = ["compare", "a.csv", "--target", "y", "--out", "o", "--allow-failures", "--quiet"]
EQUAL = "a,b,y\n" + "1,1,x\n1,1,y\n" * 30
HUGE = "a,b,y\n" + "1e308,-1e308,x\n1e-320,1e300,y\n" * 30


def ended(
    here: Path,
    *words: str,
    stdout: int = subprocess.PIPE,
    environment: Mapping[str, str] | None = None,
) -> tuple[int, str]:
    """Return exit code and stderr of a command."""
    done = subprocess.run(
        [sys.executable, "-m", "gnbbench", *words],
        cwd=here,
        env={**os.environ, **(environment or {})},
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("more", [RUNS, ("--stream",)], ids=["runs", "stream"])
def test_warnings_of_libraries_are_not_on_the_terminal(
    more: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_text(HUGE)

    assert start(tmp_path, *COMPARE, *more, drawn=True).end() == (0, "")
    assert (tmp_path / "o" / "index.html").exists()


def test_a_terminal_of_ascii_and_a_backend_that_is_none_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(EQUAL)
    odd = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "MPLBACKEND": "nonsense"}
    nowhere = "/dev/null/none"  # Where no program may keep its settings
    odd |= dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"), nowhere)

    assert ended(tmp_path, *COMPARE[:-1], *RUNS, environment=odd) == (0, "")


@pytest.mark.parametrize("closed", [">&-", "<&- >&- 2>&-"])
def test_closed_streams_do_no_harm_beside_third_party_code(
    closed: str, tmp_path: Path
) -> None:
    shutil.copy(ROOT / "docs" / "my_gnb.py", tmp_path)
    study = "conformance my_gnb.py:MyGNB --only tie-first-class"
    if closed.count("&") == 3:
        study = f"compare iris {' '.join(RUNS)} --processes 1 --against my_gnb.py:MyGNB"
    command = f"{sys.executable} -m gnbbench {study} --out o --quiet {closed}"

    done = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
    summary = (tmp_path / "o" / "summary.json").read_text()
    assert re.search('"n_passed": 1,|"predictions": 180,', summary)


def test_signs_that_an_encoding_lacks_are_written_alike() -> None:
    text = "−3\xa0× 10⁻¹⁶ – 10⁶ µs ≈ ü ☃"

    assert text.encode("ascii", "alike") == b"-3 x 10^-16 - 10^6 us ~ u ?"
    assert text.encode("latin-1", "alike").startswith(
        b"-3\xa0\xd7 10^-\xb96 - 10^6 \xb5s ~ \xfc"
    )


def test_closing_the_pipe_is_not_a_failed_gate(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)

    outcome = ended(tmp_path, "list", "datasets", stdout=writing)
    os.close(writing)

    assert outcome == (0, "")


def test_a_terminal_without_columns_shows_tables(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "gnbbench", "conformance", "--list"]
    environment = {**os.environ, "COLUMNS": "0"}
    shown = subprocess.check_output(words, env=environment, cwd=tmp_path, text=True)

    assert "tie-first-class" in shown


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_output_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        outcome = ended(tmp_path, "list", "datasets", stdout=full.fileno())

    assert outcome == (2, "gnbbench: the output cannot be written (the disk is full).\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(("words", "code"), [("list nothing", 2), ("list datasets", 0)])
def test_unwritable_remarks_change_no_code(words: str, code: int, tmp_path: Path) -> None:
    """Python by itself would end with 120."""
    command = ["sh", "-c", f"{sys.executable} -m gnbbench {words} 2> /dev/full"]
    end = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)

    assert (end.returncode, end.stdout[:6]) == (code, b"" if code else b"iris  ")


# Exception -> message; other exceptions are reraised.
LACKING = {
    "MemoryError": "there is not enough memory.",
    "ImportError('a.so: failed to map segment from shared object')": "there is not enough "
    "memory.",
    "OSError(errno.EMFILE, '')": "the system refuses more (Too many open files).",
    "OSError(errno.ENAMETOOLONG, '', 'x' * 300)": "the name of a file is too long "
    f"({'x' * 60}…).",
    "FileNotFoundError(errno.ENOENT, '')": "the current directory was removed.",
    "FileNotFoundError(errno.ENOENT, '', 'x')": "",
    "OSError(errno.EFBIG, '')": "the output cannot be written (File too large).",
    "OSError(errno.ENOSPC, '')": "the output cannot be written (the disk is full).",
    "ImportError('no a.so')": "",
    "OSError(errno.EIO, '')": "",
}
RAISING = """
import errno, sys
from gnbbench.cli.exits import any_surroundings
try:
    with any_surroundings():
        raise {}
except SystemExit as end:
    print(end.code, file=sys.stderr)
except Exception as error:
    print(type(error).__name__, file=sys.stderr)
"""


def test_missing_system_features_are_one_line_errors(tmp_path: Path) -> None:
    code = "".join(RAISING.format(raised) for raised in LACKING)
    expected = [
        line
        for raised, words in LACKING.items()
        for line in ([f"gnbbench: {words}", "2"] if words else [raised.partition("(")[0]])
    ]

    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)

    assert done.stderr.splitlines() == expected
