"""How a time grows with a size: the exponent of a power law, with an interval."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

FloatArray = NDArray[np.float64]

# Below this share of the largest size, what every call costs anyway would flatten the line.
UPPER_PART = 0.1
FEWEST_POINTS = 3
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Exponent:
    """The p of time ~ size^p over the upper part of an axis."""

    value: float  # NaN where there are fewer than two sizes
    low: float  # 95 % interval; NaN where there are fewer than three sizes
    high: float  # 95 % interval; NaN where there are fewer than three sizes
    first: int  # The sizes it was taken between; 0 where there is none
    last: int  # The sizes it was taken between; 0 where there is none
    points: int  # Number of sizes


NO_EXPONENT = Exponent(np.nan, np.nan, np.nan, 0, 0, 0)


def scaling_exponent(sizes: Sequence[int], seconds: Sequence[float]) -> Exponent:
    """Return the slope of log time against log size over the upper decade of sizes.

    Least squares through the sizes from a tenth of the largest on, or through the three
    largest where those are fewer: small sizes show the cost of a call, not how it grows.
    The interval is that of Student's t for a slope, n - 2 degrees of freedom. It takes
    deviations from a straight line, of whatever cause, for noise: a curve that bends has a
    wide one.
    """
    x, y = np.asarray(sizes, dtype=np.float64), np.asarray(seconds, dtype=np.float64)
    if not (np.isfinite(y).all() and (y > 0.0).all()):
        raise ValueError("Times should be positive numbers.")
    if not (np.diff(x) > 0.0).all():
        raise ValueError("Sizes should ascend.")
    if len(x) < 2:
        return NO_EXPONENT
    used = max(int((x >= UPPER_PART * x[-1]).sum()), min(FEWEST_POINTS, len(x)))
    x, y = x[-used:], y[-used:]
    slope, error = _slope(np.log(x), np.log(y))
    half = np.nan
    if used >= FEWEST_POINTS:
        half = float(stats.t.ppf((1 + LEVEL) / 2, used - 2)) * error
    return Exponent(
        round(slope, 12), slope - half, slope + half, int(x[0]), int(x[-1]), used
    )


def _slope(x: FloatArray, y: FloatArray) -> tuple[float, float]:
    """Return the slope of least squares and its standard error, NaN for two points."""
    # SciPy's linregress has no standard error for a level line.
    across, up = x - x.mean(), y - y.mean()
    spread = float(across @ across)
    slope = float(across @ up) / spread
    if len(x) < FEWEST_POINTS:
        return slope, float("nan")
    left = up - slope * across
    return slope, float(np.sqrt(left @ left / (len(x) - 2) / spread))
