"""The report of the assumptions: its tables, its tiles, its terminal."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from reading import column, shown, tables, texts
from rich.cells import cell_len

from gnbbench.report.assumptions import p_text, report
from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.report.blocks import Table
from gnbbench.report.html import page

Give = Callable[[str], AssumptionsSummary]


def normality(summary: AssumptionsSummary) -> Table:
    found = tables(report(summary), "normal")
    table: Table = found["Normality of every feature in every class"]
    return table


def costs(summary: AssumptionsSummary) -> Table:
    table: Table = tables(report(summary), "costs")["Models on the same runs"]
    return table


@pytest.mark.slow
def test_the_band_has_both_verdicts_and_the_test_its_source(assumptions_of: Give) -> None:
    text = page(report(assumptions_of("iris"))).replace("&#39;", "'")

    band = text[text.index('<div class="band') : text.index('<ul class="tiles">')]
    for verdict in assumptions_of("iris").findings.verdicts:
        assert verdict.sentence in band
    assert "Naive: strongly broken in 3 of 3 classes (max |r| 0.86)" in band
    assert "Bartlett, M. S. (1951)" in text
    assert "Bartlett's test of a diagonal correlation matrix" in text


@pytest.mark.slow
@pytest.mark.parametrize("name", ["digits", "one", "many"])
def test_a_large_page_stays_under_a_megabyte(assumptions_of: Give, name: str) -> None:
    assert len(page(report(assumptions_of(name))).encode()) < 1_000_000


def test_no_value_is_left_unformatted(any_assumptions: AssumptionsSummary) -> None:
    document = report(any_assumptions)

    found = [
        cell
        for anchor in ("naive", "normal", "costs", "data")
        for table in tables(document, anchor).values()
        for row in texts(table)
        for cell in row
    ]
    assert found
    assert not {"nan", "None", "inf"} & set(found)


def test_what_was_not_drawn_and_what_failed_is_said(assumptions_of: Give) -> None:
    one = page(report(assumptions_of("one")))

    assert "No class has two features that vary." in one
    failed = "Runs that ended in an error"
    assert failed in tables(report(assumptions_of("constant")), "verdict")
    assert failed not in tables(report(assumptions_of("iris")), "verdict")


def test_every_class_has_its_sizes_and_its_test(assumptions_of: Give) -> None:
    sizes, test, _ = tables(report(assumptions_of("iris")), "naive").values()

    assert column(sizes, "largest |r|") == ["0.74", "0.79", "0.86"]
    assert column(sizes, "between")[2] == "sepal length (cm) and petal length (cm)"
    assert column(test, "degrees of freedom") == ["6", "6", "6"]
    assert column(test, "p (Holm)") == ["< 0.0001"] * 3
    assert "Bartlett" in test.caption


def test_every_class_and_feature_has_its_test(assumptions_of: Give) -> None:
    table = normality(assumptions_of("digits"))

    assert len(table) == 640
    assert "constant: no distribution to test" in column(table, "test")
    assert "Shapiro–Wilk" in column(table, "test")


def test_beyond_a_thousand_the_least_normal_are_kept(assumptions_of: Give) -> None:
    summary = assumptions_of("iris")
    found = summary.findings
    many = found.normality.loc[found.normality.index.repeat(200)].reset_index(drop=True)

    table = normality(replace(summary, findings=replace(found, normality=many)))

    assert len(table) == 1000
    assert column(table, "Q–Q correlation")[0] == "0.891"


def test_the_statistic_is_that_of_the_test(assumptions_of: Give) -> None:
    summary = assumptions_of("iris")
    found = summary.findings
    anderson = found.normality.assign(test="Anderson–Darling")
    other = replace(summary, findings=replace(found, normality=anderson))

    for study, name in ((other, "anderson_a2"), (summary, "shapiro_w")):
        expected = f"{found.normality[name].iloc[0]:.4f}"
        assert column(normality(study), "statistic")[0] == expected


def test_pairs_are_shown_where_there_are_any(assumptions_of: Give) -> None:
    caption = "Most correlated features, up to 10 pairs a class"

    assert caption not in tables(report(assumptions_of("one")), "naive")
    assert len(tables(report(assumptions_of("wine")), "naive")[caption]) == 30


def test_costs_are_of_all_models_and_gnb_has_no_difference(assumptions_of: Give) -> None:
    table = costs(assumptions_of("iris"))
    failed = texts(costs(assumptions_of("few")))[1]

    assert len(table) == 10
    assert column(table, "minus GNB (95 % interval)")[0] == "–"
    assert column(table, "minus GNB (95 % interval)")[6].startswith("−0.1087 (")
    assert [failed[place] for place in (1, 2, 4)] == ["QDA", "–", "0"]


@pytest.mark.parametrize(("p", "text"), [(0.0, "< 0.0001"), (1.0, "1.0000")])
def test_a_p_value_is_never_nothing(p: float, text: str) -> None:
    assert p_text(p) == text


def test_tables_of_files_have_every_pair_feature_and_run(assumptions_of: Give) -> None:
    files = report(assumptions_of("iris")).attachments

    lengths = {file.name: len(file.content) for file in files if file.content is not None}
    assert lengths == {"runs.csv": 100, "correlations.csv": 18, "normality.csv": 12}


def test_tiles_have_the_worst_and_the_costs(assumptions_of: Give) -> None:
    facts = [tile.facts[0] for tile in report(assumptions_of("iris")).tiles]

    assert [fact.value for fact in facts] == [
        "0.86",
        "0.891",
        "−0.11\N{NO-BREAK SPACE}nats",
        "+0.01\N{NO-BREAK SPACE}nats",
    ]
    assert facts[2].detail == "minus GNB, 95 % interval −0.23 to 0.02; cannot tell"
    assert facts[0].implementation == "virginica"


def test_tiles_follow_the_chosen_correlation_and_say_what_is_missing(
    assumptions_of: Give,
) -> None:
    spearman = report(replace(assumptions_of("iris"), correlation="spearman"))
    constant = [tile.facts[0] for tile in report(assumptions_of("constant")).tiles]

    assert spearman.tiles[0].facts[0].value == "0.82"
    assert [fact.value for fact in constant[:3]] == ["–", "–", "–"]
    assert constant[2].detail == "no run to compare"


def test_a_terminal_of_80_columns_holds_all(any_assumptions: AssumptionsSummary) -> None:
    document = report(any_assumptions)

    wide = [line for line in shown(document, 200).splitlines() if line.startswith(" ")]
    assert wide
    assert max(cell_len(line.rstrip()) for line in wide) <= 80
    assert max(cell_len(line) for line in shown(document).splitlines()) <= 80


def test_verdicts_come_first_and_no_heading_is_cut(assumptions_of: Give) -> None:
    lines = shown(report(assumptions_of("iris")), 200).splitlines()

    assert lines[0] == "iris · 20 runs · 105 train and 45 test samples each"
    assert lines[1].startswith("Naive: strongly broken in 3 of 3 classes (max |r| 0.86)")
    assert lines[2].startswith("Normal: strongly broken in 1 of 12 pairs")
    text = shown(report(assumptions_of("iris")))
    for heading in ("minus GNB, nats (95 %)", "total, nats", "skewness", "kurtosis"):
        assert heading in text
    assert text.count("p (Holm)") == 2


def test_a_terminal_shows_models_worst_classes_and_least_normal_features(
    assumptions_of: Give,
) -> None:
    iris = shown(report(assumptions_of("iris")))
    many = assumptions_of("many").findings.independence["max_abs_r"]
    classes = shown(report(assumptions_of("many"))).split("most correlated")[1]
    wine = shown(report(assumptions_of("wine")))

    assert "−0.1087 (−0.234 to 0.017) cannot tell" in iris
    first = classes.splitlines()[2].split()
    assert f"{many.max():.2f}" in first
    assert wine.split("p (Holm)")[2].split()[1:4] == ["malic_acid", "class_0", "0.804"]
    assert "Remark: QDA failed in 2 of 2 runs" in shown(report(assumptions_of("constant")))
