"""Completion: each shell is told the names and values that can be typed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SHELLS = ("bash", "zsh", "fish")


def ran(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Return what the command line does in a process of its own."""
    code = "import sys; sys.argv[0] = 'gnbbench'; from gnbbench.cli import main; main()"
    given = {**os.environ, **variables}
    call = [sys.executable, "-c", code, *words]
    return subprocess.run(call, env=given, capture_output=True, text=True, check=False)


def offered(line: str) -> set[str]:
    """Return what bash offers for the last word of a line."""
    words = line.split(" ")
    ended = ran(
        _GNBBENCH_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1)
    )
    assert ended.stderr == ""
    return set(ended.stdout.split())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("gnbbench comp", {"compare"}),
        ("gnbbench compare ir", {"iris"}),
        ("gnbbench compare iris w", {"wine"}),
        ("gnbbench compare iris --against riv", {"river"}),
        ("gnbbench compare iris --format ", {"csv", "parquet"}),
        ("gnbbench compare a.csv --missing ", {"error", "drop"}),
        ("gnbbench conformance skl", {"sklearn"}),
        ("gnbbench compare my-fi", set()),
    ],
)
def test_names_and_values_are_offered(line: str, names: set[str]) -> None:
    assert offered(line) == names


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_can_be_told(shell: str, tmp_path: Path) -> None:
    ended = ran(
        *("--install-completion", shell),
        HOME=str(tmp_path),
        _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1",
    )

    assert (ended.returncode, ended.stderr) == (0, "")
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any("_GNBBENCH_COMPLETE" in path.read_text() for path in written)


@pytest.mark.slow
def test_no_colour_is_written_where_none_is_wanted() -> None:
    coloured = ran("compare", "--help", FORCE_COLOR="1", TERM="xterm-256color")
    plain = ran("compare", "--help", FORCE_COLOR="1", TERM="xterm-256color", NO_COLOR="1")

    assert "\x1b[1;36m" in coloured.stdout or "\x1b[36m" in coloured.stdout
    assert not {"\x1b[1;36m", "\x1b[36m", "\x1b[33m"} & set(_codes(plain.stdout))


def _codes(text: str) -> list[str]:
    return [f"\x1b[{part.partition('m')[0]}m" for part in text.split("\x1b[")[1:]]
