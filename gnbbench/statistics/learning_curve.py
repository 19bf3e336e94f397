"""How much test accuracy is gained from one train fraction to the next."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.statistics.metrics import run_mean
from gnbbench.statistics.sweep_points import SweepPoint

COLUMNS = ("implementation", "from_fraction", "to_fraction", "slope", "low", "high")
TEN_POINTS = 0.1


def slopes(points: Sequence[SweepPoint], implementations: Sequence[str]) -> pd.DataFrame:
    """Return the table `slopes` of a SweepSummary.

    A slope is the mean over runs of the gain from one fraction to the next, both taken
    from the run of the same number and so of the same random state. The interval uses the
    correction for the smaller fraction, the larger one of the two, so that it is rather too
    wide than too narrow. Fractions without a split are passed over.
    """
    possible = [point for point in points if point.possible]
    rows = []
    for name in implementations:
        for first, second in pairwise(possible):
            step = (second.fraction - first.fraction) / TEN_POINTS
            m = run_mean(_gains(first, second, name) / step, first.sizes)
            ends = (first.fraction, second.fraction)
            rows.append((name, *ends, m.mean, m.low, m.high))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _gains(first: SweepPoint, second: SweepPoint, name: str) -> NDArray[np.float64]:
    """Return the gain in test accuracy of every run that both have."""
    _, before, after = np.intersect1d(
        first.runs, second.runs, assume_unique=True, return_indices=True
    )
    gains: NDArray[np.float64] = (
        second.metric(name, "test_accuracy")[after]
        - first.metric(name, "test_accuracy")[before]
    )
    return gains
