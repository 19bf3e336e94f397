"""The report of a sweep: comparisons at several train fractions."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import get_args

import pandas as pd

from gnbbench.report.blocks import (
    Block,
    Cell,
    Column,
    Document,
    Figure,
    Row,
    Section,
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
    comparison_document,
    in_short,
    leads,
    means,
    part_of,
    time_rows,
    time_section,
    why,
)
from gnbbench.statistics.summary import Outcome, Summary
from gnbbench.words import (
    count,
    decimal,
    interval,
    p_text,
    per_run_text,
    percent,
    percent_span,
    plural,
    printable,
    share,
    short_names,
    significant,
    two_digits,
)

MARK = " *"
MARKED_CHANGE = ("change", "change_low", "change_high", "outcome", "mark")
NO_SPLIT = "no split"


def report(summary: Summary) -> Document:
    """Return what a sweep found, for every renderer."""
    return comparison_document(
        summary,
        _runs_each(summary),
        facts=_facts(summary),
        terminal=_terminal(summary),
        sections=(
            Section("agreement", "Agreement", tuple(_agreement(summary))),
            Section("accuracy", "Accuracy", tuple(_accuracy(summary))),
            Section("overfitting", "Overfitting", (Figure.of("sweep_gap", summary),)),
            Section(
                "learning-curve", "Learning curve", (Figure.of("learning_slope", summary),)
            ),
            Section("splits", "Splits", _splits(summary)),
            time_section(summary),
        ),
        prose="sweep",
    )


def _runs_each(summary: Summary) -> str:
    fractions = plural(len(summary.fractions), "train fraction")
    runs = plural(summary.n_runs, "run")
    return f"{runs} at each of {fractions}, {percent_span(summary.fractions)}"


def median_text(value: float) -> str:
    """Return a median of whole numbers as text, with a half where it has one."""
    return decimal(value, 1) if value % 1 else count(value)


def fraction_cell(fraction: float) -> Cell:
    """Return a train fraction, sorted by its size."""
    # A first column sorts as text, by which 0.5 comes before 0.125: equally many digits.
    return Cell(percent(fraction), f"{fraction:.9f}")


FRACTION = Column("train fraction", "fraction", fraction_cell)
_MISMATCHES = (
    Column("disagreements per run: mean", "mismatches_mean", per_run_text),
    Column("median", "mismatches_median", median_text),
    Column("most", "mismatches_max", count),
    Column("largest |Δp|", "max_probability_difference", two_digits),
)


def _agreement(summary: Summary) -> Iterator[Block]:
    columns: tuple[Column, ...] = (
        Column("implementation"),
        Column("runs compared", "runs", count),
        Column("runs that match entirely", "exact_runs", count),
        Column("share", "exact_share", share),
        *_MISMATCHES,
        Column("mean test accuracy", "test_accuracy", decimal),
        Column("runs with an error", "failed_runs", count),
    )
    yield Table("All train fractions together", summary.overall, columns)
    yield Figure.of("sweep_disagreements", summary)
    possible = possible_fractions(summary)

    def matching(exact: float, compared: float, fraction: float) -> str:
        return part_of(exact, compared) if fraction in possible else NO_SPLIT

    of = ("exact_runs", "compared_runs", "fraction")
    columns = (
        FRACTION,
        Column("implementation"),
        Column("runs that match entirely", of, matching),
        Column("share", "exact_share", share),
        *_MISMATCHES,
    )
    caption = "Agreement at each train fraction"
    yield Table(caption, summary.agreement, columns)
    yield from why(summary)


def _accuracy(summary: Summary) -> Iterator[Block]:
    yield Figure.of("sweep_accuracy", summary)
    names = short_names(summary.implementations, NAME_WIDTH)
    possible = possible_fractions(summary)

    def words(outcome: str, fraction: float) -> str:
        if fraction not in possible:
            return NO_SPLIT
        return "" if outcome == "reference" else outcome

    def marked(mean: float, low: float, high: float, mark: str) -> str:
        return interval(mean, low, high) + mark

    columns = (
        FRACTION,
        Column("implementation", show=names.__getitem__),
        Column("train accuracy", "train_accuracy", decimal),
        Column("test accuracy (95 % interval)", ("mean", "low", "high", "mark"), marked),
        Column("spread over splits", "spread", decimal),
        Column("gap", show=decimal),
        Column("difference (95 % interval)", MARKED_CHANGE, change_text),
        Column("p (Holm)", "p", p_text),
        Column("in words", ("outcome", "fraction"), words),
    )
    yield Table("Accuracy at each train fraction", _accuracies(summary), columns)
    if summary.points["conservative"].any():
        yield Text(note("fractions: conservative"), "muted")


def _accuracies(summary: Summary) -> pd.DataFrame:
    """Return test accuracies, each with its train accuracy, gap and mark beside it."""
    keys = ["fraction", "implementation"]
    others = summary.metrics.pivot_table(index=keys, columns="metric", values="mean")
    others = others.reindex(columns=["train_accuracy", "gap"])
    wide = conservative_fractions(summary)
    return (
        means(summary, ["test_accuracy"])
        .join(others, on=keys)
        .assign(mark=lambda rows: rows["fraction"].isin(wide).map({True: MARK, False: ""}))
    )


def _splits(summary: Summary) -> tuple[Block, ...]:
    def width(conservative: bool) -> str:  # noqa: FBT001  a value of the table
        return "conservative *" if conservative else "usual"

    columns = (
        FRACTION,
        Column("train samples", "n_train", count),
        Column("test samples", "n_test", count),
        Column("runs", show=count),
        Column("with fewer than two training samples of a class", "thin_runs", count),
        Column("without a split", "impossible_runs", count),
        Column("intervals", "conservative", width),
    )
    return (
        Table("Splits at each train fraction", summary.points, columns),
        Text(note("fractions: thin"), "muted"),
    )


def possible_fractions(summary: Summary) -> set[float]:
    """Return the fractions at which there is a split."""
    return set(summary.points.loc[summary.points["n_train"] > 0, "fraction"])


def conservative_fractions(summary: Summary) -> frozenset[float]:
    """Return those at which intervals are too wide, because most samples are tested."""
    table = summary.points
    return frozenset(table.loc[table["conservative"], "fraction"])


def _facts(summary: Summary) -> dict[str, NamedFact]:
    overall = summary.lookup("overall")
    table = summary.differences
    is_possible = table["fraction"].isin(possible_fractions(summary))
    judged = table.loc[is_possible & (table["metric"] == "test_accuracy")]

    def exact(name: str) -> tuple[str, str]:
        row = overall.row(name)
        detail = f"{count(row['exact_runs'])} of {plural(row['runs'], 'run')}"
        return (share(row["exact_share"]), detail) if row["runs"] > 0 else NOTHING

    def disagreements(name: str) -> tuple[str, str]:
        row = overall.row(name)
        return _mismatch_texts(row) if row["runs"] > 0 else NOTHING

    def accuracy(name: str) -> tuple[str, str]:
        outcomes = judged.loc[judged["implementation"] == name, "outcome"]
        numbers = [(known, int((outcomes == known).sum())) for known in get_args(Outcome)]
        words = [f"{outcome} at {number}" for outcome, number in numbers if number]
        detail = f"{', '.join(words)} of {plural(len(outcomes), 'train fraction')}"
        return decimal(overall.number("test_accuracy", name)), detail

    reference = decimal(overall.number("test_accuracy", summary.reference))
    return {
        "Runs that match entirely": exact,
        "Disagreements per run, on average": disagreements,
        f"Mean test accuracy ({{}}: {reference})": accuracy,
    }


def _mismatch_texts(row: Row) -> tuple[str, str]:
    mean, median, most = (row[f"mismatches_{of}"] for of in ("mean", "median", "max"))
    return per_run_text(mean), f"median {median_text(median)}, most {count(most)}"


def _terminal(summary: Summary) -> Iterator[Block]:
    """Return verdicts, then two tables for each competitor."""
    yield Text(f"{printable(summary.dataset.name)} · {_runs_each(summary)}", "muted")
    yield from leads(summary)
    any_mark = False
    for name in summary.implementations[1:]:
        yield in_short(summary, name, whole_rows(summary, name), "remark or factor (95 %)")
        table = fraction_table(summary, name)
        any_mark |= any(row[-1].text.endswith(MARK) for row in table.cells)
        yield table
    if any_mark:
        mark = "* conservative: more than half of the samples are tested"
        yield Text(mark, "muted")
    yield from all_remarks(summary)


def whole_rows(summary: Summary, name: str) -> list[Sequence[str]]:
    """Return the lines over all fractions: what, reference's, its own, remark."""
    overall = summary.lookup("overall")
    row = overall.row(name)
    if not row["runs"] > 0:
        return [("Exact runs", "", *NOTHING)]
    mean, others = _mismatch_texts(row)
    exact = f"{count(row['exact_runs'])} of {count(row['runs'])}"
    reference, own = (
        decimal(overall.number(column, name))
        for column in ("reference_accuracy", "test_accuracy")
    )
    return [
        ("Exact runs", "", share(row["exact_share"]), exact),
        ("Labels per run", "", mean, f"differ on average; {others}"),
        ("Largest |Δp|", "", significant(row["max_probability_difference"], 2), ""),
        ("Test accuracy", reference, own, f"mean over {plural(row['runs'], 'run')}"),
        *time_rows(summary, name),
    ]


def fraction_table(summary: Summary, name: str) -> Table:
    """Return what a terminal shows of one competitor at each train fraction."""
    names = short_names(summary.implementations, NAME_WIDTH)
    rows = _accuracies(summary)
    own = rows.loc[rows["implementation"] == name].merge(
        summary.agreement, on=["fraction", "implementation"], how="left"
    )
    own["mark"] = own["mark"].where(own["change"].notna(), "")
    accuracy = partial(Column, show=decimal, align="right")
    columns = (
        Column("train", "fraction", percent, whole=True),
        Column("exact runs", "exact_share", share, align="right"),
        Column("most differ", "mismatches_max", count, align="right"),
        accuracy(names[summary.reference], "reference_mean"),
        accuracy(names[name], "own_mean"),
        Column("difference (95 %)", MARKED_CHANGE, change_text),
    )
    return Table("", own, columns)
