"""What a terminal shows of the assumptions."""

from collections.abc import Callable

from rich.cells import cell_len
from rich.console import Console

from gnbbench.report.assumptions_summary import AssumptionsSummary
from gnbbench.report.assumptions_terminal import (
    assumptions_table,
    class_rows,
    cost_rows,
    feature_rows,
)

Give = Callable[[str], AssumptionsSummary]


def _shown(summary: AssumptionsSummary, width: int = 80) -> str:
    console = Console(width=width, no_color=True, force_terminal=False, file=None)
    with console.capture() as capture:
        console.print(assumptions_table(summary))
    return capture.get()


def test_fits_eighty_columns(any_assumptions: AssumptionsSummary) -> None:
    wide = _shown(any_assumptions, width=200).splitlines()

    tables = [line for line in wide if line.startswith(" ")]
    assert tables
    assert max(cell_len(line.rstrip()) for line in tables) <= 80
    assert max(cell_len(line) for line in _shown(any_assumptions).splitlines()) <= 80


def test_both_verdicts_come_first(assumptions_of: Give) -> None:
    lines = _shown(assumptions_of("iris"), width=200).splitlines()

    assert lines[0] == "iris · 20 runs · 105 train and 45 test samples each"
    assert lines[1].startswith("Naive: strongly broken in 3 of 3 classes (max |r| 0.86)")
    assert lines[2].startswith("Normal: strongly broken in 1 of 12 pairs")


def test_no_heading_is_cut(assumptions_of: Give) -> None:
    text = _shown(assumptions_of("iris"))

    for heading in ("minus GNB, nats (95 %)", "total, nats", "skewness", "kurtosis"):
        assert heading in text
    assert text.count("p (Holm)") == 2


def test_every_model_has_its_line(assumptions_of: Give) -> None:
    rows = cost_rows(assumptions_of("iris"))

    assert [row[0] for row in rows] == [
        "GNB",
        "QDA",
        "LDA",
        "Yeo–Johnson + GNB",
        "Quantiles + GNB",
    ]
    assert rows[0][3] == ""
    assert rows[1][3] == "−0.1087 (−0.234 to 0.017) cannot tell"


def test_of_many_classes_the_most_dependent_are_told(assumptions_of: Give) -> None:
    rows = class_rows(assumptions_of("many"))

    largest = [float(row[1]) for row in rows]
    assert len(rows) == 10
    assert largest == sorted(largest, reverse=True)
    table = assumptions_of("many").findings.independence
    assert largest[0] == round(table["max_abs_r"].max(), 2)


def test_the_least_normal_features_are_told(assumptions_of: Give) -> None:
    rows = feature_rows(assumptions_of("wine"))

    assert len(rows) == 5
    assert rows[0][:3] == ("malic_acid", "class_0", "0.804")
    assert feature_rows(assumptions_of("constant")) == []


def test_remarks_are_told(assumptions_of: Give) -> None:
    assert "Remark: QDA failed in 2 of 2 runs" in _shown(assumptions_of("constant"))
