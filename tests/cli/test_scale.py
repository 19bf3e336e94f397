"""``gnbbench scale``: what each call exits with, prints and leaves behind."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnbbench.cli.app import app

TINY = (
    *("scale", "--samples", "100:1000", "--features", "4", "--classes", "2"),
    *("--budget", "2", "--processes", "1"),
)


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
        (["--samples", "1e6:1e3"], "--samples: '1e6:1e3' does not ascend"),
        (["--samples", "abc"], "--samples: 'abc' cannot be read"),
        (["--samples", "0"], "--samples: 0 is less than 2"),
        (["--features", "0:4"], "--features: 0 is less than 1"),
        (["--classes", "1:4"], "--classes: 1 is less than 2"),
        (["--samples", "8:100", "--classes", "5"], "8 samples are too few for 5 classes"),
        (["--samples", "10"], "--samples: 10 samples are too few for 64 classes. Give 128"),
        (["--samples", "9", "--features", "9", "--classes", "2"], "no axis has more than"),
        (["--samples", "1e3:1e15"], "GB are free"),
        (["--against", "nunpy"], "Did you mean 'numpy'?"),
        (["--against", "numpy", "--against", "numpy"], "'numpy' is named twice"),
        (["--reference", "absent"], "Unknown implementation 'absent'"),
        (["--budget", "0"], "--budget: '0' is no time"),
        (["--budget", "soon"], "--budget: 'soon' is no time"),
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
def test_a_tiny_study_from_end_to_end(directory: Path) -> None:
    code, out, err = call(*TINY, "--out", "here")

    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith(("At ", "Nothing ", "No implementation "))
    assert "Along samples (d = 4, K = 2)" in lines
    assert max(map(len, lines)) <= 80
    assert lines[-1] == "Report: here/index.html"
    names = ("index.html", "summary.json", "times.csv", "exponents.csv", "runs.sqlite")
    for name in (*names, "figures/scale_samples.png", "figures/scale_memory.svg"):
        assert (directory / "here" / name).is_file()

    again = call(*TINY, "--out", "here", "--json")
    redone = call("report", "here", "--out", "there", "--json")

    document = json.loads(again[1])
    assert redone[1] == again[1]
    assert document["schema"] == "gnbbench scale"
    shares = {row["agreement"] for row in document["agreement"]}
    assert {1.0} <= shares <= {1.0, None}
    page = (directory / "there" / "index.html").read_text()
    assert page == (directory / "here" / "index.html").read_text()

    code, _, err = call(*TINY, "--seed", "7", "--out", "here")
    assert code == 2
    assert "another plan" in err


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
    assert "Small: stopped at n = 200: it failed (MemoryError: no room)." in text
    assert "Labels differ from the reference's in 1 of 1 comparisons." in text
    assert re.search(r"✗ [45]\d", out)


def test_an_interruption_says_that_the_same_command_goes_on(
    monkeypatch: pytest.MonkeyPatch, directory: Path
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(
        "gnbbench.studies.scale_steps.GridMeasurement.compare_labels", interrupted
    )

    code, out, err = call(*TINY, "--out", "here")

    assert (code, out) == (130, "")
    assert "kept in here. The same command goes on." in err
    assert (directory / "here" / "runs.sqlite").is_file()


def test_help_has_an_example() -> None:
    out = call("scale", "--help")[1]

    assert "Example: gnbbench scale --samples 1e3:1e5" in " ".join(out.split())
