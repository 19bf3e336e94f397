"""The visible list of implementations that come by name."""

from gnbbench.implementations.implementation import Implementation
from gnbbench.implementations.textbook import TEXTBOOK


def _numpy() -> object:
    from gnbbench.core import GaussianNB

    return GaussianNB()


def _sklearn() -> object:
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


IMPLEMENTATIONS = (
    Implementation("numpy", _numpy, "gnbbench's own core, in NumPy alone"),
    Implementation("sklearn", _sklearn, "scikit-learn's sklearn.naive_bayes.GaussianNB"),
    *TEXTBOOK,
)
