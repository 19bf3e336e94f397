"""Memory of two passes over a stream does not grow with its rows."""

import subprocess
import sys
from pathlib import Path

import pytest

MEASURED = """
import sys
sys.path.insert(0, sys.argv[1])
from faults.streams import drawn_stream
from gnbbench.implementations import implementations
from gnbbench.measurement.split_rules import SideRule
from gnbbench.measurement.streaming import passes
from gnbbench.measurement.streaming import run_tables

stream = drawn_stream(int(sys.argv[2]), 40, 5_000)
rows = []
if sys.argv[3] == "hoarding":
    seen = type(stream).batches
    type(stream).batches = lambda self: (rows.append(b) or b for b in seen(self))
run_tables(passes(stream, SideRule(1, 0.3), implementations("sklearn", ["numpy"])))
# Not ru_maxrss, which a process inherits from the one that started it.
with open("/proc/self/status") as status:
    [line] = [line for line in status if line.startswith("VmHWM")]
print(line.split()[1])
"""


def peak(n_rows: int, manner: str = "") -> int:
    """Return the largest resident memory of a fresh process, in KiB."""
    tests = str(Path(__file__).parents[1])
    arguments = [sys.executable, "-c", MEASURED, tests, str(n_rows), manner]
    return int(subprocess.run(arguments, check=True, capture_output=True).stdout)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
def test_six_times_the_rows_need_no_more_memory() -> None:
    few, many = peak(50_000), peak(300_000)

    assert many < 1.1 * few
    assert peak(300_000, "hoarding") > 1.2 * few, "negative control: all blocks are kept"
