"""The report of a scale study: time and memory against sizes."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import pandas as pd

from gnbbench.report.blocks import (
    Attachment,
    Block,
    Column,
    Document,
    Facts,
    Figure,
    Fold,
    Heading,
    Items,
    Prose,
    Row,
    Section,
    Table,
    Terminal,
    Text,
    Tile,
)
from gnbbench.report.sections import (
    FILES,
    grouped,
    method_section,
    named_values,
    remarks,
)
from gnbbench.statistics.documents import document
from gnbbench.statistics.scale import (
    AXES,
    SCALE_OPERATIONS,
    SYMBOLS,
    axes_of,
    differing,
    held_text,
    some_of,
)
from gnbbench.statistics.summary import Summary
from gnbbench.statistics.timing import speed_text
from gnbbench.words import (
    DASH,
    SPACE,
    count,
    data_size,
    decimal,
    listing,
    printable,
    seconds,
    share,
    short_names,
    significant,
)

NAME_WIDTH = 40
_FILES = (
    ("times", "one row per size, operation and implementation"),
    ("exponents", "how time grows"),
    ("reads", "one read of X"),
    ("agreement", "labels against the reference's"),
    ("memory", "memory beyond the arrays given"),
    ("stops", "what was left out"),
)


def report(summary: Summary) -> Document:
    """Return what a scale study found, for every renderer."""
    left_out = grouped(summary.stops["sentence"])
    stops = [Fold(f"Left out ({len(left_out)})", (Items(left_out, "stops"),))]
    return Document(
        study=summary.study,
        subject="gaussians",
        headline=summary.headline,
        tone=_tone(summary),
        setting=_setting(summary),
        tiles=_tiles(summary),
        blocks=(
            Terminal(tuple(_terminal(summary))),
            Section("time", "Time", tuple(_times(summary))),
            Section("growth", "Growth", tuple(_growth(summary))),
            Section(
                "verdict",
                "Left out and remarks",
                (*stops[: len(left_out)], *remarks(summary.warnings)),
            ),
            Section("throughput", "Throughput", (Figure.of("scale_throughput", summary),)),
            Section("memory", "Memory", tuple(_memory(summary))),
            Section("agreement", "Agreement", tuple(_agreement(summary))),
            _method(summary),
            FILES,
        ),
        payload=document(summary),
        attachments=tuple(
            Attachment(f"{name}.csv", getattr(summary, name), words)
            for name, words in _FILES
        ),
    )


def _tone(summary: Summary) -> str:
    """Return good where all is equal, bad where labels differ or one failed."""
    failed = ~summary.stops["status"].isin(["budget"])
    if len(differing(summary)) or failed.any():
        return "bad"
    return "unsure" if summary.times.empty else "good"


def _setting(summary: Summary) -> str:
    reference, *others = short_names(summary.implementations, 40).values()
    held = ", ".join(
        f"{SYMBOLS[axis]} = {size['held']:,}" for axis, size in summary.plan["axes"].items()
    )
    return (
        f"{listing(others)} against {reference}; {listing(axes_of(summary))} varied one "
        f"at a time, the others held at {held}."
    )


def _times(summary: Summary) -> Iterator[Block]:
    for axis in axes_of(summary):
        yield Heading(f"Against {axis}")
        yield Figure.of("scale_{}", summary, axis)
        table = _time_table(summary, axis)
        if len(table):
            yield Fold(f"Every time against {axis} ({len(table)} rows)", (table,))


def _time_table(summary: Summary, axis: str, most: int | None = None) -> Table:
    """Return times, factors and equal labels, at all sizes or at a few."""
    keys = ["axis", "size", "implementation"]
    times = summary.times.loc[summary.times["axis"] == axis]
    sizes = sorted(set(times["size"]))
    shown = times.loc[times["size"].isin(some_of(sizes, most or len(sizes)))]
    columns = ["seconds", "ratio", "ratio_low", "ratio_high", "speed"]
    rows = _by_operation(shown, keys, columns)
    rows = rows.merge(summary.agreement[[*keys, "agreement"]], "left", keys)
    order = {name: place for place, name in enumerate(summary.implementations)}
    rows = rows.sort_values(["size", "implementation"], key=lambda v: v.replace(order))
    name, against = summary.implementations[0], []
    reference = short_names([name], NAME_WIDTH)[name]
    for operation in SCALE_OPERATIONS:
        ratio = tuple(f"{operation} {column}" for column in columns[1:])
        against += [
            Column(operation, f"{operation} seconds", seconds, align="right"),
            Column(f"against {reference}", ratio, _factor),
        ]
    return Table(
        f"Time against {axis} ({held_text(summary, axis)})",
        rows,
        (
            Column("implementation", show=_names(summary, NAME_WIDTH)),
            Column(SYMBOLS[axis], "size", count, align="right"),
            *against,
            Column("labels", "agreement", agreement_text, align="right"),
        ),
    )


def _by_operation(table: pd.DataFrame, keys: list[str], columns: list[str]) -> pd.DataFrame:
    """Return the values of both operations in one row for each implementation."""
    found = table[keys].drop_duplicates()
    for operation in SCALE_OPERATIONS:
        of = table.loc[table["operation"] == operation, [*keys, *columns]]
        names = {column: f"{operation} {column}" for column in columns}
        found = found.merge(of.rename(columns=names), "left", keys)
    return found


def _factor(ratio: float, low: float, high: float, speed: str) -> str:
    """Return a factor with its interval on a line of its own."""
    text = speed_text(ratio, low, high, speed).replace(" (", "\n(")
    return text if "×" in text or text == DASH else "unclear"


def _growth(summary: Summary) -> Iterator[Block]:
    table = _growth_table(summary)
    if len(table):
        yield table
        yield Text(
            "Slopes of log time over log size over the upper decade of each axis, where "
            "the fixed cost of a call weighs least.",
            "muted",
        )


def _growth_table(summary: Summary) -> Table:
    """Return how time grows along each axis that has at least two sizes."""
    known = summary.exponents.loc[summary.exponents["exponent"].notna()]
    keys, columns = ["axis", "implementation"], ["exponent", "low", "high"]
    sizes = known[[*keys, "points", "first", "last"]].drop_duplicates(keys)
    rows = _by_operation(known, keys, columns).merge(sizes, "left", keys)
    powers = [
        Column(
            f"{operation} grows as",
            (*(f"{operation} {column}" for column in columns), "axis"),
            power,
        )
        for operation in SCALE_OPERATIONS
    ]
    over = ("points", "first", "last", "axis")
    return Table(
        "How time grows",
        rows,
        (
            Column("implementation", show=_names(summary, NAME_WIDTH)),
            *powers,
            Column("between", over, _fitted_over),
        ),
    )


def _memory(summary: Summary) -> Iterator[Block]:
    yield Figure.of("scale_memory", summary)
    if summary.memory.empty:
        return
    columns = (
        Column("implementation", show=_names(summary)),
        Column("axis"),
        Column("size", show=count),
        Column("operation"),
        Column("allocated", "traced_bytes", data_size),
        Column("as a multiple", "traced_multiple", multiple),
        Column("resident", "resident_bytes", data_size),
        Column("as a multiple", "resident_multiple", multiple),
    )
    table = Table("Memory beyond the arrays given", summary.memory, columns)
    yield Fold(f"Every peak ({len(table)} rows)", (table,))


def _agreement(summary: Summary) -> Iterator[Block]:
    yield Text(printable(summary.detail.partition(" Time grows:")[0]))
    if summary.agreement.empty:
        return
    columns = (
        Column("implementation", show=_names(summary)),
        Column("axis"),
        Column("size", show=count),
        Column("test rows", "n_test", count),
        Column("differ", "disagreements", count),
        Column("same labels", "agreement", agreement_text),
    )
    yield Fold.of(Table("Labels against the reference's", summary.agreement, columns))


def _method(summary: Summary) -> Section:
    plan, number = summary.plan, int(summary.plan["processes"])
    sizes = []
    for axis in AXES:
        grid = plan["axes"][axis]
        held = f"held at {count(grid['held'])}"
        listed = ", ".join(count(size) for size in grid["sizes"])
        text = f"{listed}; {held} while another varies" if listed else held
        sizes.append((f"{axis} ({SYMBOLS[axis]})", text))
    names = (
        *("reference", "against", "budget_seconds", "processes", "threads", "seed"),
        *("specifications", "digests"),
    )
    given = {name: plan[name] for name in names if plan[name] not in ([], {})}
    blocks = (Heading("Sizes"), Facts(sizes), Heading("Plan"), Facts(named_values(given)))
    processes = f"{count(number)} fresh process{'es' * (number != 1)}"
    prose = Prose("scale", {"processes": processes})
    return method_section(
        summary.command, (prose,), blocks, summary.environment, summary.timing_regime
    )


def _terminal(summary: Summary) -> Iterator[Block]:
    """Return the finding, some sizes of each axis, and how time grows along it."""
    tone = "bad" if len(differing(summary)) else "good"
    yield Text(printable(summary.headline), "strong", tone)
    yield Text(printable(summary.detail.partition(" Time grows:")[0]))
    for axis in axes_of(summary):
        table = _time_table(summary, axis, most=4)
        if len(table):
            yield Heading(f"Along {axis} ({held_text(summary, axis)})")
            yield replace(table, columns=table.columns[:-1])
    growth = _growth_table(summary)
    if len(growth):
        yield growth
    for text in grouped(summary.stops["sentence"]):
        yield Text(printable(text), "note", "unsure")
    yield from remarks(summary.warnings)


def _tiles(summary: Summary) -> tuple[Tile, ...]:
    names = short_names(summary.implementations, 28)
    competitors = {name: names[name] for name in summary.implementations[1:]}
    axis = axes_of(summary)[0]
    reference = names[summary.reference]
    along = partial(partial, summary=summary, axis=axis)
    return (
        Tile.of(f"Same labels as {reference}", competitors, partial(_label_fact, summary)),
        Tile.of(f"Time to fit, against {reference}", competitors, along(_speed_fact)),
        Tile.of(f"Growth of fit with {axis}", names, along(_growth_fact)),
        Tile.of("Most memory beyond the arrays", names, along(_memory_fact)),
    )


def _label_fact(summary: Summary, name: str) -> tuple[str, str]:
    table = summary.agreement
    compared = table.loc[(table["implementation"] == name) & (table["n_test"] > 0)]
    if compared.empty:
        return DASH, "no labels to compare"
    rows, differing = compared["n_test"].sum(), compared["disagreements"].sum()
    detail = f"{count(differing)} of {count(rows)} labels differ, {len(compared)} sizes"
    return share(float(1 - differing / rows)), detail


def _speed_fact(name: str, *, summary: Summary, axis: str) -> tuple[str, str]:
    table = _of(summary.times, axis, name)
    table = table.loc[table["ratio"].notna() & (table["operation"] == "fit")]
    if table.empty:
        return DASH, "not timed beside it"
    last: Row = table.sort_values("size").iloc[-1].to_dict()
    ratio = [last[column] for column in ("ratio", "ratio_low", "ratio_high", "speed")]
    value, _, ends = speed_text(*ratio).partition(" (")
    at = f"at {SYMBOLS[axis]} = {count(last['size'])}"
    return value, f"{ends.removesuffix(')')}, {at}" if ends else at


def _growth_fact(name: str, *, summary: Summary, axis: str) -> tuple[str, str]:
    table = _of(summary.exponents, axis, name)
    row: Row = table.loc[table["operation"] == "fit"].iloc[0].to_dict()
    if pd.isna(row["exponent"]):
        return DASH, "too few sizes"
    text = power(row["exponent"], row["low"], row["high"], axis)
    value, _, ends = text.partition(" (")
    between = _fitted_over(row["points"], row["first"], row["last"], axis)
    return value, f"{ends.removesuffix(')') or 'no interval'}; {between}"


def _memory_fact(name: str, *, summary: Summary, axis: str) -> tuple[str, str]:
    table = _of(summary.memory, axis, name)
    if table.empty:
        return DASH, "not measured"
    last = table.loc[table["size"] == table["size"].max()]
    largest: Row = last.sort_values("traced_multiple").iloc[-1].to_dict()
    where = f"in {largest['operation']}, at {SYMBOLS[axis]} = {count(largest['size'])}"
    return multiple(largest["traced_multiple"]), where


def _of(table: pd.DataFrame, axis: str, name: str) -> pd.DataFrame:
    return table.loc[(table["axis"] == axis) & (table["implementation"] == name)]


def _names(summary: Summary, width: int = 40) -> Callable[[str], str]:
    return short_names(summary.implementations, width).__getitem__


def _fitted_over(points: float, first: float, last: float, axis: str) -> str:
    return f"{SYMBOLS[axis]} = {count(first)} and {count(last)}, {count(points)} sizes"


def power(value: float, low: float, high: float, axis: str) -> str:
    """Return a size to a power, with the interval of the exponent where there is one."""
    if math.isnan(value):
        return DASH
    ends = "" if math.isnan(low) else f" ({decimal(low, 2)} to {decimal(high, 2)})"
    return f"{SYMBOLS[axis]}^{decimal(value, 2)}{ends}"


def agreement_text(agreement: float) -> str:
    """Return the share of equal labels, marked where some differ."""
    if math.isnan(agreement):
        return DASH
    return share(agreement) if agreement == 1.0 else f"✗ {share(agreement)}"


def multiple(value: float) -> str:
    """Return bytes as a multiple of X."""
    return DASH if math.isnan(value) else f"{significant(value, 2)}{SPACE}×{SPACE}X"
