"""Agreement beyond chance."""

import numpy as np
from numpy.typing import ArrayLike
from statsmodels.stats.inter_rater import cohens_kappa


def kappa(counts: ArrayLike) -> float:
    """Return Cohen's kappa; NaN where chance alone would agree always, or no counts.

    (observed - expected) / (1 - expected) agreement (Cohen 1960, eq. 1).
    """
    table = np.asarray(counts, dtype=np.float64)
    by_chance = float(table.sum(axis=0) @ table.sum(axis=1))
    # Compared before dividing: whole numbers are exact, their ratios are not.
    if by_chance == table.sum() ** 2:
        return float("nan")
    return float(cohens_kappa(table, return_results=False))
