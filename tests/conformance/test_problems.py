"""Problems have what tolerances and exact offsets are derived from."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from gnbbench.conformance.exact import exact_model
from gnbbench.conformance.problems import MARGIN, Problem, blobs, undisputed, unequal


@pytest.mark.parametrize("problem", [blobs(), unequal()])
@pytest.mark.parametrize("offset", [1e3, 1e6, 1e9, 1e12])
def test_offsets_are_added_without_rounding(problem: Problem, offset: float) -> None:
    for rows in (problem.X, problem.X_test):
        assert ((rows + offset) - offset == rows).all()


def test_values_terms_and_spreads_are_those_of_the_tolerances() -> None:
    problem = blobs()

    exact = exact_model(problem.X, problem.y)

    for rows in (problem.X, problem.X_test):
        assert (rows.astype(np.float16) == rows).all()
    assert np.abs(exact.joint_log_likelihood(problem.X_test)).max() < 100.0
    assert np.sqrt(exact.var).min() > 0.35
    for labels in (problem.labels, unequal().labels):
        assert np.bincount(labels).min() >= 20


def test_a_row_that_a_divisor_could_tip_is_left_out() -> None:
    X = np.array([[0.0], [2.0], [4.0], [10.0]])
    y = np.array([0, 0, 1, 1])
    candidates = np.linspace(0.0, 6.0, 121)[:, np.newaxis]

    problem = undisputed(X, y, candidates)

    one_less = exact_model(X, y, smoothing=Fraction(0), lost_degrees=1)
    joint = one_less.joint_log_likelihood(problem.X_test)
    assert (joint.argmax(axis=1) == problem.labels).all()
    assert np.abs(joint[:, 1] - joint[:, 0]).min() > MARGIN
    assert len(problem.labels) < 121


@pytest.mark.parametrize("make", [blobs, unequal])
def test_what_is_spoiled_is_a_copy(make: Callable[[], Problem]) -> None:
    spoiled = make()

    spoiled.X[:] = np.nan
    spoiled.y[:] = 9

    assert np.isfinite(make().X).all()
    assert make().y.max() < 9
