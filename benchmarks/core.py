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
    ("iris", "fit"): 0.065,
    ("wine", "fit"): 0.085,
    ("breast_cancer", "fit"): 0.135,
    ("digits", "fit"): 0.2,
    ("iris", "predict"): 0.33,
    ("wine", "predict"): 0.37,
    ("breast_cancer", "predict"): 0.45,
    ("digits", "predict"): 0.1,
}
COLUMNS = ["operation", "implementation", "round", "position", "seconds"]


def measured() -> Iterator[Measured]:
    """Yield the ratios of fit, predict and predict_proba: run 0 of each, all of digits."""
    for name, loader in LOADERS.items():
        X, y = loader(return_X_y=True)
        one = split(y, 0)
        # Digits are taken as scikit-learn loads them: a view of a wider array.
        train, test = (one.train, one.test) if name != "digits" else (slice(None),) * 2
        timed = time_implementations(
            {"sklearn": ScikitLearnGaussianNB, "numpy": GaussianNB},
            X[train],
            y[train],
            X[test],
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
