"""The report of a scale study: its finding, what was left out, and its terminal."""

from dataclasses import replace

import pytest
from faults.invented_studies import STOPPED
from faults.scale import made_records
from reading import shown

from gnbbench.report.figures.drawing import Absence
from gnbbench.report.files import page
from gnbbench.report.scale import report
from gnbbench.statistics.scale import summarize_scale
from gnbbench.words import raised


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
def test_an_exponent_that_times_do_not_settle_is_shown_nowhere() -> None:
    records = made_records(noise=1.0)
    summary = summarize_scale(records)
    is_wide = summary.exponents["high"] - summary.exponents["low"] > 0.6
    document = report(summary)

    for text in (page(document), shown(document)):
        for row in summary.exponents.loc[is_wide].to_dict("records"):
            symbol = {"samples": "n", "features": "d"}[row["axis"]]
            assert f"{symbol}{raised(row['exponent'])}" not in text
        assert "too noisy" in text
    assert is_wide.any()


def test_two_sizes_settle_no_exponent() -> None:
    summary = summarize_scale(made_records(stopped={"numpy": STOPPED["numpy"]}))

    text = shown(report(summary))

    slopes = summary.exponents.query("axis == 'features' and implementation == 'numpy'")
    assert slopes["exponent"].notna().all()
    for slope in slopes["exponent"]:
        assert f"d{raised(slope)}" not in text
    assert "d⁰·⁸⁰" in text
