"""The estimator against scikit-learn's, against exact arithmetic and against itself."""

import math
import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from exact_arithmetic import exact_moments
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import cross_val_score, cross_validate, train_test_split
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gnbbench import GaussianNB
from gnbbench.core import labels as label_module
from gnbbench.core import moments as moment_module

Sample = tuple[NDArray[np.float64], NDArray[Any]]
TABLES = ("theta_", "var_", "class_prior_", "class_count_")


def differing_bits(model: Any, reference: Any, X: NDArray[np.float64]) -> list[str]:
    """Name what is not the same, bit for bit."""
    names = ("theta_", "var_", "epsilon_", "class_prior_", "class_count_", "classes_")
    values = {name: (getattr(model, name), getattr(reference, name)) for name in names}
    values["joint log-likelihood"] = (
        model.predict_joint_log_proba(X),
        reference.predict_joint_log_proba(X),
    )
    values["labels"] = (model.predict(X), reference.predict(X))
    return [name for name, pair in values.items() if not np.array_equal(*pair)]


@pytest.mark.parametrize("order", ["C", "F"])
def test_bits_equal_those_of_scikit_learn(real_sample: Sample, order: Any) -> None:
    X, y = np.asarray(real_sample[0], order=order), real_sample[1]

    model, reference = GaussianNB().fit(X, y), ScikitLearnGaussianNB().fit(X, y)

    assert differing_bits(model, reference, X) == []
    np.testing.assert_allclose(
        model.predict_proba(X), reference.predict_proba(X), rtol=1e-12, atol=1e-300
    )
    np.testing.assert_allclose(
        model.predict_log_proba(X), reference.predict_log_proba(X), rtol=1e-12, atol=1e-12
    )
    for seed in range(5 if order == "C" else 0):
        sides = {"test_size": 0.3, "random_state": seed, "stratify": y}
        X_train, X_test, y_train, _ = train_test_split(X, y, **sides)
        exact, auto, theirs = (
            model.fit(X_train, y_train)
            for model in (GaussianNB(solver="exact"), GaussianNB(), ScikitLearnGaussianNB())
        )
        assert differing_bits(exact, theirs, X_test) == []
        for method in ("predict_proba", "predict_log_proba"):
            expected = getattr(theirs, method)(X_test)
            np.testing.assert_array_equal(getattr(exact, method)(X_test), expected)
            # Negative control: probabilities of the default are rounded otherwise.
            assert X.shape != (178, 13) or (getattr(auto, method)(X_test) != expected).any()
    # Negative control: another last bit is seen, in whatever was fitted.
    for name in ("theta_", "var_", "class_prior_"):
        other = ScikitLearnGaussianNB().fit(X, y)
        setattr(other, name, np.nextafter(getattr(other, name), 1.0))
        assert name in differing_bits(model, other, X)
    uniform = GaussianNB(priors="uniform").fit(X, y)
    equal = np.full(len(model.classes_), 1.0 / len(model.classes_))
    assert differing_bits(uniform, ScikitLearnGaussianNB(priors=equal).fit(X, y), X) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "n_classes"), [((20_001, 7), 3), ((20, 10_000), 2), ((3000, 2), 1000)]
)
def test_bits_equal_those_of_scikit_learn_in_a_view_of_many_rows_features_or_classes(
    shape: tuple[int, int], n_classes: int
) -> None:
    rows, columns = shape
    wide = np.random.default_rng(0).normal(size=(rows, 3 * columns))
    X, y, before = wide[:, ::3], np.arange(rows) % n_classes, wide.copy()
    X.setflags(write=False)

    model = GaussianNB(solver="exact").fit(X, y)

    assert differing_bits(model, ScikitLearnGaussianNB().fit(X, y), X) == []
    np.testing.assert_array_equal(wide, before)


def random_sample(seed: int) -> Sample:
    """Make a small random sample of any shape, with ties and offsets, from a seed."""
    rng = np.random.default_rng(seed)
    n_features, n_classes = int(rng.integers(1, 40)), int(rng.integers(1, 6))
    n_samples = int(rng.integers(max(2, n_classes), 400))
    y = rng.permutation(np.arange(n_samples) % n_classes)
    X = rng.normal(size=(n_samples, n_features)) * 10.0 ** rng.integers(-3, 4)
    X += 10.0 ** rng.integers(-2, 7) + y[:, np.newaxis]
    if seed % 3 == 0:
        X = np.round(X, 1)
        X[0] += 1.0  # rounding may have left nothing that varies
    return np.asarray(X, order="F" if seed % 2 else "C"), y


@pytest.mark.parametrize("seed", range(5, 14))
def test_bits_do_not_depend_on_how_rows_are_cut_into_blocks(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = random_sample(seed)
    weights = np.random.default_rng(seed).uniform(0.5, 2.0, len(y))
    whole, weighted = GaussianNB().fit(X, y), GaussianNB().fit(X, y, weights)
    for name, value in (("FEW_VALUES", 0), ("BLOCK_VALUES", 20)):
        monkeypatch.setattr(moment_module, name, value)
    monkeypatch.setattr(moment_module, "MOST_PADDING", seed % 3)

    assert differing_bits(GaussianNB().fit(X, y), whole, X) == []
    again = GaussianNB().fit(X, y, weights)
    np.testing.assert_allclose(again.theta_, weighted.theta_, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(again.var_, weighted.var_, rtol=1e-11)


def test_probabilities_sum_to_one_where_scikit_learn_s_do_not() -> None:
    X, y = load_digits(return_X_y=True)
    sides = {"test_size": 0.3, "random_state": 46, "stratify": y}
    X_train, X_test, y_train, _ = train_test_split(X, y, **sides)

    ours = GaussianNB().fit(X_train, y_train).predict_proba(X_test)
    theirs = ScikitLearnGaussianNB().fit(X_train, y_train).predict_proba(X_test)

    assert np.abs(ours.sum(axis=1) - 1.0).max() < 1e-14
    assert np.abs(theirs.sum(axis=1) - 1.0).max() > 1e-10


@pytest.mark.slow
def test_it_passes_every_check_that_scikit_learn_s_own_passes() -> None:
    from sklearn.utils.estimator_checks import check_estimator

    def passed(estimator: Any) -> set[str]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = check_estimator(estimator, on_fail=None, on_skip=None)
        return {row["check_name"] for row in results if row["status"] == "passed"}

    ours, theirs = passed(GaussianNB()), passed(ScikitLearnGaussianNB())

    assert len(theirs) > 40
    # The checks of other array libraries apply to estimators that declare to support them.
    assert {name for name in theirs - ours if "array_api" not in name} == set()


# Batches: any sequence of partial_fit, and merging, gives the parameters of one fit.


def relative_gap(model: Any, whole: GaussianNB) -> float:
    """Return the largest relative difference of any parameter."""
    names = ("theta_", "var_", "class_prior_", "epsilon_")
    pairs = [(getattr(model, name), getattr(whole, name)) for name in names]
    return float(max(np.max(np.abs(a - b) / np.abs(b)) for a, b in pairs))


@pytest.mark.slow
def test_it_passes_scikit_learns_own_tests_of_its_original(tmp_path: Path) -> None:
    (tmp_path / "ours.py").write_text(
        "import sklearn.naive_bayes, gnbbench\n"
        "sklearn.naive_bayes.GaussianNB = gnbbench.GaussianNB\n"
    )
    words = f"-m pytest -p ours -p no:cacheprovider -c {os.devnull} -W ignore -q --pyargs"

    run = subprocess.run(
        [sys.executable, *words.split(), "sklearn.tests.test_naive_bayes"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stdout[-2000:]
    assert int(run.stdout.split(" passed")[0].split()[-1]) > 80


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["exact", "blocked"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("size", [1, 64])
@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_batches_are_one_fit(size: int, offset: float, weighted: bool, solver: str) -> None:
    rng = np.random.default_rng(size)
    X, y = load_breast_cancer(return_X_y=True)
    X, order = X + offset, rng.permutation(len(X))
    weights = rng.uniform(0.1, 2.0, len(y)) if weighted else np.ones(len(y))
    model = GaussianNB(solver=solver)

    for start in range(0, len(X), size):
        rows = order[start : start + size]
        model.partial_fit(X[rows], y[rows], classes=[0, 1], sample_weight=weights[rows])

    assert relative_gap(model, GaussianNB().fit(X, y, sample_weight=weights)) < 1e-12
    # Negative control: scikit-learn takes the newest epsilon out of older variances.
    theirs = ScikitLearnGaussianNB()
    for start in range(0, len(X), 64):
        theirs.partial_fit(X[start : start + 64], y[start : start + 64], classes=[0, 1])
    assert offset > 0.0 or relative_gap(theirs, GaussianNB().fit(X, y)) > 1e-6
    # A fit forgets all that was seen before.
    assert differing_bits(model.fit(X, y), GaussianNB(solver=solver).fit(X, y), X) == []


# Exact and certified values.


@pytest.mark.parametrize("solver", ["exact", "blocked"])
@pytest.mark.parametrize(("load", "cut"), [(load_breast_cancer, 200), (load_iris, 80)])
def test_merging_gives_one_fit_of_all_classes_and_leaves_both_unchanged(
    load: Callable[..., Sample], cut: int, solver: str
) -> None:
    """Each side of iris lacks a class."""
    X, y = load(return_X_y=True)
    X = X + 1e6
    left = GaussianNB(solver=solver).fit(X[:cut], y[:cut])
    right = GaussianNB(solver=solver).fit(X[cut:], y[cut:])
    before = pickle.dumps(left), pickle.dumps(right)

    for both in (left.merge(right), right.merge(left)):
        assert relative_gap(both, GaussianNB().fit(X, y)) < 1e-12
        assert both.classes_.tolist() == np.unique(y).tolist()
    assert (pickle.dumps(left), pickle.dumps(right)) == before
    with pytest.raises(ValueError, match="X has 3 features, but GaussianNB is expecting"):
        left.merge(GaussianNB().fit(X[:, :3], y))


@given(
    st.lists(st.integers(-1000, 1000), min_size=2, max_size=20),
    st.sampled_from([0.0, 1e3, 1e6, 1e9]),
    st.sampled_from(["exact", "blocked"]),
)
@settings(max_examples=60)
def test_mean_and_variance_are_exact_to_the_last_digits(
    numbers: list[int], offset: float, solver: str
) -> None:
    """Exact rational arithmetic on the stored doubles is the truth."""
    values = np.array(numbers) / 8.0 + offset
    mean, variance = exact_moments(values.tolist())

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = GaussianNB(var_smoothing=0.0, solver=solver).fit(
            values[:, np.newaxis], np.zeros(len(values))
        )

    assert float(model.theta_[0, 0]) == pytest.approx(float(mean), rel=1e-14)
    assert float(model.var_[0, 0]) == pytest.approx(float(variance), rel=1e-12, abs=1e-300)


# Types, weights, priors.


@pytest.mark.parametrize("dtype", [np.float16, np.float32, ">f8", np.longdouble, int, bool])
def test_attributes_are_native_float64_whatever_the_type_of_the_samples(dtype: Any) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = X.astype(dtype)

    model = GaussianNB().fit(X, y)

    assert {str(getattr(model, name).dtype) for name in TABLES} == {"float64"}
    assert differing_bits(model, GaussianNB().fit(X.astype(float), y), X) == []
    assert np.isfinite(model.predict_proba(X)).all()


# Hard numbers: no NaN, ever.


@pytest.mark.parametrize("scale", [1e-200, 1e-150, 1e-30, 1e30, 1e150, 1e160, 1e307])
def test_scale_does_not_change_labels_until_variances_leave_float64(scale: float) -> None:
    X, y = load_iris(return_X_y=True)
    if not 1e-160 < scale < 1e155:
        with pytest.raises(ValueError, match="Rescale X"):
            GaussianNB().fit(X * scale, y)
        return

    model = GaussianNB().fit(X * scale, y)

    expected = GaussianNB().fit(X, y).predict(X)
    np.testing.assert_array_equal(model.predict(X * scale), expected)
    assert np.isfinite(model.predict_proba(X * scale)).all()


@pytest.mark.parametrize("distance", [1e5, 1e100, 1e155, 1e200, 1e308])
def test_probabilities_are_finite_far_away(distance: float) -> None:
    X, y = load_iris(return_X_y=True)
    model = GaussianNB().fit(X, y)
    far = np.full((3, 4), distance) * np.array([[1.0], [-1.0], [0.5]])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        probabilities = model.predict_proba(far)

    assert np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-12)
    # The class of the widest variances is the nearest from afar.
    widest = model.var_.sum(axis=1).argmax()
    assert model.predict(far).tolist() == [widest] * 3


def labels_at(model: GaussianNB, X: NDArray[np.float64], exponent: int) -> list[int]:
    """Return the labels that ``10 ** -exponent`` in place of zero variances gives."""
    log_epsilon = -exponent * Decimal(10).ln()
    classes = list(zip(model.class_prior_, model.theta_, model.var_, strict=True))
    labels = []
    for x in X:
        scores = []
        for prior, theta, var in classes:
            zero = var == 0.0
            gap, rest, spread = (x - theta)[zero], (x - theta)[~zero], var[~zero]
            terms = np.log(spread) + rest**2 / spread
            regular = math.log(prior) - 0.5 * float(terms.sum())
            regular -= 0.5 * len(x) * math.log(2.0 * math.pi)
            vanishing = Decimal(float(gap @ gap)).scaleb(exponent)
            vanishing += int(zero.sum()) * log_epsilon
            scores.append(Decimal(regular) - vanishing / 2)
        labels.append(int(model.classes_[scores.index(max(scores))]))
    return labels


def test_constant_features_without_smoothing_are_the_limit_of_little_smoothing() -> None:
    X, y = load_digits(return_X_y=True)
    model = GaussianNB(var_smoothing=0.0).fit(X[:900], y[:900])
    rows = X[900:960]
    with localcontext() as context:
        context.prec = 5100
        limit = labels_at(model, rows, 5000)

    with pytest.warns(RuntimeWarning, match="values of var_ are zero"):
        labels = model.predict(rows)
    with pytest.warns(RuntimeWarning, match="values of var_ are zero"):
        probabilities = model.predict_proba(X)

    assert labels.tolist() == limit
    assert len(set(limit)) > 3
    assert np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-12)
    never_varying = GaussianNB().fit(np.ones((3, 2)), [0, 1, 1])
    with pytest.warns(RuntimeWarning, match="values of var_ are zero"):
        shares = never_varying.predict_proba([[1.0, 1.0], [7.0, -2.0]])
    np.testing.assert_allclose(shares, [[1 / 3, 2 / 3]] * 2)


# Properties.


LARGEST = np.iinfo(np.uint64).max


@pytest.mark.parametrize("solver", ["exact", "blocked"])
@pytest.mark.parametrize(
    "names",
    [
        np.array(["setosa", "virginica", "versicolor"]),
        np.array(["a", "c", "b"], dtype=object),
        np.array([-5, 7, 0]),
        np.array([2.0, 300.0, -1.0]),
        np.array([-128, 127, 0], dtype=np.int8),
        np.array([LARGEST, LARGEST - 1, LARGEST - 60_000], dtype=np.uint64),
        np.array([0, LARGEST, 7], dtype=np.uint64),
        np.array([-(2**63), 2**63 - 1, 0]),
        np.array(["2020-01-01", "2022-01-01", "2021-01-01"], dtype="datetime64[D]"),
        np.array([True, False]),
    ],
)
def test_labels_of_any_sortable_type_come_back(
    names: NDArray[Any], solver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(label_module, "ROWS_AT_ONCE", 7)
    X, y = load_iris(return_X_y=True)
    X, y = X[y < len(names)], y[y < len(names)]

    model = GaussianNB(solver=solver).fit(X, names[y])

    expected = names[GaussianNB().fit(X, y).predict(X)]
    np.testing.assert_array_equal(model.predict(X), expected)
    assert model.classes_.tolist() == sorted(names.tolist())
    natural = names.astype("<U1") if names.dtype == object else names
    assert model.predict(X).dtype == model.classes_.dtype == natural.dtype
    with pytest.raises(ValueError, match="labels cannot be sorted"):
        model.fit(X[:2], np.array([object(), object()]))


# Study A's two measures, and life among scikit-learn's tools.


def test_loss_and_accuracy_equal_those_of_counting_and_of_study_a() -> None:
    X, y = load_iris(return_X_y=True)
    sides = {"test_size": 0.3, "random_state": 42, "stratify": y}
    X_train, X_test, y_train, y_test = train_test_split(X, y, **sides)
    model = GaussianNB().fit(X_train, y_train)
    right = model.predict(X) == y
    loss = -model.predict_log_proba(X)[np.arange(len(y)), y].mean()

    assert model.loss(X, y) == pytest.approx(loss, rel=1e-12)
    assert model.accuracy(X, y) == model.score(X, y) == right.mean()
    assert model.score(X, y, sample_weight=right) == 1.0
    assert round(model.accuracy(X_train, y_train), 4) == 0.9810
    assert round(model.accuracy(X_test, y_test), 4) == 0.9111
    with pytest.raises(ValueError, match="do not exist in the initial classes"):
        model.loss(X[:1], [9])


def test_pipelines_and_cross_validation_give_the_scores_and_pass_weights() -> None:
    X, y = load_iris(return_X_y=True)
    params = {"sample_weight": np.where(y == 0, 5.0, 1.0)}
    plain, weighted = [], []
    for kind in (GaussianNB, ScikitLearnGaussianNB):
        plain.append(cross_val_score(make_pipeline(StandardScaler(), kind()), X, y, cv=5))
        with sklearn.config_context(enable_metadata_routing=True):
            asking = kind().set_fit_request(sample_weight=True)
            asking.set_score_request(sample_weight=False)
            weighted.append(cross_validate(asking, X, y, params=params)["test_score"])

    np.testing.assert_array_equal(*plain)
    np.testing.assert_array_equal(*weighted)
    assert is_classifier(GaussianNB())
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.raises(UnsetMetadataPassedError),
    ):
        cross_validate(GaussianNB(), X, y, params=params)
    with pytest.raises(TypeError, match="Unexpected args"):
        GaussianNB().set_fit_request(weights=True)


def test_clone_and_pickle_keep_everything() -> None:
    X, y = load_iris(return_X_y=True)
    model = GaussianNB(priors="uniform", var_smoothing=1e-3).fit(X, y)

    copy = pickle.loads(pickle.dumps(model))  # noqa: S301  our own bytes
    fresh = clone(model)

    np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
    copy.partial_fit(X, y)
    assert copy.class_count_.sum() == 300
    given_ones = {"priors": "uniform", "var_smoothing": 1e-3}
    assert fresh.get_params() == {**given_ones, "solver": "auto", "n_jobs": None}
    assert not hasattr(fresh, "theta_")


def test_attributes_set_by_hand_are_what_predicts_and_what_batches_start_from() -> None:
    X, y = load_iris(return_X_y=True)
    model = GaussianNB().partial_fit(X.astype(np.float32), y, [0, 1, 2]).partial_fit(X, y)
    other = GaussianNB().fit(X + 1e9, y)

    for name in (*TABLES, "epsilon_"):
        setattr(model, name, getattr(other, name))

    np.testing.assert_array_equal(
        model.predict_joint_log_proba(X + 1e9), other.predict_joint_log_proba(X + 1e9)
    )
    model.partial_fit(X[:1] + 1e9, y[:1])
    other.partial_fit(X[:1] + 1e9, y[:1])
    np.testing.assert_allclose(model.theta_, other.theta_, rtol=1e-15)
    # Priors that were given once stay, and may be given up.
    assert model.set_params(priors=[0.2, 0.3, 0.5]).partial_fit(X, y).class_prior_[0] > 0.3
    assert model.set_params(priors=None).partial_fit(X, y).class_prior_[2] < 0.4


def test_models_of_scikit_learn_come_and_go(real_sample: Sample) -> None:
    X, y = real_sample
    named = pd.DataFrame(X).add_prefix("x")
    theirs = ScikitLearnGaussianNB(var_smoothing=1e-6).fit(named, y)
    ours = GaussianNB(var_smoothing=1e-6).fit(named, y)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert differing_bits(GaussianNB.from_sklearn(theirs), theirs, X) == []
        assert differing_bits(ours, ours.to_sklearn(), X) == []
    assert isinstance(ours.to_sklearn(), ScikitLearnGaussianNB)
    assert ours.to_sklearn().feature_names_in_.tolist() == theirs.feature_names_in_.tolist()
    ours.to_sklearn().theta_[:] = 0.0
    assert ours.theta_.any()
    narrow = ScikitLearnGaussianNB().fit(X.astype(np.float32), y)
    assert GaussianNB.from_sklearn(narrow).theta_.dtype == np.float64
    assert not hasattr(GaussianNB().to_sklearn(), "classes_")
    assert not hasattr(GaussianNB.from_sklearn(ScikitLearnGaussianNB()), "classes_")
    uniform = GaussianNB(priors="uniform")
    with pytest.raises(ValueError, match="priors='uniform' has no length before fit"):
        uniform.to_sklearn()
    assert len(uniform.fit(X, y).to_sklearn().fit(X, y).class_prior_) == len(ours.classes_)
    with pytest.raises(TypeError, match="is not a GaussianNB of scikit-learn"):
        GaussianNB.from_sklearn(StandardScaler())


def test_notebooks_show_scikit_learn_s_diagram(monkeypatch: pytest.MonkeyPatch) -> None:
    model = GaussianNB(var_smoothing=0.5)

    html = model._repr_html_()

    assert html is not None
    assert "GaussianNB" in html
    assert "0.5" in html
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert model._repr_html_() is None


def test_rows_without_weight_do_not_count_as_values_that_vary() -> None:
    """A single row with positive weight has no variance, which is not an underflow."""
    X, y = load_iris(return_X_y=True)
    weights = np.zeros(len(y))
    weights[7] = 2.0

    for solver in ("exact", "blocked"):
        model = GaussianNB(solver=solver).fit(X, y, weights)
        model.partial_fit(X, y, sample_weight=np.ones(len(y)))

        assert model.class_count_.tolist() == [52.0, 50.0, 50.0]


@pytest.mark.parametrize("var_smoothing", [1e-9, 0.0])
def test_priors_alone_decide_where_no_class_has_rows_and_a_prior(
    var_smoothing: float,
) -> None:
    model = GaussianNB(priors=[0.0, 0.25, 0.75], var_smoothing=var_smoothing)
    model.partial_fit([[1.0], [2.0]], [0, 0], classes=[0, 1, 2])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        probabilities = model.predict_proba([[1.5], [9e9]])
        labels = model.predict([[1.5], [9e9]])

    np.testing.assert_allclose(probabilities, [[0.0, 0.25, 0.75]] * 2)
    assert labels.tolist() == [2, 2]


def test_failed_fits_leave_the_model_unchanged() -> None:
    X, y = load_iris(return_X_y=True)
    model = GaussianNB().fit(X, y)
    before = pickle.dumps(model)

    for bad in (np.full((3, 4), np.nan), np.full((3, 4), 1e308), np.ones((3, 4)) * np.inf):
        with pytest.raises(ValueError, match=r"NaN|too large|infinity"):
            model.fit(bad, [0, 1, 2])
    with pytest.raises(ValueError, match="do not exist"):
        model.partial_fit(X[:2], [0, 7])

    assert pickle.dumps(model) == before
