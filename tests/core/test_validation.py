"""Bad input raises an error, in scikit-learn's words if it has any."""

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

from gnbbench import GaussianNB
from gnbbench.core.validation import checked_n_jobs

X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0], [6.0, 8.0]])
y = np.array([0, 0, 1, 1])
NAN = np.where(X == 7.0, np.nan, X)
INFINITE = np.where(X == 7.0, np.inf, X)

Action = Callable[[Any], Any]


def fit(X: Any = X, y: Any = y, weights: Any = None, **parameters: Any) -> Action:
    """Return what sets the parameters of a model and fits it."""
    return lambda model: model.set_params(**parameters).fit(X, y, weights)


def predict(rows: Any) -> Action:
    """Return a function that fits a model to valid samples and predicts others."""
    return lambda model: model.fit(X, y).predict(rows)


def batches(*given: tuple[Any, Any, Any]) -> Action:
    """Return what gives a model one batch (X, y, classes) after the other."""
    return lambda model: [model.partial_fit(*batch) for batch in given]


SPARSE = scipy.sparse.csr_matrix(X)
# What is wrong -> what is done, and words of the message; both estimators must refuse it.
REFUSED: dict[str, tuple[Action, str]] = {
    "X is 1-D": (fit(X[0]), "Expected 2D array, got 1D array instead"),
    "X is a number": (fit(3.0), "Expected 2D array, got scalar array instead"),
    "X is 3-D": (fit(X[None]), "Found array with dim 3, while dim <= 2"),
    "no rows": (fit(X[:0], y[:0]), r"0 sample\(s\)"),
    "no columns": (fit(X[:, :0]), r"0 feature\(s\) \(shape=\(4, 0\)\)"),
    "y is 2-D": (fit(y=np.stack([y, y], axis=1)), "y should be a 1d array"),
    "y is missing": (fit(y=None), "requires y to be passed, but the target y is"),
    "lengths": (fit(y=y[:3]), r"inconsistent numbers of samples: \[4, 3\]"),
    "NaN": (fit(NAN), "Input X contains NaN"),
    "infinity": (fit(INFINITE), "Input X contains infinity or a value too large"),
    "NaN later": (predict(NAN), "Input X contains NaN"),
    "infinity later": (predict(INFINITE), "Input X contains infinity"),
    "NaN in y": (fit(y=[0, 0, 1, np.nan]), "Input y contains NaN"),
    "features": (predict(X[:, :1]), "X has 1 features, but GaussianNB is"),
    "features, later": (batches((X, y, [0, 1]), (X[:, :1], y, None)), "X has 1 features"),
    "complex": (fit(X + 1j), "Complex data not supported"),
    "strings": (fit(np.array([["a"], ["b"]]), [0, 1]), "bytes/strings|convert"),
    "continuous y": (fit(y=[0.1, 0.2, 1.5, 1.7]), "Unknown label type"),
    "priors, length": (fit(priors=[1.0]), "Number of priors must"),
    "priors, sum": (fit(priors=[0.5, 0.6]), "sum of the priors"),
    "priors, sign": (fit(priors=[-0.5, 1.5]), "must be non-negative"),
    "priors, kind": (fit(priors=3), "The 'priors' parameter of Gau"),
    "smoothing": (fit(var_smoothing=-1.0), "The 'var_smoothing' par"),
    "smoothing, kind": (fit(var_smoothing="a"), "Got 'a' instead"),
    "no classes": (batches((X, y, None)), "classes must be passed on the first call"),
    "other classes": (batches((X, y, [0, 1]), (X, y, [0, 2])), "is not the same as on"),
    "unknown label": (batches((X, y, [0])), "do not exist in the initial"),
    "weights, shape": (fit(weights=np.ones((4, 2))), "Sample weights must be 1D"),
    "weights, length": (fit(weights=np.ones(3)), r"sample_weight.shape == \(3,\)"),
    "weights, NaN": (fit(weights=[1, 1, 1, np.nan]), "sample_weight contains NaN"),
    "unknown parameter": (fit(alpha=1), "Invalid parameter 'alpha'"),
}
REFUSED_BY_TYPE: dict[str, tuple[Action, str]] = {
    "sparse": (fit(SPARSE), "Sparse data was passed for X"),
    "sparse y": (fit(y=SPARSE), "Sparse data was passed for y"),
    "sparse weights": (fit(weights=SPARSE), "Sparse data was passed for sample_weight"),
    "dates": (fit(pd.DataFrame({"a": pd.to_datetime(y)})), "'Timestamp'|'add'"),
    "objects": (
        fit(np.array([[{}], [{}]], dtype=object), [0, 1]),
        r"argument must be .* string.* number",
    ),
}


def asked(method: str, model: Any) -> Any:
    """Ask a model that may not be fitted."""
    return getattr(model, method)(X)


METHODS = ("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba")
# What scikit-learn's takes or says otherwise, in some of its versions at least.
REFUSED_BY_OURS: dict[str, tuple[Action, str]] = {
    "weights, sign": (fit(weights=[1, 1, 1, -1]), "Negative values"),
    "weights, zero": (fit(weights=[0, 0, 0, 0]), "at least one non-zero"),
    "text for numbers": (
        lambda model: model.fit(X, y).score(X, np.array(["0", "0", "1", "1"])),
        "Mix of label input types",
    ),
    "mixed y": (fit(y=np.array([0, 0, "a", "a"], dtype=object)), "Mix of label input ty"),
    **{f"unfitted {name}": (partial(asked, name), "is not fitted yet") for name in METHODS},
}


@pytest.mark.parametrize(
    ("estimator", "wrong"),
    [
        *product((GaussianNB, ScikitLearnGaussianNB), REFUSED | REFUSED_BY_TYPE),
        *product((GaussianNB,), REFUSED_BY_OURS),
    ],
)
def test_both_refuse_in_the_same_words(estimator: type[Any], wrong: str) -> None:
    kind = TypeError if wrong in REFUSED_BY_TYPE else ValueError
    kind = NotFittedError if wrong.startswith("unfitted") else kind
    action, words = (REFUSED | REFUSED_BY_TYPE | REFUSED_BY_OURS)[wrong]

    with pytest.raises(kind, match=words):
        action(estimator())


def test_a_column_of_labels_is_taken_with_a_warning() -> None:
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        model = GaussianNB().fit(X, y[:, np.newaxis])

    assert model.classes_.tolist() == [0, 1]


def test_lists_objects_and_data_frames_serve() -> None:
    frame, expected = pd.DataFrame(X, columns=["a", "b"]), GaussianNB().fit(X, y)

    named = GaussianNB().fit(frame, pd.Series(y))

    assert named.feature_names_in_.tolist() == ["a", "b"]
    assert not hasattr(named.fit(X, y), "feature_names_in_")
    assert not hasattr(GaussianNB().fit(pd.DataFrame(X), y), "feature_names_in_")
    for rows, labels in ((frame, pd.Series(y)), (X.tolist(), [0, 0, 1, 1])):
        assert GaussianNB().fit(rows, labels).theta_.tolist() == expected.theta_.tolist()
    of_objects = GaussianNB().fit(X.astype(object), y.astype(object))
    assert of_objects.theta_.tolist() == expected.theta_.tolist()
    nullable = pd.DataFrame({"a": pd.array([1, 2, None], dtype="Int64"), "b": [1.0, 2, 3]})
    with pytest.raises(ValueError, match="Input X contains NaN"):
        GaussianNB().fit(nullable, [0, 1, 1])


def test_categories_tables_and_boxed_labels_serve() -> None:
    expected = GaussianNB().fit(X, y).theta_.tolist()
    frame = pd.DataFrame(X.astype(int), columns=["a", "b"]).astype("category")
    table = pa.table({"a": X[:, 0], "b": X[:, 1]})

    for rows in (frame, frame.astype({"a": float}), table):
        model = GaussianNB().fit(rows, y)
        assert model.theta_.tolist() == expected
        assert model.feature_names_in_.tolist() == ["a", "b"]
    missing = frame.astype({"b": "Int64"}).mask(frame.astype(int) == 7)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        GaussianNB().fit(missing, y)
    names = np.array(["one", "three"])
    for labels in (pd.Series(names[y]), pd.Categorical(names[y]), names.astype(object)[y]):
        assert GaussianNB().fit(X, labels).classes_.dtype == names.dtype
    with pytest.raises(ValueError, match="Input y contains NaN"):
        GaussianNB().fit(X, pd.Series([1, 1, 2, None], dtype="Int64"))


def test_strings_of_any_width_are_equal_to_strings() -> None:
    names = np.array(["one", "three"])[y]
    model = GaussianNB().fit(X, names)

    for labels in (names.astype("<U9"), names.astype(np.dtypes.StringDType())):
        assert model.score(X, labels) == model.score(X, names)


def test_jobs_are_counted_as_by_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 8)

    counts = [checked_n_jobs(n_jobs, "GaussianNB") for n_jobs in (None, 3, -1, -3, -9)]

    assert counts == [1, 3, 8, 6, 1]


def test_other_column_names_are_refused_and_names_on_one_side_only_warned_of() -> None:
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = GaussianNB().fit(frame, y)

    with pytest.raises(ValueError, match="Feature names unseen at fit time:\n- c"):
        model.predict(pd.DataFrame(X, columns=["a", "c"]))
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(pd.DataFrame(X, columns=["b", "a"]))
    with pytest.raises(TypeError, match="Feature names are only supported"):
        GaussianNB().fit(pd.DataFrame(X, columns=["a", 1]), y)
    with pytest.warns(UserWarning, match="was fitted with feature names"):
        model.predict(X)
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        GaussianNB().fit(X, y).predict(frame)


def test_the_repr_shows_what_differs_from_the_defaults() -> None:
    assert repr(GaussianNB()) == "GaussianNB()"
    assert repr(GaussianNB(priors=[0.5, 0.5])) == "GaussianNB(priors=[0.5, 0.5])"
