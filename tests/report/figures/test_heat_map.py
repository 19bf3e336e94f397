"""Heat maps."""

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from numpy.typing import NDArray

from gnbbench.report.figures.heat_map import Scale, heat_map
from gnbbench.report.style import MUTED, ON_DARK_CELL, ON_LIGHT_CELL

SCALE = Scale(colormaps["viridis"], 0.0, 1.0)


def test_text_on_dark_cells_is_light_and_on_light_cells_dark() -> None:
    assert SCALE.contrast(0.0) == ON_DARK_CELL
    assert SCALE.contrast(1.0) == ON_LIGHT_CELL
    assert SCALE.contrast(float("nan")) == MUTED


@pytest.mark.parametrize(("n", "rasterised"), [(3, False), (30, True)])
def test_values_are_drawn_and_blank_cells_left_out(n: int, *, rasterised: bool) -> None:
    axes = Figure().subplots()
    values = np.where(np.eye(n) > 0, 0.9, np.nan)

    heat_map(
        axes,
        values,
        np.full((n, n), "", dtype=object),
        [f"class {i}" for i in range(n)],
        SCALE,
        inches=3.0,
        first=True,
    )

    (mesh,) = [item for item in axes.collections if isinstance(item, QuadMesh)]
    drawn: NDArray[np.float64] = np.ma.asarray(mesh.get_array()).reshape(n, n)
    assert np.array_equal(np.ma.getmaskarray(drawn), np.isnan(values))
    assert bool(mesh.get_rasterized()) is rasterised
    assert len(axes.get_xticks()) <= 12
