"""The tables of a page on causes."""

import math

import numpy as np

from gnbbench.diagnosis import CAUSES, Diagnosis
from gnbbench.report.explain_contributions import Card
from gnbbench.report.explain_summary import Diagnosed, ExplainSummary, disagreement_fields
from gnbbench.report.explain_wording import estimate_text, explained_text
from gnbbench.report.tables import Cell, Table, build, number_cell, text_cell
from gnbbench.words import DASH, count, significant

MOST_CLASSES = 8


def cause_table(diagnosis: Diagnosis, name: str) -> Table:
    """Return every cause found, the most important one first."""
    columns = ("cause", "in words", "accounts for", "estimate", "evidence")
    rows = [
        [
            text_cell(cause.cause),
            text_cell(CAUSES[cause.cause]),
            number_cell(cause.explained, explained_text(cause)),
            text_cell(estimate_text(cause)),
            text_cell(cause.evidence),
        ]
        for cause in diagnosis.causes
    ]
    return build(f"Causes of what {name} does otherwise", columns, rows)


def disagreement_table(summary: ExplainSummary, one: Diagnosed) -> Table:
    """Return every disagreement that is kept."""
    columns = (
        "run and row",
        "truth",
        f"{summary.names[summary.reference]}'s label",
        f"{summary.names[one.implementation]}'s label",
        "cause",
        "margin",
        "confidence of the reference",
        "confidence",
    )
    rows = []
    for row in one.diagnosis.disagreements:
        fields = disagreement_fields(row)
        rows.append(
            [
                Cell(f"run {row.run}, row {row.row}", f"{row.run} {row.row}"),
                *(
                    text_cell(summary.label_name(label))
                    for label in (row.truth, row.reference_label, row.label)
                ),
                text_cell(row.cause or "unexplained"),
                *(
                    number_cell(fields[column], significant(fields[column]))
                    for column in ("margin", "reference_confidence", "confidence")
                ),
            ]
        )
    n = one.diagnosis.n_disagreements
    which = "The only disagreement" if n == 1 else f"All {count(n)} disagreements"
    if len(rows) < n:
        which = f"The first {count(len(rows))} of {count(n)} disagreements"
    return build(f"{which} of {summary.names[one.implementation]}", columns, rows)


def posterior_table(summary: ExplainSummary, card: Card) -> Table | None:
    """Return both posteriors of a disagreement, the most probable classes first."""
    one = card.disagreement
    if one.reference_posterior is None and one.posterior is None:
        return None
    nothing = np.full(len(summary.classes), np.nan)
    both = [
        nothing if posterior is None else posterior
        for posterior in (one.reference_posterior, one.posterior)
    ]
    rank = np.nan_to_num(np.stack(both), nan=-1.0).max(axis=0)
    order = np.argsort(-rank, kind="stable")[:MOST_CLASSES]
    columns = (
        "class",
        *(summary.names[n] for n in (summary.reference, card.implementation)),
    )
    rows = [
        [
            text_cell(summary.label_name(summary.classes[code])),
            *(_probability(table[code]) for table in both),
        ]
        for code in order.tolist()
    ]
    left_out = len(summary.classes) - len(order)
    note = f", the {MOST_CLASSES} most probable of {len(rank)} classes" if left_out else ""
    return build(f"Posterior probabilities{note}", columns, rows)


def meaning_table() -> Table:
    """Return the closed list of causes."""
    rows = [[text_cell(name), text_cell(told)] for name, told in CAUSES.items()]
    return build("Every cause there is", ("cause", "meaning"), rows)


def _probability(value: float) -> Cell:
    number = float(value)
    return number_cell(number, DASH if math.isnan(number) else significant(number, 4))
