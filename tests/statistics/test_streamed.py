"""What a streamed study has besides: rates of passes, and remarks."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnbbench.records import Records
from gnbbench.statistics.remarks import stream_remarks, stream_tables

CAUSE = {"implementation": "numpy", "largest": 3e-5, "left": 2e-15}


def row(what: str, rows: int, seconds: float, **more: str) -> dict[str, Any]:
    """Return a row of a pass, as in records."""
    fields = {"stage": "training", "implementation": "", **more}
    return {**fields, "what": what, "rows": rows, "seconds": seconds}


def note(**changes: Any) -> dict[str, Any]:
    """Return the note of a streamed study, with changes."""
    names = ("passes", "parameters", "variance_causes", "remarks")
    return {**{name: [] for name in names}, **changes}


def records(differing: int = 0, smallest: int = 5, **changes: Any) -> Records:
    """Return the few tables that remarks look at."""
    kept = pd.DataFrame({"implementation": ["numpy"] * 3})
    pairs = pd.DataFrame({"implementation": ["numpy"], "disagreements": [differing]})
    unseen = ("confusion", "label_pairs", "probability_differences", "reliability")
    empty: dict[str, Any] = dict.fromkeys((*unseen, "votes", "timings"), pd.DataFrame())
    return Records(
        plan={"reference": "sklearn"},
        environment={},
        dataset={},
        runs=pd.DataFrame({"smallest_class": [smallest] * 2}),
        pairs=pairs,
        disagreements=kept if differing else kept.head(0),
        timing_notes=None,
        decision_regions=None,
        stream=note(**changes),
        **empty,
    )


def test_rates_are_worked_out_by_hand() -> None:
    rows = [
        row("reading", 1000, 2.0),
        row("calls", 700, 0.5, implementation="numpy"),
        row("whole pass", 1000, 4.0),
        row("reading", 1000, 8.0, stage="scoring"),
        row("calls", 300, 2.0, stage="scoring", implementation="numpy"),
    ]

    tables = stream_tables(note(passes=rows))

    assert tables["passes"]["rows_per_second"].tolist() == [500, 1400, 250, 125, 150]
    assert tables["passes"]["times_reading"].tolist() == [1.0, 0.25, 2.0, 1.0, 0.25]


def test_a_clock_that_stood_still_gives_no_rate() -> None:
    rows = [row("reading", 10, 0.0), row("whole pass", 10, 1.0)]
    tables = stream_tables(note(passes=rows))

    assert tables["passes"]["rows_per_second"].isna().tolist() == [True, False]
    assert np.isnan(tables["passes"]["times_reading"]).all()


def test_any_other_study_has_none_of_it() -> None:
    assert stream_tables(None) == {}
    assert stream_remarks(replace(records(), stream=None)) == []


@pytest.mark.parametrize(
    ("own", "reference", "words"),
    [
        ("own", "batch", "partial_fit of sklearn subtracts the epsilon_ of each new batch"),
        ("batch", "own", "partial_fit of numpy subtracts the epsilon_"),
        ("none", "own", "numpy has no epsilon_ and adds none. Without that amount"),
        ("own", "own", "the epsilon_ of numpy and sklearn differ"),
    ],
)
def test_each_cause_has_its_words(own: str, reference: str, words: str) -> None:
    cause = {**CAUSE, "own": own, "reference": reference}

    (_, found) = stream_remarks(records(variance_causes=[cause]))

    assert words in found
    assert "3.0\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}10⁻⁵ (relative)" in found
    assert found.endswith("2.0\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}10⁻¹⁵ is left.")


def test_an_epsilon_that_differs_by_more_than_rounding_is_reported() -> None:
    rows = [
        {"implementation": name, "parameter": of, "largest_relative_difference": value}
        for name, of, value in (
            ("numpy", "epsilon_", 0.0153),
            ("torch", "epsilon_", 1e-15),
            ("torch", "var_", 0.1),
        )
    ]

    assert stream_remarks(records(parameters=rows))[1:] == [
        "The epsilon_ of numpy differs from that of sklearn by 0.0153 times the latter."
    ]


def test_omissions_are_remarks() -> None:
    remarks = stream_remarks(records(differing=12_000, smallest=0, remarks=["On Dask."]))

    assert remarks[1:] == [
        "Of 12,000 disagreements of numpy the first 3 of the stream are kept as rows; "
        "all are counted.",
        "In at least one run a class has no training sample.",
        "On Dask.",
    ]
    assert len(stream_remarks(records(differing=3))) == 1
