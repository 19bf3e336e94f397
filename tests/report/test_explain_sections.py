"""The tables of the page on causes."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gnbbench.diagnosis import CAUSES
from gnbbench.report.explain_contributions import cards
from gnbbench.report.explain_sections import (
    MOST_CLASSES,
    cause_table,
    disagreement_table,
    meaning_table,
    posterior_table,
)
from gnbbench.report.explain_summary import ExplainSummary
from gnbbench.report.tables import Table

Give = Callable[..., ExplainSummary]


def _texts(table: Table | None) -> list[list[str]]:
    assert table is not None
    return [[cell.text for cell in row] for row in table.rows]


def test_causes_have_words_number_estimate_and_evidence(explain_of: Give) -> None:
    rows = _texts(cause_table(explain_of("mixed").diagnosed[0].diagnosis, "mixed"))

    assert [row[0] for row in rows] == ["no-smoothing", "prior", "density-floor"]
    assert rows[1] == [
        "prior",
        CAUSES["prior"],
        "2 disagreements",
        "uniform priors",
        "Priors are uniform.",
    ]


def test_a_crash_is_counted_in_predictions(explain_of: Give) -> None:
    rows = _texts(cause_table(explain_of("crashed").diagnosed[0].diagnosis, "crashed"))

    assert rows[0][2] == "900 predictions missing"


def test_every_kept_disagreement_is_listed(explain_of: Give) -> None:
    summary = explain_of("left")

    table = disagreement_table(summary, summary.diagnosed[0])

    assert table.caption == "All 16 disagreements of left"
    assert _texts(table)[0] == [
        "run 0, row 50",
        "versicolor",
        "versicolor",
        "virginica",
        "no-smoothing",
        "1.50",
        "0.818",
        "0.750",
    ]
    assert _texts(table)[-1][4] == "unexplained"
    assert table.numeric[5:] == (True, True, True)


def test_the_caption_says_how_many_are_left_out(explain_of: Give) -> None:
    summary = explain_of("left")
    one = summary.diagnosed[0]
    many = replace(one, diagnosis=replace(one.diagnosis, n_disagreements=1463))

    caption = disagreement_table(summary, many).caption

    assert caption == "The first 16 of 1,463 disagreements of left"


def test_posteriors_stand_side_by_side_most_probable_first(explain_of: Give) -> None:
    summary = explain_of("unsmoothed")

    rows = _texts(posterior_table(summary, cards(summary)[0]))

    assert rows == [
        ["versicolor", "0.8175", "0.2500"],
        ["virginica", "0.1825", "0.7500"],
        ["setosa", "0", "0"],
    ]


def test_posteriors_that_are_not_offered_are_dashes_or_no_table(explain_of: Give) -> None:
    summary = explain_of("unsmoothed")
    card = cards(summary)[0]
    labels = replace(card, disagreement=replace(card.disagreement, posterior=None))
    neither = replace(labels.disagreement, reference_posterior=None)

    assert _texts(posterior_table(summary, labels))[0] == ["versicolor", "0.8175", "–"]
    assert posterior_table(summary, replace(card, disagreement=neither)) is None


def test_of_many_classes_the_most_probable_are_shown(explain_of: Give) -> None:
    summary = explain_of("unsmoothed")
    many = replace(
        summary,
        classes=np.arange(30),
        dataset=replace(
            summary.dataset, class_names=tuple(f"species {n}" for n in range(30))
        ),
    )
    card = cards(summary)[0]
    posterior = np.linspace(0.0, 2 / 30, 30)
    wide = replace(card.disagreement, posterior=posterior, reference_posterior=posterior)

    table = posterior_table(many, replace(card, disagreement=wide))

    assert len(_texts(table)) == MOST_CLASSES
    assert _texts(table)[0][0] == "species 29"
    assert table is not None
    assert table.caption == ("Posterior probabilities, the 8 most probable of 30 classes")


def test_the_closed_list_is_told_whole() -> None:
    assert _texts(meaning_table()) == [[name, words] for name, words in CAUSES.items()]
