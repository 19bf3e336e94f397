"""Records of scale studies that never ran: times follow power laws that are known."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from gnbbench.records import NULL_COMPETITOR, READ_COMPETITOR, ScaleRecords

AXES: dict[str, dict[str, Any]] = {
    "samples": {
        "sizes": [1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000],
        "held": 10_000,
    },
    "features": {"sizes": [4, 8, 16, 32, 64], "held": 20},
    "classes": {"sizes": [], "held": 5},
}
# (axis, operation) -> exponent of the reference and of any other.
POWERS = {
    ("samples", "fit"): (1.0, 0.9),
    ("samples", "predict"): (1.1, 1.0),
    ("features", "fit"): (0.8, 0.5),
    ("features", "predict"): (1.0, 0.7),
}
SECONDS = {"sklearn": 4e-3, NULL_COMPETITOR: 4e-3, READ_COMPETITOR: 1e-5}


def made_points() -> pd.DataFrame:
    rows: list[tuple[Any, ...]] = []
    for axis in ("samples", "features"):
        for size in AXES[axis]["sizes"]:
            sizes = {"samples": 10_000, "features": 20, "classes": 5, axis: size}
            rows.append((len(rows), axis, size, *sizes.values()))
    return _frame(rows, "point axis size n_samples n_features n_classes")


def made_records(
    competitors: tuple[str, ...] = ("numpy",),
    *,
    processes: int = 3,
    noise: float = 0.0,
    differing: Mapping[str, int] | None = None,
    stopped: Mapping[str, tuple[str, int, str, str]] | None = None,
    seed: int = 0,
) -> ScaleRecords:
    """Return records in which `stopped` maps a name to axis, size, status, message.

    `differing` maps a name to the number of labels that differ at every point.
    """
    points = made_points()
    halts, wrong = dict(stopped or {}), dict(differing or {})
    rng = np.random.default_rng(seed)
    looks: list[tuple[Any, ...]] = []
    pairs: list[tuple[Any, ...]] = []
    timings: list[tuple[Any, ...]] = []
    memory: list[tuple[Any, ...]] = []
    every: list[Any] = list(points.itertuples())
    for place in every:
        for name in ("sklearn", *competitors):
            axis, last, status, message = halts.get(name, ("", 0, "", ""))
            if place.axis == axis and place.size >= last:
                if place.size == last:
                    looks.append((place.point, name, status, message))
                continue
            looks.append((place.point, name, "ok", ""))
            if name != "sklearn":
                pairs.append((place.point, name, place.n_samples, wrong.get(name, 0)))
            timings += _times(place, name, processes, noise, rng)
            if place.size in {1000, 100_000, 4, 64}:
                memory += _memory(place, name)
        for name in (NULL_COMPETITOR, READ_COMPETITOR):
            timings += _times(place, name, processes, noise, rng)
    machine = {"versions": {"numpy": "2.4.6"}, "machine": {"cores": 2}}
    return ScaleRecords(
        plan={
            "study": "scale",
            "reference": "sklearn",
            "against": list(competitors),
            "axes": AXES,
            "budget_seconds": 60.0,
            "processes": processes,
            "seed": 42,
            "threads": 1,
            "specifications": {},
            "digests": {},
            "command": "gnbbench scale",
        },
        environment={**machine, "threads": "BLAS on 1 thread."},
        points=points,
        looks=_frame(looks, "point implementation status message"),
        pairs=_frame(pairs, "point implementation n_test disagreements"),
        timings=_frame(timings, "process point operation implementation round seconds"),
        losses=_frame([], "process point implementation status message"),
        memory=_frame(
            memory,
            "axis implementation status message point operation traced_bytes "
            "resident_bytes",
        ),
        remarks=("In 1 of 9 visits times were disturbed: a cat.",),
        regime="Warm.",
    )


def _frame(rows: list[tuple[Any, ...]], columns: str) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=columns.split())


def _times(
    place: Any, name: str, processes: int, noise: float, rng: np.random.Generator
) -> list[tuple[Any, ...]]:
    found = []
    for operation in ("fit", "predict"):
        reference, other = POWERS[place.axis, operation]
        power = reference if name in {"sklearn", NULL_COMPETITOR} else other
        power = 1.0 if name == READ_COMPETITOR else power
        middle = SECONDS.get(name, 1e-3) * (place.size / 32) ** power
        for process in range(processes):
            shift = rng.normal(0.0, noise)
            for number in range(8):
                jitter = np.exp(shift + rng.normal(0.0, 1e-4))
                row = (process, place.point, operation, name, number, middle * jitter)
                found.append(row)
    return found


def _memory(place: Any, name: str) -> list[tuple[Any, ...]]:
    x_bytes = 8.0 * place.n_samples * place.n_features
    resident = 2.5 * x_bytes if place.size in {100_000, 64} else np.nan
    fixed = (place.axis, name, "ok", "", place.point)
    return [
        (*fixed, "fit", 1.0 * x_bytes, resident),
        (*fixed, "predict", 2.0 * x_bytes, resident),
    ]
