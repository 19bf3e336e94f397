"""Many training sets fitted and scored together, with the estimator's labels.

One product of the training masks with [Z, Z^2, 1] of a class's own rows gives the moments
of that class in every run, Z being the distances from the class's overall mean. One
product of [theta' / var, -1/2 / var, b] with [Z, Z^2, 1] of all rows gives its scores in
every run, theta' being a run's mean minus the overall one. The rounding error is bounded in
`gnbbench.core.certificate`; where that does not prove a label, it is taken from the
estimator itself.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.core import certificate
from gnbbench.core.centred_samples import (
    BLOCK_VALUES,
    PARAMETER_ARRAYS,
    TILE_VALUES,
    CentredSamples,
    run_moments,
    run_priors,
)
from gnbbench.core.certificate import RunMoments, RunParameters
from gnbbench.core.gaussian_nb import GaussianNB
from gnbbench.core.likelihood import posterior
from gnbbench.core.row_blocks import BoolArray, FloatArray, tiles

MOST_RUNS, FEWEST_RUNS, FEWEST_ROWS = 256, 8, 256


@dataclass(frozen=True, eq=False)
class SplitBlock:
    """Some runs, fitted on their training rows and scored on all rows."""

    runs: range  # Run numbers
    # (n_classes,): Sorted labels of all samples; a code is a position among them
    classes: NDArray[Any]
    # (n_runs, n_classes): Training rows and prior of each class; zero for a class without
    # training rows
    class_count_: FloatArray
    class_prior_: FloatArray
    # (n_runs, n_classes, n_features): Mean and smoothed variance; NaN for a class without
    # training rows
    theta_: FloatArray
    var_: FloatArray
    epsilon_: FloatArray  # (n_runs,): Amount added to every variance
    # (n_runs, n_samples): Class code of every sample, proved equal to the
    # estimator's or taken from it
    labels: NDArray[np.unsignedinteger]
    fallback: BoolArray  # Which labels were taken from the estimator
    _data: CentredSamples = field(repr=False)
    _train_masks: BoolArray = field(repr=False)
    _parameters: RunParameters = field(repr=False)

    @property
    def fallback_rows(self) -> NDArray[np.intp]:
        """Number of labels of each run taken from the estimator, shape (n_runs,)."""
        rows: NDArray[np.intp] = np.add.reduce(self.fallback, axis=1, dtype=np.intp)
        return rows

    def joint_log_likelihood(self, rows: Any = slice(None)) -> FloatArray:
        """Return ``log P(c) + log p(x | c)``, the estimator's own for fallback rows."""
        scores = np.moveaxis(self._scores(rows), 0, -1)
        return self._with_fallback(
            scores, rows, GaussianNB.predict_joint_log_proba, -np.inf
        )

    def joint_log_likelihood_bound(self, rows: Any = slice(None)) -> FloatArray:
        """Return a bound on the difference from the estimator's joint log-likelihood."""
        bound = np.moveaxis(self._parameters.bound.of(self._scores(rows)), 0, -1)
        bound[self.fallback[:, np.arange(self.labels.shape[1])[rows]]] = 0.0
        return bound

    def predict_proba(self, rows: Any = slice(None)) -> FloatArray:
        """Return posterior probabilities, the estimator's own for fallback rows."""
        with np.errstate(invalid="ignore"):
            probabilities = np.moveaxis(posterior(self._scores(rows)), 0, -1)
        return self._with_fallback(probabilities, rows, GaussianNB.predict_proba, 0.0)

    def _scores(self, rows: Any) -> FloatArray:
        """Return the scores by products, shape (n_classes, n_runs, n_rows)."""
        values = self._data.values[rows]
        features = (self._data.expanded(values, code) for code in range(len(self.classes)))
        return self._parameters.scores(features, len(values))

    def _with_fallback(
        self,
        results: FloatArray,
        rows: Any,
        method: Callable[[GaussianNB, ArrayLike], FloatArray],
        absent: float,
    ) -> FloatArray:
        """Replace the results of fallback rows by the estimator's own."""
        indices = np.arange(self.labels.shape[1])[rows]
        of_estimator = self.fallback[:, indices]
        for place in np.flatnonzero(of_estimator.any(axis=1)):
            model = self._data.estimator(self._train_masks[place])
            chosen = of_estimator[place]
            answers = np.full((int(chosen.sum()), len(self.classes)), absent)
            answers[:, model.classes_] = method(model, self._data.samples)[indices[chosen]]
            results[place, chosen] = answers
        return results


def many_splits(
    X: ArrayLike,
    y: ArrayLike,
    train_masks: BoolArray | Iterable[BoolArray],
    *,
    priors: Any = None,
    var_smoothing: float = 1e-9,
) -> Iterator[SplitBlock]:
    """Return every run's parameters and labels, in blocks of bounded memory.

    The labels are those of ``GaussianNB(priors, var_smoothing).fit(X[train], y[train])
    .predict(X)`` for each mask `train`. A proved label holds for the training rows in any
    order, one taken from the estimator for their order in `X`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Finite numbers.
    y : array-like of shape (n_samples,)
        Labels of any sortable type.
    train_masks : ndarray of bool, shape (n_runs, n_samples), or iterable of those
        Training rows of each run: all runs at once, or arrays of consecutive runs.
        Blocks keep views of them.
    priors : None, "uniform" or array-like of shape (n_classes,), default=None
        As in ``GaussianNB``; an array needs every class in every run.
    var_smoothing : float, default=1e-9
        As in ``GaussianNB``.

    Yields
    ------
    SplitBlock
        The next runs; temporary arrays take at most about 64 MiB, besides the labels.

    Raises
    ------
    ValueError, TypeError
        If an input is invalid, or the estimator could not be fitted in some run.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [4.0], [6.0]], ["a", "a", "b", "b"]
    >>> masks = np.array([[True, True, True, True], [True, True, True, False]])
    >>> [block] = many_splits(X, y, masks, var_smoothing=0.1)
    >>> block.theta_[:, :, 0]
    array([[0.5, 5. ],
           [0.5, 4. ]])
    >>> block.classes[block.labels]
    array([['a', 'a', 'b', 'b'],
           ['a', 'a', 'b', 'b']], dtype='<U1')
    """
    data = CentredSamples(X, y, priors, var_smoothing)
    if not isinstance(train_masks, np.ndarray):
        return _blocks(data, train_masks)
    _check_masks(train_masks, data.shape[1], 0)
    return _blocks(data, [train_masks])


def many_labels(
    X: ArrayLike,
    y: ArrayLike,
    train_masks: BoolArray | Iterable[BoolArray],
    *,
    priors: Any = None,
    var_smoothing: float = 1e-9,
) -> tuple[NDArray[np.unsignedinteger], NDArray[np.intp]]:
    """Return the labels of all samples in all runs, and the number of fallback rows.

    Parameters
    ----------
    X, y, train_masks, priors, var_smoothing
        As in `many_splits`.

    Returns
    -------
    labels : ndarray of shape (n_runs, n_samples)
        Codes: positions among the sorted classes of `y`.
    fallback_rows : ndarray of shape (n_runs,)

    Raises
    ------
    ValueError, TypeError
        As `many_splits` does, and if there is no run.

    Examples
    --------
    >>> masks = np.array([[True, False, True, True]])
    >>> many_labels([[0.0], [1.0], [4.0], [6.0]], ["a", "a", "b", "b"], masks)
    (array([[0, 1, 1, 1]], dtype=uint8), array([0]))
    """
    blocks = many_splits(X, y, train_masks, priors=priors, var_smoothing=var_smoothing)
    parts = [(block.labels, block.fallback_rows) for block in blocks]
    if not parts:
        raise ValueError("train_masks holds no run.")
    labels, fallback_rows = zip(*parts, strict=True)
    return np.concatenate(labels), np.concatenate(fallback_rows)


def _blocks(data: CentredSamples, stretches: Iterable[BoolArray]) -> Iterator[SplitBlock]:
    """Yield the runs of all arrays of masks, in blocks."""
    n_classes, n_samples, n_features = data.shape
    of_run = PARAMETER_ARRAYS * n_classes * (2 * n_features + 1)
    by_rows = max(FEWEST_RUNS, BLOCK_VALUES // (n_classes * n_samples))
    length = min(MOST_RUNS, by_rows, BLOCK_VALUES // of_run)
    first_run = 0
    for masks in stretches:
        _check_masks(masks, n_samples, first_run)
        for start, stop in tiles(0, len(masks), length):
            yield _block(data, masks[start:stop], first_run + start)
        first_run += len(masks)


def _check_masks(masks: Any, n_samples: int, first_run: int) -> None:
    """Raise unless these are masks with at least one training row per run."""
    if not isinstance(masks, np.ndarray) or masks.dtype != bool or masks.ndim != 2:
        raise ValueError(
            "train_masks must be a two-dimensional array of booleans, or yield such; got "
            f"{type(masks).__name__} of shape {np.shape(masks)}."
        )
    if masks.shape[1] != n_samples:
        raise ValueError(
            f"train_masks has {masks.shape[1]} columns, but X has {n_samples} samples."
        )
    empty = np.flatnonzero(~masks.any(axis=1))
    if len(empty):
        raise ValueError(f"Run {first_run + empty[0]} has no training row.")


def _block(data: CentredSamples, masks: BoolArray, first_run: int) -> SplitBlock:
    """Fit and score these runs."""
    moments = _moments(data, masks.take(data.order, axis=1))
    runs = range(first_run, first_run + len(masks))
    prior = run_priors(data, moments.count, runs)
    parameters = certificate.run_parameters(
        moments, data.centres, prior, data.var_smoothing
    )
    labels, fallback = _proved_labels(data, parameters)
    theta = data.centres.points[:, np.newaxis] + moments.shift
    absent = moments.count == 0.0
    theta[absent] = parameters.var[absent] = np.nan
    theta, var = np.moveaxis(theta, 0, 1), np.moveaxis(parameters.var, 0, 1)
    learned = (moments.count.T, prior.T, theta, var, parameters.epsilon)
    inputs = (data, masks, parameters)
    block = SplitBlock(runs, data.classes, *learned, labels, fallback, *inputs)
    _fall_back(block, parameters.bound.finite)
    return block


def _moments(data: CentredSamples, masks: BoolArray) -> RunMoments:
    """Return the moments of the runs with these masks over the sorted rows."""
    n_classes, _, n_features = data.shape
    sums = np.zeros((n_classes, len(masks), 2 * n_features + 1))
    length = BLOCK_VALUES // (8 * max(sums.shape[1:]))
    for code, (start, stop) in enumerate(pairwise(data.edges)):
        for begin, end in tiles(start, stop, length):
            with np.errstate(over="ignore", invalid="ignore"):
                kept = masks[:, begin:end].astype(np.float64)
                sums[code] += kept @ data.features(code, begin, end)
    return run_moments(data, sums, lambda _, runs, begin, end: masks[runs, begin:end])


def _proved_labels(
    data: CentredSamples, parameters: RunParameters
) -> tuple[NDArray[np.unsignedinteger], BoolArray]:
    """Return all class codes and a mask of those that are not proved."""
    (n_classes, n_samples, n_features), n_runs = data.shape, parameters.prior.shape[1]
    labels = np.empty((n_runs, n_samples), dtype=np.min_scalar_type(n_classes - 1))
    unproved = np.empty((n_runs, n_samples), dtype=bool)
    of_row = n_runs * n_classes
    scores_at_once = min(max(TILE_VALUES, FEWEST_ROWS * of_row), BLOCK_VALUES // 4)
    by_features = BLOCK_VALUES // ((2 * n_features + 1) * n_classes)
    length = min(scores_at_once // of_row, by_features)
    for begin, end in tiles(0, n_samples, length):
        features = (data.features(code, begin, end) for code in range(n_classes))
        scores = parameters.scores(features, end - begin)
        codes, proved = parameters.bound.proved_labels(scores)
        labels[:, data.order[begin:end]] = codes
        unproved[:, data.order[begin:end]] = ~proved
    return labels, unproved


def _fall_back(block: SplitBlock, usable: BoolArray) -> None:
    """Replace unproved labels, and whole unusable runs, by the estimator's results."""
    data = block._data
    for place in np.flatnonzero(block.fallback.any(axis=1)):
        model, rows = data.estimator(block._train_masks[place]), block.fallback[place]
        block.labels[place, rows] = model.predict(data.samples)[rows]
        if not usable[place]:
            block.theta_[place, model.classes_] = model.theta_
            block.var_[place, model.classes_] = model.var_
            block.epsilon_[place] = model.epsilon_
