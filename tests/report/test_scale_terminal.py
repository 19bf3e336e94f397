"""What a terminal shows of a scale study."""

from io import StringIO
from typing import Any

from faults.scale import HOSTILE, made_records
from rich.console import Console

from gnbbench.report.scale_terminal import scale_table
from gnbbench.statistics.scale import summarize_scale


def shown(*competitors: str, **options: Any) -> list[str]:
    console = Console(width=80, record=True, file=StringIO())
    console.print(scale_table(summarize_scale(made_records(competitors, **options))))
    return console.export_text().splitlines()


def test_growth_and_some_sizes_of_each_axis_are_shown() -> None:
    lines = shown("numpy")

    assert max(map(len, lines)) <= 80
    starts = [line.split()[0] for line in lines if "sklearn" in line and " s" in line]
    assert "Along samples (d = 20, K = 5)" in lines
    assert "Along features (n = 10,000, K = 5)" in lines
    assert {"1,000", "5,000", "20,000", "100,000"} <= set(starts)
    growth = next(line for line in lines if "n^0.90" in line)
    assert growth.split()[:2] == ["numpy", "n^0.90"]


def test_labels_that_differ_are_marked_and_stops_are_sentences() -> None:
    halt = {"river": ("samples", 5000, "budget", "")}

    text = " ".join(
        " ".join(shown("numpy", "river", differing={"river": 10}, stopped=halt)).split()
    )

    assert "✗ 99.0" in text
    assert "river: stopped at n = 2,000: the next point would have passed" in text


def test_long_and_hostile_names_stay_within_80_columns() -> None:
    lines = shown(HOSTILE * 3, "x" * 60)

    assert max(map(len, lines)) <= 80
