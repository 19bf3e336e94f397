"""The report of a scale study: its finding, what was left out, and its terminal."""

from dataclasses import replace
from typing import Any

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


@pytest.mark.slow
def test_what_was_left_out_is_said_and_labels_that_differ_are_marked() -> None:
    halt = {
        "numpy": ("features", 16, "error", "ValueError: no"),
        "river": ("samples", 5000, "budget", ""),
    }
    document = made("numpy", "river", differing={"river": 4}, stopped=halt)

    for text in (page(document), " ".join(shown(document).split())):
        assert "numpy: stopped at d = 8, because it failed (ValueError: no" in text
        assert "river: stopped at n = 2,000, because the next size would have" in text
        assert "labels of river differ" in text
    assert "✗ 99.6" in page(document)
    assert (document.tone, made().tone) == ("bad", "good")


def test_nothing_timed_is_still_a_page_and_every_table_a_file() -> None:
    records = made_records()
    empty = {"timings": records.timings.head(0), "memory": records.memory.head(0)}

    document = report(summarize_scale(replace(records, **empty)))

    text = page(document)
    assert len(document.drawings) == 4
    for drawing in document.drawings:
        assert isinstance(drawing, Absence)
        assert drawing.reason in text
    names = ("times", "exponents", "reads", "agreement", "memory", "stops")
    assert [file.name for file in document.attachments] == [f"{n}.csv" for n in names]


@pytest.mark.slow
def test_growth_and_some_sizes_of_each_axis_are_shown() -> None:
    lines = shown(made()).splitlines()

    starts = [line.split()[1] for line in lines if line.startswith(" sklearn ")]
    assert "Along samples (d = 20, K = 5)" in lines
    assert "Along features (n = 10,000, K = 5)" in lines
    assert {"1,000", "5,000", "20,000", "100,000"} <= set(starts)
    assert some_of([1, 2, 3]) == [1, 2, 3]
    assert some_of([1, 2, 5, 10, 20, 50, 100]) == [1, 5, 20, 100]
    growth = next(line for line in lines if "n^0.90" in line)
    assert growth.split()[:5] == ["numpy", "n^0.90", "(0.90", "to", "0.90)"]


def test_an_exponent_that_times_do_not_settle_is_shown_nowhere() -> None:
    records = made_records(noise=1.0)
    summary = summarize_scale(records)
    is_wide = summary.exponents["high"] - summary.exponents["low"] > 0.6
    document = report(summary)

    for text in (page(document), shown(document)):
        for row in summary.exponents.loc[is_wide].to_dict("records"):
            symbol = {"samples": "n", "features": "d"}[row["axis"]]
            assert f"{symbol}^{row['exponent']:.2f}" not in text
        assert "too noisy" in text
    assert is_wide.any()


def test_two_sizes_settle_no_exponent() -> None:
    summary = summarize_scale(made_records(stopped={"numpy": HALT["numpy"]}))

    told = shown(report(summary))

    slopes = summary.exponents.query("axis == 'features' and implementation == 'numpy'")
    assert slopes["exponent"].notna().all()
    for slope in slopes["exponent"]:
        assert f"d^{slope:.2f}" not in told
    assert "d^0.80" in told
