"""The study of time and memory against sizes: labels, then memory, then times."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeAlias

import pandas as pd

from gnbbench.implementations import implementations
from gnbbench.implementations.names import refuse_programs
from gnbbench.measurement.operations import distinct_warnings
from gnbbench.measurement.scale import available_bytes
from gnbbench.progress import Progress
from gnbbench.records import SCALE_TABLES, ScaleRecords
from gnbbench.report.scale import report
from gnbbench.statistics.scale import summarize_scale
from gnbbench.statistics.summary import Summary
from gnbbench.statistics.timing import disturbances, of_measurement
from gnbbench.studies.kinds import run
from gnbbench.studies.option import study_function
from gnbbench.studies.options import ScaleOptions
from gnbbench.studies.plan import Prepared, competitors_of, origins, plan_of
from gnbbench.studies.scale_steps import (
    KINDS,
    LEFT_OUT,
    MEMORY,
    TIMES,
    GridMeasurement,
    axis,
    losses_of,
    points_of,
    require_possible,
)
from gnbbench.studies.store import Store
from gnbbench.studies.study import Kind, Study, unfinished

_FINISHED = "finished"

PreparedScale: TypeAlias = Prepared[ScaleOptions]


class MeasureScaling(Kind):
    """Time and memory against samples, features and classes."""

    name = "scale"
    function = "scale"
    frame_name = runs_name = "times"
    report = staticmethod(report)

    def prepare(self, options: ScaleOptions) -> PreparedScale:
        axes = {kind.name: axis(kind, getattr(options, kind.name)) for kind in KINDS}
        against, _ = competitors_of(options.against, options.reference)
        refuse_programs(options.reference, against)
        limit = options.timeout_seconds
        entries = implementations(options.reference, against, timeout_seconds=limit)
        names = ("budget_seconds", "processes", "seed", "threads")
        values = {name: getattr(options, name) for name in names}
        plan = plan_of(self.name, axes=axes, **values, **origins(entries))
        require_possible(points_of(axes), available_bytes())
        return Prepared(options=options, plan=plan, entries=entries, stem=self.name)

    def measure(self, prepared: PreparedScale, store: Store, progress: Progress) -> None:
        """Labels come first, so that nothing else works while times are taken."""
        if store.note(_FINISHED):
            return
        steps = GridMeasurement(store, prepared.entries, prepared.plan, progress)
        steps.compare_labels()
        steps.measure_memory()
        steps.measure_times()
        store.add({}, {_FINISHED: True})

    def summarize(self, store: Store) -> Summary:
        return summarize_scale(scale_records(store))


def scale_records(store: Store) -> ScaleRecords:
    """Return the records of a finished study."""
    plan = store.note("plan")
    if not store.note(_FINISHED):
        raise unfinished(store)
    points, visits = points_of(plan["axes"]), store.notes(TIMES)
    timings = store.every_point("timings")
    # The number of a visit encodes its process and its point.
    numbers = timings["point"].to_numpy()
    timings = timings.assign(process=numbers // len(points), point=numbers % len(points))
    grid = [(point.number, point.axis, point.size, *point.sizes) for point in points]
    lost = losses_of(len(points), visits)
    return ScaleRecords(
        plan=plan,
        environment=store.note("environment"),
        points=pd.DataFrame(grid, columns=SCALE_TABLES["points"]),
        looks=store.every_point("runs")[SCALE_TABLES["looks"]],
        pairs=store.every_point("pairs")[SCALE_TABLES["pairs"]],
        timings=timings[SCALE_TABLES["timings"]],
        losses=pd.DataFrame(lost, columns=SCALE_TABLES["losses"]),
        memory=_memory(store.notes(MEMORY)),
        remarks=tuple(_remarks(plan["processes"], store.note(LEFT_OUT), visits.values())),
        regime=next((note["regime"] for note in visits.values()), "Nothing was timed."),
    )


def _memory(notes: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Return one row for each measured peak, or one without a point if there is none."""
    fixed = SCALE_TABLES["memory"][:4]
    rows: list[tuple[Any, ...]] = []
    for place in sorted(map(int, notes)):
        note = notes[str(place)]
        peaks = note.get("rows", [(-1, "", None, None)])
        rows += [(*(note[name] for name in fixed), *peak) for peak in peaks]
    frame = pd.DataFrame(rows, columns=SCALE_TABLES["memory"])
    return frame.astype({"traced_bytes": "float64", "resident_bytes": "float64"})


def _remarks(
    processes: int, left_out: int | None, visits: Collection[Mapping[str, Any]]
) -> Iterable[str]:
    """Yield what was left out, and how often each kind of disturbance occurred."""
    if left_out:
        yield (
            f"Times were taken in {processes - left_out} of {processes} processes; another "
            "would have exceeded twice the budget on this machine."
        )
    # Whether it was fit or predict does not matter here.
    texts = [[t.partition(": ")[2] for t in of_measurement(note)] for note in visits]
    yield from distinct_warnings(texts, "measurements")
    yield from disturbances(visits)


@study_function(ScaleOptions)
def scale(options: ScaleOptions) -> Study:
    """Measure how time and memory grow with samples, features and classes.

    One size varies at a time; the others are held at 10,000 samples, 20 features and 5
    classes, or at the nearest end of their own range. Sizes are a range such as "1e3:1e6",
    a list, or one number that fixes the size.

    Examples
    --------
    >>> study = scale(samples="1e3:1e5", features=20, classes=5)  # doctest: +SKIP
    >>> study.summary  # doctest: +SKIP
    """
    return run(options)
