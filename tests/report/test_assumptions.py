"""The report of the assumptions: its tables, its tiles, its terminal."""

from dataclasses import replace

import pytest
from faults.invented import with_tables
from reading import Give, column, tables

from gnbbench.report.assumptions import least_normal, pairs_of, report
from gnbbench.report.blocks import Table
from gnbbench.statistics.summary import Summary


def normality(summary: Summary) -> Table:
    captioned = tables(report(summary), "normal")
    table: Table = captioned["Normality of every feature in every class"]
    return table


def spearman(summary: Summary) -> Summary:
    return replace(summary, details={**summary.details, "correlation": "spearman"})


@pytest.mark.slow
def test_every_class_and_feature_has_its_test(assumptions_of: Give) -> None:
    summary = assumptions_of("iris")
    shapes = summary.table("normality")
    many = shapes.loc[shapes.index.repeat(200)].reset_index(drop=True)
    anderson = with_tables(summary, normality=shapes.assign(test="Anderson–Darling"))

    digits = normality(assumptions_of("digits"))
    least = normality(with_tables(summary, normality=many))

    assert len(digits) == 210
    kinds = set(column(digits, "test"))
    assert {"constant: no distribution to test", "Shapiro–Wilk"} <= kinds
    assert len(least) == 1000
    assert column(least, "Q–Q correlation")[0] == "0.891"
    table = shapes.assign(qq_correlation=shapes["qq_correlation"].where(shapes.index > 0))
    assert least_normal(table)["feature"] == "petal width (cm)"
    untested = shapes.assign(p_holm=shapes["p_holm"].where(shapes["qq_correlation"] > 0.9))
    tile = report(with_tables(summary, normality=untested)).tiles[1].facts[0]
    assert (tile.value, tile.implementation) == ("0.974", "setosa, of those tested")
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
