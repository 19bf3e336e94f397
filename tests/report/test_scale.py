"""The report of a scale study: its finding, what was left out, and its terminal."""

from typing import Any

import pandas as pd
import pytest
from faults.scale import made_records
from reading import shown

from gnbbench.report.blocks import Document
from gnbbench.report.figures.drawing import Absence
from gnbbench.report.html import page
from gnbbench.report.scale import report
from gnbbench.statistics.scale import some_of, summarize_scale

HALT = {"numpy": ("features", 16, "error", "ValueError: no")}


def made(*competitors: str, **options: Any) -> Document:
    return report(summarize_scale(made_records(competitors or ("numpy",), **options)))


def test_the_headline_is_the_finding_and_a_good_one_where_all_is_equal() -> None:
    document = made()

    assert document.headline.startswith("At 100,000 samples, fit of numpy takes ")
    assert document.tone == "good"


@pytest.mark.slow
def test_what_was_left_out_is_said_and_labels_that_differ_are_marked() -> None:
    document = made("numpy", "river", differing={"river": 4}, stopped=HALT)

    text = page(document)
    assert document.tone == "bad"
    assert "numpy: stopped at d = 8: it failed (ValueError: no" in text
    assert "✗ 99.6" in text


@pytest.mark.slow
def test_nothing_timed_is_still_a_page() -> None:
    records = made_records()
    empty = {"timings": records.timings.head(0), "memory": records.memory.head(0)}

    document = report(summarize_scale(type(records)(**{**vars(records), **empty})))

    assert document.headline == "Nothing could be timed."
    assert all(isinstance(drawing, Absence) for drawing in document.drawings)
    assert page(document).count("not drawn.") == 4


def test_every_table_of_the_summary_is_a_file() -> None:
    document = made()

    tables = {file.name: file.content for file in document.attachments}
    names = ("times", "exponents", "reads", "agreement", "memory", "stops")
    assert set(tables) == {f"{name}.csv" for name in names}
    for name in names:
        table = tables[f"{name}.csv"]
        assert isinstance(table, pd.DataFrame)
        assert len(table) == len(document.payload[name])


def test_growth_and_some_sizes_of_each_axis_are_shown() -> None:
    lines = shown(made()).splitlines()

    starts = [line.split()[0] for line in lines if "sklearn" in line and " s" in line]
    assert "Along samples (d = 20, K = 5)" in lines
    assert "Along features (n = 10,000, K = 5)" in lines
    assert {"1,000", "5,000", "20,000", "100,000"} <= set(starts)
    growth = next(line for line in lines if "n^0.90" in line)
    assert growth.split()[:2] == ["numpy", "n^0.90"]


def test_a_terminal_marks_labels_that_differ_and_says_what_stopped() -> None:
    halt = {"river": ("samples", 5000, "budget", "")}

    found = shown(made("numpy", "river", differing={"river": 10}, stopped=halt))

    text = " ".join(found.split())
    assert "✗ 99.0" in text
    assert "river: stopped at n = 2,000: the next point would have passed" in text


def test_the_first_and_the_last_size_are_among_those_shown() -> None:
    assert some_of([1, 2, 3]) == [1, 2, 3]
    assert some_of([1, 2, 5, 10, 20, 50, 100]) == [1, 5, 20, 100]
