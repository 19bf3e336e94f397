"""The report of a sweep: comparisons at several train fractions."""

from collections.abc import Iterator, Sequence
from typing import Any, get_args

import pandas as pd

from gnbbench import words
from gnbbench.report import blocks, comparisons
from gnbbench.statistics.summary import Outcome, Summary

MARK = " *"
NO_SPLIT = "no split"
# Sections of a figure that a compare has as well.
MULTIPLES = {
    "Confusion": "confusion",
    "Decision regions": "decision_regions",
    "Confidence": "confidence",
}


def report(summary: Summary) -> blocks.Document:
    """Return the report of a sweep, for every renderer."""
    return comparisons.comparison_document(
        summary,
        _runs_each(summary),
        facts=_facts(summary),
        terminal=_terminal(summary),
        sections=(
            blocks.Section.of("Agreement", _agreement(summary)),
            blocks.Section.of("Accuracy", _accuracy(summary)),
            *(
                blocks.Section.of(title, blocks.Figure.of(f"sweep_{name}", summary))
                for title, name in MULTIPLES.items()
            ),
            comparisons.time_section(summary),
        ),
        prose="sweep",
    )


def _runs_each(summary: Summary) -> str:
    n, runs = len(summary.fractions), words.plural(summary.n_runs, "run")
    where = f"each of {n} train fractions," if n > 1 else "a train fraction of"
    return f"{runs} at {where} {words.percent_span(summary.fractions)}"


def median_text(value: float) -> str:
    """Return a median of whole numbers as text, with its half if it has one."""
    return words.decimal(value, 1) if value % 1 else words.count(value)


def fraction_cell(fraction: float) -> blocks.Cell:
    """Return a train fraction, sorted by its size."""
    # The first column sorts as text, so all fractions get the same number of digits.
    return blocks.Cell(words.percent(fraction), f"{fraction:.9f}")


def _agreement(summary: Summary) -> Iterator[blocks.Block]:
    parts: dict[str, Any] = {"fraction_cell": fraction_cell, "median_text": median_text}
    yield blocks.Table.named("overall", summary.overall, **parts)
    yield blocks.Figure.of("sweep_disagreements", summary)
    yield blocks.Figure.of("sweep_probability_differences", summary)
    possible = possible_fractions(summary)

    def matching(exact: float, compared: float, fraction: float) -> str:
        return comparisons.part_of(exact, compared) if fraction in possible else NO_SPLIT

    parts["matching"] = matching
    yield blocks.Table.named("agreement_by_fraction", summary.agreement, **parts)
    yield from comparisons.why(summary)


def _accuracy(summary: Summary) -> Iterator[blocks.Block]:
    yield blocks.Figure.of("sweep_accuracy", summary)
    names = words.short_names(summary.implementations, comparisons.NAME_WIDTH)
    possible = possible_fractions(summary)

    def phrase(outcome: str, fraction: float) -> str:
        if fraction not in possible:
            return NO_SPLIT
        return "" if outcome == "reference" else outcome

    def marked(mean: float, low: float, high: float, mark: str) -> str:
        return words.interval(mean, low, high) + mark

    yield blocks.Table.named(
        "accuracy_by_fraction",
        _accuracies(summary),
        mark=" (*: conservative)" if conservative_fractions(summary) else "",
        fraction_cell=fraction_cell,
        names=names.__getitem__,
        marked=marked,
        change_text=comparisons.change_text,
        phrase=phrase,
    )
    yield blocks.Fold("Overfitting", (blocks.Figure.of("sweep_gap", summary),))
    slope = blocks.Figure.of("learning_slope", summary)
    yield blocks.Fold("Slope of the learning curve", (slope,))
    yield _splits(summary)


def _accuracies(summary: Summary) -> pd.DataFrame:
    """Return test accuracies with their train accuracies, gaps and marks."""
    keys = ["fraction", "implementation"]
    others = summary.metrics.pivot_table(index=keys, columns="metric", values="mean")
    others = others.reindex(columns=["train_accuracy", "gap"])
    wide = conservative_fractions(summary)
    rows = comparisons.means(summary, ["test_accuracy"]).join(others, on=keys)
    is_wide = rows["fraction"].isin(wide) & rows["mean"].notna()
    return rows.assign(mark=is_wide.map({True: MARK, False: ""}))


def _splits(summary: Summary) -> blocks.Fold:
    def width(conservative: bool) -> str:  # noqa: FBT001  a value of the table
        return "conservative *" if conservative else "usual"

    notes = [blocks.note("fractions: thin")]
    if summary.points["conservative"].any():
        notes.insert(0, blocks.note("fractions: conservative"))
    rows, note = summary.points, " ".join(notes)
    parts: dict[str, Any] = {"fraction_cell": fraction_cell, "width": width}
    return blocks.Fold.of(blocks.Table.named("splits", rows, note, **parts))


def possible_fractions(summary: Summary) -> set[float]:
    """Return the fractions at which there is a split."""
    return set(summary.points.loc[summary.points["n_train"] > 0, "fraction"])


def conservative_fractions(summary: Summary) -> frozenset[float]:
    """Return the fractions with too wide intervals, because most samples are tested."""
    if summary.n_runs == 1:
        return frozenset()
    table = summary.points
    return frozenset(table.loc[table["conservative"], "fraction"])


def _facts(summary: Summary) -> dict[str, comparisons.NamedFact]:
    overall = summary.lookup("overall")
    table = summary.differences
    is_possible = table["fraction"].isin(possible_fractions(summary))
    judged = table[is_possible & (table["metric"] == "test_accuracy")]

    def exact(name: str) -> tuple[str, str]:
        row = overall.row(name)
        detail = f"{words.count(row['exact_runs'])} of {words.plural(row['runs'], 'run')}"
        value = words.share(row["exact_share"])
        return (value, detail) if row["runs"] > 0 else comparisons.NOTHING

    def disagreements(name: str) -> tuple[str, str]:
        row = overall.row(name)
        return _mismatch_texts(row) if row["runs"] > 0 else comparisons.NOTHING

    def accuracy(name: str) -> tuple[str, str]:
        outcomes = judged.loc[judged["implementation"] == name, "outcome"]
        numbers = [(known, int((outcomes == known).sum())) for known in get_args(Outcome)]
        counted = [f"{outcome} at {number}" for outcome, number in numbers if number]
        detail = f"{', '.join(counted)} of {words.plural(len(outcomes), 'train fraction')}"
        detail = detail if len(outcomes) > 1 else ", ".join(outcomes)
        return words.decimal(overall.number("test_accuracy", name)), detail

    reference = words.decimal(overall.number("test_accuracy", summary.reference))
    return {
        "Runs that match entirely": exact,
        "Disagreements per run, on average": disagreements,
        f"Mean test accuracy ({{}}: {reference})": accuracy,
    }


def _mismatch_texts(row: blocks.Row) -> tuple[str, str]:
    mean, median, most = (row[f"mismatches_{name}"] for name in ("mean", "median", "max"))
    others = f"median {median_text(median)}, most {words.count(most)}"
    return words.per_run_text(mean), others


def _terminal(summary: Summary) -> Iterator[blocks.Block]:
    """Yield verdicts, then two tables for each competitor."""
    dataset = words.printable(summary.dataset.name)
    yield blocks.Text(f"{dataset} · {_runs_each(summary)}", "muted")
    yield from comparisons.leads(summary)
    for name in summary.implementations[1:]:
        yield comparisons.in_short(
            summary, name, whole_rows(summary, name), "remark or factor (95 %)"
        )
        yield fraction_table(summary, name)
    yield from comparisons.all_remarks(summary)


def whole_rows(summary: Summary, name: str) -> list[Sequence[str]]:
    """Return the lines over all fractions: title, reference's value, its own, remark."""
    overall = summary.lookup("overall")
    row = overall.row(name)
    if not row["runs"] > 0:
        return [("Exact runs", "", *comparisons.NOTHING)]
    mean, others = _mismatch_texts(row)
    exact = f"{words.count(row['exact_runs'])} of {words.count(row['runs'])}"
    reference, own = (
        words.decimal(overall.number(column, name))
        for column in ("reference_accuracy", "test_accuracy")
    )
    return [
        ("Exact runs", "", words.share(row["exact_share"]), exact),
        ("Labels per run", "", mean, f"differ on average; {others}"),
        ("Largest |Δp|", "", words.significant(row["max_probability_difference"], 2), ""),
        ("Test accuracy", reference, own, f"mean over {words.plural(row['runs'], 'run')}"),
        *comparisons.time_rows(summary, name),
    ]


def fraction_table(summary: Summary, name: str) -> blocks.Table:
    """Return the terminal's table of one competitor at each train fraction."""
    names = words.short_names(summary.implementations, comparisons.NAME_WIDTH)
    rows = _accuracies(summary)
    own = rows[rows["implementation"] == name].merge(
        summary.agreement, on=["fraction", "implementation"], how="left"
    )
    own["mark"] = own["mark"].where(own["change"].notna(), "")
    return blocks.Table.named(
        "fractions_in_short",
        own,
        reference=names[summary.reference],
        name=names[name],
        change_text=comparisons.change_text,
    )
