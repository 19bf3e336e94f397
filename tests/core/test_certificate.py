"""The bound on rounding errors, compared with exact rational arithmetic."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from exact_arithmetic import exact_log, exact_moments, exact_score
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from gnbbench.core import GaussianNB, certificate
from gnbbench.core.certificate import ScoreBound, gamma
from gnbbench.core.many_splits import many_splits

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
OFFSETS = (0.0, 1e3, 1e6, 1e9)


def exact_scores(
    X: FloatArray, codes: NDArray[Any], train: BoolArray, var_smoothing: float
) -> list[list[Decimal]]:
    """Return the joint log-likelihood [sample][class] to 50 digits."""
    overall = max(exact_moments(column)[1] for column in X[train].T.tolist())
    epsilon = Fraction(var_smoothing) * overall
    columns = []
    for code in range(codes.max() + 1):
        rows = X[train & (codes == code)]
        moments = [exact_moments(column) for column in rows.T.tolist()]
        log_prior = exact_log(Fraction(len(rows), int(train.sum())))
        theta = [mean for mean, _ in moments]
        var = [variance + epsilon for _, variance in moments]
        columns.append([exact_score(x, log_prior, theta, var) for x in X.tolist()])
    return [list(row) for row in zip(*columns, strict=True)]


def largest_share(X: FloatArray, y: Any, train: Any, var_smoothing: float = 1e-9) -> float:
    """Return how much of the bound both evaluations' errors together take up at most."""
    [block] = many_splits(X, y, train[np.newaxis], var_smoothing=var_smoothing)
    if block.fallback.all():
        return 0.0
    model = GaussianNB(var_smoothing=var_smoothing).fit(X[train], y[train])
    by_products, direct = block.joint_log_likelihood()[0], model.predict_joint_log_proba(X)
    exact = exact_scores(X, y, train, var_smoothing)
    bound = block.joint_log_likelihood_bound()[0]
    shares = [
        (abs(Decimal(a) - e) + abs(Decimal(b) - e)) / Decimal(limit)
        for row in np.flatnonzero(~block.fallback[0]).tolist()
        for a, b, e, limit in zip(
            by_products[row].tolist(),
            direct[row].tolist(),
            exact[row],
            bound[row].tolist(),
            strict=True,
        )
    ]
    return float(max(shares))


def sample(seed: int) -> tuple[FloatArray, NDArray[Any], BoolArray]:
    """Make a few samples of two or three classes, and training rows with two of each."""
    rng = np.random.default_rng(seed)
    n_samples, n_features = int(rng.integers(8, 16)), int(rng.integers(1, 4))
    y = np.arange(n_samples) % int(rng.integers(2, 4))
    X = rng.normal(size=(n_samples, n_features)) * 10.0 ** rng.integers(-2, 3, n_features)
    X += OFFSETS[seed % 4] + y[:, np.newaxis]
    if seed % 3 == 0:
        X[y == 0, 0] = X[0, 0]
    train = rng.random(n_samples) < 0.7
    train[:6] = True
    return X, y, train


def rounded_one_way(n_samples: int) -> tuple[FloatArray, NDArray[Any]]:
    """Make two classes whose sums are rounded away from zero with every sample.

    Both features are the same, so that sums run down the rows one by one; the spread is
    too large for the estimator to correct its means and small against their distance from
    zero, so that the error of the means is nearly all there is.
    """
    rng, total, values = np.random.default_rng(0), 0.0, []
    for _ in range(n_samples):
        candidates = (1.0 + 1e-6 * rng.random(100)).tolist()
        gains = [Fraction(total + c) - Fraction(total) - Fraction(c) for c in candidates]
        values.append(candidates[gains.index(max(gains))])
        total += values[-1]
    column = np.array([*values, *(-value for value in values)])
    return np.column_stack([column, column]), np.repeat([0, 1], n_samples)


@pytest.mark.parametrize("n_samples", [16, 50])
def test_the_bound_holds_where_every_rounding_goes_the_same_way(n_samples: int) -> None:
    X, y = rounded_one_way(n_samples)

    share = largest_share(X, y, np.ones(len(y), dtype=bool), 0.0)

    assert 0.2 < share <= 1.0


def test_a_smaller_bound_is_exceeded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: the tests above would notice, also on data without offsets."""
    X, y = rounded_one_way(50)

    monkeypatch.setattr(certificate, "UNIT_ROUNDOFF", 2.0**-53 / 10.0)
    of_tenth = largest_share(X, y, np.ones(len(y), dtype=bool), 0.0)
    monkeypatch.setattr(certificate, "UNIT_ROUNDOFF", 2.0**-53 / 100.0)
    of_hundredth = [largest_share(*sample(seed)) for seed in range(0, 24, 4)]

    assert of_tenth > 1.0
    assert max(of_hundredth) > 1.0


@pytest.mark.filterwarnings("ignore:.*values of var_ are zero")
@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    offset=st.sampled_from(OFFSETS),
    var_smoothing=st.sampled_from([0.0, 1e-9, 0.1]),
)
def test_the_bound_holds_on_any_data(seed: int, offset: float, var_smoothing: Any) -> None:
    X, y, train = sample(seed)

    assert largest_share(X + offset, y, train, var_smoothing) <= 1.0


@pytest.mark.parametrize("n", [1, 7, 1000])
def test_gamma_is_at_least_what_n_roundings_add_up_to(n: int) -> None:
    compounded = (1 + Fraction(1, 2**53)) ** n - 1

    assert Fraction(float(gamma(n))) >= compounded
    assert float(gamma(n)) < 1.001 * n * 2.0**-53


@pytest.mark.parametrize("scale", [1e-130, 1e130])
def test_nothing_is_proved_where_underflow_or_overflow_may_count(scale: float) -> None:
    X, y, train = sample(1)

    [block] = many_splits(X * scale, y, train[np.newaxis])

    assert block.fallback.all()


@pytest.mark.parametrize(
    ("scores", "offsets", "slopes", "expected"),
    [
        ([-1.0, -1.0], [1e-3, 1e-3], [1e-9, 1e-9], False),
        ([-1.0 - 1.9e-3, -1.0], [1e-3, 1e-3], [1e-9, 1e-9], False),
        ([-1.0 - 2.1e-3, -1.0], [1e-3, 1e-3], [1e-9, 1e-9], True),
        ([-np.inf, -1.0], [1e-3, 1e-3], [1e-9, 1e-9], True),
        # The bound grows with the distance from the class.
        ([-1.0, -1.1], [0.0, 0.0], [1e-3, 1e-3], True),
        ([-100.0, -100.1], [0.0, 0.0], [1e-3, 1e-3], False),
        # The large bound of a class matters to no label that it cannot win.
        ([-1.0, -2.0, -1000.0], [1e-9, 1e-9, 1.0], [1e-9] * 3, True),
        ([-1.0, -2.0, -1000.0], [1e-9, 1.0, 1e-9], [1e-9] * 3, False),
        # Nothing is proved by a bound or a score that is not finite.
        ([-1.0, -1000.0], [np.nan, 0.0], [1e-9, 1e-9], False),
        ([-1.0, -1000.0], [np.inf, 0.0], [1e-9, 1e-9], False),
        ([-1.0, np.nan], [1e-9, 1e-9], [1e-9, 1e-9], False),
    ],
)
def test_a_label_is_proved_if_its_lead_exceeds_both_bounds(
    scores: list[float], offsets: list[float], slopes: list[float], expected: bool
) -> None:
    """Scores at the means are 0."""
    bound = ScoreBound(*np.array([offsets, slopes, [0.0] * len(scores)])[..., np.newaxis])

    labels, certain = bound.proved_labels(np.array(scores)[:, np.newaxis, np.newaxis])

    assert labels[0, 0] == np.argmax(scores)
    assert bool(certain[0, 0]) == expected
