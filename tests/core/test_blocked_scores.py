"""Labels by products are those of the direct evaluation, proved or evaluated again."""

import warnings
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from exact_arithmetic import exact_score
from numpy.typing import NDArray

from gnbbench import GaussianNB
from gnbbench.core import blocked as module
from gnbbench.core import certificate
from gnbbench.core.blocked import blocked_labels, products_of
from gnbbench.core.certificate import ScoreBound
from gnbbench.core.likelihood import ClassParameters, joint_log_likelihood
from gnbbench.core.validation import takes_blocks

FloatArray = NDArray[np.float64]


def model_of(
    k: int, n_features: int, seed: int = 0, spread: float = 1.0
) -> ClassParameters:
    """Make the parameters of some classes, variances over `spread` orders of magnitude."""
    rng = np.random.default_rng(seed)
    var = 10.0 ** rng.uniform(-spread, spread, (k, n_features))
    prior = rng.dirichlet(np.ones(k))
    return ClassParameters(np.log(prior), rng.normal(size=(k, n_features)), var)


def rows_near(parameters: ClassParameters, n_rows: int, *, seed: int = 0) -> FloatArray:
    """Draw rows of all classes."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, len(parameters.theta), n_rows)
    noise = rng.normal(size=(n_rows, parameters.theta.shape[1]))
    return np.asarray(parameters.theta[codes] + noise * np.sqrt(parameters.var[codes]))


def exact_score_of(x: FloatArray, parameters: ClassParameters, code: int) -> Decimal:
    """Return one score of the model as stored, to 50 digits."""
    theta, var = (
        [Fraction(value) for value in table[code].tolist()]
        for table in (parameters.theta, parameters.var)
    )
    log_prior = Decimal(float(parameters.log_prior[code]))
    score: Decimal = exact_score(x.tolist(), log_prior, theta, var)
    return score


def largest_share(X: FloatArray, parameters: ClassParameters) -> float:
    """Return how much of the bound both evaluations' errors together take up at most."""
    products = products_of(parameters, len(X))
    by_products = products.scores(X, products.work())
    direct = joint_log_likelihood(X, parameters)
    bound = products.bound.of(by_products[:, np.newaxis])[:, 0]
    assert np.isfinite(bound).all()
    shares = []
    for code, row in np.ndindex(direct.shape):
        exact = exact_score_of(X[row], parameters, code)
        both = by_products[code, row], direct[code, row]
        errors = (abs(Decimal(float(score)) - exact) for score in both)
        shares.append(sum(errors, Decimal(0)) / Decimal(float(bound[code, row])))
    return float(max(shares))


# Mean and variance of a rare class, as a search of 4000 found them to come nearest.
FAR = (
    (1.7707970778748856, 4.615500381235545e-08),
    (1.4230372777892355, 1.7458204054965183e-06),
    (1.4989431622572824, 5.8630832431039705e-08),
)


def largest_share_far_away() -> float:
    """Return the share for rows of a class far from the centre, of one feature.

    All terms are large against the score that they leave, and few roundings make up the
    bound, so that some rows come near it.
    """
    shares = []
    for mean, variance in FAR:
        theta, var = np.array([[0.0], [mean]]), np.array([[1.0], [variance]])
        noise = np.random.default_rng(0).normal(size=(600, 1))
        parameters = ClassParameters(np.log([0.999, 0.001]), theta, var)
        shares.append(largest_share(mean + 0.3 * np.sqrt(variance) * noise, parameters))
    return max(shares)


@pytest.mark.parametrize("seed", range(12))
def test_errors_of_both_evaluations_keep_within_the_bound(seed: int) -> None:
    parameters = model_of(1 + seed % 4, 1 + seed % 7, seed=seed, spread=seed / 3.0)
    X = rows_near(parameters, 20, seed=seed) + 10.0 ** (seed % 5)

    assert largest_share(X, parameters) <= 1.0


@pytest.mark.parametrize(("divisor", "low", "high"), [(1.0, 0.1, 1.0), (10.0, 1.0, 10.0)])
def test_the_bound_holds_where_terms_cancel_and_a_tenth_of_it_does_not(
    divisor: float, low: float, high: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control: the tests above would notice a bound that is too small."""
    monkeypatch.setattr(certificate, "UNIT_ROUNDOFF", 2.0**-53 / divisor)

    assert low < largest_share_far_away() <= high


def direct_labels(X: FloatArray, parameters: ClassParameters) -> NDArray[np.intp]:
    labels: NDArray[np.intp] = joint_log_likelihood(X, parameters).argmax(axis=0)
    return labels


def near_ties(n_rows: int) -> tuple[FloatArray, ClassParameters]:
    """Make rows within a few last places of where two classes are equally likely."""
    rng = np.random.default_rng(0)
    parameters = model_of(2, 6)
    ends = rows_near(parameters, 2 * n_rows, seed=1)
    labels = direct_labels(ends, parameters)
    low, high = ends[labels == 0], ends[labels == 1]
    n_pairs = min(len(low), len(high))
    low, high = low[:n_pairs], high[:n_pairs]
    for _ in range(60):
        middle = (low + high) / 2.0
        first = (direct_labels(middle, parameters) == 0)[:, np.newaxis]
        low, high = np.where(first, middle, low), np.where(first, high, middle)
    steps = rng.integers(-3, 4, low.shape) * np.spacing(np.abs(low))
    return np.vstack([low, high, low + steps]), parameters


@pytest.mark.parametrize("order", ["C", "F"])
def test_labels_at_ties_equal_those_of_the_direct_evaluation_and_of_products_not(
    order: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control: products alone decide ties differently."""

    def all_proved(_: ScoreBound, scores: FloatArray) -> Any:
        return scores.argmax(axis=0), np.ones(scores.shape[1:], dtype=bool)

    X, parameters = near_ties(500)
    X = np.asarray(X, order=order)
    given = X, parameters, np.arange(2), "GaussianNB"
    expected = direct_labels(X, parameters)

    np.testing.assert_array_equal(blocked_labels(*given), expected)
    monkeypatch.setattr(ScoreBound, "proved_labels", all_proved)
    assert (blocked_labels(*given) != expected).any()


def test_exact_ties_go_to_the_first_class() -> None:
    twice = np.repeat(model_of(1, 5).theta, 300, axis=0)
    parameters = ClassParameters(np.full(300, -np.log(300)), twice, np.ones_like(twice))
    X = rows_near(parameters, 20)

    labels = blocked_labels(X, parameters, np.arange(300), "GaussianNB")

    assert (labels == 0).all()


def test_nearly_all_labels_of_ordinary_rows_are_proved() -> None:
    parameters = model_of(5, 20)
    X = rows_near(parameters, 50_000)
    products = products_of(parameters, len(X))

    scores = products.scores(X, products.work())[:, np.newaxis]
    labels, proved = (table[0] for table in products.bound.proved_labels(scores))

    assert proved.mean() > 0.9999
    np.testing.assert_array_equal(labels[proved], direct_labels(X, parameters)[proved])


@pytest.mark.parametrize(
    ("n_classes", "n_features", "n_rows"),
    [(1, 1, 1), (1, 3, 9), (2, 10, 9000), (7, 50, 3000), (300, 4, 2000), (3, 60_000, 5)],
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_labels_and_scores_equal_those_of_the_exact_solver(
    n_classes: int, n_features: int, n_rows: int, order: Any
) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(3000) % n_classes if n_features < 1000 else np.arange(6) % n_classes
    centres = rng.normal(size=(n_classes, n_features))
    model = GaussianNB(solver="exact")
    model.fit(centres[y] + rng.normal(size=(len(y), n_features)), y)
    X = np.asarray(rng.normal(size=(n_rows, n_features)), order=order)
    blocked = switched(model, "blocked")

    exact, ours = model.predict_joint_log_proba(X), blocked.predict_joint_log_proba(X)

    assert (np.abs(ours - exact) <= 1e-10 * np.maximum(1.0, np.abs(exact))).all()
    np.testing.assert_array_equal(blocked.predict(X), model.predict(X))
    np.testing.assert_allclose(
        blocked.predict_proba(X), model.predict_proba(X), rtol=1e-6, atol=1e-12
    )
    np.testing.assert_allclose(blocked.predict_proba(X).sum(axis=1), 1.0, rtol=1e-12)


def switched(model: GaussianNB, solver: str) -> GaussianNB:
    """Return the same fitted model with another solver."""
    copy = GaussianNB()
    vars(copy).update({**vars(model), "solver": solver})
    return copy


@pytest.mark.filterwarnings("ignore:.*values of var_ are zero")
@pytest.mark.parametrize("far", [1e5, 1e100, 1e150, 1e155, 1e200, 1e308])
@pytest.mark.parametrize("var_smoothing", [0.0, 1e-9])
def test_distant_rows_and_vanishing_variances_are_classified_as_exactly(
    far: float, var_smoothing: float
) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 4)) + y[:, np.newaxis]
    X[y == 1, 0] = 5.0
    model = GaussianNB(var_smoothing=var_smoothing).fit(X, y)
    rows = np.vstack([X, far * rng.normal(size=(20, 4)).clip(-1.0, 1.0)])

    blocked, exact = switched(model, "blocked"), switched(model, "exact")

    np.testing.assert_array_equal(blocked.predict(rows), exact.predict(rows))
    np.testing.assert_allclose(
        blocked.predict_proba(rows), exact.predict_proba(rows), rtol=1e-6, atol=1e-12
    )
    np.testing.assert_allclose(
        blocked.predict_joint_log_proba(rows),
        exact.predict_joint_log_proba(rows),
        rtol=1e-10,
    )


def test_zero_variances_warn_once_with_the_line_of_the_caller() -> None:
    X = np.ones((9000, 2))
    model = GaussianNB(solver="blocked").fit(X, np.arange(9000) % 2)

    for action in (model.predict, model.predict_proba):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            action(X)

        assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize("method", ["predict", "predict_proba", "predict_joint_log_proba"])
@pytest.mark.parametrize(("value", "words"), [(np.nan, "NaN"), (-np.inf, "infinity")])
def test_values_that_are_not_finite_fail(method: str, value: float, words: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(9000, 3)), np.arange(9000) % 2
    model = GaussianNB(solver="blocked", n_jobs=2).fit(X, y)
    X[4321, 2] = value

    with pytest.raises(ValueError, match=f"Input X contains {words}"):
        getattr(model, method)(X)


def test_scores_whose_bound_is_too_wide_are_evaluated_directly() -> None:
    parameters = model_of(3, 4)
    narrow = ClassParameters(parameters.log_prior, parameters.theta, parameters.var * 1e-12)
    X = rows_near(narrow, 500)

    scores = module.blocked_scores(X, narrow, "GaussianNB", finish=np.asarray)

    assert not products_of(parameters, 1).nearest.any()
    assert products_of(narrow, 1).nearest.min() > 1e7
    np.testing.assert_array_equal(scores, joint_log_likelihood(X, narrow))


def test_a_bound_that_grows_faster_than_what_is_allowed_is_never_met() -> None:
    products = products_of(model_of(3, 4), 1)

    def nearest(slope: float) -> FloatArray:
        bound = replace(products.bound, slope=np.full((3, 1), slope))
        return replace(products, bound=bound).nearest

    assert np.isinf(nearest(module.AGREEMENT)).all()
    quarter = nearest(module.AGREEMENT / 4)
    np.testing.assert_allclose(quarter, np.abs(products.bound.ceiling), rtol=1e-3)


def test_rows_with_a_score_too_near_to_zero_alone_are_evaluated_directly() -> None:
    parameters = model_of(3, 4)
    narrow = ClassParameters(parameters.log_prior, parameters.theta, parameters.var * 1e-6)
    X = rows_near(narrow, 500) + np.linspace(0.0, 0.05, 500)[:, np.newaxis]

    scores = module.blocked_scores(X, narrow, "GaussianNB", finish=np.asarray)

    direct, nearest = joint_log_likelihood(X, narrow), products_of(narrow, 1).nearest
    agree = (np.abs(direct) >= nearest).all(axis=0)
    assert 50 < np.count_nonzero(agree) < 450
    np.testing.assert_array_equal(scores[:, ~agree], direct[:, ~agree])
    assert not np.array_equal(scores[:, agree], direct[:, agree])
    np.testing.assert_allclose(scores, direct, rtol=module.AGREEMENT, atol=0.0)


def test_labels_alone_are_made_by_products_sooner_than_anything_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(700, 20)), np.arange(700) % 10
    model = GaussianNB().fit(X, y)
    called = []

    def noted(parameters: ClassParameters, length: int) -> module.Products:
        called.append(length)
        return products_of(parameters, length)

    monkeypatch.setattr(module, "products_of", noted)
    model.predict_proba(X)
    model.predict(X[:250])

    assert called == []
    np.testing.assert_array_equal(model.predict(X), switched(model, "exact").predict(X))
    assert called == [700]


def test_labels_of_two_classes_are_made_by_products_only_of_many_rows() -> None:
    """Two products take as long as two passes over as many values."""
    cases = [((1000, 50), 2), ((1000, 200), 2), ((1000, 50), 3), ((5000, 10), 2)]

    taken = [takes_blocks("auto", shape, "GaussianNB", n_labels=n) for shape, n in cases]

    assert taken == [False, False, True, True]
