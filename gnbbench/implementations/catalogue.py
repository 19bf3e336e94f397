"""The visible list of implementations that come by name.

Nothing of NumPy or of a library is imported before an implementation is made.
"""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from gnbbench.implementations.declaration import Implementation
from gnbbench.implementations.libraries import LIBRARIES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]


def _numpy() -> object:
    from gnbbench.core import GaussianNB

    return GaussianNB()


def core_posterior(scores: "FloatArray") -> "FloatArray":
    """Return what our core's ``predict_proba`` makes of these scores, bit for bit."""
    import numpy as np

    from gnbbench.core.likelihood import log_posterior

    with np.errstate(under="ignore"):
        shares: FloatArray = np.exp(log_posterior(np.ascontiguousarray(scores.T))).T
    return shares


def core_together(
    X: "FloatArray", y: "NDArray[Any]", train_masks: "NDArray[np.bool_]"
) -> "Iterator[tuple[NDArray[np.unsignedinteger], FloatArray]]":
    """Yield our core's labels and probabilities of all samples, some runs at a time."""
    from gnbbench.core.many_splits import many_splits

    for block in many_splits(X, y, train_masks):
        yield block.labels, block.predict_proba()


def _sklearn() -> object:
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


def sklearn_posterior(scores: "FloatArray") -> "FloatArray":
    """Return what scikit-learn's ``predict_proba`` makes of these scores, bit for bit.

    Its log-sum-exp leaves the largest score of each row out of the sum and adds it by
    ``log1p``, as SciPy's does.
    """
    import numpy as np

    largest = scores.max(axis=1, keepdims=True)
    is_largest = scores == largest
    n_largest = is_largest.sum(axis=1, keepdims=True, dtype=np.float64)
    with np.errstate(under="ignore"):
        others = np.exp(np.where(is_largest, -np.inf, scores) - largest)
        rest = others.sum(axis=1, keepdims=True) / n_largest
        log_sum = np.log1p(rest) + np.log(n_largest) + largest
        shares: FloatArray = np.exp(scores - log_sum)
    return shares


def _made_textbook(**knobs: Any) -> object:
    from gnbbench.implementations.textbook import TextbookGaussianNB

    return TextbookGaussianNB(**knobs)


def _textbook(name: str, description: str, **knobs: Any) -> Implementation:
    return Implementation(name, partial(_made_textbook, **knobs), description)


TEXTBOOK = (
    _textbook(
        "study-a",
        "as a textbook has it, with log(density + 1e-9) for each feature",
        relative_smoothing=1e-9,
        log_floor=1e-9,
    ),
    _textbook("study-b", "as a textbook has it: logarithms, no smoothing"),
    _textbook(
        "study-c",
        "diagonal quadratic discriminant analysis: uniform priors",
        relative_smoothing=1e-9,
        priors="uniform",
    ),
    _textbook(
        "torchml-like",
        "all in float32, PyTorch's default (torchml itself scores in float64)",
        relative_smoothing=1e-9,
        dtype="float32",
    ),
    _textbook(
        "density-product",
        "densities multiplied, no logarithms and no smoothing",
        space="density",
    ),
)

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
