"""Whatever code of others does, the study goes on and nobody else's records change."""

import textwrap
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from faults.studies import prepared

import gnbbench
from gnbbench import Study
from gnbbench.errors import MissingLibraryError
from gnbbench.implementations.catalogue import LIBRARIES
from gnbbench.studies.configuration import config_text

PLAIN = """
import os, random, sys, time
import numpy as np
from sklearn.naive_bayes import GaussianNB

class Mine(GaussianNB):
    pass
"""
FAULTS = {
    "hangs": "time.sleep(60)",
    "exits": "os._exit(3)",
    "leaves": "sys.exit(1)",
    "raises": "raise ValueError('no luck')",
    "nothing": "return None",
    "wrong shape": "return np.zeros((2, 2))",
    "unseen label": "return np.full(len(X), 99)",
}

Write = Callable[..., str]


@pytest.fixture
def plug_in(tmp_path: Path) -> Write:
    """Write a plug-in whose `predict` first does what is given, and return its name."""

    def write(statement: str = "") -> str:
        body = f"    def predict(self, X):\n        {statement}\n" if statement else ""
        body += "        return super().predict(X)\n" if statement else ""
        path = tmp_path / "mine.py"
        path.write_text(textwrap.dedent(PLAIN).replace("    pass\n", body or "    pass\n"))
        return f"{path}:Mine"

    return write


def compared(against: list[str]) -> Study:
    return gnbbench.compare(
        "iris", against=against, runs=3, timeout_seconds=1.0, budget_seconds=0.02
    )


def rows_of(study: Study, name: str) -> pd.DataFrame:
    runs = study.runs
    own: pd.DataFrame = runs[runs["implementation"] == name].reset_index(drop=True)
    return own


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "status"),
    [
        ("hangs", "timeout"),
        ("exits", "crash"),
        ("leaves", "error"),
        ("raises", "error"),
        ("nothing", "error"),
        ("wrong shape", "error"),
        ("unseen label", "ok"),
    ],
)
def test_a_fault_is_a_record_and_the_others_are_as_without_it(
    plug_in: Write, fault: str, status: str
) -> None:
    alone = compared(["numpy"])

    study = compared(["numpy", plug_in(FAULTS[fault])])

    assert rows_of(study, "Mine")["status"].tolist() == [status] * 3
    for name in ("sklearn", "numpy"):
        pd.testing.assert_frame_equal(rows_of(study, name), rows_of(alone, name))
    if status != "ok":
        assert any("Mine failed in 3 of 3 runs" in text for text in study.details.warnings)


@pytest.mark.slow
@pytest.mark.parametrize("statement", ["X += 1e6", "print('noise' * 100000)"])
def test_what_it_prints_or_does_to_its_input_stays_with_it(
    plug_in: Write, statement: str, capfd: pytest.CaptureFixture[str]
) -> None:
    alone = compared(["numpy"])

    study = compared([plug_in(statement), "numpy"])

    assert rows_of(study, "Mine")["status"].eq("ok").all()
    for name in ("sklearn", "numpy"):
        pd.testing.assert_frame_equal(rows_of(study, name), rows_of(alone, name))
    assert capfd.readouterr().out == ""


@pytest.mark.slow
def test_a_sound_plug_in_agrees_and_is_timed(plug_in: Write) -> None:
    study = compared([plug_in()])

    assert study.details.verdicts[0].outcome == "identical"
    assert not any("not timed" in text for text in study.details.warnings)


def test_an_edited_file_is_another_plan_and_the_plan_can_be_repeated(
    plug_in: Write,
) -> None:
    name = plug_in()
    first = prepared("iris", against=[name, "numpy?var_smoothing=0.1"], runs=2)
    plug_in("pass")

    second = prepared("iris", against=[name, "numpy?var_smoothing=0.1"], runs=2).plan

    assert first.plan.identifier != second.identifier
    assert first.plan.against == ("Mine", "numpy?var_smoothing=0.1")
    assert f'against = ["{name}", "numpy?var_smoothing=0.1"]' in config_text(first)


def test_a_library_that_is_not_installed_is_refused_with_the_remedy() -> None:
    absent = [library for library in LIBRARIES if library.version is None]
    if not absent:
        pytest.skip("every library is installed")

    with pytest.raises(MissingLibraryError, match="pip install"):
        prepared("iris", against=[absent[0].name])
