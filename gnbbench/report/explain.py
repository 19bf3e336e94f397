"""The report on the causes of disagreements."""

import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd

from gnbbench.diagnosis import CAUSES, Cause, Diagnosis
from gnbbench.diagnosis.findings import (
    ALONE,
    CONSTANT,
    CRASH,
    NAN,
    NOT_GNB,
    STATEFUL,
    TIE,
    UNDECIDED,
    UNSEEN_CLASS,
)
from gnbbench.report import blocks, sections
from gnbbench.statistics.explain import code_of, disagreement_fields, plain_label
from gnbbench.statistics.summary import Summary
from gnbbench.words import (
    DASH,
    count,
    listing,
    plural,
    printable,
    share,
    short_names,
    shorten,
    significant,
)

MOST_FEATURES_SHOWN = 12  # Of the contributions to one disagreement
MOST_LETTERS = 60  # Of the detail of a tile
MOST_DISAGREEMENTS = 5  # In a terminal

# Causes that are failures, whether a label differs or not.
FAILURES = frozenset({CRASH, NAN, UNSEEN_CLASS, NOT_GNB, CONSTANT, STATEFUL, ALONE})
_IN_SHORT = 7  # Columns of a disagreement that a terminal shows


@dataclass(frozen=True)
class Subject:
    """One explained implementation, with the names shown for it and the reference."""

    name: str
    reference: str
    diagnosis: Diagnosis
    verdict: blocks.VerdictLine
    label: Callable[[Any], str]  # Returns the name shown for a label
    contributions: pd.DataFrame  # Of features to the disagreements shown in full


def report(summary: Summary) -> blocks.Document:
    """Return the report on causes, for every renderer."""
    names = short_names(summary.implementations, 40)
    reference, *others = names.values()
    subjects = _subjects(summary, names)
    verdicts = [subject.verdict for subject in subjects]
    several, runs = len(verdicts) > 1, sections.runs_each(summary)
    dataset = printable(summary.dataset.name)
    contributions = summary.contributions
    causes = [{"cause": name, "meaning": words} for name, words in CAUSES.items()]
    verdict: tuple[blocks.Block, ...] = (blocks.Verdicts(verdicts),) if several else ()
    return sections.study_document(
        summary,
        subject=summary.dataset.name,
        tone=sections.worst_tone(verdict.tone for verdict in verdicts),
        setting=f"{listing(others)} against {reference} on {dataset}: {runs}.",
        tiles=_tiles(subjects),
        terminal=_terminal(summary, subjects),
        sections=(
            blocks.Section.of("Verdict", (*verdict, *sections.remarks(summary.warnings))),
            blocks.Section.of("Causes", _causes(subjects)),
            blocks.Section.of("Disagreements", _disagreements(subjects)),
            sections.data_section(summary.dataset),
            sections.method_section(
                summary,
                blocks.Prose("explain", {"reference": reference}),
                blocks.Table("All causes", causes, blocks.Column.each("cause", "meaning")),
                blocks.Prose("explain_words"),
            ),
        ),
        contributions=None if contributions.empty else contributions,
    )


def _subjects(summary: Summary, names: Mapping[str, str]) -> list[Subject]:
    classes = summary.details["classes"]
    class_names = list(short_names(summary.dataset.class_names, 40).values())
    parts = summary.contributions

    def label_name(label: Any) -> str:
        code = code_of(label, classes)
        return printable(repr(plain_label(label))) if code is None else class_names[code]

    diagnoses = summary.details["diagnoses"].items()
    return [
        Subject(
            names[name],
            names[summary.reference],
            diagnosis,
            blocks.VerdictLine(
                names[name],
                verdict.outcome,
                tone_of(diagnosis),
                verdict.sentence,
                verdict.detail,
            ),
            label_name,
            parts[parts["implementation"] == name],
        )
        for (name, diagnosis), verdict in zip(diagnoses, summary.verdicts, strict=True)
    ]


def tone_of(diagnosis: Diagnosis) -> str:
    """Return "good" for no difference, "bad" for another label or failure, else "unsure".

    Labels that differ only by rounding are no fault, hence "unsure".
    """
    causes = {cause.cause for cause in diagnosis.causes}
    if causes & FAILURES or (diagnosis.n_disagreements and causes != {TIE}):
        return "bad"
    return "unsure" if causes or not diagnosis.n_predictions else "good"


def remainder_tone(diagnosis: Diagnosis) -> str:
    """Return the tone for unexplained disagreements."""
    if not diagnosis.n_predictions:
        return "unsure"
    return "bad" if diagnosis.n_disagreements > _explained_number(diagnosis) else ""


def _causes(subjects: list[Subject]) -> Iterator[blocks.Block]:
    parts: dict[str, Any] = {"second": lambda _, text: text}
    parts["or_dash"] = lambda remedy: remedy or DASH
    for subject in subjects:
        diagnosis, words = subject.diagnosis, remainder(subject.diagnosis)
        if diagnosis.causes:
            rows = _cause_rows(diagnosis)
            yield blocks.Table.named("causes", rows, name=subject.name, **parts)
        elif diagnosis.n_disagreements:
            words += " No cause was found."
        words = " ".join(filter(None, (words, could_not_show(diagnosis))))
        lead = f"{subject.name}:" if len(subjects) > 1 else ""
        yield blocks.Text(words, "note", remainder_tone(diagnosis), lead)


def _cause_rows(diagnosis: Diagnosis) -> list[blocks.Row]:
    rows: list[blocks.Row] = []
    for cause in diagnosis.causes:
        summary = cause.summary or cause.evidence or CAUSES[cause.cause]
        row = {
            "cause": cause.cause,
            "explained": cause.explained,
            "text": _explained_text(cause),
            "summary": printable(summary),
            "remedy": printable(cause.remedy),
            "evidence": "" if cause.evidence == summary else printable(cause.evidence),
        }
        rows.append(row)
    return rows


def could_not_show(diagnosis: Diagnosis) -> str:
    """Return what these data could not show; empty if nothing."""
    # Without a setting that was found, none is ruled out.
    if not (diagnosis.not_shown and diagnosis.n_predictions and diagnosis.setting):
        return ""
    return f"These data could not show: {listing(diagnosis.not_shown)}."


def _explained_text(cause: Cause) -> str:
    """Return how much a cause accounts for, with what is counted."""
    if cause.cause == CRASH:
        return f"{plural(cause.explained, 'prediction')} missing"
    if cause.cause == NAN:
        return f"{plural(cause.explained, 'row')} without probabilities"
    return plural(cause.explained, "disagreement")


def remainder(diagnosis: Diagnosis) -> str:
    """Return what remains unexplained, in one sentence."""
    n = diagnosis.n_disagreements
    if not n:
        verb = "differs" if diagnosis.n_predictions else "could be compared"
        return f"No label {verb}."
    left = n - _explained_number(diagnosis)
    if left:
        verb = "remains" if left == 1 else "remain"
        return f"{count(left)} of {plural(n, 'disagreement')} {verb} unexplained."
    counted = sum(cause.explained for cause in diagnosis.causes)
    several = " Those with two causes are counted for both." if counted > n else ""
    return ("Every disagreement is explained." if n > 1 else "It is explained.") + several


def _explained_number(diagnosis: Diagnosis) -> int:
    """Return how many disagreements have a cause that says what is done differently."""
    without = sum(c.explained for c in diagnosis.causes if c.cause in (NOT_GNB, UNDECIDED))
    return max(diagnosis.n_disagreements - diagnosis.unexplained - without, 0)


def _disagreements(subjects: list[Subject]) -> Iterator[blocks.Block]:
    for subject in subjects:
        if not len(subject.diagnosis.disagreements):
            continue
        if len(subjects) > 1:
            yield blocks.Heading(subject.name)
        yield _disagreement_table(subject)
        in_full = subject.contributions.groupby(["run", "row"], sort=False)
        few = blocks.Table.named(
            "contributions",
            in_full.head(MOST_FEATURES_SHOWN + 1),
            reference=subject.reference,
            name=subject.name,
            run_and_row="run {}, row {}".format,
            four_digits=sections.four_digits,
        )
        title = f"Contributions to {plural(in_full.ngroups, 'disagreement')}"
        yield blocks.Fold(title, (few,))


def _disagreement_table(subject: Subject, most: int | None = None) -> blocks.Table:
    """Return the table of disagreements, or a short one for a terminal."""
    rows = [disagreement_fields(row) for row in subject.diagnosis.disagreements[:most]]
    n = subject.diagnosis.n_disagreements
    which = "The only disagreement" if n == 1 else f"All {count(n)} disagreements"
    if len(rows) < n:
        which = f"The first {count(len(rows))} of {count(n)} disagreements"
    table = blocks.Table.named(
        "disagreements",
        rows,
        blocks.note("contributions", reference=subject.reference),
        which=which,
        reference=subject.reference,
        name=subject.name,
        label=subject.label,
        or_unexplained=lambda cause: cause or "unexplained",
    )
    return table if most is None else replace(table, columns=table.columns[:_IN_SHORT])


def _tiles(subjects: list[Subject]) -> Iterator[blocks.Tile]:
    several = len(subjects) > 1
    names = [shorten(subject.name, 28) if several else "" for subject in subjects]
    titles = (
        f"Disagreements with {shorten(subjects[0].reference, 24)}",
        "Disagreements explained",
        "Predictions reproduced",
        "Largest remaining probability difference",
    )
    for title, *facts in zip(titles, *map(_facts, subjects), strict=True):
        by_implementation = zip(names, facts, strict=True)
        yield blocks.Tile(
            title, tuple(blocks.Fact(name, *fact) for name, fact in by_implementation)
        )


def _facts(subject: Subject) -> Iterator[tuple[str, str]]:
    """Yield the value and the detail of each tile."""
    cut = partial(textwrap.shorten, width=MOST_LETTERS, placeholder=" …")
    diagnosis, n = subject.diagnosis, subject.diagnosis.n_disagreements
    compared = diagnosis.n_predictions > 0
    nothing = DASH, "no prediction to compare"
    predictions = f"of {plural(diagnosis.n_predictions, 'prediction')}"
    yield (count(n), predictions) if compared else nothing
    causes = cut(subject.verdict.outcome)
    if n:
        yield count(_explained_number(diagnosis)), f"of {count(n)}: {causes}"
    else:
        none = "no label differs" if diagnosis.n_predictions else "no label to compare"
        yield DASH, f"{none}; {causes}" if diagnosis.causes else none
    setting = diagnosis.setting or "as scikit-learn"
    reproduced = share(diagnosis.reproduced_share), cut(printable(setting))
    yield reproduced if compared else nothing
    largest = diagnosis.largest_remaining_difference
    if not compared:
        yield nothing
    elif largest is None:
        is_nan = any(cause.cause == NAN for cause in diagnosis.causes)
        yield DASH, "probabilities are NaN" if is_nan else "probabilities are not offered"
    else:
        whose = "fitted variant" if diagnosis.setting else "reference"
        yield significant(largest, 2), f"from the {whose}"


def _terminal(summary: Summary, subjects: list[Subject]) -> Iterator[blocks.Block]:
    """Yield verdict, causes, certainty and the first disagreements of each subject."""
    yield blocks.Text(
        f"{printable(summary.dataset.name)} · {plural(summary.n_runs, 'run')} · "
        f"{count(summary.n_train)} train, {plural(summary.n_test, 'test sample')} each · "
        f"against {subjects[0].reference}",
        "muted",
    )
    for place, subject in enumerate(subjects):
        if place:
            yield blocks.Text("")
        yield from _in_short(subject)
    yield from sections.data_and_remarks(summary, summary.warnings)


def _in_short(subject: Subject) -> Iterator[blocks.Block]:
    diagnosis, verdict = subject.diagnosis, subject.verdict
    lead, rows = verdict.sentence, _cause_rows(diagnosis)
    if "differs from the reference" in lead and ": " in lead:
        lead = f"{lead.partition(': ')[0]}."
    yield blocks.Text(lead, "strong", verdict.tone)
    for row in rows:
        how_many = f" ({row['text']})" if row["explained"] else ""
        what = "" if row["summary"] in lead else f": {row['summary']}"
        yield blocks.Text(f"{row['cause']}{how_many}{what}")
        if row["remedy"]:
            yield blocks.Text(f"  To agree: {row['remedy']}")
    if verdict.detail:
        yield blocks.Text(verdict.detail)
    if words := could_not_show(diagnosis):
        yield blocks.Text(words, "muted")
    if not diagnosis.n_disagreements:
        return
    yield blocks.Text(remainder(diagnosis))
    yield _disagreement_table(subject, MOST_DISAGREEMENTS)
    beyond = diagnosis.n_disagreements - MOST_DISAGREEMENTS
    if beyond > 0:
        yield blocks.Text(f"and {plural(beyond, 'more disagreement')}.", "muted")
