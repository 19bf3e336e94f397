"""The report on the causes of disagreements."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from gnbbench.diagnosis import CAUSES, Cause, Diagnosis, ExplainedDisagreement
from gnbbench.diagnosis.findings import (
    CONSTANT,
    CRASH,
    NAN,
    NOT_GNB,
    STATEFUL,
    TIE,
    UNDECIDED,
    UNSEEN_CLASS,
)
from gnbbench.report.blocks import (
    Attachment,
    Block,
    Column,
    Document,
    Fact,
    Fold,
    Group,
    Heading,
    Prose,
    Row,
    Section,
    Table,
    Terminal,
    Text,
    Tile,
    Verdict,
    Verdicts,
)
from gnbbench.report.explain_summary import code_of, disagreement_fields, plain_label
from gnbbench.report.sections import (
    FILES,
    data_section,
    method_section,
    plan_facts,
    remarks,
    worst_tone,
)
from gnbbench.statistics.documents import document
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
MOST_FEATURES_LISTED = 100
MOST_ROWS_OPEN = 20
MOST_LETTERS = 40
MOST_LETTERS_OF_A_TILE = 60
MOST_DISAGREEMENTS = 5  # In a terminal

# Causes that are failures, whether a label differs or not.
FAILURES = frozenset({CRASH, NAN, UNSEEN_CLASS, NOT_GNB, CONSTANT, STATEFUL})


@dataclass(frozen=True)
class Subject:
    """One implementation that was explained, and how it and the reference are called."""

    implementation: str
    name: str
    reference: str
    found: Diagnosis
    in_full: tuple[ExplainedDisagreement, ...]  # The disagreements shown in full
    verdict: Verdict
    label: Callable[[Any], str]  # What a label is called


def report(summary: Summary) -> Document:
    """Return the causes that were found, for every renderer."""
    names = short_names(summary.implementations, 40)
    reference, *others = names.values()
    subjects = _subjects(summary, names)
    verdicts = [subject.verdict for subject in subjects]
    several = (Verdicts(verdicts),) if len(verdicts) > 1 else ()  # one is in the band
    contributions = summary.table("contributions")
    return Document(
        study=summary.study,
        subject=summary.dataset.name,
        headline=summary.headline,
        tone=worst_tone([verdict.tone for verdict in verdicts]),
        band=tuple(
            Text(one.detail) for one in verdicts if one.detail and len(verdicts) == 1
        ),
        setting=(
            f"{listing(others)} against {reference} on {printable(summary.dataset.name)}: "
            f"{plural(summary.n_runs, 'run')}, each with "
            f"{plural(summary.n_train, 'train sample')} and "
            f"{plural(summary.n_test, 'test sample')}."
        ),
        tiles=_tiles(subjects),
        blocks=(
            Terminal(tuple(_terminal(summary, subjects))),
            Section("verdict", "Verdict", (*several, *remarks(summary.warnings))),
            Section("causes", "Causes", tuple(_causes(subjects, reference))),
            Section(
                "disagreements",
                "Disagreements",
                tuple(_disagreements(subjects, contributions)),
            ),
            data_section(summary.dataset, MOST_FEATURES_LISTED),
            _method(summary, reference),
            FILES,
        ),
        payload=document(summary),
        attachments=(
            Attachment(
                "disagreements.csv",
                summary.table("disagreements"),
                "one row per disagreement",
            ),
            Attachment(
                "contributions.csv",
                None if contributions.empty else contributions,
                "contribution of each feature in the disagreements shown in full",
            ),
        ),
    )


def _subjects(summary: Summary, names: Mapping[str, str]) -> list[Subject]:
    diagnoses: Mapping[str, Diagnosis] = summary.details["diagnoses"]
    classes = summary.details["classes"]
    class_names = list(short_names(summary.dataset.class_names, 40).values())

    def label_name(label: Any) -> str:
        code = code_of(label, classes)
        return printable(repr(plain_label(label))) if code is None else class_names[code]

    return [
        Subject(
            name,
            names[name],
            names[summary.reference],
            found,
            summary.details["in_full"][name],
            Verdict(names[name], told.outcome, tone_of(found), told.sentence, told.detail),
            label_name,
        )
        for (name, found), told in zip(diagnoses.items(), summary.verdicts, strict=True)
    ]


def tone_of(found: Diagnosis) -> str:
    """Return "good" for no difference, "bad" for another label or failure, else "unsure".

    Labels that differ within rounding alone are no fault, and so unsure.
    """
    causes = {cause.cause for cause in found.causes}
    if causes & FAILURES or (found.n_disagreements and causes != {TIE}):
        return "bad"
    return "unsure" if causes or not found.n_predictions else "good"


def _causes(subjects: list[Subject], reference: str) -> Iterator[Block]:
    yield Text(f"How does it differ from {reference}, and how much does that matter?")
    for subject in subjects:
        words = remainder(subject.found)
        if subject.found.causes:
            columns = (
                Column("cause"),
                Column("accounts for", ("explained", "text"), lambda _, text: text),
                Column("what it does", "summary"),
                Column("to agree", "remedy", lambda remedy: remedy or DASH),
                Column("evidence"),
            )
            caption = f"Causes of the differences of {subject.name}"
            yield Table(caption, _cause_rows(subject.found), columns)
        elif subject.found.n_disagreements:
            words += " No cause was found."
        words = " ".join([words, *could_not_show(subject.found)])
        lead = f"{subject.name}:" if len(subjects) > 1 else ""
        yield Text(words, "note", subject.verdict.tone, lead)


def _cause_rows(found: Diagnosis) -> list[Row]:
    return [
        {
            "cause": cause.cause,
            "explained": cause.explained,
            "text": _explained_text(cause),
            "summary": printable(cause.summary or cause.evidence or CAUSES[cause.cause]),
            "remedy": printable(cause.remedy),
            "evidence": printable(cause.evidence),
        }
        for cause in found.causes
    ]


def could_not_show(found: Diagnosis) -> list[str]:
    """Return what labels alone could not show on these data, in one sentence or none."""
    if not found.not_shown or not found.n_predictions:
        return []
    return [f"These data could not show: {listing(found.not_shown)}."]


def _explained_text(cause: Cause) -> str:
    """Return how much a cause accounts for, with what is counted."""
    if cause.cause == CRASH:
        return f"{plural(cause.explained, 'prediction')} missing"
    if cause.cause == NAN:
        return f"{plural(cause.explained, 'row')} without probabilities"
    return plural(cause.explained, "disagreement")


def remainder(found: Diagnosis) -> str:
    """Return what remains unexplained, in one sentence."""
    n = found.n_disagreements
    if not n:
        return "No label differs." if found.n_predictions else "No label could be compared."
    left = n - _explained_number(found)
    if left:
        return f"{count(left)} of {plural(n, 'disagreement')} remain unexplained."
    counted = sum(cause.explained for cause in found.causes)
    several = " Those with two causes are counted at both." if counted > n else ""
    return ("Every disagreement is explained." if n > 1 else "It is explained.") + several


def _explained_number(found: Diagnosis) -> int:
    """Return the disagreements that have a cause which says what is done otherwise."""
    without = sum(c.explained for c in found.causes if c.cause in (NOT_GNB, UNDECIDED))
    return max(found.n_disagreements - found.unexplained - without, 0)


def _heading(subject: Subject, subjects: list[Subject]) -> tuple[Block, ...]:
    """Return a heading where there are several implementations to tell apart."""
    return (Heading(subject.name),) if len(subjects) > 1 else ()


def _disagreements(subjects: list[Subject], contributions: pd.DataFrame) -> Iterator[Block]:
    yield Text("Which samples get another label, and why?")
    for subject in subjects:
        yield from _heading(subject, subjects)
        table = _disagreement_table(subject)
        if not len(table):
            words = f"No label differs. {subject.verdict.sentence}"
            yield Text(words, "note", subject.verdict.tone)
            continue
        if len(table) > MOST_ROWS_OPEN:
            tall = Group("tall", (table,))
            yield Fold(f"Table ({len(table)} rows)", (tall,), is_open=True)
        else:
            yield table
        shown = len(subject.in_full)
        which = "the only one" if shown == 1 else f"{shown} of them"
        yield Text(
            f"A margin is the lead of {subject.reference}'s label over the other one in "
            f"log-odds, under the formulas of {subject.reference}. Below: {which} in full.",
            "muted",
        )
        of_subject = contributions["implementation"] == subject.implementation
        yield _in_full(subject, contributions.loc[of_subject])


def _disagreement_table(subject: Subject) -> Table:
    rows = [disagreement_fields(row) for row in subject.found.disagreements]
    columns = (
        Column("run and row", ("run", "row"), _place),
        Column("truth", show=subject.label),
        Column(f"{subject.reference}'s label", "reference_label", subject.label),
        Column(f"{subject.name}'s label", "label", subject.label),
        Column("cause", show=_cause_or_none),
        Column("margin", show=significant),
        Column("confidence of the reference", "reference_confidence", significant),
        Column("confidence", show=significant),
    )
    n = subject.found.n_disagreements
    which = "The only disagreement" if n == 1 else f"All {count(n)} disagreements"
    if len(rows) < n:
        which = f"The first {count(len(rows))} of {count(n)} disagreements"
    return Table(f"{which} of {subject.name}", rows, columns)


def _cause_or_none(cause: str) -> str:
    return cause or "unexplained"


def _in_full(subject: Subject, contributions: pd.DataFrame) -> Block:
    """Return what each feature says in some disagreements."""
    place = Column("run and row", ("run", "row"), _place)
    few = contributions.groupby(["run", "row"], sort=False).head(MOST_FEATURES_SHOWN + 1)
    columns = (
        place,
        Column("feature"),
        Column("value", show=_four_digits),
        Column(subject.reference, "reference_contribution", _four_digits),
        Column(subject.name, "contribution", _four_digits),
        Column("change", show=_four_digits),
    )
    caption = (
        f"Contribution of each feature to the log-odds, under {subject.reference} and "
        f"{subject.name}"
    )
    table = Table(caption, few, columns)
    return Fold(f"Contributions ({len(table)} rows)", (table,), is_open=len(table) <= 40)


def _method(summary: Summary, reference: str) -> Section:
    causes = [{"cause": name, "meaning": words} for name, words in CAUSES.items()]
    prose = (
        Prose("explain", {"reference": reference}),
        Table("All causes", causes, (Column("cause"), Column("meaning"))),
        Prose("explain_words"),
    )
    plan = {key: value for key, value in summary.plan.items() if value not in ({}, [])}
    return method_section(summary.command, prose, plan_facts(plan), summary.environment, "")


def _tiles(subjects: list[Subject]) -> tuple[Tile, ...]:
    several = len(subjects) > 1
    names = [shorten(subject.name, 28) if several else "" for subject in subjects]
    titles = (
        f"Disagreements with {shorten(subjects[0].reference, 24)}",
        "Disagreements explained",
        "Predictions reproduced",
        "Largest remaining probability difference",
    )
    facts = zip(*map(_facts, subjects), strict=True)
    return tuple(
        Tile(title, tuple(Fact(name, *fact) for name, fact in zip(names, row, strict=True)))
        for title, row in zip(titles, facts, strict=True)
    )


def _facts(subject: Subject) -> Iterator[tuple[str, str]]:
    """Return the value of each tile, and what belongs to it."""
    found, n = subject.found, subject.found.n_disagreements
    nothing = DASH, "no prediction to compare"
    compared = found.n_predictions > 0
    yield (
        (count(n), f"of {plural(found.n_predictions, 'prediction')}")
        if compared
        else nothing
    )
    causes = shorten(subject.verdict.outcome, MOST_LETTERS_OF_A_TILE)
    if n:
        yield count(_explained_number(found)), f"of {count(n)}: {causes}"
    else:
        yield DASH, f"no label differs; {causes}" if found.causes else "no label differs"
    setting = shorten(printable(found.setting), MOST_LETTERS_OF_A_TILE)
    yield (share(found.reproduced_share), setting) if compared else nothing
    largest = found.largest_remaining_difference
    if largest is None:
        yield DASH, "probabilities are not offered"
    else:
        yield significant(largest, 2), "from the variant found"


def _terminal(summary: Summary, subjects: list[Subject]) -> Iterator[Block]:
    """Return verdict, causes, how sure, and the first disagreements of each."""
    yield Text(
        f"{printable(summary.dataset.name)} · {plural(summary.n_runs, 'run')} · "
        f"{count(summary.n_train)} train, {count(summary.n_test)} test samples each · "
        f"against {subjects[0].reference}",
        "muted",
    )
    for place, subject in enumerate(subjects):
        if place:
            yield Text("")
        yield from _in_short(subject)
    yield from remarks(summary.warnings)


def _in_short(subject: Subject) -> Iterator[Block]:
    found, verdict = subject.found, subject.verdict
    yield Text(verdict.sentence, "strong", verdict.tone)
    for row, cause in zip(_cause_rows(found), found.causes, strict=True):
        how_many = f" ({row['text']})" if cause.explained else ""
        yield Text(f"{cause.cause}{how_many}: {row['summary']}")
        if row["remedy"]:
            yield Text(f"  To agree: {row['remedy']}")
    if verdict.detail:
        yield Text(verdict.detail)
    for sentence in could_not_show(found):
        yield Text(sentence, "muted")
    if not found.n_disagreements:
        return
    yield Text(remainder(found))
    yield _first_disagreements(subject)
    beyond = found.n_disagreements - MOST_DISAGREEMENTS
    if beyond > 0:
        yield Text(f"and {plural(beyond, 'more disagreement')}.", "muted")


def _first_disagreements(subject: Subject) -> Table:
    """Return the first disagreements."""

    def label(value: object) -> str:
        return shorten(subject.label(value), MOST_LETTERS)

    rows = [
        disagreement_fields(r) for r in subject.found.disagreements[:MOST_DISAGREEMENTS]
    ]
    columns = (
        Column("run", show=count),
        Column("row", show=count),
        Column("truth", show=label),
        Column(shorten(subject.reference, MOST_LETTERS), "reference_label", label),
        Column(shorten(subject.name, MOST_LETTERS), "label", label),
        Column("cause", show=_cause_or_none),
        Column("margin", show=significant),
    )
    return Table("", rows, columns)


def _place(run: int, row: int) -> str:
    return f"run {run}, row {row}"


def _four_digits(value: float) -> str:
    return significant(value, 4)
