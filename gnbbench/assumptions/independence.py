"""The samples of each class, and how strongly their features depend on each other.

Linear measures miss a ring. So the ranks of each feature also go through cosines of
growing frequency, and all of these waves are correlated; two features are independent only
if every such correlation is 0 (Kallenberg and Ledwina 1999). The largest one is 1 if one
feature is a wave of the other, and about |r| if both are normal.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.arrays import BoolArray, FloatArray
from gnbbench.data.dataset import Dataset
from gnbbench.statistics.intervals import holm
from gnbbench.statistics.schema import columns_of
from gnbbench.words import counted

# A range within this many roundings of the largest value counts as constant.
ROUNDINGS = 8


@dataclass(frozen=True, eq=False)
class ClassSample:
    """All samples of one class."""

    name: str  # Display name of the class
    X: FloatArray  # (n, n_features)
    # (n_features,): Maximum-likelihood estimates (divisor n), as the model fits them
    mean: FloatArray
    standard_deviation: FloatArray
    # (n_features,): False if the feature is constant in the class, up to rounding
    varies: BoolArray
    # (n, n_features): Deviations from the mean over the standard deviation; NaN if
    # constant
    standardised: FloatArray

    @property
    def n(self) -> int:
        """Number of samples."""
        return len(self.X)


def class_samples(dataset: Dataset) -> list[ClassSample]:
    """Return the samples of each class, in the order of the classes."""
    return [
        _class_sample(name, dataset.X[dataset.codes == code])
        for code, name in enumerate(dataset.class_names)
    ]


def _class_sample(name: str, X: FloatArray) -> ClassSample:
    # Scaling by the largest value keeps squares within the range of float64.
    largest = np.abs(X).max(axis=0)
    unit = np.where(largest > 0, largest, 1.0)
    scaled = X / unit
    varies = np.ptp(scaled, axis=0) > ROUNDINGS * np.finfo(np.float64).eps
    mean = scaled.mean(axis=0)
    deviations = scaled - mean
    spread = np.sqrt(np.square(deviations).mean(axis=0))
    standardised = np.full(X.shape, np.nan)
    standardised[:, varies] = deviations[:, varies] / spread[varies]
    deviation = np.where(varies, spread, 0.0) * unit
    return ClassSample(name, X, mean * unit, deviation, varies, standardised)


def correlation_matrix(standardised: FloatArray) -> FloatArray:
    """Return Pearson's correlations of standardised features."""
    matrix = standardised.T @ standardised / len(standardised)
    matrix = np.clip((matrix + matrix.T) / 2.0, -1.0, 1.0)
    diagonal = np.diagonal(matrix)
    np.fill_diagonal(matrix, np.where(np.isnan(diagonal), np.nan, 1.0))
    return matrix


def rank_correlation_matrix(sample: ClassSample) -> FloatArray:
    """Return Spearman's correlations: Pearson's of the ranks, ties at their mean rank."""
    from scipy.stats import rankdata

    ranks = np.full(sample.X.shape, np.nan)
    ranked = rankdata(sample.X[:, sample.varies], axis=0)
    centred = ranked - (sample.n + 1) / 2.0
    spread = np.sqrt(np.square(centred).mean(axis=0))
    ranks[:, sample.varies] = centred / spread
    return correlation_matrix(ranks)


def correlations(samples: Sequence[ClassSample], features: Sequence[str]) -> pd.DataFrame:
    """Return every cell of the correlation matrices of every class with enough samples."""
    n_features = len(features)
    rows, columns = np.indices((n_features, n_features)).reshape(2, -1)
    names = np.array(features, dtype=object)
    parts = [
        pd.DataFrame(
            {
                "class_name": sample.name,
                "feature": names[rows],
                "other_feature": names[columns],
                "pearson": correlation_matrix(sample.standardised).ravel() + blank,
                "spearman": rank_correlation_matrix(sample).ravel() + blank,
            }
        )
        for sample in samples
        for blank in [np.nan if sample.n < FEWEST_CORRELATED else 0.0]
    ]
    return pd.concat(parts, ignore_index=True)


def ranked_pairs(table: pd.DataFrame, features: Sequence[str], *, by: str) -> pd.DataFrame:
    """Return each pair of features once per class, the largest correlation first."""
    place = {name: number for number, name in enumerate(features)}
    earlier = table["feature"].map(place) < table["other_feature"].map(place)
    pairs = table[earlier & table[by].notna()]
    order = pairs[by].abs().sort_values(ascending=False, kind="stable").index
    return pairs.loc[order].reset_index(drop=True)


def largest_correlations(
    table: pd.DataFrame, feature_names: Sequence[str], *, n_largest: int
) -> pd.DataFrame:
    """Return the pairs with the largest correlations in each class."""
    ranked = ranked_pairs(table, feature_names, by="pearson")
    largest = ranked.groupby("class_name", sort=False).head(n_largest)
    place = {name: number for number, name in enumerate(pd.unique(table["class_name"]))}
    return largest.sort_values(
        "class_name", key=lambda names: names.map(place), kind="stable", ignore_index=True
    )


# With fewer samples per feature, the chi-square test rejects independent features in
# more than 9 % of samples at the 5 % level (64 features).
SAMPLES_PER_FEATURE = 3
FEWEST_CORRELATED = 3  # Any two samples lie on a line

TEST = "Bartlett's test of a diagonal correlation matrix"
TOO_FEW = f"fewer than {SAMPLES_PER_FEATURE} samples per feature: not tested"
ONE_FEATURE = "fewer than two features that vary: nothing to correlate"
SINGULAR = "some features are exact linear combinations of others"
# Columns of the test of any dependence, after the class.
OF_PAIRS = (
    *("pairs", "dependent_pairs", "max_dependence"),
    *("dependent_feature", "dependent_other_feature", "p_permutation"),
)
_LINEAR = [n for n in columns_of("assumptions", "independence") if n not in OF_PAIRS]
_UNKNOWN: dict[str, Any] = dict.fromkeys(_LINEAR, np.nan)
_NOTHING = _UNKNOWN | dict.fromkeys(("feature", "other_feature", "note"), "")
_NOTHING["degrees_of_freedom"] = 0


def independence(samples: Sequence[ClassSample], features: Sequence[str]) -> pd.DataFrame:
    """Return effect sizes and the test of uncorrelated features, one row per class.

    The test is that of a diagonal covariance matrix in statsmodels (`test_cov_diagonal`,
    after Rencher and Christensen 2012): -(n - 1 - (2 d + 5) / 6) log det R is about chi
    square with d (d - 1) / 2 degrees of freedom (Bartlett 1951). Constant features are
    left out. A class with fewer than three samples per feature is not tested; p is NaN. A
    singular R, with more samples than features, has an infinite total correlation and p =
    0; with as few samples as features R is singular whatever the truth, and the total
    correlation NaN.
    """
    table = pd.DataFrame([_row(sample, features) for sample in samples])
    return table.assign(p_holm=holm(table["p"]))


def total_correlation(R: FloatArray) -> float:
    """Return -1/2 log det R, the total correlation of Gaussian features in nats.

    References
    ----------
    Watanabe, S. (1960). Information theoretical analysis of multivariate correlation. IBM
    Journal of Research and Development 4, 66-82.
    """
    eigenvalues = np.linalg.eigvalsh(R)
    if eigenvalues[0] <= len(R) * np.finfo(np.float64).eps * eigenvalues[-1]:
        return float("inf")
    return max(0.0, float(-0.5 * np.log(eigenvalues).sum()))


def chance_total_correlation(n: int, n_features: int) -> float:
    """Return the expected total correlation of independent Gaussian features.

    det R is then a product of independent beta variables with parameters (n - 1 - i) / 2
    and i / 2 for i from 1 to d - 1 (Anderson 2003, section 9.3), so that the expected
    logarithm is a sum of differences of the digamma function.
    """
    from scipy.special import digamma

    half_df = (n - 1 - np.arange(1, n_features)) / 2.0
    return float(0.5 * np.sum(digamma((n - 1) / 2.0) - digamma(half_df)))


def _row(sample: ClassSample, feature_names: Sequence[str]) -> dict[str, Any]:
    """Return the row of a class, with a reason for undefined numbers (NaN and 0)."""
    varying = np.flatnonzero(sample.varies)
    n, n_features = sample.n, len(varying)
    row = {**_NOTHING, "class_name": sample.name, "n": n, "features": n_features}
    if n_features < 2:
        return row | {"note": ONE_FEATURE}
    if n < FEWEST_CORRELATED:
        return row | {"note": TOO_FEW}
    R = correlation_matrix(sample.standardised[:, varying])
    ranked = rank_correlation_matrix(sample)[np.ix_(varying, varying)]
    pairs = np.triu_indices(n_features, k=1)
    r, rho = np.abs(R[pairs]), np.abs(ranked[pairs])
    best = int(r.argmax())
    row |= {
        "feature": feature_names[varying[pairs[0][best]]],
        "other_feature": feature_names[varying[pairs[1][best]]],
        "max_abs_r": float(r[best]),
        "mean_abs_r": float(r.mean()),
        "max_abs_spearman": float(rho.max()),
        "mean_abs_spearman": float(rho.mean()),
    }
    if n <= n_features:
        return row | {"note": TOO_FEW}
    row["total_correlation"] = total_correlation(R)
    row["chance_total_correlation"] = chance_total_correlation(n, n_features)
    if np.isinf(row["total_correlation"]):
        row |= {"statistic": np.inf, "p": 0.0, "note": SINGULAR}
    elif n < SAMPLES_PER_FEATURE * n_features:
        return row | {"note": TOO_FEW}
    else:
        from statsmodels.stats.multivariate import test_cov_diagonal

        result = test_cov_diagonal(R, n)
        row |= {"statistic": float(result.statistic), "p": float(result.pvalue)}
    return row | {"degrees_of_freedom": n_features * (n_features - 1) // 2}


N_WAVES = 4
N_PERMUTATIONS = 999
# More would take minutes and add nothing; a remark says if some are left out.
MOST_ROWS, MOST_FEATURES = 1000, 64
FEWEST_ROWS = 10
# If fewer rows differ from the most frequent value, two features agree by chance.
SMALLEST_SHARE_APART = 0.05
SMALLEST_WAVE = 1e-3
N_FOR_CHANCE = 20  # Permutations to estimate the size expected by chance


def dependence(
    samples: Sequence[ClassSample],
    feature_names: Sequence[str],
    *,
    level: float,
    n_permutations: int = N_PERMUTATIONS,
) -> tuple[pd.DataFrame, list[str]]:
    """Return one row per class on its most dependent pair, and what was left out.

    Each p value is the share of permutations whose largest statistic over all pairs of all
    classes is as large (Westfall and Young 1993), so that none needs a correction. A size
    is adjusted for chance, like an adjusted R². A class is described by the
    strongest of its dependent pairs, or of all pairs if none is dependent.
    """
    rng, total = np.random.default_rng(0), sum(sample.n for sample in samples)
    columns, waves, used = [], [], 0
    for sample in samples:
        n = max(1, sample.n * MOST_ROWS // max(total, MOST_ROWS))
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
            mixed = waves[place][np.arange(len(order))[:, np.newaxis], order]
            statistics, squares = _sizes(mixed)
            largest[number] = max(largest[number], statistics.max())
            if number < N_FOR_CHANCE:
                size = squares.max(axis=(1, 2)).mean()
                chance[place] += size / min(N_FOR_CHANCE, n_permutations)
    rows: list[tuple[Any, ...]] = []
    for place, sample in enumerate(samples):
        strongest: tuple[Any, ...] = (0, 0, np.nan, "", "", np.nan)
        if place in tested:
            names = [feature_names[column] for column in columns[place]]
            R = correlation_matrix(sample.standardised[:, columns[place]])
            statistics, squares = _sizes(waves[place])
            p = (1 + (largest >= statistics[:, np.newaxis]).sum(1)) / (1 + len(largest))
            largest_squares = squares.max(axis=(1, 2))
            adjusted = np.maximum(
                0.0, (largest_squares - chance[place]) / (1 - chance[place])
            )
            strongest = _strongest(R, np.sqrt(adjusted), p, names, level)
        rows.append((sample.name, *strongest))
    table = pd.DataFrame(rows, columns=["class_name", *OF_PAIRS])
    return table, _left_out(samples, used)


def _strongest(
    R: FloatArray, sizes: FloatArray, p: FloatArray, names: Sequence[str], level: float
) -> tuple[Any, ...]:
    """Return the fields of a class's row from all its pairs."""
    pairs = np.triu_indices(len(R), k=1)
    sizes = np.minimum(1.0, np.maximum(sizes, np.abs(R[pairs])))
    rejected = p < level
    best = int(np.where(rejected | ~rejected.any(), sizes, -1.0).argmax())
    both = (names[side[best]] for side in pairs)
    return len(p), int(rejected.sum()), float(sizes[best]), *both, float(p.min())


def _sizes(waves: NDArray[np.float32]) -> tuple[FloatArray, FloatArray]:
    """Return the test statistic and squared correlations of each pair of features.

    The statistic is n times the sum of squared correlations, each over the product of its
    frequencies, so that smooth dependence counts most.
    """
    d, n, m = waves.shape
    flat = waves.transpose(1, 0, 2).reshape(n, d * m)
    squares = np.square((flat.T @ flat) / n).reshape(d, m, d, m).transpose(0, 2, 1, 3)
    pairs = squares[_pairs(d)]
    frequency = np.arange(1, m + 1)
    weights = 1.0 / np.multiply.outer(frequency, frequency)
    return n * np.tensordot(pairs, weights, 2), pairs


_pairs = cache(partial(np.triu_indices, k=1))


def _waves(X: FloatArray) -> NDArray[np.float32]:
    """Return waves (n_features, n, N_WAVES), uncorrelated with those of lower frequency.

    With few distinct values there are fewer waves; the others are 0.
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


def _is_varied(X: FloatArray) -> BoolArray:
    """Return which features have enough rows besides their most frequent value."""
    ordered = np.sort(X, axis=0)
    # A value in more rows than this is at both ends of a window of this length.
    window = len(X) - max(FEWEST_ROWS // 2, round(SMALLEST_SHARE_APART * len(X)))
    repeats = ordered[max(window, 0) :] == ordered[: len(X) - max(window, 0)]
    return np.asarray(~repeats.any(axis=0))


def _left_out(samples: Sequence[ClassSample], n_rows: int) -> list[str]:
    """Return sentences on what the test left out."""
    total = sum(sample.n for sample in samples)
    most = max((int(sample.varies.sum()) for sample in samples), default=0)
    cut = ((n_rows, total, "sample"), (min(most, MOST_FEATURES), most, "feature"))
    return [
        f"The test of dependence used {counted(part, whole, noun)}, drawn at random."
        for part, whole, noun in cut
        if part < whole
    ]
