"""The runner outlives every implementation, and leaves nothing behind."""

import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pytest

import gnbbench
from gnbbench.conformance.battery import CHECKS, LARGE, checks_of, examine, run_check
from gnbbench.conformance.contract import HardCase
from gnbbench.core import GaussianNB
from gnbbench.errors import ImplementationError
from gnbbench.implementations import Implementation, implementation

TWO = checks_of(["published-toy-example", "tie-first-class"])

# What each does when it is trained on the six rows of the first of the two checks.
MISDEEDS = {
    "Hangs": "time.sleep(1000.0)",
    "Exits": "os._exit(7)",
    "AsksToExit": "sys.exit(4)",
    "Segfaults": "os.kill(os.getpid(), signal.SIGSEGV)",
    "Raises": 'raise KeyError("no such\\nthing")',
    "Prints": 'print("x" * 1_000_000), os.write(1, b"to one"), os.write(2, b"to two")',
}
PLUG_IN = """
import os, signal, sys, time
from gnbbench.core import GaussianNB

class Plain(GaussianNB):
    def fit(self, X, y, sample_weight=None):
        if len(X) == 6:
            self.misbehave()
        return super().fit(X, y, sample_weight)

    def misbehave(self):
        pass

class DiesWhereItIsLoaded:
    def __reduce__(self):
        return os._exit, (3,)

    def __call__(self):
        return Plain()
"""


class FitPredictOnly:
    """Offers nothing but what every classifier has."""

    def fit(self, X: Any, y: Any) -> None:
        self.model = GaussianNB().fit(X, y)

    def predict(self, X: Any) -> Any:
        return self.model.predict(X)


def fit_predict(X_train: Any, y_train: Any, X_test: Any) -> Any:
    return GaussianNB().fit(X_train, y_train).predict(X_test)


@pytest.fixture
def plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    body = "class {}(Plain):\n    def misbehave(self):\n        {}\n"
    source = PLUG_IN + "".join(body.format(*each) for each in MISDEEDS.items())
    (tmp_path / "plug_in_under_test.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("plug_in_under_test")
    del sys.modules["plug_in_under_test"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "outcome", "message"),
    [
        ("Plain", "pass", "all 1 labels right"),
        ("Prints", "pass", "all 1 labels right"),
        ("Raises", "fail", "KeyError: 'no such\\nthing'"),
        ("AsksToExit", "crash", "it asked Python to exit with 4"),
        ("Exits", "crash", "the process ended with exit code 7"),
        ("Segfaults", "crash", "the process died of SIGSEGV"),
        ("Hangs", "timeout", "no answer within 2 s"),
        (
            "DiesWhereItIsLoaded",
            "crash",
            "while it was loaded: the process ended with exit code 3",
        ),
    ],
)
def test_the_end_of_a_check_is_reported_and_the_next_one_runs(
    plug_in: Any, capfd: pytest.CaptureFixture[str], name: str, outcome: str, message: str
) -> None:
    # An implementation that dies while loading crashes every check.
    dies = name == "DiesWhereItIsLoaded"
    make = plug_in.DiesWhereItIsLoaded() if dies else getattr(plug_in, name)
    seconds = 2.0 if name == "Hangs" else 60.0

    examination = examine(Implementation(name, make), TWO, timeout_seconds=seconds)

    first, second = examination.results
    assert (first.outcome, first.message.partition(" (")[0]) == (outcome, message)
    assert second.check.id == TWO[1].id
    assert second.outcome == ("crash" if dies else "pass")
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_a_class_of_a_function_is_examined_in_another_process_too() -> None:
    class Local(GaussianNB):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            if len(X) == 6:
                os.abort()
            return super().fit(X, y, sample_weight)

    examination = examine(Implementation("local", Local), [*TWO, _check("pickled")])

    outcomes = [result.outcome for result in examination.results]
    assert outcomes == ["crash", "pass", "pass"]  # The last on a copy


def test_values_that_cannot_be_sent_are_refused() -> None:
    lock = Lock()

    with pytest.raises(ImplementationError, match=r"locked: cannot be sent.*file.py:Class"):
        examine(Implementation("locked", lambda: lock), TWO)


@pytest.mark.slow
def test_a_version_equals_that_of_the_package() -> None:
    found = [examine(implementation(name), TWO) for name in ("numpy", "sklearn")]

    assert found[0].version == gnbbench.__version__
    assert found[1].version.count(".") >= 1
    assert found[0].implementation == "numpy"


@pytest.mark.parametrize("make", [FitPredictOnly, implementation(fit_predict).make])
def test_unsupported_checks_neither_pass_nor_fail(make: Callable[[], Any]) -> None:
    results = [run_check(check, make) for check in CHECKS]

    outcomes = {result.check.id: result.outcome for result in results}
    assert set(outcomes.values()) == {"pass", "not applicable"}
    not_applicable = {name for name, one in outcomes.items() if one == "not applicable"}
    families = {check.id: check.family for check in CHECKS}
    whole = {"weights", "partial_fit", "parameters", "certified data"}
    of_families = {name for name, family in families.items() if family in whole}
    others = (
        "published-iris-confidence published-cancer-confidence offset-1e9-variances "
        "float32-counts empty-class empty-class-with-prior tie-probabilities "
        "sorted-classes probabilities-sum log-probabilities-far small-probabilities score "
        "joint-to-posterior probabilities-to-labels copy-by-parameters negative-smoothing "
        "priors-sum priors-number negative-prior negative-weight unknown-label"
    )
    assert not_applicable == of_families | set(others.split())


class Unfinished(GaussianNB):
    def predict_proba(self, X: Any) -> Any:
        raise NotImplementedError


class Column(GaussianNB):
    def predict(self, X: Any) -> Any:
        return super().predict(X)[:, np.newaxis]


class Silent(GaussianNB):
    """Forgets to return what it has found."""

    def predict(self, X: Any) -> Any:
        super().predict(X)


def without_licence() -> Any:
    raise RuntimeError("no licence")


TOY = "published-toy-example"


@pytest.mark.parametrize(
    ("check", "make", "outcome", "message"),
    [
        (
            "probabilities-sum",
            Unfinished,
            "not applicable",
            "its predict_proba is not imple",
        ),
        (TOY, Column, "fail", "predict gave shape (1, 1) for 1 row"),
        (TOY, Silent, "fail", "predict gave nothing for 1 row"),
        (TOY, without_licence, "fail", "RuntimeError: no licence"),
    ],
)
def test_invalid_answers_have_their_own_messages(
    check: str, make: Callable[[], Any], outcome: str, message: str
) -> None:
    result = run_check(_check(check), make)

    text = result.message.partition(" (test_examination.py, line ")[0]
    assert (result.outcome, result.measured) == (outcome, None)
    assert text.startswith(message)


def test_a_nan_is_never_within_a_tolerance() -> None:
    class Nowhere(GaussianNB):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            super().fit(X, y, sample_weight)
            self.theta_ = self.theta_ * np.nan
            return self

    result = run_check(_check("exact-means"), Nowhere)

    assert result.outcome == "fail"
    assert result.measured is not None
    assert np.isnan(result.measured)


def _check(name: str) -> HardCase:
    (check,) = checks_of([name])
    return check


def test_interrupts_of_the_user_go_through() -> None:
    def make() -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_check(_check("published-toy-example"), make)


def test_the_largest_cases_come_last_within_a_budget_and_stand_in_their_order() -> None:
    chosen = checks_of(["sizes", "tie-first-class"])
    entry = implementation("numpy")

    (only,) = examine(entry, chosen, budget_seconds=1e-9).results
    whole = examine(entry, chosen, budget_seconds=60.0).results

    assert only.check.id not in LARGE
    assert [result.check for result in whole] == [*chosen]
    assert {check.id for check in CHECKS} > {*LARGE}
