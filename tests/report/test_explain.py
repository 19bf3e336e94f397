"""The report on causes: its page, its tiles, its tables, its terminal."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from reading import shown, tables, texts

from gnbbench.diagnosis import CAUSES
from gnbbench.report.explain import MOST_CLASSES, report
from gnbbench.report.explain_summary import ExplainSummary
from gnbbench.report.html import page

Give = Callable[..., ExplainSummary]
PERCENT = "\N{NO-BREAK SPACE}%"


@pytest.mark.parametrize(
    ("name", "tone"),
    [("same", "good"), ("divisor", "unsure"), ("unsmoothed", "bad"), ("crashed", "bad")],
)
def test_the_band_says_what_differs_and_why(explain_of: Give, name: str, tone: str) -> None:
    document = report(explain_of(name))

    assert document.tone == tone
    assert document.headline == explain_of(name).headline
    assert document.setting.startswith(
        f"{name} against sklearn on iris: 20 runs, each with 105 train samples"
    )


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("same", ["0", "–", f"100{PERCENT}", "2.5 × 10⁻¹⁶"]),
        ("unsmoothed", ["14", "14", f"100{PERCENT}", "2.5 × 10⁻¹⁶"]),
        ("other", ["3", "0", f"83.1{PERCENT}", "0.43"]),
        ("left", ["16", "14", f"100{PERCENT}", "–"]),
        ("crashed", ["–", "–", "–", "–"]),
    ],
)
def test_tiles_have_the_numbers(explain_of: Give, name: str, values: list[str]) -> None:
    tiles = report(explain_of(name)).tiles

    found = [
        tile.facts[0].value.replace("\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}", " × ")
        for tile in tiles
    ]
    assert found == values
    assert [tile.title for tile in tiles] == [
        "Disagreements with sklearn",
        "Disagreements explained",
        "Predictions reproduced",
        "Largest remaining probability difference",
    ]


def test_tiles_name_causes_and_setting_and_several_implementations(
    explain_of: Give,
) -> None:
    tiles = report(explain_of("unsmoothed")).tiles
    several = report(explain_of("same", "other")).tiles

    assert [tile.facts[0].detail for tile in tiles][:3] == [
        "of 900 predictions",
        "of 14: no-smoothing",
        "nothing added to variances",
    ]
    assert report(explain_of("divisor")).tiles[1].facts[0].detail == (
        "no label differs; variance-divisor"
    )
    assert all([f.implementation for f in t.facts] == ["same", "other"] for t in several)


def test_causes_have_words_number_estimate_and_evidence(explain_of: Give) -> None:
    found = tables(report(explain_of("mixed", "crashed")), "causes")

    rows = texts(found["Causes of what mixed does otherwise"])
    assert [row[0] for row in rows] == ["no-smoothing", "prior", "density-floor"]
    assert rows[1] == [
        *("prior", CAUSES["prior"], "2 disagreements"),
        *("uniform priors", "Priors are uniform."),
    ]
    crashed = texts(found["Causes of what crashed does otherwise"])
    assert crashed[0][2] == "900 predictions missing"


def test_every_kept_disagreement_is_listed(explain_of: Give) -> None:
    table = tables(report(explain_of("left")), "disagreements")[
        "All 16 disagreements of left"
    ]

    assert texts(table)[0] == [
        *("run 0, row 50", "versicolor", "versicolor", "virginica", "no-smoothing"),
        *("1.50", "0.818", "0.750"),
    ]
    assert texts(table)[-1][4] == "unexplained"
    assert table.numeric[5:] == (True, True, True)


def test_the_caption_says_how_many_are_left_out(explain_of: Give) -> None:
    summary = explain_of("left")
    one = summary.diagnosed[0]
    many = replace(one, diagnosis=replace(one.diagnosis, n_disagreements=1463))

    found = tables(report(replace(summary, diagnosed=(many,))), "disagreements")

    assert "The first 16 of 1,463 disagreements of left" in found


def test_contributions_and_posteriors_stand_side_by_side(explain_of: Give) -> None:
    document = report(explain_of("unsmoothed"))

    found = list(tables(document, "disagreements").values())
    first = [row for row in texts(found[1]) if row[0] == "run 0, row 50"]
    assert first[0] == [
        *("run 0, row 50", "petal length (cm)"),
        *("4.200", "1.000", "−1.000", "−2.000"),
    ]
    assert len(first) == 5
    assert texts(found[2])[:3] == [
        ["run 0, row 50", "versicolor", "0.8175", "0.2500"],
        ["run 0, row 50", "virginica", "0.1825", "0.7500"],
        ["run 0, row 50", "setosa", "0", "0"],
    ]
    file = next(one for one in document.attachments if one.name == "contributions.csv")
    assert isinstance(file.content, pd.DataFrame)
    assert len(file.content) == 10 * 5


def test_of_many_classes_the_most_probable_are_shown(explain_of: Give) -> None:
    summary = explain_of("unsmoothed")
    posterior = np.linspace(0.0, 2 / 30, 30)
    one = summary.diagnosed[0]
    rows = [
        replace(row, posterior=None, reference_posterior=posterior)
        for row in one.diagnosis.disagreements
    ]
    many = replace(
        summary,
        classes=np.arange(30),
        dataset=replace(
            summary.dataset,
            class_names=tuple(f"species {n}" for n in range(30)),
            class_counts=(5,) * 30,
        ),
        diagnosed=(
            replace(one, diagnosis=replace(one.diagnosis, disagreements=tuple(rows))),
        ),
    )

    found = tables(report(many), "disagreements")

    told = texts(found["Posterior probabilities, the largest ones"])
    assert len(told) == 10 * MOST_CLASSES
    assert told[0][1] == "species 29"
    assert told[0][3] == "–"


def test_no_disagreement_is_said_so(explain_of: Give) -> None:
    document = report(explain_of("divisor"))

    text = page(document)
    assert "No label differs." in text
    assert tables(document, "disagreements") == {}
    assert {file.name for file in document.attachments if file.content is None} == {
        "contributions.csv"
    }


def test_another_cause_changes_what_is_shown(explain_of: Give) -> None:
    unsmoothed, divisor = (
        str(
            tables(report(explain_of(name)), "causes")[
                f"Causes of what {name} does otherwise"
            ].cells
        )
        for name in ("unsmoothed", "divisor")
    )

    assert ("no-smoothing" in unsmoothed, "variance-divisor" in unsmoothed) == (True, False)
    assert ("no-smoothing" in divisor, "variance-divisor" in divisor) == (False, True)


def test_the_method_has_the_closed_list(explain_of: Give) -> None:
    found = tables(report(explain_of("same")), "method")

    assert texts(found["Every cause there is"]) == [list(one) for one in CAUSES.items()]


def test_nothing_is_wider_than_80_columns(any_explain: ExplainSummary) -> None:
    lines = shown(report(any_explain)).splitlines()

    assert lines
    assert max(len(line) for line in lines) <= 80


def test_verdict_causes_sureness_and_disagreements_come_in_order(explain_of: Give) -> None:
    text = " ".join(shown(report(explain_of("mixed"))).split())

    parts = (
        "iris · 20 runs · 105 train, 45 test samples each · against sklearn",
        "mixed: no-smoothing; prior; density-floor",
        "no-smoothing 14",
        "1.000 × 10⁻⁹",
        "reproduces 100 % of 900",
        "Every disagreement is explained.",
        "0 50 versicolor versicolor virginica no-smoothing 1.50",
        "and 12 more disagreements.",
    )
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_a_terminal_shows_causes_where_there_are_any_and_what_remains(
    explain_of: Give,
) -> None:
    found = shown(report(explain_of("divisor")))

    assert [name for name in CAUSES if name in found] == ["variance-divisor"]
    assert "evidence" not in shown(report(explain_of("same")))
    assert "Nothing was compared" in shown(report(explain_of("uncompared")))
    assert "2 of 16 disagreements remain unexplained." in shown(report(explain_of("left")))
