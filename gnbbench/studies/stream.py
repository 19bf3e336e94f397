"""The streamed study: data larger than memory become the records of one run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from gnbbench.data.stream import Stream
from gnbbench.errors import DatasetError, ImplementationError
from gnbbench.implementations import Implementation
from gnbbench.measurement.split_rules import SideRule
from gnbbench.measurement.streaming import StreamResult, passes, run_tables, stream_note
from gnbbench.measurement.timing import FEWEST_ROUNDS
from gnbbench.studies.plan import StreamPlan
from gnbbench.studies.progress import Progress
from gnbbench.studies.steps import settle
from gnbbench.studies.store import Store
from gnbbench.studies.stream_on_dask import dask_remarks, passes_on_dask, way_to_learn

# Blocks of this part of all rows are enough for an interval.
_ADVISED_PART = 12
# How many rows are looked at a time for one of each side.
LOOK_ROWS = 2**20

ON_DASK = (
    "Seconds are those of all tasks together, on whatever worker each of them ran: they "
    "are no pairs, and there is no ratio of times."
)


@dataclass(frozen=True)
class StreamSetting:
    """A plan together with the stream it is carried out on, found to be possible."""

    # An interrupted study keeps nothing.
    goes_on: ClassVar[bool] = False

    stream: Stream
    entries: tuple[Implementation, ...]  # The reference first
    plan: StreamPlan
    rule: SideRule  # Which rows are on which side


def stream_setting(
    stream: Stream, entries: Sequence[Implementation], plan: StreamPlan
) -> StreamSetting:
    """Return the plan made ready; whatever the data make impossible is raised here."""
    rule = SideRule(plan.seed, plan.test_size)
    _require_both_sides(stream, rule)
    return StreamSetting(stream, tuple(entries), plan, rule)


def require_learning_in_blocks(
    entries: Sequence[Implementation], *, on_dask: bool = False
) -> None:
    """Raise at the first implementation that cannot learn block by block."""
    for entry in entries:
        try:
            way = way_to_learn(entry.make())
        except (Exception, SystemExit) as error:  # foreign code may raise anything
            what = f"cannot be made ({type(error).__name__}: {error})"
            remedy = "Mend that, and give the command again."
            raise ImplementationError(entry.name, what, remedy) from error
        if way and (on_dask or way != "arrays"):
            continue
        remedy = "Leave it out, or compare it without --stream on data that fit in memory."
        if way:
            remedy = "Give --dask ADDRESS: it learns from Dask arrays."
        what = "has no partial_fit, so that it cannot learn from a stream"
        raise ImplementationError(entry.name, what, remedy)


def stream_measure(
    made: StreamSetting,
    store: Store,
    *,
    command: str,
    progress: Progress,
    dask: str | None = None,
) -> None:
    """Fill the store with the records of the plan, unless they are there.

    They are written when both passes are over: what an interruption leaves is begun anew.
    """
    settle(store, None, made.plan, command)
    if store.note("timing_notes") is not None:
        return
    stream = made.stream
    note: dict[str, Any] = {"remarks": []}
    if dask is None:
        found = passes(
            stream,
            made.rule,
            made.entries,
            begin=lambda stage: progress.begin(f"{stage} pass", total=stream.n_rows),
            advance=progress.advance,
        )
        note["remarks"] = round_remarks(found, stream.n_rows)
    else:
        found = passes_on_dask(
            stream,
            made.rule,
            made.entries,
            dask,
            begin=lambda stage: progress.begin(f"{stage} pass on Dask"),
        )
        note["remarks"] = dask_remarks(made.entries)
    notes = {
        "dataset": describe_stream(stream, found),
        "stream": {**stream_note(found, len(stream.feature_names)), **note},
        "timing_notes": _timing_notes(found, stream, on_dask=dask is not None),
    }
    store.add(run_tables(found), notes)


def describe_stream(stream: Stream, found: StreamResult) -> dict[str, Any]:
    """Return what the page says of the data, ready for JSON."""
    return {
        "name": stream.name,
        "target_name": str(stream.parameters.get("target") or "target"),
        "origin": f"Read in blocks from {stream.where}.",
        "licence": "",
        "sha256": stream.sha256,
        "n_samples": stream.n_rows,
        "n_features": len(stream.feature_names),
        "n_duplicates": None,
        "class_names": list(stream.class_names),
        "class_counts": [int(count) for count in stream.class_counts],
        "notes": [],
        "features": found.train.ranges.rows(stream.feature_names),
    }


def round_remarks(found: StreamResult, n_rows: int) -> list[str]:
    """Return a sentence if there are too few blocks for an interval of the times."""
    if all(model.untimed or model.failure for model in found.models):
        return []
    numbers = {(row[0], row[2]) for row in found.timings}
    rounds = min(
        sum(operation == one for one, _ in numbers) for operation in ("fit", "predict")
    )
    if rounds >= FEWEST_ROUNDS:
        return []
    text = (
        f"Too few blocks to time: a pass had {rounds} after the first, and an interval "
        f"takes {FEWEST_ROUNDS} at least."
    )
    # Blocks of fewer rows may have none on one side.
    if n_rows >= _ADVISED_PART**2:
        text += f" Smaller ones would do: --block-rows {n_rows // _ADVISED_PART}."
    return [text]


def _timing_notes(found: StreamResult, stream: Stream, *, on_dask: bool) -> dict[str, Any]:
    """Return `gnbbench.records.Records.timing_notes` of the rounds."""
    skipped = {model.name: model.untimed for model in found.models if model.untimed}
    return {
        "regime": ON_DASK
        if on_dask
        else (
            "One call takes the rows of one block that are on its side, at most "
            f"{stream.block_rows:,} rows are read at a time; every implementation takes "
            "each block, in random order, on one thread while the next block is read on "
            "another. Rounds are blocks after the first, in which the reference takes "
            "part twice."
        ),
        "inner_counts": {},
        "cold_seconds": found.cold_seconds,
        "warnings": [],
        "skipped": skipped,
    }


def _require_both_sides(stream: Stream, rule: SideRule) -> None:
    """Raise unless there is a row to learn from and one to label."""
    any_train = any_test = False
    for first in range(0, stream.n_rows, LOOK_ROWS):
        mask = rule.train_mask(first, min(LOOK_ROWS, stream.n_rows - first))
        any_train, any_test = any_train or bool(mask.any()), any_test or not mask.all()
        if any_train and any_test:
            return
    raise DatasetError(
        stream.where,
        f"none of its {stream.n_rows:,} rows is on one side of the split",
        "Give another --test-size or --seed.",
    )
