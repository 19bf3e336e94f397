"""The report of a scale study: time and memory against sizes."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pandas as pd

from gnbbench import words
from gnbbench.report import blocks
from gnbbench.report.sections import grouped, method_section, remarks, study_document
from gnbbench.statistics import scale
from gnbbench.statistics.intervals import medians_decide
from gnbbench.statistics.summary import Summary
from gnbbench.statistics.timing import UNRESOLVED, speed_parts

NAME_WIDTH = 40


def report(summary: Summary) -> blocks.Document:
    """Return the report of a scale study, for every renderer."""
    left_out = grouped(summary.stops["sentence"])
    stops = [blocks.Fold(f"Left out ({len(left_out)})", (blocks.Items(left_out, "stops"),))]
    reference, *others = words.short_names(summary.implementations, NAME_WIDTH).values()
    axes = scale.axes_of(summary)
    varied = f"varied, with {scale.held_text(summary, axes[0])}"
    if len(axes) > 1:
        varied = f"varied one at a time, the others held at {scale.held_text(summary)}"
    return study_document(
        summary,
        subject="gaussians",
        tone=_tone(summary),
        setting=(
            f"{words.listing(others)} against {reference}; {words.listing(axes)} {varied}."
        ),
        tiles=_tiles(summary),
        terminal=_terminal(summary),
        sections=(
            blocks.Section.of("Time", _times(summary)),
            blocks.Section.of("Growth", _growth(summary)),
            blocks.Section.of(
                "Left out and remarks" if left_out else "Remarks",
                (*stops[: len(left_out)], *remarks(summary.warnings)),
                "verdict",
            ),
            blocks.Section.of("Throughput", blocks.Figure.of("scale_throughput", summary)),
            blocks.Section.of("Memory", blocks.Figure.of("scale_memory", summary)),
            blocks.Section.of("Agreement", _agreement(summary)),
            _method(summary),
        ),
    )


def _tone(summary: Summary) -> str:
    """Return the tone: bad if labels differ or an implementation failed."""
    failed = ~summary.stops["status"].isin(["budget"])
    if len(scale.differing(summary.agreement)) or failed.any():
        return "bad"
    return "unsure" if summary.times.empty else "good"


def _times(summary: Summary) -> Iterator[blocks.Block]:
    for axis in scale.axes_of(summary):
        yield blocks.Heading(f"Against {axis}")
        yield blocks.Figure.of("scale_{}", summary, axis)
        if len(table := _time_table(summary, axis)):
            yield table


def _time_table(summary: Summary, axis: str, most: int | None = None) -> blocks.Table:
    """Return times, factors and equal labels, at all sizes or at a few."""
    keys = ["axis", "size", "implementation"]
    times = summary.times[summary.times["axis"] == axis]
    sizes = sorted(set(times["size"]))
    shown = times[times["size"].isin(scale.some_of(sizes, most or len(sizes)))]
    values = ["seconds", "ratio", "ratio_low", "ratio_high", "speed"]
    rows = _by_operation(shown, keys, values)
    rows = rows.merge(summary.agreement[[*keys, "agreement"]], "left", keys)
    order = {name: place for place, name in enumerate(summary.implementations)}
    rows = rows.sort_values(["size", "implementation"], key=lambda v: v.replace(order))
    names = words.short_names(summary.implementations, NAME_WIDTH)

    def factor(ratio: float, low: float, high: float, speed: str) -> str:
        """Return a factor with its interval on a separate line."""
        text, ends = speed_parts(ratio, low, high, speed)
        if text == UNRESOLVED["not separated"]:
            return "unclear"
        text = text.replace("noisy ", "noisy\n").replace(", but", ",\nbut")
        return f"{text}\n({ends})" if ends else text

    columns = [
        blocks.Column("implementation", show=names.__getitem__),
        blocks.Column(scale.SYMBOLS[axis], "size", words.count, align="right"),
    ]
    for operation in scale.SCALE_OPERATIONS:
        ratio = tuple(f"{operation} {value}" for value in values[1:])
        columns += [
            blocks.Column(operation, f"{operation} seconds", words.seconds, align="right"),
            blocks.Column(f"against {names[summary.reference]}", ratio, factor),
        ]
    columns.append(blocks.Column("labels", "agreement", agreement_text, align="right"))
    caption = f"Time against {axis} ({scale.held_text(summary, axis)})"
    return blocks.Table(caption, rows, tuple(columns))


def _by_operation(table: pd.DataFrame, keys: list[str], columns: list[str]) -> pd.DataFrame:
    """Return the values of both operations in one row for each implementation."""
    rows = table[keys].drop_duplicates()
    for operation in scale.SCALE_OPERATIONS:
        of = table.loc[table["operation"] == operation, [*keys, *columns]]
        names = {column: f"{operation} {column}" for column in columns}
        rows = rows.merge(of.rename(columns=names), "left", keys)
    return rows


def _growth(summary: Summary) -> tuple[blocks.Table, ...]:
    """Return how time grows along each axis that has at least three sizes, if any has."""
    known = summary.exponents[summary.exponents["low"].notna()]
    keys, columns = ["axis", "implementation"], ["exponent", "low", "high"]
    sizes = known[[*keys, "points", "first", "last"]].drop_duplicates(keys)
    rows = _by_operation(known, keys, columns).merge(sizes, "left", keys)
    names = words.short_names(summary.implementations, NAME_WIDTH)
    powers = (
        blocks.Column(
            f"{name} grows as", (*(f"{name} {value}" for value in columns), "axis"), power
        )
        for name in scale.SCALE_OPERATIONS
    )
    between = blocks.Column("between", ("points", "first", "last", "axis"), _fitted_over)
    name = blocks.Column("implementation", show=names.__getitem__)
    columns_shown = (name, *powers, between)
    table = blocks.Table("How time grows", rows, columns_shown, blocks.note("exponents"))
    return (table,) if len(table) else ()


def _agreement(summary: Summary) -> Iterator[blocks.Block]:
    yield blocks.Text(words.printable(summary.details["labels"]))
    if len(summary.agreement):
        name, rows = "labels_by_size", summary.agreement
        table = blocks.Table.named(name, rows, agreement_text=agreement_text)
        yield blocks.Fold.of(table)


def _method(summary: Summary) -> blocks.Section:
    plan, sizes = summary.plan, []
    for axis in scale.AXES:
        grid = plan["axes"][axis]
        listed = ", ".join(words.count(size) for size in grid["sizes"])
        held = f"held at {words.count(grid['held'])}"
        text = f"{listed}; {held} while another varies" if listed else held
        sizes.append((f"{axis} ({scale.SYMBOLS[axis]})", text))
    n_processes = int(plan["processes"])
    processes = words.plural(n_processes, "fresh process", "fresh processes")
    by_medians = medians_decide(n_processes, 1)
    return method_section(
        summary,
        blocks.Prose("scale", {"processes": processes, "by_medians": by_medians}),
        plan={name: value for name, value in plan.items() if name != "axes"},
        before=(blocks.Heading("Sizes"), blocks.Facts(sizes)),
        machine=f"{summary.timing_regime} {summary.environment['threads']}",
    )


def _terminal(summary: Summary) -> Iterator[blocks.Block]:
    """Yield the finding, some sizes of each axis, and how time grows along it."""
    tone = "bad" if len(scale.differing(summary.agreement)) else "good"
    yield blocks.Text(words.printable(summary.headline), "strong", tone)
    yield blocks.Text(words.printable(summary.details["labels"]))
    for axis in scale.axes_of(summary):
        table = _time_table(summary, axis, most=4)
        if len(table):
            yield blocks.Heading(f"Along {axis} ({scale.held_text(summary, axis)})")
            yield replace(table, columns=table.columns[:-1])
    yield from _growth(summary)
    for text in grouped(summary.stops["sentence"]):
        yield blocks.Text(words.printable(text), "note", "unsure")
    yield from remarks(summary.warnings)


def _tiles(summary: Summary) -> Iterator[blocks.Tile]:
    names = words.short_names(summary.implementations, 28)
    competitors = {name: names[name] for name in summary.implementations[1:]}
    axis, reference = scale.axes_of(summary)[0], names[summary.reference]
    for title, of, fact in (
        (f"Same labels as {reference}", competitors, _label_fact),
        (f"Time to fit, against {reference}", competitors, _speed_fact),
        (f"Time to fit at ten times the {axis}", names, _growth_fact),
        ("Memory beyond the input", names, _memory_fact),
    ):
        yield blocks.Tile.of(title, of, partial(fact, summary, axis))


def _label_fact(summary: Summary, _: str, name: str) -> tuple[str, str]:
    table = summary.agreement
    compared = table[(table["implementation"] == name) & (table["n_test"] > 0)]
    if compared.empty:
        return words.DASH, "no labels to compare"
    rows, n_differ = (int(compared[of].sum()) for of in ("n_test", "disagreements"))
    detail = f"{words.differ(n_differ, rows)}, {words.plural(len(compared), 'size')}"
    return words.share(1 - n_differ / rows), detail


def _speed_fact(summary: Summary, axis: str, name: str) -> tuple[str, str]:
    row = _largest(summary.times.dropna(subset="ratio"), axis, name, "fit")
    if row is None:
        return words.DASH, "not timed in pairs"
    ratio = (row[column] for column in ("ratio", "ratio_low", "ratio_high", "speed"))
    value, ends = speed_parts(*ratio)
    at = f"at {scale.SYMBOLS[axis]} = {words.count(row['size'])}"
    return value, f"{ends}, {at}" if ends else at


def _growth_fact(summary: Summary, axis: str, name: str) -> tuple[str, str]:
    row = _largest(summary.exponents.dropna(subset="low"), axis, name, "fit")
    if row is None:
        return words.DASH, "too few sizes"
    exponent = row["exponent"], row["low"], row["high"]
    text, ends = scale.tenfold_text(*exponent), _power_parts(*exponent, axis)
    detail = words.with_ends(*ends)
    return text, f"exponent {ends[1]}" if text == scale.TOO_NOISY else detail


def _memory_fact(summary: Summary, axis: str, name: str) -> tuple[str, str]:
    row = _largest(summary.memory.sort_values("traced_multiple"), axis, name)
    if row is None:
        return words.DASH, "not measured"
    where = f"in {row['operation']}, at {scale.SYMBOLS[axis]} = {words.count(row['size'])}"
    return multiple(row["traced_multiple"]), where


def _largest(
    table: pd.DataFrame, axis: str, name: str, *operation: str
) -> blocks.Row | None:
    """Return the last row of an implementation along an axis, at the largest size."""
    rows = table[(table["axis"] == axis) & (table["implementation"] == name)]
    rows = rows[rows["operation"].isin(operation or scale.SCALE_OPERATIONS)]
    if "size" in rows:
        rows = rows.sort_values("size", kind="stable")
    return None if rows.empty else rows.to_dict("records")[-1]


def _fitted_over(points: float, first: float, last: float, axis: str) -> str:
    sizes, symbol = words.plural(int(points), "size"), scale.SYMBOLS[axis]
    return f"{symbol} from {words.count(first)} to {words.count(last)}, {sizes}"


def power(value: float, low: float, high: float, axis: str) -> str:
    """Return the growth as a power of the size, with the exponent's interval."""
    return words.with_ends(*_power_parts(value, low, high, axis))


def _power_parts(value: float, low: float, high: float, axis: str) -> tuple[str, str]:
    if math.isnan(low):
        return words.DASH, ""
    ends = f"{words.decimal(low, 2)} to {words.decimal(high, 2)}"
    return scale.exponent_text(value, low, high, axis), ends


def agreement_text(agreement: float) -> str:
    """Return the share of equal labels, marked where some differ."""
    if math.isnan(agreement):
        return words.DASH
    return words.share(agreement) if agreement == 1.0 else f"✗ {words.share(agreement)}"


def multiple(value: float) -> str:
    """Return bytes as a multiple of X."""
    text = f"{words.significant(value, 2)}{words.SPACE}×{words.SPACE}X"
    return words.DASH if math.isnan(value) else text
