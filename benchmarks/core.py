"""The core against scikit-learn on small data, in turns in one process."""

from collections.abc import Iterator

from measured import Measured, ratios_of
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

from gnbbench import GaussianNB
from gnbbench.splits import split

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


def measured() -> Iterator[Measured]:
    """Yield the ratios of fit, predict and predict_proba: run 0 of each, all of digits."""
    for name, loader in LOADERS.items():
        X, y = loader(return_X_y=True)
        first_run = split(y, 0)
        # Digits are used as scikit-learn loads them, a view of a wider array.
        train, test = (
            (first_run.train, first_run.test) if name != "digits" else (slice(None),) * 2
        )
        ours, theirs = GaussianNB(), ScikitLearnGaussianNB()
        for what in ("fit", "predict", "predict_proba"):
            arguments = (X[train], y[train]) if what == "fit" else (X[test],)
            ratios = ratios_of(getattr(ours, what), getattr(theirs, what), *arguments)
            yield Measured(name, what, ratios, limit=LIMITS.get((name, what)))
