"""The report on causes: its page, its tiles, its tables, its terminal."""

import pytest
from reading import Give, shown, tables, texts

from gnbbench.report.explain import report


def test_omitted_disagreements_are_counted_and_numbers_aligned(explain_of: Give) -> None:
    captioned = tables(report(explain_of("left", n_disagreements=1463)), "disagreements")

    table = captioned["The first 16 of 1,463 disagreements of left"]
    assert table.numeric[6:] == (True, True, True)


@pytest.mark.parametrize("label", ["2", 7, None, [1], "<b>\x00"])
def test_a_label_of_no_class_is_shown_as_in_python(explain_of: Give, label: object) -> None:
    table, *_ = tables(
        report(explain_of("unsmoothed", each={"label": label})), "disagreements"
    ).values()

    assert texts(table)[0][4] == repr(label)


def test_a_failure_is_told_once_and_offers_nothing_to_reproduce(explain_of: Give) -> None:
    message = "20 of 20 runs failed; the first: ValueError: a b"
    summary = explain_of("crashed", verdict=f"crashed fails: {message}")

    document = report(summary)

    (table,) = tables(document, "causes").values()
    assert shown(document, 400).count(message) == 1
    assert [row[-1] for row in texts(table)] == [""]  # Its evidence is what it does
    assert document.tiles[-1].facts[0].detail == "no prediction to compare"
