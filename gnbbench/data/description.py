"""What a page says of a dataset, as plain values."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.data.dataset import Dataset


def describe(dataset: Dataset) -> dict[str, Any]:
    """Return the dataset's sizes, classes, ranges and duplicates, ready for JSON.

    The keys are the fields of `gnbbench.statistics.summary.DatasetDescription`.
    Duplicates are rows equal to an earlier one in every feature and in the label.
    Standard deviations have the divisor n_samples, as the model's variances have.
    """
    table = pd.DataFrame(dataset.X)
    return {
        "name": dataset.name,
        "target_name": dataset.target_name,
        "origin": dataset.origin,
        "licence": dataset.licence,
        "sha256": dataset.sha256,
        "n_samples": dataset.X.shape[0],
        "n_features": dataset.X.shape[1],
        "n_duplicates": int(table.assign(label=dataset.codes).duplicated().sum()),
        "class_names": list(dataset.class_names),
        "class_counts": np.bincount(dataset.codes).tolist(),
        "notes": list(dataset.notes),
        "features": [
            _feature(name, dataset.X[:, column], int(table[column].nunique()))
            for column, name in enumerate(dataset.feature_names)
        ],
    }


def _feature(name: str, values: NDArray[np.float64], distinct: int) -> dict[str, Any]:
    """Return one row of the table; scaling by a power of two stops overflow."""
    largest = float(np.abs(values).max())
    scale = float(np.exp2(np.frexp(largest)[1] - 1)) if largest else 1.0
    scaled = values / scale
    return {
        "feature": name,
        "minimum": float(values.min()),
        "maximum": float(values.max()),
        "mean": float(scaled.mean()) * scale,
        "standard_deviation": float(scaled.std()) * scale,
        "distinct": distinct,
    }
