"""The studies in the folder of reports: listed, on a page, and the last of one plan."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnbbench.errors import ResultsError
from gnbbench.files import json_of
from gnbbench.studies.options import REPORTS
from gnbbench.words import day

if TYPE_CHECKING:
    from gnbbench.statistics.comparison import Side
    from gnbbench.studies.store import Store

# Marks a page as the one of a folder of studies.
MARK = "<!-- gnbbench: the studies of this folder -->"
TIMES, NOTE = "timing_notes", "last_study"  # Keys of notes
# Fields of a plan that change with the code of an implementation.
_OF_CODE = ("digests", "adaptations", "command")


@dataclass(frozen=True)
class FinishedStudy:
    """A study with a report."""

    date: str  # When it was summarised, in local time
    kind: str
    dataset: str  # Several are separated by commas; empty if none is loaded
    verdict: str
    path: str  # Its results directory


def finished_studies(folder: Path) -> list[FinishedStudy]:
    """Return the studies of a folder, the newest first; those that are locked last."""
    studies = []
    try:
        paths = [path / "summary.json" for path in folder.iterdir()]
    except FileNotFoundError:
        return []
    except OSError as error:
        what = f"it cannot be read ({error.strerror})"
        remedy = "Check the path and its permissions."
        raise ResultsError(str(folder), what, remedy) from error
    for path in paths:
        try:
            document, changed = json_of(path), path.stat().st_mtime
        except PermissionError as error:
            what = f"cannot be read ({error.strerror})"
            studies.append((0.0, FinishedStudy("", "", "", what, str(path.parent))))
            continue
        except (OSError, ValueError):
            continue
        schema = document.get("schema") if isinstance(document, dict) else ""
        if str(schema).startswith("gnbbench "):
            studies.append((changed, _study(document, changed, path.parent)))
    return [study for _, study in sorted(studies, key=lambda entry: entry[0], reverse=True)]


def _study(document: Mapping[str, Any], changed: float, directory: Path) -> FinishedStudy:
    date = datetime.fromtimestamp(changed).strftime("%Y-%m-%d %H:%M")
    several = document.get("datasets") or [document.get("dataset") or {}]
    names = ", ".join(str(entry.get("name", "")) for entry in several)
    kind = "compare" if document.get("datasets") else str(document.get("study", ""))
    verdict = str(document.get("headline", ""))
    return FinishedStudy(date, kind, names, verdict, str(directory))


def finish(directory: Path, kept: list[Path]) -> list[str]:
    """Update the page of all studies; return a remark on each changed file kept."""
    kept = [*kept, *_update_page(directory)]
    return [f"{path}: kept aside, as gnbbench did not write this version" for path in kept]


def _update_page(directory: Path) -> list[Path]:
    """Write the page of all studies into the default folder; return changed files.

    A page that gnbbench did not write is left alone.
    """
    page = REPORTS / "index.html"
    if directory.parent != REPORTS or (os.path.lexists(page) and not page.is_file()):
        return []
    if page.exists() and MARK not in page.read_text(encoding="utf-8", errors="replace"):
        return []
    from gnbbench.studies.directory import write_report

    with suppress(ResultsError):  # Of a folder that may not be listed
        return write_report(REPORTS, {page.name: _page(finished_studies(REPORTS)).encode()})
    return []


def _page(studies: list[FinishedStudy]) -> str:
    from gnbbench.report.blocks import Cell, Document, Section, Table
    from gnbbench.report.files import page
    from gnbbench.words import count

    def linked(verdict: str, path: str) -> Cell:
        return Cell(verdict, verdict, link=f"{Path(path).name}/index.html")

    table = Table.named("studies", [vars(s) for s in studies], linked=linked)
    title = "1 study" if len(studies) == 1 else f"{count(len(studies))} studies"
    section = Section("studies", "Studies", (table,))
    document = Document(
        study="studies",
        subject=REPORTS.name,
        headline=title,
        setting="Newest first; each verdict is a link.",
        parts=(section,),
    )
    return f"{page(document)}{MARK}\n"


def timed_records(directory: Path) -> "Store | None":
    """Copy stored records into memory; None if they are damaged or have no timings."""
    from gnbbench.studies.directory import stored
    from gnbbench.studies.schema import require_notes
    from gnbbench.studies.store import FILE_NAME

    if not (directory / FILE_NAME).is_file():
        return None
    try:
        with stored(directory) as store:
            require_notes(store.name, store.notes(""))
            return store.in_memory() if store.note(TIMES) else None
    except ResultsError:
        return None


def note_changes(
    summarize: Callable[["Store"], Any],
    store: "Store",
    directory: Path,
    replaced: "Store | None",
) -> None:
    """Note how times and labels changed since the last study of the same plan.

    That is the study whose times were replaced, or the latest one in the reports folder.
    """
    from gnbbench.statistics.comparison import Side
    from gnbbench.studies.directory import reading

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


def _beside(directory: Path, plan: Mapping[str, Any]) -> "Iterator[Store]":
    """Yield the records of studies of the same plan in the folder of reports."""
    from gnbbench.report.files import SUMMARY_NAME, stored_document

    paths = REPORTS.glob(f"*/{SUMMARY_NAME}") if directory.parent == REPORTS else ()
    for other in {path.parent for path in paths} - {directory}:
        document = stored_document(other)
        kept = {"study": document.get("study"), **(document.get("plan") or {})}
        if _without_code(kept) == plan and (store := timed_records(other)):
            yield store


def _note(old: "Side", new: "Side") -> dict[str, Any]:
    """Return the changes that a report mentions, ready for JSON."""
    import pandas as pd

    from gnbbench.statistics.comparison import compare_sides

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
