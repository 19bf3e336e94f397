"""Blocks take little memory beside the samples, measured in a fresh process."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

MOST_BYTES = 64 * 2**20
N_SAMPLES = 500_000

# Says how much its anonymous memory grew at most, looked at every millisecond.
PROGRAM = """
import sys
import threading
import time
from pathlib import Path

import numpy as np
from gnbbench.core import GaussianNB

path, solver, n_threads, order = sys.argv[1:]
X = np.load(path, mmap_mode="r" if order == "mapped" else None)
if len(order) == 1:
    X = np.asarray(X, order=order)
y = np.arange(len(X)) % 7
model = GaussianNB(solver=solver, n_jobs=int(n_threads))
model.fit(X[:9000], y[:9000]).predict(X[:9000])


def resident_bytes():
    [line] = [
        line
        for line in Path("/proc/self/status").read_text().splitlines()
        if line.startswith("RssAnon")
    ]
    return 1024 * int(line.split()[1])


def watch():
    while not done.is_set():
        seen.append(resident_bytes())
        time.sleep(0.001)


done, before = threading.Event(), resident_bytes()
seen = [before]
watcher = threading.Thread(target=watch)
watcher.start()
model.fit(X.astype(float) if order == "copied" else X, y)
labels = model.predict(X)
done.set()
watcher.join()
print(max(seen) - before - labels.nbytes)
"""


@pytest.fixture(scope="module")
def stored_samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Store samples of 80 MB in float32, so that a copy in float64 would be 160 MB."""
    path = tmp_path_factory.mktemp("samples") / "X.npy"
    rng = np.random.default_rng(0)
    np.save(path, rng.standard_normal((N_SAMPLES, 40), dtype=np.float32))
    return path


def extra_bytes(path: Path, solver: str, n_threads: int, order: str) -> int:
    """Return how much more memory fit and predict took than the labels they returned."""
    command = [sys.executable, "-c", PROGRAM, str(path), solver, str(n_threads), order]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


needs_linux = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="resident memory is read from /proc"
)


@needs_linux
@pytest.mark.slow
@pytest.mark.parametrize(
    ("solver", "n_threads", "order"),
    [("auto", 1, "C"), ("auto", 2, "mapped"), ("exact", 1, "F"), ("auto", 1, "copied")],
)
def test_fit_and_predict_take_little_memory_of_their_own(
    stored_samples: Path, solver: str, n_threads: int, order: str
) -> None:
    """Where the samples are copied first, they do not (the negative control)."""
    extra = extra_bytes(stored_samples, solver, n_threads, order)

    assert (extra <= MOST_BYTES) == (order != "copied")
