"""The report on causes: its page, its tiles, its tables, its terminal."""

from collections.abc import Callable

import pytest
from reading import shown, tables, texts

from gnbbench.diagnosis import CAUSES
from gnbbench.report.explain import remainder, report
from gnbbench.report.html import page
from gnbbench.statistics.summary import Summary

Give = Callable[..., Summary]
PERCENT = "\N{NO-BREAK SPACE}%"


@pytest.mark.parametrize(
    ("name", "tone"),
    [
        ("same", "good"),
        ("unsmoothed", "bad"),
        ("divisor", "unsure"),
        ("tied", "unsure"),
        ("other", "bad"),
        ("undefined", "bad"),
        ("crashed", "bad"),
        ("uncompared", "unsure"),
    ],
)
def test_the_colour_follows_the_causes(explain_of: Give, name: str, tone: str) -> None:
    assert report(explain_of(name)).tone == tone


@pytest.mark.parametrize(
    ("name", "values", "details"),
    [
        (
            "same",
            ["0", "–", f"100{PERCENT}", "2.5 × 10⁻¹⁶"],
            ["of 900 predictions", "no label differs", "as scikit-learn"],
        ),
        (
            "unsmoothed",
            ["14", "14", f"100{PERCENT}", "2.5 × 10⁻¹⁶"],
            ["of 900 predictions", "of 14: no-smoothing", "nothing added to variances"],
        ),
        (
            "divisor",
            ["0", "–", f"100{PERCENT}", "2.5 × 10⁻¹⁶"],
            ["of 900 predictions", "no label differs; variance-divisor"],
        ),
        ("other", ["3", "0", f"83.1{PERCENT}", "0.43"], ["of 900 predictions"]),
        ("left", ["16", "14", f"100{PERCENT}", "–"], ["of 900 predictions"]),
        ("crashed", ["–", "–", "–", "–"], ["no prediction to compare"]),
    ],
)
def test_tiles_have_the_numbers(
    explain_of: Give, name: str, values: list[str], details: list[str]
) -> None:
    facts = [tile.facts[0] for tile in report(explain_of(name)).tiles]

    space = "\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}"
    assert [fact.value.replace(space, " × ") for fact in facts] == values
    assert [fact.detail for fact in facts][: len(details)] == details
    for tile in report(explain_of("mixed", name, "tied")).tiles:
        assert [fact.implementation for fact in tile.facts] == ["mixed", name, "tied"]


def test_causes_have_words_number_estimate_and_evidence(explain_of: Give) -> None:
    found = tables(report(explain_of("mixed", "crashed")), "causes")

    rows = texts(found["Causes of the differences of mixed"])
    assert [row[0] for row in rows] == ["no-smoothing", "prior", "density-floor"]
    assert rows[1] == [
        *("prior", "2 disagreements", "Priors are uniform."),
        *("–", "Priors are uniform."),
    ]
    crashed = texts(found["Causes of the differences of crashed"])
    assert crashed[0][1] == "900 predictions missing"


@pytest.mark.parametrize(("name", "words"), [("other", "3 of 3"), ("left", "2 of 16")])
def test_what_remains_is_counted(explain_of: Give, name: str, words: str) -> None:
    found = explain_of(name).details["diagnoses"][name]

    assert remainder(found) == f"{words} disagreements remain unexplained."


def test_every_kept_disagreement_is_listed(explain_of: Give) -> None:
    table = tables(report(explain_of("left")), "disagreements")[
        "All 16 disagreements of left"
    ]
    many = tables(report(explain_of("left", n_disagreements=1463)), "disagreements")

    assert texts(table)[0] == [
        *("0", "50", "versicolor", "versicolor", "virginica", "no-smoothing"),
        *("1.50", "0.818", "0.750"),
    ]
    assert texts(table)[-1][5] == "unexplained"
    assert table.numeric[6:] == (True, True, True)
    assert "The first 16 of 1,463 disagreements of left" in many


@pytest.mark.parametrize("label", ["2", 7, None, [1], "<b>\x00"])
def test_a_label_that_is_no_class_is_told_as_python_writes_it(
    explain_of: Give, label: object
) -> None:
    table, *_ = tables(
        report(explain_of("unsmoothed", each={"label": label})), "disagreements"
    ).values()

    assert texts(table)[0][4] == repr(label)


def test_contributions_stand_side_by_side(explain_of: Give) -> None:
    found = list(tables(report(explain_of("unsmoothed")), "disagreements").values())

    first = [row for row in texts(found[1]) if row[0] == "run 0, row 50"]
    assert first[0] == [
        *("run 0, row 50", "petal length (cm)"),
        *("4.200", "1.000", "−1.000", "−2.000"),
    ]
    assert len(first) == 5


def test_no_disagreement_is_said_so_and_the_method_has_the_closed_list(
    explain_of: Give,
) -> None:
    document = report(explain_of("divisor"))

    assert "No label differs." in page(document)
    listed = texts(tables(document, "method")["All causes"])
    assert listed == [list(one) for one in CAUSES.items()]
    assert tables(document, "disagreements") == {}
    assert {file.name for file in document.attachments if file.content is None} == {
        "contributions.csv"
    }


def test_a_terminal_shows_causes_where_there_are_any_and_how_many_follow(
    explain_of: Give,
) -> None:
    found = shown(report(explain_of("divisor")))

    assert [name for name in CAUSES if f"{name}:" in found] == ["variance-divisor"]
    assert "\nvariance-divisor: By " in found
    assert "To agree" not in shown(report(explain_of("same")))
    assert "and 12 more disagreements." in shown(report(explain_of("mixed")))
