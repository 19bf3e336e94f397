"""Summarise a check: numbers, rows and a sentence on each file."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from gnbbench.diagnosis import checked_files
from gnbbench.diagnosis.findings import CRASH, NOT_GNB, PROBABILITIES, TABLES, TIE
from gnbbench.diagnosis.variants import WORDS
from gnbbench.statistics.schema import table_of
from gnbbench.statistics.summary import StudyNotes, Summary, Verdict
from gnbbench.statistics.timing import summarize_timings
from gnbbench.words import count, counted, listing, plural, printable

SYNTHETIC = "synthetic data with "  # Prefix of the names of synthetic data
REFERENCE = "scikit-learn"


def summarize_check(
    findings: Sequence[checked_files.FileFindings], notes: StudyNotes
) -> Summary:
    """Return everything a report may show of a check."""
    ratios = _ratios(findings)
    verdicts = tuple(Verdict(f.name, f.status, sentence_of(f), "") for f in findings)
    rows = [
        {
            "implementation": file.name,
            "version": "",
            checked_files.TOO: False,
            **row,
            **row["check"],
            "message": printable(row["message"]),
        }
        for file in findings
        for row in file.results
    ]
    return Summary(
        study="check",
        headline=verdicts[0].sentence if len(findings) == 1 else _headline(findings),
        **vars(notes),
        reference=REFERENCE,
        implementations=tuple(file.name for file in findings),
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


def _ratios(findings: Sequence[checked_files.FileFindings]) -> pd.DataFrame:
    """Return the ratios of each file's times to scikit-learn's, timed side by side."""
    tables = [table_of("ratios", (), "check")]
    for file in findings:
        if file.times and file.times["rows"]:
            columns = ["operation", "implementation", "round", "position", "seconds"]
            timings = pd.DataFrame(file.times["rows"], columns=columns)
            names = ("sklearn", file.name)
            summarized = summarize_timings(timings, file.times["notes"], names)
            tables.append(summarized.tables["ratios"])
    return pd.concat(tables[1:] or tables, ignore_index=True)


def _file_row(file: checked_files.FileFindings, ratios: pd.DataFrame) -> dict[str, Any]:
    results = [row for row in file.results if row["outcome"] != "not applicable"]
    ratio_of = ratios[ratios["implementation"] == file.name].set_index("operation")["ratio"]
    counted = ("n_predictions", "n_disagreements", "unexplained", "patch")
    return {
        "implementation": file.name,
        **{field: getattr(file, field) for field in ("found", "status", *counted)},
        "causes": ", ".join(file.causes),
        "n_passed": sum(row["outcome"] == "pass" for row in results),
        "n_applicable": len(results),
        "fit_ratio": ratio_of.get("fit", float("nan")),
        "predict_ratio": ratio_of.get("predict", float("nan")),
        "adaptations": "; ".join(file.adaptations),
        "not_judged": printable("; ".join(file.not_judged)),
        "error": printable(error_of(file)),
    }


def _label_rows(findings: Sequence[checked_files.FileFindings]) -> Iterator[dict[str, Any]]:
    for file in findings:
        for part in file.parts:
            yield {
                "implementation": file.name,
                "dataset": part.dataset,
                "n_runs": part.n_runs,
                "n_predictions": part.diagnosis.n_predictions,
                "n_disagreements": part.diagnosis.n_disagreements,
                "causes": ", ".join(cause.cause for cause in part.diagnosis.causes),
            }


def _cause_rows(findings: Sequence[checked_files.FileFindings]) -> Iterator[dict[str, Any]]:
    for file in findings:
        for name, causes in file.causes.items():
            dataset, clearest = file.clearest(name)
            shown = sorted(causes, key=checked_files.by_evidence, reverse=True)
            summary = clearest.summary.removesuffix(".")
            others = [c for n, c in file.causes.items() if n not in {NOT_GNB, TIE, CRASH}]
            elsewhere = {place for each in others for place, _ in each}
            is_apart = elsewhere and elsewhere.isdisjoint(place for place, _ in shown)
            if name == NOT_GNB and is_apart:
                summary += "; the other causes were found elsewhere"
            yield {
                "implementation": file.name,
                "cause": name,
                "summary": printable(summary),
                "remedy": printable(clearest.remedy.replace(" here)", f" on {dataset})")),
                "explained": checked_files.explained_by(shown),
                "datasets": ", ".join(dataset for dataset, _ in shown),
                "evidence": printable(clearest.evidence),
                "places": "\n".join(map(printable, file.places.get(name, ()))),
            }


def error_of(file: checked_files.FileFindings) -> str:
    """Return why there are no labels; empty if there are."""
    if file.error or file.n_predictions:
        return file.error
    crashes = file.causes.get(CRASH)
    return crashes[0][1].evidence if crashes else "no run gave labels"


def sentence_of(file: checked_files.FileFindings) -> str:
    """Return whether a file is right, and if not, how it differs."""
    if file.status == checked_files.FAILED:
        why = printable(file.remark or error_of(file)).rstrip(".")
        what = "Cannot" if why.startswith(file.name) else f"{file.name} cannot"
        return f"{what} be run: {why}."
    sentence = _answers_of(file)
    if file.remark and file.status == checked_files.DIFFERS:
        sentence += f" I{printable(file.remark[1:])}."
    if file.patch:
        n = changed_lines(file.patch)
        fix = "one changed line makes" if n == 1 else f"{count(n)} changed lines make"
        sentence = f"{sentence.removesuffix('.')}; {fix} it agree."
    if file.not_judged:
        sentence += f" Not judged: {printable(listing(file.not_judged))}."
    return sentence


def _answers_of(file: checked_files.FileFindings) -> str:
    """Return how the answers of a file compare with the reference's."""
    n, total, missing = file.n_disagreements, file.n_predictions, file.n_missing
    name, every = file.name, plural(total, "prediction")
    if missing:
        verb = "differs from" if n == 1 else "differ from"
        rest = f"{count(n)} of the other {count(total)} {verb}" if n else "the others are"
        text = f"{name} gives no label in {counted(missing, missing + total, 'prediction')}"
        return f"{text}; {rest} {REFERENCE}'s."
    if n and file.status == checked_files.SAME:
        text = f"{name} gives {REFERENCE}'s labels in all but {count(n)} of {every}"
        return f"{text}, where two labels score the same up to rounding."
    if n:
        return f"{name} differs from {REFERENCE} in {counted(n, total, 'label')}."
    rest = ""
    if file.status == checked_files.DIFFERS:
        clauses = (words for cause, words in WORDS["alike"].items() if cause in file.causes)
        shown = [cause for _, cause in file.causes.get(PROBABILITIES, ())]
        tables = any(cause.kind == TABLES for cause in shown)
        other = "its tables contradict each other" if tables else "not its probabilities"
        rest = f", but {next(clauses, other)}"
    agrees_in = "labels"
    if file.status == checked_files.SAME and file.offers_probabilities:
        agrees_in = "labels and probabilities"
    if file.status == checked_files.SAME and file.wrong_frames:
        rest = " with arrays, but not with DataFrames"
    return f"{name} gives {REFERENCE}'s {agrees_in} in all {every}{rest}."


def changed_lines(patch: str) -> int:
    """Return how many lines a unified diff replaces, removes or adds."""
    marks = "".join(line[:1] for line in patch.splitlines()[2:])
    edits = re.findall(r"-*\+*", marks)
    return sum(max(edit.count("-"), edit.count("+")) for edit in edits)


def _headline(findings: Sequence[checked_files.FileFindings]) -> str:
    """Return how many files are right, how many differ, and how many cannot be run."""
    status = [file.status for file in findings]
    same = status.count(checked_files.SAME)
    of = f"{same} of {plural(len(findings), 'file')}"
    text = f"{of} {'agrees' if same == 1 else 'agree'} with {REFERENCE}"
    if n := status.count(checked_files.DIFFERS):
        text += f"; {count(n)} {'differs' if n == 1 else 'differ'}"
    if n := status.count(checked_files.FAILED):
        text += f"; {count(n)} cannot be run"
    return f"{text}."
