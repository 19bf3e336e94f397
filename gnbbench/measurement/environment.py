"""Versions, machine, threads and noise: what a reader needs to judge times."""

import os
import platform
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from datetime import date
from functools import cache, lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from threadpoolctl import ThreadpoolController

try:
    import resource
except ImportError:  # Windows keeps no such counts
    resource = None  # type: ignore[assignment]  # the module is optional

# What a study on another system than Linux says is not available there.
LEFT_OUT = (
    "growth of a process's memory; memory that is free; an end of processes that "
    "third-party code detached"
)
PACKAGES = (
    *("gnbbench", "numpy", "scikit-learn", "scipy", "pandas", "statsmodels"),
    *("matplotlib", "seaborn", "loky", "threadpoolctl"),
)


def environment() -> dict[str, Any]:
    """Return what the results of a study may depend on besides its plan.

    It names neither the machine nor its user. Memory is None where it is unknown.
    """
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
    if sys.platform != "linux":
        machine["not_available"] = LEFT_OUT
    dated = {"date": date.today().isoformat()}
    known = {"versions": _versions(PACKAGES), "machine": machine}
    return {**dated, **known, "threads": _threads()}


@cache
def _versions(packages: tuple[str, ...]) -> dict[str, str]:
    installed = {"python": platform.python_version()}
    for package in packages:
        with suppress(metadata.PackageNotFoundError):
            installed[package] = metadata.version(package)
    return installed


def limited_threads(limit: int) -> AbstractContextManager[object]:
    """Return a context that limits the threads of each loaded library."""
    context: AbstractContextManager[object]
    context = _controller(len(sys.modules)).limit(limits=limit)
    return context


@lru_cache(maxsize=1)
def _controller(_n_modules: int) -> ThreadpoolController:
    """Return the loaded libraries with threads, updated after each import."""
    return ThreadpoolController()


def thread_pools() -> list[dict[str, Any]]:
    """Return the loaded thread pools, without the paths of their libraries."""
    names = {"library": "internal_api", "version": "version", "threads": "num_threads"}
    pools = _controller(len(sys.modules)).info()
    return [{key: pool.get(of) for key, of in names.items()} for pool in pools]


def cpu_model(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """Return the name of the processor, or else of its architecture."""
    lines: list[str] = []
    with suppress(OSError):
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    models = (
        line.partition(":")[2].strip() for line in lines if line.startswith("model name")
    )
    return next(filter(None, models), platform.processor() or platform.machine())


def _threads() -> str:
    """Return the loaded thread pools as one sentence."""
    pools = [
        f"{pool['library']} {pool['version'] or '(version unknown)'}: {pool['threads']}"
        for pool in thread_pools()
    ]
    if not pools:
        return "No library with threads of its own is loaded."
    return f"Threads by default: {', '.join(sorted(set(pools)))}."


def involuntary_switches() -> int | None:
    """Return how often other processes interrupted this one."""
    if resource is None:
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw


def steal_seconds(stat: Path = Path("/proc/stat")) -> float | None:
    """Return the CPU time that the hypervisor has stolen since boot."""
    with suppress(OSError, IndexError):
        columns = stat.read_text(encoding="ascii").splitlines()[0].split()
        return int(columns[8]) / os.sysconf("SC_CLK_TCK")
    return None


def load() -> float | None:
    """Return the load average over one minute, None if it is unknown."""
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
    """Return the disturbances of a measurement that ends now, None for unknown ones.

    `switches` are the involuntary context switches of each round.
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
