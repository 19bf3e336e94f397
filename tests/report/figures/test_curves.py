"""Parts of the figures over train fractions."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from gnbbench.report.figures import curves
from gnbbench.report.style import LineStyle
from gnbbench.statistics.sweep_summary import SweepSummary
from gnbbench.words import percent

STYLE = LineStyle("a", "#123456", "o", "")


def _frame(**columns: list[float]) -> pd.DataFrame:
    return pd.DataFrame({"implementation": ["r", "r"], "fraction": [0.1, 0.9], **columns})


def test_conservative_intervals_are_dotted_and_others_solid() -> None:
    axes = Figure().subplots()
    rows = _frame(low=[0.1, 0.8], high=[1.4, 0.9])

    curves.intervals(axes, rows, np.array([0.1, 0.9]), STYLE, np.array([True, False]))

    styles = {one.get_label(): one.get_linestyle() for one in axes.collections}
    assert set(styles) == {"_conservative", "_interval"}
    assert styles["_conservative"] != styles["_interval"]
    (solid,) = axes.collections[0].get_paths()
    assert np.asarray(solid.vertices).tolist() == [[0.9, 0.8], [0.9, 0.9]]


def test_what_has_no_interval_is_not_drawn() -> None:
    axes = Figure().subplots()
    rows = _frame(low=[np.nan, np.nan], high=[np.nan, np.nan])

    curves.intervals(axes, rows, np.array([0.1, 0.9]), STYLE, np.array([True, False]))

    assert len(axes.collections) == 0


def test_conservative_intervals_do_not_widen_the_axis() -> None:
    frame = _frame(mean=[0.8, 0.9], low=[-5.0, 0.85], high=[5.0, 0.95])

    low, high = curves.reach(frame, frozenset({0.1}), "r")
    wide = curves.reach(frame, frozenset(), "r")

    assert 0.75 < low < 0.8
    assert 0.95 < high < 1.0
    assert wide[0] < -5.0
    assert wide[1] > 5.0


def test_an_axis_of_shares_ends_a_little_above_one() -> None:
    frame = _frame(mean=[0.8, 0.9], low=[0.7, 0.8], high=[0.9, 3.0])

    assert 1.0 < curves.reach(frame, frozenset(), "r", at_most=1.0)[1] < 1.2


@pytest.mark.parametrize("number", [1, 2, 7])
def test_shifts_are_centred_and_stay_apart_from_the_next_fraction(number: int) -> None:
    shifts = curves.shifts(number, [0.1, 0.2, 0.5])

    assert shifts.sum() == pytest.approx(0)
    assert np.abs(shifts).max() < 0.05
    assert len(set(shifts)) == number


def test_many_fractions_do_not_all_have_a_number() -> None:
    axes = Figure().subplots()

    curves.fraction_axis(axes, [k / 100 for k in range(1, 100)])

    assert len(axes.get_xticks()) <= 11


def test_fractions_without_a_split_are_named(
    sweep_of: Callable[[str], SweepSummary],
) -> None:
    told = curves.exception(sweep_of("several"))

    assert told == f" No split exists at {percent(0.01)}."
    assert curves.exception(sweep_of("identical")) == ""
