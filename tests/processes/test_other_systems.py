"""Studies give the same results without features that only Linux or POSIX has."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import gnbbench
from gnbbench.measurement.environment import environment

pytestmark = pytest.mark.slow

TESTS = Path(__file__).parents[1]
HIDING = TESTS / "faults" / "other_systems"
# Records what it started in its own session; then it hangs or ends its process.
THIRD_PARTY = """
import os, subprocess, sys, time
from pathlib import Path
from gnbbench.core import GaussianNB
class Right(GaussianNB):
    pass
class Hanging(GaussianNB):
    def fit(self, X, y):
        Path("relative").touch()
        command = [sys.executable, "-c", "import time; time.sleep(600)"]
        started = subprocess.Popen(command, start_new_session=True)
        with Path(HERE, "started").open("a") as file:
            print(os.getpid(), started.pid, file=file, flush=True)
        time.sleep(600)
class Ending(GaussianNB):
    def predict(self, X):
        os._exit(3)
"""
STUDIES = """
import json, sys
from pathlib import Path
import gnbbench
import gnbbench.studies.check as checks
import gnbbench.studies.export as exports
from faults.listeners import Listener
from gnbbench.measurement.environment import environment
from gnbbench.measurement.memory import resident_growth
from gnbbench.measurement.scale import available_bytes
from gnbbench.implementations.names import words_in
from gnbbench.studies.store import discard
from reading.commands import undrawn_studies

checks.CHECKS, checks.TIMING_SECONDS = checks.CHECKS[:5], 0.1
exports.hard_datasets = dict
names = [f"third_party.py:{name}" for name in ("Right", "Hanging", "Ending")]
asked = dict(runs=24, budget_seconds=0.02, timeout_seconds=3.0, out="out")
with undrawn_studies():
    try:
        gnbbench.compare("iris", **asked, against=names[0], progress=Listener("runs"))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    right = gnbbench.compare("iris", **asked, against=names[0])
    discard(Path("out", "runs.sqlite"))
    wrong = gnbbench.compare("iris", **asked | dict(runs=1, out=None), against=names[1:])
    judged = gnbbench.check(names[0], data=("wine",), runs=2, timeout_seconds=60.0)
print(json.dumps({
    "runs": right.runs.to_csv(),
    "judged": judged.summary["status"].tolist(),
    "wrong": wrong.runs[["status", "message"]].values.tolist(),
    "left": [path.name for path in Path("out").glob("runs.sqlite*")],
    "machine": environment()["machine"],
    "known": [resident_growth(list) is not None, available_bytes() is not None],
    "words": words_in(r"sh 'C:\\a b' d\\e")[1:],
}))
"""


def on(system: str, here: Path) -> dict[str, Any]:
    """Return what studies come to, with gnbbench made to believe that it is there."""
    here.mkdir()
    (here / "third_party.py").write_text(f"HERE = {str(here)!r}\n{THIRD_PARTY}")
    taskkill = f'#!/bin/sh\necho "$@" >> {here}/taskkill.log\nkill -9 $4\n'
    (here / "taskkill").write_text(taskkill)
    (here / "taskkill").chmod(0o755)
    variables = {
        "PYTHONPATH": os.pathsep.join(map(str, (HIDING, TESTS, TESTS.parent))),
        "PATH": f"{here}{os.pathsep}{os.environ['PATH']}",
        "GNBBENCH_TESTED_AS": system,
        "TMPDIR": str(here.parent),
    }
    done = subprocess.run(
        [sys.executable, "-c", STUDIES],
        cwd=here,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "interrupted\n"), done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.skipif(sys.platform != "linux", reason="hides what Linux has")
@pytest.mark.parametrize("system", ["darwin", "win32"])
@pytest.mark.usefixtures("undrawn")
def test_studies_say_the_same_on_other_systems(system: str, tmp_path: Path) -> None:
    there = on(system, tmp_path / "here")

    right = str(tmp_path / "here" / "third_party.py:Right")
    here = gnbbench.compare("iris", runs=24, against=right, budget_seconds=0.02)
    assert there["runs"] == here.runs.to_csv()
    assert there["judged"] == ["agrees"]
    assert there["wrong"] == [
        ["ok", ""],
        ["timeout", "fit did not answer within 3 s"],
        ["crash", "predict: its process ended with exit code 3"],
    ]
    assert there["left"] == []
    assert "memory that is free" in there["machine"]["not_available"]
    assert "not_available" not in environment()["machine"]
    assert there["known"] == [False, False]
    assert there["words"] == [r"C:\a b", r"d\e" if system == "win32" else "de"]
    assert not (tmp_path / "here" / "relative").exists()
    *_, worker, _ = numbers = (tmp_path / "here" / "started").read_text().split()
    for started in numbers[1::2]:  # Only Linux knows whose they are
        with suppress(ProcessLookupError):
            os.kill(int(started), signal.SIGKILL)
    if system == "win32":  # There a program of the system ends it, here one that says so
        killed = (tmp_path / "here" / "taskkill.log").read_text()
        assert f"/F /T /PID {worker}\n" in killed
    while Path(f"/proc/{worker}").exists():
        time.sleep(0.05)  # An orphan is gone when the system has noted its end
