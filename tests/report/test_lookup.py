"""Values out of tables."""

import math

import pandas as pd

from gnbbench.report.lookup import Lookup

TABLE = pd.DataFrame(
    {"implementation": ["numpy"], "mean": [0.5], "low": [float("nan")], "high": [0.6]}
)


def test_gives_the_value_of_the_row() -> None:
    assert Lookup(TABLE, "implementation").number("mean", "numpy") == 0.5


def test_missing_row_column_and_value_are_nan() -> None:
    lookup = Lookup(TABLE, "implementation")

    assert math.isnan(lookup.number("mean", "river"))
    assert math.isnan(lookup.number("median", "numpy"))
    assert math.isnan(lookup.triple("mean", "numpy")[1])


def test_text_of_a_missing_value_is_empty() -> None:
    lookup = Lookup(TABLE, "implementation")

    assert lookup.text("low", "numpy") == ""
    assert lookup.text("mean", "river") == ""
    assert ("numpy",) in lookup
    assert ("river",) not in lookup
