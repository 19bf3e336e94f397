"""What changed since the last study of a plan: the one replaced, or one beside it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd

from gnbbench.errors import ResultsError
from gnbbench.report.files import SUMMARY_NAME, stored_document
from gnbbench.statistics.comparison import Side, compare_sides
from gnbbench.studies.directory import reading, stored
from gnbbench.studies.options import REPORTS
from gnbbench.studies.schema import require_notes
from gnbbench.studies.store import FILE_NAME, Store
from gnbbench.words import day

TIMES, NOTE = "timing_notes", "last_study"  # Keys of notes
# Fields of a plan that change with the code of an implementation.
_OF_CODE = ("digests", "adaptations", "command")


def timed_records(directory: Path) -> Store | None:
    """Copy stored records into memory; None if they are damaged or have no timings."""
    if not (directory / FILE_NAME).is_file():
        return None
    try:
        with stored(directory) as store:
            require_notes(store.name, store.notes(""))
            return store.in_memory() if store.note(TIMES) else None
    except ResultsError:
        return None


def note_changes(
    summarize: Callable[[Store], Any], store: Store, directory: Path, replaced: Store | None
) -> None:
    """Note how times and labels changed since the last study of the same plan.

    That is the study whose times were replaced, or the latest one in the reports folder.
    """
    times, plan = store.note(TIMES), _without_code(store.note("plan"))
    if times is None or (replaced and replaced.note(TIMES) == times):
        return
    earlier = [replaced] if replaced else list(_beside(directory, plan))
    same = [study for study in earlier if _without_code(study.note("plan")) == plan]
    if same:
        last = max(same, key=lambda study: str(study.note(TIMES).get("taken", "")))
        new = Side("", summarize(store))
        with suppress(ResultsError), reading(Path(last.name).parent):
            store.add({}, {NOTE: _note(Side("", summarize(last)), new)})


def _without_code(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return a plan without what depends on code, except for the reference's digest."""
    digest = plan.get("digests", {}).get(plan.get("reference"))
    kept = {key: value for key, value in plan.items() if key not in _OF_CODE}
    return {**kept, "reference_digest": digest}


def _beside(directory: Path, plan: Mapping[str, Any]) -> Iterator[Store]:
    """Yield the records of studies of the same plan in the folder of reports."""
    paths = REPORTS.glob(f"*/{SUMMARY_NAME}") if directory.parent == REPORTS else ()
    for other in {path.parent for path in paths} - {directory}:
        document = stored_document(other)
        kept = {"study": document.get("study"), **(document.get("plan") or {})}
        if _without_code(kept) == plan and (store := timed_records(other)):
            yield store


def _note(old: Side, new: Side) -> dict[str, Any]:
    """Return the changes that a report mentions, ready for JSON."""
    comparison = compare_sides(old, new)
    compared = [side.summary.agreement.query("predictions > 0") for side in (old, new)]
    labels = [pairs.groupby("implementation")["disagreements"].sum() for pairs in compared]
    counts = pd.concat(labels, axis=1).dropna().astype(int)
    judged = comparison.times[comparison.times["change"].notna()]
    taken = str(old.summary.details["timing_taken"]).partition(" (")[0]
    return {
        "taken": taken or day(old.summary.environment.get("date", "")),
        "environment": list(comparison.environment),
        "times": judged.to_dict("records"),
        "labels": counts.T.to_dict("list"),
    }
