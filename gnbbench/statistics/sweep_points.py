"""The runs at each train fraction of a sweep, as the statistics of a sweep take them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.records import RUN_METRICS, Records
from gnbbench.statistics.metrics import SplitSizes, run_values

NO_SPLIT = "no split:"
FEWEST_OF_A_CLASS = 2

COLUMNS = {
    "fraction": "float64",
    "n_train": "int64",
    "n_test": "int64",
    "runs": "int64",
    "thin_runs": "int64",
    "impossible_runs": "int64",
    "conservative": "bool",
}


@dataclass(frozen=True, eq=False)
class SweepPoint:
    """What was measured at one train fraction."""

    fraction: float  # Share of the samples on the train side
    records: Records  # As a compare study at this fraction has them
    sizes: SplitSizes  # Both sizes are 0 where no such split exists
    runs: NDArray[np.int64]  # (n_runs,): Their numbers, ascending
    # (n_runs, n_metrics): From `gnbbench.statistics.metrics.run_values`
    run_values: Mapping[str, NDArray[np.float64]]

    @property
    def possible(self) -> bool:
        """Whether there is such a split."""
        return self.sizes.n_train > 0

    @property
    def conservative(self) -> bool:
        """Whether more than half of the samples are tested, so that intervals are wide."""
        return self.possible and self.sizes.test_share > 0.5

    def metric(self, implementation: str, name: str) -> NDArray[np.float64]:
        """Return one metric of every run; NaN where a run has none."""
        values: NDArray[np.float64] = self.run_values[implementation][
            :, RUN_METRICS.index(name)
        ]
        return values


def sweep_points(
    by_fraction: Mapping[float, Records], implementations: Sequence[str]
) -> tuple[SweepPoint, ...]:
    """Return one point per train fraction, ascending."""
    return tuple(
        SweepPoint(
            fraction,
            records,
            # Every split at one fraction has the same sizes.
            SplitSizes(
                int(records.runs["n_train"].max()), int(records.runs["n_test"].max())
            ),
            np.unique(records.runs["run"].to_numpy(np.int64)),
            run_values(records.runs, implementations),
        )
        for fraction, records in sorted(by_fraction.items())
    )


def fractions_table(points: Sequence[SweepPoint]) -> pd.DataFrame:
    """Return the table `fractions_table` of a SweepSummary.

    A run that exists but has fewer than two training samples of some class is evaluated
    like all others and counted as thin.
    """
    rows = []
    for point in points:
        runs = point.records.runs
        impossible = impossible_runs(runs)
        few = (runs["smallest_class"] < FEWEST_OF_A_CLASS) & ~impossible
        thin, none = (runs.loc[which, "run"].nunique() for which in (few, impossible))
        sizes = (point.sizes.n_train, point.sizes.n_test, len(point.runs))
        rows.append((point.fraction, *sizes, thin, none, point.conservative))
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def impossible_runs(runs: pd.DataFrame) -> pd.Series:
    """Tell for each row of the table of runs whether it had no split to be run on."""
    messages = runs["message"].fillna("").astype(str)
    return (runs["status"] != "ok") & messages.str.startswith(NO_SPLIT)
