"""How far the features of each class are from uncorrelated: matrices and pairs."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from gnbbench.assumptions.class_samples import ClassSample

FloatArray = NDArray[np.float64]

COLUMNS = ("class_name", "feature", "other_feature", "pearson", "spearman")


def correlation_matrix(standardised: FloatArray) -> FloatArray:
    """Return Pearson's correlations of standardised features."""
    matrix = standardised.T @ standardised / len(standardised)
    matrix = np.clip((matrix + matrix.T) / 2.0, -1.0, 1.0)
    diagonal = np.diagonal(matrix)
    np.fill_diagonal(matrix, np.where(np.isnan(diagonal), np.nan, 1.0))
    return matrix


def rank_correlation_matrix(sample: ClassSample) -> FloatArray:
    """Return Spearman's correlations: Pearson's of the ranks, ties at their mean rank."""
    ranks = np.full(sample.X.shape, np.nan)
    ranked = stats.rankdata(sample.X[:, sample.varies], axis=0)
    centred = ranked - (sample.n + 1) / 2.0
    spread = np.sqrt(np.square(centred).mean(axis=0))
    ranks[:, sample.varies] = centred / spread
    return correlation_matrix(ranks)


def correlations(
    samples: Sequence[ClassSample], feature_names: Sequence[str]
) -> pd.DataFrame:
    """Return every cell of the correlation matrices of every class."""
    n_features = len(feature_names)
    rows, columns = np.indices((n_features, n_features)).reshape(2, -1)
    names = np.array(feature_names, dtype=object)
    parts = [
        pd.DataFrame(
            {
                "class_name": sample.name,
                "feature": names[rows],
                "other_feature": names[columns],
                "pearson": correlation_matrix(sample.standardised).ravel(),
                "spearman": rank_correlation_matrix(sample).ravel(),
            }
        )
        for sample in samples
    ]
    return pd.concat(parts, ignore_index=True)


def largest_correlations(
    table: pd.DataFrame, feature_names: Sequence[str], *, n_largest: int
) -> pd.DataFrame:
    """Return the pairs of features with the largest |Pearson's r| of each class."""
    place = {name: number for number, name in enumerate(feature_names)}
    earlier = table["feature"].map(place) < table["other_feature"].map(place)
    pairs = table[earlier & table["pearson"].notna()]
    order = pairs.assign(size=-pairs["pearson"].abs()).sort_values("size", kind="stable")
    largest = order.groupby("class_name", sort=False).head(n_largest)
    by_class = {name: number for number, name in enumerate(pd.unique(table["class_name"]))}
    ranked = largest.sort_values(
        "class_name", key=lambda names: names.map(by_class), kind="stable"
    )
    return ranked[list(COLUMNS)].reset_index(drop=True)
