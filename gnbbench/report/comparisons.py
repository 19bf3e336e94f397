"""What the reports of comparisons have in common: verdicts, time, and whom they are of."""

import math
import shlex
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from gnbbench.records import OPERATIONS
from gnbbench.report.blocks import (
    Attachment,
    Block,
    Code,
    Column,
    Document,
    Facts,
    Figure,
    Fold,
    Prose,
    Section,
    Table,
    Terminal,
    Text,
    Tile,
    Verdict,
    Verdicts,
)
from gnbbench.report.lookup import Lookup
from gnbbench.report.sections import (
    FILES,
    data_section,
    failures,
    in_one_line,
    method_section,
    named_values,
    plan_facts,
    remarks,
    worst_tone,
)
from gnbbench.statistics.documents import document
from gnbbench.statistics.summary import Summary
from gnbbench.statistics.timing import speed_text
from gnbbench.statistics.verdicts import outcome_text
from gnbbench.words import (
    DASH,
    count,
    decimal,
    interval,
    listing,
    printable,
    seconds,
    short_names,
    significant,
    span,
)

WITH_CAUSES = ("different", "cannot tell", "equivalent")
TONES = {
    "failed": "bad",
    "different": "bad",
    "cannot tell": "unsure",
    "equivalent": "good",
    "identical": "good",
}
OPERATIONS_OF_PASSES = {"training": "partial_fit", "scoring": "predict"}
NAME_WIDTH = 11  # Of a column in a terminal


NOTHING = (DASH, "no labels to compare")

NamedFact = Callable[[str], tuple[str, str]]


def comparison_document(
    summary: Summary,
    runs: str,
    *,
    facts: Mapping[str, NamedFact],
    terminal: Iterator[Block],
    sections: Sequence[Section],
    method: Section,
    attachments: Sequence[Attachment] = (),
) -> Document:
    """Return the report of a comparison, with tiles and sections of its own."""
    found = verdicts(summary)
    dataset = printable(summary.dataset.name)
    reference, *others = short_names(summary.implementations, 40).values()
    of_times = summary.details["timing_remarks"]
    warnings = [text for text in summary.warnings if text not in of_times]
    each = (Verdicts(found),) if len(found) > 1 else ()  # one stands in the band
    verdict = (*each, *failures(summary.runs))
    return Document(
        study=summary.study,
        subject=dataset,
        headline=summary.headline,
        tone=worst_tone([verdict.tone for verdict in found]),
        band=band(found),
        setting=f"{listing(others)} against {reference} on {dataset}: {runs}.",
        tiles=_tiles(summary, facts),
        blocks=(
            Terminal(tuple(terminal)),
            Section("verdict", "Verdict", verdict),
            *(_with_why(section, summary) for section in sections),
            Section("remarks", "Remarks", remarks(warnings)),
            data_section(summary.dataset),
            method,
            FILES,
        ),
        payload=document(summary),
        attachments=(
            Attachment("runs.csv", summary.runs, "one row per run and implementation"),
            *attachments,
        ),
    )


def _tiles(summary: Summary, facts: Mapping[str, NamedFact]) -> tuple[Tile, ...]:
    """Return a tile for each title, whose braces take the reference; then that on time."""
    names = short_names(summary.implementations, 28)
    reference = names[summary.reference]
    others = {name: names[name] for name in summary.implementations[1:]}
    ratios = Lookup(summary.ratios, "implementation", "operation")

    def speed(name: str) -> tuple[str, str]:
        text = speed_text(*_speed(ratios, name, "fit"))
        if text == DASH:
            return DASH, "not timed"
        value, _, ends = text.partition(" (")
        floor = f"noise floor {_ends(ratios, 'floor', name, 'fit')}"
        return value, f"{ends.removesuffix(')')}; {floor}" if ends else floor

    every = {**facts, "Time to fit, against {}": speed}
    return tuple(
        Tile.of(title.format(reference), others, fact) for title, fact in every.items()
    )


def _speed(ratios: Lookup, name: str, operation: str) -> tuple[float, float, float, str]:
    """Return what `speed_text` takes."""
    return *ratios.triple("ratio", name, operation), ratios.text("speed", name, operation)


def explain_command(summary: Summary, name: str) -> str:
    """Return what is typed to learn why labels differ; empty where nothing can be typed."""
    plan = summary.plan
    data = dict(plan.get("dataset_options") or {})
    typed = dict(plan.get("specifications") or {})
    source, known = data.pop("source", None), {*plan.get("against", ())}
    if source is None or summary.details.get("streamed") or name not in known:
        return ""
    words = ["gnbbench", "explain", str(source), "--against", typed.get(name, name)]
    if summary.reference != "sklearn":
        words += ["--reference", typed.get(summary.reference, summary.reference)]
    for key, value in data.items():
        flag = "--" + ("data-seed" if key == "seed" else key.replace("_", "-"))
        if isinstance(value, bool):
            words.append(flag if value else flag.replace("--", "--no-"))
        elif value is not None:
            each = value if isinstance(value, list | tuple) else (value,)
            words += [word for item in each for word in (flag, str(item))]
    return _typed(words)


def _typed(words: Sequence[str]) -> str:
    """Return a command in lines of at most 78 characters, as a shell goes on with them."""
    lines = [""]
    for word in map(shlex.quote, words):
        if lines[-1] and len(lines[-1]) + len(word) > 75:
            lines[-1] += " \\"
            lines.append("   ")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines)


def _with_why(section: Section, summary: Summary) -> Section:
    """Return the section on agreement with the command that explains what differs."""
    if section.anchor != "agreement":
        return section
    return replace(section, blocks=(*section.blocks, *_why(summary)))


def _why(summary: Summary) -> Iterator[Block]:
    differing = [v.implementation for v in summary.verdicts if v.outcome in WITH_CAUSES]
    commands = list(filter(None, (explain_command(summary, name) for name in differing)))
    if commands:
        yield Text("To find out why labels differ:")
        yield Code("\n".join(commands))


def leads(summary: Summary) -> Iterator[Block]:
    """Return what a terminal says of each competitor: labels and time, then the numbers."""
    names = short_names(summary.implementations, 40)
    ratios = Lookup(summary.ratios, "implementation", "operation")
    reference = names[summary.reference]
    for verdict in summary.verdicts:
        name, text = verdict.implementation, verdict.sentence
        timed = speed_text(*_speed(ratios, name, "fit"))
        if timed != DASH:
            timed = f"; fit {timed}" if "×" in timed else f"; fit time {timed}"
        head = f"not identical to {reference}"
        if verdict.outcome == "failed":
            head, text = f"no labels to compare with {reference}", ""
        elif verdict.outcome == "identical":
            head = f"same labels as {reference}"
        else:
            text = text.partition(": ")[2]
        tone = TONES[verdict.outcome]
        lead = f"{names[name]}: {head}{'' if timed == DASH else timed}"
        yield Text(lead, "strong", tone)
        yield Text(printable(f"{text} {verdict.detail}".strip()))
    yield from _why(summary)


def verdicts(summary: Summary) -> list[Verdict]:
    """Return what is concluded of each competitor."""
    names = short_names(summary.implementations, 60)
    columns = summary.overall if summary.is_sweep else summary.agreement
    largest = columns.set_index("implementation")["max_probability_difference"]
    return [
        Verdict(
            names[verdict.implementation],
            outcome_text(verdict.outcome, float(largest[verdict.implementation])),
            TONES[verdict.outcome],
            printable(verdict.sentence),
            printable(verdict.detail),
        )
        for verdict in summary.verdicts
    ]


def band(found: Sequence[Verdict]) -> tuple[Block, ...]:
    """Return what stands below the headline: the detail of the only verdict."""
    return tuple(Text(verdict.detail) for verdict in found if len(found) == 1)


def means(summary: Summary, metrics: Sequence[str]) -> pd.DataFrame:
    """Return the mean of each metric and implementation, and its change, in that order.

    A change is the difference from the reference, whose own outcome is "reference".
    """
    order: dict[str, Sequence[Hashable]] = {
        **({"fraction": summary.fractions} if summary.is_sweep else {}),
        "metric": metrics,
        "implementation": summary.implementations,
    }
    names = {"mean": "change", "low": "change_low", "high": "change_high"}
    changes = summary.differences.drop(columns="runs").rename(columns=names)
    table = summary.metrics.merge(changes, on=list(order), how="left")
    rows = pd.MultiIndex.from_product(list(order.values()), names=list(order))
    table = table.set_index(list(order)).reindex(rows).reset_index()
    is_reference = table["implementation"] == summary.reference
    return table.assign(outcome=table["outcome"].mask(is_reference, "reference"))


def time_section(
    summary: Summary, passes: Sequence[Block] = (), memory: Sequence[Block] = ()
) -> Section:
    """Return what one call costs, and how that was measured."""
    blocks: list[Block] = [
        Text(
            "What does one call cost, and is the difference larger than the noise of this "
            "machine?"
        ),
        Figure.of("timing", summary),
        *passes,
    ]
    tables = (_ratios(summary), _times(summary))
    blocks += [Fold.of(table) for table in tables if len(table)]
    environment = summary.environment
    how = (
        summary.timing_regime,
        environment["threads"],
        in_one_line(summary.details["timing_remarks"]),
    )
    blocks.append(Text(printable(" ".join(how)), "muted"))
    blocks.append(Fold("Machine", (Facts(named_values(environment["machine"])),)))
    return Section("time", "Time", (*blocks, *memory))


def _times(summary: Summary) -> Table:
    """Return quantiles and means of single calls, per operation and implementation."""
    kinds = ("median", "p5", "p95", "minimum", "mean", "standard_deviation")
    columns = (
        Column("operation"),
        Column("implementation"),
        *(Column(kind.replace("_", " "), f"{kind}_seconds", seconds) for kind in kinds),
        Column("first call (cold)", "cold_seconds", seconds),
        Column("rounds", show=count),
    )
    return Table("Time of one call", summary.timing, columns)


def _ratios(summary: Summary) -> Table:
    """Return paired ratios with interval, noise floor and remarks."""
    repeated = bool((summary.ratios["processes"] > 1).any())
    of_processes = ("process_low", "process_high", "processes")
    columns = (
        Column("operation"),
        Column("implementation"),
        Column("ratio", show=significant),
        Column("95 % interval", ("low", "high"), span),
        *([Column("over processes", of_processes, _processes)] if repeated else []),
        Column("noise floor", ("floor_low", "floor_high"), span),
        Column("in words", ("ratio", "speed"), _in_words),
        Column("outliers", show=count),
        Column("ties", show=count),
        Column("lag-1 autocorrelation", "autocorrelation", _two_digits),
    )
    return Table("Time over that of the reference, paired", summary.ratios, columns)


def _processes(low: float, high: float, processes: float) -> str:
    return f"{span(low, high)} in {count(processes)}"


def _in_words(ratio: float, speed: str) -> str:
    return speed_text(ratio, math.nan, math.nan, speed)


def _two_digits(value: float) -> str:
    return decimal(value, 2)


def comparison_method(
    summary: Summary, prose: str, values: Mapping[str, str] | None = None
) -> Section:
    """Return the method of a comparison: how runs are made, then what all share."""
    known = {
        "n_samples": count(summary.dataset.n_samples),
        "margin": decimal(summary.margin, 3),
        **(values or {}),
    }
    texts = (Prose(prose, known), Prose("comparisons"))
    return method_section(
        summary.command, texts, plan_facts(summary.plan), summary.environment
    )


def in_short(
    summary: Summary, name: str, rows: Sequence[Sequence[str]], last: str
) -> Table:
    """Return what a terminal shows of one competitor: its rows, beside the reference's."""
    names = short_names(summary.implementations, NAME_WIDTH)
    columns = (
        Column("", "what", width=17, whole=True),
        Column(names[summary.reference], "reference", width=NAME_WIDTH, align="right"),
        Column(names[name], "own", width=NAME_WIDTH, align="right"),
        Column(last, "last"),
    )
    keys = ("what", "reference", "own", "last")
    return Table("", [dict(zip(keys, row, strict=True)) for row in rows], columns)


def time_rows(summary: Summary, name: str) -> Iterator[tuple[str, str, str, str]]:
    """Return the lines of a terminal on the times of one competitor."""
    times = Lookup(summary.timing, "implementation", "operation")
    ratios = Lookup(summary.ratios, "implementation", "operation")
    for operation in OPERATIONS:
        reference, own = (
            seconds(times.number("median_seconds", who, operation))
            for who in (summary.reference, name)
        )
        yield operation, reference, own, _ratio_text(ratios, name, operation)


def _ratio_text(ratios: Lookup, name: str, operation: str) -> str:
    text = speed_text(*_speed(ratios, name, operation))
    if text == DASH:
        return DASH
    text += f"\nratio {significant(ratios.number('ratio', name, operation))}; "
    text += f"floor {_ends(ratios, 'floor', name, operation)}"
    if ratios.number("processes", name, operation) > 1:
        text += f"\nprocesses {_ends(ratios, 'process', name, operation)}"
    return text


def _ends(ratios: Lookup, column: str, *key: str) -> str:
    return span(*(ratios.number(f"{column}_{end}", *key) for end in ("low", "high")))


def part_of(part: float, whole: float) -> str:
    """Return how many of how many; a dash where there are none."""
    return f"{count(part)} of {count(whole)}" if whole > 0 else DASH


def change_text(value: float, low: float, high: float, outcome: str, mark: str = "") -> str:
    """Return a difference with its interval, or that there is none to be told."""
    if outcome in ("reference", "identical"):
        return outcome
    return interval(value, low, high, signed=True) + mark
