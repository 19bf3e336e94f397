"""The report of a comparison at one train fraction, in memory or streamed."""

import math
from collections.abc import Iterator, Sequence

import pandas as pd
from markupsafe import Markup

from gnbbench import words
from gnbbench.records import METRICS
from gnbbench.report import blocks, comparisons
from gnbbench.report.sections import file_link, runs_each, runs_in_short
from gnbbench.statistics.documents import pyperf_text
from gnbbench.statistics.summary import Summary

MOST_DISPUTED_ROWS = 200
MOST_LABELS = 20  # In a table of all pairs of labels

_CALLS = {"training": "partial_fit", "scoring": "labelling"}  # In a stream's passes


def report(summary: Summary) -> blocks.Document:
    """Return the report of a comparison, for every renderer."""
    regions = blocks.Figure.of("decision_regions", summary)
    passes = [blocks.Fold.of(_pass_table(summary))] if summary.is_streamed else []
    return comparisons.comparison_document(
        summary,
        runs_each(summary),
        facts=_facts(summary),
        terminal=_terminal(summary),
        sections=(
            blocks.Section.of("Agreement", _agreement(summary)),
            blocks.Section.of("Rows in dispute", _disputed(summary), "disputed"),
            blocks.Section.of("Accuracy", _accuracy(summary)),
            blocks.Section.of("Confusion", blocks.Figure.of("confusion", summary)),
            blocks.Section.of("Decision regions", regions),
            blocks.Section.of("Confidence", _confidence(summary)),
            comparisons.time_section(summary, passes, tuple(_memory(summary))),
        ),
        prose="stream" if summary.is_streamed else "compare",
        values={
            "n_runs": words.count(summary.n_runs),
            "n_train": words.count(summary.n_train),
            "n_test": words.count(summary.n_test),
        },
        rounds=pyperf_text(summary),
    )


def _agreement(summary: Summary) -> Iterator[blocks.Block]:
    yield blocks.Figure.of("probability_differences", summary)
    yield from _label_tables(summary)
    yield blocks.Table.named("agreement", summary.agreement, part_of=comparisons.part_of)
    if summary.is_streamed and len(summary.parameters):
        note = blocks.note("parameters")
        yield blocks.Fold.of(blocks.Table.named("parameters", summary.parameters, note))
    yield from comparisons.why(summary)


def _label_tables(summary: Summary) -> Iterator[blocks.Table]:
    """Yield label against label for each competitor that differs; equal tables once."""
    pairs = summary.label_pairs
    names = words.short_names(summary.implementations, comparisons.NAME_WIDTH)
    reference = names[summary.reference]
    labels = list(dict.fromkeys([*summary.dataset.class_names, *pairs["label"]]))
    if len(labels) > MOST_LABELS:
        yield from comparisons.pairs_that_differ(pairs, reference)
        return
    differ = (pairs["reference_label"] != pairs["label"]) & (pairs["count"] > 0)
    if differ.any():
        pairs = pairs[pairs["implementation"].isin(pairs.loc[differ, "implementation"])]
    headings = words.short_names(labels, 30)
    each = (blocks.Column(headings[n], str(p), words.count) for p, n in enumerate(labels))
    columns = (blocks.Column(f"{reference} says", "reference_label"), *each)
    alike: dict[bytes, tuple[pd.DataFrame, list[str]]] = {}
    for name, cells in pairs.groupby("implementation", sort=False):
        if cells["count"].any():
            counts = cells.pivot_table("count", "reference_label", "label")
            counts = counts.reindex(index=labels, columns=labels).dropna(how="all")
            rows = counts.set_axis([str(p) for p in range(len(labels))], axis="columns")
            _, same = alike.setdefault(counts.to_numpy().tobytes(), (rows, []))
            same.append(names[str(name)])
    for rows, same in alike.values():
        caption = (
            f"Labels of {reference} (rows) against those of {words.listing(same, 3)} "
            "(columns), all predictions compared"
        )
        yield blocks.Table(caption, rows.reset_index(), columns, style="square")


def _disputed(summary: Summary) -> Iterator[blocks.Block]:
    """Yield the rows whose label was ever in dispute, the worst first."""
    rows = summary.disputed_rows
    if rows.empty:
        return
    worst = rows.sort_values("disputed", ascending=False, kind="stable")
    beyond, more = len(rows) - MOST_DISPUTED_ROWS, ""
    if beyond > 0:
        file = file_link("summary.json")
        more = Markup("{} more are in {}.").format(words.count(beyond), file)
    shown = worst.head(MOST_DISPUTED_ROWS)
    yield blocks.Table.named("disputed", shown, more, part_of=comparisons.part_of)
    if in_python := summary.details.get("in_python"):
        title = "Row {row} of run {run}, in Python".format(**in_python)
        yield blocks.Fold(title, (blocks.Snippet(in_python["lines"]),))


def _accuracy(summary: Summary) -> tuple[blocks.Block, ...]:
    undefined = ""
    answers = summary.confusion.groupby(["implementation", "label"])["count"].sum()
    totals = answers.groupby("implementation").transform("sum")
    if ((answers == 0) & (totals > 0)).any():
        undefined = blocks.note("class scores")
    return (
        blocks.Figure.of("accuracy", summary),
        blocks.Figure.of("accuracy_spread", summary),
        _metric_table(summary, "accuracy", "Scores over runs"),
        blocks.Table.named("class_scores", summary.class_scores, undefined),
    )


def _confidence(summary: Summary) -> tuple[blocks.Block, ...]:
    caption = "Confidence and calibration over runs"
    return (
        blocks.Figure.of("confidence", summary),
        blocks.Figure.of("reliability", summary),
        _metric_table(summary, "confidence", caption, comparisons.clip_text(summary)),
    )


def _metric_table(
    summary: Summary, table: str, caption: str, note: str = ""
) -> blocks.Table:
    """Return mean and interval of each metric, with the paired difference."""
    names = words.short_names(summary.implementations, comparisons.NAME_WIDTH)
    headings = {name: m.heading for name, m in METRICS.items() if m.table == table}
    return blocks.Table.named(
        "metrics",
        comparisons.means(summary, headings),
        note,
        caption=caption,
        headings=headings.__getitem__,
        names=names.__getitem__,
        change_text=comparisons.change_text,
    )


def _pass_table(summary: Summary) -> blocks.Table:
    """Return how the time of the passes over a stream was spent."""

    def doer(what: str, implementation: str, stage: str) -> str:
        done = _CALLS[stage] if what == "calls" else what
        return words.printable(f"{implementation}, {done}") if implementation else what

    def multiple(value: float) -> str:
        return words.DASH if math.isnan(value) else f"{words.significant(value)}×"

    note = blocks.note("passes")
    if "checks" in set(summary.passes["what"]):
        note += f" {blocks.note('passes: checks')}"
    rows = summary.passes
    return blocks.Table.named("passes", rows, note, doer=doer, multiple=multiple)


def _memory(summary: Summary) -> Iterator[blocks.Block]:
    """Yield the peak memory of each operation and implementation, if measured."""
    used = summary.memory
    if used.empty:
        return
    names = words.short_names(summary.implementations, comparisons.NAME_WIDTH)
    note, without = blocks.note("memory"), ["resident growth"]
    if used["resident_bytes"].notna().any():
        note, without = f"{note} {blocks.note('memory: resident')}", []
    show = names.__getitem__
    yield blocks.Table.named("memory", used, note, without=without, names=show)


def _facts(summary: Summary) -> dict[str, comparisons.NamedFact]:
    agreement = summary.lookup("agreement")
    metrics = summary.lookup("metrics")
    differences = summary.lookup("differences")
    checks = summary.plan.get("spot_checks")
    unit, planned = ("run", summary.n_runs) if checks is None else ("spot check", checks)

    def labels(name: str) -> tuple[str, str]:
        if not agreement.number("predictions", name) > 0:
            return comparisons.NOTHING
        exact, runs = (agreement.number(f"{of}_runs", name) for of in ("exact", "compared"))
        detail = _exact_text(int(exact), int(runs), planned, unit)
        return words.share(agreement.number("agreement", name)), detail

    def accuracy(name: str) -> tuple[str, str]:
        value = words.decimal(metrics.number("mean", name, "test_accuracy"))
        n_compared = int(differences.number("runs", name, "test_accuracy") or 0)
        if differences.text("outcome", name, "test_accuracy") == "identical":
            return value, f"identical in {comparisons.these(n_compared, planned, unit)}"
        change = differences.triple("mean", name, "test_accuracy")
        if math.isnan(change[0]):
            return value, "nothing to compare"
        runs = words.plural(n_compared, unit) if n_compared < planned else ""
        return value, words.points_between(*change) + (runs and f" in {runs}")

    def probabilities(name: str) -> tuple[str, str]:
        row = agreement.row(name)
        return _probability_texts(
            *(row[f"{of}_probability_difference"] for of in ("max", "mean"))
        )

    reference = words.decimal(metrics.number("mean", summary.reference, "test_accuracy"))
    return {
        "Agreement": labels,
        f"Test accuracy ({{}}: {reference})": accuracy,
        "Largest probability difference": probabilities,
    }


def _exact_text(exact: int, compared: int, planned: int, unit: str) -> str:
    """Return in how many runs all labels are equal."""
    if exact in {0, compared}:
        which = comparisons.these(compared, planned, unit)
        return f"{'identical labels' if exact else 'labels differ'} in {which}"
    end = " compared" if compared < planned else ""
    return f"identical labels in {words.counted(exact, compared, unit)}{end}"


def _probability_texts(largest: float, mean: float) -> tuple[str, str]:
    if math.isnan(largest):
        return words.DASH, "no probabilities to compare"
    if largest == 0:
        return "0", "equal to the last bit"
    epsilons, size = largest / words.EPSILON, words.significant(largest, 2)
    if epsilons < 1000:
        return size, f"{words.significant(epsilons, 2)} × machine epsilon"
    return size, f"mean {words.significant(mean, 2)}"


def _terminal(summary: Summary) -> Iterator[blocks.Block]:
    """Yield verdicts, then a table for each competitor."""
    yield runs_in_short(summary)
    yield from comparisons.leads(summary)
    for name in summary.implementations[1:]:
        yield comparisons.in_short(
            summary, name, rows(summary, name), "difference or factor (95 %)"
        )
    if summary.is_streamed:
        headings = ("pass", "what", "time", "rows a second", "time over reading")
        yield _pass_table(summary).in_short(*headings)
    yield from comparisons.all_remarks(summary)


def rows(summary: Summary, name: str) -> list[Sequence[str]]:
    """Return the lines on one competitor: title, reference's value, its own, difference.

    If no label differs, metrics whose difference is negligible are left out.
    """
    agreement = summary.lookup("agreement").row(name)
    values = summary.lookup("metrics")
    differences = summary.lookup("differences")
    lines: list[Sequence[str]] = [("Agreement", "", *comparisons.NOTHING)]
    if agreement["predictions"] > 0:
        n_differ = agreement["disagreements"]
        verb = "differs" if n_differ == 1 else "differ"
        differing = f"{comparisons.part_of(n_differ, agreement['predictions'])} {verb}"
        compared = f"of {words.count(agreement['compared_runs'])}"
        largest = words.significant(agreement["max_probability_difference"], 2)
        lines = [
            ("Agreement", "", words.share(agreement["agreement"]), differing),
            ("Exact runs", "", words.count(agreement["exact_runs"]), compared),
            ("Largest |Δp|", "", largest, ""),
        ]
    same_labels = agreement["predictions"] > 0 and not agreement["disagreements"]
    if same_labels:
        del lines[1]
    for metric, title in ((m.name, m.short) for m in METRICS.values() if m.short):
        outcome = differences.text("outcome", name, metric)
        triple = differences.triple("mean", name, metric)
        is_told = not (same_labels and max(map(abs, triple)) < words.NEGLIGIBLE)
        if math.isnan(triple[0]) or not (metric == "test_accuracy" or is_told):
            continue
        change = comparisons.change_text(*triple, outcome)
        # Over the same runs, which may be fewer than all.
        reference, own = (
            words.decimal(differences.number(f"{whose}_mean", name, metric))
            for whose in ("reference", "own")
        )
        is_clipped = metric == "log_loss" and any(
            values.number("mean", who, "n_clipped") > 0 for who in (summary.reference, name)
        )
        shown = "Log loss, clipped" if is_clipped else title
        lines.append((shown, reference, own, change))
    return [*lines, *comparisons.time_rows(summary, name)]
