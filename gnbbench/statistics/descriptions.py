"""The dataset and the decision regions, as a Summary carries them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from gnbbench.statistics.schema import table_of
from gnbbench.statistics.summary import DatasetDescription, DecisionRegions


def dataset_description(fields: Mapping[str, Any]) -> DatasetDescription:
    """Return the description of the data that its JSON-able fields stand for."""
    duplicates = fields["n_duplicates"]
    features = table_of("features", fields["features"])
    for column in features.columns[1:]:
        # What was not counted is None, which would make a column of objects.
        features[column] = pd.to_numeric(features[column])
    return DatasetDescription(
        name=fields["name"],
        target_name=fields["target_name"],
        origin=fields["origin"],
        licence=fields["licence"],
        sha256=fields["sha256"],
        n_samples=int(fields["n_samples"]),
        n_features=int(fields["n_features"]),
        n_duplicates=None if duplicates is None else int(duplicates),
        class_names=tuple(fields["class_names"]),
        class_counts=tuple(int(count) for count in fields["class_counts"]),
        notes=tuple(fields["notes"]),
        features=features,
    )


def decision_regions(fields: Mapping[str, Any] | None) -> DecisionRegions | None:
    """Return the grids of labels as arrays, or None where there are none."""
    if fields is None:
        return None
    shape = tuple(fields["shape"])
    horizontal, vertical = fields["axis_names"]
    left, right, bottom, top = fields["extent"]
    return DecisionRegions(
        axis_names=(horizontal, vertical),
        extent=(left, right, bottom, top),
        codes={
            name: np.asarray(codes, dtype=np.int64).reshape(shape)
            for name, codes in fields["codes"].items()
        },
        points=np.asarray(fields["points"], dtype=np.float64).reshape(-1, 2),
        point_codes=np.asarray(fields["point_codes"], dtype=np.int64),
        caption=fields["caption"],
    )
