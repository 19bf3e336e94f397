"""Every timed round as a file that the commands of pyperf read.

``timings.pyperf.json`` is a benchmark suite of pyperf's format 1.0: one benchmark for each
operation and implementation ("fit numpy"), in it one run for each process, in it the
seconds of one call in each round, in their order. So ``pyperf stats``, ``pyperf hist`` and
``pyperf compare_to OTHER`` work on it. Rounds are paired: the n-th values of two benchmarks
of one operation were taken one beside the other, which pyperf does not know, and which
the ratios of this report rest on.
"""

from typing import Any

import numpy as np
import pandas as pd

from gnbbench.statistics.documents import as_text
from gnbbench.statistics.summary import Summary
from gnbbench.words import printable

FORMAT_VERSION = "1.0"
# Name in a machine's description -> what pyperf calls it.
_MACHINE = {"cpu": "cpu_model_name", "cores": "cpu_count", "system": "platform"}


def pyperf_text(summary: Summary) -> str | None:
    """Return the timings as a benchmark suite of pyperf."""
    rounds = summary.timing_rounds
    benchmarks = [
        _benchmark(f"{operation} {printable(str(name))}", rows)
        for (operation, name), rows in rounds.groupby(
            ["operation", "implementation"], sort=False
        )
    ]
    if not benchmarks:
        return None
    return as_text(
        {
            "benchmarks": benchmarks,
            "metadata": _metadata(summary),
            "version": FORMAT_VERSION,
        }
    )


def _benchmark(name: str, rows: pd.DataFrame) -> dict[str, Any]:
    return {
        "metadata": {"name": name},
        "runs": [
            {
                "metadata": {"loops": int(np.asarray(part["loops"])[0])},
                "values": [float(value) for value in part["seconds"]],
            }
            for _, part in rows.sort_values("round").groupby("process")
        ],
    }


def _metadata(summary: Summary) -> dict[str, Any]:
    """Return what holds of all benchmarks; pyperf takes no empty or foreign values."""
    versions, machine = summary.environment["versions"], summary.environment["machine"]
    given = {
        "unit": "second",
        "description": printable(f"{summary.study} {summary.dataset.name}"),
        "command": printable(summary.command),
        "timing_regime": printable(summary.timing_regime),
        "python_version": versions.get("python"),
        **{f"{name}_version".replace("-", "_"): versions.get(name) for name in versions},
        **{theirs: machine.get(ours) for ours, theirs in _MACHINE.items()},
    }
    return {
        key: value if isinstance(value, int) else str(value).strip()
        for key, value in given.items()
        if value not in {None, ""}
    }
