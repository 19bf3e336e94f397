"""A Dask cluster on this machine, for tests of what is sent to one."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Cluster:
    """A scheduler on the loopback address, and its workers."""

    address: str
    workers: list[subprocess.Popen[bytes]]


@contextmanager
def loopback_cluster(folder: Path) -> Iterator[Cluster]:
    """Start a scheduler and two worker processes; end them by their ids.

    Workers find what tests share, such as planted faults.
    """
    file = folder / "scheduler.json"
    common = ["--scheduler-file", str(file), "--host", "127.0.0.1"]
    beside = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    with ExitStack() as processes:

        def start(module: str, *arguments: str) -> subprocess.Popen[bytes]:
            process = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{module}", *common, *arguments],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=beside,
            )
            processes.callback(process.wait)
            processes.callback(process.kill)
            return process

        start("dask_scheduler", "--port", "0", "--no-dashboard")
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard")
        workers = [start("dask_worker", *options) for _ in range(2)]
        deadline = time.monotonic() + 60
        while not file.exists():
            assert time.monotonic() < deadline
            time.sleep(0.1)
        yield Cluster(json.loads(file.read_text())["address"], workers)
