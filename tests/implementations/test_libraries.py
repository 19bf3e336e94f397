"""Every installed library keeps scikit-learn's contract; a missing one says its remedy."""

import pickle
import tomllib
from collections.abc import Callable
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from gnbbench.arrays import CodeArray
from gnbbench.errors import MissingLibraryError
from gnbbench.implementations.catalogue import (
    LIBRARIES,
    Implementation,
    Library,
    check_installed,
)
from gnbbench.implementations.library_adapters import LibraryClassifier, as_floats

# Spark says so of every release of pandas from 3; no pandas is used with it here.
pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")

PROJECT = Path(__file__).parents[2] / "pyproject.toml"
SLOW_TO_START = {"pomegranate", "spark", "torchml"}

X, Y = load_iris(return_X_y=True)
ORDER = np.random.default_rng(0).permutation(len(Y))
X, Y = X[ORDER], Y[ORDER]
X_TRAIN, Y_TRAIN, X_TEST = X[:105], Y[:105], X[105:]
NAMES = np.array(["setosa", "versicolor", "virginica"])


class Backwards(LibraryClassifier):
    """A planted fault: hands back the codes in the wrong order."""

    def _fit_codes(self, X: NDArray[Any], codes: CodeArray) -> None:
        self.model = GaussianNB().fit(X, codes)

    def _predict_codes(self, X: NDArray[Any]) -> CodeArray:
        codes: CodeArray = len(self.classes_) - 1 - self.model.predict(X)
        return codes

    def _parameters(self) -> Any: ...


each_library = pytest.mark.parametrize(
    "library",
    [
        pytest.param(
            library,
            id=library.name,
            marks=[pytest.mark.slow] if library.name in SLOW_TO_START else [],
        )
        for library in LIBRARIES
        if library.version is not None
    ],
)


def has_sklearn_labels(
    model: Any, train: Any = X_TRAIN, labels: Any = Y_TRAIN, test: Any = X_TEST
) -> bool:
    """Return whether a model learns like scikit-learn's, label by label."""
    expected = GaussianNB().fit(train, labels).predict(test)
    predicted = model.fit(train, labels).predict(test)
    same: bool = predicted.dtype == labels.dtype and predicted.tolist() == expected.tolist()
    return same


def test_wrong_labels_are_noticed() -> None:
    assert not has_sklearn_labels(Backwards())


@each_library
@pytest.mark.parametrize(
    "labels",
    [
        NAMES[Y_TRAIN],
        NAMES[Y_TRAIN].astype(object),
        Y_TRAIN - 7,
        2.0 * Y_TRAIN,
        Y_TRAIN == 1,
    ],
    ids=["text", "object", "negative", "float", "bool"],
)
def test_labels_of_any_type_come_back(library: Library, labels: NDArray[Any]) -> None:
    model = library()

    assert has_sklearn_labels(model, labels=labels)
    assert model.classes_.tolist() == np.unique(labels).tolist()


@each_library
def test_scores_probabilities_and_parameters_equal_those_of_the_classes(
    library: Library,
) -> None:
    model, reference = (m.fit(X_TRAIN, Y_TRAIN) for m in (library(), GaussianNB()))
    largest_bessel = 1.0 / (reference.class_count_.min() - 1.0)

    assert np.allclose(model.theta_, reference.theta_, rtol=1e-6)
    assert np.allclose(model.class_prior_, reference.class_prior_, rtol=1e-6)
    assert np.allclose(model.var_, reference.var_, rtol=1.01 * largest_bessel)
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(X_TEST)
        assert np.allclose(shares.sum(axis=1), 1.0, atol=1e-5)
        assert np.allclose(shares, reference.predict_proba(X_TEST), atol=0.05)
    if hasattr(model, "predict_joint_log_proba"):
        scores = model.predict_joint_log_proba(X_TEST).astype(float)
        of_scores = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
        assert np.allclose(of_scores, shares, atol=1e-5)


@each_library
def test_a_second_fit_of_a_model_that_travelled_forgets_the_first(library: Library) -> None:
    model = pickle.loads(pickle.dumps(library()))  # noqa: S301  made here
    model.fit(X_TRAIN[:, :3] + 5.0, np.minimum(Y_TRAIN, 1))

    assert has_sklearn_labels(model)


@each_library
@pytest.mark.parametrize(
    "change",
    [
        np.asfortranarray,
        lambda given: given[:, ::-1][:, ::-1],
        lambda given: np.rint(10.0 * given).astype(int)[:, 1:],
    ],
    ids=["columns", "view", "whole numbers"],
)
def test_any_layout_in_memory_is_read_and_left_unchanged(
    library: Library, change: Callable[[NDArray[Any]], NDArray[Any]]
) -> None:
    train, test = change(X_TRAIN.copy()), change(X_TEST.copy())
    train.flags.writeable = test.flags.writeable = False

    assert has_sklearn_labels(library(), train, test=test)
    assert np.array_equal(train, change(X_TRAIN))


def test_samples_keep_their_precision_if_they_have_one() -> None:
    assert as_floats(np.array([[1, 2]])).dtype == np.float64
    assert as_floats(np.array([[True]])).dtype == np.float64
    assert as_floats(np.ones((1, 1), dtype=np.float32)).dtype == np.float32


def test_all_missing_libraries_are_named_at_once_before_anything_is_made() -> None:
    one, two = (Library(n, "", "is not there", f"no-{n}", n) for n in ("one", "two"))
    entries = Implementation("1", one), Implementation("a", dict), Implementation("2", two)

    for action, missing, command in (
        (one, "one (no-one)", "pip install no-one"),
        (lambda: check_installed(*entries[:2]), "one (no-one)", "pip install no-one"),
        (
            lambda: check_installed(*entries),
            *("one (no-one), two (no-two)", "pip install no-one no-two"),
        ),
    ):
        with pytest.raises(MissingLibraryError) as raised:
            action()
        assert str(raised.value) == f"Not installed: {missing}. Install with: {command}"


def test_installed_libraries_pass_the_check() -> None:
    numpy = Library("numpy", "builtins:dict", "is there", "numpy")

    check_installed(Implementation("numpy", numpy))
    check_installed(Implementation("plain", dict))

    assert numpy() == {}
    assert numpy.version == np.__version__


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_a_library_is_installed_by_its_extra_and_can_be_sent(library: Library) -> None:
    extras = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    requirements = extras[library.extra or library.distribution]
    entry = Implementation(library.name, library)

    assert any(need.partition(">=")[0] == library.distribution for need in requirements)
    assert pickle.loads(pickle.dumps(entry)) == entry  # noqa: S301  made here
    assert "\n" not in library.description
    assert issubclass(resolve_name(library.adapter), LibraryClassifier)
