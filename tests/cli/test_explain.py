"""``gnbbench explain`` and ``assumptions``: what each refuses, prints and leaves."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from gnbbench.cli.app import app

pytestmark = pytest.mark.slow

GOOD = "a,b,kind\n" + "\n".join(f"{i % 7}.5,{i * i % 11},{'xy'[i % 2]}" for i in range(40))


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty directory that holds one good file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "some.txt").write_text("x")
    (tmp_path / "good.csv").write_text(GOOD)
    np.save(tmp_path / "X.npy", np.zeros((4, 2)))
    return tmp_path


def call(*arguments: str) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr of one call."""
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.stdout, result.stderr


# (arguments, words on stderr)
REFUSED = [
    (
        "explain iris",
        "gnbbench: --against: not given. Name an implementation, such as --against "
        "my_gnb.py:MyGNB",
    ),
    ("explain --against numpy", "Missing argument"),
    ("explain irsi --against numpy", "Did you mean 'iris'"),
    ("explain iris --against numpi", "Did you mean 'numpy'"),
    ("explain iris --against numpy --against numpy", "named twice"),
    ("explain iris --against missing.py:GNB", "missing.py"),
    ("explain iris --against numpy --reference numpi", "Did you mean 'numpy'"),
    ("explain iris --against numpy --runs many", "Invalid value for '--runs'"),
    ("explain iris --against numpy --test-size 0.001", "--test-size"),
    ("explain iris --against numpy --timeout -1", "--timeout"),
    ("explain iris --against numpy --target kind", "--target"),
    ("explain good.csv --against numpy --target sort", "sort"),
    ("explain iris --against numpy --out some.txt", "some.txt: it cannot be written"),
    ("explain iris --against numpy --fail-if-disagreement", "No such option"),
    (
        "explain X.npy --against numpy",
        "gnbbench compare X.npy --stream --target y.npy",
    ),
    ("assumptions irsi", "Did you mean 'iris'?"),
    ("assumptions iris --runs 0", "--runs: 0 is out of range"),
    ("assumptions iris --test-size 1.5", "--test-size: 1.5 is out of range"),
    ("assumptions iris --seed -1", "--seed: -1 is out of range"),
    ("assumptions iris --correlation kendall", "Give pearson or spearman."),
    ("assumptions missing.csv --target y", "missing.csv"),
    ("assumptions good.csv --target kin", "kind"),
    ("assumptions", "Missing argument"),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSED, ids=lambda value: str(value)[:60])
def test_what_cannot_be_used_exits_2_with_one_line_and_writes_nothing(
    arguments: str, words: str, directory: Path
) -> None:
    before = sorted(directory.rglob("*"))

    code, out, err = call(*arguments.split())

    assert (code, out) == (2, "")
    assert words in " ".join(err.split())
    assert "Traceback" not in err
    if err.startswith("gnbbench:"):
        assert err.count("\n") == 1
    assert sorted(directory.rglob("*")) == before


@pytest.mark.parametrize(
    ("arguments", "line", "text"),
    [
        (
            "explain good.csv --against numpy --against sklearn?var_smoothing=0.1 "
            "--target kind --no-stratify --runs 2",
            0,
            "good · 2 runs · 28 train, 12 test samples each · against sklearn",
        ),
        ("explain gaussians --against numpy --n-samples 60 --runs 2", 1, "numpy: no diff"),
        (
            "explain iris --against sklearn --reference numpy --runs 2",
            1,
            "sklearn: no diff",
        ),
        ("assumptions good.csv --target kind --runs 2", 0, "good · 2 runs"),
        ("assumptions iris --runs 2", 1, "Naive: strongly broken in 3 of 3 classes"),
    ],
)
def test_the_verdict_is_told_and_the_report_last(
    arguments: str, line: int, text: str, directory: Path
) -> None:
    code, out, err = call(*arguments.split())

    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[line].startswith(text)
    found = lines[-1].removeprefix("Report: ")
    assert found.startswith(f"reports/{arguments.split(maxsplit=1)[0]}-")
    assert (directory / found).is_file()


@pytest.mark.parametrize(
    ("command", "called", "kept"),
    [
        ("explain iris --against numpy", "explain.diagnose", "0 of 1 implementations are"),
        ("assumptions iris", "assumptions.examine", "nothing is kept of an examination"),
    ],
)
def test_an_interruption_exits_130_and_says_what_is_kept(
    command: str,
    called: str,
    kept: str,
    monkeypatch: pytest.MonkeyPatch,
    directory: Path,
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"gnbbench.studies.{called}", interrupted)

    code, out, err = call(*command.split(), "--out", "here")

    assert (code, out) == (130, "")
    assert f"interrupted; {kept}" in err
    assert not (directory / "here" / "index.html").exists()


@pytest.mark.parametrize(
    "command",
    [
        "explain iris --against numpy --no-stratify --timeout 5 --runs 2",
        "assumptions iris --runs 2 --correlation spearman",
    ],
)
def test_a_file_that_was_printed_repeats_the_study(command: str, directory: Path) -> None:
    given = command.split()
    (directory / "a.toml").write_text(call(*given, "--print-config")[1])

    found = CliRunner().invoke(app, ["run", "a.toml", "--quiet"])

    assert found.stdout.startswith(f"reports/{given[0]}-iris-")
    assert call(*given, "--quiet")[1] == found.stdout
