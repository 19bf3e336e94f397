"""Each class's samples, and the same standardised."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gnbbench.assumptions.class_samples import class_samples
from gnbbench.data.dataset import Dataset

Make = Callable[..., Dataset]


@pytest.mark.parametrize("value", [0.0, 0.1, -7.3, 1e300])
def test_a_constant_feature_does_not_vary(dataset_of: Make, value: float) -> None:
    X = np.column_stack([np.full(7, value), np.arange(7.0)])

    one = class_samples(dataset_of(X, np.zeros(7, dtype=int)))[0]

    assert one.varies.tolist() == [False, True]
    assert one.standard_deviation[0] == 0.0
    assert np.isnan(one.standardised[:, 0]).all()


def test_rounding_is_not_variation(dataset_of: Make) -> None:
    X = np.array([[0.1 + 0.2], [0.3], [0.3]])

    one = class_samples(dataset_of(X, np.zeros(3, dtype=int)))[0]

    assert np.ptp(X) > 0
    assert not one.varies[0]


@pytest.mark.parametrize(("scale", "offset"), [(1e200, 0.0), (1e-200, 0.0), (1.0, 1e9)])
def test_scale_and_offset_do_not_show(
    dataset_of: Make, scale: float, offset: float
) -> None:
    X = np.random.default_rng(0).normal(size=(50, 3))
    y = np.zeros(50, dtype=int)

    moved: Any = class_samples(dataset_of(scale * X + offset, y))[0].standardised

    assert moved == pytest.approx(class_samples(dataset_of(X, y))[0].standardised, abs=1e-6)
