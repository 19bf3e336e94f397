"""The label that each implementation gives at every point of a plane."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gnbbench.implementations import Implementation
from gnbbench.measurement.plane import Plane
from gnbbench.measurement.predictions import RunError, predictions
from gnbbench.measurement.sample import Sample
from gnbbench.splits import Split

GRID = 150
MARGIN = 0.06
MAX_POINTS = 500


def decision_regions(
    sample: Sample, one: Split, view: Plane, entries: Sequence[Implementation]
) -> dict[str, Any]:
    """Return the labels over a grid, of models fitted on two coordinates alone."""
    train = view.points[one.train]
    low, high = train.min(axis=0), train.max(axis=0)
    border = np.maximum(high - low, np.finfo(np.float64).tiny) * MARGIN
    low, high = low - border, high + border
    horizontal, vertical = (np.linspace(low[axis], high[axis], GRID) for axis in (0, 1))
    grid = np.stack(np.meshgrid(horizontal, vertical), axis=-1).reshape(-1, 2)
    codes: dict[str, list[int]] = {}
    failures = []
    for entry in entries:
        try:
            said = predictions(entry, train, sample.y[one.train], grid, sample.classes)
        except RunError as error:
            failures.append(f"{entry.name} gave no labels here ({error})")
            continue
        codes[entry.name] = said.test.tolist()
    caption = (
        f"Models fitted again on two coordinates: {view.choice}. Training side of run "
        f"{one.run}, {len(train)} samples."
    )
    return {
        "axis_names": list(view.axis_names),
        "extent": [float(low[0]), float(high[0]), float(low[1]), float(high[1])],
        "shape": [GRID, GRID],
        "codes": codes,
        "points": train[:MAX_POINTS].tolist(),
        "point_codes": sample.codes[one.train][:MAX_POINTS].tolist(),
        "caption": " ".join([caption, *failures]),
    }
