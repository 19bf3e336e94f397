"""``gnbbench scale``: what each call exits with, prints and leaves behind."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnbbench.cli.app import app


def call(*arguments: str) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr of one call."""
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--samples", "abc"], "--samples: 'abc' cannot be read"),
        (["--classes", "1:4"], "--classes: 1 is less than 2"),
        (["--samples", "8:100", "--classes", "5"], "8 samples are too few for 5 classes"),
        (["--samples", "9", "--features", "9", "--classes", "2"], "every size is fixed"),
        (["--samples", "1e3:1e15"], "GB are free"),
        (["--against", "nunpy"], "Did you mean 'numpy'?"),
        (["--reference", "absent"], "Unknown implementation 'absent'"),
        (["--budget", "0"], "--budget: '0' is not a time"),
        (["--processes", "0"], "--processes: 0 is less than 1"),
        (["--threads", "0"], "--threads: 0 is less than 1"),
        (["--seed", "-1"], "--seed: -1 is out of range"),
        (["--timeout", "-1"], "--timeout"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_used_is_one_line(
    arguments: list[str], words: str, directory: Path
) -> None:
    code, out, err = call("scale", *arguments)

    assert (code, out) == (2, "")
    assert words in err
    assert err.startswith("gnbbench: ")
    assert err.count("\n") == 1
    assert list(directory.iterdir()) == []


@pytest.mark.slow
def test_an_implementation_that_fails_is_told_and_marked(directory: Path) -> None:
    (directory / "small.py").write_text(
        "class Small:\n"
        "    def fit(self, X, y):\n"
        "        if len(X) > 300:\n"
        "            raise MemoryError('no room')\n"
        "        self.means = [X[y == k].mean(axis=0) for k in (0, 1)]\n"
        "        return self\n"
        "    def predict(self, X):\n"
        "        return 0 * X.sum(axis=1).astype(int)\n"
    )

    sizes = ("--samples", "200:800", "--features", "4", "--classes", "2")
    options = ("--budget", "200", "--processes", "1", "--timeout", "0", "--out", "here")
    code, out, err = call("scale", *sizes, *options, "--against", "small.py:Small")

    text = " ".join(out.split())
    assert (code, err) == (0, "")
    assert "Small: stopped at n = 200, because it failed (MemoryError: no room (" in text
    assert "(small.py, line 4: raise MemoryError('no room')))." in text
    assert re.search(r" [4-9]\d of 200 labels differ in 1 comparison\.", text)
    assert "Small: labels differ at 1 size, most at 200 samples (" in text


def test_an_interruption_says_that_the_same_command_goes_on(
    monkeypatch: pytest.MonkeyPatch, directory: Path
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(
        "gnbbench.studies.scale_steps.GridMeasurement.compare_labels", interrupted
    )

    sizes = ("--samples", "100:1000", "--features", "4", "--classes", "2")
    code, out, err = call("scale", *sizes, "--out", "here")

    assert (code, out) == (130, "")
    assert "kept in here; the same command continues." in err
    assert (directory / "here" / "runs.sqlite").is_file()
