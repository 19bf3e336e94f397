"""The report on the causes of disagreements."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pandas as pd

from gnbbench.diagnosis import CAUSES, Diagnosis
from gnbbench.report.blocks import (
    Attachment,
    Block,
    Column,
    Document,
    Fact,
    Facts,
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
from gnbbench.report.explain_contributions import Example, contribution_table, examples
from gnbbench.report.explain_documents import explain_document
from gnbbench.report.explain_summary import (
    Diagnosed,
    ExplainSummary,
    difference_text,
    disagreement_fields,
    estimate_text,
    explained_number,
    explained_text,
    outcome_of,
    remainder,
    sureness,
    tone_of,
)
from gnbbench.report.sections import (
    FILES,
    data_section,
    method_section,
    plan_facts,
    remarks,
    worst_tone,
)
from gnbbench.words import (
    DASH,
    count,
    listing,
    plural,
    printable,
    share,
    shorten,
    significant,
)

MOST_CLASSES = 8
MOST_FEATURES_SHOWN = 12  # Of the contributions to one disagreement
MOST_FEATURES_LISTED = 100
MOST_ROWS_OPEN = 20
MOST_LETTERS = 12
MOST_LETTERS_OF_A_TILE = 60
MOST_DISAGREEMENTS = 5  # In a terminal


def report(summary: ExplainSummary) -> Document:
    """Return the causes that were found, for every renderer."""
    verdicts = _verdicts(summary)
    contributions = _contributions(summary)
    reference, *others = summary.names.values()
    detail = [Text(one.detail) for one in verdicts if len(verdicts) == 1]
    return Document(
        study=summary.study,
        subject=summary.dataset.name,
        headline=summary.headline,
        tone=worst_tone([verdict.tone for verdict in verdicts]),
        band=tuple(detail),
        setting=(
            f"{listing(others)} against {reference} on {printable(summary.dataset.name)}: "
            f"{plural(summary.n_runs, 'run')}, each with "
            f"{plural(summary.n_train, 'train sample')} and "
            f"{plural(summary.n_test, 'test sample')}."
        ),
        tiles=_tiles(summary),
        blocks=(
            Terminal(tuple(_terminal(summary))),
            Section("verdict", "Verdict", (Verdicts(verdicts), *remarks(summary.warnings))),
            Section("causes", "Causes", tuple(_causes(summary))),
            Section("found", "How it was found", tuple(_how_found(summary))),
            Section(
                "disagreements",
                "Disagreements",
                tuple(_disagreements(summary, contributions)),
            ),
            data_section(summary.dataset, MOST_FEATURES_LISTED),
            _method(summary),
            FILES,
        ),
        payload=explain_document(summary),
        attachments=(
            Attachment("disagreements.csv", summary.frame(), "one row per disagreement"),
            Attachment(
                "contributions.csv",
                None if contributions.empty else contributions,
                "what each feature says in the disagreements shown in full",
            ),
        ),
    )


def _verdicts(summary: ExplainSummary) -> list[Verdict]:
    return [
        Verdict(
            summary.names[one.implementation],
            outcome_of(one.diagnosis),
            tone_of(one.diagnosis),
            summary.verdict(one),
            sureness(one.diagnosis),
        )
        for one in summary.diagnosed
    ]


def _causes(summary: ExplainSummary) -> Iterator[Block]:
    reference = summary.names[summary.reference]
    yield Text(f"What does it do otherwise than {reference}, and how much comes of it?")
    for one in summary.diagnosed:
        diagnosis, name = one.diagnosis, summary.names[one.implementation]
        words = remainder(diagnosis)
        if diagnosis.causes:
            columns = (
                Column("cause"),
                Column("in words", "cause", CAUSES.__getitem__),
                Column("accounts for", ("explained", "text"), lambda _, text: text),
                Column("estimate"),
                Column("evidence"),
            )
            caption = f"Causes of what {name} does otherwise"
            yield Table(caption, _cause_rows(diagnosis), columns)
        else:
            words += " No cause was found."
        lead = f"{name}:" if len(summary.diagnosed) > 1 else ""
        yield Text(words, "note", tone_of(diagnosis), lead)


def _cause_rows(diagnosis: Diagnosis) -> list[Row]:
    return [
        {
            "cause": cause.cause,
            "explained": cause.explained,
            "text": explained_text(cause),
            "estimate": estimate_text(cause),
            "evidence": printable(cause.evidence),
        }
        for cause in diagnosis.causes
    ]


def _how_found(summary: ExplainSummary) -> Iterator[Block]:
    yield Text("Which variant of Gaussian naive Bayes gives these answers, and how well?")
    for one in summary.diagnosed:
        yield from _name(summary, one)
        evidence = [("evidence", cause.evidence) for cause in one.diagnosis.causes]
        yield Facts(
            (
                ("setting found", one.diagnosis.setting),
                ("how sure", sureness(one.diagnosis)),
                *evidence,
            )
        )


def _name(summary: ExplainSummary, one: Diagnosed) -> tuple[Block, ...]:
    """Return a heading where there are several implementations to tell apart."""
    several = len(summary.diagnosed) > 1
    return (Heading(summary.names[one.implementation]),) if several else ()


def _disagreements(summary: ExplainSummary, contributions: pd.DataFrame) -> Iterator[Block]:
    yield Text("Which samples get another label, and what speaks for it?")
    reference = summary.names[summary.reference]
    for one in summary.diagnosed:
        yield from _name(summary, one)
        table = _disagreement_table(summary, one)
        if not len(table):
            words = f"No label differs. {summary.verdict(one)}"
            yield Text(words, "note", tone_of(one.diagnosis))
            continue
        if len(table) > MOST_ROWS_OPEN:
            tall = Group("tall", (table,))
            yield Fold(f"Table ({len(table)} rows)", (tall,), is_open=True)
        else:
            yield table
        shown = [e for e in examples(summary) if e.implementation == one.implementation]
        which = "the only one" if len(shown) == 1 else f"{len(shown)} of them"
        yield Text(
            f"A margin is the lead of {reference}'s label over the other one in log-odds, "
            f"under the formulas of {reference}. Below: {which} in full.",
            "muted",
        )
        yield from _in_full(summary, one, shown, contributions)


def _disagreement_table(summary: ExplainSummary, one: Diagnosed) -> Table:
    reference, name = (summary.names[n] for n in (summary.reference, one.implementation))
    columns = (
        Column("run and row", ("run", "row"), _place),
        Column("truth", show=summary.label_name),
        Column(f"{reference}'s label", "reference_label", summary.label_name),
        Column(f"{name}'s label", "label", summary.label_name),
        Column("cause", show=lambda cause: cause or "unexplained"),
        Column("margin", show=significant),
        Column("confidence of the reference", "reference_confidence", significant),
        Column("confidence", show=significant),
    )
    rows = [disagreement_fields(row) for row in one.diagnosis.disagreements]
    n = one.diagnosis.n_disagreements
    which = "The only disagreement" if n == 1 else f"All {count(n)} disagreements"
    if len(rows) < n:
        which = f"The first {count(len(rows))} of {count(n)} disagreements"
    return Table(f"{which} of {name}", rows, columns)


def _in_full(
    summary: ExplainSummary,
    one: Diagnosed,
    shown: Sequence[Example],
    contributions: pd.DataFrame,
) -> Iterator[Block]:
    """Return what each feature says in some disagreements, and both posteriors."""
    reference, name = (summary.names[n] for n in (summary.reference, one.implementation))
    place = Column("run and row", ("run", "row"), _place)
    told = contributions.loc[contributions["implementation"] == one.implementation]
    few = told.groupby(["run", "row"], sort=False).head(MOST_FEATURES_SHOWN + 1)
    columns = (
        place,
        Column("feature"),
        Column("value", show=_four_digits),
        Column(reference, "reference_contribution", _four_digits),
        Column(name, "contribution", _four_digits),
        Column("change", show=_four_digits),
    )
    caption = f"What each feature says in the log-odds, under {reference} and {name}"
    table = Table(caption, few, columns)
    yield Fold(f"Contributions ({len(table)} rows)", (table,), is_open=len(table) <= 40)
    posteriors = [row for example in shown for row in _posteriors(summary, example)]
    if posteriors:
        classes = (
            place,
            Column("class", show=summary.label_name),
            Column(reference, "reference", _four_digits),
            Column(name, "implementation", _four_digits),
        )
        table = Table("Posterior probabilities, the largest ones", posteriors, classes)
        yield Fold(f"Posterior probabilities ({len(table)} rows)", (table,))


def _posteriors(summary: ExplainSummary, example: Example) -> list[Row]:
    """Return both posteriors of a disagreement, the most probable classes first."""
    one = example.disagreement
    if one.reference_posterior is None and one.posterior is None:
        return []
    nothing = np.full(len(summary.classes), np.nan)
    first, second = (
        nothing if posterior is None else posterior
        for posterior in (one.reference_posterior, one.posterior)
    )
    rank = np.nan_to_num(np.stack([first, second]), nan=-1.0).max(axis=0)
    order = np.argsort(-rank, kind="stable")[:MOST_CLASSES]
    return [
        {
            "run": one.run,
            "row": one.row,
            "class": summary.classes[code],
            "reference": first[code],
            "implementation": second[code],
        }
        for code in order.tolist()
    ]


def _contributions(summary: ExplainSummary) -> pd.DataFrame:
    """Return the parts of each feature in the disagreements shown in full."""
    columns = {"reference": "reference_contribution", "implementation": "contribution"}
    tables = []
    for example in examples(summary):
        table = contribution_table(summary, example).rename(columns=columns)
        one = example.disagreement
        table.insert(0, "implementation", example.implementation)
        table.insert(1, "run", one.run)
        table.insert(2, "row", one.row)
        tables.append(table)
    if tables:
        return pd.concat(tables, ignore_index=True)
    names = ("implementation", "run", "row", "feature", "value", *columns.values())
    return pd.DataFrame(columns=[*names, "change"])


def _method(summary: ExplainSummary) -> Section:
    values = {"reference": summary.names[summary.reference]}
    causes = [{"cause": name, "meaning": words} for name, words in CAUSES.items()]
    columns = (Column("cause"), Column("meaning"))
    prose = (
        Prose("explain", values),
        Table("Every cause there is", causes, columns),
        Prose("explain_words"),
    )
    plan = {key: value for key, value in summary.plan.items() if value not in ({}, [])}
    return method_section(summary.command, prose, plan_facts(plan), summary.environment, "")


def _tiles(summary: ExplainSummary) -> tuple[Tile, ...]:
    reference = shorten(summary.names[summary.reference], 24)
    facts: dict[str, Callable[[Diagnosis], tuple[str, str]]] = {
        f"Disagreements with {reference}": _disagreements_fact,
        "Disagreements explained": _explained_fact,
        "Predictions reproduced": _reproduced_fact,
        "Largest remaining probability difference": _remaining_fact,
    }
    several = len(summary.diagnosed) > 1
    names = [
        shorten(summary.names[one.implementation], 28) if several else ""
        for one in summary.diagnosed
    ]
    return tuple(
        Tile(
            title,
            tuple(
                Fact(name, *fact(one.diagnosis))
                for name, one in zip(names, summary.diagnosed, strict=True)
            ),
        )
        for title, fact in facts.items()
    )


def _disagreements_fact(one: Diagnosis) -> tuple[str, str]:
    if not one.n_predictions:
        return DASH, "no prediction to compare"
    return count(one.n_disagreements), f"of {plural(one.n_predictions, 'prediction')}"


def _explained_fact(one: Diagnosis) -> tuple[str, str]:
    causes = shorten(outcome_of(one), MOST_LETTERS_OF_A_TILE)
    if not one.n_disagreements:
        return DASH, f"no label differs; {causes}" if one.causes else "no label differs"
    return count(explained_number(one)), f"of {count(one.n_disagreements)}: {causes}"


def _reproduced_fact(one: Diagnosis) -> tuple[str, str]:
    if not one.n_predictions:
        return DASH, "no prediction to compare"
    setting = shorten(printable(one.setting), MOST_LETTERS_OF_A_TILE)
    return share(one.reproduced_share), setting


def _remaining_fact(one: Diagnosis) -> tuple[str, str]:
    if one.largest_remaining_difference is None:
        return DASH, "probabilities are not offered"
    return difference_text(one), "from the posterior of the setting found"


def _terminal(summary: ExplainSummary) -> Iterator[Block]:
    """Return verdict, causes, how sure, and the first disagreements of each."""
    yield Text(
        f"{printable(summary.dataset.name)} · {plural(summary.n_runs, 'run')} · "
        f"{count(summary.n_train)} train, {count(summary.n_test)} test samples each · "
        f"against {summary.names[summary.reference]}",
        "muted",
    )
    for place, one in enumerate(summary.diagnosed):
        if place:
            yield Text("")
        yield from _found(summary, one)
    yield from remarks(summary.warnings)


def _found(summary: ExplainSummary, one: Diagnosed) -> Iterator[Block]:
    diagnosis = one.diagnosis
    yield Text(summary.verdict(one), "strong", tone_of(diagnosis))
    if diagnosis.causes:
        columns = (
            Column("cause", show=lambda cause: f"{cause}\n{CAUSES[cause]}", width=23),
            Column("accounts for", "text", width=13),
            Column("estimate", width=15),
            Column("evidence"),
        )
        yield Table("", _cause_rows(diagnosis), columns)
    yield Text(sureness(diagnosis))
    if not diagnosis.n_disagreements:
        return
    yield Text(remainder(diagnosis))
    yield _first_disagreements(summary, one)
    beyond = diagnosis.n_disagreements - MOST_DISAGREEMENTS
    if beyond > 0:
        yield Text(f"and {plural(beyond, 'more disagreement')}.", "muted")


def _first_disagreements(summary: ExplainSummary, one: Diagnosed) -> Table:
    """Return the first disagreements; each column is as wide as it must be."""
    reference, name = (
        shorten(summary.names[name], MOST_LETTERS)
        for name in (summary.reference, one.implementation)
    )

    def label(value: object) -> str:
        return shorten(summary.label_name(value), MOST_LETTERS)

    rows = [
        {
            "run": count(row.run),
            "row": count(row.row),
            "truth": label(row.truth),
            "reference": label(row.reference_label),
            "implementation": label(row.label),
            "cause": row.cause or "unexplained",
            "margin": significant(row.margin),
        }
        for row in one.diagnosis.disagreements[:MOST_DISAGREEMENTS]
    ]
    headings = ("run", "row", "truth", reference, name, "cause", "margin")
    names = ("run", "row", "truth", "reference", "implementation", "cause", "margin")
    columns = [
        Column(
            heading,
            key,
            width=None
            if key == "cause"
            else max(len(heading), *(len(row[key]) for row in rows)),
        )
        for heading, key in zip(headings, names, strict=True)
    ]
    return Table("", rows, tuple(columns))


def _place(run: int, row: int) -> str:
    return f"run {run}, row {row}"


def _four_digits(value: float) -> str:
    return significant(value, 4)
