"""Versions, machine, threads and noise: what a reader needs to judge a time."""

import os
import platform
from collections.abc import Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

try:
    import resource
except ImportError:  # Windows keeps no such counts
    resource = None  # type: ignore[assignment]  # the module is optional

PACKAGES = (
    *("gnbbench", "numpy", "scikit-learn", "scipy", "pandas", "statsmodels"),
    *("matplotlib", "seaborn", "joblib", "threadpoolctl"),
)


def environment() -> dict[str, Any]:
    """Return what the figures of a study may depend on, apart from its plan.

    Neither the name of the machine nor that of its user is told. Memory is None where the
    system does not tell.
    """
    installed = {"python": platform.python_version()}
    for package in PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            installed[package] = metadata.version(package)
    machine = {
        "system": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "usable_cores": usable_cores(),
        "memory_bytes": None,
    }
    with suppress(AttributeError, ValueError, OSError):
        machine["memory_bytes"] = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"versions": installed, "machine": machine, "threads": _threads()}


def thread_pools() -> list[dict[str, Any]]:
    """Return the pools of threads that are loaded, without the paths of their files."""
    return [
        {
            "library": pool["internal_api"],
            "version": pool.get("version"),
            "threads": pool["num_threads"],
        }
        for pool in threadpool_info()
    ]


def cpu_model(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """Return the name of the processor, or of its architecture where none is given."""
    lines: list[str] = []
    with suppress(OSError):
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    models = (
        line.partition(":")[2].strip() for line in lines if line.startswith("model name")
    )
    return next(filter(None, models), platform.processor() or platform.machine())


def _threads() -> str:
    """Return the loaded pools of threads as one sentence."""
    pools = [
        f"{pool['library']} {pool['version'] or '(version unknown)'}: {pool['threads']}"
        for pool in thread_pools()
    ]
    if not pools:
        return "No library with threads of its own is loaded."
    return f"Threads by default: {', '.join(sorted(set(pools)))}."


def involuntary_switches() -> int | None:
    """Return how often other programs have interrupted this process."""
    if resource is None:
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw


def steal_seconds(stat: Path = Path("/proc/stat")) -> float | None:
    """Return the core time stolen by the hypervisor since the start of the system."""
    with suppress(OSError, IndexError):
        columns = stat.read_text(encoding="ascii").splitlines()[0].split()
        return int(columns[8]) / os.sysconf("SC_CLK_TCK")
    return None


def load() -> float | None:
    """Return the load average over one minute, None where there is none."""
    with suppress(AttributeError, OSError):
        return os.getloadavg()[0]
    return None


def usable_cores() -> int:
    """Return the number of cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def observed_noise(
    switches: Sequence[int | None], stolen_before: float | None, elapsed_seconds: float
) -> dict[str, float | None]:
    """Return the disturbances of a measurement that ends now, None for what is not known.

    Switches are involuntary ones, in how many rounds and in all; stolen is the core time
    that the hypervisor gave to others, summed over cores.
    """
    counts = [count for count in switches if count is not None]
    stolen_after = steal_seconds()
    stolen = None
    if stolen_before is not None and stolen_after is not None:
        stolen = stolen_after - stolen_before
    return {
        "rounds": len(switches),
        "switched_rounds": sum(count > 0 for count in counts) if counts else None,
        "switches": sum(counts) if counts else None,
        "steal_seconds": stolen,
        "elapsed_seconds": elapsed_seconds,
        "load": load(),
        "cores": usable_cores(),
    }
