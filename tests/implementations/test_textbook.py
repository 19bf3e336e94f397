"""The textbook family: each knob does what it says, the presets what was published."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from gnbbench.implementations import Implementation
from gnbbench.implementations.catalogue import TEXTBOOK
from gnbbench.implementations.textbook import TextbookGaussianNB
from gnbbench.measurement.predictions import predictions

PRESETS = {entry.name: entry for entry in TEXTBOOK}
X_TOY = np.array([[0.0, 1.0], [2.0, 5.0], [4.0, 3.0], [10.0, 7.0], [14.0, 9.0]])
Y_TOY = np.array(["a", "a", "a", "b", "b"])


@pytest.mark.parametrize(
    ("divisor", "of_a", "of_b"), [("n", [8 / 3, 8 / 3], [4, 1]), ("n-1", [4, 4], [8, 2])]
)
@pytest.mark.parametrize("variance", ["two-pass", "one-pass"])
def test_parameters_worked_out_by_hand(
    variance: Any, divisor: Any, of_a: list[float], of_b: list[float]
) -> None:
    model = TextbookGaussianNB(divisor=divisor, variance=variance).fit(X_TOY, Y_TOY)

    assert model.theta_ == pytest.approx(np.array([[2.0, 3.0], [12.0, 8.0]]), rel=1e-14)
    assert model.var_ == pytest.approx(np.array([of_a, of_b]), rel=1e-13)
    assert model.class_prior_ == pytest.approx([0.6, 0.4], rel=1e-15)


def test_joint_log_likelihood_equals_that_of_scipy_and_floors_hold_for_every_density() -> (
    None
):
    plain = TextbookGaussianNB().fit(X_TOY, Y_TOY)
    floored = TextbookGaussianNB(log_floor=0.01).fit(X_TOY, Y_TOY)
    points = np.array([[1.0, 1.0], [9.0, 6.0]])
    densities = stats.norm(plain.theta_, np.sqrt(plain.var_)).pdf(points[:, np.newaxis])

    for model, floor in ((plain, 0.0), (floored, 0.01)):
        expected = np.log(densities + floor).sum(axis=2) + np.log([0.6, 0.4])
        assert model.predict_joint_log_proba(points) == pytest.approx(expected, rel=1e-13)
    of_products = np.log(densities.prod(axis=2) + 0.01)
    assert floored.predict_joint_log_proba(points) != pytest.approx(of_products, rel=1e-2)


def test_multiplied_densities_give_the_probabilities_of_logarithms_until_they_vanish() -> (
    None
):
    """Then fractions are equal, and the first class is predicted."""
    X, y = load_iris(return_X_y=True)
    log = TextbookGaussianNB().fit(X, y)
    density = TextbookGaussianNB(space="density").fit(X, y)
    far = PRESETS["density-product"].make().fit(X_TOY, Y_TOY)

    assert density.predict_proba(X) == pytest.approx(log.predict_proba(X), abs=1e-13)
    assert not hasattr(density, "predict_joint_log_proba")
    assert hasattr(log, "predict_joint_log_proba")
    assert far.predict([[12.0, 8.0], [900.0, 900.0]]).tolist() == ["b", "a"]
    assert far.predict_proba([[900.0, 900.0]]).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
def test_with_relative_smoothing_it_is_scikit_learn_s(load: Any) -> None:
    X, y = load(return_X_y=True)
    reference = GaussianNB().fit(X, y)

    model = TextbookGaussianNB(relative_smoothing=1e-9).fit(X, y)

    assert (model.predict(X) == reference.predict(X)).all()
    assert model.epsilon_ == pytest.approx(reference.epsilon_, rel=1e-14)
    assert model.var_ == pytest.approx(reference.var_, rel=1e-11)
    assert model.predict_proba(X) == pytest.approx(reference.predict_proba(X), abs=1e-9)


def test_one_pass_variances_cancel_under_an_offset() -> None:
    """Truth by exact arithmetic: 2/3, whatever the offset."""
    X = np.array([[1.0], [2.0], [3.0]]) + 1e8
    exact = [Fraction(value) for value in X.ravel()]
    mean = sum(exact) / 3
    truth = float(sum((value - mean) ** 2 for value in exact) / 3)
    labels = [0, 0, 0]

    one = TextbookGaussianNB(variance="one-pass").fit(X, labels).var_[0, 0]
    two = TextbookGaussianNB(variance="two-pass").fit(X, labels).var_[0, 0]

    assert truth == pytest.approx(2 / 3, rel=1e-15)
    assert two == pytest.approx(truth, rel=1e-12)
    assert abs(one - truth) > 0.1


@pytest.mark.parametrize(
    ("model", "train"),
    [
        (PRESETS["study-a"].make(), 0.9422),
        (GaussianNB(), 0.9447),
        (TextbookGaussianNB(relative_smoothing=1e-9), 0.9447),
        (TextbookGaussianNB(relative_smoothing=1e-9, divisor="n-1"), 0.9447),
        (TextbookGaussianNB(relative_smoothing=1e-9, log_floor=1e-12), 0.9422),
        (TextbookGaussianNB(relative_smoothing=1e-9, log_floor=1e-15), 0.9422),
        (TextbookGaussianNB(relative_smoothing=1e-9, log_floor=1e-300), 0.9447),
    ],
    ids=str,
)
def test_any_floor_but_a_vanishing_one_gives_study_a_s_figure(
    model: Any, train: float
) -> None:
    """On run 0 of Breast Cancer, rounded as study A rounds."""
    X, y = load_breast_cancer(return_X_y=True)
    sides = train_test_split(X, y, test_size=0.3, random_state=42, stratify=y)

    model.fit(sides[0], sides[2])

    assert round(model.score(sides[0], sides[2]), 4) == train
    assert round(model.score(sides[1], sides[3]), 4) == 0.9474


def test_presets_differ_from_scikit_learn_by_what_they_say() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    reference, uniform = (GaussianNB(priors=p).fit(X, y) for p in (None, [0.5, 0.5]))

    study_c, narrow = (PRESETS[n].make().fit(X, y) for n in ("study-c", "torchml-like"))

    assert (study_c.predict(X) == uniform.predict(X)).all()
    # Uniform priors do matter here.
    assert (study_c.predict(X) != reference.predict(X)).any()
    expected = reference.predict_joint_log_proba(X)
    relative = np.abs(narrow.predict_joint_log_proba(X) / expected - 1.0)
    assert 1e-8 < np.median(relative) < 1e-5


def study_e_counts(make: Any, n_runs: int) -> np.ndarray:
    """Return the disagreements with scikit-learn, shape (9 fractions, n_runs)."""
    X, y = load_wine(return_X_y=True)
    counts = np.empty((9, n_runs), dtype=int)
    for row, column in np.ndindex(counts.shape):
        X_train, X_test, y_train, _ = train_test_split(
            X, y, train_size=(row + 1) / 10, random_state=42 + column, stratify=y
        )
        reference = GaussianNB().fit(X_train, y_train).predict(X_test)
        labels = make().fit(X_train, y_train).predict(X_test)
        counts[row, column] = np.count_nonzero(labels != reference)
    return counts


@pytest.mark.slow
def test_multiplied_densities_match_in_the_share_of_runs_of_study_e() -> None:
    """Within four binomial standard errors of the published 96.7 % of runs."""
    n_runs = 60
    spread = math.sqrt(0.967 * 0.033 / (9 * n_runs))

    counts = study_e_counts(PRESETS["density-product"].make, n_runs)

    assert abs(np.mean(counts == 0) - 0.967) < 4 * spread
    assert np.median(counts) == 0
    # Most of the mismatches come from the smallest training sides.
    assert np.count_nonzero(counts[0]) > np.count_nonzero(counts[3:])
    # Negative control: logarithms match in every run.
    smoothed = study_e_counts(lambda: TextbookGaussianNB(relative_smoothing=1e-9), 20)
    assert (smoothed == 0).all()


@pytest.mark.parametrize("space", ["log", "density"])
def test_a_constant_feature_without_smoothing_takes_every_label(space: Any) -> None:
    """0/0 is NaN, which NumPy's argmax counts as largest; shares say the same."""
    X = np.array([[0.0], [2.0], [5.0], [5.0], [7.0], [7.0]])
    model = TextbookGaussianNB(space=space).fit(X, [0, 0, 1, 1, 2, 2])

    labels, shares = model.predict([[1.0], [5.0]]), model.predict_proba([[1.0], [5.0]])

    assert labels.tolist() == [1, 1]
    assert shares.tolist() == [[0.0, 0.5, 0.5], [0.0, 0.5, 0.5]]


def test_no_smoothing_on_digits_says_one_class_only() -> None:
    """Constant pixels break all ten classes, as measured: accuracy about 0.0987."""
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.3, random_state=42, stratify=y
    )

    model = PRESETS["study-b"].make().fit(X_train, y_train)

    assert set(model.predict(X_test)) == {0}
    assert model.score(X_test, y_test) == pytest.approx(0.0987, abs=0.005)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("space", ["log", "density"])
@pytest.mark.parametrize("load", [load_wine, load_digits])
def test_labels_and_probabilities_go_together_in_the_dtype(
    load: Any, space: Any, dtype: Any
) -> None:
    X, y = load(return_X_y=True)
    model = TextbookGaussianNB(dtype=dtype, space=space, divisor="n-1")
    entry = Implementation("any", lambda: clone(model))

    found, fitted = predictions(entry, X, y, X[:50], np.unique(y)), model.fit(X, y)

    assert found.probabilities is not None
    assert found.probabilities.sum(axis=1) == pytest.approx(np.ones(50), abs=1e-5)
    assert (found.probabilities.argmax(axis=1) == found.test[:50]).all()
    assert (found.joint_log_likelihood is None) == (space == "density")
    for array in (fitted.theta_, fitted.var_, fitted.class_prior_, fitted.predict_proba(X)):
        assert array.dtype.name == dtype


@pytest.mark.parametrize(
    ("knobs", "X", "y", "message"),
    [
        ({"divisor": "n+1"}, X_TOY, Y_TOY, "divisor must be one of"),
        ({"variance": "three-pass"}, X_TOY, Y_TOY, "variance must be one of"),
        ({"space": "product"}, X_TOY, Y_TOY, "space must be one of"),
        ({"dtype": "float16"}, X_TOY, Y_TOY, "dtype must be one of"),
        ({"priors": "equal"}, X_TOY, Y_TOY, "priors must be 'uniform' or numbers"),
        ({"priors": [1.0]}, X_TOY, Y_TOY, r"priors has shape \(1,\), expected \(2,\)"),
        ({"space": "density", "log_floor": 1e-9}, X_TOY, Y_TOY, "log_floor needs space="),
        ({}, X_TOY[:, 0], Y_TOY, "Expected 2D array"),
        ({}, X_TOY, Y_TOY[:3], "inconsistent numbers of samples"),
    ],
)
def test_invalid_samples_are_refused(knobs: Any, X: Any, y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TextbookGaussianNB(**knobs).fit(X, y)
    with pytest.raises(ValueError, match="X has 1 features"):
        TextbookGaussianNB().fit(X_TOY, Y_TOY).predict(X_TOY[:, :1])
    with pytest.raises(ValueError, match="not fitted"):
        TextbookGaussianNB().predict(X_TOY)
