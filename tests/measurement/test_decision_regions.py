"""Decision maps: every label of the grid, compared with SciPy's densities."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from gnbbench.core import GaussianNB
from gnbbench.implementations import Implementation
from gnbbench.measurement.decision_regions import GRID, decision_regions, plane
from gnbbench.splits import Sample, Split

CODES = np.repeat([0, 1, 2], [20, 30, 25])
CENTRES = np.array([[0.0, 0.0, 0.0], [3.0, 0.2, 0.0], [1.0, 0.0, 4.0]])
SPREADS = np.array([1.0, 0.5, 2.0])
NOISE = np.random.default_rng(3).normal(size=(75, 3))
X = CENTRES[CODES] + SPREADS[CODES][:, None] * NOISE
LABELS = np.array(["a", "b", "c"])
SPLIT = Split(0, np.arange(0, 75, 2), np.arange(1, 75, 2))


def scores_by_densities(
    train: NDArray[np.float64], codes: NDArray[np.intp], grid: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the log-posterior of each class, one normal density at a time."""
    scores = []
    for code in range(3):
        own = train[codes == code]
        density = norm.logpdf(grid, own.mean(axis=0), own.std(axis=0)).sum(axis=1)
        scores.append(density + np.log(len(own) / len(train)))
    return np.array(scores)


class Contrary(GaussianNB):
    """Its labels are not those of its scores."""

    def predict(self, X: Any) -> Any:
        return super().predict(X)[::-1]


def test_every_label_of_a_map_equals_that_of_its_point_and_leads_by_the_scores() -> None:
    """Negative control: fitted on all samples, or on other columns, some would differ."""
    view = plane(X, CODES, ["u", "v", "w"])
    assert view is not None
    entries = [Implementation("numpy", GaussianNB), Implementation("contrary", Contrary)]
    sample = Sample(X, LABELS[CODES], LABELS, CODES)

    regions = decision_regions(sample, SPLIT, view, entries)

    left, right, bottom, top = regions["extent"]
    axes = np.linspace(left, right, GRID), np.linspace(bottom, top, GRID)
    grid = np.array([(x, y) for y in axes[1] for x in axes[0]])
    two, train = X[:, [0, 2]], SPLIT.train
    scores = scores_by_densities(two[train], CODES[train], grid)
    expected = scores.argmax(axis=0)
    assert view.axis_names == ("u", "w")
    np.testing.assert_array_equal(regions["codes"]["numpy"], expected)
    assert (scores_by_densities(two, CODES, grid).argmax(axis=0) != expected).any()
    swapped = scores_by_densities(two[train], CODES[train], grid[:, ::-1])
    assert (swapped.argmax(axis=0) != expected).any()
    places, leads = regions["margins"].pop("numpy")
    rows = expected.reshape(GRID, GRID)
    row, column = np.nonzero(rows[:, 1:] != rows[:, :-1])
    beside = row * GRID + column
    assert {*beside, *beside + 1} < set(places) < set(range(GRID**2))
    assert leads == pytest.approx(np.ptp(np.sort(scores[:, places], 0)[1:], 0), rel=1e-3)
    assert regions["margins"] == {}
    tested = scores_by_densities(two[train], CODES[train], two[SPLIT.test])
    assert regions["point_labels"]["numpy"] == tested.argmax(axis=0).tolist()


def test_a_map_reaches_six_per_cent_beyond_all_samples_and_shows_the_tested() -> None:
    view = plane(X, CODES, ["u", "v", "w"], ["w", "v"])
    assert view is not None

    regions = decision_regions(Sample(X, LABELS[CODES], LABELS, CODES), SPLIT, view, [])

    ends = []
    for column in (X[:, 2], X[:, 1]):
        border = 0.06 * (column.max() - column.min())
        ends += [column.min() - border, column.max() + border]
    assert regions["extent"] == pytest.approx(ends)
    assert regions["rows"] == SPLIT.test.tolist()
    np.testing.assert_array_equal(regions["points"], X[regions["rows"]][:, [2, 1]])
    np.testing.assert_array_equal(regions["point_codes"], CODES[regions["rows"]])
