"""The report of the two assumptions: how far off each is, and what it costs."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from gnbbench.assumptions.findings import DESCRIPTIONS, GNB, METRICS, WITHOUT
from gnbbench.assumptions.independence import TEST, ranked_pairs
from gnbbench.report import blocks, sections
from gnbbench.report.comparisons import change_text
from gnbbench.statistics.summary import Summary
from gnbbench.words import (
    DASH,
    SPACE,
    class_words,
    count,
    decimal,
    interval_parts,
    plural,
    printable,
    shorten,
    two_decimals,
)

MOST_TESTS = 1000
MOST_LETTERS_OF_A_TILE = 30
# In a terminal.
MOST_CLASSES = 10
MOST_CELLS = 5

_MINUS = f"minus {GNB} (95 % interval)"


def report(summary: Summary) -> blocks.Document:
    """Return the report on the assumptions, for every renderer."""
    verdicts = [
        blocks.VerdictLine(
            f"{verdict.implementation.capitalize()} assumption",
            verdict.outcome,
            sections.TONES[verdict.outcome],
            printable(verdict.sentence),
            printable(verdict.detail),
        )
        for verdict in summary.verdicts
    ]
    costs, data = models_table(summary), summary.dataset
    values = {
        "n_samples": count(data.n_samples),
        "n_train": count(summary.n_train),
        "n_test": count(summary.n_test),
        "margin": decimal(summary.margin, 3),
    }
    return sections.study_document(
        summary,
        subject=data.name,
        tone=sections.worst_tone(verdict.tone for verdict in verdicts),
        band=(blocks.Verdicts(verdicts, short=True),),
        setting=(
            f"{printable(data.name)}: {plural(data.n_samples, 'sample')}, "
            f"{plural(data.n_features, 'feature')}, {len(data.class_names)} classes; "
            f"costs over {sections.runs_each(summary)}."
        ),
        tiles=[
            blocks.Tile.fact(title, *fact)
            for title, fact in (
                ("Largest correlation in a class", _correlation_fact(summary)),
                ("Lowest Q–Q correlation with a normal", _quantile_fact(summary)),
                ("Log loss without the naive assumption", _cost_fact(costs, "naive")),
                (
                    "Log loss with the normal assumption relaxed",
                    _cost_fact(costs, "normal"),
                ),
            )
        ],
        terminal=_terminal(summary, verdicts, costs),
        sections=(
            blocks.Section.of(
                "Remarks",
                (*sections.remarks(summary.warnings), *sections.failures(summary.runs)),
            ),
            blocks.Section.of("Naive assumption", _naive(summary), "naive"),
            blocks.Section.of("Normal assumption", _normal(summary), "normal"),
            blocks.Section.of("What it costs", _costs(summary, costs), "costs"),
            sections.data_section(data),
            sections.method_section(
                summary, blocks.Prose("assumptions", values), machine=None
            ),
        ),
        pairs=pairs_of(summary),
    )


def pairs_of(summary: Summary) -> pd.DataFrame:
    """Return every pair of features per class, the largest correlation first."""
    names = summary.details["feature_names"]
    by = summary.details["correlation"]
    return ranked_pairs(summary.correlations, names, by=by)


def models_table(summary: Summary) -> pd.DataFrame:
    """Return accuracy and log loss of every model beside the differences from GNB."""
    keys = ["implementation", "metric"]
    changes = summary.differences.rename(
        columns=lambda name: name if name in keys else f"difference_{name}"
    )
    table = summary.costs.merge(changes, on=keys, how="left")
    return table.rename(columns={"implementation": "model"})


def least_normal(table: pd.DataFrame) -> "pd.Series[Any]":
    """Return the row with the lowest Q–Q correlation."""
    return table.iloc[int(np.nanargmin(table["qq_correlation"].to_numpy()))]


def _naive(summary: Summary) -> Iterator[blocks.Block]:
    yield blocks.Figure.of("correlations", summary)
    yield _dependence_table(summary)
    if detail := summary.verdicts[0].detail:
        yield blocks.Text(printable(detail))
    pairs = summary.largest_correlations
    if pairs.empty:
        return
    more = Markup("All pairs: {}.").format(sections.file_link("correlations.csv"))
    yield blocks.Table.named("largest_correlations", pairs, more)


def _dependence_table(summary: Summary, largest_first: str = "") -> blocks.Table:

    def both(feature: str, other: str) -> str:
        return " and ".join(filter(None, (feature, other)))

    table = summary.independence
    if largest_first:
        table = table.sort_values(largest_first, ascending=False, kind="stable")
    method = Markup('<a href="#method">Method</a>')
    words = Markup(blocks.note("independence", test="{}", method="{}"))  # noqa: S704  our own
    parts: dict[str, Any] = {"both": both, "number": _number}
    parts["statistic"] = partial(_number, digits=1)
    return blocks.Table.named("dependence", table, words.format(TEST, method), **parts)


def _normal(summary: Summary) -> Iterator[blocks.Block]:
    yield blocks.Figure.of("normality_histograms", summary)
    yield blocks.Figure.of("normality_quantiles", summary)
    yield _normality_table(summary)


def _normality_table(summary: Summary, *, lowest_first: bool = False) -> blocks.Table:
    """Return sizes and tests of every class and feature, or of the least normal ones."""
    frame, more = summary.normality, ""
    if len(frame) > MOST_TESTS:
        words = f"The table has the {MOST_TESTS:,} least normal; all are in {{}}."
        more = Markup(words).format(sections.file_link("normality.csv"))  # noqa: S704  our own
    if lowest_first or more:
        frame = frame.sort_values("qq_correlation", kind="stable").head(MOST_TESTS)
    is_anderson = frame["test"].str.startswith("And")
    statistic = frame["anderson_a2"].where(is_anderson, frame["shapiro_w"])
    return blocks.Table.named(
        "normality",
        frame.assign(statistic=statistic),
        more,
        correlation=partial(_number, digits=3),
        number=_number,
        test=lambda note, test: note or test,
        statistic=partial(_number, digits=4),
    )


def _costs(summary: Summary, costs: pd.DataFrame) -> tuple[blocks.Block, ...]:
    models = blocks.Facts([(name, f"{text}.") for name, text in DESCRIPTIONS.items()])
    what = blocks.Text(blocks.note("models"))
    assumed = blocks.Fold("What each model assumes", (models, what))
    return blocks.Figure.of("costs", summary), _cost_table(costs), assumed


def _cost_table(costs: pd.DataFrame) -> blocks.Table:
    """Return accuracy and log loss of every model, and the differences from GNB."""

    n_all = costs["runs"].max()

    def change(*cells: Any) -> str:
        value, low, high, model, outcome, n_runs = cells
        if model == GNB or not n_runs > 0:
            return DASH
        text = change_text(value, low, high, outcome)
        # Means beside it are over the runs of each model, which may be more.
        return text if n_runs == n_all else f"{text} in {count(n_runs)} of {count(n_all)}"

    rows = costs.sort_values("metric", key=lambda m: m.map(METRICS.index), kind="stable")
    rows = rows.fillna({"difference_outcome": ""})
    return blocks.Table.named(
        "models",
        rows,
        minus=_MINUS,
        change=change,
        metric=lambda name: name.removeprefix("test_").replace("_", " "),
    )


def _correlation_fact(summary: Summary) -> tuple[str, str, str]:
    table = summary.independence
    classes = table.loc[table["p_permutation"].notna(), "class_name"]
    pairs = pairs_of(summary)
    pairs = pairs[pairs["class_name"].isin(classes)] if len(classes) else pairs
    if pairs.empty:
        return DASH, "no two features that vary in a class", ""
    worst = pairs.iloc[0]
    names = [_short(worst[column]) for column in ("feature", "other_feature")]
    value = two_decimals(float(worst[summary.details["correlation"]]))
    where = class_words(worst["class_name"])
    are_all = len(classes) in {0, len(table)}
    return value, " and ".join(names), where if are_all else f"{where}, of those tested"


def _quantile_fact(summary: Summary) -> tuple[str, str, str]:
    known = summary.normality.dropna(subset="qq_correlation")
    if known.empty:
        return DASH, "no feature that varies in a class", ""
    tested = known.dropna(subset="p_holm")
    worst = least_normal(known if tested.empty else tested)
    value, where = decimal(worst["qq_correlation"], 3), class_words(worst["class_name"])
    where += "" if len(tested) in {0, len(known)} else ", of those tested"
    return value, _short(worst["feature"]), where


def _cost_fact(costs: pd.DataFrame, assumption: str) -> tuple[str, str, str]:
    model = WITHOUT[assumption]
    row = costs[(costs["model"] == model) & (costs["metric"] == "log_loss")].iloc[0]
    value, low, high = (row[f"difference_{name}"] for name in ("mean", "low", "high"))
    if not row["difference_runs"] > 0:
        return DASH, "no run to compare", model
    text, ends = interval_parts(value, low, high, signed=True)
    text = "0" if row["difference_outcome"] == "identical" else text
    ends = f", 95 % interval {ends}" if ends else ""
    return f"{text}{SPACE}nats", f"minus {GNB}{ends}; {row['difference_outcome']}", model


def _short(name: str) -> str:
    return shorten(printable(name), MOST_LETTERS_OF_A_TILE)


def _terminal(
    summary: Summary, verdicts: Sequence[blocks.VerdictLine], costs: pd.DataFrame
) -> Iterator[blocks.Block]:
    """Yield both verdicts, then the costs, the worst classes and features."""
    yield sections.runs_in_short(summary)
    yield blocks.Verdicts(verdicts, short=True)
    means = ("mean (95 % interval)", _MINUS)
    yield _cost_table(costs).in_short("metric", "model", *means)
    worst = _dependence_table(summary, "max_abs_r")
    headings = ("class", "samples", "largest |r|", "between")
    yield worst.in_short(*headings, most=MOST_CLASSES)
    shown = ("class", "feature", "Q–Q correlation", "skewness", "excess kurtosis")
    table = _normality_table(summary, lowest_first=True)
    yield table.in_short(*shown, "p (Holm)", most=MOST_CELLS)
    yield from sections.data_and_remarks(summary, summary.warnings)


def _number(value: float, digits: int = 2) -> str:
    large = 1000 <= abs(value) < math.inf
    return count(value) if large else decimal(value, digits)
