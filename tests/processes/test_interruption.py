"""A study ended from outside leaves nobody behind, and code of others cannot end one."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from faults.commands import start

from gnbbench import tracebacks
from gnbbench.tracebacks import pass_on_interruption

# Each leaves a child, and one of a child of its own, in a session of its own, deaf; in fit,
# as the script of a file is left out.
LEAVING = """
import os, signal, subprocess, time
from gnbbench.core import GaussianNB
started = []
class Slow(GaussianNB):
    def fit(self, X, y):
        if not started:
            started.append(subprocess.Popen(["sleep", "77{tag}"]))
            leave_a_grandchild()
        return super().fit(X, y)
    def predict(self, X):
        time.sleep(0.05)
        return super().predict(X)
def leave_a_grandchild():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
            os.execvp("sleep", ["sleep", "78{tag}"])
        os._exit(0)
"""
# Where code of others raises what no program is expected to catch.
ESCAPING = """
from gnbbench.core import GaussianNB
calls = []
class Late(GaussianNB):
    def predict(self, X):
        calls.append(1)
        if len(calls) > 20:
            raise KeyboardInterrupt
        return super().predict(X)
class Base(GaussianNB):
    def fit(self, X, y):
        raise BaseException("mine")
"""


COMPARE = ("compare", "iris", "--quiet", "--out", "out")


def sleepers(tag: int) -> list[str]:
    """Return what the plug-in with this tag left running."""
    command = ["ps", "-ww", "-eo", "args"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = listed.stdout.splitlines()
    return [line for line in lines if line.endswith((f"sleep 77{tag}", f"sleep 78{tag}"))]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("ps") is None, reason="lists processes by ps")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGKILL"])
def test_whatever_ends_a_study_ends_all_that_its_plug_ins_started(
    name: str, tmp_path: Path
) -> None:
    tag = os.getpid() * 10 + len(name)
    (tmp_path / "mine.py").write_text(LEAVING.replace("{tag}", str(tag)))
    study = start(tmp_path, *COMPARE, "--runs", "500", "--against", "mine.py:Slow")
    deadline = time.monotonic() + 120
    while not (len(sleepers(tag)) >= 2 and (tmp_path / "out" / "runs.sqlite").exists()):
        assert study.is_running, study.end()
        assert time.monotonic() < deadline
        time.sleep(0.05)

    os.kill(study.pid, getattr(signal, name))
    code, err = study.end()

    if name != "SIGKILL":
        assert code == 130
        assert err.startswith("gnbbench: interrupted; ")
        assert err.count("\n") == 1
    while sleepers(tag):
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.slow
def test_what_no_program_catches_is_a_status_and_the_others_are_reported(
    tmp_path: Path,
) -> None:
    (tmp_path / "mine.py").write_text(ESCAPING)
    names = ("numpy", *(f"mine.py:{name}" for name in ("Late", "Base")))
    against = [word for name in names for word in ("--against", name)]

    _, err = start(tmp_path, *COMPARE, "--runs", "3", "--budget", "50ms", *against).end()

    assert (tmp_path / "out" / "index.html").exists()
    assert "Base" in err
    assert "Traceback" not in err
    runs = (tmp_path / "out" / "runs.csv").read_text()
    assert "BaseException: mine" in runs
    assert all(line.count("ok") for line in runs.split("\n") if ",numpy," in line)


def test_ctrl_c_is_passed_on_and_what_others_raise_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tracebacks, "_watched", [])
    monkeypatch.setattr(tracebacks, "_received", [])
    pass_on_interruption(SystemExit())
    with pytest.raises(KeyboardInterrupt):  # nobody watches: it may be the user
        pass_on_interruption(KeyboardInterrupt())
    tracebacks.expect_none()
    pass_on_interruption(KeyboardInterrupt())
    tracebacks._received.append(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt):
        pass_on_interruption(KeyboardInterrupt())
