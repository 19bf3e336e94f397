"""Each sample labelled by the model of all others; leaving one out is one subtraction."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.core import certificate
from gnbbench.core.centred_samples import (
    BLOCK_VALUES,
    PARAMETER_ARRAYS,
    CentredSamples,
    Kept,
    run_moments,
    run_priors,
)
from gnbbench.core.row_blocks import BoolArray, FloatArray, tiles


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The label of each sample by the model fitted on all others."""

    # (n_classes,): Sorted labels of all samples; a code is a position among them
    classes: NDArray[Any]
    # (n_samples,): Codes, proved equal to the estimator's or taken from it
    labels: NDArray[np.unsignedinteger]
    fallback: BoolArray  # Which labels were taken from the estimator

    @property
    def fallback_rows(self) -> int:
        """How many labels were taken from the estimator."""
        return int(self.fallback.sum())


def leave_one_out(
    X: ArrayLike, y: ArrayLike, *, priors: Any = None, var_smoothing: float = 1e-9
) -> LeftOut:
    """Return the label of each sample by the model fitted on all others.

    The moments of the sample's class lose one row: nothing is fitted again. Labels are
    those of ``GaussianNB(priors, var_smoothing).fit(X[others], y[others])
    .predict(X[[sample]])``.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Finite numbers, at least two rows.
    y : array-like of shape (n_samples,)
        Labels of any sortable type.
    priors : None, "uniform" or array-like of shape (n_classes,), default=None
        As in ``GaussianNB``; an array needs two rows of every class.
    var_smoothing : float, default=1e-9
        As in ``GaussianNB``.

    Returns
    -------
    LeftOut

    Raises
    ------
    ValueError, TypeError
        If an input cannot be used, or the estimator could not be fitted without a row.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [5.0], [6.0], [7.0]], ["a", "a", "a", "b", "b", "a"]
    >>> result = leave_one_out(X, y)
    >>> result.classes[result.labels]
    array(['a', 'a', 'a', 'a', 'a', 'b'], dtype='<U1')
    """
    data = CentredSamples(X, y, priors, var_smoothing)
    n_classes, n_samples, n_features = data.shape
    if n_samples == 1:
        raise ValueError("Leaving one out needs at least 2 samples, but X has 1.")
    labels = np.empty(n_samples, dtype=np.min_scalar_type(n_classes - 1))
    proved = np.empty(n_samples, dtype=bool)
    sums = _class_sums(data)
    of_row = PARAMETER_ARRAYS * n_classes * (2 * n_features + 1)
    for begin, end in tiles(0, n_samples, BLOCK_VALUES // (4 * of_row)):
        rows = data.order[begin:end]
        labels[rows], proved[rows] = _left_out(data, sums, begin, end)
    fallback = np.logical_not(proved)
    for row in fallback.nonzero()[0]:
        model = data.estimator(np.arange(n_samples) != row)
        labels[row] = model.predict(data.samples[row : row + 1])[0]
    return LeftOut(data.classes, labels, fallback)


def _class_sums(data: CentredSamples) -> FloatArray:
    """Return the sums of [Z, Z^2, 1] over all rows of each class."""
    n_classes, _, n_features = data.shape
    sums = np.zeros((n_classes, 2 * n_features + 1))
    for code, (start, stop) in enumerate(pairwise(data.edges)):
        for begin, end in tiles(start, stop, BLOCK_VALUES // sums[code].size):
            sums[code] += data.features(code, begin, end).sum(axis=0)
    return sums


def _left_out(
    data: CentredSamples, class_sums: FloatArray, begin: int, end: int
) -> tuple[NDArray[np.unsignedinteger], BoolArray]:
    """Return the codes of a stretch of the sorted rows, and which are proved."""
    n_features, rows = data.shape[2], data.order[begin:end]
    of_class = data.codes[rows], np.arange(len(rows))
    features = np.stack(
        [data.features(code, begin, end) for code in range(len(class_sums))]
    )
    sums = np.repeat(class_sums[:, np.newaxis], len(rows), axis=1)
    magnitudes, terms = sums[..., n_features:-1].copy(), sums[..., -1].copy()
    with np.errstate(over="ignore", invalid="ignore"):
        removed = features[of_class]
        sums[of_class] -= removed
        # The root of four mean squares bounds the mean magnitude of all terms, the
        # removed one among them, over a divisor that is smaller by one.
        magnitudes[of_class] = 4.0 * (magnitudes[of_class] + removed[:, n_features:-1])
        moments = run_moments(
            data, sums, _all_but_one(of_class[0], begin), magnitudes, terms
        )
    prior = run_priors(data, moments.count, [f"Without sample {row}" for row in rows])
    parameters = certificate.run_parameters(
        moments, data.centres, prior, data.var_smoothing
    )
    labels, proved = parameters.bound.proved_labels(parameters.own_scores(features))
    return labels[:, 0], proved[:, 0]


def _all_but_one(codes: NDArray[np.intp], first_row: int) -> Kept:
    """Return which sorted rows of a class are left, run r leaving out ``first_row + r``."""

    def kept(code: int, runs: NDArray[np.intp], begin: int, end: int) -> BoolArray:
        elsewhere = (codes[runs] != code)[:, np.newaxis]
        left_out = (first_row + runs)[:, np.newaxis]
        rows: BoolArray = (np.arange(begin, end) != left_out) | elsewhere
        return rows

    return kept
