"""Ten million rows of 20 features, read from a Parquet file in blocks.

Reading, fitting while reading and scoring while reading take turns, each in a fresh process
that reports its time and its peak memory. Then whole studies are compared with the sum of
their parts, and with DuckDB and Polars, which only compute the moments of each class. It
needs 1.6 GB in the directory for temporary files.
"""

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from measured import MEBIBYTES, Measured

N_SAMPLES, N_FEATURES, N_CLASSES = 10_000_000, 20, 5
ROWS_AT_ONCE = 500_000
REPETITIONS = 3
TIMES_READING = "× reading"
TIMES_DUCKDB = "× DuckDB"
MOST_TIMES_READING = 2.0
MOST_MEBIBYTES = 600.0
# Limits for both passes relative to the sum of their parts; for a training pass and a whole
# study without scikit-learn relative to DuckDB's moments; for memory, for any number of
# rows.
MOST_OF_PARTS, MOST_OF_TRAINING, MOST_OF_STUDY = 1.25, 2.0, 5.0
MOST_OF_STREAM = 450.0

# Work of each process: read with pyarrow, read as a stream, fit, or fit and score.
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
    elif what == "duckdb":
        import duckdb
        columns = ", ".join(f"avg(x{place}), var_pop(x{place})" for place in range(20))
        begin = time.perf_counter()
        query = f"SELECT y, count(*), {columns} FROM '{path}' GROUP BY y"
        result = len(duckdb.sql(query).fetchall())
    elif what == "polars":
        import polars as pl
        features = pl.col([f"x{place}" for place in range(20)])
        moments = (pl.len(), features.mean().name.suffix(" mean"), features.var(ddof=0))
        begin = time.perf_counter()
        grouped = pl.scan_parquet(path).group_by("y").agg(moments)
        result = len(grouped.collect(engine="streaming"))
    elif what in ("sklearn", "numpy?solver=exact"):
        from gnbbench import compare
        begin = time.perf_counter()
        study = compare(path, target="y", stream=True, reference=what, against="numpy")
        result = study.details.passes[["stage", "what", "seconds"]].values.tolist()
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
    """Yield the time of fitting and scoring relative to reading, and their memory."""
    work = f"{N_SAMPLES:,} x {N_FEATURES}, Parquet"
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "samples.parquet"
        write(path)
        ratios: dict[str, list[float]] = {"read": [], "fit": [], "score": []}
        peaks: dict[str, list[float]] = {"fit": [], "score": []}
        for _ in range(REPETITIONS):
            reading, _ = used_by(path, "pyarrow")
            for what, values in ratios.items():
                seconds, peak = used_by(path, what)
                values.append(seconds / reading)
                if what in peaks:
                    peaks[what].append(peak)
    words = {
        "read": "read in blocks",
        "fit": "fit in one pass",
        "score": "score in one pass",
    }
    for what, values in ratios.items():
        limit = None if what == "read" else MOST_TIMES_READING
        yield Measured(work, words[what], tuple(values), TIMES_READING, limit)
    for what, values in peaks.items():
        name = f"peak memory of a process: {what}"
        yield Measured(work, name, tuple(values), MEBIBYTES, MOST_MEBIBYTES)


def studies() -> Iterator[Measured]:
    """Yield the time of whole studies relative to their parts and to others' moments."""
    work = f"{N_SAMPLES:,} x {N_FEATURES}, Parquet"
    figures: dict[tuple[str, str, float | None], list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "samples.parquet"
        write(path)
        for _ in range(REPETITIONS):
            moments, _, _ = used(path, "duckdb")
            polars, _, _ = used(path, "polars")
            figures["moments by Polars", TIMES_DUCKDB, None].append(polars / moments)
            _, peak, rows = used(path, "sklearn")
            passes = sum(s for _, what, s in rows if what == "whole pass")
            parts = sum(s for _, what, s in rows if what not in {"whole pass", "checks"})
            key = ("both passes, against scikit-learn", "× their parts", MOST_OF_PARTS)
            figures[key].append(passes / parts)
            key = ("peak memory, against scikit-learn", MEBIBYTES, MOST_OF_STREAM)
            figures[key].append(peak)
            whole, _, rows = used(path, "numpy?solver=exact")
            (training, *_) = (s for _, what, s in rows if what == "whole pass")
            key = ("training pass, our two solvers", TIMES_DUCKDB, MOST_OF_TRAINING)
            figures[key].append(training / moments)
            key = ("whole study, our two solvers", TIMES_DUCKDB, MOST_OF_STUDY)
            figures[key].append(whole / moments)
    for (what, unit, limit), values in figures.items():
        yield Measured(work, what, tuple(values), unit, limit)


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
    return used(path, what)[:2]


def used(path: Path, what: str) -> tuple[float, float, Any]:
    """Return seconds, peak memory in MiB and the result of work in a fresh process."""
    done = subprocess.run(  # noqa: S603  code of this file alone
        [sys.executable, "-c", WORK, str(path), what],
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, peak, result = json.loads(done.stdout.splitlines()[-1])
    return seconds, peak, result
