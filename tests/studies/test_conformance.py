"""The Python interface to conformance: tables and files."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import gnbbench
from gnbbench.conformance import CHECKS, Conformance
from gnbbench.core import GaussianNB
from gnbbench.errors import GnbBenchError, ResultsError
from gnbbench.implementations import Implementation
from gnbbench.report.conformance_documents import conformance_document
from gnbbench.report.conformance_summary import ConformanceSummary
from gnbbench.studies.conformance import (
    _examined,
    _noted,
    conformance,
    conformance_plan,
)
from gnbbench.studies.stored import draw_again

Give = Callable[..., ConformanceSummary]
ONE = CHECKS[0].id
FAMILY = CHECKS[0].family


class Progress:
    """A listener that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def begin(self, stage: str, total: int | None = None, done: int = 0) -> None:
        self.told.append((stage, total, done))

    def advance(self, steps: int) -> None:
        self.told.append(steps)


@pytest.fixture
def examined(monkeypatch: pytest.MonkeyPatch, conformance_of: Give) -> list[Any]:
    """Put made results in place of examinations; gives the calls."""
    calls: list[Any] = []

    def examine(entry: Implementation, *, only: Any, timeout_seconds: float) -> Conformance:
        calls.append((entry.name, tuple(only), timeout_seconds))
        made = conformance_of("faulty").examined[0]
        return Conformance(entry.name, entry.description, made.version, made.results)

    monkeypatch.setattr("gnbbench.studies.conformance.examine", examine)
    return calls


@pytest.mark.slow
def test_a_real_implementation_is_examined_from_its_public_name(tmp_path: Path) -> None:
    study = gnbbench.examine_conformance("numpy", only=ONE, out=tmp_path / "here")

    assert repr(study) == "<Study: numpy passes the only check.>"
    table = study.frame()
    assert table[["implementation", "id", "outcome"]].values.tolist() == [
        ["numpy", ONE, "pass"]
    ]
    document = json.loads((tmp_path / "here" / "summary.json").read_text())
    assert document["command"] == (
        f"gnbbench.examine_conformance('numpy', only=['{ONE}'], timeout_seconds=30.0)"
    )
    assert document["environment"]["versions"]["numpy"]


@pytest.mark.slow
def test_code_of_others_is_never_loaded_in_this_process(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import os\n"
        f"assert os.getpid() != {__import__('os').getpid()}\n"
        "print('loading')\n"
        "from sklearn.naive_bayes import GaussianNB\n"
        "class Mine(GaussianNB):\n    pass\n"
    )

    study = conformance(f"{file}:Mine", only=ONE)

    assert study.frame()["outcome"].tolist() == ["pass"]
    assert study.details.examined[0].implementation == "Mine"
    assert capfd.readouterr().out == ""


@pytest.mark.slow
def test_a_file_that_dies_when_loaded_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "dies.py"
    file.write_text("import os\nos._exit(3)\n")

    with pytest.raises(GnbBenchError, match=r"dies\.py"):
        conformance(f"{file}:Mine", only=ONE)


def test_several_make_a_scoreboard(examined: list[Any]) -> None:
    study = conformance(["numpy", "sklearn"], timeout_seconds=5.0)

    assert study.details.is_scoreboard
    assert [call[0] for call in examined] == ["numpy", "sklearn"]
    assert {call[2] for call in examined} == {5.0}
    assert len(examined[0][1]) == len(CHECKS)


@pytest.mark.usefixtures("examined")
def test_classes_of_one_name_are_told_apart() -> None:
    study = conformance([GaussianNB, GaussianNB()])

    names = [one.implementation for one in study.details.examined]
    assert names == ["GaussianNB", "GaussianNB 2"]


@pytest.mark.usefixtures("examined")
def test_a_listener_hears_of_every_implementation() -> None:
    progress = Progress()

    conformance(["numpy", "sklearn"], progress=progress)

    assert progress.told == [("conformance", 2, 0), 1, 1, ("report", None, 0)]


def test_a_part_of_the_battery_is_told_to_be_one(examined: list[Any]) -> None:
    study = conformance("numpy", only=[FAMILY])

    wanted = tuple(check.id for check in CHECKS if check.family == FAMILY)
    assert examined[0][1] == wanted
    assert study.details.warnings[0].startswith(f"Only {FAMILY}: {len(wanted)} checks")


@pytest.mark.usefixtures("examined")
def test_saving_writes_the_report(tmp_path: Path) -> None:
    page = conformance("numpy").save(tmp_path / "here")

    assert {path.name for path in page.parent.iterdir()} == {
        "index.html",
        "summary.json",
        "conformance.csv",
        "junit.xml",
        "runs.sqlite",
    }


@pytest.mark.parametrize(
    ("given", "options", "words"),
    [
        ("numpi", {}, "Did you mean 'numpy'"),
        (["numpy", "numpy"], {}, "'numpy' is named twice"),
        ([], {}, "nothing to examine"),
        ("numpy", {"only": f"{ONE}x"}, f"Did you mean '{ONE}'"),
        ("numpy", {"timeout_seconds": 0.0}, "--timeout: 0 is no time limit"),
        ("numpy", {"timeout_seconds": float("nan")}, "--timeout: nan is no time limit"),
        ("numpy", {"timeout_seconds": float("inf")}, "--timeout: inf is no time limit"),
        (object(), {}, "has no fit"),
    ],
)
def test_what_cannot_be_used_is_refused_and_nothing_written(
    examined: list[Any], tmp_path: Path, given: Any, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(GnbBenchError, match=words):
        conformance(given, out=tmp_path / "here", **options)

    assert examined == []
    assert not (tmp_path / "here").exists()


def test_a_report_of_another_implementation_is_kept(
    examined: list[Any], tmp_path: Path
) -> None:
    conformance("numpy", out=tmp_path)
    before = (tmp_path / "summary.json").read_bytes()

    with pytest.raises(ResultsError, match="another plan"):
        conformance("sklearn", out=tmp_path)

    assert len(examined) == 1
    assert (tmp_path / "summary.json").read_bytes() == before


class Interrupting(Progress):
    """A listener that interrupts after the first step."""

    def advance(self, steps: int) -> None:
        super().advance(steps)
        raise KeyboardInterrupt


def test_what_was_examined_is_kept_and_drawn_again(
    examined: list[Any], tmp_path: Path
) -> None:
    names = ["numpy", "sklearn"]
    with pytest.raises(KeyboardInterrupt):
        conformance(names, out=tmp_path, progress=Interrupting())
    with pytest.raises(ResultsError, match=r"not finished \(1 of 2\)"):
        draw_again(tmp_path)

    study = conformance(names, out=tmp_path)
    again = draw_again(tmp_path)

    assert [call[0] for call in examined] == names
    assert study.page() == again.page() == (tmp_path / "index.html").read_text()


def test_code_that_changed_is_examined_again(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    names = set()
    for smoothing in (1e-9, 1e-3):
        file.write_text(
            "from sklearn.naive_bayes import GaussianNB\n"
            f"class Mine(GaussianNB):\n    smoothing = {smoothing}\n"
        )
        names.add(conformance_plan([f"{file}:Mine"]).directory_name)

    assert len(names) == 2


def test_results_are_kept_to_the_last_digit(conformance_of: Give) -> None:
    summary = conformance_of("faulty", "perfect", "nothing")

    for one in summary.examined:
        kept = _examined(json.loads(json.dumps(_noted(one))))

        again = replace(summary, examined=(kept,))
        alone = replace(summary, examined=(one,))
        assert conformance_document(again) == conformance_document(alone)
