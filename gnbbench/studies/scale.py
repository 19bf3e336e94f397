"""The scale study: labels first, then memory, then times, point by point."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from gnbbench.implementations import Implementation, implementations
from gnbbench.measurement.scale import available_bytes
from gnbbench.records import ScaleRecords
from gnbbench.statistics.scale import summarize_scale
from gnbbench.statistics.summary import Summary
from gnbbench.studies.inputs import call_text, competitors_of, origins
from gnbbench.studies.options import ScaleOptions
from gnbbench.studies.progress import Progress
from gnbbench.studies.scale_grid import KINDS, ScalePlan, axis, plan_of
from gnbbench.studies.scale_steps import (
    LEFT_OUT,
    MEMORY,
    TIMES,
    compare_labels,
    losses_of,
    measure_memory,
    measure_times,
)
from gnbbench.studies.store import Store
from gnbbench.studies.study import Kind, Study, run, study_function, unfinished

if TYPE_CHECKING:
    from gnbbench.report.blocks import Document

_FINISHED = "finished"


@dataclass(frozen=True)
class PreparedScale:
    """A plan together with what it is carried out on, found to be possible."""

    options: ScaleOptions
    entries: tuple[Implementation, ...]  # The reference first
    plan: ScalePlan

    @property
    def dataset(self) -> None:
        """Samples are drawn at every size."""


class Scale(Kind[ScaleOptions, PreparedScale]):
    """Time and memory against samples, features and classes."""

    name = "scale"
    function = "scale"

    def prepare(self, options: ScaleOptions) -> PreparedScale:
        axes = {kind.name: axis(kind, getattr(options, kind.name)) for kind in KINDS}
        against, _ = competitors_of(options.against, options.reference)
        limit = options.timeout_seconds
        entries = implementations(options.reference, against, timeout_seconds=limit)
        plan = ScalePlan(
            **origins(entries),
            axes=axes,
            budget_seconds=options.budget_seconds,
            processes=options.processes,
            seed=options.seed,
            threads=options.threads,
        )
        plan.require_memory(available_bytes())
        return PreparedScale(options, entries, plan)

    def measure(self, prepared: PreparedScale, store: Store, progress: Progress) -> None:
        """Labels are compared before anything is timed, and nothing else runs then."""
        if store.note(_FINISHED):
            return
        compare_labels(store, prepared.entries, prepared.plan, progress)
        measure_memory(store, prepared.entries, prepared.plan, progress)
        measure_times(store, prepared.entries, prepared.plan, progress)
        store.add({}, {_FINISHED: True})

    def summarize(self, store: Store) -> Summary:
        return summarize_scale(scale_records(store))

    def call(self, prepared: PreparedScale) -> str:
        plan = prepared.plan
        sizes = {name: list(one.sizes) or one.held for name, one in plan.axes.items()}
        names = ("against", "reference", "budget_seconds", "processes", "seed", "threads")
        options = {**sizes, **{name: getattr(plan, name) for name in names}}
        options["against"] = list(plan.against)
        return call_text(self.function, **options)

    def frame(self, summary: Summary) -> pd.DataFrame:
        """Return one row for each size, operation and implementation."""
        return summary.times

    def runs(self, summary: Summary) -> pd.DataFrame:
        return summary.times

    def report(self, summary: Summary) -> "Document":
        from gnbbench.report.scale import report

        return report(summary)


def scale_records(store: Store) -> ScaleRecords:
    """Return what a study left, as statistics read it."""
    settled = store.note("plan")
    if not store.note(_FINISHED):
        raise unfinished(store)
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
            losses_of(plan, visits),
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


@study_function(ScaleOptions)
def scale(options: ScaleOptions) -> Study:
    """Return how time and memory grow with samples, features and classes.

    One size varies at a time; the others are held at 10 000 samples, 20 features and 5
    classes, or at the end of their own range that is nearest to that. Sizes are a range
    such as "1e3:1e6", some sizes, or one number that holds the size.

    Returns
    -------
    Study

    Raises
    ------
    GnbBenchError
        If an option or the directory cannot be used; nothing is written then.

    Examples
    --------
    >>> study = scale(samples="1e3:1e5", features=20, classes=5)  # doctest: +SKIP
    >>> study.frame()  # doctest: +SKIP
    """
    return run(options)
