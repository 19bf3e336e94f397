"""The report of published figures for a terminal: a row a claim, in 80 columns."""

from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from gnbbench.claims.claim import Claim, ClaimResult
from gnbbench.claims.metrics import METRICS
from gnbbench.report.compare_terminal import WIDTH
from gnbbench.report.reproduce_summary import ReproduceSummary
from gnbbench.report.reproduce_wording import SIGNS, TONES, measured_text
from gnbbench.words import printable

STYLES = {"good": "green", "unsure": "yellow", "bad": "red", "none": "dim"}
# Verdicts whose explanation stands in the terminal; of all others it is on the page.
EXPLAINED = ("within run-to-run spread", "not reproduced", "protocol not stated")


def reproduce_table(summary: ReproduceSummary) -> RenderableType:
    """what a terminal shows: the count, a row a claim by source, what needs a word."""
    parts: list[RenderableType] = [_line(summary.headline, "bold")]
    if summary.detail:
        parts.append(_line(summary.detail, ""))
    for source, results in summary.sources.items():
        parts.append(_line(f"\n{printable(source.key)}: {printable(source.title)}", "bold"))
        parts.append(_block(results))
        parts += [
            _line(f"{result.claim.id}: {result.explanation}", "dim")
            for result in results
            if _needs_a_word(result)
        ]
    parts += [_line(f"Remark: {remark}", "yellow") for remark in summary.warnings]
    return Group(*parts)


def claim_list(claims: Sequence[Claim]) -> RenderableType:
    """Return the claims as a table: id, what it is, published value."""
    block = _table(("claim", 32), ("what", None), ("published", 21))
    for claim in claims:
        told = f"{METRICS[claim.metric].words}, {claim.implementation}"
        block.add_row(*map(_cell, (claim.id, told, claim.published.text)))
    return block


def _needs_a_word(result: ClaimResult) -> bool:
    """Tell whether a row says too little: no plain verdict, or a cause behind it."""
    others = [one for one in result.contrasts if not one.is_published]
    return result.verdict in EXPLAINED or bool(result.claim.cause and others)


def _block(results: Sequence[ClaimResult]) -> Table:
    block = _table(("claim", 32), ("published", 13), ("measured", 13), ("verdict", None))
    for result in results:
        verdict = Text(
            f"{SIGNS[result.verdict]} {result.verdict}", style=STYLES[TONES[result.verdict]]
        )
        cells = (result.claim.id, result.claim.published.text, measured_text(result))
        block.add_row(*map(_cell, cells), verdict)
    return block


def _table(*columns: tuple[str, int | None]) -> Table:
    """Return a table of 80 columns without rows; a column without a width has the rest."""
    block = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), width=WIDTH)
    for heading, width in columns:
        ratio = 1 if width is None else None
        block.add_column(Text(heading), width=width, ratio=ratio, overflow="fold")
    return block


def _cell(text: str) -> Text:
    return Text(printable(text), overflow="fold")


def _line(text: str, style: str) -> Text:
    return Text(text, style=style, overflow="fold")
