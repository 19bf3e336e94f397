"""Core against scikit-learn on small data, timed by the tool's own paired protocol."""

from collections.abc import Iterator

import pandas as pd
from measured import Measured
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
# Largest ratio of the median time to scikit-learn's.
LIMITS = {
    ("iris", "fit"): 0.08,
    ("wine", "fit"): 0.10,
    ("breast_cancer", "fit"): 0.14,
    ("digits", "fit"): 0.3,
    ("iris", "predict"): 0.35,
    ("wine", "predict"): 0.4,
    ("breast_cancer", "predict"): 0.5,
    ("digits", "predict"): 0.4,
}
COLUMNS = ["operation", "implementation", "round", "position", "seconds"]


def measured() -> Iterator[Measured]:
    """Yield the ratios of fit, predict and predict_proba on run 0 of each dataset."""
    for name, loader in LOADERS.items():
        X, y = loader(return_X_y=True)
        one = split(y, 0)
        timed = time_implementations(
            {"sklearn": ScikitLearnGaussianNB, "numpy": GaussianNB},
            X[one.train],
            y[one.train],
            X[one.test],
            reference="sklearn",
            plan=TimingPlan(budget_seconds=3.0),
        )
        table = pd.DataFrame(timed.rows(), columns=COLUMNS)
        found = summarize_timings(
            table, timed.notes(), reference="sklearn", competitors=["numpy"]
        )
        for row in found.ratios.itertuples():
            yield Measured(
                name,
                row.operation,
                (row.ratio,),
                limit=LIMITS.get((name, row.operation)),
                interval=(row.low, row.high),
                remark=f"floor {row.floor_low:.3f} to {row.floor_high:.3f}",
            )
