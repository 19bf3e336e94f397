"""The parts that reports of comparisons share: verdicts, times and remarks."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial

import pandas as pd

from gnbbench import words
from gnbbench.records import OPERATIONS
from gnbbench.report import blocks
from gnbbench.report.sections import (
    TONES,
    data_and_remarks,
    data_section,
    failures,
    grouped,
    method_section,
    named_values,
    remarks,
    study_document,
    worst_tone,
)
from gnbbench.statistics import verdicts as outcomes
from gnbbench.statistics.summary import Lookup, Summary, Verdict
from gnbbench.statistics.timing import factor_text, speed_parts, speed_text, timed_text

NAME_WIDTH = 40  # Of a column
CLIP = words.significant(2.0**-52, 2)  # Smaller probabilities are clipped for the log loss
NOTHING = (words.DASH, "no labels to compare")
NOISY_CHANGES = {"not separated": " (within noise)", "too noisy": " (too noisy to tell)"}

NamedFact = Callable[[str], tuple[str, str]]


def comparison_document(
    summary: Summary,
    runs: str,
    *,
    facts: Mapping[str, NamedFact],
    terminal: Iterator[blocks.Block],
    sections: Sequence[blocks.Section],
    prose: str,
    values: Mapping[str, str] | None = None,
    **contents: str | None,
) -> blocks.Document:
    """Return the report of a comparison with these tiles and sections."""
    judged = verdicts(summary)
    dataset = words.printable(summary.dataset.name)
    reference, *others = words.short_names(summary.implementations, NAME_WIDTH).values()
    folded = (blocks.Fold(f"Every verdict ({len(judged)})", (blocks.Verdicts(judged),)),)
    known = outcomes.equivalence_values(summary.margin, len(others))
    bound = "" if summary.is_sweep else outcomes.bound_on_rows(summary.agreement)
    margins = outcomes.smallest_margins(summary.differences)
    known["row_bounds"] = f"{bound} {margins}".strip()
    known |= {"n_samples": words.count(summary.dataset.n_samples), **(values or {})}
    method = method_section(
        summary, blocks.Prose(prose, known), blocks.Prose("comparisons"), machine=None
    )
    return study_document(
        summary,
        subject=dataset,
        tone=worst_tone(verdict.tone for verdict in judged),
        band=band(judged),
        setting=f"{words.listing(others)} against {reference} on {dataset}: {runs}.",
        tiles=_tiles(summary, facts),
        terminal=terminal,
        sections=(
            blocks.Section.of("Verdicts", folded if len(judged) > 1 else (), "verdict"),
            *sections,
            blocks.Section.of("Faulty runs", failures(summary.runs), "failures"),
            blocks.Section.of("Remarks", remarks(_of_study(summary))),
            data_section(summary.dataset),
            method,
        ),
        **contents,
    )


def _of_study(summary: Summary) -> list[str]:
    """Return the remarks found neither in the verdicts nor in the section on time."""
    elsewhere = {*summary.details["timing_remarks"], *summary.details["failures"]}
    return [text for text in summary.warnings if text not in elsewhere]


def since_last(summary: Summary, *, brief: bool = False) -> str:
    """Return what changed since the last study of the plan; empty without one.

    In brief, or for several implementations, only times beyond noise are named.
    """
    last = summary.details["last_study"]
    if last is None or not last["labels"]:
        return ""
    several = len(last["labels"]) > 1
    times: dict[str, list[str]] = {}
    for row in last["times"]:
        noise = NOISY_CHANGES.get(row["speed"], "")
        change = words.factor(row["change"], *(() if noise else (row["low"], row["high"])))
        whose = f"{row['implementation']}: " if several else ""
        times.setdefault(noise, []).append(f"{whose}{row['operation']} {change}")
    texts = [
        f"times{noise}" if noise and (brief or several) else words.listing(changes) + noise
        for noise, changes in sorted(times.items())
    ]
    if last["environment"]:
        texts = [f"times are not compared ({last['environment'][0].removesuffix('.')})"]
    moved = {name: n for name, n in last["labels"].items() if n[0] != n[1]}
    for name, (then, now) in (moved if several else last["labels"]).items():
        counted = f"{words.plural(now, 'label') if now else 'no label'} differ"
        before = "as before" if then == now else f"{words.count(then)} before"
        text = f"{counted}{'s' if now < 2 else ''}, {before}"
        texts.append(f"{name}: {text}" if several else text)
    if several and not moved:
        texts.append("as many labels differ as before")
    taken = last["taken"].partition(",")[0] if brief else last["taken"]
    since = f"Change since {taken or 'the last study'}"
    return words.printable(f"{since}, relative to {summary.reference}: {'; '.join(texts)}.")


def all_remarks(summary: Summary) -> Iterator[blocks.Text]:
    """Yield the remarks for a terminal; those on the times are merged."""
    if changes := since_last(summary):
        yield blocks.Text(changes)
    yield from data_and_remarks(summary, _of_study(summary))
    if of_times := grouped(summary.details["timing_remarks"]):
        yield blocks.Text(words.printable(" ".join(of_times)), "note", "unsure")


def _tiles(summary: Summary, facts: Mapping[str, NamedFact]) -> Iterator[blocks.Tile]:
    """Yield a tile for each title, with the reference filled in, then one on time."""
    names = words.short_names(summary.implementations, 28)
    others = {name: names[name] for name in summary.implementations[1:]}
    ratios, times = summary.lookup("ratios"), summary.lookup("timing")

    def speed(name: str) -> tuple[str, str]:
        value, ends = speed_parts(*_speed(ratios, name, "fit"))
        is_timed = times.number("median_seconds", name, "fit") > 0
        none = NOTHING[1] if is_timed else "not timed"
        return value, none if value == words.DASH else ends

    for title, fact in {**facts, "Time to fit, against {}": speed}.items():
        yield blocks.Tile.of(title.format(names[summary.reference]), others, fact)


def _speed(ratios: Lookup, *key: str) -> tuple[float, float, float, str]:
    """Return the ratio to the reference's time, its interval and the name of the result."""
    return *ratios.triple("ratio", *key), ratios.text("speed", *key)


def why(summary: Summary) -> Iterator[blocks.Block]:
    """Yield the commands that explain what differs; nothing if all labels are equal."""
    yield from to_explain(summary.details.get("explained_by", {}).values())


def to_explain(commands: Iterable[str]) -> Iterator[blocks.Block]:
    """Yield commands to type if labels differ."""
    if commands := list(commands):
        yield blocks.Text("To find out why labels differ:")
        yield blocks.Snippet("\n".join(commands))


def leads(summary: Summary) -> Iterator[blocks.Block]:
    """Yield two lines on each competitor: labels and time, then the numbers."""
    names = words.short_names(summary.implementations, NAME_WIDTH)
    ratios = summary.lookup("ratios")
    reference = names[summary.reference]
    for verdict in summary.verdicts:
        name, text = verdict.implementation, verdict.sentence
        timed = timed_text("fit", *_speed(ratios, name, "fit"))
        head = f"not identical to {reference}"
        if verdict.outcome == "failed":
            head, text = f"no labels to compare with {reference}", ""
        elif verdict.outcome == "identical":
            where, _, text = text.partition("; ") if verdict.is_partial else ("", "", text)
            head = f"same labels as {reference}{where.removeprefix('Same labels')}"
            text = text[:1].upper() + text[1:]
        else:
            text = text.removeprefix(outcomes.NOT_IDENTICAL)
        lead = f"{names[name]}: {head}{'' if timed.endswith(words.DASH) else f'; {timed}'}"
        yield blocks.Text(lead, "strong", tone_of(verdict))
        yield blocks.Text(words.printable(f"{text} {verdict.detail}".strip()))
    yield from why(summary)


def tone_of(verdict: Verdict) -> str:
    """Return the tone of a verdict; a partial comparison is never good."""
    tone = TONES[verdict.outcome]
    return "unsure" if tone == "good" and verdict.is_partial else tone


def verdicts(summary: Summary) -> list[blocks.VerdictLine]:
    """Return the verdict on each competitor."""
    names = words.short_names(summary.implementations, 60)
    columns = summary.overall if summary.is_sweep else summary.agreement
    largest = columns.set_index("implementation")["max_probability_difference"]
    return [
        blocks.VerdictLine(
            names[verdict.implementation],
            outcomes.outcome_text(verdict.outcome, float(largest[verdict.implementation])),
            tone_of(verdict),
            words.printable(verdict.sentence),
            words.printable(verdict.detail),
        )
        for verdict in summary.verdicts
    ]


def band(judged: Sequence[blocks.VerdictLine]) -> tuple[blocks.Block, ...]:
    """Return the line below the headline: the effect of a single competitor on accuracy.

    If labels are the same, the tiles say all there is.
    """
    if len(judged) > 1 or judged[0].outcome in ("identical", "same labels"):
        return ()
    return (blocks.Text(judged[0].detail),)


def means(summary: Summary, metrics: Iterable[str]) -> pd.DataFrame:
    """Return the mean of each metric and implementation, and its change, in that order.

    A change is the difference from the reference, whose own outcome is "reference".
    """
    order: dict[str, Sequence[Hashable]] = {
        **({"fraction": summary.fractions} if summary.is_sweep else {}),
        "metric": list(metrics),
        "implementation": summary.implementations,
    }
    names = {"mean": "change", "low": "change_low", "high": "change_high"}
    changes = summary.differences.drop(columns="runs").rename(columns=names)
    table = summary.metrics.merge(changes, on=list(order), how="left")
    rows = pd.MultiIndex.from_product(list(order.values()), names=list(order))
    table = table.set_index(list(order)).reindex(rows).reset_index()
    is_reference = table["implementation"] == summary.reference
    return table.assign(outcome=table["outcome"].mask(is_reference, "reference"))


def clip_text(summary: Summary) -> str:
    """Return how many predictions were clipped for the log loss; empty for none."""
    metrics = summary.lookup("metrics")
    names = words.short_names(summary.implementations, NAME_WIDTH)
    clipped = []
    for name in summary.implementations:
        mean, runs = (metrics.number(of, name, "n_clipped") for of in ("mean", "runs"))
        if mean > 0.0:
            part, whole = round(mean * runs), round(runs) * summary.n_test
            clipped.append(f"{words.counted(part, whole, 'prediction')} of {names[name]}")
    if not clipped:
        return ""
    return (
        f"For the log loss, a probability of the true class below {CLIP} counts as {CLIP}: "
        f"{words.listing(clipped, 8)}."
    )


def time_section(
    summary: Summary,
    passes: Sequence[blocks.Block] = (),
    memory: Sequence[blocks.Block] = (),
) -> blocks.Section:
    """Return what one call costs, and how that was measured."""
    taken = summary.details["timing_taken"]
    again = "--overwrite" if summary.is_streamed else "--remeasure"
    remarks = [*grouped(summary.details["timing_remarks"]), since_last(summary)]
    shown = words.printable(" ".join(filter(None, remarks)))
    regime = f"{summary.timing_regime} {summary.environment['threads']}"
    regime += f" Taken {taken}; {again} repeats the timing." if taken else ""
    machine = (
        blocks.Text(words.printable(regime)),
        blocks.Facts(named_values(summary.environment["machine"])),
    )
    tables = _ratios(summary), blocks.Table.named("times", summary.timing)
    contents = (
        blocks.Figure.of("timing", summary),
        *passes,
        *(table for table in tables if len(table)),
        *([blocks.Text(shown, "muted")] if shown else []),
        blocks.Fold("Timing method and machine", machine),
        *memory,
    )
    return blocks.Section.of("Time", contents)


def _ratios(summary: Summary) -> blocks.Table:
    """Return paired ratios with interval, noise floor and remarks."""

    def over_processes(low: float, high: float, processes: float) -> str:
        return f"{words.span(low, high)} in {words.count(processes)}"

    several = (summary.ratios["processes"] > 1).any()
    return blocks.Table.named(
        "ratios",
        summary.ratios,
        without=() if several else ("over processes",),
        over_processes=over_processes,
        factor_text=factor_text,
        two_digits_after_the_point=partial(words.decimal, digits=2),
    )


def in_short(
    summary: Summary, name: str, rows: Sequence[Sequence[str]], last: str
) -> blocks.Table:
    """Return the terminal's table of one competitor beside the reference."""
    names = words.short_names(summary.implementations, NAME_WIDTH)
    columns = (
        blocks.Column("", "what", whole=True),
        blocks.Column(names[summary.reference], "reference", align="right"),
        blocks.Column(names[name], "own", align="right"),
        blocks.Column(last, "last"),
    )
    keys = ("what", "reference", "own", "last")
    return blocks.Table("", [dict(zip(keys, row, strict=True)) for row in rows], columns)


def time_rows(summary: Summary, name: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield the terminal's lines on the times of one competitor, where any was measured."""
    times, ratios = summary.lookup("timing"), summary.lookup("ratios")
    for operation in OPERATIONS:
        reference, own = (
            words.seconds(times.number("median_seconds", who, operation))
            for who in (summary.reference, name)
        )
        if {reference, own} != {words.DASH}:
            yield operation, reference, own, speed_text(*_speed(ratios, name, operation))


def part_of(part: float, whole: float) -> str:
    """Return the part of a whole in words; a dash if the whole is zero."""
    return f"{words.count(part)} of {words.count(whole)}" if whole > 0 else words.DASH


def pairs_that_differ(pairs: pd.DataFrame, reference: str) -> Iterator[blocks.Table]:
    """Yield a table of the pairs of labels that differ, the most frequent first."""
    differ = (pairs["reference_label"] != pairs["label"]) & (pairs["count"] > 0)
    if differ.any():
        rows = pairs[differ].sort_values("count", ascending=False, kind="stable")
        yield blocks.Table.named("pairs", rows, reference=reference)


def these(n_compared: int, planned: int, unit: str = "run") -> str:
    """Name the runs in which two were compared."""
    if n_compared < planned:
        return f"the {words.plural(n_compared, unit)} compared"
    few = {1: f"this {unit}", 2: f"both {unit}s"}
    return few.get(planned, f"all {words.plural(planned, unit)}")


def change_text(value: float, low: float, high: float, outcome: str, mark: str = "") -> str:
    """Return a difference with its interval; its outcome if there is none."""
    if outcome in ("reference", "identical"):
        return outcome
    return words.interval(value, low, high, signed=True) + mark
