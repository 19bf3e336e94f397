"""A file that needs several options: all are reported at once, with a command that runs."""

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from reading.commands import call

Typed = Callable[[str], tuple[int, str, str]]
COMPLETE = "".join(f"{i % 5}.5,{i * i % 7},{'ab'[i % 2]}\n" for i in range(40))
GAPS = COMPLETE.replace("2.5,", ",", 1)


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Typed:
    """Give a function that runs a command line in a directory with files."""
    (tmp_path / "bare.csv").write_text(GAPS)
    (tmp_path / "named.csv").write_text(f"x,z,species\n{GAPS}")
    rows = "".join(f"{i},{line}\n" for i, line in enumerate(COMPLETE.splitlines()))
    (tmp_path / "index.csv").write_text(f",x,z,kind of it\n{rows}")
    (tmp_path / "words.csv").write_text(f"x,colour,y\n{COMPLETE.replace('1,', 'red,')}")
    days = "".join(
        f"id{i},2024-01-0{1 + i % 7},{line}\n"
        for i, line in enumerate(COMPLETE.replace(".5,", " h,").splitlines())
    )
    (tmp_path / "days.csv").write_text(f"id,day,hours,z,y\n{days}")
    (tmp_path / "ragged.csv").write_text(f"{GAPS}1,2\n")
    monkeypatch.chdir(tmp_path)

    def run(line: str) -> tuple[int, str, str]:
        words = shlex.split(line)
        monkeypatch.setattr(sys, "argv", words)
        code, out, err = call(*words[1:])
        return code, out, err

    return run


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(
    ("line", "texts", "flags"),
    [
        (
            "gnbbench compare bare.csv --runs 2 --budget 50ms",
            ("3 problems", "holds numbers", "--target: not given", "1 missing value"),
            "--no-header --target c2 --missing drop",
        ),
        (
            "gnbbench assumptions named.csv --runs 2",
            ("2 problems", "--target: not given", "1 missing value in 1 of 40 rows"),
            "--target species --missing drop",
        ),
        (
            "gnbbench compare named.csv --target species --runs 2 --budget 50ms",
            ("1 missing value", "Leave those rows out: --missing drop. This"),
            "--missing drop",
        ),
        (
            "gnbbench sweep-split index.csv --runs 2",
            ("2 problems", "--target: not given", "column 1 has no name"),
            "--target 'kind of it' --drop c0",
        ),
        (
            "gnbbench compare words.csv --runs 2 --budget 50ms",
            ("holds text",),
            "--target y --one-hot",
        ),
        (
            "gnbbench compare days.csv --target y --runs 2 --budget 50ms",
            ("'id', 'day', 'hours' hold text", "Leave out: --drop id --drop day; encode"),
            "--one-hot --drop id --drop day",
        ),
        (
            "gnbbench compare days.csv --target y --drop hours --runs 2 --budget 50ms",
            ("Leave out: --drop id --drop day. This would run",),
            "--drop id --drop day",
        ),
    ],
)
def test_all_problems_are_said_with_the_command_that_runs(
    line: str, texts: tuple[str, ...], flags: str, typed: Typed
) -> None:
    code, out, err = typed(line)

    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert all(text in err for text in texts)
    command = err.rpartition("This would run: ")[2].strip()
    assert command == f"{line} {flags}"
    assert typed(f"{command} --quiet")[0] == 0


def test_without_an_option_that_helps_no_command_is_named(typed: Typed) -> None:
    code, _, err = typed("gnbbench compare ragged.csv")

    assert code == 2
    assert "3 problems" in err
    assert err.endswith("or give --sep.\n")
    assert "would run" not in err
