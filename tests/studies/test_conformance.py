"""A study of conformance: what is settled before, kept in between, and refused."""

from pathlib import Path
from typing import Any

import pytest
from faults.listeners import Listener

from gnbbench.conformance.battery import CHECKS
from gnbbench.conformance.contract import Conformance, HardCase
from gnbbench.core import GaussianNB
from gnbbench.errors import ConfigurationError, GnbBenchError, MissingLibraryError
from gnbbench.implementations import Implementation
from gnbbench.studies import conformance
from gnbbench.studies.options import ConformanceOptions

ONE = CHECKS[0].id
FAMILY = CHECKS[0].family
LAST = CHECKS[-1].id


def planned(given: Any = None, **options: Any) -> conformance.PreparedConformance:
    """Return the study of options, settled."""
    asked = ConformanceOptions(implementation=given, **options)
    return conformance.ExamineConformance().prepare(asked)


@pytest.fixture
def examined(
    monkeypatch: pytest.MonkeyPatch, made_examination: Conformance
) -> list[tuple[str, list[HardCase], float]]:
    """Put made results in place of examinations; gives the calls."""
    calls = []

    def examine(
        entry: Implementation, checks: tuple[HardCase, ...], *, timeout_seconds: float
    ) -> Conformance:
        calls.append((entry.name, [*checks], timeout_seconds))
        made = made_examination
        return Conformance(entry.name, entry.description, made.version, made.results)

    monkeypatch.setattr("gnbbench.studies.conformance.examine", examine)
    return calls


@pytest.mark.slow
def test_a_file_that_dies_when_loaded_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "dies.py"
    file.write_text("import os\nos._exit(3)\n")

    with pytest.raises(GnbBenchError, match=r"dies\.py"):
        conformance.conformance(f"{file}:Mine", only=ONE)


def test_a_partial_battery_says_so_and_each_check_is_heard(examined: list[Any]) -> None:
    progress = Listener()
    wanted = [check for check in CHECKS if check.family == FAMILY or check.id == LAST]
    options: dict[str, Any] = {"only": [LAST, FAMILY], "timeout_seconds": 5.0}

    both = [GaussianNB, GaussianNB()]
    study = conformance.conformance(both, progress=progress, **options)

    names = ["GaussianNB", "GaussianNB 2"]
    assert examined == [(name, wanted, 5.0) for name in names]
    assert study.details.warnings[0].startswith(f"Only {LAST} and {FAMILY}: ")
    assert study.details.command.endswith(f", only={options['only']}, timeout_seconds=5.0)")
    assert progress.told == [("conformance", 2, 0), 1, 1, ("report", None, 0)]


def test_all_are_those_that_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(entry: Implementation) -> None:
        if entry.name != "numpy":
            raise MissingLibraryError({entry.name: "absent"}, "pip install absent")

    monkeypatch.setattr("gnbbench.studies.conformance.check_installed", check)

    plan = planned(every=True).plan

    assert plan["implementations"] == ["numpy"]
    assert "sklearn" in plan["left_out"]


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        (f"# known\n\n  {LAST}  # why\n{ONE}\n{LAST}\n", (LAST, ONE)),
        ("\ufeff# nothing yet\n", ()),
    ],
)
def test_ids_are_read_without_comments_and_repetitions(
    tmp_path: Path, content: str, ids: tuple[str, ...]
) -> None:
    (tmp_path / "known.txt").write_text(content)

    assert conformance.expected_failures(tmp_path / "known.txt") == ids


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            f"# known\n{ONE}\n{ONE}x\n".encode(),
            rf"known\.txt, line 3: there is no .* Did you mean '{ONE}'\?",
        ),
        (b"\xff\xfe\x00", "byte 0 is not UTF-8"),
        (None, "cannot be read"),
    ],
)
def test_an_invalid_file_of_known_failures_is_an_error(
    tmp_path: Path, content: bytes | None, words: str
) -> None:
    file = tmp_path / "known.txt"
    if content is not None:
        file.write_bytes(content)

    with pytest.raises(ConfigurationError, match=words):
        conformance.expected_failures(file)
