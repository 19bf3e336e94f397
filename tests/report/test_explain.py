"""The report on causes: its page, its tiles, its tables, its terminal."""

from collections.abc import Callable

import pytest
from reading import tables, texts

from gnbbench.report.explain import report
from gnbbench.statistics.summary import Summary

Give = Callable[..., Summary]


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
