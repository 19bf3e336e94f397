"""A function called in another process gives plain data, fails in words, or runs late."""

import copy
import math
import operator
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gnbbench.measurement.timing import TimingPlan
from gnbbench.processes import client
from gnbbench.processes.client import CallCrash, CallError, FreshProcess, in_fresh_process
from gnbbench.processes.messages import payload

pytestmark = pytest.mark.slow


class Exploit:
    """Leaves a file wherever it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def test_plain_data_go_and_come_and_each_process_is_another() -> None:
    array = np.arange(6.0).reshape(2, 3)

    with FreshProcess() as process:
        assert process.call(math.hypot, 3.0, 4.0, seconds=60.0) == 5.0
        assert np.array_equal(process.call(copy.copy, array, seconds=60.0), array)
        plan = process.call(copy.copy, payload(TimingPlan(seed=3)), seconds=60.0)
        processes = {process.call(os.getpid, seconds=60.0) for _ in range(2)}
    processes.add(in_fresh_process(os.getpid, seconds=60.0))

    assert plan["seed"] == 3
    assert len(processes) == 2
    assert os.getpid() not in processes


@pytest.mark.skipif(not client.SUPERVISED, reason="a supervisor removes them")
def test_temporary_files_of_a_worker_are_removed_with_it() -> None:
    with FreshProcess() as process:
        made = Path(process.call(tempfile.mkdtemp, seconds=60.0))
        assert made.is_dir()

    assert not made.exists()
    assert made.parent.parent == Path(tempfile.gettempdir())


def test_late_calls_are_abandoned_and_the_next_one_gets_a_new_process() -> None:
    with FreshProcess() as process:
        start = time.monotonic()
        with pytest.raises(client.CallTimeout, match=r"sleep did not answer within 0\.5 s"):
            process.call(time.sleep, 60.0, seconds=0.5)
        assert process.call(max, 1, 2, seconds=60.0) == 2

    assert time.monotonic() - start < 40.0


def test_only_plain_data_come_back_and_nothing_is_unpickled_here(tmp_path: Path) -> None:
    made = tmp_path / "made"

    with pytest.raises(CallError, match="a PosixPath is not a number"):
        in_fresh_process(copy.copy, payload(made), seconds=60.0)
    # The control: as an argument, it does run in the worker.
    assert in_fresh_process(copy.copy, payload(Exploit(made)), seconds=60.0) is None
    there = made.exists()
    made.unlink()
    sent = in_fresh_process(payload, "text", seconds=60.0)

    assert there
    assert type(sent).__name__ == "Payload"
    assert not made.exists()


def test_code_that_writes_to_the_pipes_is_not_an_answer(tmp_path: Path) -> None:
    def forge() -> None:
        import pickle
        import struct

        exploit = pickle.dumps(Exploit(tmp_path / "made"))
        for descriptor in range(3, 64):
            try:
                os.write(descriptor, struct.pack("!i", len(exploit)) + exploit)
            except OSError:
                continue

    with pytest.raises(client.CallFailure):
        in_fresh_process(operator.call, payload(forge), seconds=5.0)

    assert list(tmp_path.iterdir()) == []


def test_an_answer_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MOST_BYTES", 2000)

    with pytest.raises(CallError, match="the answer cannot be read: it is longer than"):
        in_fresh_process(operator.mul, "x", 2000, seconds=60.0)
    assert in_fresh_process(operator.mul, "x", 1000, seconds=60.0) == "x" * 1000


@pytest.mark.skipif(sys.platform != "linux", reason="children are counted by /proc")
@pytest.mark.parametrize("is_tree", [False, True])
def test_a_plug_in_that_forks_without_end_is_ended_with_its_children(
    is_tree: bool, tmp_path: Path
) -> None:
    def fork(file: str) -> None:
        with Path(file).open("w") as pids:
            for _ in range(9 if is_tree else 300):  # In a tree each copy forks as well
                pid = os.fork()
                os.write(pids.fileno(), f"{pid or os.getpid()}\n".encode())
                if pid == 0 and not is_tree:
                    os.setsid()
                    time.sleep(600)
        time.sleep(600)

    with pytest.raises(CallCrash, match="started more than 256 processes"):
        in_fresh_process(operator.call, payload(fork), str(tmp_path / "pids"), seconds=60.0)
    started = (tmp_path / "pids").read_text().split()
    assert len(started) > 200
    assert [pid for pid in started if Path(f"/proc/{pid}").exists()] == []


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (client.CallTimeout("fit", 60.615), ("timeout", "took longer than 60.6 s")),
        (CallCrash("fit", "ended with exit code 3"), ("crash", "ended the process")),
        (CallError("SystemExit", "3"), ("crash", "ended the process")),
        (CallError("ValueError", "no"), ("error", "ValueError: no")),
        (CallError("DatasetError", "no", user_error=True), ("error", "no")),
    ],
)
def test_a_failed_measurement_is_reported(
    failure: client.CallFailure, expected: Any
) -> None:
    assert client.outcome(failure) == expected


def test_an_answer_has_the_form_that_workers_send() -> None:
    sent: dict[str, Any] = {"answer": 1, "warnings": []}
    error = {"type": "E", "message": "m", "user_error": False}
    warned = sent | {"warnings": [["UserWarning", "w"]]}

    for answer in (sent, warned, {"warnings": [], "error": error}):
        assert client._is_an_answer(answer)
    for warnings in (3, [["UserWarning"]], [["UserWarning", None]]):
        assert not client._is_an_answer(sent | {"warnings": warnings})
    for fault in ({}, "E", error | {"type": 1}):
        assert not client._is_an_answer({"warnings": [], "error": fault})
    assert not client._is_an_answer([sent])
    assert not client._is_an_answer({"answer": 1, "notes": []})
    assert not client._is_an_answer({"warnings": []})
    assert not client._is_an_answer(sent | {"error": {}})
