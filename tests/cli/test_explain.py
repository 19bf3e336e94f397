"""``gnbbench explain``: what each call exits with, prints and leaves behind."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from gnbbench.cli.app import app
from gnbbench.diagnosis import Diagnosis
from gnbbench.implementations import Implementation
from gnbbench.report.explain_summary import ExplainSummary

Give = Callable[..., ExplainSummary]


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, explain_of: Give) -> Path:
    """Work in an empty directory: numpy is the same, all others have a tie."""

    def diagnose(
        entry: Implementation, reference: Implementation, *_: Any, classes: Any
    ) -> Diagnosis:
        assert entry.name != reference.name
        assert len(classes) > 1
        kind = "same" if entry.name == "numpy" else "tied"
        return explain_of(kind).diagnosed[0].diagnosis

    monkeypatch.setattr("gnbbench.studies.explain.diagnose", diagnose)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "some.txt").write_text("x")
    (tmp_path / "data.csv").write_text("a;b;kind\n" + "1;2;u\n3;5;v\n2;9;u\n7;1;v\n" * 5)
    return tmp_path


def call(*arguments: str) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr of one call."""
    result = CliRunner().invoke(app, ["explain", *arguments])
    return result.exit_code, result.stdout, result.stderr


# (arguments, exit code, words on stderr)
EXITS = [
    (["iris", "--against", "numpy"], 0, ""),
    (["iris", "--against", "study-b"], 0, ""),
    (["iris", "--against", "study-b", "--against", "numpy", "--runs", "3"], 0, ""),
    (["iris", "--against", "sklearn", "--reference", "numpy"], 0, ""),
    (["iris", "--against", "study-b", "--json"], 0, ""),
    (["iris", "--against", "study-b", "--quiet"], 0, ""),
    (["iris", "--against", "study-b", "--no-stratify", "--seed", "1"], 0, ""),
    (["data.csv", "--against", "numpy", "--target", "kind", "--sep", ";"], 0, ""),
    (["data.csv", "--against", "numpy", "--target", "kind", "--drop", "a"], 0, ""),
    (["gaussians", "--against", "numpy", "--n-samples", "60"], 0, ""),
    (["iris"], 2, "--against: not given. Name what is explained, such as"),
    (["--against", "numpy"], 2, "Missing argument"),
    (["irsi", "--against", "numpy"], 2, "Did you mean 'iris'"),
    (["iris", "--against", "numpi"], 2, "Did you mean 'numpy'"),
    (["iris", "--against", "numpy", "--against", "numpy"], 2, "named twice"),
    (["iris", "--against", "sklearn"], 2, "named twice"),
    (["iris", "--against", "missing.py:GNB"], 2, "missing.py"),
    (["iris", "--against", "numpy", "--reference", "numpi"], 2, "Did you mean 'numpy'"),
    (["iris", "--against", "numpy", "--runs", "0"], 2, "--runs"),
    (["iris", "--against", "numpy", "--runs", "many"], 2, "Invalid value for '--runs'"),
    (["iris", "--against", "numpy", "--test-size", "1.5"], 2, "--test-size"),
    (["iris", "--against", "numpy", "--test-size", "0.001"], 2, "--test-size"),
    (["iris", "--against", "numpy", "--timeout", "-1"], 2, "--timeout"),
    (["iris", "--against", "numpy", "--target", "kind"], 2, "--target"),
    (["data.csv", "--against", "numpy", "--target", "sort"], 2, "sort"),
    (
        ["iris", "--against", "numpy", "--out", "some.txt"],
        2,
        "some.txt: it cannot be written",
    ),
    (["iris", "--against", "numpy", "--fail-if-disagreement"], 2, "No such option"),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "words"), EXITS, ids=lambda value: str(value)[:70]
)
def test_a_call_exits_as_its_outcome_says(
    arguments: list[str], code: int, words: str, directory: Path
) -> None:
    before = sorted(directory.rglob("*"))

    found, out, err = call(*arguments)

    assert found == code, err
    assert words in " ".join(err.split())
    assert "Traceback" not in err
    if code == 2:
        assert out == ""
        assert sorted(directory.rglob("*")) == before
    else:
        assert err == ""


def test_the_verdict_is_told_and_the_report_last(directory: Path) -> None:
    _, out, _ = call("iris", "--against", "study-b")

    lines = out.splitlines()
    assert lines[0].startswith("iris · 20 runs · 105 train, 45 test samples each")
    assert lines[1] == "tied: tie"
    assert max(len(line) for line in lines[:-1]) <= 80
    found = lines[-1].removeprefix("Report: ")
    assert found.startswith("reports/explain-iris-")
    assert (directory / found).is_file()


def test_json_is_all_that_stdout_gets(directory: Path) -> None:
    _, out, _ = call("iris", "--against", "study-b", "--json", "--out", "here")

    document = json.loads(out)
    assert document["causes"][0]["cause"] == "tie"
    assert document["disagreements"][0]["cause"] == "tie"
    assert out == (directory / "here" / "summary.json").read_text()


def test_another_plan_has_another_directory(directory: Path) -> None:
    call("iris", "--against", "numpy")
    call("iris", "--against", "numpy")
    call("iris", "--against", "numpy", "--runs", "3")

    assert len(list((directory / "reports").iterdir())) == 2


def test_an_interruption_exits_130_and_says_what_is_kept(
    monkeypatch: pytest.MonkeyPatch, directory: Path
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gnbbench.studies.explain.diagnose", interrupted)

    code, out, err = call("iris", "--against", "numpy", "--out", "here")

    assert (code, out) == (130, "")
    assert "interrupted; 0 of 1 implementations are kept in here" in err
    assert not (directory / "here" / "index.html").exists()


def test_a_file_that_was_printed_repeats_the_study(directory: Path) -> None:
    given = ("iris", "--against", "study-b", "--no-stratify")
    (directory / "a.toml").write_text(call(*given, "--print-config")[1])

    found = CliRunner().invoke(app, ["run", "a.toml", "--quiet"])

    assert found.stdout.startswith("reports/explain-iris-")
    assert call(*given, "--quiet")[1] == found.stdout


def test_what_is_explained_must_be_named() -> None:
    code, out, err = call("iris")

    assert (code, out) == (2, "")
    assert err == (
        "gnbbench: --against: not given. Name what is explained, such as "
        "--against my_gnb.py:MyGNB\n"
    )


def test_an_array_is_sent_to_what_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "X.npy"
    np.save(path, np.zeros((4, 2)))

    code, _, err = call(str(path), "--against", "numpy")

    assert code == 2
    assert f"gnbbench compare {path} --stream --target y.npy" in err
    assert err.count("\n") == 1


def test_help_has_an_example() -> None:
    assert "Example: gnbbench explain breast_cancer --against study-b" in call("--help")[1]
