"""A Dask cluster on this machine, for tests of what is sent to one."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Cluster:
    """A scheduler on the loopback address, and its workers."""

    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]


def certificate(folder: Path) -> dict[str, str]:
    """Make a certificate for the loopback address; return its settings for Dask."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    made = ("-keyout", key, "-out", cert, "-addext", "subjectAltName=IP:127.0.0.1")
    request = "openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=x"
    subprocess.run([*request.split(), *made], check=True, capture_output=True)
    settings = {"CA_FILE": cert}
    for side in ("CLIENT", "SCHEDULER", "WORKER"):
        settings |= {f"{side}__CERT": cert, f"{side}__KEY": key}
    return {f"DASK_DISTRIBUTED__COMM__TLS__{n}": str(p) for n, p in settings.items()}


@contextmanager
def loopback_cluster(
    folder: Path, certificates: Mapping[str, str] | None = None, n_workers: int = 2
) -> Iterator[Cluster]:
    """Start a scheduler and worker processes; end them by their ids.

    Workers find what tests share, such as planted faults.
    """
    file = folder / "scheduler.json"
    host = "tls://127.0.0.1" if certificates else "127.0.0.1"
    common = ["--scheduler-file", str(file), "--host", host]
    beside = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    beside |= certificates or {}
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

        scheduler = start("dask_scheduler", "--port", "0", "--no-dashboard")
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard")
        workers = [start("dask_worker", *options) for _ in range(n_workers)]
        deadline = time.monotonic() + 60
        while not (file.exists() and file.read_text().rstrip().endswith("}")):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        yield Cluster(json.loads(file.read_text())["address"], scheduler, workers)
