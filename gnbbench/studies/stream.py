"""The streamed study: data larger than memory become the records of a few runs."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from gnbbench.data.stream import Stream, open_stream
from gnbbench.errors import DatasetError, ImplementationError, OptionError, ResultsError
from gnbbench.files import toml_beside
from gnbbench.implementations import Implementation, implementations
from gnbbench.implementations.names import refuse_programs
from gnbbench.measurement import streaming
from gnbbench.measurement.timing import FEWEST_ROUNDS
from gnbbench.processes.dask_cluster import require_cluster
from gnbbench.progress import Progress
from gnbbench.report.compare import report
from gnbbench.splits import SideRule
from gnbbench.statistics.summarize import summarize
from gnbbench.statistics.summary import Summary
from gnbbench.studies.kinds import is_several
from gnbbench.studies.options import FileSource, StreamOptions
from gnbbench.studies.plan import Prepared, competitors_of, origins, plan_of_runs
from gnbbench.studies.schema import ELSEWHERE
from gnbbench.studies.store import Store
from gnbbench.studies.stream_on_dask import dask_remarks, passes_on_dask, way_to_learn
from gnbbench.studies.study import Kind, counting, require_finished
from gnbbench.tracebacks import pass_on_interruption
from gnbbench.words import plural

# Enough blocks for an interval of the times.
_ADVISED_PART = 12
CHECKPOINT = "checkpoint"  # Key of the note with the state of both passes
# Rows per step of the search for one on each side of the split.
LOOK_ROWS = 2**20


@dataclass(frozen=True, kw_only=True)
class PreparedStream(Prepared[StreamOptions]):
    """A comparison together with its stream."""

    stream: Stream
    rule: SideRule  # Which rows are on which side of the split


class CompareStream(Kind):
    """A comparison on data larger than memory."""

    name = "stream"
    function = "compare"
    kept = "{done:,} of {total:,} rows of this pass are kept in {directory}"
    report = staticmethod(report)

    def prepare(self, options: StreamOptions) -> PreparedStream:
        """Run the checks that need no data first."""
        against, _ = competitors_of(options.against, options.reference)
        refuse_programs(options.reference, against)
        limit = options.timeout_seconds
        entries = implementations(options.reference, against, timeout_seconds=limit)
        require_learning_in_blocks(entries, on_dask=options.dask is not None)
        require_cluster(options.dask)
        stream = stream_of(options)
        of_file = {n: v for n, v in stream.parameters.items() if n != "block_rows"}
        data = {"dataset": stream.name, "sha256": stream.sha256, "dataset_options": of_file}
        fields, rows = (origins(entries), data, ("test_size",)), stream.block_rows
        plan = plan_of_runs(self.name, options, *fields, stratify=False, block_rows=rows)
        rule = SideRule(options.seed, options.test_size)
        for run in range(options.runs):
            _require_both_sides(stream, rule.of_run(run))
        return PreparedStream(
            options=options,
            plan=plan,
            entries=entries,
            first=of_file.pop("source", stream.name),
            keywords={"stream": True, **of_file},
            stream=stream,
            rule=rule,
        )

    def measure(self, prepared: PreparedStream, store: Store, progress: Progress) -> None:
        """Write checkpoints during both passes, and the records after them."""
        stream, rule, entries = prepared.stream, prepared.rule, prepared.entries
        if store.note("timing_notes") is not None:
            progress.begin("reading", stream.n_rows, stream.n_rows)
            return
        dask = prepared.options.dask
        checkpoint = _checkpoint(store, stream)
        run_passes = (
            streaming.passes if dask is None else partial(passes_on_dask, address=dask)
        )
        with counting(progress, "reading", stream.n_rows, lambda: checkpoint.n_rows):
            result = run_passes(
                stream,
                rule,
                entries,
                runs=prepared.options.runs,
                begin=progress.begin,
                advance=progress.advance,
                checkpoint=checkpoint,
            )
        remarks = interruption_remarks(result)
        remarks += dask_remarks(entries) if dask else round_remarks(result, stream.n_rows)
        notes = {
            "dataset": describe_stream(stream, result),
            "stream": streaming.stream_note(result, len(stream.feature_names))
            | {"remarks": remarks},
            "timing_notes": _timing_notes(result, stream, on_dask=dask is not None),
            CHECKPOINT: None,
        }
        store.add(streaming.run_tables(result), notes)

    def summarize(self, store: Store) -> Summary:
        require_finished(store, len(store.finished_runs(0)), store.note("plan")["runs"])
        return summarize(store.records())


def _checkpoint(store: Store, stream: Stream) -> streaming.Checkpoint:
    """Return the last state saved, with the function that saves the next one."""
    files = {file.shown: [file.n_bytes, file.modified_ns] for file in stream.files}

    def write(state: bytes) -> None:
        text, digest = base64.b64encode(state).decode(), sha256(state).hexdigest()
        store.add({}, {CHECKPOINT: {"files": files, "state": text, "sha256": digest}})

    saved = store.note(CHECKPOINT)
    if saved is None:
        return streaming.Checkpoint(write=write)
    try:
        then, state = dict(saved["files"]), base64.b64decode(saved["state"])
        is_whole = sha256(state).hexdigest() == saved["sha256"]
    except (KeyError, TypeError, ValueError):
        is_whole = False
    if not is_whole:
        what = "the saved state of its stream is damaged"
        raise ResultsError(str(store.name), what, ELSEWHERE)
    for file in stream.files:
        if then.get(file.shown) != files[file.shown]:
            what = "it changed since the study was interrupted"
            raise DatasetError(file.shown, what, ELSEWHERE)
    return streaming.Checkpoint(state, write)


def stream_of(options: StreamOptions) -> Stream:
    """Open the stream at a path, or return one that was passed."""
    names = (*FileSource.model_fields, "block_rows")
    fields = StreamOptions.model_fields
    chosen = {
        name: getattr(options, name)
        for name in names
        if name != "data" and getattr(options, name) != fields[name].default
    }
    if isinstance(options.data, Stream):
        if chosen:
            what = "the stream is open already"
            raise OptionError(next(iter(chosen)), what, "Leave it out.")
        return options.data
    if not (isinstance(options.data, str | Path) or is_several(options.data)):
        remedy = "Leave stream out; it is for files."
        what = f"{type(options.data).__name__} is not a path"
        raise OptionError("stream", what, remedy)
    return open_stream(options.data, target=chosen.pop("target", None), **chosen)


def require_learning_in_blocks(
    entries: Sequence[Implementation], *, on_dask: bool = False
) -> None:
    """Raise at the first implementation that cannot learn block by block."""
    for entry in entries:
        try:
            way = way_to_learn(entry.make())
        except BaseException as error:  # third-party code may raise anything
            pass_on_interruption(error)
            what = f"cannot be created ({type(error).__name__}: {error})"
            remedy = "Fix that, and run the command again."
            raise ImplementationError(entry.name, what, remedy) from error
        if way and (on_dask or way != "arrays"):
            continue
        remedy = "Leave it out, or compare it without --stream."
        if way:
            remedy = "Use --dask ADDRESS: it learns from Dask arrays."
        what = "has no partial_fit, so it cannot learn from a stream"
        raise ImplementationError(entry.name, what, remedy)


def describe_stream(stream: Stream, result: streaming.StreamResult) -> dict[str, Any]:
    """Return the description of the data, ready for JSON."""
    return {
        "name": stream.name,
        "target_name": stream.target_name,
        "origin": f"Read in blocks from {stream.where}.",
        "licence": "",
        "sha256": stream.sha256,
        "n_samples": stream.n_rows,
        "n_features": len(stream.feature_names),
        "n_duplicates": None,
        "n_distinct": None,
        "class_names": list(stream.class_names),
        "class_counts": [int(count) for count in stream.class_counts],
        "notes": list(stream.notes),
        "features": result.ranges.rows(stream.feature_names),
    }


def round_remarks(result: streaming.StreamResult, n_rows: int) -> list[str]:
    """Return a remark if there are too few blocks for an interval of the times."""
    if all(model.untimed or model.failure for model in result.models):
        return []
    numbers = {(row[0], row[2]) for row in result.timings}
    rounds = min(sum(of == name for name, _ in numbers) for of in ("fit", "predict"))
    if rounds >= FEWEST_ROUNDS:
        return []
    text = (
        f"Too few blocks to time: a pass had {rounds} after the first two, and an "
        f"interval needs at least {FEWEST_ROUNDS}."
    )
    # Smaller blocks may have no row on one side.
    if n_rows >= _ADVISED_PART**2:
        text += f" Try smaller ones: --block-rows {n_rows // _ADVISED_PART}."
    return [text]


def interruption_remarks(result: streaming.StreamResult) -> list[str]:
    """Return a remark on interruptions after which the study continued."""
    if not result.n_interruptions:
        return []
    text = f"The study continued after {plural(result.n_interruptions, 'interruption')}."
    if result.learned_anew:
        names = ", ".join(result.learned_anew)
        text += f" Models that could not be saved were trained again: {names}."
    return [text]


def _timing_notes(
    result: streaming.StreamResult, stream: Stream, *, on_dask: bool
) -> dict[str, Any]:
    """Return the `timing_notes` of the records."""
    texts = toml_beside(__file__, "texts.toml")
    regime = texts["stream_on_dask" if on_dask else "stream"]
    return {
        "regime": regime.format(block_rows=stream.block_rows),
        "inner_counts": {},
        "cold_seconds": result.cold_seconds,
        "warnings": [],
        "skipped": {model.name: model.untimed for model in result.models if model.untimed},
    }


def _require_both_sides(stream: Stream, rule: SideRule) -> None:
    """Raise unless there is a row to train on and one to test on."""
    any_train = any_test = False
    for first in range(0, stream.n_rows, LOOK_ROWS):
        mask = rule.train_mask(first, min(LOOK_ROWS, stream.n_rows - first))
        any_train, any_test = any_train or bool(mask.any()), any_test or not mask.all()
        if any_train and any_test:
            return
    what = f"none of its {stream.n_rows:,} rows is on one side of the split"
    raise DatasetError(stream.where, what, "Give another --test-size or --seed.")
