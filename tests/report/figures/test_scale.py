"""Data and words of figures over sizes."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from faults.scale import made_records
from matplotlib.axes import Axes
from reading import panels

from gnbbench.report.figures.drawing import Absence, Drawing
from gnbbench.report.scale import report
from gnbbench.statistics.scale import summarize_scale
from gnbbench.statistics.summary import Summary

pytestmark = pytest.mark.slow


def summary(*competitors: str, **options: Any) -> Summary:
    return summarize_scale(made_records(competitors or ("numpy",), **options))


@cache
def usual() -> tuple[Summary, dict[str, Drawing]]:
    """Return the usual study and its figures."""
    of = summary()
    return of, drawn(of)


def drawn(of: Summary) -> dict[str, Drawing]:
    return {one.name: one for one in report(of).drawings if isinstance(one, Drawing)}


def curves(axes: Axes) -> dict[str, np.ndarray]:
    lines = [one for one in axes.lines if not str(one.get_label()).startswith("_")]
    return {str(one.get_label()): np.asarray(one.get_xydata()) for one in lines}


@pytest.mark.parametrize("axis", ["samples", "features"])
def test_the_curves_are_the_times(axis: str) -> None:
    of, drawings = usual()

    shown = panels(drawings[f"scale_{axis}"])

    for axes, operation in zip(shown, ("fit", "predict"), strict=True):
        lines = curves(axes)
        assert set(lines) == {"sklearn", "numpy", "one read of X"}
        chosen = (of.times["axis"] == axis) & (of.times["operation"] == operation)
        rows = of.times.loc[chosen]
        for name in ("sklearn", "numpy"):
            mine = rows.loc[rows["implementation"] == name, ["size", "seconds"]]
            np.testing.assert_array_equal(lines[name], mine.to_numpy(float))
        assert axes.get_xscale() == axes.get_yscale() == "log"


def test_one_that_stopped_is_named_in_the_text_for_a_picture() -> None:
    halt = {"numpy": ("samples", 5000, "budget", "")}

    assert "Not to the end: numpy." in drawn(summary(stopped=halt))["scale_samples"].alt


def test_the_limit_is_above_every_throughput() -> None:
    for axes in panels(usual()[1]["scale_throughput"]):
        lines = curves(axes)
        limit = lines.pop("one read of X")[:, 1].min()
        assert all(points[:, 1].max() < limit for points in lines.values())


def test_undrawable_figures_say_why() -> None:
    records = made_records()
    empty = replace(records, timings=records.timings.head(0), memory=records.memory.head(0))

    absent = report(summarize_scale(empty)).drawings

    assert all(isinstance(one, Absence) for one in absent)
    assert {getattr(one, "reason", "") for one in absent} == {
        "Nothing was timed along n.",
        "Nothing was timed along d.",
        "No memory was measured.",
    }
