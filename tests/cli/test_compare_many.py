"""Several datasets on the command line and in a file."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnbbench.cli.app import app

RUNNER = CliRunner()

CONFIG = """study = "compare"

[[dataset]]
name = "iris"

[[dataset]]
name = "gaussians"
n_samples = 90
offset = 1e3

[options]
runs = 3
"""


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*arguments: str) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr of one call."""
    result = RUNNER.invoke(app, arguments)
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.slow
def test_several_datasets_share_a_page(directory: Path) -> None:
    code, out, _ = call("compare", "iris", "wine", "--runs", "3", "--quiet", "--jobs", "1")

    page = directory / out.strip()
    assert code == 0
    assert out.startswith("reports/compare-")
    assert (page.parent / "wine" / "index.html").is_file()
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.slow
def test_a_file_with_several_datasets_is_run_and_gated(directory: Path) -> None:
    text = CONFIG + 'against = ["density-product"]\n'
    (directory / "a.toml").write_text(
        text.replace("gaussians", "digits").replace("n_samples = 90\noffset = 1e3\n", "")
    )

    code, out, err = call(
        "run", "a.toml", "--out", "here", "--json", "--jobs", "1", "--fail-if-disagreement"
    )

    assert code == 1
    assert json.loads(out)["schema"] == "gnbbench matrix"
    assert "gate failed: digits: " in err


def test_the_options_are_printed_as_a_file_that_is_read_again(directory: Path) -> None:
    (directory / "a.toml").write_text(call("compare", "iris", "wine", "--print-config")[1])

    text = (directory / "a.toml").read_text()

    assert text.count("[[dataset]]") == 2
    assert call("run", "a.toml", "--jobs", "0")[2].startswith("gnbbench: --jobs")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["iris", "irsi"], "Did you mean 'iris'?"),
        (["iris", "iris"], "'iris' is given twice"),
        (["iris", "gaussians", "--offset", "1e6"], "--offset: it does not apply"),
        (["gaussians", "wine", "--offset", "nan"], "--offset"),
        (["iris", "wine", "--against", "nunpy"], "Did you mean 'numpy'?"),
    ],
)
def test_a_mistake_exits_2_with_one_line_and_writes_nothing(
    arguments: list[str], words: str, directory: Path
) -> None:
    code, out, err = call("compare", *arguments)

    assert code == 2
    assert words in err
    assert len(err.splitlines()) == 1
    assert out == ""
    assert list(directory.iterdir()) == []


def test_an_offset_is_one_option() -> None:
    text = call("compare", "gaussians", "--offset", "1e6", "--print-config")[1]

    assert "offset = 1000000.0" in text
    assert "[dataset]" in text
