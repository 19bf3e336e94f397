from typing import Any

import numpy as np
import pytest

from gnbbench.data.bundled import iris
from gnbbench.data.dataset import describe
from gnbbench.statistics.descriptions import dataset_description, decision_regions


def test_description_of_iris_survives_its_plain_fields() -> None:
    description = dataset_description(describe(iris()))

    assert (description.n_samples, description.n_duplicates) == (150, 1)
    assert description.class_counts == (50, 50, 50)
    assert len(description.features) == 4
    assert description.features["distinct"].tolist()[-1] == 22


@pytest.fixture
def regions() -> dict[str, Any]:
    return {
        "axis_names": ["x", "y"],
        "extent": [0, 3, 0, 2],
        "shape": [2, 3],
        "codes": {"numpy": [0, 0, 1, 0, 1, 1]},
        "points": [[0.5, 0.5], [2.5, 1.5]],
        "point_codes": [0, 1],
        "caption": "Fitted on x and y.",
    }


def test_regions_become_grids(regions: dict[str, Any]) -> None:
    found = decision_regions(regions)

    assert found is not None
    assert found.codes["numpy"].tolist() == [[0, 0, 1], [0, 1, 1]]
    assert found.points.shape == (2, 2)
    assert found.point_codes.dtype == np.int64


def test_codes_that_do_not_fill_the_grid_are_refused(regions: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="reshape"):
        decision_regions({**regions, "codes": {"numpy": [0, 1]}})


def test_no_regions_stay_none() -> None:
    assert decision_regions(None) is None
