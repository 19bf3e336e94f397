"""Values out of tables."""

import math

import pandas as pd

from gnbbench.statistics.summary import Lookup


def test_a_value_equals_that_of_its_row_and_what_is_missing_is_nan_or_empty() -> None:
    row = {"implementation": "numpy", "mean": 0.5, "low": float("nan"), "high": 0.6}
    lookup = Lookup(pd.DataFrame([row]), "implementation")

    assert lookup.number("mean", "numpy") == 0.5
    assert math.isnan(lookup.number("mean", "river"))
    assert math.isnan(lookup.number("median", "numpy"))
    assert math.isnan(lookup.triple("mean", "numpy")[1])
    assert (lookup.text("low", "numpy"), lookup.text("mean", "river")) == ("", "")
    assert (bool(lookup.row("numpy")), bool(lookup.row("river"))) == (True, False)
