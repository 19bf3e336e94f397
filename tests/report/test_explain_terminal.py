"""The report on causes for a terminal."""

from collections.abc import Callable
from io import StringIO

from rich.console import Console

from gnbbench.diagnosis import CAUSES
from gnbbench.report.explain_summary import ExplainSummary
from gnbbench.report.explain_terminal import explain_table

Give = Callable[..., ExplainSummary]


def _text(summary: ExplainSummary) -> str:
    console = Console(width=80, record=True, file=StringIO())
    console.print(explain_table(summary))
    return console.export_text()


def test_nothing_is_wider_than_80_columns(any_explain: ExplainSummary) -> None:
    lines = _text(any_explain).splitlines()

    assert lines
    assert max(len(line) for line in lines) <= 80


def test_verdict_causes_sureness_and_disagreements_come_in_order(explain_of: Give) -> None:
    text = " ".join(_text(explain_of("mixed")).split())

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


def test_each_cause_is_told_in_words_and_no_other(explain_of: Give) -> None:
    text = _text(explain_of("divisor"))

    assert "variance-divisor" in text
    assert [name for name in CAUSES if name in text] == ["variance-divisor"]
    assert "prior" in _text(explain_of("mixed"))


def test_no_table_of_causes_without_any(explain_of: Give) -> None:
    assert "evidence" not in _text(explain_of("same"))
    assert "Nothing was compared" in _text(explain_of("uncompared"))


def test_what_remains_is_told(explain_of: Give) -> None:
    assert "2 of 16 disagreements remain unexplained." in _text(explain_of("left"))
