"""``gnbbench reproduce``: what each call exits with, prints and leaves behind."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnbbench.claims.table import usual_directory
from gnbbench.cli.app import app


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty directory but for tables with a lost claim and with a mistake."""
    monkeypatch.chdir(tmp_path)
    guide = (usual_directory() / "scikit-learn-guide.toml").read_text()
    tables = {
        "lost": guide.replace('"4 of 75"', '"3 of 75"'),
        "refuted": guide.replace('"4 of 75"', '"3 of 75"').replace(
            'expected = "reproduced"', 'expected = "not reproduced"'
        ),
        "wrong": guide.replace("published =", "publised ="),
    }
    for name, text in tables.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "guide.toml").write_text(text)
    (tmp_path / "file.txt").write_text("")
    return tmp_path


def call(*arguments: str) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr of one call."""
    result = CliRunner().invoke(app, ["reproduce", *arguments])
    return result.exit_code, result.stdout, result.stderr


# (arguments, exit code, words on stderr)
EXITS = [
    (["guide"], 0, ""),
    (["GUIDE", "guide-0.19", "--quiet"], 0, ""),
    (["guide-iris-mislabelled", "--json"], 0, ""),
    (["b-students-accuracy"], 0, ""),
    (["--claims", "refuted"], 0, ""),
    (["--list"], 0, ""),
    (["--list", "--json", "A"], 0, ""),
    (["--claims", "lost"], 1, "gate failed: guide-iris-mislabelled is not reproduced"),
    (["--claims", "lost", "--json"], 1, "gate failed"),
    (["--claims", "lost", "--quiet"], 1, "gate failed"),
    (["guide-iris-mislabeled"], 2, "Did you mean 'guide-iris-mislabelled'"),
    (["--list", "guidee"], 2, "Did you mean 'guide'"),
    (["--claims", "wrong"], 2, "guide.toml, line 17: unknown key 'publised'"),
    (["--claims", "absent"], 2, "it is no directory"),
    (["--claims", "."], 2, "it holds no *.toml"),
    (["guide", "--runs", "3"], 2, "--runs"),
    (["guide", "--runs", "many"], 2, "Invalid value for '--runs'"),
    (["guide", "--data", "absent"], 2, "--data"),
    (["guide", "--out", "file.txt"], 2, "it cannot be written"),
    (["guide", "--unknown"], 2, "No such option"),
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


@pytest.mark.usefixtures("directory")
def test_the_list_shows_every_claim_of_a_source() -> None:
    _, out, _ = call("--list", "handbook")
    _, as_json, _ = call("--list", "--json", "handbook")

    ids = [claim["id"] for claim in json.loads(as_json)["claims"]]
    assert ids == ["handbook-iris", "handbook-digits"]
    assert all(name in out for name in ids)
