import math

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from gnbbench.statistics.agreement import kappa


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_scikit_learn_and_bit_for_bit_with_statsmodels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 4, size=200)
    second = np.where(rng.random(200) < 0.7, first, rng.integers(0, 4, size=200))
    counts = np.zeros((4, 4))
    np.add.at(counts, (first, second), 1)

    assert kappa(counts) == pytest.approx(cohen_kappa_score(first, second), rel=1e-12)
    assert kappa(counts) == cohens_kappa(counts, return_results=False)
    assert kappa(counts) != pytest.approx(np.mean(first == second), rel=1e-3)


def test_swapping_class_names_changes_nothing() -> None:
    counts = np.array([[5, 1, 0], [2, 7, 1], [0, 3, 9]])
    order = [2, 0, 1]

    assert kappa(counts[np.ix_(order, order)]) == pytest.approx(kappa(counts), rel=1e-14)


@pytest.mark.parametrize("counts", [[[45]], [[7, 0], [0, 0]], np.zeros((0, 0))])
def test_is_undefined_where_chance_alone_agrees(counts: np.ndarray) -> None:
    assert math.isnan(kappa(counts))
