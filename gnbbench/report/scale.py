"""The report of a scale study: time and memory against sizes."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

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
from gnbbench.report.sections import FILES, method_section, remarks
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
from gnbbench.words import (
    DASH,
    count,
    decimal,
    listing,
    printable,
    seconds,
    share,
    short_names,
    significant,
    span,
)

NAME_WIDTH = 11

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
    throughput = Text(
        "How near does each implementation come to the speed at which the samples can be "
        "read at all?"
    )
    return Document(
        study=summary.study,
        subject="gaussians",
        headline=summary.headline,
        tone=_tone(summary),
        band=(Text(summary.detail),),
        setting=_setting(summary),
        tiles=_tiles(summary),
        blocks=(
            _terminal(summary),
            Section("time", "Time", tuple(_times(summary))),
            Section("growth", "Growth", tuple(_growth(summary))),
            Section("verdict", "Left out and remarks", tuple(_verdict(summary))),
            Section(
                "throughput",
                "Throughput",
                (throughput, Figure.of("scale_throughput", summary)),
            ),
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


def _verdict(summary: Summary) -> Iterator[Block]:
    if len(summary.stops):
        yield Heading("Left out")
        yield Items(tuple(summary.stops["sentence"]), "stops")
    yield from remarks(summary.warnings)


def _growth(summary: Summary) -> Iterator[Block]:
    yield Table(
        "How time grows",
        summary.exponents,
        (
            Column("implementation", show=_names(summary)),
            Column("axis"),
            Column("operation"),
            Column("time grows as", ("exponent", "axis"), power),
            Column("95 %", ("low", "high"), power_interval),
            Column("fitted over", ("points", "first", "last", "axis"), _fitted_over),
        ),
    )
    yield Text(
        "Exponents are slopes of log time over log size over the upper decade of each "
        "axis, where the fixed cost of a call weighs least.",
        "muted",
    )


def _times(summary: Summary) -> Iterator[Block]:
    yield Text("What does one call of fit and of predict cost at each size?")
    for axis in axes_of(summary):
        yield Heading(f"Against {axis}")
        yield Figure.of("scale_{}", summary, axis)
        table = _time_table(summary, axis)
        if len(table):
            yield Fold(f"Every time against {axis} ({len(table)} rows)", (table,))
    yield Text(
        "A ratio in brackets is not separated from the noise floor: the reference timed "
        "against itself. ✗ marks sizes at which labels differ.",
        "muted",
    )


def _with_agreement(summary: Summary, axis: str) -> pd.DataFrame:
    """Return the times along one axis, with the share of equal labels or NaN."""
    keys = ["axis", "size", "implementation"]
    labels = summary.agreement[[*keys, "agreement"]]
    return _along(summary.times, axis).merge(labels, "left", keys)


def _time_table(summary: Summary, axis: str) -> Table:
    """Return each time along one axis, with ratio, throughput and equal labels."""
    columns = (
        Column("implementation", show=_names(summary)),
        Column(SYMBOLS[axis], "size", count),
        Column("operation"),
        Column("time", "seconds", seconds),
        Column("of processes", ("low_seconds", "high_seconds"), _seconds_range),
        Column("ratio to reference", ("ratio", "speed"), ratio_text),
        Column("95 %", ("ratio_low", "ratio_high"), span),
        Column("same labels", "agreement", agreement_text),
        Column("rows per s", "rows_per_second", _many),
        Column("GB per s", "bytes_per_second", lambda value: significant(value / 1e9)),
        Column("share of one read", "share_of_read", lambda value: share(round(value, 4))),
    )
    caption = f"Time against {axis} ({held_text(summary, axis)})"
    return Table(caption, _with_agreement(summary, axis), columns)


def _memory(summary: Summary) -> Iterator[Block]:
    yield Text("How much memory does a call need besides the arrays it is given?")
    yield Figure.of("scale_memory", summary)
    if summary.memory.empty:
        return
    columns = (
        Column("implementation", show=_names(summary)),
        Column("axis"),
        Column("size", show=count),
        Column("operation"),
        Column("allocated (MB)", "traced_bytes", _megabytes),
        Column("allocated", "traced_multiple", multiple),
        Column("resident (MB)", "resident_bytes", _megabytes),
        Column("resident", "resident_multiple", multiple),
    )
    table = Table("Memory beyond the arrays given", summary.memory, columns)
    yield Fold(f"Every peak ({len(table)} rows)", (table,))


def _agreement(summary: Summary) -> Iterator[Block]:
    yield Text(
        "Are the labels of the same test rows equal at every size? They were compared "
        "before anything was timed."
    )
    if summary.agreement.empty:
        yield Text("No labels could be compared.", "note", "unsure")
        return
    columns = (
        Column("implementation", show=_names(summary)),
        Column("axis"),
        Column("size", show=count),
        Column("test rows", "n_test", count),
        Column("differ", "disagreements", count),
        Column("same labels", "agreement", agreement_text),
    )
    yield Table("Labels against the reference's", summary.agreement, columns)


def _method(summary: Summary) -> Section:
    plan = summary.plan
    number = int(plan["processes"])
    processes = f"{count(number)} fresh process{'es' * (number != 1)}"
    sizes = []
    for axis in AXES:
        grid = plan["axes"][axis]
        held = f"held at {count(grid['held'])}"
        listed = ", ".join(count(size) for size in grid["sizes"])
        text = f"{listed}; {held} while another varies" if listed else held
        sizes.append((f"{axis} ({SYMBOLS[axis]})", text))
    facts = [
        ("reference", str(plan["reference"])),
        ("against", ", ".join(plan["against"])),
        ("budget", f"{significant(float(plan['budget_seconds']))} s"),
        ("processes", count(number)),
        ("threads", count(plan["threads"])),
        ("seed", str(plan["seed"])),
    ]
    facts += [(f"specification of {n}", text) for n, text in plan["specifications"].items()]
    facts += [(f"SHA-256 of {name}", text) for name, text in plan["digests"].items()]
    blocks = (Heading("Sizes"), Facts(sizes), Heading("Plan"), Facts(facts))
    prose = Prose("scale", {"processes": processes})
    return method_section(
        summary.command, (prose,), blocks, summary.environment, summary.timing_regime
    )


def _terminal(summary: Summary) -> Terminal:
    """Return the finding, some sizes of each axis, and how time grows along it."""
    tone = "bad" if len(differing(summary)) else "good"
    blocks: list[Block] = [
        Text(printable(summary.headline), "strong", tone),
        Text(printable(summary.detail.partition(" Time grows:")[0])),
    ]
    for axis in axes_of(summary):
        blocks += [Heading(f"Along {axis} ({held_text(summary, axis)})")]
        blocks += [_size_table(summary, axis), _growth_table(summary, axis)]
    blocks += [
        Text(printable(text), "note", "unsure") for text in summary.stops["sentence"]
    ]
    return Terminal((*blocks, *remarks(summary.warnings)))


def _size_table(summary: Summary, axis: str) -> Table:
    """Return times and ratios of both operations, a few sizes one below the other."""
    table = _with_agreement(summary, axis)
    rows = []
    for size in some_of(sorted(set(table["size"]))):
        shown = _by_operation(
            table.loc[table["size"] == size], ("seconds", "ratio", "speed", "agreement")
        )
        for place, name in enumerate(n for n in summary.implementations if n in shown):
            row = {"size": count(size) if place == 0 else "", "implementation": name}
            rows.append({**row, **shown[name]})

    def ratio(value: float, speed: str) -> str:
        return ratio_text(value, speed, digits=2)

    columns = (
        Column(SYMBOLS[axis], "size", width=9, align="right"),
        Column("", "implementation", _names(summary, NAME_WIDTH), width=NAME_WIDTH),
        Column("fit", "fit seconds", seconds, width=8, align="right"),
        Column("× ref.", ("fit ratio", "fit speed"), ratio, width=9, align="right"),
        Column("predict", "predict seconds", seconds, width=8, align="right"),
        Column("× ref.", ("predict ratio", "predict speed"), ratio, width=9, align="right"),
        Column("same labels", "fit agreement", agreement_text, align="right"),
    )
    return Table("", rows, columns)


def _growth_table(summary: Summary, axis: str) -> Table:
    shown = _by_operation(_along(summary.exponents, axis), ("exponent", "low", "high"))
    rows = [
        {"size": "", "implementation": name, "axis": axis, **shown[name]}
        for name in summary.implementations
    ]
    columns = (
        Column("growth", "size", width=9),
        Column("", "implementation", _names(summary, NAME_WIDTH), width=NAME_WIDTH),
        Column("fit", ("fit exponent", "axis"), power, width=8),
        Column("95 %", ("fit low", "fit high"), power_interval, width=15),
        Column("predict", ("predict exponent", "axis"), power, width=8),
        Column("95 %", ("predict low", "predict high"), power_interval),
    )
    return Table("", rows, columns)


def _by_operation(table: pd.DataFrame, columns: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the values of both operations in one row for each implementation."""
    missing = {
        f"{one} {column}": math.nan for one in SCALE_OPERATIONS for column in columns
    }
    found: dict[str, dict[str, Any]] = {}
    for row in table.to_dict("records"):
        values = {f"{row['operation']} {column}": row[column] for column in columns}
        found.setdefault(row["implementation"], dict(missing)).update(values)
    return found


def _tiles(summary: Summary) -> tuple[Tile, ...]:
    names = short_names(summary.implementations, 28)
    competitors = {name: names[name] for name in summary.implementations[1:]}
    axis = axes_of(summary)[0]

    return (
        Tile.of("Labels like the reference's", competitors, partial(_label_fact, summary)),
        Tile.of(
            f"Time over that of {names[summary.reference]}",
            competitors,
            partial(_ratio_fact, summary, axis),
        ),
        Tile.of(f"Growth of fit with {axis}", names, partial(_growth_fact, summary, axis)),
        Tile.of(
            "Most memory beyond the arrays", names, partial(_memory_fact, summary, axis)
        ),
    )


def _label_fact(summary: Summary, name: str) -> tuple[str, str]:
    table = summary.agreement
    compared = table.loc[(table["implementation"] == name) & (table["n_test"] > 0)]
    if compared.empty:
        return DASH, "no labels to compare"
    rows, differing = compared["n_test"].sum(), compared["disagreements"].sum()
    detail = f"{count(differing)} of {count(rows)} labels differ, {len(compared)} points"
    return share(float(1 - differing / rows)), detail


def _ratio_fact(summary: Summary, axis: str, name: str) -> tuple[str, str]:
    table = _of(summary.times, axis, name)
    table = table.loc[table["ratio"].notna()]
    if table.empty:
        return DASH, "not timed beside it"
    last = table.loc[table["size"] == table["size"].max()]
    ratios = {
        row["operation"]: ratio_text(row["ratio"], row["speed"])
        for row in last.to_dict("records")
    }
    texts = "; ".join(f"{operation} {text}" for operation, text in ratios.items())
    return next(iter(ratios.values())), f"{texts}, {_at_largest(table, axis)}"


def _growth_fact(summary: Summary, axis: str, name: str) -> tuple[str, str]:
    table = _of(summary.exponents, axis, name)
    row: Row = table.loc[table["operation"] == "fit"].iloc[0].to_dict()
    if pd.isna(row["exponent"]):
        return DASH, "too few sizes"
    ends = power_interval(row["low"], row["high"])
    interval = "no interval" if ends == DASH else ends
    sizes = f"{SYMBOLS[axis]} = {count(row['first'])} to {count(row['last'])}"
    return power(row["exponent"], axis), f"{interval}; {sizes}"


def _memory_fact(summary: Summary, axis: str, name: str) -> tuple[str, str]:
    table = _of(summary.memory, axis, name)
    if table.empty:
        return DASH, "not measured"
    last = table.loc[table["size"] == table["size"].max()]
    largest: Row = last.sort_values("traced_multiple").iloc[-1].to_dict()
    where = f"in {largest['operation']}, {_at_largest(table, axis)}"
    return multiple(largest["traced_multiple"]), where


def _along(table: pd.DataFrame, axis: str) -> pd.DataFrame:
    return table.loc[table["axis"] == axis]


def _of(table: pd.DataFrame, axis: str, name: str) -> pd.DataFrame:
    return table.loc[(table["axis"] == axis) & (table["implementation"] == name)]


def _at_largest(table: pd.DataFrame, axis: str) -> str:
    return f"at {SYMBOLS[axis]} = {count(float(table['size'].max()))}"


def _names(summary: Summary, width: int = 40) -> Callable[[str], str]:
    return short_names(summary.implementations, width).__getitem__


def _fitted_over(points: float, first: float, last: float, axis: str) -> str:
    if points < 2:
        return DASH
    return f"{SYMBOLS[axis]} = {count(first)} to {count(last)}, {count(points)} sizes"


def _seconds_range(low: float, high: float) -> str:
    return f"{seconds(low)} to {seconds(high)}"


def _megabytes(n_bytes: float) -> str:
    return significant(n_bytes / 1e6)


def _many(number: float) -> str:
    """Return a large number with three significant digits."""
    for size, word in ((1e9, "billion"), (1e6, "million"), (1e3, "thousand")):
        if number >= size:
            return f"{significant(number / size)} {word}"
    return significant(number)


def power(value: float, axis: str) -> str:
    """Return a size to a power."""
    return DASH if math.isnan(value) else f"{SYMBOLS[axis]}^{decimal(value, 2)}"


def power_interval(low: float, high: float) -> str:
    """Return the interval of an exponent."""
    if math.isnan(low) or math.isnan(high):
        return DASH
    return f"{decimal(low, 2)} to {decimal(high, 2)}"


def ratio_text(ratio: float, speed: str, digits: int = 3) -> str:
    """Return a ratio of times, in brackets where it is not separated from 1."""
    if math.isnan(ratio):
        return DASH
    text = f"{significant(ratio, digits)}\N{NO-BREAK SPACE}×"
    return f"({text})" if speed == "not separated" else text


def agreement_text(agreement: float) -> str:
    """Return the share of equal labels, marked where some differ."""
    if math.isnan(agreement):
        return DASH
    return share(agreement) if agreement == 1.0 else f"✗ {share(agreement)}"


def multiple(value: float) -> str:
    """Return bytes as a multiple of X."""
    if math.isnan(value):
        return DASH
    return f"{significant(value, 2)}\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}X"
