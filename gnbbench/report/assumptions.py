"""The report of the two assumptions: how far off each is, and what it costs."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from markupsafe import Markup

from gnbbench.assumptions.costs import GNB, MODELS
from gnbbench.assumptions.findings import Grade
from gnbbench.assumptions.independence import TEST
from gnbbench.report.assumptions_choices import (
    class_words,
    largest_pairs,
    least_normal,
    ranked_pairs,
)
from gnbbench.report.assumptions_documents import assumptions_document
from gnbbench.report.assumptions_summary import WITHOUT, AssumptionsSummary
from gnbbench.report.blocks import (
    Attachment,
    Block,
    Column,
    Document,
    Fact,
    Facts,
    Figure,
    Fold,
    Prose,
    Row,
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
    file_link,
    method_section,
    plan_facts,
    remarks,
    worst_tone,
)
from gnbbench.words import (
    DASH,
    SPACE,
    count,
    decimal,
    interval,
    plural,
    printable,
    shorten,
)

PAIRS_A_CLASS = 10
MOST_TESTS = 1000
MOST_ROWS_OPEN = 30
MOST_LETTERS_OF_A_TILE = 30
# In a terminal.
MOST_CLASSES = 10
MOST_CELLS = 5
SMALLEST_P = 1e-4

TONES: Mapping[Grade, str] = {
    "strongly broken": "bad",
    "broken": "bad",
    "slightly broken": "unsure",
    "not tested": "unsure",
    "tenable": "good",
}


def report(summary: AssumptionsSummary) -> Document:
    """Return what was found of the assumptions, for every renderer."""
    found = summary.findings
    verdicts = _verdicts(summary)
    return Document(
        study=summary.study,
        subject=summary.dataset.name,
        headline=summary.headline,
        tone=worst_tone([verdict.tone for verdict in verdicts]),
        band=(Verdicts(verdicts, short=True),),
        setting=(
            f"{printable(summary.dataset.name)}: {plural(found.n_samples, 'sample')}, "
            f"{plural(len(found.feature_names), 'feature')}, "
            f"{len(found.class_names)} classes; "
            f"costs over {plural(found.n_runs, 'run')}, each with "
            f"{plural(found.n_train, 'train sample')} and "
            f"{plural(found.n_test, 'test sample')}."
        ),
        tiles=(
            Tile("Largest correlation in a class", (_correlation_fact(summary),)),
            Tile("Lowest Q–Q correlation with a normal", (_quantile_fact(summary),)),
            Tile("Log loss without the naive assumption", (_cost_fact(summary, "naive"),)),
            Tile(
                "Log loss with the normal assumption eased",
                (_cost_fact(summary, "normal"),),
            ),
        ),
        blocks=(
            Terminal(tuple(_terminal(summary, verdicts))),
            Section(
                "verdict",
                "Verdict",
                (
                    Verdicts(verdicts),
                    *remarks(summary.warnings),
                    *failures(summary.runs),
                ),
            ),
            Section("naive", "Naive assumption", tuple(_naive(summary))),
            Section("normal", "Normal assumption", tuple(_normal(summary))),
            Section("costs", "What it costs", _costs(summary)),
            data_section(summary.dataset),
            _method(summary),
            FILES,
        ),
        payload=assumptions_document(summary),
        attachments=(
            Attachment("runs.csv", summary.runs, "one row per run and model"),
            Attachment(
                "correlations.csv",
                ranked_pairs(summary),
                "every pair of features in every class",
            ),
            Attachment("normality.csv", found.normality, "every feature in every class"),
        ),
    )


def _verdicts(summary: AssumptionsSummary) -> list[Verdict]:
    return [
        Verdict(
            f"{verdict.assumption.capitalize()} assumption",
            verdict.grade,
            TONES[verdict.grade],
            printable(verdict.sentence),
            printable(verdict.detail),
        )
        for verdict in summary.findings.verdicts
    ]


def _naive(summary: AssumptionsSummary) -> Iterator[Block]:
    yield Text("Are the features independent of each other within a class?")
    yield Figure.of("correlations", summary)
    yield _dependence_table(summary)
    yield Text(
        "The total correlation, −½ log det R, is what joint normal features would tell "
        "about each other; beside it stands what as many independent features show by "
        "chance.",
        "muted",
    )
    columns = (
        Column("class", "class_name"),
        Column("chi square", "statistic", partial(_number, digits=1)),
        Column("degrees of freedom", "degrees_of_freedom", count),
        Column("p", show=p_text),
        Column("p (Holm)", "p_holm", p_text),
        Column("remark", "note"),
    )
    yield Table(TEST, summary.findings.independence, columns)
    method = Markup('<a href="#method">Method</a>')
    words = Markup(
        "With many samples the test (Bartlett 1951, see {}) rejects at correlations that "
        "do not matter; the sizes above come first."
    )
    yield Text(words.format(method), "muted")
    yield from _pairs(summary)


def _dependence_table(summary: AssumptionsSummary) -> Table:
    columns = (
        Column("class", "class_name"),
        Column("samples", "n", count),
        Column("features that vary", "features", count),
        Column("largest |r|", "max_abs_r", correlation_text),
        Column("between", ("feature", "other_feature"), _both),
        Column("mean |r|", "mean_abs_r", correlation_text),
        Column("largest |ρ|", "max_abs_spearman", correlation_text),
        Column("mean |ρ|", "mean_abs_spearman", correlation_text),
        Column("total correlation (nats)", "total_correlation", _number),
        Column("the same by chance (nats)", "chance_total_correlation", _number),
    )
    caption = "Dependence of the features, class by class"
    return Table(caption, summary.findings.independence, columns)


def _both(feature: str, other: str) -> str:
    return " and ".join(filter(None, (feature, other)))


def _pairs(summary: AssumptionsSummary) -> Iterator[Block]:
    """Return the most correlated pairs of each class, where there is any pair."""
    pairs = largest_pairs(summary, PAIRS_A_CLASS)
    if pairs.empty:
        return
    columns = (
        Column("class", "class_name"),
        Column("feature"),
        Column("other feature", "other_feature"),
        Column("Pearson's r", "pearson", correlation_text),
        Column("Spearman's ρ", "spearman", correlation_text),
    )
    caption = f"Most correlated features, up to {PAIRS_A_CLASS} pairs a class"
    title = f"Most correlated features ({len(pairs)} pairs)"
    yield _folded(Table(caption, pairs, columns), title)
    yield Text(Markup("All pairs: {}.").format(file_link("correlations.csv")), "muted")


def _folded(table: Table, title: str) -> Block:
    return Fold(title, (table,)) if len(table) > MOST_ROWS_OPEN else table


def _normal(summary: AssumptionsSummary) -> Iterator[Block]:
    yield Text("Does each feature follow a normal distribution within a class?")
    yield Figure.of("normality_histograms", summary)
    yield Figure.of("normality_quantiles", summary)
    n_tests = len(summary.findings.normality)
    yield _folded(_normality_table(summary), f"Every class and feature ({n_tests})")
    if n_tests > MOST_TESTS:
        words = f"These are the {MOST_TESTS} that are least normal; all are in {{}}."
        yield Text(
            Markup(words).format(file_link("normality.csv")),  # noqa: S704  no text of others
            "muted",
        )


def _normality_table(summary: AssumptionsSummary) -> Table:
    """Return sizes and tests of every class and feature, or of the least normal ones."""
    frame = summary.findings.normality
    if len(frame) > MOST_TESTS:
        frame = frame.sort_values("qq_correlation", kind="stable").head(MOST_TESTS)
    is_anderson = frame["test"].str.startswith("And")
    statistic = frame["anderson_a2"].where(is_anderson, frame["shapiro_w"])
    columns = (
        Column("class", "class_name"),
        Column("feature"),
        Column("Q–Q correlation", "qq_correlation", partial(_number, digits=3)),
        Column("skewness", show=_number),
        Column("excess kurtosis", "excess_kurtosis", _number),
        Column("test", ("note", "test"), lambda note, test: note or test),
        Column("statistic", show=partial(_number, digits=4)),
        Column("p", show=p_text),
        Column("p (Holm)", "p_holm", p_text),
    )
    caption = "Normality of every feature in every class"
    return Table(caption, frame.assign(statistic=statistic), columns)


def _costs(summary: AssumptionsSummary) -> tuple[Block, ...]:
    return (
        Text("Does a model without the assumption do better on the same runs?"),
        Figure.of("costs", summary),
        Facts([(model.name, f"{printable(model.description)}.") for model in MODELS]),
        _cost_table(summary),
        Text(
            "A model without an assumption has more to estimate: where samples are few, it "
            "can lose by that more than it gains. LDA also gains by pooling the classes, "
            "so that only QDA measures the naive assumption. Quantiles also gain where "
            "features are normal but correlated, since they draw in what lies far out and "
            "so temper GNB's confidence: only Yeo–Johnson measures the normal assumption.",
            "muted",
        ),
    )


def _cost_table(summary: AssumptionsSummary) -> Table:
    """Return accuracy and log loss of every model, and the differences from GNB."""
    values = Lookup(summary.findings.costs, "implementation", "metric")
    changes = Lookup(summary.findings.differences, "implementation", "metric")
    rows = []
    for metric, title in (("test_accuracy", "test accuracy"), ("log_loss", "log loss")):
        for model in summary.implementations:
            change, change_low, change_high = changes.triple("mean", model, metric)
            mean, low, high = values.triple("mean", model, metric)
            rows.append(
                {
                    "metric": title,
                    "model": model,
                    "mean": mean,
                    "low": low,
                    "high": high,
                    "spread": values.number("spread", model, metric),
                    "runs": values.number("runs", model, metric),
                    "change": change,
                    "change_low": change_low,
                    "change_high": change_high,
                    "p": changes.number("p", model, metric),
                    "outcome": changes.text("outcome", model, metric),
                }
            )
    change_columns = ("change", "change_low", "change_high", "model", "outcome")
    columns = (
        Column("metric"),
        Column("model"),
        Column("mean (95 % interval)", ("mean", "low", "high"), interval),
        Column("spread over splits", "spread", decimal),
        Column("runs", show=count),
        Column(f"minus {GNB} (95 % interval)", change_columns, _change),
        Column("p (Holm)", "p", p_text),
        Column("in words", "outcome"),
    )
    return Table("Models on the same runs", rows, columns)


def _change(value: float, low: float, high: float, model: str, outcome: str) -> str:
    if model == GNB:
        return DASH
    return (
        "identical" if outcome == "identical" else interval(value, low, high, signed=True)
    )


def _method(summary: AssumptionsSummary) -> Section:
    values = {
        "n_samples": count(summary.dataset.n_samples),
        "n_train": count(summary.findings.n_train),
        "n_test": count(summary.findings.n_test),
        "margin": decimal(summary.margin, 3),
    }
    prose = (Prose("assumptions", values),)
    plan = plan_facts(summary.plan)
    return method_section(summary.command, prose, plan, summary.environment)


def _correlation_fact(summary: AssumptionsSummary) -> Fact:
    pairs = ranked_pairs(summary)
    if pairs.empty:
        return Fact("", DASH, "no two features that vary in a class")
    worst = pairs.iloc[0]
    names = [_short(worst[column]) for column in ("feature", "other_feature")]
    value = correlation_text(float(worst[summary.correlation]))
    return Fact(class_words(worst["class_name"]), value, " and ".join(names))


def _quantile_fact(summary: AssumptionsSummary) -> Fact:
    table = summary.findings.normality
    if table["qq_correlation"].isna().all():
        return Fact("", DASH, "no feature that varies in a class")
    worst = least_normal(table)
    value = decimal(float(worst["qq_correlation"]), 3)
    return Fact(class_words(worst["class_name"]), value, _short(worst["feature"]))


def _cost_fact(summary: AssumptionsSummary, assumption: str) -> Fact:
    model = WITHOUT[assumption]
    changes = Lookup(summary.findings.differences, "implementation", "metric")
    value, low, high = changes.triple("mean", model, "log_loss")
    outcome = changes.text("outcome", model, "log_loss")
    if not changes.number("runs", model, "log_loss") > 0:
        return Fact(model, DASH, "no run to compare")
    sign = "+" if value > 0 else ""
    ends = f", 95 % interval {decimal(low, 2)} to {decimal(high, 2)}"
    detail = f"minus {GNB}{'' if math.isnan(low) else ends}; {outcome}"
    return Fact(model, f"{sign}{decimal(value, 2)}{SPACE}nats", detail)


def _short(name: str) -> str:
    return shorten(printable(name), MOST_LETTERS_OF_A_TILE)


def _terminal(summary: AssumptionsSummary, verdicts: Sequence[Verdict]) -> Iterator[Block]:
    """Return both verdicts, then costs, classes and features."""
    found = summary.findings
    yield Text(
        f"{printable(summary.dataset.name)} · {plural(found.n_runs, 'run')} · "
        f"{count(found.n_train)} train and {count(found.n_test)} test samples each",
        "muted",
    )
    yield Verdicts(verdicts, short=True)
    yield _costs_in_short(summary)
    yield _classes_in_short(summary)
    yield _features_in_short(summary)
    yield from remarks(summary.warnings)


def _costs_in_short(summary: AssumptionsSummary) -> Table:
    values = Lookup(summary.findings.costs, "implementation", "metric")
    changes = Lookup(summary.findings.differences, "implementation", "metric")
    rows: list[Row] = []
    for model in summary.implementations:
        outcome = changes.text("outcome", model, "log_loss")
        change = interval(*changes.triple("mean", model, "log_loss"), signed=True)
        words = outcome if outcome == "identical" else f"{change} {outcome}"
        rows.append(
            {
                "model": model,
                "accuracy": decimal(values.number("mean", model, "test_accuracy")),
                "loss": decimal(values.number("mean", model, "log_loss")),
                "change": "" if model == GNB else words,
            }
        )
    columns = (
        _short_column("model", 18),
        _short_column("accuracy", 8, right=True),
        _short_column("log loss", 8, "loss", right=True),
        _short_column(f"minus {GNB}, nats (95 %)", 37, "change", is_last=True),
    )
    return Table("", rows, columns)


def _classes_in_short(summary: AssumptionsSummary) -> Table:
    """Return a line for each class, or for the ten with the largest correlation."""
    table = summary.findings.independence
    if len(table) > MOST_CLASSES:
        table = table.sort_values("max_abs_r", ascending=False, kind="stable")

    def pair(feature: str, other: str) -> str:
        names = [shorten(printable(name), 13) for name in (feature, other)]
        return ", ".join(filter(None, names)) or DASH

    columns = (
        _short_column("class", 14, "class_name"),
        _short_column("max |r|", 8, "max_abs_r", correlation_text, right=True),
        _short_column("total, nats", 11, "total_correlation", _two_digits, right=True),
        _short_column("p (Holm)", 8, "p_holm", p_text, right=True),
        _short_column(
            "most correlated", 28, ("feature", "other_feature"), pair, is_last=True
        ),
    )
    return Table("", table.head(MOST_CLASSES), columns)


def _features_in_short(summary: AssumptionsSummary) -> Table:
    """Return a line for each of the five least normal classes and features."""
    table = summary.findings.normality.sort_values("qq_correlation", kind="stable")
    columns = (
        _short_column("feature", 22),
        _short_column("class", 14, "class_name", right=True),
        _short_column("Q–Q", 6, "qq_correlation", _three_digits, right=True),
        _short_column("skewness", 8, show=_two_digits, right=True),
        _short_column("kurtosis", 8, "excess_kurtosis", _two_digits, right=True),
        _short_column("p (Holm)", 9, "p_holm", p_text, right=True, is_last=True),
    )
    known = table[table["qq_correlation"].notna()]
    return Table("", known.head(MOST_CELLS), columns)


def _short_column(
    heading: str,
    width: int,
    of: str | tuple[str, ...] = "",
    show: Callable[..., str] = str,
    *,
    right: bool = False,
    is_last: bool = False,
) -> Column:
    """Return a column of a terminal whose texts are cut to its width."""

    def text(*values: object) -> str:
        return shorten(printable(show(*values)), width)

    return Column(
        heading,
        of,
        text,
        width=None if is_last else width,
        align="right" if right else "left",
        whole=True,
    )


def _two_digits(value: float) -> str:
    return decimal(value, 2)


def _three_digits(value: float) -> str:
    return decimal(value, 3)


def _number(value: float, digits: int = 2) -> str:
    large = 1000 <= abs(value) < math.inf
    return count(value) if large else decimal(value, digits)


def p_text(p: float) -> str:
    """Return a p value with four decimals, a bound below the last of them."""
    return "< 0.0001" if p < SMALLEST_P else decimal(p)


def correlation_text(value: float) -> str:
    """Return a correlation with two decimals, more where two would make it a full one."""
    if 0.995 <= abs(value) < 1.0:
        return decimal(math.copysign(math.floor(abs(value) * 1e4) / 1e4, value))
    return decimal(value, 2)
