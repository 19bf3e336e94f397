"""The scale study: labels first, then memory, then times, point by point."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from gnbbench.errors import ResultsError
from gnbbench.implementations import Implementation
from gnbbench.records import ScaleRecords
from gnbbench.studies.progress import Progress
from gnbbench.studies.scale_looks import look_along_axes
from gnbbench.studies.scale_memory import NOTE as MEMORY
from gnbbench.studies.scale_memory import measure_memory
from gnbbench.studies.scale_plan import ScalePlan, plan_of
from gnbbench.studies.scale_times import LEFT_OUT, known_losses, measure_times
from gnbbench.studies.scale_times import NOTE as TIMES
from gnbbench.studies.steps import settle
from gnbbench.studies.store import Store

_FINISHED = "finished"


@dataclass(frozen=True)
class ScaleSetting:
    """A plan together with what it is carried out on, found to be possible."""

    entries: tuple[Implementation, ...]  # The reference first
    plan: ScalePlan


def measure_scale(
    made: ScaleSetting, store: Store, *, command: str, progress: Progress
) -> None:
    """Fill the store with all records of the plan that are not there yet.

    Labels are compared before anything is timed, and nothing else runs while it is.
    """
    settle(store, None, made.plan, command)
    if store.note(_FINISHED):
        return
    look_along_axes(store, made.entries, made.plan, progress)
    measure_memory(store, made.entries, made.plan, progress)
    measure_times(store, made.entries, made.plan, progress)
    store.add({}, {_FINISHED: True})


def scale_records(store: Store) -> ScaleRecords:
    """Return what a study left, as statistics read it."""
    settled = store.note("plan")
    if not store.note(_FINISHED):
        raise ResultsError(
            str(store.name),
            "the study is not finished",
            f"Finish it first: {settled['command']}",
        )
    plan = plan_of(settled)
    visits = store.notes(TIMES)
    return ScaleRecords(
        plan=settled,
        environment=store.note("environment"),
        points=_points(plan),
        looks=_columns(store.every_point("runs"), "point implementation status message"),
        pairs=_columns(
            store.every_point("pairs"), "point implementation n_test disagreements"
        ),
        timings=_timings(store.every_point("timings"), plan),
        losses=pd.DataFrame(
            known_losses(plan, visits),
            columns=["process", "point", "implementation", "status", "message"],
        ),
        memory=_memory(store.notes(MEMORY)),
        remarks=(*_left_out(store, plan), *_remarks(list(visits.values()))),
        regime=next((note["regime"] for note in visits.values()), "Nothing was timed."),
    )


def _points(plan: ScalePlan) -> pd.DataFrame:
    columns = ["point", "axis", "size", "n_samples", "n_features", "n_classes"]
    rows = [(one.number, one.axis, one.size, *one.sizes) for one in plan.points]
    return pd.DataFrame(rows, columns=columns)


def _columns(frame: pd.DataFrame, names: str) -> pd.DataFrame:
    return frame[names.split()]


def _timings(frame: pd.DataFrame, plan: ScalePlan) -> pd.DataFrame:
    """Return times with the process and the point that the number of a visit stands for."""
    visits = frame["point"].to_numpy()
    found = frame.assign(
        process=visits // len(plan.points), point=visits % len(plan.points)
    )
    return _columns(found, "process point operation implementation round seconds")


def _memory(notes: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Return a row for each measured peak, and one without a point where there is none."""
    rows: list[tuple[Any, ...]] = []
    for place in sorted(map(int, notes)):
        note = notes[str(place)]
        fixed = (note["axis"], note["implementation"], note["status"], note["message"])
        rows += [(*fixed, *row) for row in note.get("rows", [(-1, "", None, None)])]
    frame = pd.DataFrame(
        rows,
        columns=[
            *("axis", "implementation", "status", "message"),
            *("point", "operation", "traced_bytes", "resident_bytes"),
        ],
    )
    return frame.astype({"traced_bytes": "float64", "resident_bytes": "float64"})


def _left_out(store: Store, plan: ScalePlan) -> list[str]:
    """Return a sentence on processes that the budget had no time for."""
    number = store.note(LEFT_OUT)
    if not number:
        return []
    return [
        f"Times were taken in {plan.processes - number} of {plan.processes} processes: the "
        "machine was slower than foreseen, and another would have taken them beyond twice "
        "their budget."
    ]


def _remarks(notes: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return one sentence for each kind of disturbance, with how often it was seen."""
    seen: dict[str, list[str]] = {}
    for note in notes:
        texts = [text.partition(": ")[2] for text in note["warnings"]]
        for kind in dict.fromkeys(" ".join(text.split()[:3]) for text in texts):
            example = next(text for text in texts if text.startswith(kind))
            seen.setdefault(kind, []).append(example)
    return [
        f"In {len(examples)} of {len(notes)} visits times were disturbed: {examples[0]}"
        for examples in seen.values()
    ]
