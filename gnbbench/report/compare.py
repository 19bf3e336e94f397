"""The report of a comparison at one train fraction, in memory or streamed."""

import math
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from gnbbench.records import METRICS
from gnbbench.report.blocks import (
    Attachment,
    Block,
    Column,
    Document,
    Figure,
    Fold,
    Heading,
    Section,
    Snippet,
    Table,
    Text,
    note,
)
from gnbbench.report.comparisons import (
    NAME_WIDTH,
    NOTHING,
    NamedFact,
    all_remarks,
    change_text,
    clip_text,
    comparison_document,
    in_short,
    leads,
    means,
    part_of,
    time_rows,
    time_section,
    why,
)
from gnbbench.report.sections import file_link, runs_each, runs_in_short
from gnbbench.statistics.documents import pyperf_text
from gnbbench.statistics.summary import Summary
from gnbbench.words import (
    DASH,
    EPSILON,
    NEGLIGIBLE,
    count,
    counted,
    data_size,
    decimal,
    interval,
    p_text,
    plural,
    points_between,
    printable,
    seconds,
    share,
    short_names,
    significant,
    two_digits,
)

MOST_DISPUTED_ROWS = 200

_CALLS = {"training": "partial_fit", "scoring": "labelling"}  # In a stream's passes


def report(summary: Summary) -> Document:
    """Return what a comparison found, for every renderer."""
    words = "every timed round, for pyperf stats and pyperf compare_to"
    timings = Attachment("timings.pyperf.json", pyperf_text(summary), words)
    regions = Figure.of("decision_regions", summary)
    return comparison_document(
        summary,
        runs_each(summary),
        facts=_facts(summary),
        terminal=_terminal(summary),
        sections=(
            Section("agreement", "Agreement", tuple(_agreement(summary))),
            Section("disputed", "Rows in dispute", tuple(_disputed(summary))),
            Section("accuracy", "Accuracy", _accuracy(summary)),
            Section("confusion", "Confusion", (Figure.of("confusion", summary),)),
            Section("confidence", "Confidence", _confidence(summary)),
            Section("decision-regions", "Decision regions", (regions,)),
            time_section(summary, _passes(summary), tuple(_memory(summary))),
        ),
        prose="stream" if summary.is_streamed else "compare",
        values={
            "n_runs": count(summary.n_runs),
            "n_train": count(summary.n_train),
            "n_test": count(summary.n_test),
        },
        attachments=(timings,),
    )


def _agreement(summary: Summary) -> Iterator[Block]:
    joint = "max_joint_log_likelihood_difference"
    columns = (
        Column("implementation"),
        Column("agreement", show=share),
        Column("labels that differ", ("disagreements", "predictions"), part_of),
        Column("runs without a disagreement", ("exact_runs", "compared_runs"), part_of),
        Column("rows ever in dispute", "disputed_rows", count),
        Column("Cohen's kappa", "kappa", decimal),
        Column("McNemar p (run 0)", "mcnemar_p", p_text),
        Column("largest |Δp|", "max_probability_difference", two_digits),
        Column("mean |Δp|", "mean_probability_difference", two_digits),
        Column("largest |Δ joint log-likelihood|", joint, two_digits),
    )
    yield Figure.of("probability_differences", summary)
    yield Table("Agreement with the reference", summary.agreement, columns)
    if summary.is_streamed and len(summary.parameters):
        yield _parameters(summary)
    yield from _label_tables(summary)
    yield from why(summary)


def _parameters(summary: Summary) -> Block:
    """Return what models of a stream learned, compared with the reference's."""
    columns = (
        *Column.each("implementation", "parameter"),
        Column("largest relative difference", "largest_relative_difference", two_digits),
    )
    caption = "What the models learned, against the reference"
    table = Table(caption, summary.parameters, columns)
    return Fold(caption, (table, Text(note("parameters"), "muted")))


def _label_tables(summary: Summary) -> Iterator[Table]:
    """Return label against label, one table per competitor with labels."""
    pairs = summary.label_pairs
    names = short_names(summary.implementations, NAME_WIDTH)
    reference = names[summary.reference]
    labels = list(dict.fromkeys([*summary.dataset.class_names, *pairs["label"]]))
    headings = short_names(labels, 30)
    columns = (
        Column(f"{reference} says", "reference_label"),
        *(Column(headings[label], str(p), count) for p, label in enumerate(labels)),
    )
    for name, cells in pairs.groupby("implementation", sort=False):
        if cells["count"].any():
            counts = cells.pivot_table("count", "reference_label", "label")
            counts = counts.reindex(index=labels, columns=labels).dropna(how="all")
            rows = counts.set_axis([str(p) for p in range(len(labels))], axis="columns")
            caption = (
                f"Labels of {reference} (rows) against those of {names[str(name)]} "
                "(columns), all test predictions"
            )
            yield Table(caption, rows.reset_index(), columns, style="square")


def _disputed(summary: Summary) -> Iterator[Block]:
    """Return the rows of the data whose label was ever in dispute, the worst first."""
    rows = summary.disputed_rows
    if rows.empty:
        return
    worst = rows.sort_values("disputed", ascending=False, kind="stable")
    columns = (
        *Column.each("row", "implementation", "truth"),
        Column("runs in dispute", ("disputed", "tested"), part_of),
        Column("its votes", "votes"),
        Column("votes of the reference", "reference_votes"),
        Column("smallest margin", "smallest_margin", significant),
    )
    yield Table("Rows ever in dispute", worst.head(MOST_DISPUTED_ROWS), columns)
    if shown := summary.details.get("in_python"):
        words = (
            "Row {row} of run {run}, which {implementation} labels differently, in Python:"
        )
        yield Text(printable(words.format(**shown)))
        yield Snippet(shown["lines"])
    beyond = len(rows) - MOST_DISPUTED_ROWS
    if beyond > 0:
        more = Markup("{} more are in {}.").format(count(beyond), file_link("summary.json"))
        yield Text(more, "muted")


def _accuracy(summary: Summary) -> tuple[Block, ...]:
    classes = (
        Column("class", "class_name"),
        Column("implementation"),
        *Column.each("precision", "recall", show=decimal),
        Column("F1", "f1", decimal),
        Column("test samples", "support", count),
    )
    caption = "Scores per class over all test predictions"
    return (
        Figure.of("accuracy", summary),
        Figure.of("accuracy_spread", summary),
        _metric_table(summary, "accuracy", "Scores over runs"),
        Table(caption, summary.class_scores, classes),
    )


def _confidence(summary: Summary) -> tuple[Block, ...]:
    caption = "Confidence and calibration over runs"
    return (
        Figure.of("confidence", summary),
        Figure.of("reliability", summary),
        _metric_table(summary, "confidence", caption),
        *([Text(text, "muted")] if (text := clip_text(summary)) else []),
    )


def _metric_table(summary: Summary, table: str, caption: str) -> Table:
    """Return mean and interval of each metric, with the paired difference."""
    names = short_names(summary.implementations, NAME_WIDTH)
    headings = {name: m.heading for name, m in METRICS.items() if m.table == table}
    change = ("change", "change_low", "change_high", "outcome")
    columns = (
        Column("metric", show=headings.__getitem__),
        Column("implementation", show=names.__getitem__),
        Column("mean (95 % interval)", ("mean", "low", "high"), interval),
        Column("spread over splits", "spread", decimal),
        Column("runs", show=count),
        Column("difference (95 % interval)", change, change_text),
        Column("p (Holm)", "p", p_text),
    )
    return Table(caption, means(summary, headings), columns)


def _passes(summary: Summary) -> tuple[Block, ...]:
    """Return what took the time of the passes over a stream."""
    if not summary.is_streamed:
        return ()
    words = note("passes")
    if "checks" in set(summary.passes["what"]):
        words += f" {note('passes: checks')}"
    table = _pass_table(summary)
    return (Fold(table.caption, (table, Text(words, "muted"))),)


def _pass_table(summary: Summary) -> Table:
    def doer(what: str, implementation: str, stage: str) -> str:
        done = _CALLS[stage] if what == "calls" else what
        return printable(f"{implementation}, {done}") if implementation else what

    def multiple(value: float) -> str:
        return DASH if math.isnan(value) else f"{significant(value)} ×"

    columns = (
        Column("pass", "stage"),
        Column("what", ("what", "implementation", "stage"), doer),
        Column("rows", show=count),
        Column("time", "seconds", seconds),
        Column("rows a second", "rows_per_second", significant),
        Column("time over reading", "times_reading", multiple),
    )
    return Table("What a pass took", summary.passes, columns)


def _memory(summary: Summary) -> Iterator[Block]:
    """Return peak memory per operation and implementation, where it was measured."""
    used = summary.memory
    if used.empty:
        return
    columns = [
        Column("operation"),
        Column(
            "implementation",
            show=short_names(summary.implementations, NAME_WIDTH).__getitem__,
        ),
        Column("allocated", "traced_bytes", data_size),
    ]
    words = note("memory")
    if used["resident_bytes"].notna().any():
        columns.append(Column("resident growth", "resident_bytes", data_size))
        words += f" {note('memory: resident')}"
    yield Heading("Memory")
    caption = "Peak memory of one call, beyond the arrays it is given"
    yield Table(caption, used, tuple(columns))
    yield Text(words, "muted")


def _facts(summary: Summary) -> dict[str, NamedFact]:
    agreement = summary.lookup("agreement")
    metrics = summary.lookup("metrics")
    differences = summary.lookup("differences")
    unit = "run" if summary.plan.get("spot_checks") is None else "spot check"

    def labels(name: str) -> tuple[str, str]:
        if not agreement.number("predictions", name) > 0:
            return NOTHING
        exact, runs = (agreement.number(f"{of}_runs", name) for of in ("exact", "compared"))
        detail = _exact_text(int(exact), int(runs), unit)
        return share(agreement.number("agreement", name)), detail

    def accuracy(name: str) -> tuple[str, str]:
        value = decimal(metrics.number("mean", name, "test_accuracy"))
        if differences.text("outcome", name, "test_accuracy") == "identical":
            n_compared = int(differences.number("runs", name, "test_accuracy"))
            return value, f"identical in {_these(n_compared, summary.n_runs, unit)}"
        change = differences.triple("mean", name, "test_accuracy")
        has_none = math.isnan(change[0])
        return value, "nothing to compare" if has_none else points_between(*change)

    def probabilities(name: str) -> tuple[str, str]:
        row = agreement.row(name)
        return _probability_texts(
            *(row[f"{of}_probability_difference"] for of in ("max", "mean"))
        )

    reference = decimal(metrics.number("mean", summary.reference, "test_accuracy"))
    return {
        "Agreement": labels,
        f"Test accuracy ({{}}: {reference})": accuracy,
        "Largest probability difference": probabilities,
    }


def _these(n_compared: int, n_runs: int, unit: str) -> str:
    """Return in which runs two were compared."""
    if n_compared < n_runs and unit == "run":
        return f"the {plural(n_compared, unit)} compared"
    return f"this {unit}" if n_compared == 1 else f"all {plural(n_compared, unit)}"


def _exact_text(exact: int, compared: int, unit: str) -> str:
    """Return in how many runs no label differs."""
    if compared == 1:
        return f"{'no label differs' if exact else 'labels differ'} in this {unit}"
    if not exact:
        return f"labels differ in every {unit}"
    return f"no label differs in {counted(exact, compared, unit)}"


def _probability_texts(largest: float, mean: float) -> tuple[str, str]:
    if math.isnan(largest):
        return DASH, "no probabilities to compare"
    if largest == 0:
        return "0", "equal to the last bit"
    epsilons = largest / EPSILON
    if epsilons < 1000:
        return significant(largest, 2), f"{significant(epsilons, 2)} × machine epsilon"
    return significant(largest, 2), f"mean {significant(mean, 2)}"


def _terminal(summary: Summary) -> Iterator[Block]:
    """Return verdicts, then a table for each competitor."""
    yield runs_in_short(summary)
    yield from leads(summary)
    for name in summary.implementations[1:]:
        yield in_short(summary, name, rows(summary, name), "difference or factor (95 %)")
    if summary.is_streamed:
        headings = ("pass", "what", "time", "rows a second", "time over reading")
        yield _pass_table(summary).in_short(*headings)
    yield from all_remarks(summary)


def rows(summary: Summary, name: str) -> list[Sequence[str]]:
    """Return the lines of one competitor: what, reference's, its own, difference.

    Where no label differs, a metric is left out unless it differs by ``NEGLIGIBLE``.
    """
    agreement = summary.lookup("agreement").row(name)
    values = summary.lookup("metrics")
    differences = summary.lookup("differences")
    lines: list[Sequence[str]] = [("Agreement", "", *NOTHING)]
    if agreement["predictions"] > 0:
        differing = (
            f"{part_of(agreement['disagreements'], agreement['predictions'])} differ"
        )
        compared = f"of {count(agreement['compared_runs'])}"
        largest = significant(agreement["max_probability_difference"], 2)
        lines = [
            ("Agreement", "", share(agreement["agreement"]), differing),
            ("Exact runs", "", count(agreement["exact_runs"]), compared),
            ("Largest |Δp|", "", largest, ""),
        ]
    same_labels = agreement["predictions"] > 0 and not agreement["disagreements"]
    if same_labels:
        del lines[1]
    for metric, title in ((m.name, m.short) for m in METRICS.values() if m.short):
        outcome = differences.text("outcome", name, metric)
        triple = differences.triple("mean", name, metric)
        if same_labels and metric != "test_accuracy" and max(map(abs, triple)) < NEGLIGIBLE:
            continue
        change = change_text(*triple, outcome)
        # Over the same runs, which may be fewer than all.
        reference, own = (
            decimal(differences.number(f"{whose}_mean", name, metric))
            for whose in ("reference", "own")
        )
        is_clipped = metric == "log_loss" and any(
            values.number("mean", who, "n_clipped") > 0 for who in (summary.reference, name)
        )
        shown = "Log loss, clipped" if is_clipped else title
        lines.append((shown, reference, own, change))
    return [*lines, *time_rows(summary, name)]
