"""Agreement beyond chance."""

import numpy as np
from numpy.typing import ArrayLike
from statsmodels.stats.inter_rater import cohens_kappa


def kappa(counts: ArrayLike) -> float:
    """Return Cohen's kappa; NaN where chance alone would agree always, or no counts.

    (observed - expected) / (1 - expected) agreement (Cohen 1960, eq. 1).

    Parameters
    ----------
    counts : array-like of shape (n_classes, n_classes)
        How often the one gave the row's label while the other gave the column's.

    Returns
    -------
    float
        At most 1.

    Examples
    --------
    >>> round(kappa([[20, 5], [10, 15]]), 2)
    0.4
    >>> kappa([[30, 0], [0, 0]])
    nan
    """
    table = np.asarray(counts, dtype=np.float64)
    by_chance = float(table.sum(axis=0) @ table.sum(axis=1))
    # Compared before dividing: whole numbers are exact, their ratios are not.
    if by_chance == table.sum() ** 2:
        return float("nan")
    return float(cohens_kappa(table, return_results=False))
