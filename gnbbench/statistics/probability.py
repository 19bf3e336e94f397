"""How the probabilities of each implementation differ from the reference's."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

COLUMNS = ("implementation", "low", "high", "count")

SMALLEST_DECADE = -16


def probability_differences(
    counts: pd.DataFrame, competitors: Sequence[str]
) -> pd.DataFrame:
    """Return the table `probability_differences` of a Summary.

    The first bin of a competitor counts exact zeros, if there are none as 0. Then comes
    one bin for all that lies above 0 and below 1e-16, where there is any: naive Bayes
    gives probabilities down to 1e-308, whose differences would fill 300 bins and lie all
    below the rounding of 1. Then one bin per power of ten from the smallest difference
    seen to 1, empty ones included.
    """
    rows: list[tuple[str, float, float, int]] = []
    for name in competitors:
        own = counts[counts["implementation"] == name]
        if own.empty:
            continue
        decades = own["decade"].astype(np.float64)
        rows.append((name, 0.0, 0.0, int(own.loc[decades.isna(), "count"].sum())))
        summed = own["count"].groupby(decades).sum()
        tiny = summed[summed.index < SMALLEST_DECADE]
        if not tiny.empty:
            rows.append((name, 0.0, float(f"1e{SMALLEST_DECADE}"), int(tiny.sum())))
        start = 0 if summed.empty else max(int(summed.index.min()), SMALLEST_DECADE)
        rows.extend(
            (
                name,
                float(f"1e{decade}"),
                float(f"1e{decade + 1}"),
                int(summed.get(decade, 0)),
            )
            for decade in range(start, 0)
        )
    return pd.DataFrame(rows, columns=list(COLUMNS))
