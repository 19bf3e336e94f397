"""``gnbbench diff``: what it says in 80 columns and in JSON, and what it exits with."""

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from reading.commands import call as called
from reading.commands import undrawn_studies

import gnbbench
from gnbbench.studies.store import FILE_NAME

pytestmark = pytest.mark.slow


def call(*arguments: object) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr of one call."""
    code, out, err = called("diff", *arguments)
    return code, out, err


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Give a study, one with a worse implementation under the same name, other splits."""
    root = tmp_path_factory.mktemp("studies")
    worse = {"numpy": gnbbench.GaussianNB(var_smoothing=0.5)}
    changes: dict[str, dict[str, Any]] = {
        "old": {},
        "worse": {"against": worse},
        "seed": {"seed": 7},
    }
    for name, options in changes.items():
        with undrawn_studies():
            gnbbench.compare(
                "iris", runs=10, out=root / name, budget_seconds=0.05, **options
            )
    return {name: root / name for name in changes}


def edited(study: Path, target: Path, part: str, **values: str) -> Path:
    """Write the records of a study with some values of its environment changed."""
    target.mkdir()
    shutil.copy(study / FILE_NAME, target)
    connection = sqlite3.connect(target / FILE_NAME)
    with connection:
        query = "UPDATE study SET value = json_set(value, ?, ?) WHERE key = 'environment'"
        for name, value in values.items():
            connection.execute(query, (f"$.{part}.{name}", value))
    connection.close()
    return target


def test_the_same_study_twice_is_the_same_and_exits_0(studies: dict[str, Path]) -> None:
    code, out, err = call(studies["old"], studies["old"])

    assert (code, err) == (0, "")
    assert out.startswith("Same results: no metric of any implementation differs.\n")
    assert "Paired run by run" in out
    assert "Times are not judged" not in out
    assert max(map(len, out.splitlines())) <= 80
    assert call(studies["old"], studies["old"], "--quiet") == (0, "", "")


def test_a_regression_exits_1_and_is_named(studies: dict[str, Path]) -> None:
    code, out, err = call(studies["old"], studies["worse"])

    (conclusion, _) = " ".join(out.split()).split(" Paired run by run")
    assert (code, err) == (1, "")
    assert conclusion.startswith("A loss of more than 0.01 in ")
    assert "of numpy" in conclusion
    assert "regression" in out
    assert "of sklearn" not in conclusion
    assert max(map(len, out.splitlines())) <= 80
    quiet = call(studies["old"], studies["worse"], "--quiet")
    assert quiet == (1, "", f"gnbbench: {conclusion}\n")


@pytest.mark.parametrize(("old", "new"), [("old", "seed"), ("seed", "old")])
def test_a_loss_that_is_not_ruled_out_exits_3(
    old: str, new: str, studies: dict[str, Path]
) -> None:
    """Of two seeds one is worse by chance; the intervals reach beyond a point both ways."""
    code, out, err = call(studies[old], studies[new])

    assert (code, err) == (3, "")
    assert "Cannot rule out a loss of more than 0.01 in test accuracy of sklearn" in out
    assert "\n sklearn test accuracy " in out
    assert "Unpaired: the splits differ (seed)." in out
    assert "Plan, seed: " in out
    assert call(studies[old], studies[new], "--tolerance", "10")[0] == 0


@pytest.mark.parametrize(
    ("part", "values", "words"),
    [
        ("machine", {"cpu": "another one"}, "Machine, cpu: was another one, now"),
        ("versions", {"numpy": "1.0"}, "numpy: was 1.0, now"),
    ],
)
def test_on_another_machine_or_version_no_time_is_judged(
    part: str, values: dict[str, str], words: str, studies: dict[str, Path], tmp_path: Path
) -> None:
    old = edited(studies["old"], tmp_path / "old", part, **values)

    code, out, _ = call(old, studies["old"])
    document = json.loads(call(old, studies["old"], "--json")[1])

    assert code == 0
    assert "Times are not judged: " + words in " ".join(out.split())
    assert "is judged, against" not in out
    assert {row["speed"] for row in document["times"]} == {"not judged"}


def test_on_the_same_machine_times_are_judged(studies: dict[str, Path]) -> None:
    """Negative control of the test above."""
    document = json.loads(call(studies["old"], studies["old"], "--json")[1])

    speeds = {row["speed"] for row in document["times"] if row["implementation"] == "numpy"}
    assert speeds <= {"not separated", "too noisy"}
    assert speeds
    assert document["environment"] == []


def test_json_is_all_that_stdout_gets(studies: dict[str, Path]) -> None:
    code, out, _ = call(studies["old"], studies["worse"], "--json")

    document = json.loads(out)
    assert code == 1
    assert document["paired"] is True
    assert document["tolerance"] == 0.01
    assert {"point", "metric", "low", "high", "change"} <= set(document["changes"][0])
