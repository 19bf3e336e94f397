"""Labels are proved where a bound allows it, and nowhere else."""

import numpy as np
import pytest

from gnbbench.core.certificate import ScoreBound, leading


def test_leading_gives_the_first_largest_and_the_two_largest_scores() -> None:
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 4, size=(5, 6, 40)).astype(float)

    labels, best, second = leading(scores)

    ordered = np.sort(scores, axis=0)
    np.testing.assert_array_equal(labels, scores.argmax(axis=0))
    np.testing.assert_array_equal(best, ordered[-1])
    np.testing.assert_array_equal(second, ordered[-2])


def bound_of(offsets: list[float], slopes: list[float]) -> ScoreBound:
    """Make the bound of one run whose scores at the means are 0."""
    columns = np.array(offsets)[:, np.newaxis], np.array(slopes)[:, np.newaxis]
    return ScoreBound(*columns, np.zeros((len(offsets), 1)))


@pytest.mark.parametrize(
    ("gap", "proved"), [(0.0, False), (1.9e-3, False), (2.1e-3, True), (np.inf, True)]
)
def test_a_label_is_proved_if_its_lead_exceeds_both_bounds(
    gap: float, proved: bool
) -> None:
    scores = np.array([[[-1.0 - gap]], [[-1.0]]])

    labels, found = bound_of([1e-3, 1e-3], [1e-9, 1e-9]).proved_labels(scores)

    assert labels[0, 0] == (1 if gap else 0)
    assert found[0, 0] == proved


def test_the_bound_grows_with_the_distance_from_the_class() -> None:
    bound = bound_of([0.0, 0.0], [1e-3, 1e-3])

    near = bound.proved_labels(np.array([[[-1.0]], [[-1.1]]]))[1]
    far = bound.proved_labels(np.array([[[-100.0]], [[-100.1]]]))[1]

    assert near.all()
    assert not far.any()


def test_a_class_out_of_the_running_spoils_no_proof() -> None:
    """Its large bound matters to no label that it cannot win."""
    scores = np.array([[[-1.0]], [[-2.0]], [[-1000.0]]])

    certain = bound_of([1e-9, 1e-9, 1.0], [1e-9] * 3).proved_labels(scores)[1]
    in_the_running = bound_of([1e-9, 1.0, 1e-9], [1e-9] * 3).proved_labels(scores)[1]

    assert certain.all()
    assert not in_the_running.any()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nothing_is_proved_with_a_bound_that_is_not_finite(bad: float) -> None:
    scores = np.array([[[-1.0]], [[-1000.0]]])

    assert not bound_of([bad, 0.0], [1e-9, 1e-9]).proved_labels(scores)[1].any()


def test_nothing_is_proved_with_a_score_that_is_no_number() -> None:
    scores = np.array([[[-1.0]], [[np.nan]]])

    assert not bound_of([1e-9, 1e-9], [1e-9, 1e-9]).proved_labels(scores)[1].any()
