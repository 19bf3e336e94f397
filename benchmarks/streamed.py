"""Ten million rows of 20 features, read from a Parquet file in blocks.

Reading alone, fitting while reading and scoring while reading take turns, each in a fresh
process that says its time and its peak memory. It needs 1.6 GB of disk, in the directory
for temporary files, and the extra ``parquet``.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from measured import MEBIBYTES, Measured

N_SAMPLES, N_FEATURES, N_CLASSES = 10_000_000, 20, 5
ROWS_AT_ONCE = 500_000
REPETITIONS = 3
TIMES_READING = "× reading"
MOST_TIMES_READING = 2.0
MOST_MEBIBYTES = 600.0

# What each process does: read alone by pyarrow, by our stream, fit, or fit and score.
WORK = """
import json, sys, time
from threadpoolctl import threadpool_limits
path, what = sys.argv[1:]
with threadpool_limits(1):
    if what == "pyarrow":
        import pyarrow.parquet as pq
        begin = time.perf_counter()
        rows = 0
        file = pq.ParquetFile(path, buffer_size=2**20, pre_buffer=False)
        for batch in file.iter_batches(2**16, use_threads=False):
            rows += batch.num_rows
        result = rows
    else:
        from gnbbench import GaussianNB
        from gnbbench.data.stream import open_stream
        stream = open_stream(path, target="y")
        model = GaussianNB()
        begin = time.perf_counter()
        for block in stream.batches():
            if what != "read":
                model.partial_fit(block.X, block.codes, classes=range(len(stream.classes)))
        result = stream.n_rows
        if what == "score":
            begin = time.perf_counter()
            result = 0
            for block in stream.batches():
                result += int((model.predict(block.X) == block.codes).sum())
    seconds = time.perf_counter() - begin
# Not ru_maxrss, which a process inherits from the one that started it.
with open("/proc/self/status") as status:
    [line] = [line for line in status if line.startswith("VmHWM")]
peak = int(line.split()[1]) / 1024
print(json.dumps([seconds, peak, result]))
"""


def measured() -> Iterator[Measured]:
    """Yield what fitting and scoring add to reading, and the memory that they take."""
    work = f"{N_SAMPLES:,} x {N_FEATURES}, Parquet"
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "samples.parquet"
        write(path)
        ratios: dict[str, list[float]] = {"read": [], "fit": [], "score": []}
        peaks: dict[str, list[float]] = {"fit": [], "score": []}
        for _ in range(REPETITIONS):
            reading, _ = used_by(path, "pyarrow")
            for what, found in ratios.items():
                seconds, peak = used_by(path, what)
                found.append(seconds / reading)
                if what in peaks:
                    peaks[what].append(peak)
    words = {
        "read": "read in blocks",
        "fit": "fit in one pass",
        "score": "score in one pass",
    }
    for what, found in ratios.items():
        limit = None if what == "read" else MOST_TIMES_READING
        yield Measured(work, words[what], tuple(found), TIMES_READING, limit)
    for what, found in peaks.items():
        name = f"peak memory of a process: {what}"
        yield Measured(work, name, tuple(found), MEBIBYTES, MOST_MEBIBYTES)


def write(path: Path) -> None:
    """Write the samples, half a million rows at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    centres = 0.5 * rng.normal(size=(N_CLASSES, N_FEATURES))
    writer = None
    for _ in range(N_SAMPLES // ROWS_AT_ONCE):
        y = rng.integers(0, N_CLASSES, ROWS_AT_ONCE)
        X = rng.normal(size=(ROWS_AT_ONCE, N_FEATURES)) + centres[y]
        columns = {f"x{place}": X[:, place] for place in range(N_FEATURES)}
        table = pa.table({**columns, "y": y})
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def used_by(path: Path, what: str) -> tuple[float, float]:
    """Return the seconds of a pass in a fresh process, and its peak memory in MiB."""
    done = subprocess.run(  # noqa: S603  code of this file alone
        [sys.executable, "-c", WORK, str(path), what],
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, peak, _ = json.loads(done.stdout)
    return seconds, peak
