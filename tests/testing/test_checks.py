"""The battery as tests: one for each check, run by pytest in a process of its own."""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from faults.planted import PlainGNB

from gnbbench.conformance.battery import CHECKS, checks_of
from gnbbench.conformance.contract import Finding, HardCase
from gnbbench.core import GaussianNB
from gnbbench.errors import GnbBenchError
from gnbbench.testing import ReadyCheck, conformance_checks

TESTS = Path(__file__).parents[1]
FILE = """
from faults.planted import CancellingVariance, PlainGNB

from gnbbench.testing import assert_agreement, conformance_checks
from sklearn.datasets import load_wine

@conformance_checks("numpy", only=["offsets", "ties"])
def test_sound(check):
    check()

@conformance_checks(CancellingVariance(), only=["offset-1e9"])
def test_faulty(check):
    check()

@conformance_checks(PlainGNB, only=["partial_fit"])
def test_offers_less(check):
    check()

@conformance_checks(CancellingVariance, only=["offset-1e9", "published values"],
    expected_failures=["offset-1e9", "published-toy-example"])
def test_known(check):
    check()

def test_agreement():
    assert_agreement(CancellingVariance, *[load_wine().data + 1e8, load_wine().target])
"""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Give what pytest prints of a file that uses both, faults planted."""
    path = tmp_path_factory.mktemp("mine") / "test_mine.py"
    path.write_text(FILE)
    command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "-W", "error", str(path)],
        cwd=path.parent,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def ids(*names: str) -> list[str]:
    """Return the ids of these checks and families."""
    return [check.id for check in checks_of(names)]


def results(session: str, test: str) -> dict[str, str]:
    """Return the outcome of every check of one test function."""
    line = re.compile(rf"^(\w+) test_mine\.py::{test}\[([^\]]+)\]", re.MULTILINE)
    return {check: outcome for outcome, check in line.findall(session)}


@pytest.mark.slow
def test_there_is_one_test_for_each_check_and_a_fault_says_all_of_it(session: str) -> None:
    (check,) = checks_of(["offset-1e9"])

    sound, faulty = results(session, "test_sound"), results(session, "test_faulty")
    assert sound == dict.fromkeys(ids("offsets", "ties"), "PASSED")
    assert faulty == {"offset-1e9": "FAILED"}
    assert re.search(r"E +AssertionError: offset-1e9: fail, measured .* allowed", session)
    assert f"What must hold: {check.statement}" in session
    assert f"Source: {check.source}" in session
    assert "judgement.py" not in session  # the user's own line is what is shown


@pytest.mark.slow
def test_unsupported_checks_are_skipped_and_known_failures_expected(session: str) -> None:
    skipped = re.findall(r"^SKIPPED \[(\d+)\].*partial_fit", session, re.MULTILINE)
    outcomes = results(session, "test_known")

    assert sum(map(int, skipped)) == len(ids("partial_fit"))
    assert outcomes["offset-1e9"] == "XFAIL"
    assert outcomes["published-toy-example"] == "FAILED"
    assert "[XPASS(strict)] known to fail" in session
    assert Counter(outcomes.values())["PASSED"] == len(ids("published values")) - 1


@pytest.mark.slow
def test_an_agreement_that_fails_shows_its_diagnosis(session: str) -> None:
    assert re.search(r"E +AssertionError: CancellingVariance does not agree with", session)
    assert re.search(r"E +Diagnosis: CancellingVariance ", session)
    assert "cancellation" in session


def cases(mark: Any) -> list[Any]:
    """Return the parameters that a mark of pytest holds."""
    return list(mark.args[1])


def test_all_checks_are_taken_unless_some_are_named() -> None:
    found = [one.id for one in cases(conformance_checks("numpy"))]

    assert found == [check.id for check in CHECKS]


def test_every_model_is_a_fresh_one() -> None:
    model = GaussianNB()

    ready = cases(conformance_checks(model, only=["tie-first-class"]))[0].values[0]
    ready()

    assert not hasattr(model, "theta_")
    assert ready.make() is not ready.make()


def leave(_make: Any) -> Finding:
    raise SystemExit(3)


@pytest.mark.parametrize(
    ("examine", "tolerance", "words"),
    [
        (lambda _: Finding(float("nan")), 1e-9, "made-1: fail, measured nan, at most 1e-0"),
        (lambda _: Finding(holds=False, message="a\nb"), None, "made-1: fail\na\nb"),
        (leave, None, "made-1: crash\nit asked Python to exit with 3"),
    ],
)
def test_failed_checks_give_evidence(examine: Any, tolerance: Any, words: str) -> None:
    check = HardCase("made-1", "made", "It holds.", tolerance, "", "", examine)

    with pytest.raises(AssertionError) as caught:
        ReadyCheck(check, PlainGNB)()

    assert str(caught.value).startswith(words)
    assert str(caught.value).endswith("\nWhat must hold: It holds.")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"only": ["ofsets"]}, "only: there is no check or family 'ofsets'. Did you mean"),
        ({"expected_failures": ["offset-1e99"]}, "expected_failures: there is no check"),
        ({"expected_failures": ["offsets"]}, "expected_failures: there is no check"),
        ({"model": "nunpy"}, "Did you mean 'numpy'"),
    ],
)
def test_unknown_names_are_reported(options: dict[str, Any], words: str) -> None:
    with pytest.raises(GnbBenchError) as caught:
        conformance_checks(**{"model": "numpy", **options})

    assert words in str(caught.value)
