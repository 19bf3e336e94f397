"""``gnbbench diff``: a stored study against an earlier one."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gnbbench.cli.exits import GATE_FAILED, INCONCLUSIVE, user_errors
from gnbbench.errors import OptionError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from gnbbench.statistics.comparison import Comparison


def diff(
    old: Annotated[
        str, typer.Argument(metavar="OLD", help="Results directory, or summary.json.")
    ],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The later one.")],
    tolerance: Annotated[
        float | None,
        typer.Option(help="Largest loss to accept.  [default: OLD's margin]"),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the comparison as JSON.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print only the path of the report.")
    ] = False,
) -> None:
    """Compare two stored studies.

    Exit 1 if NEW is worse, 3 if that is unclear.

    Example: gnbbench diff reports/before reports/after --tolerance 0.005
    """
    from gnbbench.studies.stored import compare_stored

    with user_errors():
        if tolerance is not None and not 0 <= tolerance < math.inf:
            what = f"{tolerance} is out of range"
            raise OptionError("--tolerance", what, "Give a number from 0.")
        found = compare_stored(old, new, tolerance=tolerance)
    if json:
        typer.echo(json_text(found))
    elif not quiet:
        from rich.console import Console

        Console().print(table(found))
    if len(found.regressions):
        typer.echo(f"gnbbench: gate failed: {conclusion(found)}", err=True)
        raise typer.Exit(GATE_FAILED)
    if len(found.undecided):
        typer.echo(f"gnbbench: inconclusive: {conclusion(found)}", err=True)
        raise typer.Exit(INCONCLUSIVE)


def conclusion(found: "Comparison") -> str:
    """Return in a sentence what the comparison comes to."""
    loss = f"a loss of more than {found.tolerance:g}"
    if len(found.regressions):
        return f"{loss.capitalize()} in {_named(found.regressions)}."
    if len(found.undecided):
        return f"Cannot rule out {loss} in {_named(found.undecided)}."
    where = " in what both have" if found.remarks else ""
    if (found.changes["change"] == "same").all():
        return f"Same results{where}: no metric of any implementation differs."
    return f"No {loss.removeprefix('a ')}{where}."


def json_text(found: "Comparison") -> str:
    """Return the comparison as indented JSON."""
    import json

    from gnbbench.statistics.documents import plain

    fields = {"conclusion": conclusion(found), **vars(found)}
    listed = {
        key: value.to_dict("records") if hasattr(value, "to_dict") else value
        for key, value in fields.items()
    }
    return json.dumps(plain(listed), indent=1, ensure_ascii=False, allow_nan=False)


def table(found: "Comparison") -> "RenderableType":
    """Return what a terminal shows of a comparison, in 80 columns."""
    from rich.console import Group
    from rich.text import Text

    from gnbbench.words import printable

    lines = [conclusion(found), found.pairing, *found.remarks]
    plan = found.plan.to_dict("records")
    lines += [f"Plan, {row['key']}: {row['old']} then, {row['new']} now." for row in plan]
    parts: list[Any] = [Text(printable(line), overflow="fold") for line in lines]
    parts.append(_metric_table(found))
    if found.environment:
        said = "Times are not judged: " + " ".join(found.environment)
        parts.append(Text(printable(said), overflow="fold"))
    if len(found.times):
        parts.append(_time_table(found.times))
    return Group(*parts)


def _named(rows: Any) -> str:
    """Return what and whose, the first three."""
    texts = [
        f"{row['metric']} of {row['implementation']}"
        + ("" if row["point"] == "all" else f" at {row['point']}")
        for row in rows.to_dict("records")
    ]
    more = f" and {len(texts) - 3} more" if len(texts) > 3 else ""
    return ", ".join(texts[:3]) + more


def _metric_table(found: "Comparison") -> "RenderableType":
    """Return the metrics that differ, a line each; all others in a sentence."""
    from rich.text import Text

    from gnbbench.words import decimal, interval, plural

    differing = found.changes[found.changes["change"] != "same"]
    n_same = len(found.changes) - len(differing)
    if differing.empty:
        return Text(f"{plural(n_same, 'number')} compared, all the same.")
    body = [
        (
            f"{row['implementation']} {row['metric']}"
            + ("" if row["point"] == "all" else f" at {row['point']}"),
            decimal(row["old"]),
            decimal(row["new"]),
            f"{interval(row['difference'], row['low'], row['high'], signed=True)} "
            f"{row['change']}",
        )
        for row in differing.to_dict("records")
    ]
    caption = f"{plural(n_same, 'other number')} the same." if n_same else None
    head = ("", "old", "new", "new − old (95 %)")
    return _columns(head, body, caption)


def _time_table(times: Any) -> "RenderableType":
    """Return medians, and how the ratio to the reference changed."""
    from gnbbench.words import seconds

    body = [
        (
            f"{row['implementation']} {row['operation']}",
            seconds(row["old_seconds"]),
            seconds(row["new_seconds"]),
            " ".join(_time_words(row)),
        )
        for row in times.to_dict("records")
    ]
    caption = "The ratio to the reference is judged, against both noise floors."
    return _columns(("median time", "old", "new", "new / old"), body, caption)


def _time_words(row: Any) -> Iterator[str]:
    from gnbbench.words import significant, span

    yield f"{significant(row['seconds_ratio'])} ×"
    if not math.isnan(row["change"]):
        yield f"(ratio {significant(row['change'])} ×, {span(row['low'], row['high'])})"
    yield row["speed"]


def _columns(
    head: tuple[str, ...], body: Sequence[tuple[str, ...]], caption: str | None
) -> "RenderableType":
    from rich.console import Group
    from rich.text import Text

    from gnbbench.report.blocks import Column, Table
    from gnbbench.report.terminal import terminal_table
    from gnbbench.words import printable

    columns = (
        Column(head[0], show=printable),
        *(Column(title, align="right") for title in head[1:3]),
        Column(head[3], show=printable),
    )
    rows = [dict(zip(head, cells, strict=True)) for cells in body]
    shown = terminal_table(Table("", rows, columns))
    return Group(shown, Text(caption, style="dim")) if caption else shown
