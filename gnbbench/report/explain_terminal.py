"""The report on causes for a terminal: verdict, causes, how sure, first disagreements."""

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from gnbbench.diagnosis import CAUSES, Diagnosis
from gnbbench.report.compare_terminal import WIDTH
from gnbbench.report.explain_summary import Diagnosed, ExplainSummary
from gnbbench.report.explain_wording import (
    estimate_text,
    explained_text,
    remainder,
    sureness,
    tone_of,
)
from gnbbench.words import count, plural, printable, shorten, significant

MOST_DISAGREEMENTS = 5
MOST_LETTERS = 12
STYLES = {"good": "bold green", "unsure": "bold yellow", "bad": "bold red"}

Rows = list[tuple[str, ...]]


def explain_table(summary: ExplainSummary) -> RenderableType:
    """Return what a terminal shows of every implementation, one after the other."""
    parts: list[RenderableType] = [_setting(summary)]
    for place, one in enumerate(summary.diagnosed):
        if place:
            parts.append(Text(""))
        parts += _parts(summary, one)
    parts += [
        Text(f"Remark: {printable(warning)}", style="yellow", overflow="fold")
        for warning in summary.warnings
    ]
    return Group(*parts)


def cause_rows(diagnosis: Diagnosis) -> Rows:
    """Return a line for each cause: name and words, what it explains, evidence."""
    return [
        (
            f"{cause.cause}\n{CAUSES[cause.cause]}",
            explained_text(cause),
            estimate_text(cause),
            printable(cause.evidence),
        )
        for cause in diagnosis.causes
    ]


def disagreement_rows(summary: ExplainSummary, one: Diagnosed) -> Rows:
    """Return a line for each of the first disagreements."""
    return [
        (
            count(row.run),
            count(row.row),
            *(
                shorten(summary.label_name(label), MOST_LETTERS)
                for label in (row.truth, row.reference_label, row.label)
            ),
            row.cause or "unexplained",
            significant(row.margin),
        )
        for row in one.diagnosis.disagreements[:MOST_DISAGREEMENTS]
    ]


def _parts(summary: ExplainSummary, one: Diagnosed) -> list[RenderableType]:
    diagnosis = one.diagnosis
    style = STYLES[tone_of(diagnosis)]
    parts: list[RenderableType] = [_line(summary.verdict(one), style)]
    if diagnosis.causes:
        columns = (("cause", 23), ("accounts for", 13), ("estimate", 15))
        parts.append(_block((*columns, ("evidence", None)), cause_rows(diagnosis)))
    parts.append(_line(sureness(diagnosis)))
    if not diagnosis.n_disagreements:
        return parts
    parts.append(_line(remainder(diagnosis)))
    reference, name = (
        shorten(summary.names[name], MOST_LETTERS)
        for name in (summary.reference, one.implementation)
    )
    headings = ("run", "row", "truth", reference, name, "cause", "margin")
    rows = disagreement_rows(summary, one)
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
    widths_but_for_cause = [*widths[:5], None, widths[6]]
    parts.append(_block(tuple(zip(headings, widths_but_for_cause, strict=True)), rows))
    beyond = diagnosis.n_disagreements - MOST_DISAGREEMENTS
    if beyond > 0:
        parts.append(_line(f"and {plural(beyond, 'more disagreement')}.", "dim"))
    return parts


def _setting(summary: ExplainSummary) -> Text:
    line = (
        f"{printable(summary.dataset.name)} · {plural(summary.n_runs, 'run')} · "
        f"{count(summary.n_train)} train, {count(summary.n_test)} test samples each · "
        f"against {summary.names[summary.reference]}"
    )
    return _line(line, "dim")


def _block(columns: tuple[tuple[str, int | None], ...], rows: Rows) -> Table:
    """Return a table of 80 columns; a column without a width has the rest."""
    block = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), width=WIDTH)
    for heading, width in columns:
        ratio = 1 if width is None else None
        block.add_column(Text(heading), width=width, ratio=ratio, overflow="fold")
    for row in rows:
        block.add_row(*(Text(text, overflow="fold") for text in row))
    return block


def _line(text: str, style: str = "") -> Text:
    return Text(text, style=style, overflow="fold")
