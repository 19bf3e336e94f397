"""Whether any two features of a class depend on each other in any way: one test for all.

Linear measures do not see a ring. Here the ranks of each feature go through cosines of
growing frequency, and all of these waves are correlated; two features are independent only
if every such correlation is 0 (Kallenberg and Ledwina 1999). The largest one is 1 where one
feature follows from the other by a wave, and about |r| where both are normal.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.assumptions.class_samples import ClassSample
from gnbbench.assumptions.independence import correlation_matrix
from gnbbench.words import counted

FloatArray = NDArray[np.float64]

N_WAVES = 4
N_PERMUTATIONS = 999
# More would take minutes and tell nothing new; a reader is told where some are left out.
MOST_ROWS, MOST_FEATURES = 1000, 64
FEWEST_ROWS = 10
# Where fewer rows differ from the most frequent value, two features agree by chance.
SMALLEST_SHARE_APART = 0.05
SMALLEST_WAVE = 1e-3
N_FOR_CHANCE = 20  # Permutations that say which size comes by chance
COLUMNS = (
    *("class_name", "pairs", "dependent_pairs", "max_dependence"),
    *("dependent_feature", "dependent_other_feature", "p_permutation"),
)


def dependence(
    samples: Sequence[ClassSample],
    feature_names: Sequence[str],
    *,
    level: float,
    n_permutations: int = N_PERMUTATIONS,
) -> tuple[pd.DataFrame, list[str]]:
    """Return one row a class on its most dependent pair, and what was left out.

    Each p value is the share of permutations whose largest statistic over all pairs of all
    classes is as large (Westfall and Young 1993), so that none needs a correction. A size
    has what comes by chance taken off, as an adjusted R² has. A class is described by the
    strongest of the pairs that are dependent, or of all where none is.
    """
    rng, total = np.random.default_rng(0), sum(sample.n for sample in samples)
    columns, waves, used = [], [], 0
    for sample in samples:
        n = sample.n if total <= MOST_ROWS else max(1, sample.n * MOST_ROWS // total)
        X = sample.X[np.sort(rng.permutation(sample.n)[:n])]
        features = np.flatnonzero(sample.varies & _is_varied(X))
        if len(features) > MOST_FEATURES:
            features = np.sort(rng.choice(features, MOST_FEATURES, replace=False))
        columns.append(features if n >= FEWEST_ROWS else features[:0])
        waves.append(_waves(X[:, columns[-1]]))
        used += n
    tested = [place for place, features in enumerate(columns) if len(features) > 1]
    chance, largest = np.zeros(len(samples)), np.zeros(n_permutations)
    for number in range(n_permutations):
        for place in tested:
            order = rng.random(waves[place].shape[:2], dtype=np.float32).argsort(axis=1)
            mixed = np.take_along_axis(waves[place], order[..., np.newaxis], axis=1)
            statistics, squares = _sizes(mixed)
            largest[number] = max(largest[number], statistics.max())
            if number < N_FOR_CHANCE:
                chance[place] += squares.mean() / min(N_FOR_CHANCE, n_permutations)
    rows: list[tuple[Any, ...]] = []
    for place, sample in enumerate(samples):
        found: tuple[Any, ...] = (0, 0, np.nan, "", "", np.nan)
        if place in tested:
            names = [feature_names[column] for column in columns[place]]
            R = correlation_matrix(sample.standardised[:, columns[place]])
            statistics, squares = _sizes(waves[place])
            p = (1 + (largest >= statistics[:, np.newaxis]).sum(axis=1)) / (
                1 + len(largest)
            )
            adjusted = np.maximum(0.0, (squares - chance[place]) / (1 - chance[place]))
            found = _strongest(R, np.sqrt(adjusted), p, names, level)
        rows.append((sample.name, *found))
    return pd.DataFrame(rows, columns=list(COLUMNS)), _left_out(samples, used)


def _strongest(
    R: FloatArray, sizes: FloatArray, p: FloatArray, names: Sequence[str], level: float
) -> tuple[Any, ...]:
    """Return of all pairs of a class what the table says of them."""
    pairs = np.triu_indices(len(R), k=1)
    sizes = np.minimum(1.0, np.maximum(sizes, np.abs(R[pairs])))
    rejected = p < level
    best = int(np.where(rejected | ~rejected.any(), sizes, -1.0).argmax())
    both = (names[side[best]] for side in pairs)
    return len(p), int(rejected.sum()), float(sizes[best]), *both, float(p.min())


def _sizes(waves: NDArray[np.float32]) -> tuple[FloatArray, FloatArray]:
    """Return test statistic and largest squared correlation of each pair of features.

    The statistic is n times the sum of squared correlations, each over the product of its
    frequencies, so that what is smooth counts most.
    """
    d, n, m = waves.shape
    flat = waves.transpose(1, 0, 2).reshape(n, d * m)
    squares = np.square((flat.T @ flat) / n).reshape(d, m, d, m).transpose(0, 2, 1, 3)
    pairs = squares[np.triu_indices(d, k=1)]
    frequency = np.arange(1, m + 1)
    weights = 1.0 / np.multiply.outer(frequency, frequency)
    return n * np.tensordot(pairs, weights, 2), pairs.max(axis=(1, 2))


def _waves(X: FloatArray) -> NDArray[np.float32]:
    """Return (n_features, n, N_WAVES): each uncorrelated with those of lower frequency.

    Of few different values there are fewer such waves; the others are 0.
    """
    from scipy.stats import rankdata

    place = ((rankdata(X, axis=0) - 0.5) / len(X)).T
    waves = np.zeros((*place.shape, N_WAVES))
    for k in range(N_WAVES):
        wave = np.cos(np.pi * (k + 1) * place)
        wave -= wave.mean(axis=1, keepdims=True)
        shared = np.einsum("dn,dnk->dk", wave, waves[..., :k]) / len(X)
        wave -= np.einsum("dk,dnk->dn", shared, waves[..., :k])
        spread = np.sqrt(np.square(wave).mean(axis=1, keepdims=True))
        waves[..., k] = wave / np.where(spread > SMALLEST_WAVE, spread, np.inf)
    return waves.astype(np.float32)


def _is_varied(X: FloatArray) -> NDArray[np.bool_]:
    """Tell which features have rows enough apart from their most frequent value."""
    ordered = np.sort(X, axis=0)
    # A value that fills more rows than this is at both ends of a window of this length.
    window = len(X) - max(FEWEST_ROWS // 2, round(SMALLEST_SHARE_APART * len(X)))
    repeats = ordered[max(window, 0) :] == ordered[: len(X) - max(window, 0)]
    return np.asarray(~repeats.any(axis=0))


def _left_out(samples: Sequence[ClassSample], n_rows: int) -> list[str]:
    """Return what the test did not look at, in sentences."""
    total = sum(sample.n for sample in samples)
    most = max((int(sample.varies.sum()) for sample in samples), default=0)
    cut = ((n_rows, total, "sample"), (min(most, MOST_FEATURES), most, "feature"))
    return [
        f"The test of dependence looked at {counted(part, whole, noun)}, drawn at random."
        for part, whole, noun in cut
        if part < whole
    ]
