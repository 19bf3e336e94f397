"""``gnbbench diff``: a stored study compared with an earlier one."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import typer

from gnbbench.cli.exits import GATE_FAILED, INCONCLUSIVE, user_errors
from gnbbench.studies.option import OUTPUT, STUDY, Options, option, switch
from gnbbench.words import decimal, interval, plural, printable, seconds, significant, span

if TYPE_CHECKING:
    from gnbbench.report.blocks import Block
    from gnbbench.statistics.comparison import Comparison


class DiffOptions(Options):
    """Two stored studies and the loss to accept."""

    old: str = option(STUDY, "Results directory.", ..., is_argument=True, flag="OLD")
    new: str = option(STUDY, "The later one.", ..., is_argument=True, flag="NEW")
    tolerance: float | None = option(
        STUDY,
        "Largest loss to accept.  [default: OLD's margin]",
        ge=0.0,
        lt=math.inf,
        remedy="Give a number from 0.",
    )
    json_text: bool = switch(OUTPUT, "Print the comparison as JSON.", flag="--json")
    quiet: bool = switch(OUTPUT, "Print only the path of the report.", flag="--quiet -q")


def diff(options: DiffOptions) -> None:
    """Compare two stored studies; the exit code tells the result."""
    from gnbbench.studies.stored import compare_stored

    with user_errors():
        comparison = compare_stored(options.old, options.new, tolerance=options.tolerance)
    if options.json_text:
        from gnbbench.statistics.documents import as_text, plain

        document = plain({"conclusion": conclusion(comparison), **vars(comparison)})
        typer.echo(as_text(document), nl=False)
    elif not options.quiet:
        from rich.console import Console

        from gnbbench.report.terminal import terminal

        Console().print(terminal(_shown(comparison)))
    if len(comparison.regressions):
        typer.echo(f"gnbbench: gate failed: {conclusion(comparison)}", err=True)
        raise typer.Exit(GATE_FAILED)
    if len(comparison.undecided):
        typer.echo(f"gnbbench: inconclusive: {conclusion(comparison)}", err=True)
        raise typer.Exit(INCONCLUSIVE)


def conclusion(comparison: "Comparison") -> str:
    """Return the result of a comparison in one sentence."""
    loss = f"a loss of more than {comparison.tolerance:g}"
    if len(comparison.regressions):
        return f"{loss.capitalize()} in {_named(comparison.regressions)}."
    if len(comparison.undecided):
        return f"Cannot rule out {loss} in {_named(comparison.undecided)}."
    where = " where both have results" if comparison.remarks else ""
    if (comparison.changes["change"] == "same").all():
        return f"Same results{where}: no metric of any implementation differs."
    return f"No {loss.removeprefix('a ')}{where}."


def _shown(comparison: "Comparison") -> "Iterator[Block]":
    """Yield a comparison as blocks for a terminal."""
    from gnbbench.report.blocks import Column, Table, Text

    lines = [conclusion(comparison), comparison.pairing, *comparison.remarks]
    plan = comparison.plan.to_dict("records")
    lines += [f"Plan, {row['key']}: was {row['old']}, now {row['new']}." for row in plan]
    yield from (Text(printable(line)) for line in lines)
    differing = comparison.changes[comparison.changes["change"] != "same"]
    n_same = len(comparison.changes) - len(differing)
    if differing.empty:
        yield Text(f"{plural(n_same, 'number')} compared, all the same.")
    else:
        columns = (
            Column("", ("implementation", "metric", "point"), _whose),
            *(Column(name, show=decimal, align="right") for name in ("old", "new")),
            Column("new − old (95 %)", ("difference", "low", "high", "change"), _change),
        )
        yield Table("", differing, columns)
        if n_same:
            yield Text(f"{plural(n_same, 'other number')} the same.", "muted")
    if comparison.environment:
        yield Text(printable(f"Times are not judged: {' '.join(comparison.environment)}"))
    if len(comparison.times):
        judged = ("seconds_ratio", "change", "low", "high", "speed")
        columns = (
            Column("median time", ("implementation", "operation"), _whose),
            Column("old", "old_seconds", seconds, align="right"),
            Column("new", "new_seconds", seconds, align="right"),
            Column("new / old", judged, _speed),
        )
        yield Table("", comparison.times, columns)
        if (comparison.times["speed"] != "not judged").any():
            text = "The ratio to the reference is judged, against both noise floors."
            yield Text(text, "muted")


def _named(rows: Any) -> str:
    """Return the metrics and implementations of the first three rows."""
    texts = [
        f"{row['metric']} of {row['implementation']}"
        + ("" if row["point"] == "all" else f" at {row['point']}")
        for row in rows.to_dict("records")
    ]
    more = f" and {len(texts) - 3} more" if len(texts) > 3 else ""
    return ", ".join(texts[:3]) + more


def _whose(implementation: str, what: str, point: str = "all") -> str:
    at = "" if point == "all" else f" at {point}"
    return printable(f"{implementation} {what}{at}")


def _change(difference: float, low: float, high: float, change: str) -> str:
    return f"{interval(difference, low, high, signed=True)} {change}"


def _speed(ratio: float, change: float, low: float, high: float, speed: str) -> str:
    """Describe the change of the median, and of the ratio to the reference."""
    judged = f" (ratio {significant(change)}×, {span(low, high)})"
    return f"{significant(ratio)}×{'' if math.isnan(change) else judged} {speed}"
