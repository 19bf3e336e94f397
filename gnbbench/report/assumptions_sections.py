"""The tables of the page of the assumptions, section by section."""

import math

from gnbbench.assumptions.costs import GNB, MODELS
from gnbbench.assumptions.independence import TEST
from gnbbench.report.assumptions_choices import largest_pairs
from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.report.lookup import Lookup
from gnbbench.report.tables import Cell, Table, build, number_cell, text_cell
from gnbbench.words import DASH, count, decimal, interval, printable

PAIRS_A_CLASS = 10
MOST_TESTS = 1000
SMALLEST_P = 1e-4


def p_text(p: float) -> str:
    """a p value with four decimals, a bound below the last of them, a dash for none."""
    return "< 0.0001" if p < SMALLEST_P else decimal(p)


def correlation_text(value: float) -> str:
    """Correlation with two decimals, more where two would make it a full one."""
    if 0.995 <= abs(value) < 1.0:
        return decimal(math.copysign(math.floor(abs(value) * 1e4) / 1e4, value))
    return decimal(value, 2)


def independence_table(summary: AssumptionsSummary) -> Table:
    """Effect sizes of dependence, a row a class."""
    columns = (
        "class",
        "samples",
        "features that vary",
        "largest |r|",
        "between",
        "mean |r|",
        "largest |ρ|",
        "mean |ρ|",
        "total correlation (nats)",
        "the same by chance (nats)",
    )
    rows = [
        [
            text_cell(row["class_name"]),
            number_cell(row["n"], count(row["n"])),
            number_cell(row["features"], count(row["features"])),
            _correlation(row["max_abs_r"]),
            text_cell(" and ".join(filter(None, (row["feature"], row["other_feature"])))),
            *(
                _correlation(row[name])
                for name in ("mean_abs_r", "max_abs_spearman", "mean_abs_spearman")
            ),
            _decimal(row["total_correlation"], 2),
            _decimal(row["chance_total_correlation"], 2),
        ]
        for row in summary.findings.independence.to_dict("records")
    ]
    return build("Dependence of the features, class by class", columns, rows)


def diagonal_test_table(summary: AssumptionsSummary) -> Table:
    """Test of uncorrelated features, a row a class."""
    rows = [
        [
            text_cell(row["class_name"]),
            _decimal(row["statistic"], 1),
            number_cell(row["degrees_of_freedom"], count(row["degrees_of_freedom"])),
            number_cell(row["p"], p_text(row["p"])),
            number_cell(row["p_holm"], p_text(row["p_holm"])),
            text_cell(row["note"]),
        ]
        for row in summary.findings.independence.to_dict("records")
    ]
    columns = ("class", "chi square", "degrees of freedom", "p", "p (Holm)", "remark")
    return build(TEST, columns, rows)


def pair_table(summary: AssumptionsSummary) -> Table | None:
    """Most correlated pairs of each class; None where there is no pair."""
    rows = [
        [
            text_cell(row["class_name"]),
            text_cell(row["feature"]),
            text_cell(row["other_feature"]),
            _correlation(row["pearson"]),
            _correlation(row["spearman"]),
        ]
        for row in largest_pairs(summary, PAIRS_A_CLASS).to_dict("records")
    ]
    if not rows:
        return None
    columns = ("class", "feature", "other feature", "Pearson's r", "Spearman's ρ")
    title = f"Most correlated features, up to {PAIRS_A_CLASS} pairs a class"
    return build(title, columns, rows)


def normality_table(summary: AssumptionsSummary) -> Table:
    """Effect sizes and tests of every class and feature, or the 1000 least normal."""
    table = summary.findings.normality
    if len(table) > MOST_TESTS:
        table = table.sort_values("qq_correlation", kind="stable").head(MOST_TESTS)
    columns = (
        "class",
        "feature",
        "Q–Q correlation",
        "skewness",
        "excess kurtosis",
        "test",
        "statistic",
        "p",
        "p (Holm)",
    )
    rows = []
    for row in table.to_dict("records"):
        statistic = row["anderson_a2" if row["test"].startswith("And") else "shapiro_w"]
        rows.append(
            [
                text_cell(row["class_name"]),
                text_cell(row["feature"]),
                _decimal(row["qq_correlation"], 3),
                _decimal(row["skewness"], 2),
                _decimal(row["excess_kurtosis"], 2),
                text_cell(row["note"] or row["test"]),
                _decimal(statistic, 4),
                number_cell(_short(row["p"]), p_text(row["p"])),
                number_cell(_short(row["p_holm"]), p_text(row["p_holm"])),
            ]
        )
    return build("Normality of every feature in every class", columns, rows)


def cost_table(summary: AssumptionsSummary) -> Table:
    """Accuracy and log loss of every model, and the differences from GNB."""
    values = Lookup(summary.findings.costs, "implementation", "metric")
    changes = Lookup(summary.findings.differences, "implementation", "metric")
    rows = []
    for metric, title in (("test_accuracy", "test accuracy"), ("log_loss", "log loss")):
        for model in summary.implementations:
            mean, low, high = values.triple("mean", model, metric)
            runs = values.number("runs", model, metric)
            spread = values.number("spread", model, metric)
            p = changes.number("p", model, metric)
            outcome = changes.text("outcome", model, metric)
            rows.append(
                [
                    text_cell(title),
                    text_cell(model),
                    number_cell(mean, interval(mean, low, high)),
                    number_cell(spread, decimal(spread)),
                    number_cell(runs, count(runs)),
                    _difference(changes, model, metric),
                    number_cell(p, p_text(p)),
                    text_cell(outcome),
                ]
            )
    columns = (
        "metric",
        "model",
        "mean (95 % interval)",
        "spread over splits",
        "runs",
        f"minus {GNB} (95 % interval)",
        "p (Holm)",
        "in words",
    )
    return build("Models on the same runs", columns, rows)


def model_facts() -> list[tuple[str, str]]:
    """Return each model with what it does about the assumptions."""
    return [(model.name, f"{printable(model.description)}.") for model in MODELS]


def _difference(changes: Lookup, model: str, metric: str) -> Cell:
    if model == GNB:
        return Cell(DASH, "")
    value, low, high = changes.triple("mean", model, metric)
    if changes.text("outcome", model, metric) == "identical":
        return Cell("identical", "0.0")
    return number_cell(value, interval(value, low, high, signed=True))


def _correlation(value: float) -> Cell:
    return number_cell(_short(value), correlation_text(value))


def _decimal(value: float, digits: int) -> Cell:
    large = 1000 <= abs(value) < math.inf
    return number_cell(_short(value), count(value) if large else decimal(value, digits))


def _short(value: float) -> float:
    """Return the value to six digits: enough to sort by, and half the size of the page."""
    return float(f"{value:.6g}")
