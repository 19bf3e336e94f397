"""The variation of fit times between processes.

Prints, for each implementation, the standard deviation between processes of the median
log-ratio to scikit-learn's time, beyond what the rounds within a process explain.
"""

import os
import subprocess
import sys

import numpy as np

NAMES = ("numpy", "density-product", "study-b")
N_PROCESSES, N_ROUNDS = 20, 60

_ONE_PROCESS = """
import sys, time
import numpy as np
from sklearn.datasets import load_breast_cancer
from gnbbench.implementations import implementation
X, y = load_breast_cancer(return_X_y=True)
entries = [implementation(name) for name in ("sklearn", *sys.argv[2:])]
rng = np.random.default_rng(int.from_bytes(__import__("os").urandom(4)))
times = np.empty((int(sys.argv[1]), len(entries)))
for round in range(-2, len(times)):
    for place in rng.permutation(len(entries)):
        entries[place].make().fit(X, y)
        start = time.perf_counter()
        for _ in range(3):
            entries[place].make().fit(X, y)
        times[round, place] = time.perf_counter() - start
print(*np.log(times[:, 1:] / times[:, :1]).ravel())
"""


def log_ratios() -> np.ndarray:
    """Return log-ratios of shape (n_rounds, n_names) from one fresh process."""
    command = [sys.executable, "-c", _ONE_PROCESS, str(N_ROUNDS), *NAMES]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    printed = subprocess.run(  # noqa: S603  this file
        command, check=True, capture_output=True, env={**os.environ, **threads}
    ).stdout
    return np.array(printed.split(), dtype=float).reshape(N_ROUNDS, len(NAMES))


def main() -> None:
    """Print the variation between processes, and the load of the machine."""
    parts = np.stack([log_ratios() for _ in range(N_PROCESSES)])
    medians = np.median(parts, axis=1)
    spread = 1.4826 * np.median(np.abs(parts - medians[:, np.newaxis]), axis=1)
    # The standard error of a median of normal rounds.
    within = np.mean((1.2533 * spread) ** 2 / N_ROUNDS, axis=0)
    between = np.sqrt(np.maximum(medians.var(axis=0, ddof=1) - within, 0.0))
    for name, deviation, error, median in zip(
        NAMES, between, np.sqrt(within), np.median(medians, axis=0), strict=True
    ):
        print(
            f"{name}: ratio {np.exp(median):.3f}; processes differ by {deviation:.2%}, "
            f"rounds of one explain {error:.2%}"
        )
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
