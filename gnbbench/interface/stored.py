"""Studies that were carried out earlier: drawn again, or held against each other."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gnbbench.errors import ResultsError
from gnbbench.interface.scale import stored_scale
from gnbbench.interface.shown import Shown
from gnbbench.interface.study import Study
from gnbbench.report.files import SUMMARY_NAME
from gnbbench.report.summaries import AnySummary
from gnbbench.statistics import summarize, summarize_sweep
from gnbbench.statistics.comparison import Comparison, compare_sides
from gnbbench.statistics.comparison_sides import Side, side
from gnbbench.studies.directory import stored
from gnbbench.studies.scale_plan import ScalePlan
from gnbbench.studies.store import FILE_NAME, Store

_READ_ONE = "Give the directory of a study, or its summary.json."


def draw_again(directory: str | Path) -> Shown:
    """Return a study as its records tell it, without a measurement."""
    with stored(Path(directory)) as store:
        if (store.note("plan") or {}).get("study") == ScalePlan.study:
            return stored_scale(store)
        return Study(_summary(store), store.serialized())


def compare_stored(
    old: str | Path, new: str | Path, *, tolerance: float | None = None
) -> Comparison:
    """Return how a stored study differs from an earlier one."""
    sides = [_side(Path(path)) for path in (old, new)]
    for what, values in (
        ("study", [one.study for one in sides]),
        ("dataset", [one.plan.get("dataset") for one in sides]),
        ("data", [one.plan.get("sha256") for one in sides]),
    ):
        if values[0] != values[1]:
            other = "other values" if what == "data" else f"{values[0]} and {values[1]}"
            raise ResultsError(
                str(new),
                f"its {what} is not that of {old} ({other})",
                "Compare studies of one kind on the same data.",
            )
    return compare_sides(*sides, tolerance=tolerance)


def _compare(store: Store, plan: Mapping[str, Any]) -> AnySummary:
    _require_runs(store, [0], plan)
    return summarize(store.records())


def _sweep(store: Store, plan: Mapping[str, Any]) -> AnySummary:
    fractions = plan["train_fractions"]
    _require_runs(store, range(len(fractions)), plan)
    found = {}
    for point, fraction in enumerate(fractions):
        records = store.records(point)
        if records.timings.empty:
            records = replace(records, timing_notes=None)
        found[fraction] = records
    return summarize_sweep(found)


SUMMARIES: Mapping[str, Callable[[Store, Mapping[str, Any]], AnySummary]] = {
    "compare": _compare,
    "stream": _compare,
    "sweep-split": _sweep,
}


def _summary(store: Store) -> AnySummary:
    plan = store.note("plan") or {}
    if plan.get("study") not in SUMMARIES:
        raise ResultsError(
            str(store.name),
            f"it holds no study of a known kind ({plan.get('study', 'nothing')})",
            "Give the directory of a study, such as one in reports/.",
        )
    return SUMMARIES[plan["study"]](store, plan)


def _require_runs(store: Store, points: Any, plan: Mapping[str, Any]) -> None:
    """Raise where the study was interrupted: a report on part of it would mislead."""
    done = sum(len(store.finished_runs(point)) for point in points)
    wanted = len(points) * plan["runs"]
    if done < wanted or store.note("timing_notes") is None:
        raise ResultsError(
            str(store.name),
            f"the study is not finished ({done:,} of {wanted:,} runs)",
            f"Finish it first: {plan['command']}",
        )


def _side(path: Path) -> Side:
    directory = path.parent if path.name == FILE_NAME else path
    if (directory / FILE_NAME).exists():
        with stored(directory) as store:
            summary = _summary(store)
        return side(str(path), vars(summary), summary.runs)
    file = path / SUMMARY_NAME if path.is_dir() else path
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        return side(str(path), document)
    except OSError as error:
        what = f"it cannot be read ({error.strerror or error})"
        raise ResultsError(str(file), what, _READ_ONE) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"it is no summary of a study ({type(error).__name__}: {error})"
        raise ResultsError(str(file), what, _READ_ONE) from error
