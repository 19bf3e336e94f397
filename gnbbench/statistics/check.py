"""What was found on each file, in numbers, rows and one sentence each."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from gnbbench.diagnosis.checked_files import (
    DIFFERS,
    FAILED,
    SAME,
    TOO,
    FileFindings,
    explained_by,
)
from gnbbench.diagnosis.findings import (
    CRASH,
    NAN,
    NOT_GNB,
    STATEFUL,
    TIE,
)
from gnbbench.statistics.schema import fields_of, table_of
from gnbbench.statistics.summary import Summary, Verdict
from gnbbench.statistics.timing import summarize_timings
from gnbbench.words import count, counted, plural, printable

MADE = "made: "  # Before the name of data that were made
REFERENCE = "scikit-learn"


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
    rows = [
        fields_of(
            "check",
            "results",
            {
                "implementation": found.name,
                "version": "",
                TOO: False,
                **row,
                **row["check"],
                "message": printable(row["message"]),
            },
        )
        for found in findings
        for row in found.results
    ]
    return Summary(
        study="check",
        command=command,
        headline=verdicts[0].sentence if len(findings) == 1 else _headline(findings),
        plan=plan,
        environment=environment,
        reference=REFERENCE,
        implementations=tuple(found.name for found in findings),
        tables={
            "files": table_of("files", [_file_row(f, ratios) for f in findings], "check"),
            "labels": table_of("labels", [*_label_rows(findings)], "check"),
            "causes": table_of("causes", [*_cause_rows(findings)], "check"),
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


def _file_row(found: FileFindings, ratios: pd.DataFrame) -> dict[str, Any]:
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


def _label_rows(findings: Sequence[FileFindings]) -> Iterator[dict[str, Any]]:
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


def _cause_rows(findings: Sequence[FileFindings]) -> Iterator[dict[str, Any]]:
    for found in findings:
        for name, each in found.causes.items():
            shown = sorted(each, key=lambda pair: -pair[1].explained)
            _, clearest = shown[0]
            summary = clearest.summary.removesuffix(".")
            if name == NOT_GNB and set(found.causes) - {NOT_GNB, TIE, CRASH}:
                summary += "; what else is named was found elsewhere"
            yield {
                "implementation": found.name,
                "cause": name,
                "summary": printable(summary),
                "remedy": printable(
                    clearest.remedy.replace(" here)", f" on {shown[0][0]})")
                ),
                "explained": explained_by(shown),
                "datasets": ", ".join(dataset for dataset, _ in shown),
                "evidence": printable(clearest.evidence),
            }


def error_of(found: FileFindings) -> str:
    """Return why there are no labels; empty where there are."""
    if found.error or found.n_predictions:
        return found.error
    crashes = found.causes.get(CRASH)
    return crashes[0][1].evidence if crashes else "no run gave labels"


# Cause -> what is wrong where no label differs.
ALIKE = {
    CRASH: "fails when it is asked for probabilities",
    NAN: "not its probabilities: some are NaN",
    STATEFUL: "not when it is asked again",
}


def sentence_of(found: FileFindings) -> str:
    """Return whether a file is right, and if not, what it does otherwise."""
    n, total, missing = found.n_disagreements, found.n_predictions, found.n_missing
    name, every = found.name, plural(total, "prediction")
    if found.status == FAILED:
        why = printable(error_of(found)).rstrip(".")
        if why.startswith(name):
            return f"Cannot be run: {why}."
        return f"{name} cannot be run: {why}."
    if missing:
        rest = f"{count(n)} of the other {count(total)} differ" if n else "the others are"
        text = f"{name} gives no label in {counted(missing, missing + total, 'prediction')}"
        return f"{text}; {rest}{' from' * bool(n)} {REFERENCE}'s."
    if n and found.status == SAME:
        told = f"{name} gives {REFERENCE}'s labels in all but {count(n)} of {every}"
        return f"{told}, where two labels score the same up to rounding."
    if n:
        return f"{name} differs from {REFERENCE} in {counted(n, total, 'label')}."
    rest = ""
    if found.status == DIFFERS:
        said = (words for cause, words in ALIKE.items() if cause in found.causes)
        rest = f", but {next(said, 'not its probabilities')}"
    both = " and probabilities" * (found.status == SAME and found.offers_probabilities)
    return f"{name} gives {REFERENCE}'s labels{both} in all {every}{rest}."


def _headline(findings: Sequence[FileFindings]) -> str:
    """Return how many files are right, differ and cannot be run."""
    status = [found.status for found in findings]
    of = f"{status.count(SAME)} of {plural(len(findings), 'file')}"
    text = f"{of} {'agrees' if status.count(SAME) == 1 else 'agree'} with {REFERENCE}"
    if n := status.count(DIFFERS):
        text += f"; {count(n)} {'differs' if n == 1 else 'differ'}"
    if n := status.count(FAILED):
        text += f"; {count(n)} cannot be run"
    return f"{text}."
