"""``gnbbench.compare(..., stream=True)``: data larger than memory, read in blocks."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gnbbench.data.stream import Stream, open_stream
from gnbbench.errors import OptionError
from gnbbench.implementations import implementations
from gnbbench.interface.inputs import call_text, competitors_of, origins, store_of
from gnbbench.interface.study import Study
from gnbbench.statistics import summarize
from gnbbench.studies.dask_cluster import dask_client
from gnbbench.studies.plan import StreamPlan
from gnbbench.studies.progress import Progress, Silence
from gnbbench.studies.stream import (
    StreamSetting,
    require_learning_in_blocks,
    stream_measure,
    stream_setting,
)

_OF_A_FILE = ("target", "drop", "separator", "header", "missing", "block_rows")


def compare_stream(
    data: Any,
    *,
    target: Any = None,
    drop: Sequence[str] = (),
    separator: str | None = None,
    header: bool | None = None,
    missing: str = "error",
    block_rows: int | None = None,
    against: Any = None,
    reference: Any = "sklearn",
    test_size: float = 0.3,
    seed: int = 42,
    margin: float = 0.01,
    timeout_seconds: float | None = None,
    dask: str | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Study:
    """Return how implementations compare on data that are read in blocks, twice.

    In the first pass every implementation learns from the train rows by ``partial_fit``,
    in the second all label the test rows. Memory does not grow with the number of rows.
    """
    made = stream_prepared(
        data,
        target=target,
        drop=drop,
        separator=separator,
        header=header,
        missing=missing,
        block_rows=block_rows,
        against=against,
        reference=reference,
        test_size=test_size,
        seed=seed,
        margin=margin,
        timeout_seconds=timeout_seconds,
        dask=dask,
    )
    return stream_carried_out(
        made, dask=dask, out=out, overwrite=overwrite, progress=progress
    )


def stream_prepared(
    data: Any,
    *,
    against: Any = None,
    reference: Any = "sklearn",
    timeout_seconds: float | None = None,
    test_size: float = 0.3,
    seed: int = 42,
    margin: float = 0.01,
    dask: str | None = None,
    **of_data: Any,
) -> StreamSetting:
    """Return a streamed study that is settled and possible, with nothing learned yet."""
    against, _ = competitors_of(against, reference, 1, None)
    entries = implementations(reference, against, timeout_seconds=timeout_seconds)
    specifications, digests = origins(entries)
    # What needs no look at the data comes before one.
    require_learning_in_blocks(entries, on_dask=dask is not None)
    if dask is not None:
        with dask_client(dask):
            pass
    plan = StreamPlan(
        dataset="",
        sha256="",
        dataset_options={},
        reference=entries[0].name,
        against=tuple(entry.name for entry in entries[1:]),
        specifications=specifications,
        digests=digests,
        test_size=test_size,
        seed=seed,
        margin=margin,
    )
    stream = stream_of(data, **of_data)
    settled = replace(
        plan,
        dataset=stream.name,
        sha256=stream.sha256,
        dataset_options=_without_block_rows(stream.parameters),
        block_rows=stream.block_rows,
    )
    return stream_setting(stream, entries, settled)


def _without_block_rows(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return what loads the data again; rows of a block are a field of the plan."""
    return {name: value for name, value in parameters.items() if name != "block_rows"}


def stream_of(data: Any, **of_data: Any) -> Stream:
    """Return the stream that a path stands for, or the one that is given."""
    given = {name: value for name, value in of_data.items() if value is not None}
    if isinstance(data, Stream):
        named = [name for name, value in given.items() if value not in ((), "error")]
        if named:
            raise OptionError(named[0], "the stream is open already", "Leave it out.")
        return data
    if not isinstance(data, str | Path):
        remedy = "Leave stream out: what is in memory is compared as it is."
        raise OptionError("stream", f"{type(data).__name__} is no path", remedy)
    for name in given:
        if name not in _OF_A_FILE:
            known = ", ".join(_OF_A_FILE)
            remedy = f"Leave it out; a stream takes {known}."
            raise OptionError(name, "it does not apply to a stream", remedy)
    return open_stream(data, target=given.pop("target", None), **given)


def stream_carried_out(
    made: StreamSetting,
    *,
    jobs: int | None = None,
    dask: str | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    command: str | None = None,
    progress: Progress | None = None,
) -> Study:
    """Return the study after both passes, or from records that are there."""
    if jobs not in {None, 1}:
        remedy = "Leave it out, or give --dask ADDRESS."
        raise OptionError("--jobs", "a stream is read by one process", remedy)
    listener, plan = progress or Silence(), made.plan
    names = ("block_rows", "test_size", "seed", "margin")
    options = {name: getattr(plan, name) for name in names}
    source = {**plan.dataset_options}
    path = str(source.pop("source", plan.dataset))
    repeat = command or call_text("compare", path, stream=True, **source, **options)
    with store_of(out, overwrite=overwrite) as store:
        stream_measure(made, store, command=repeat, progress=listener, dask=dask)
        listener.begin("report")
        study = Study(summarize(store.records()), store.serialized())
        # The report is written while the store still keeps other processes away.
        if out is not None:
            study.save(out)
    return study
