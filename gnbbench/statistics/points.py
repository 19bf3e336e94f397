"""The runs at each point of a study: one, or one per train fraction of a sweep."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.records import RUN_METRICS, Records
from gnbbench.statistics.metrics import SplitSizes, run_values
from gnbbench.statistics.schema import table_of

NO_SPLIT = "no split:"
FEWEST_OF_A_CLASS = 2


@dataclass(frozen=True, eq=False)
class Point:
    """What was measured at one point."""

    fraction: float  # Share of the samples to train on, as asked for; NaN where it was not
    records: Records
    sizes: SplitSizes  # The same in every run; both are 0 where no such split exists
    runs: NDArray[np.int64]  # (n_runs,): Their numbers, ascending
    run_values: Mapping[str, NDArray[np.float64]]  # (n_runs, n_metrics)

    @property
    def is_possible(self) -> bool:
        """Whether there is such a split."""
        return self.sizes.n_train > 0

    @property
    def is_conservative(self) -> bool:
        """Whether more than half of the samples are tested, so that intervals are wide."""
        return self.is_possible and self.sizes.test_share > 0.5

    def metric(self, implementation: str, name: str) -> NDArray[np.float64]:
        """Return one metric of every run; NaN where a run has none."""
        values: NDArray[np.float64] = self.run_values[implementation][
            :, RUN_METRICS.index(name)
        ]
        return values

    def pairs(self, implementation: str) -> pd.DataFrame:
        """Return the runs in which this one and the reference both gave labels."""
        pairs = self.records.pairs
        return pairs[pairs["implementation"] == implementation]


def point_of(records: Records, fraction: float, implementations: Sequence[str]) -> Point:
    """Return the point that these records were measured at."""
    runs = records.runs
    return Point(
        fraction,
        records,
        SplitSizes(int(runs["n_train"].max()), int(runs["n_test"].max())),
        np.unique(runs["run"].to_numpy(np.int64)),
        run_values(runs, implementations),
    )


def points_table(points: Sequence[Point]) -> pd.DataFrame:
    """Return the table `points`.

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
        rows.append((point.fraction, *sizes, thin, none, point.is_conservative))
    table = table_of("points", rows)
    table.insert(0, "point", range(len(table)))
    return table


def impossible_runs(runs: pd.DataFrame) -> pd.Series:
    """Tell for each row of the table of runs whether it had no split to be run on."""
    messages = runs["message"].fillna("").astype(str)
    return (runs["status"] != "ok") & messages.str.startswith(NO_SPLIT)
