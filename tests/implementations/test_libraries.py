"""Every installed library keeps scikit-learn's contract; a missing one says its remedy."""

import pickle
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from gnbbench.errors import MissingLibraryError
from gnbbench.implementations.declaration import Implementation
from gnbbench.implementations.libraries import LIBRARIES, Library, check_installed
from gnbbench.implementations.library_adapters import (
    Codes,
    LibraryClassifier,
    as_floats,
)

# Spark says so of every release of pandas from 3; no pandas is used with it here.
pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")

PROJECT = Path(__file__).parents[2] / "pyproject.toml"
ABSENT = Library("absent", object, "no-such-distribution", "absent", "is not there")
SLOW_TO_START = {"pomegranate", "spark", "torchml"}

X, Y = load_iris(return_X_y=True)
ORDER = np.random.default_rng(0).permutation(len(Y))
X, Y = X[ORDER], Y[ORDER]
X_TRAIN, Y_TRAIN, X_TEST = X[:105], Y[:105], X[105:]
NAMES = np.array(["setosa", "versicolor", "virginica"])


class Backwards(LibraryClassifier):
    """A planted fault: hands back the codes in the wrong order."""

    def _fit_codes(self, X: NDArray[Any], codes: Codes) -> None:
        self.model = GaussianNB().fit(X, codes)

    def _predict_codes(self, X: NDArray[Any]) -> Codes:
        codes: Codes = len(self.classes_) - 1 - self.model.predict(X)
        return codes


def installed(offering: str = "fit") -> list[Any]:
    """Return the libraries that are installed and offer a method, as parameters."""
    return [
        pytest.param(
            library,
            id=library.name,
            marks=[pytest.mark.slow] if library.name in SLOW_TO_START else [],
        )
        for library in LIBRARIES
        if library.version is not None and hasattr(library.estimator(), offering)
    ]


each_library = pytest.mark.parametrize("library", installed())


def has_sklearn_labels(model: Any) -> bool:
    """Tell whether a model learns iris as scikit-learn's does, label by label."""
    expected = GaussianNB().fit(X_TRAIN, Y_TRAIN).predict(X_TEST)
    return np.array_equal(model.fit(X_TRAIN, Y_TRAIN).predict(X_TEST), expected)


@each_library
def test_labels_on_iris_are_those_of_sklearn(library: Library) -> None:
    assert has_sklearn_labels(library())


def test_wrong_labels_are_noticed() -> None:
    assert not has_sklearn_labels(Backwards())


@each_library
@pytest.mark.parametrize(
    "as_labels",
    [
        lambda y: NAMES[y],
        lambda y: NAMES[y].astype(object),
        lambda y: y - 7,
        lambda y: 2.0 * y,
        lambda y: y == 1,
    ],
    ids=["text", "object", "negative", "float", "bool"],
)
def test_labels_of_any_type_come_back(
    library: Library, as_labels: Callable[[NDArray[Any]], NDArray[Any]]
) -> None:
    labels = as_labels(Y_TRAIN)
    expected = GaussianNB().fit(X_TRAIN, labels).predict(X_TEST)

    model = library().fit(X_TRAIN, labels)
    predicted = model.predict(X_TEST)

    assert predicted.dtype == labels.dtype
    assert predicted.tolist() == expected.tolist()
    assert model.classes_.tolist() == np.unique(labels).tolist()


@pytest.mark.parametrize("library", installed("predict_proba"))
def test_columns_of_probabilities_are_those_of_the_sorted_classes(library: Library) -> None:
    model = library().fit(X_TRAIN, Y_TRAIN)

    shares = model.predict_proba(X_TEST)

    expected = GaussianNB().fit(X_TRAIN, Y_TRAIN).predict_proba(X_TEST)
    assert np.allclose(shares.sum(axis=1), 1.0, atol=1e-5)
    assert np.allclose(shares, expected, atol=0.05)


@pytest.mark.parametrize("library", installed("predict_joint_log_proba"))
def test_joint_log_likelihoods_give_the_probabilities(library: Library) -> None:
    model = library().fit(X_TRAIN, Y_TRAIN)

    scores = model.predict_joint_log_proba(X_TEST).astype(float)

    shares = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    assert np.allclose(shares, model.predict_proba(X_TEST), atol=1e-5)


@each_library
def test_parameters_are_the_classes_means_variances_and_shares(library: Library) -> None:
    reference = GaussianNB().fit(X_TRAIN, Y_TRAIN)

    model = library().fit(X_TRAIN, Y_TRAIN)

    assert np.allclose(model.theta_, reference.theta_, rtol=1e-6)
    assert np.allclose(model.class_prior_, reference.class_prior_, rtol=1e-6)
    largest_bessel = 1.0 / (reference.class_count_.min() - 1.0)
    assert np.allclose(model.var_, reference.var_, rtol=1.01 * largest_bessel)


@each_library
def test_a_second_fit_forgets_the_first(library: Library) -> None:
    model = library().fit(X_TRAIN[:, :3] + 5.0, np.minimum(Y_TRAIN, 1))

    assert has_sklearn_labels(model)


@each_library
def test_one_feature_fewer_and_whole_numbers_are_learned(library: Library) -> None:
    whole = np.rint(10.0 * X).astype(int)[:, 1:]
    expected = GaussianNB().fit(whole[:105], Y_TRAIN).predict(whole[105:])

    predicted = library().fit(whole[:105], Y_TRAIN).predict(whole[105:])

    assert predicted.tolist() == expected.tolist()


@each_library
@pytest.mark.parametrize(
    "change", [np.asfortranarray, lambda given: given[:, ::-1][:, ::-1]]
)
def test_any_layout_in_memory_is_read_and_left_unchanged(
    library: Library, change: Callable[[NDArray[Any]], NDArray[Any]]
) -> None:
    train, test = change(X_TRAIN.copy()), change(X_TEST.copy())
    train.flags.writeable = test.flags.writeable = False
    expected = GaussianNB().fit(X_TRAIN, Y_TRAIN).predict(X_TEST)

    predicted = library().fit(train, Y_TRAIN).predict(test)

    assert predicted.tolist() == expected.tolist()
    assert np.array_equal(train, X_TRAIN)


@each_library
def test_an_unfitted_estimator_can_be_sent_to_another_process(library: Library) -> None:
    copy = pickle.loads(pickle.dumps(library()))  # noqa: S301  made here

    assert has_sklearn_labels(copy)


def test_an_implementation_can_be_sent_to_another_process() -> None:
    for library in LIBRARIES:
        entry = Implementation(library.name, library)

        assert pickle.loads(pickle.dumps(entry)) == entry  # noqa: S301  made here


def test_samples_keep_their_precision_if_they_have_one() -> None:
    assert as_floats(np.array([[1, 2]])).dtype == np.float64
    assert as_floats(np.array([[True]])).dtype == np.float64
    assert as_floats(np.ones((1, 1), dtype=np.float32)).dtype == np.float32


def test_a_missing_library_says_how_to_install_it() -> None:
    with pytest.raises(MissingLibraryError) as raised:
        ABSENT()

    assert str(raised.value) == (
        "Implementation 'absent': no-such-distribution is not installed. "
        'Install it: pip install "gnbbench[absent]"'
    )


def test_a_missing_library_is_found_before_anything_is_made() -> None:
    entry = replace(Implementation("absent", ABSENT), name="mine")

    with pytest.raises(MissingLibraryError, match="'absent'"):
        check_installed(entry)


def test_what_is_there_passes_the_check() -> None:
    numpy = Library("numpy", dict, "numpy", "numpy", "is there")

    check_installed(Implementation("numpy", numpy))
    check_installed(Implementation("plain", dict))

    assert numpy() == {}
    assert numpy.version == np.__version__


@pytest.mark.parametrize("entry", LIBRARIES, ids=lambda entry: entry.name)
def test_the_extra_of_a_library_installs_it(entry: Library) -> None:
    extras = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]

    requirements = extras[entry.extra]

    assert any(need.partition(">=")[0] == entry.distribution for need in requirements)


@pytest.mark.parametrize("entry", LIBRARIES, ids=lambda entry: entry.name)
def test_every_adapter_is_told_in_one_line(entry: Library) -> None:
    assert entry.description
    assert "\n" not in entry.description
    assert repr(entry.estimator()).endswith("GaussianNB()") or entry.name.startswith(
        "mixed"
    )
