"""What was found on each file becomes a summary: right or not, why, and what to change."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from gnbbench.diagnosis.findings import CRASH, TIE, UNDECIDED, Cause, Diagnosis
from gnbbench.report.conformance_summary import failures
from gnbbench.statistics.schema import fields_of, table_of
from gnbbench.statistics.summary import Summary, Verdict
from gnbbench.statistics.timing import summarize_timings
from gnbbench.words import count, counted, listing, plural, printable

MADE = "made: "  # Before the name of data that were made
SAME, DIFFERS, FAILED = "same labels", "differs", "cannot be run"
REFERENCE = "scikit-learn"


@dataclass(frozen=True)
class DataFindings:
    """What was found on one dataset."""

    dataset: str
    n_runs: int
    diagnosis: Diagnosis


@dataclass(frozen=True)
class FileFindings:
    """What was found on one file."""

    name: str  # The file's
    found: str  # The class or the functions in it
    error: str = ""  # Why it could not be loaded
    adaptations: tuple[str, ...] = ()  # How it was called, a sentence each
    parts: tuple[DataFindings, ...] = ()
    results: Sequence[Mapping[str, Any]] = ()  # Of the battery, as a note has them
    times: Mapping[str, Any] | None = None  # ``dataset``, ``rows`` and ``notes``

    @property
    def n_predictions(self) -> int:
        """Labels compared, over all data and runs."""
        return sum(part.diagnosis.n_predictions for part in self.parts)

    @property
    def n_disagreements(self) -> int:
        """Labels that differ from scikit-learn's."""
        return sum(part.diagnosis.n_disagreements for part in self.parts)

    @property
    def causes(self) -> dict[str, list[tuple[str, Cause]]]:
        """By name, the datasets on which each shows; what explains most comes first.

        What too few labels on one dataset leave open is none where another one tells.
        """
        found: dict[str, list[tuple[str, Cause]]] = {}
        for part in self.parts:
            for cause in part.diagnosis.causes:
                found.setdefault(cause.cause, []).append((part.dataset, cause))
        if set(found) - {TIE, UNDECIDED}:
            found.pop(UNDECIDED, None)
        return dict(sorted(found.items(), key=lambda item: -_explained(item[1])))

    @property
    def unexplained(self) -> int:
        """Labels that differ and have no cause, or are too few by themselves to tell."""
        causes = [cause for part in self.parts for cause in part.diagnosis.causes]
        left = UNDECIDED not in self.causes
        few = sum(cause.explained for cause in causes if cause.cause == UNDECIDED)
        return sum(part.diagnosis.unexplained for part in self.parts) + few * left

    @property
    def status(self) -> str:
        """Whether its labels are scikit-learn's, but where both score equally."""
        if not self.n_predictions:
            return FAILED
        causes = set(self.causes)
        if CRASH in causes or (self.n_disagreements and causes != {TIE}):
            return DIFFERS
        return SAME


def _explained(found: Iterable[tuple[str, Cause]]) -> int:
    return sum(cause.explained for _, cause in found)


def summarize_check(
    findings: Sequence[FileFindings],
    plan: Mapping[str, Any],
    environment: Mapping[str, Any],
    command: str,
) -> Summary:
    """Return everything a report may show of files that were checked."""
    ratios = _ratios(findings)
    verdicts = tuple(
        Verdict(found.name, found.status, sentence_of(found), "") for found in findings
    )
    rows = [row for found in findings for row in _results(found)]
    return Summary(
        study="check",
        command=command,
        headline=verdicts[0].sentence if len(findings) == 1 else _headline(findings),
        plan=plan,
        environment=environment,
        reference=REFERENCE,
        implementations=tuple(found.name for found in findings),
        tables={
            "files": table_of("files", [_file(f, ratios) for f in findings], "check"),
            "labels": table_of("labels", [*_labels(findings)], "check"),
            "causes": table_of("causes", [*_causes(findings)], "check"),
            "results": table_of("results", rows, "check"),
            "ratios": ratios,
        },
        verdicts=verdicts,
        details={"findings": tuple(findings)},
    )


def _ratios(findings: Sequence[FileFindings]) -> pd.DataFrame:
    """Return the times of each file over scikit-learn's, measured beside it."""
    tables = [table_of("ratios", (), "check")]
    for found in findings:
        if found.times and found.times["rows"]:
            columns = ["operation", "implementation", "round", "position", "seconds"]
            timings = pd.DataFrame(found.times["rows"], columns=columns)
            names = ("sklearn", found.name)
            told = summarize_timings(timings, found.times["notes"], names)
            tables.append(told.tables["ratios"])
    return pd.concat(tables[1:] or tables, ignore_index=True)


def _file(found: FileFindings, ratios: pd.DataFrame) -> dict[str, Any]:
    results = [row for row in found.results if row["outcome"] != "not applicable"]
    mine = ratios[ratios["implementation"] == found.name].set_index("operation")["ratio"]
    return {
        "implementation": found.name,
        "found": found.found,
        "status": found.status,
        "n_predictions": found.n_predictions,
        "n_disagreements": found.n_disagreements,
        "unexplained": found.unexplained,
        "causes": ", ".join(found.causes),
        "n_passed": sum(row["outcome"] == "pass" for row in results),
        "n_applicable": len(results),
        "fit_ratio": mine.get("fit", float("nan")),
        "predict_ratio": mine.get("predict", float("nan")),
        "adaptations": "; ".join(found.adaptations),
        "error": printable(error_of(found)),
    }


def _labels(findings: Sequence[FileFindings]) -> Iterator[dict[str, Any]]:
    for found in findings:
        for part in found.parts:
            yield {
                "implementation": found.name,
                "dataset": part.dataset,
                "n_runs": part.n_runs,
                "n_predictions": part.diagnosis.n_predictions,
                "n_disagreements": part.diagnosis.n_disagreements,
                "causes": ", ".join(cause.cause for cause in part.diagnosis.causes),
            }


def _causes(findings: Sequence[FileFindings]) -> Iterator[dict[str, Any]]:
    for found in findings:
        for name, each in found.causes.items():
            shown = sorted(each, key=lambda pair: -pair[1].explained)
            _, clearest = shown[0]
            yield {
                "implementation": found.name,
                "cause": name,
                "summary": printable(clearest.summary).removesuffix("."),
                "remedy": printable(clearest.remedy),
                "explained": _explained(shown),
                "datasets": ", ".join(dataset for dataset, _ in shown),
                "evidence": printable(clearest.evidence),
            }


def _results(found: FileFindings) -> Iterator[dict[str, Any]]:
    """Return what came of each check, by the columns of the schema."""
    for row in found.results:
        flat = {
            "implementation": found.name,
            "version": "",
            "expected_failure": False,
            **row,
            **row["check"],
            "message": printable(row["message"]),
        }
        yield fields_of("check", "results", flat)


def error_of(found: FileFindings) -> str:
    """Return why there are no labels; empty where there are."""
    if found.error or found.n_predictions:
        return found.error
    crashes = found.causes.get(CRASH)
    return crashes[0][1].evidence if crashes else "no run gave labels"


def sentence_of(found: FileFindings) -> str:
    """Return whether a file is right, and if not, what it does otherwise."""
    n, total = found.n_disagreements, found.n_predictions
    if found.status == FAILED:
        return f"{found.name} cannot be run: {printable(error_of(found)).rstrip('.')}."
    if not n:
        text = (
            f"{found.name} gives {REFERENCE}'s labels in all {plural(total, 'prediction')}"
        )
        return f"{text}."
    return f"{found.name} differs from {REFERENCE} in {counted(n, total, 'label')}."


def _headline(findings: Sequence[FileFindings]) -> str:
    """Return how many files are right, differ and cannot be run."""
    status = [found.status for found in findings]
    of = f"{status.count(SAME)} of {plural(len(findings), 'file')}"
    parts = [f"{of} {'gives' if status.count(SAME) == 1 else 'give'} {REFERENCE}'s labels"]
    if n := status.count(DIFFERS):
        parts.append(f"{count(n)} {'differs' if n == 1 else 'differ'}")
    if n := status.count(FAILED):
        parts.append(f"{count(n)} cannot be run")
    return "; ".join(parts) + "."


def failed_checks(found: FileFindings) -> list[str]:
    """Return the checks that a file fails."""
    return [row["check"]["id"] for row in failures(found.results)]


def families_failed(found: FileFindings) -> str:
    """Return how many checks of each family a file fails, such as "bad input 5"."""
    tally: dict[str, int] = {}
    for row in failures(found.results):
        family = row["check"]["family"]
        tally[family] = tally.get(family, 0) + 1
    return listing(
        [f"{name} {n}" for name, n in sorted(tally.items(), key=lambda f: -f[1])]
    )
