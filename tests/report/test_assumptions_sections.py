"""The tables of the page of the assumptions."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from gnbbench.report import assumptions_sections as sections
from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.report.tables import Table

Give = Callable[[str], AssumptionsSummary]


def _column(table: Table, name: str) -> list[str]:
    place = table.columns.index(name)
    return [row[place].text for row in table.rows]


def test_every_class_has_its_sizes_and_its_test(assumptions_of: Give) -> None:
    summary = assumptions_of("iris")

    sizes = sections.independence_table(summary)
    test = sections.diagonal_test_table(summary)

    assert _column(sizes, "largest |r|") == ["0.74", "0.79", "0.86"]
    assert _column(sizes, "between")[2] == "sepal length (cm) and petal length (cm)"
    assert _column(test, "degrees of freedom") == ["6", "6", "6"]
    assert _column(test, "p (Holm)") == ["< 0.0001"] * 3
    assert "Bartlett" in test.caption


def test_every_class_and_feature_has_its_test(assumptions_of: Give) -> None:
    table = sections.normality_table(assumptions_of("digits"))

    assert len(table.rows) == 640
    assert "constant: no distribution to test" in _column(table, "test")
    assert "Shapiro–Wilk" in _column(table, "test")


def test_beyond_a_thousand_the_least_normal_are_kept(assumptions_of: Give) -> None:
    summary = assumptions_of("iris")
    found = summary.findings
    many = found.normality.loc[found.normality.index.repeat(200)].reset_index(drop=True)
    larger = replace(summary, findings=replace(found, normality=many))

    table = sections.normality_table(larger)

    assert len(table.rows) == 1000
    assert _column(table, "Q–Q correlation")[0] == "0.891"


def test_the_statistic_is_that_of_the_test(assumptions_of: Give) -> None:
    summary = assumptions_of("iris")
    found = summary.findings
    anderson = found.normality.assign(test="Anderson–Darling")
    other = replace(summary, findings=replace(found, normality=anderson))

    shown = _column(sections.normality_table(other), "statistic")[0]

    assert shown == f"{found.normality['anderson_a2'].iloc[0]:.4f}"
    assert _column(sections.normality_table(summary), "statistic")[0] == (
        f"{found.normality['shapiro_w'].iloc[0]:.4f}"
    )


def test_pairs_are_none_where_there_are_none(assumptions_of: Give) -> None:
    assert sections.pair_table(assumptions_of("one")) is None
    pairs = sections.pair_table(assumptions_of("wine"))
    assert pairs is not None
    assert len(pairs.rows) == 30


def test_costs_are_of_all_models_and_gnb_has_no_difference(assumptions_of: Give) -> None:
    table = sections.cost_table(assumptions_of("iris"))

    assert len(table.rows) == 10
    assert _column(table, "minus GNB (95 % interval)")[0] == "–"
    assert _column(table, "minus GNB (95 % interval)")[6].startswith("−0.1087 (")


def test_a_model_that_failed_has_dashes(assumptions_of: Give) -> None:
    table = sections.cost_table(assumptions_of("few"))

    assert table.rows[1][1].text == "QDA"
    assert [table.rows[1][place].text for place in (2, 4)] == ["–", "0"]


@pytest.mark.parametrize(("p", "text"), [(0.0, "< 0.0001"), (1.0, "1.0000")])
def test_a_p_value_is_never_nothing(p: float, text: str) -> None:
    assert sections.p_text(p) == text


def test_every_model_is_explained() -> None:
    facts = sections.model_facts()

    assert [name for name, _ in facts] == [
        "GNB",
        "QDA",
        "LDA",
        "Yeo–Johnson + GNB",
        "Quantiles + GNB",
    ]
    assert all(text.endswith(".") for _, text in facts)
