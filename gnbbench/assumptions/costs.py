"""What each assumption costs: models without it, on the same splits as GNB."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from gnbbench.data.dataset import Dataset
from gnbbench.implementations import Implementation
from gnbbench.measurement.evaluation import evaluate
from gnbbench.measurement.split_rules import Sample, SplitRule
from gnbbench.records import TABLES
from gnbbench.statistics.metrics import SplitSizes, differences, metrics, run_values
from gnbbench.statistics.remarks import failures

METRICS = ("test_accuracy", "log_loss")
# A difference below this, in accuracy or in nats, does not matter.
MARGIN = 0.01


def _gnb() -> Any:
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


def _qda() -> Any:
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    # The eigenvalues of standardised features are compared with tol; 0 leaves it to
    # shrinkage to keep them positive.
    qda = QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto", tol=0.0)
    return make_pipeline(StandardScaler(), qda)


def _lda() -> Any:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    lda = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    return make_pipeline(StandardScaler(), lda)


def _yeo_johnson() -> Any:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PowerTransformer

    return make_pipeline(PowerTransformer("yeo-johnson"), _gnb())


def _quantiles() -> Any:
    from sklearn.pipeline import make_pipeline

    from gnbbench.assumptions.quantiles import NormalQuantiles

    return make_pipeline(NormalQuantiles(), _gnb())


GNB, QDA, LDA = "GNB", "QDA", "LDA"
YEO_JOHNSON, QUANTILES = "Yeo–Johnson + GNB", "Quantiles + GNB"

MODELS = (
    Implementation(GNB, _gnb, "both assumptions"),
    Implementation(
        QDA,
        _qda,
        "without the naive one: a full covariance matrix for each class, its correlations "
        "shrunk towards 0 by the share of Ledoit and Wolf (2004)",
    ),
    Implementation(
        LDA,
        _lda,
        "without the naive one, but one covariance matrix for all classes, shrunk likewise",
    ),
    Implementation(
        YEO_JOHNSON,
        _yeo_johnson,
        "normal assumption eased: every feature is made as normal as a power can (Yeo and "
        "Johnson 2000), the same one for all classes",
    ),
    Implementation(
        QUANTILES,
        _quantiles,
        "normal assumption eased further: every feature is made normal over all classes "
        "together, by as many quantiles as there are train samples, at most 1000",
    ),
)


@dataclass(frozen=True, eq=False)
class Costs:
    """How GNB and the models without one assumption did on the same splits."""

    n_train: int
    n_test: int
    # Columns of `Summary.metrics` (``implementation`` is the model), for the test accuracy
    # and the log loss (nats, probabilities clipped to machine epsilon)
    metrics: pd.DataFrame
    # Columns of `Summary.differences`: model minus GNB, paired within runs, the interval
    # corrected for splits that share samples, p after Holm over the models
    differences: pd.DataFrame
    # ``run``, ``implementation``, ``status`` ("ok" or "error"), ``message`` (of the error,
    # or what a model warned of), ``test_accuracy``, ``log_loss``
    runs: pd.DataFrame
    notes: tuple[str, ...]  # One sentence for each model that failed in some run


def costs(dataset: Dataset, *, n_runs: int, seed: int, test_size: float) -> Costs:
    """Return accuracy and log loss of every model, and the differences from GNB.

    A model that cannot be fitted in a run (QDA needs two samples a class) has no value in
    that run; ``runs`` counts those it has.
    """
    rule = SplitRule(seed, test_size, stratify=True, name=dataset.name)
    sample = Sample(dataset.X, dataset.y, dataset.classes, dataset.codes)
    first = rule.cut(sample, 0)
    sizes = SplitSizes(len(first.train), len(first.test))
    runs, pairs = _records(sample, n_runs, rule)
    names = [entry.name for entry in MODELS]
    values = run_values(runs, names)
    disagreements = pairs.groupby("implementation")["disagreements"].sum()
    changes = differences(
        values,
        {name: int(disagreements.get(name, 0)) for name in names},
        sizes,
        reference=GNB,
        margin=MARGIN,
    )
    found = metrics(values, sizes, dict.fromkeys(names, float("nan")))
    return Costs(
        sizes.n_train,
        sizes.n_test,
        _of_metrics(found),
        _of_metrics(changes),
        runs[["run", "implementation", "status", "message", *METRICS]],
        tuple(failures(runs, names).values()),
    )


def _records(
    sample: Sample, n_runs: int, rule: SplitRule
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the records of all runs and of their pairs, one run evaluated at a time."""
    runs, pairs = [], []
    for run in range(n_runs):
        tables = evaluate(sample, rule, [run], MODELS)
        runs += tables["runs"]
        pairs += tables["pairs"]
    return (
        pd.DataFrame(runs, columns=list(TABLES["runs"])),
        pd.DataFrame(pairs, columns=list(TABLES["pairs"])),
    )


def _of_metrics(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["metric"].isin(METRICS)].reset_index(drop=True)
