"""Whole commands compared with hand-written loops.

Run it with ``make bench-commands``. Command and loop take turns, each in a fresh process
with BLAS on one thread; the report is part of the command's work. It prints the median
ratio of wall times with its limit, and how the memory of a sweep grows with its runs. It
exits with 1 if a limit is exceeded, but it is no test, since a busy machine may exceed any
limit.
"""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

PAIRS = 3
HERE = Path(__file__).parent
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Usage:
    """The duration and the peak memory of one process."""

    seconds: float
    peak_bytes: int


@dataclass(frozen=True)
class Line:
    """One comparison: the ratios of its pairs, and the limit of their median."""

    what: str
    ratios: list[float]
    limit: float

    @property
    def within(self) -> bool:
        """Whether the median is within the limit."""
        return median(self.ratios) <= self.limit


def used_by(*arguments: str) -> Usage:
    """Return the usage of a Python process with these arguments."""
    begin = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603  commands of this file alone
        [sys.executable, *arguments], env=ENVIRONMENT, stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    if status:
        raise RuntimeError(f"{' '.join(arguments)} ended with status {status}")
    return Usage(seconds, usage.ru_maxrss * 1024)


def command(*arguments: str) -> Usage:
    """Return the usage of a command, whose report goes to a temporary directory."""
    with tempfile.TemporaryDirectory() as directory:
        return used_by("-m", "gnbbench", *arguments, "--quiet", "--out", directory)


def compare() -> Line:
    """Measure a comparison over 1000 runs against the hand-written loop with its plots."""
    ratios = []
    for _ in range(PAIRS):
        with tempfile.TemporaryDirectory() as directory:
            loop = used_by(str(HERE / "hand_written_loop.py"), directory)
        ratios.append(command("compare", "iris", "--runs", "1000").seconds / loop.seconds)
    return Line("compare iris --runs 1000", ratios, 1.5)


def sweep() -> Line:
    """Measure a sweep of 9 x 1000 runs on two processes against the hand-written loop."""
    ratios = []
    for _ in range(PAIRS):
        loop = used_by(str(HERE / "hand_written_sweep.py"))
        ours = command("sweep-split", "wine", "--runs", "1000", "--jobs", "2")
        ratios.append(ours.seconds / loop.seconds)
    return Line("sweep-split wine --runs 1000 --jobs 2", ratios, 0.5)


def memory() -> Line:
    """Measure the peak memory of a sweep of 9 x 1000 runs against one of 9 x 10."""
    few, many = (
        command("sweep-split", "wine", "--runs", runs, "--jobs", "2").peak_bytes
        for runs in ("10", "1000")
    )
    return Line("peak memory of 9 x 1000 over 9 x 10 runs", [many / few], 1.5)


if __name__ == "__main__":
    table = Table("command", "ratio", "of each pair", "limit")
    lines = [compare(), sweep(), memory()]
    for line in lines:
        ratios = ", ".join(f"{ratio:.2f}" for ratio in line.ratios)
        mark = "" if line.within else "  exceeded"
        table.add_row(
            line.what, f"{median(line.ratios):.2f}", ratios, f"{line.limit}{mark}"
        )
    Console().print(table)
    sys.exit(not all(line.within for line in lines))
