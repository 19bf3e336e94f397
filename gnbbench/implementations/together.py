"""Many training sets fitted and scored together, by implementations that can."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.core.many_splits import many_splits


def core_together(
    X: NDArray[np.float64], y: NDArray[Any], train_masks: NDArray[np.bool_]
) -> Iterator[tuple[NDArray[np.unsignedinteger], NDArray[np.float64]]]:
    """Yield our core's labels and probabilities of all samples, some runs at a time.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    train_masks : ndarray of bool, shape (n_runs, n_samples)
        Which rows each run trains on.

    Yields
    ------
    labels : ndarray of int, shape (n_some_runs, n_samples)
        Positions among the sorted labels of `y`, proved to be the estimator's.
    probabilities : ndarray of shape (n_some_runs, n_samples, n_classes)
        The estimator's but for rounding.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [4.0], [6.0]]), np.array([0, 0, 1, 1])
    >>> [(labels, _)] = core_together(X, y, np.array([[True, True, True, True]]))
    >>> labels
    array([[0, 0, 1, 1]], dtype=uint8)
    """
    for block in many_splits(X, y, train_masks):
        yield block.labels, block.predict_proba()
