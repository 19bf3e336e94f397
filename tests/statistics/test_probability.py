from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnbbench.records import Records
from gnbbench.statistics.agreement import probability_differences


def test_counts_are_those_of_the_differences(
    random_study: Callable[..., Any], records_of: Callable[..., Records]
) -> None:
    study = random_study(changed={"numpy": 0.2})
    gap = np.abs(study.probabilities["numpy"] - study.probabilities["sklearn"]).ravel()

    table = probability_differences(records_of(study).probability_differences, ["numpy"])

    bins = table.iloc[1:]
    assert table["count"].iloc[0] == (gap == 0).sum()
    edges = [*bins["low"], 1.0]
    assert bins["count"].tolist() == np.histogram(gap[gap > 0], bins=edges)[0].tolist()
    assert table["count"].sum() == gap.size


def test_bins_join_without_a_gap_up_to_1() -> None:
    counts = pd.DataFrame(
        {"implementation": "numpy", "decade": [-16.0, -3.0], "count": [4, 2]}
    )

    table = probability_differences(counts, ["numpy"])

    assert table[["low", "high", "count"]].iloc[0].tolist() == [0, 0, 0]
    assert table["low"].tolist()[1:] == pytest.approx([10.0**d for d in range(-16, 0)])
    assert table["low"].tolist()[2:] == table["high"].tolist()[1:-1]
    assert table["high"].iloc[-1] == 1.0
    assert table["count"].sum() == 6


def test_differences_below_rounding_share_one_bin_of_their_own() -> None:
    """Decade -324 has no lower edge that is not 0 in double precision."""
    counts = pd.DataFrame(
        {"implementation": "numpy", "decade": [None, -324, -17, -16], "count": [9, 1, 2, 4]}
    )

    table = probability_differences(counts, ["numpy"])

    assert table[["low", "high", "count"]].to_numpy().tolist()[:3] == [
        [0.0, 0.0, 9.0],
        [0.0, 1e-16, 3.0],
        [1e-16, 1e-15, 4.0],
    ]
    assert table["count"].sum() == 16
    assert len(table) == 18


def test_only_exact_zeros_give_the_one_bin_of_zero() -> None:
    counts = pd.DataFrame({"implementation": "numpy", "decade": [None], "count": [90]})

    table = probability_differences(counts, ["numpy"])

    assert table.to_numpy().tolist() == [["numpy", 0.0, 0.0, 90]]


def test_no_probabilities_give_no_row() -> None:
    counts = pd.DataFrame(columns=["implementation", "decade", "count"])

    assert probability_differences(counts, ["numpy"]).empty
