"""The cost of each assumption: models without it, on the same splits as GNB."""

from functools import partial
from typing import Any

import pandas as pd

from gnbbench.data.dataset import Dataset
from gnbbench.implementations import Implementation
from gnbbench.measurement.evaluation import evaluate
from gnbbench.records import TABLES
from gnbbench.splits import SplitRule, sample_of
from gnbbench.statistics.intervals import rows_tested
from gnbbench.statistics.metrics import (
    Disputes,
    SplitSizes,
    corrected,
    differences,
    metrics,
    run_values,
)
from gnbbench.statistics.remarks import failures

METRICS = ("test_accuracy", "log_loss")
# A difference below this, in accuracy or in nats, does not matter.
MARGIN = 0.01

N_KERNELS = 50
MOST_QUANTILES = 1000
GNB, QDA, LDA = "GNB", "QDA", "LDA"
KERNEL = "Kernel logistic"
YEO_JOHNSON, QUANTILES = "Yeo–Johnson + GNB", "Quantiles + GNB"
DESCRIPTIONS = {
    GNB: "both assumptions",
    QDA: "no naive assumption: a full covariance matrix for each class, with correlations "
    "shrunk towards 0 (Ledoit and Wolf 2004)",
    LDA: "no naive assumption, but one covariance matrix for all classes, also shrunk",
    KERNEL: f"no assumption at all: logistic regression on {N_KERNELS} radial kernels, "
    "which sees dependence of any kind",
    YEO_JOHNSON: "normal assumption relaxed: a power transform (Yeo and Johnson 2000), the "
    "same for all classes, makes each feature as normal as it can",
    QUANTILES: "normal assumption relaxed further: quantiles (one per train sample, at "
    f"most {MOST_QUANTILES}) make each feature normal over all classes together",
}


def model_of(name: str, n_train: int) -> Any:
    """Return an unfitted model by name, for that many training samples."""
    from sklearn.discriminant_analysis import (
        LinearDiscriminantAnalysis,
        QuadraticDiscriminantAnalysis,
    )
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PowerTransformer, QuantileTransformer, StandardScaler

    if name == GNB:
        return GaussianNB()
    # The eigenvalues of standardised features are compared with tol; 0 relies on the
    # shrinkage to keep them positive.
    qda = QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto", tol=0.0)
    lda = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    waves = Nystroem(n_components=N_KERNELS, random_state=0)
    logistic = LogisticRegression(C=100.0, max_iter=1000)
    # Uses all samples, so that nothing depends on chance.
    quantiles = QuantileTransformer(
        n_quantiles=min(MOST_QUANTILES, n_train),
        output_distribution="normal",
        subsample=None,
    )
    steps = {
        QDA: (StandardScaler(), qda),
        LDA: (StandardScaler(), lda),
        KERNEL: (StandardScaler(), waves, logistic),
        YEO_JOHNSON: (PowerTransformer("yeo-johnson"), GaussianNB()),
        QUANTILES: (quantiles, GaussianNB()),
    }
    return make_pipeline(*steps[name])


def costs(dataset: Dataset, *, n_runs: int, seed: int, test_size: float) -> dict[str, Any]:
    """Return the accuracy and log loss of every model, and their differences from GNB.

    Keys are the names of fields of `Assumptions`. A model that cannot be fitted in a run
    (QDA needs two samples per class) has no value there; ``runs`` counts its runs.
    """
    rule = SplitRule(seed, test_size, stratify=True)
    sample = sample_of(dataset)
    first = rule.cut(sample, 0)
    sizes = SplitSizes(len(first.train), len(first.test))
    names = tuple(DESCRIPTIONS)
    makes = {name: partial(model_of, name, sizes.n_train) for name in names}
    models = [Implementation(name, make) for name, make in makes.items()]
    tables = [evaluate(sample, rule, [run], models) for run in range(n_runs)]
    runs, disputed = (
        pd.DataFrame([r for t in tables for r in t[name]], columns=list(TABLES[name]))
        for name in ("runs", "disagreements")
    )
    values = run_values(runs, names)
    tested = rows_tested(len(dataset.X), test_share=sizes.test_share, n_runs=n_runs)
    rows = {name: disputed.loc[disputed["implementation"] == name, "row"] for name in names}
    changes = differences(
        values,
        {name: Disputes(len(own), own.nunique(), tested) for name, own in rows.items()},
        sizes,
        reference=GNB,
        margin=MARGIN,
    )
    return {
        "n_train": sizes.n_train,
        "n_test": sizes.n_test,
        "costs": _of_metrics(metrics(values, sizes, dict.fromkeys(names, float("nan")))),
        "differences": _of_metrics(corrected(changes)),
        "runs": runs[["run", "implementation", "status", "message", *METRICS]],
        "notes": tuple(failures(runs, names).values()),
    }


def _of_metrics(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["metric"].isin(METRICS)].reset_index(drop=True)
