"""The core against scikit-learn: every figure that has a limit, printed and as a report.

Run it with ``make bench``. It exits with 1 if a limit is exceeded; it is no test, because
a busy machine may exceed any limit. Name parts to measure them alone, without a report:
``python benchmarks/bench.py core large``.
"""

import sys
from pathlib import Path

import core
import grid
import large
import many_splits
import streamed
from measured import printed
from page import show, write
from threadpoolctl import threadpool_limits

PARTS = {
    "core": ("Small data", core.measured),
    "grid": ("Sizes", grid.measured),
    "many_splits": ("Many splits at once", many_splits.measured),
    "large": ("Large data", large.measured),
    "streamed": ("Larger than memory", streamed.measured),
}
REPORT = Path(__file__).parents[1] / "reports" / "examples" / "bench"


def main(names: list[str]) -> int:
    """Measure, print the tables, write the report; return the exit code."""
    groups = {}
    for name in names or PARTS:
        caption, measure = PARTS[name]
        with threadpool_limits(1):
            groups[caption] = list(measure())
        show(printed(groups[caption]))
    if not names:
        show(f"Report: {write(groups, REPORT, 'make bench')}")
    return 0 if all(one.within for group in groups.values() for one in group) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
