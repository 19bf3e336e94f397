"""Whatever third-party code does, the study continues and other records are unchanged."""

import os
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from faults.studies import prepared

import gnbbench
from gnbbench import Study
from gnbbench.conformance.battery import CHECKS
from gnbbench.studies.configuration import config_text

HEAD = """
import os, sys, time
import numpy as np
from gnbbench.core import GaussianNB
"""
SOUND = {
    "Sound": "pass",
    "ChangesItsInput": "X += 1e6",
    "Prints": "print('noise' * 100000)",
    "UnseenLabel": "return np.full(len(X), 99)",
}
# What `predict` does -> the status of its runs.
FAULTS = {
    "time.sleep(60)": "timeout",
    "os._exit(3)": "crash",
    "sys.exit(1)": "error",
    "raise BaseException('mine')": "error",
    "raise KeyboardInterrupt": "error",
}


def write(path: Path, **statements: str) -> list[str]:
    """Write classes whose `predict` first does what is given, and return their names."""
    classes = (
        f"class {name}(GaussianNB):\n    def predict(self, X):\n        {statement}\n"
        "        return super().predict(X)\n"
        for name, statement in statements.items()
    )
    path.write_text(HEAD + "".join(classes))
    return [f"{path}:{name}" for name in statements]


def compared(*against: str) -> Study:
    limits = {"timeout_seconds": 1.0, "budget_seconds": 0.02}
    return gnbbench.compare("iris", against=against, runs=2, **limits)


def rows_of(study: Study, name: str) -> pd.DataFrame:
    rows: pd.DataFrame = study.runs[study.runs["implementation"] == name]
    return rows.reset_index(drop=True)


@pytest.fixture(scope="module")
def alone() -> Study:
    """Return the study without third-party code."""
    return compared("numpy")


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_a_fault_is_a_record_and_changes_no_other(alone: Study, tmp_path: Path) -> None:
    mine = {f"Mine{place}": statement for place, statement in enumerate(FAULTS)}

    study = compared("numpy", *write(tmp_path / "mine.py", **mine))

    for name, statement in mine.items():
        assert rows_of(study, name)["status"].tolist() == [FAULTS[statement]] * 2, statement
        words = f"{name} failed in 2 of 2 runs"
        assert any(words in text for text in study.details.warnings), statement
    for name in ("sklearn", "numpy"):
        pd.testing.assert_frame_equal(rows_of(study, name), rows_of(alone, name))


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_its_output_and_changes_to_its_input_stay_in_its_process(
    alone: Study, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    study = compared(*write(tmp_path / "mine.py", **SOUND), "numpy")

    assert capfd.readouterr().out == ""
    for name in SOUND:
        assert rows_of(study, name)["status"].eq("ok").all()
    for name in ("sklearn", "numpy"):
        pd.testing.assert_frame_equal(rows_of(study, name), rows_of(alone, name))
    outcomes = {v.implementation: v.outcome for v in study.details.verdicts}
    assert outcomes["Sound"] == "identical"
    assert not any("not timed" in text for text in study.details.warnings)


def test_an_edited_file_is_another_plan_and_a_plan_can_be_repeated(tmp_path: Path) -> None:
    (name,) = write(tmp_path / "mine.py", Sound="pass")
    against = [name, "numpy?var_smoothing=0.1"]
    first = prepared("iris", against=against, runs=2)
    write(tmp_path / "mine.py", Sound="return None")

    second = prepared("iris", against=against, runs=2)

    assert first.directory_name != second.directory_name
    assert first.plan["against"] == ["Sound", "numpy?var_smoothing=0.1"]
    assert f'against = ["{name}", "numpy?var_smoothing=0.1"]' in config_text(first)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "options", "words"),
    [
        ("explain", {"data": "iris", "runs": 2, "timeout_seconds": 30.0}, "same answers"),
        ("examine_conformance", {"only": CHECKS[0].id}, "passes the only check"),
    ],
)
def test_third_party_code_is_never_loaded_in_this_process(
    function: str,
    options: dict[str, Any],
    words: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        f"import os\nassert os.getpid() != {os.getpid()}\nprint('loading')\n"
        "from gnbbench.core import GaussianNB\nclass Mine(GaussianNB):\n    pass\n"
    )
    name = "against" if function == "explain" else "implementation"

    study = getattr(gnbbench, function)(**{name: f"{file}:Mine"}, **options)

    assert words in study.verdict
    assert study.details.plan["digests"].keys() == {"Mine"}
    assert capfd.readouterr().out == ""
