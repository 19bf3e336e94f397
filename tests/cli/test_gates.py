"""Gates of the command line: exit code, and a line each."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
import typer
from faults.invented import with_tables
from oracle.studies import invent_times
from reading.commands import call, undrawn_studies

from gnbbench.cli.exits import judge
from gnbbench.errors import OptionError
from gnbbench.studies.compare import compare
from gnbbench.studies.options import GateOptions

OPERATIONS = ("fit", "predict", "predict_proba")
SMOOTH = "sklearn?var_smoothing=0.5"


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave out what no gate judges, and have times that depend on no machine."""
    invent_times(monkeypatch)
    with undrawn_studies():
        yield


def gate(*arguments: str) -> tuple[int, str]:
    """Return exit code and stderr of a command whose labels have to agree."""
    code, _, err = call(*arguments, "-q", "--fail-if-disagreement")
    return code, err


@pytest.mark.slow
@pytest.mark.parametrize(
    "study",
    [
        ["compare", "iris", "--runs", "2"],
        ["sweep-split", "iris", "--runs", "2", "--train-fractions", "0.5,0.8"],
        ["run", "a.toml"],
    ],
    ids=["compare", "sweep-split", "run"],
)
@pytest.mark.usefixtures("directory", "fast")
def test_every_study_can_be_a_gate(study: list[str]) -> None:
    assert gate(*study, "--fail-if-slower-than", "1000") == (0, "")


@pytest.mark.slow
@pytest.mark.usefixtures("directory", "fast")
def test_labels_and_times_beyond_the_limit_fail_with_a_line_each() -> None:
    command = ["compare", "iris", "--runs", "2", "--fail-if-slower-than", "0.001"]

    code, err = gate(*command, "--against", SMOOTH)

    lines = err.splitlines()
    assert code == 1
    assert all(line.startswith("gnbbench: gate failed: ") for line in lines)
    assert f"{SMOOTH} against sklearn: labels differ in 2 of 2 runs." in lines[0]
    for line, operation in zip(lines[1:], OPERATIONS, strict=True):
        assert f"gate failed: {operation}: {SMOOTH} is " in line
    asked = "; at least 1000× faster is required."
    assert all(line.endswith(asked) for line in lines[1:])


@pytest.mark.slow
@pytest.mark.usefixtures("directory", "fast")
def test_an_implementation_that_fails_passes_nothing() -> None:
    command = ["compare", "iris", "--runs", "2", "--fail-if-slower-than", "1000"]
    command += ["--against", "numpy", "--against", "mine.py:Refuses", "--timeout", "0"]

    code, err = gate(*command)

    assert code == 1
    assert "Refuses failed in 2 of 2 runs" in err
    assert "has no time to judge" not in err
    assert not re.search("gate failed: .*numpy", err)


@pytest.mark.usefixtures("directory")
@pytest.mark.parametrize(
    ("given", "seconds"),
    [([], 60.0), (["--timeout", "2.5"], 2.5), (["--timeout", "0"], None)],
    ids=["default", "given", "without"],
)
@pytest.mark.parametrize(
    "study",
    [["compare", "iris"], ["sweep-split", "iris"], ["run", "a.toml"]],
    ids=["compare", "sweep-split", "run"],
)
def test_third_party_code_gets_the_time_limit(
    study: list[str],
    given: list[str],
    seconds: float | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[float | None] = []

    def stop(*_: object, timeout_seconds: float | None, **_others: object) -> None:
        seen.append(timeout_seconds)
        raise OptionError("--timeout", "seen", "Nothing to mend.")

    monkeypatch.setattr("gnbbench.studies.compare.implementations", stop)
    code, _, _ = call(*study, *given)

    assert (code, seen) == (2, [seconds])


RATIOS = {
    "pass": {"ratio": 1.0, "low": 0.9, "high": 1.1},
    "fail": {"ratio": 9.0, "low": 8.0, "high": 9.5},
    "inconclusive": {"ratio": 1.5, "low": 1.3, "high": 1.7},
}


@pytest.fixture(scope="module")
def timed() -> Callable[..., Any]:
    """Give a study whose times were never taken: the ratios of all operations as named."""
    details = compare("iris", runs=2, budget_seconds=0.01).details

    def give(*outcomes: str, dataset: str = "iris") -> Any:
        rows = [
            {
                "implementation": "numpy",
                "operation": operation,
                **RATIOS[outcome],
                "floor_low": 0.99,
                "floor_high": 1.01,
                "speed": "not separated",
            }
            for operation, outcome in zip(OPERATIONS, outcomes, strict=True)
        ]
        described = replace(details.dataset, name=dataset)
        changed = replace(details, data=described)
        changed = with_tables(changed, ratios=pd.DataFrame(rows))
        return SimpleNamespace(details=changed)

    return give


def ended(*studies: Any, **asked: Any) -> int:
    """Return what judging studies by some gates exits with."""
    try:
        judge(GateOptions(**asked), studies)
    except typer.Exit as end:
        return end.exit_code
    return 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("outcomes", "code", "starts"),
    [
        (["pass", "pass", "pass"], 0, []),
        (["pass", "inconclusive", "pass"], 3, ["inconclusive: predict: numpy"]),
        (
            ["inconclusive", "fail", "pass"],
            1,
            ["gate failed: predict: numpy", "inconclusive: fit: numpy"],
        ),
    ],
)
def test_the_exit_code_equals_that_of_the_worst_gate(
    outcomes: list[str],
    code: int,
    starts: list[str],
    timed: Callable[..., Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    exit_code = ended(timed(*outcomes), fail_if_disagreement=True, fail_if_slower_than=1.5)

    printed = capsys.readouterr()
    assert (exit_code, printed.out) == (code, "")
    lines = printed.err.splitlines()
    assert len(lines) == len(starts)
    for line, start in zip(lines, starts, strict=True):
        assert line.startswith(f"gnbbench: {start} is ")


UNCOMPARED = ": no labels to compare with sklearn"


@pytest.mark.parametrize(
    ("outcomes", "allow", "code", "text"),
    [
        (["identical", "failed"], False, 1, f"b{UNCOMPARED}"),
        (["failed"] * 2, False, 1, f"a{UNCOMPARED}; b{UNCOMPARED}"),
        (["identical", "failed"], True, 0, ""),
        (["cannot tell", "different"], False, 0, ""),
    ],
)
def test_implementations_never_compared_fail_without_a_gate(
    outcomes: list[str],
    allow: bool,
    code: int,
    text: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    outcome_of = dict(zip("ab", outcomes, strict=True))
    silent = [name for name, outcome in outcome_of.items() if outcome == "failed"]
    summary = SimpleNamespace(details={"silent": silent}, reference="sklearn")
    study: Any = SimpleNamespace(details=summary)

    exit_code = ended(study, allow_failures=allow)

    line = f"gnbbench: {text}. To exit with 0: --allow-failures\n" if text else ""
    assert (exit_code, capsys.readouterr().err) == (code, line)


def test_datasets_without_labels_are_listed_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    studies: Any = [
        SimpleNamespace(
            details=SimpleNamespace(
                details={"silent": ["a"]},
                reference="sklearn",
                dataset=SimpleNamespace(name=name),
            )
        )
        for name in ("iris", "wine")
    ]

    assert ended(*studies) == 1
    line = f"gnbbench: a{UNCOMPARED} on iris and wine. To exit with 0: --allow-failures\n"
    assert capsys.readouterr().err == line


def test_several_datasets_are_distinguished(
    timed: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    good = timed("pass", "pass", "pass", dataset="wine")
    slow = timed("fail", "pass", "pass")

    exit_code = ended(good, slow, fail_if_slower_than=1.5)

    assert exit_code == 1
    assert capsys.readouterr().err.startswith("gnbbench: gate failed: iris: fit: numpy is ")
