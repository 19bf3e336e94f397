"""Problems have what tolerances are derived from, and exact arithmetic is exact."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from gnbbench.conformance import problems
from gnbbench.core import GaussianNB

X = np.array([[1.0], [3.0], [6.0], [6.0], [9.0]])
y = np.array([0, 0, 1, 1, 1])


@pytest.mark.parametrize("problem", [problems.blobs(), problems.unequal()])
@pytest.mark.parametrize("offset", [1e3, 1e6, 1e9, 1e12])
def test_offsets_are_added_unrounded(problem: problems.Problem, offset: float) -> None:
    for rows in (problem.X, problem.X_test):
        assert ((rows + offset) - offset == rows).all()


def test_values_terms_and_spreads_equal_those_of_the_tolerances() -> None:
    problem = problems.blobs()

    exact = problems.exact_model(problem.X, problem.y)

    for rows in (problem.X, problem.X_test):
        assert (rows.astype(np.float16) == rows).all()
    assert np.abs(exact.joint_log_likelihood(problem.X_test)).max() < 100.0
    assert np.sqrt(exact.var).min() > 0.35
    for labels in (problem.labels, problems.unequal().labels):
        assert np.bincount(labels).min() >= 20


def test_a_row_that_a_divisor_could_tip_is_left_out() -> None:
    X = np.array([[0.0], [2.0], [4.0], [10.0]])
    y = np.array([0, 0, 1, 1])
    candidates = np.linspace(0.0, 6.0, 121)[:, np.newaxis]

    problem = problems.undisputed(X, y, candidates)

    one_less = problems.exact_model(X, y, smoothing=Fraction(0), lost_degrees=1)
    joint = one_less.joint_log_likelihood(problem.X_test)
    assert (joint.argmax(axis=1) == problem.labels).all()
    assert np.abs(joint[:, 1] - joint[:, 0]).min() > problems.MARGIN
    assert len(problem.labels) < 121


@pytest.mark.parametrize("make", [problems.blobs, problems.unequal])
def test_only_a_copy_is_modified(make: Callable[[], problems.Problem]) -> None:
    spoiled = make()

    spoiled.X[:] = np.nan
    spoiled.y[:] = 9

    assert np.isfinite(make().X).all()
    assert make().y.max() < 9


def test_parameters_are_those_worked_out_by_hand() -> None:
    model = problems.exact_model(X, y, smoothing=Fraction(0))
    one_less = problems.exact_model(X, y, smoothing=Fraction(0), lost_degrees=1)

    assert model.priors == (Fraction(2, 5), Fraction(3, 5))
    assert model.theta.tolist() == [[2.0], [7.0]]
    assert model.var.tolist() == [[1.0], [2.0]]
    assert one_less.var.tolist() == [[2.0], [3.0]]
    assert model.epsilon == 0


def test_smoothing_is_a_share_of_the_largest_variance_of_all() -> None:
    model = problems.exact_model(np.column_stack([X, 2.0 * X]), y)

    # The variance of 1, 3, 6, 6, 9 is 7.6.
    assert model.epsilon == 4 * Fraction(38, 5) * problems.SMOOTHING
    assert model.variances[0][0] == 1 + model.epsilon


def test_scores_and_posteriors_are_those_worked_out_by_hand() -> None:
    model = problems.exact_model(X, y, smoothing=Fraction(0))

    joint = model.joint_log_likelihood(np.array([[4.0]]))[0]
    posterior = model.posterior(np.array([[4.0]]))[0]

    first = math.log(0.4) - 0.5 * math.log(2 * math.pi) - 2.0
    second = math.log(0.6) - 0.5 * math.log(4 * math.pi) - 9 / 4
    assert joint == pytest.approx([first, second], rel=1e-15)
    assert posterior[0] == pytest.approx(1 / (1 + math.exp(second - first)), rel=1e-14)


def test_no_offset_changes_a_variance() -> None:
    values = np.array([0.25, 0.5, 1.0])

    variances = {problems.moments(values + offset)[1] for offset in (0.0, 2.0**30, 2.0**50)}

    assert len(variances) == 1


def test_scikit_learns_definition_in_floating_point_comes_near() -> None:
    problem = problems.blobs()
    exact = problems.exact_model(problem.X, problem.y)

    core = GaussianNB().fit(problem.X, problem.y)

    np.testing.assert_allclose(core.theta_, exact.theta, rtol=0, atol=1e-15)
    np.testing.assert_allclose(core.var_, exact.var, rtol=1e-14)
    np.testing.assert_allclose(
        core.predict_joint_log_proba(problem.X_test),
        exact.joint_log_likelihood(problem.X_test),
        rtol=1e-13,
    )
