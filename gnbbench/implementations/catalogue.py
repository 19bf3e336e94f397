"""The visible list of implementations that come by name."""

from gnbbench.implementations.implementation import Implementation
from gnbbench.implementations.libraries import LIBRARIES
from gnbbench.implementations.posteriors import core_posterior, sklearn_posterior
from gnbbench.implementations.textbook import TEXTBOOK
from gnbbench.implementations.together import core_together


def _numpy() -> object:
    from gnbbench.core import GaussianNB

    return GaussianNB()


def _sklearn() -> object:
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


IMPLEMENTATIONS = (
    Implementation(
        "numpy",
        _numpy,
        "gnbbench's own core, in NumPy alone",
        posterior=core_posterior,
        together=core_together,
    ),
    Implementation(
        "sklearn",
        _sklearn,
        "scikit-learn's sklearn.naive_bayes.GaussianNB",
        posterior=sklearn_posterior,
    ),
    *TEXTBOOK,
    *(Implementation(library.name, library, library.description) for library in LIBRARIES),
)
