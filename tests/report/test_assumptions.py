"""The report of the assumptions: its tables, its tiles, its terminal."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from reading import column, shown, tables, texts

from gnbbench.report.assumptions import (
    class_words,
    correlation_text,
    least_normal,
    pairs_of,
    report,
)
from gnbbench.report.blocks import Table
from gnbbench.statistics.summary import Summary

Give = Callable[[str], Summary]


def normality(summary: Summary) -> Table:
    found = tables(report(summary), "normal")
    table: Table = found["Normality of every feature in every class"]
    return table


def spearman(summary: Summary) -> Summary:
    return replace(summary, details={**summary.details, "correlation": "spearman"})


def test_what_failed_is_said(assumptions_of: Give) -> None:
    failed = "Runs that ended in an error"

    assert failed in tables(report(assumptions_of("constant")), "remarks")
    fine = report(assumptions_of("iris"))
    assert "remarks" not in [section.anchor for section in fine.sections]
    assert "Remark: QDA failed in 2 of 2 runs" in shown(report(assumptions_of("constant")))


def test_every_class_has_its_sizes_and_its_test(assumptions_of: Give) -> None:
    sizes, _ = tables(report(assumptions_of("iris")), "naive").values()

    assert column(sizes, "largest |r|") == ["0.74", "0.79", "0.86"]
    assert column(sizes, "between")[2] == "sepal length (cm) and petal length (cm)"
    assert column(sizes, "degrees of freedom") == ["6", "6", "6"]
    assert column(sizes, "p (Holm)") == ["< 0.001"] * 3


@pytest.mark.slow
def test_every_class_and_feature_has_its_test(assumptions_of: Give) -> None:
    summary = assumptions_of("iris")
    shapes = summary.table("normality")
    many = shapes.loc[shapes.index.repeat(200)].reset_index(drop=True)
    anderson = summary.with_tables(normality=shapes.assign(test="Anderson–Darling"))

    digits = normality(assumptions_of("digits"))
    least = normality(summary.with_tables(normality=many))

    assert len(digits) == 640
    assert {"constant: no distribution to test", "Shapiro–Wilk"} <= set(
        column(digits, "test")
    )
    assert len(least) == 1000
    assert column(least, "Q–Q correlation")[0] == "0.891"
    table = shapes.assign(qq_correlation=shapes["qq_correlation"].where(shapes.index > 0))
    assert least_normal(table)["feature"] == "petal width (cm)"
    for study, name in ((anderson, "anderson_a2"), (summary, "shapiro_w")):
        assert column(normality(study), "statistic")[0] == f"{shapes[name].iloc[0]:.4f}"


def test_pairs_come_once_and_by_the_size_that_was_chosen(assumptions_of: Give) -> None:
    caption = "Most correlated features, up to 10 pairs per class"
    wine = spearman(assumptions_of("wine"))

    assert len(pairs_of(assumptions_of("iris"))) == 3 * 6
    assert pairs_of(wine)["spearman"].abs().is_monotonic_decreasing
    assert not pairs_of(wine)["pearson"].abs().is_monotonic_decreasing
    assert caption not in tables(report(assumptions_of("one")), "naive")
    assert len(tables(report(wine), "naive")[caption]) == 30
    assert report(spearman(assumptions_of("iris"))).tiles[0].facts[0].value == "0.82"


def test_costs_are_of_all_models_and_gnb_has_no_difference(assumptions_of: Give) -> None:
    table, failed = (
        tables(report(assumptions_of(name)), "costs")["Models on the same runs"]
        for name in ("iris", "few")
    )

    assert column(table, "model") == 2 * column(table, "model")[:6]
    assert column(table, "minus GNB (95 % interval)")[0] == "–"
    assert column(table, "minus GNB (95 % interval)")[7].startswith("−0.1087 (")
    assert [texts(failed)[1][place] for place in (1, 2, 4)] == ["QDA", "–", "0"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (correlation_text(-0.99999), "−0.9999"),
        (correlation_text(0.5), "0.50"),
        (class_words("7"), "class 7"),
        (class_words("class_0"), "class_0"),
    ],
)
def test_values_and_names_are_written_so(text: str, expected: str) -> None:
    assert text == expected


@pytest.mark.slow
def test_tiles_have_the_worst_and_the_costs(assumptions_of: Give) -> None:
    facts = [tile.facts[0] for tile in report(assumptions_of("iris")).tiles]
    constant = [tile.facts[0] for tile in report(assumptions_of("constant")).tiles]

    assert [fact.value for fact in facts] == [
        "0.86",
        "0.891",
        "−0.11\N{NO-BREAK SPACE}nats",
        "+0.01\N{NO-BREAK SPACE}nats",
    ]
    assert facts[2].detail == "minus GNB, 95 % interval −0.23 to 0.02; cannot tell"
    assert facts[0].implementation == "virginica"
    worst = assumptions_of("many").table("independence")["max_abs_r"].max()
    classes = shown(report(assumptions_of("many"))).split("between")[1]
    assert f"{worst:.2f}" in classes.splitlines()[2].split()  # The worst of many classes
    assert [fact.value for fact in constant[:3]] == ["–", "–", "–"]
    assert constant[2].detail == "no run to compare"
