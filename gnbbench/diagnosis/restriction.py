"""Runs and what was observed on them, cut down to some of the test rows."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gnbbench.diagnosis.family import TrainedRun
from gnbbench.diagnosis.observations import Observation


def restricted(
    runs: Sequence[TrainedRun],
    observed: Sequence[Observation],
    rows: Sequence[NDArray[np.bool_]],
) -> tuple[list[TrainedRun], list[Observation]]:
    """Return the runs and observations with these test rows; empty runs left out."""
    kept = [
        (_run_rows(run, keep), _observed_rows(seen, keep))
        for run, seen, keep in zip(runs, observed, rows, strict=True)
        if keep.any()
    ]
    return [run for run, _ in kept], [seen for _, seen in kept]


def _run_rows(run: TrainedRun, keep: NDArray[np.bool_]) -> TrainedRun:
    return run if keep.all() else replace(run, X_test=run.X_test[keep], test=run.test[keep])


def _observed_rows(seen: Observation, keep: NDArray[np.bool_]) -> Observation:
    if keep.all():
        return seen
    table = seen.log_posterior
    return replace(
        seen,
        labels=seen.labels[keep],
        given=seen.given[keep],
        log_posterior=None if table is None else table[keep],
        undefined=seen.undefined[keep],
    )
