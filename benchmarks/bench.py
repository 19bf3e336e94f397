"""The core compared with scikit-learn: print and store every figure that has a limit.

Both do the same work on the same arrays in one process, in pairs of alternating order, with
BLAS on one thread unless a line says otherwise. The median ratio of the pairs counts; the
spread covers nine of ten. Run it with ``make bench``. It exits with 1 if a limit is
exceeded, but it is no test, since a busy machine may exceed any limit. Name parts to
measure only these and keep nothing: ``python benchmarks/bench.py core large``.
"""

import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path

import core
import grid
import large
import many_splits
import streamed
from measured import printed
from rich.console import Console
from threadpoolctl import threadpool_info, threadpool_limits

PARTS = {
    "core": ("Small data", core.measured),
    "grid": ("Sizes", grid.measured),
    "many_splits": ("Many splits at once", many_splits.measured),
    "large": ("Large data", large.measured),
    "streamed": ("Larger than memory", streamed.measured),
    "streams": ("Streamed studies", streamed.studies),
}
KEPT = Path(__file__).parents[1] / "reports" / "examples" / "bench.txt"


def main(names: list[str]) -> int:
    """Measure, print and store the tables; return the exit code."""
    console, is_kept = Console(width=140, record=True), True
    day, load = datetime.now(tz=UTC).date(), os.getloadavg()[0]
    # OpenBLAS may have been told to use slower kernels, by OPENBLAS_CORETYPE for example.
    kernels = {
        str(pool["architecture"]) for pool in threadpool_info() if pool.get("architecture")
    }
    machine = platform.processor() or platform.machine()
    console.print(
        f"{day}, {machine}, BLAS for {', '.join(sorted(kernels))}, load {load:.1f}"
    )
    for name in names or PARTS:
        caption, measure = PARTS[name]
        with threadpool_limits(1):
            figures = list(measure())
        is_kept &= all(figure.within for figure in figures)
        console.print(caption, printed(figures))
    if not names:
        KEPT.write_text(console.export_text(), encoding="utf-8")
    return 0 if is_kept else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
