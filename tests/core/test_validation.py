"""Bad input gets an error, in scikit-learn's words where it has some."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

from gnbbench import GaussianNB

X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0], [6.0, 8.0]])
y = np.array([0, 0, 1, 1])
NAN = np.where(X == 7.0, np.nan, X)
INFINITE = np.where(X == 7.0, np.inf, X)

Action = Callable[[Any], Any]

# (what is wrong, what is done, words of the message); both estimators must refuse it.
CASES: list[tuple[str, Action, str]] = [
    ("X is 1-D", lambda m: m.fit(X[0], y), "Expected 2D array, got 1D array instead"),
    (
        "X is a number",
        lambda m: m.fit(3.0, y),
        "Expected 2D array, got scalar array instead",
    ),
    ("X is 3-D", lambda m: m.fit(X[None], y), "Found array with dim 3, while dim <= 2"),
    ("no rows", lambda m: m.fit(X[:0], y[:0]), r"0 sample\(s\)"),
    ("no columns", lambda m: m.fit(X[:, :0], y), r"0 feature\(s\) \(shape=\(4, 0\)\)"),
    ("y is 2-D", lambda m: m.fit(X, np.stack([y, y], axis=1)), "y should be a 1d array"),
    (
        "y is missing",
        lambda m: m.fit(X, None),
        "requires y to be passed, but the target y is",
    ),
    ("lengths", lambda m: m.fit(X, y[:3]), r"inconsistent numbers of samples: \[4, 3\]"),
    ("NaN", lambda m: m.fit(NAN, y), "Input X contains NaN"),
    (
        "infinity",
        lambda m: m.fit(INFINITE, y),
        "Input X contains infinity or a value too large",
    ),
    ("NaN later", lambda m: m.fit(X, y).predict(NAN), "Input X contains NaN"),
    (
        "infinity later",
        lambda m: m.fit(X, y).predict(INFINITE),
        "Input X contains infinity",
    ),
    ("NaN in y", lambda m: m.fit(X, [0, 0, 1, np.nan]), "Input y contains NaN"),
    (
        "features",
        lambda m: m.fit(X, y).predict(X[:, :1]),
        "X has 1 features, but GaussianNB is",
    ),
    (
        "features, later batch",
        lambda m: m.fit(X, y).partial_fit(X[:, :1], y),
        "X has 1 features",
    ),
    ("complex", lambda m: m.fit(X + 1j, y), "Complex data not supported"),
    ("strings", lambda m: m.fit(np.array([["a"], ["b"]]), [0, 1]), "bytes/strings|convert"),
    ("continuous y", lambda m: m.fit(X, [0.1, 0.2, 1.5, 1.7]), "Unknown label type"),
    (
        "priors, length",
        lambda m: m.set_params(priors=[1.0]).fit(X, y),
        "Number of priors must",
    ),
    (
        "priors, sum",
        lambda m: m.set_params(priors=[0.5, 0.6]).fit(X, y),
        "sum of the priors",
    ),
    (
        "priors, sign",
        lambda m: m.set_params(priors=[-0.5, 1.5]).fit(X, y),
        "must be non-negative",
    ),
    (
        "priors, kind",
        lambda m: m.set_params(priors=3).fit(X, y),
        "The 'priors' parameter of Gau",
    ),
    (
        "smoothing",
        lambda m: m.set_params(var_smoothing=-1.0).fit(X, y),
        "The 'var_smoothing' par",
    ),
    (
        "smoothing, kind",
        lambda m: m.set_params(var_smoothing="a").fit(X, y),
        "Got 'a' instead",
    ),
    (
        "no classes",
        lambda m: m.partial_fit(X, y),
        "classes must be passed on the first call",
    ),
    (
        "other classes",
        lambda m: m.partial_fit(X, y, classes=[0, 1]).partial_fit(X, y, classes=[0, 2]),
        "is not the same as on last call to partial_fit",
    ),
    (
        "unknown label",
        lambda m: m.partial_fit(X, y, classes=[0]),
        "do not exist in the initial",
    ),
    ("weights, shape", lambda m: m.fit(X, y, np.ones((4, 2))), "Sample weights must be 1D"),
    (
        "weights, length",
        lambda m: m.fit(X, y, np.ones(3)),
        r"sample_weight.shape == \(3,\)",
    ),
    (
        "weights, NaN",
        lambda m: m.fit(X, y, [1, 1, 1, np.nan]),
        "sample_weight contains NaN",
    ),
    ("unknown parameter", lambda m: m.set_params(alpha=1), "Invalid parameter 'alpha'"),
]


@pytest.mark.parametrize(
    ("action", "words"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
@pytest.mark.parametrize("estimator", [GaussianNB, ScikitLearnGaussianNB])
def test_both_refuse_in_the_same_words(
    estimator: type[Any], action: Action, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        action(estimator())


@pytest.mark.parametrize("weights", [[1, 1, 1, -1], [0, 0, 0, 0]])
def test_weights_that_mean_nothing_are_refused(weights: list[int]) -> None:
    with pytest.raises(ValueError, match=r"Negative values|at least one non-zero"):
        GaussianNB().fit(X, y, weights)


def test_labels_that_cannot_be_sorted_are_refused() -> None:
    with pytest.raises(ValueError, match="Mix of label input types"):
        GaussianNB().fit(X, np.array([0, 0, "a", "a"], dtype=object))


@pytest.mark.parametrize("estimator", [GaussianNB, ScikitLearnGaussianNB])
def test_sparse_data_are_refused_by_type(estimator: type[Any]) -> None:
    with pytest.raises(TypeError, match="Sparse data was passed"):
        estimator().fit(scipy.sparse.csr_matrix(X), y)


@pytest.mark.parametrize("estimator", [GaussianNB, ScikitLearnGaussianNB])
def test_objects_that_are_no_numbers_are_refused_by_type(estimator: type[Any]) -> None:
    with pytest.raises(TypeError, match=r"argument must be .* string.* number"):
        estimator().fit(np.array([[{}], [{}]], dtype=object), [0, 1])


@pytest.mark.parametrize(
    "method", ["predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba"]
)
def test_unfitted_models_say_so(method: str) -> None:
    with pytest.raises(NotFittedError, match="This GaussianNB instance is not fitted yet"):
        getattr(GaussianNB(), method)(X)


def test_a_column_of_labels_is_taken_with_a_warning() -> None:
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        model = GaussianNB().fit(X, y[:, np.newaxis])

    assert model.classes_.tolist() == [0, 1]


def test_objects_that_are_numbers_serve() -> None:
    model = GaussianNB().fit(X.astype(object), y.astype(object))

    np.testing.assert_array_equal(model.theta_, GaussianNB().fit(X, y).theta_)


def test_lists_and_data_frames_serve() -> None:
    frame = pd.DataFrame(X, columns=["a", "b"])

    model = GaussianNB().fit(frame, pd.Series(y))

    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert (
        model.predict(frame).tolist()
        == GaussianNB().fit(X.tolist(), y.tolist()).predict(X).tolist()
    )


def test_missing_values_of_nullable_columns_are_nan() -> None:
    frame = pd.DataFrame({"a": pd.array([1, 2, None], dtype="Int64"), "b": [1.0, 2.0, 3.0]})

    with pytest.raises(ValueError, match="Input X contains NaN"):
        GaussianNB().fit(frame, [0, 1, 1])


def test_other_column_names_are_refused() -> None:
    model = GaussianNB().fit(pd.DataFrame(X, columns=["a", "b"]), y)

    with pytest.raises(ValueError, match="Feature names unseen at fit time:\n- c"):
        model.predict(pd.DataFrame(X, columns=["a", "c"]))
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(pd.DataFrame(X, columns=["b", "a"]))


def test_names_on_one_side_only_give_a_warning() -> None:
    frame = pd.DataFrame(X, columns=["a", "b"])

    with pytest.warns(UserWarning, match="was fitted with feature names"):
        GaussianNB().fit(frame, y).predict(X)
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        GaussianNB().fit(X, y).predict(frame)


def test_mixed_column_names_are_refused_and_numbers_ignored() -> None:
    with pytest.raises(TypeError, match="Feature names are only supported"):
        GaussianNB().fit(pd.DataFrame(X, columns=["a", 1]), y)

    assert not hasattr(GaussianNB().fit(pd.DataFrame(X), y), "feature_names_in_")


def test_fit_without_names_forgets_older_names() -> None:
    model = GaussianNB().fit(pd.DataFrame(X, columns=["a", "b"]), y)

    model.fit(X, y)

    assert not hasattr(model, "feature_names_in_")


def test_the_repr_shows_what_differs_from_the_defaults() -> None:
    assert repr(GaussianNB()) == "GaussianNB()"
    assert repr(GaussianNB(priors=[0.5, 0.5])) == "GaussianNB(priors=[0.5, 0.5])"
