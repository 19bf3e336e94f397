"""The files of a report of conformance, each whole or not there."""

import re
from pathlib import Path

from gnbbench.errors import ResultsError
from gnbbench.report.conformance_badge import badge
from gnbbench.report.conformance_documents import (
    SCHEMA,
    SCOREBOARD_SCHEMA,
    conformance_json_text,
)
from gnbbench.report.conformance_junit import junit
from gnbbench.report.conformance_page import conformance_page
from gnbbench.report.conformance_summary import ConformanceSummary
from gnbbench.report.files import (
    OTHER_DIRECTORY,
    PAGE_NAME,
    SUMMARY_NAME,
    replace_file,
    report_written,
    stored_document,
)
from gnbbench.report.junit import write_document
from gnbbench.words import printable

RESULTS_NAME = "conformance.csv"
JUNIT_NAME = "junit.xml"
BADGE_NAME = "badge.svg"
BADGES_NAME = "badges"


def write_conformance(summary: ConformanceSummary, directory: Path) -> Path:
    """Return the path of the page, after it and all its files were written.

    The page comes last, so that where it is there, everything that it links to is.
    """
    badges = badge_names(summary)
    with report_written(directory):
        directory.mkdir(parents=True, exist_ok=True)
        if summary.is_scoreboard:
            _clear_badges(directory / BADGES_NAME)
        for one in summary.examined:
            replace_file(directory / badges[one.implementation], badge(one).encode())
        table = summary.frame().to_csv(index=False)
        replace_file(directory / RESULTS_NAME, table.encode())
        replace_file(directory / JUNIT_NAME, junit(summary).encode())
        replace_file(directory / SUMMARY_NAME, conformance_json_text(summary).encode())
        page = conformance_page(summary, badges)
        replace_file(directory / PAGE_NAME, page.encode())
    return directory / PAGE_NAME


def write_junit(summary: ConformanceSummary, path: Path) -> None:
    """Write the results as JUnit XML to a file of its own."""
    write_document(junit(summary), path)


def require_replaceable(directory: Path, names: tuple[str, ...]) -> None:
    """Raise if a report would replace files that are not of the same kind of study.

    A report of the same implementation is replaced, and a scoreboard by any other.
    """
    if directory.exists() and not directory.is_dir():
        raise ResultsError(str(directory), "it is a file", OTHER_DIRECTORY)
    ours = (SUMMARY_NAME, PAGE_NAME, RESULTS_NAME, JUNIT_NAME, BADGE_NAME, BADGES_NAME)
    there = [name for name in ours if (directory / name).exists()]
    if not there:
        return
    kept = stored_document(directory)
    if kept.get("schema") not in (SCHEMA, SCOREBOARD_SCHEMA):
        what = f"it holds {there[0]}, which is not from a study of conformance"
        raise ResultsError(str(directory), what, OTHER_DIRECTORY)
    is_same = (
        kept["schema"] == SCOREBOARD_SCHEMA
        if len(names) > 1
        else kept.get("implementation") == printable(names[0])
    )
    if not is_same:
        what = "it holds the report of another study of conformance"
        raise ResultsError(str(directory), what, OTHER_DIRECTORY)


def directory_name(names: tuple[str, ...]) -> str:
    """Return the usual name of the directory of a study."""
    return f"conformance-{'scoreboard' if len(names) > 1 else file_stem(names[0])}"


def file_stem(name: str) -> str:
    """Return a name as a file can have it on any system."""
    return re.sub(r"[^A-Za-z0-9._+]+", "-", name).strip(".-")[:80] or "unnamed"


def badge_names(summary: ConformanceSummary) -> dict[str, str]:
    """Return where the badge of each implementation is, from the directory."""
    names = [one.implementation for one in summary.examined]
    if len(names) == 1:
        return {names[0]: BADGE_NAME}
    found: dict[str, str] = {}
    for name in names:
        stem = file_stem(name)
        taken = {target.lower() for target in found.values()}
        target, number = f"{BADGES_NAME}/{stem}.svg", 2
        while target.lower() in taken:
            target, number = f"{BADGES_NAME}/{stem}-{number}.svg", number + 1
        found[name] = target
    return found


def _clear_badges(directory: Path) -> None:
    """Leave an empty directory, without the badges of an earlier scoreboard."""
    directory.mkdir(exist_ok=True)
    for path in directory.glob("*.svg"):
        path.unlink()
