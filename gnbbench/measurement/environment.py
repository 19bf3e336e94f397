"""Versions, machine and threads: what a reader needs to judge a time."""

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

from gnbbench.measurement.noise import usable_cores

PACKAGES = (
    "gnbbench",
    "numpy",
    "scikit-learn",
    "scipy",
    "pandas",
    "statsmodels",
    "matplotlib",
    "seaborn",
    "joblib",
    "threadpoolctl",
)


def environment() -> dict[str, Any]:
    """Return what the figures of a study may depend on, apart from its plan.

    Neither the name of the machine nor that of its user is told.
    """
    return {"versions": _versions(), "machine": _machine(), "threads": _threads()}


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
    lines = _lines(cpuinfo)
    models = [
        line.partition(":")[2].strip() for line in lines if line.startswith("model name")
    ]
    return next(filter(None, models), platform.processor() or platform.machine())


def _lines(path: Path) -> list[str]:
    """Return the lines of a file, none where it is missing."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _versions() -> dict[str, str]:
    """Return the version of Python and of each package that is installed."""
    installed = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            installed[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return installed


def _machine() -> dict[str, Any]:
    """Return system, processor, cores and memory."""
    return {
        "system": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "usable_cores": usable_cores(),
        "memory_bytes": _memory_bytes(),
    }


def _memory_bytes() -> int | None:
    """Return the size of the main memory, None where the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _threads() -> str:
    """Return the loaded pools of threads as one sentence."""
    pools = [
        f"{pool['library']} {pool['version'] or '(version unknown)'}: {pool['threads']}"
        for pool in thread_pools()
    ]
    if not pools:
        return "No library with threads of its own is loaded."
    return f"Threads by default: {', '.join(sorted(set(pools)))}."
