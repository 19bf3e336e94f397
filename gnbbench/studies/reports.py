"""The studies in a folder of results directories, as a list and as a page."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnbbench.files import json_of
from gnbbench.studies.options import REPORTS

if TYPE_CHECKING:
    from gnbbench.studies.study import Study

# Marks a page as the one of a folder of studies.
MARK = "<!-- gnbbench: the studies of this folder -->"


@dataclass(frozen=True)
class FinishedStudy:
    """A study with a report."""

    date: str  # When it was summarised, in local time
    kind: str
    dataset: str  # Several are separated by commas; empty if none is loaded
    verdict: str
    path: str  # Its results directory


def finished_studies(folder: Path) -> list[FinishedStudy]:
    """Return the studies of a folder, the newest first."""
    studies = []
    for path in folder.glob("*/summary.json"):
        try:
            document, changed = json_of(path), path.stat().st_mtime
        except (OSError, ValueError):
            continue
        if isinstance(document, dict) and str(document.get("schema", "")).startswith(
            "gnbbench "
        ):
            studies.append((changed, _study(document, changed, path.parent)))
    return [study for _, study in sorted(studies, key=lambda entry: entry[0], reverse=True)]


def _study(document: Mapping[str, Any], changed: float, directory: Path) -> FinishedStudy:
    date = datetime.fromtimestamp(changed).strftime("%Y-%m-%d %H:%M")
    several = document.get("datasets") or [document.get("dataset") or {}]
    names = ", ".join(str(entry.get("name", "")) for entry in several)
    kind = "compare" if document.get("datasets") else str(document.get("study", ""))
    return FinishedStudy(
        date, kind, names, str(document.get("headline", "")), str(directory)
    )


def finish(directory: Path, study: "Study") -> list[str]:
    """Update the page of all studies; return a remark on each changed file kept."""
    studies = dict.fromkeys((study, *study.parts))
    kept = [path for part in studies for path in part.kept_aside]
    kept += _update_page(directory)
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

    return write_report(REPORTS, {page.name: _page(finished_studies(REPORTS)).encode()})


def _page(studies: list[FinishedStudy]) -> str:
    from gnbbench.report.blocks import Cell, Column, Document, Section, Table
    from gnbbench.report.files import page
    from gnbbench.words import count

    def linked(verdict: str, path: str) -> Cell:
        return Cell(verdict, verdict, link=f"{Path(path).name}/index.html")

    columns = (
        *(Column("date"), Column("study", "kind"), Column("dataset")),
        Column("verdict", ("verdict", "path"), linked),
    )
    table = Table(
        "Studies of this folder", [vars(study) for study in studies], columns, "whole"
    )
    title = "1 study" if len(studies) == 1 else f"{count(len(studies))} studies"
    section = Section("studies", "Studies", (table,))
    document = Document(
        *("studies", REPORTS.name, title, "", "Newest first; each verdict is a link."),
        *("", (), (section,), {}, ()),
    )
    return f"{page(document)}{MARK}\n"
