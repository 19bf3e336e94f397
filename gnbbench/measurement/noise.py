"""What else the machine did while times were taken, as counts and as sentences."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

try:
    import resource
except ImportError:  # Windows keeps no such counts
    resource = None  # type: ignore[assignment]  # the module is optional

SWITCHED_SHARE = 0.1
STEAL_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class Noise:
    """Disturbances of one measurement; None where the system keeps no such count."""

    rounds: int
    # Rounds within which the process lost its core against its will
    switched_rounds: int | None
    switches: int | None  # Involuntary context switches over all rounds
    # Core time that the hypervisor gave to others, summed over cores
    steal_seconds: float | None
    elapsed_seconds: float  # Wall time of the measurement
    load: float | None  # Processes that ran or wanted to, mean over the last minute
    cores: int  # Cores that this process may use


def involuntary_switches() -> int | None:
    """Return how often this process has lost its core against its will."""
    if resource is None:
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw


def steal_seconds(stat: Path = Path("/proc/stat")) -> float | None:
    """Return the core time stolen by the hypervisor since the start of the system."""
    try:
        columns = stat.read_text(encoding="ascii").splitlines()[0].split()
    except OSError:
        return None
    if len(columns) < 9:
        return None
    return int(columns[8]) / os.sysconf("SC_CLK_TCK")


def load() -> float | None:
    """Return the load average over one minute, None where there is none."""
    try:
        return os.getloadavg()[0]
    except (AttributeError, OSError):
        return None


def usable_cores() -> int:
    """Return the number of cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def observed_noise(
    switches: Sequence[int | None], stolen_before: float | None, elapsed_seconds: float
) -> Noise:
    """Return the disturbances of a measurement that ends now."""
    counts = [count for count in switches if count is not None]
    stolen_after = steal_seconds()
    stolen = None
    if stolen_before is not None and stolen_after is not None:
        stolen = stolen_after - stolen_before
    return Noise(
        rounds=len(switches),
        switched_rounds=sum(count > 0 for count in counts) if counts else None,
        switches=sum(counts) if counts else None,
        steal_seconds=stolen,
        elapsed_seconds=elapsed_seconds,
        load=load(),
        cores=usable_cores(),
    )


def noise_warnings(noise: Noise) -> list[str]:
    """Return one sentence for each disturbance that is too large to pass over.

    Too large are involuntary context switches in more than a tenth of the rounds, more
    than one hundredth of the wall time stolen, and a load above the number of cores.
    """
    found = []
    if (noise.switched_rounds or 0) > SWITCHED_SHARE * noise.rounds:
        found.append(
            f"The process lost its core in {noise.switched_rounds} of {noise.rounds} "
            "rounds (involuntary context switches)."
        )
    if (noise.steal_seconds or 0.0) > STEAL_SHARE * noise.elapsed_seconds:
        share = 100 * (noise.steal_seconds or 0.0) / noise.elapsed_seconds
        found.append(
            f"Other machines on the same host took {share:.0f} % of a core's time."
        )
    if (noise.load or 0.0) > noise.cores:
        found.append(f"The machine's load was {noise.load:.1f} on {noise.cores} cores.")
    return found
