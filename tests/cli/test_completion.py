"""Completion: each shell gets the names and values that can be typed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnbbench.cli.app import app

COLOURS = {"FORCE_COLOR": "1", "TERM": "xterm-256color"}


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
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
    asked = {"_GNBBENCH_COMPLETE": "complete_bash", **words}

    result = CliRunner().invoke(app, [], env=asked, prog_name="gnbbench")

    assert (set(result.stdout.split()), result.stderr) == (names, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_can_be_specified(
    shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")

    result = CliRunner().invoke(app, ["--install-completion", shell], prog_name="gnbbench")

    assert (result.exit_code, result.stderr) == (0, "")
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any("_GNBBENCH_COMPLETE" in path.read_text() for path in written)


def help_in_colours(**variables: str) -> str:
    """Return the help of a command as a process of its own writes it."""
    code = "import sys; sys.argv[0] = 'gnbbench'; from gnbbench.cli import main; main()"
    words = [sys.executable, "-c", code, "compare", "--help"]
    environment = {**os.environ, **COLOURS, **variables}
    return subprocess.check_output(words, env=environment, text=True)


@pytest.mark.slow
def test_no_colour_is_written_where_none_is_wanted() -> None:
    colours = {"\x1b[1;36m", "\x1b[36m", "\x1b[33m"}

    assert [code for code in sorted(colours)[:2] if code in help_in_colours()]
    plain = help_in_colours(NO_COLOR="1")
    assert not [code for code in colours if code in plain]
