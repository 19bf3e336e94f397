"""Core against scikit-learn, timed by the tool's own paired protocol.

Run it with ``make bench``. It prints each ratio beside its limit and exits 1 if one is
exceeded; it is no test, because a busy machine may exceed any limit.
"""

import sys
from dataclasses import dataclass

import pandas as pd
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

from gnbbench import GaussianNB
from gnbbench.measurement.operations import time_implementations
from gnbbench.measurement.timing import TimingPlan
from gnbbench.splits import split
from gnbbench.statistics.timing import summarize_timings

LOADERS = {
    "iris": load_iris,
    "wine": load_wine,
    "breast_cancer": load_breast_cancer,
    "digits": load_digits,
}

# Largest ratio of the median time to scikit-learn's; digits is measured without a limit.
LIMITS = {
    ("iris", "fit"): 0.12,
    ("wine", "fit"): 0.15,
    ("breast_cancer", "fit"): 0.20,
    ("iris", "predict"): 0.5,
    ("wine", "predict"): 0.5,
    ("breast_cancer", "predict"): 0.5,
}


@dataclass(frozen=True)
class Line:
    """One measured ratio with its interval, its floor and its limit."""

    dataset: str
    operation: str
    ratio: float
    low: float
    high: float
    floor_low: float
    floor_high: float
    limit: float | None

    @property
    def within(self) -> bool:
        """Whether the ratio keeps its limit."""
        return self.limit is None or self.ratio <= self.limit


def lines(name: str) -> list[Line]:
    """Return the ratios of fit, predict and predict_proba on run 0 of a dataset."""
    X, y = LOADERS[name](return_X_y=True)
    one = split(y, 0)
    timed = time_implementations(
        {"sklearn": ScikitLearnGaussianNB, "numpy": GaussianNB},
        X[one.train],
        y[one.train],
        X[one.test],
        reference="sklearn",
        plan=TimingPlan(budget_seconds=3.0),
    )
    columns = ["operation", "implementation", "round", "position", "seconds"]
    table = pd.DataFrame(timed.rows(), columns=columns)
    found = summarize_timings(
        table, timed.notes(), reference="sklearn", competitors=["numpy"]
    )
    return [
        Line(
            name,
            row.operation,
            row.ratio,
            row.low,
            row.high,
            row.floor_low,
            row.floor_high,
            LIMITS.get((name, row.operation)),
        )
        for row in found.ratios.itertuples()
    ]


def main() -> None:
    """Measure, print the table, and exit 1 if a limit is exceeded."""
    found = [line for name in LOADERS for line in lines(name)]
    table = Table(
        "dataset", "operation", "ratio", "95 % interval", "noise floor", "limit", ""
    )
    for line in found:
        table.add_row(
            line.dataset,
            line.operation,
            f"{line.ratio:.3f}",
            f"{line.low:.3f} to {line.high:.3f}",
            f"{line.floor_low:.3f} to {line.floor_high:.3f}",
            "" if line.limit is None else f"{line.limit:.2f}",
            "" if line.limit is None else ("ok" if line.within else "exceeded"),
        )
    Console().print(table)
    sys.exit(0 if all(line.within for line in found) else 1)


if __name__ == "__main__":
    main()
