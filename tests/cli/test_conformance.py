"""``gnbbench conformance``: what each call exits with, prints and leaves behind."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner

from gnbbench.cli.app import app
from gnbbench.conformance import Check, Conformance, Result
from gnbbench.implementations import Implementation


@pytest.fixture
def directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_examination: Conformance
) -> Path:
    """Work in an empty directory: numpy passes all made checks, all others fail four."""
    results = made_examination.results

    def examine(
        entry: Implementation, checks: tuple[Check, ...], *, timeout_seconds: float
    ) -> Conformance:
        passes = entry.name == "numpy"
        found = tuple(
            Result(one.check, "pass", None, "", 0.01) if passes else one
            for one in results
            if one.check in checks
        )
        assert timeout_seconds > 0
        return Conformance(entry.name, entry.description, "", found)

    checks = tuple(result.check for result in results)
    monkeypatch.setattr("gnbbench.conformance.battery.CHECKS", checks)
    monkeypatch.setattr("gnbbench.studies.conformance.examine", examine)
    monkeypatch.chdir(tmp_path)
    known = "offsets-1  # why\noffsets-4\none-row-in-a-class-1\nweights-1\n"
    (tmp_path / "known.txt").write_text(known)
    (tmp_path / "some.txt").write_text("offsets-1\n")
    (tmp_path / "wrong.txt").write_text("# known\nofsets-1\n")
    return tmp_path


def call(*arguments: str) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr of one call."""
    result = CliRunner().invoke(app, ["conformance", *arguments])
    return result.exit_code, result.stdout, result.stderr


# (arguments, exit code, words on stderr)
EXITS = [
    (["numpy"], 0, ""),
    (["numpy", "--quiet"], 0, ""),
    (["numpy", "--only", "offsets", "--only", "weights-1"], 0, ""),
    (["sklearn"], 1, "sklearn fails offsets-1, offsets-4, one-row-in-a-class-1"),
    (["sklearn", "--json"], 1, "gate failed"),
    (["sklearn", "--quiet"], 1, "gate failed"),
    (["sklearn", "--expect-fail", "known.txt"], 0, ""),
    (["sklearn", "--expect-fail", "some.txt"], 1, "sklearn fails offsets-4"),
    (["sklearn", "--only", "offsets-0"], 0, ""),
    (["sklearn", "--only", "weights", "--expect-fail", "known.txt"], 0, ""),
    (["numpy", "--expect-fail", "some.txt"], 0, "offsets-1 unexpectedly passes. Take it"),
    (["numpy", "sklearn"], 1, "gate failed: sklearn fails"),
    (["--all"], 1, "gate failed"),
    (["--all", "--expect-fail", "known.txt"], 0, "offsets-1 unexpectedly passes on numpy"),
    (["--list"], 0, ""),
    (["--list", "--json"], 0, ""),
    (["--list", "--only", "weights"], 0, ""),
    ([], 2, "nothing is named"),
    (["numpy", "--all"], 2, "exclude each other"),
    (["numpi"], 2, "Did you mean 'numpy'"),
    (["numpy", "numpy"], 2, "named twice"),
    (["missing.py:GNB"], 2, "missing.py"),
    (["numpy", "--only", "ofsets"], 2, "Did you mean 'offsets'"),
    (["--list", "--only", "ofsets"], 2, "Did you mean 'offsets'"),
    (["numpy", "--expect-fail", "wrong.txt"], 2, "wrong.txt, line 2"),
    (["numpy", "--expect-fail", "absent.txt"], 2, "absent.txt: cannot be read"),
    (["numpy", "--timeout", "0"], 2, "--timeout"),
    (["numpy", "--timeout", "soon"], 2, "Invalid value for '--timeout'"),
    (["numpy", "--junit", "."], 2, "is a directory"),
    (["numpy", "--junit", "some.txt/junit.xml"], 2, "is a file"),
    (["numpy", "--out", "some.txt"], 2, "it cannot be written"),
    (["numpy", "--unknown"], 2, "No such option"),
]


@pytest.mark.parametrize(
    ("arguments", "code", "words"), EXITS, ids=lambda value: str(value)[:60]
)
def test_a_call_exits_as_its_outcome_says(
    arguments: list[str], code: int, words: str, directory: Path
) -> None:
    before = sorted(directory.rglob("*"))

    found, out, err = call(*arguments)

    assert found == code, err
    assert words in " ".join(err.split())
    assert "Traceback" not in err
    if words == "":
        assert err == ""
    if code == 2:
        assert out == ""
        assert sorted(directory.rglob("*")) == before


def test_a_scoreboard_has_a_directory_of_its_own(directory: Path) -> None:
    _, out, _ = call("numpy", "sklearn")

    assert "1 of 2 implementations passes every check that applies: numpy." in out
    assert list((directory / "reports").glob("conformance-scoreboard-*/summary.json"))


@pytest.mark.parametrize(
    "arguments", [["sklearn"], ["sklearn", "--expect-fail", "known.txt"]]
)
def test_junit_says_what_the_exit_code_says(arguments: list[str], directory: Path) -> None:
    code, _, _ = call(*arguments, "--junit", "deep/junit.xml")

    root = ET.parse(directory / "deep" / "junit.xml").getroot()  # noqa: S314  our own file
    broken = int(root.get("failures", 0)) + int(root.get("errors", 0))
    assert bool(broken) == bool(code)
    (inside,) = (directory / "reports").glob("conformance-sklearn-*/junit.xml")
    assert (directory / "deep" / "junit.xml").read_bytes() == inside.read_bytes()


@pytest.mark.usefixtures("directory")
def test_the_list_shows_every_check() -> None:
    _, out, _ = call("--list")
    _, as_json, _ = call("--list", "--json", "--only", "weights")

    for number in range(5):
        assert f"offsets-{number}" in out
    ids = [check["id"] for check in json.loads(as_json)["checks"]]
    assert ids == [f"weights-{number}" for number in range(4)]
