"""Code is called in the manner in which it was written, and what was done is told."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from gnbbench.errors import GnbBenchError
from gnbbench.implementations import implementation
from gnbbench.implementations.adapting import AdaptedModel
from gnbbench.implementations.conventions import words_of
from gnbbench.measurement.predictions import predictions

X, CODES = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[CODES]

# Nearest class mean, in pieces that the manners below put together.
HEAD = """
import numpy as np
import pandas as pd

def means_of(X, y):
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    return {label: X[y == label].mean(axis=0) for label in np.unique(y).tolist()}

def scores_of(means, row):
    return {k: -((np.asarray(row, dtype=float) - m) ** 2).sum() for k, m in means.items()}

def best_of(means, row):
    scores = scores_of(means, row)
    return max(scores, key=scores.get)
"""
FIT = "    def fit(self, X, y):\n        self.means = means_of(X, y)\n"
PREDICT = "    def predict(self, X): return [best_of(self.means, row) for row in X]\n"
ONE = (
    "    def {}(self, row):\n        row = np.asarray(row).reshape(4)\n        return {}\n"
)
CLASS = "class NB:\n"
ROW, LARGEST, COLUMN = "row by row", "largest", "label in the last column"
FRAMES, LISTS, CODED = "as pandas DataFrames", "as lists of rows", "encoded as 0, 1, 2"

# Manner -> source and what is told of it.
MANNERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "plain": (CLASS + FIT + PREDICT, ()),
    **{
        f"fit gives {answer}": (
            f"{CLASS}{FIT}        return {answer}\n{PREDICT}".replace("; ", "\n"),
            (),
        )
        for answer in ("'fitted'", "0.97", "self.means", "(1, 2)")
    },
    "fit gives the model": (
        "class Fitted:\n    def __init__(self, m): self.means = m\n"
        + PREDICT.replace("predict", "predict")
        + f"{CLASS}    def fit(self, X, y): return Fitted(means_of(X, y))\n"
        "    def predict(self, X): raise RuntimeError('not this one')\n",
        (),
    ),
    "a row": (CLASS + FIT + ONE.format("predict", "best_of(self.means, row)"), (ROW,)),
    "a row, scores": (
        CLASS + FIT + ONE.format("predict", "scores_of(self.means, row)"),
        (ROW, LARGEST),
    ),
    "a row, label and score": (
        CLASS + FIT + ONE.format("classify", "(best_of(self.means, row), 0.5)"),
        (ROW, "first of the values", "`classify` was called to predict"),
    ),
    "labels and a table": (
        CLASS
        + FIT
        + "    def predict(self, X):\n"
        + "        return [best_of(self.means, r) for r in X], np.ones((len(X), 3))\n",
        ("first of the tuple",),
    ),
    "a table": (
        CLASS
        + FIT
        + "    def predict(self, X):\n"
        + "        s = [list(scores_of(self.means, r).values()) for r in X]\n"
        + "        return np.exp(s - np.max(s, axis=1, keepdims=True))\n",
        (LARGEST,),
    ),
    "a DataFrame": (
        CLASS
        + FIT
        + "    def predict(self, X):\n"
        + "        return pd.DataFrame([scores_of(self.means, r) for r in X])\n",
        (LARGEST,),
    ),
    "other names": (
        (CLASS + FIT + PREDICT).replace("fit", "train").replace("predict", "predictLabels"),
        ("`train` was called to fit", "`predictLabels` was called to predict"),
    ),
    "a table with labels": (
        CLASS
        + "    def fit(self, data):\n"
        + "        self.means = means_of([r[:-1] for r in data], [r[-1] for r in data])\n"
        + PREDICT,
        (COLUMN,),
    ),
    "constructor": (
        CLASS
        + "    def __init__(self, X, y): self.X, self.y = X, y\n"
        + "    def fit(self): self.means = means_of(self.X, self.y)\n"
        + PREDICT,
        ("the constructor was given the samples and their labels",),
    ),
    "constructor alone": (
        CLASS
        + "    def __init__(self, data):\n"
        + "        self.means = means_of(data.iloc[:, :-1], data['label'])\n"
        + PREDICT.replace("in X", "in X.values"),
        ("the constructor was given one table", FRAMES),
    ),
    "counts": (
        CLASS
        + "    def __init__(self, n_classes, n_features):\n"
        + "        self.n = n_classes * n_features\n"
        + FIT.replace("self.means", "assert self.n == 4 * len(np.unique(y)); self.means")
        + PREDICT,
        ("the constructor was given the number of classes and that of features",),
    ),
    "frames": (
        CLASS
        + FIT.replace("means_of(X, y)", "means_of(X.values, y.values)")
        + PREDICT.replace("in X", "in X.values"),
        (FRAMES,),
    ),
    "lists": (
        CLASS
        + FIT.replace("self.", "X == [] or y == [] or len(X + X); self.")
        + PREDICT.replace("in X", "in X + []"),
        (LISTS,),
    ),
    "places": (
        CLASS
        + FIT
        + "    def predict(self, X):\n"
        + "        m = np.array(list(self.means.values()))\n"
        + "        return ((X[:, None] - m) ** 2).sum(2).argmin(1)\n",
        (CODED,),
    ),
    "two functions": (
        "def fit(X, y):\n    return means_of(X, y)\n"
        "def predict(model, X):\n    return [best_of(model, row) for row in X]\n",
        (),
    ),
    "parts in another order": (
        "def train_nb(X, y):\n    means = means_of(X, y)\n    labels = list(means)\n"
        "    return labels, means\n"
        "def classify_nb(X, means, labels):\n"
        "    assert set(means) == set(labels)\n"
        "    return [best_of(means, row) for row in X]\n",
        ("`train_nb` was called to fit", "`classify_nb` was called to predict"),
    ),
    "summaries": (
        "def summarize_by_class(dataset):\n"
        "    return means_of([r[:-1] for r in dataset], [r[-1] for r in dataset])\n"
        "def predict(summaries, row):\n"
        "    return best_of(summaries, np.array(row).reshape(4))\n"
        "def get_predictions(summaries, test):\n"
        "    return [predict(summaries, row) for row in test]\n"
        "def naive_bayes(train, test):\n"
        "    return get_predictions(summarize_by_class(train), test)\n",
        ("`summarize_by_class` was called to fit", COLUMN),
    ),
    "one function": (
        "def classifier(X_train, X_test, y_train):\n"
        "    return [best_of(means_of(X_train, y_train), row) for row in X_test]\n",
        (),
    ),
    "train and test": (
        "def nb(train_set, test_set):\n"
        "    m = means_of([r[:-1] for r in train_set], [r[-1] for r in train_set])\n"
        "    return [best_of(m, row) for row in test_set]\n",
        (COLUMN,),
    ),
    "state of the module": (
        "MEANS = {}\n"
        "def train(X, y):\n    MEANS.clear()\n    MEANS.update(means_of(X, y))\n"
        "def predict(X):\n    return [best_of(MEANS, row) for row in X]\n",
        ("`train` was called to fit",),
    ),
}


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Give what writes a file that starts with the pieces."""

    def give(source: str, name: str = "mine.py") -> Path:
        path = tmp_path / name
        path.write_text(HEAD + source)
        return path

    return give


@pytest.mark.parametrize("labels", [CODES, NAMES], ids=["codes", "names"])
@pytest.mark.parametrize("manner", MANNERS)
def test_every_manner_gives_the_same_labels_and_is_told(
    manner: str, labels: Any, write: Callable[..., Path]
) -> None:
    source, told = MANNERS[manner]

    entry = implementation(str(write(source)), (X, labels))
    found = predictions(entry, X, labels, X, np.unique(labels))

    centres = np.array([X[code == CODES].mean(axis=0) for code in range(3)])
    expected = ((X[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    assert found.test.tolist() == expected.tolist()
    if manner != "places" or labels is not CODES:
        for words in told:
            assert words in "; ".join(entry.adaptations)
        assert bool(told) == bool(entry.adaptations) or labels is NAMES
    assert entry.name == ("NB" if "class NB" in source else "mine.py")


def test_what_needs_nothing_is_called_directly(write: Callable[..., Path]) -> None:
    """And what needs something is not: the control."""
    plain = implementation(str(write(MANNERS["plain"][0])), (X, CODES))
    adapted = implementation(str(write(MANNERS["a row"][0], "other.py")), (X, CODES))

    assert type(plain.make()).__name__ == "NB"
    assert isinstance(adapted.make(), AdaptedModel)


def test_a_table_of_probabilities_is_offered_as_such(write: Callable[..., Path]) -> None:
    source = MANNERS["a table"][0].replace("return np.exp(s", "s = np.exp(s") + (
        "        return s / s.sum(axis=1, keepdims=True)\n"
    )
    entry = implementation(str(write(source)), (X, NAMES))

    found = predictions(entry, X, NAMES, X, np.unique(NAMES))

    assert found.probabilities is not None
    assert found.probabilities.sum(axis=1) == pytest.approx(np.ones(len(X)))
    assert found.probabilities.argmax(axis=1).tolist() == found.test.tolist()


@pytest.mark.parametrize(
    ("typed", "source"),
    [
        (
            ":NB?fit=aprende&predict=dice",
            "class NB:\n"
            + FIT.replace("fit", "aprende")
            + PREDICT.replace("predict", "dice"),
        ),
        (
            "?fit=aprende&predict=dice",
            "class NB:\n"
            + FIT.replace("fit", "aprende")
            + PREDICT.replace("predict", "dice"),
        ),
        (
            ":aprende+dice",
            MANNERS["two functions"][0]
            .replace("fit(", "aprende(")
            .replace("predict(", "dice("),
        ),
        (
            "?fit=aprende&predict=dice",
            MANNERS["two functions"][0]
            .replace("fit(", "aprende(")
            .replace("predict(", "dice("),
        ),
    ],
)
def test_names_can_be_chosen(typed: str, source: str, write: Callable[..., Path]) -> None:
    path = write(source)
    with pytest.raises(
        GnbBenchError, match="does not contain a class with fit and predict"
    ):
        implementation(str(path))

    entry = implementation(f"{path}{typed}", (X, CODES))

    assert predictions(entry, X, CODES, X, np.unique(CODES)).test.shape == (150,)
    assert "`aprende` was called to fit" in entry.adaptations


def test_a_parameter_of_the_constructor_comes_before_the_choice_of_a_method(
    write: Callable[..., Path],
) -> None:
    source = (
        CLASS + "    def __init__(self, fit='x'): assert fit == 'odd'\n" + FIT + PREDICT
    )

    assert implementation(f"{write(source)}?fit=odd", (X, CODES)).adaptations == ()


@pytest.mark.parametrize(
    ("source", "named"),
    [
        (CLASS + FIT + PREDICT + "class Other:\n" + FIT + PREDICT, "NB, Other"),
        (
            MANNERS["two functions"][0].replace("fit(", "train_nb(")
            + "def train_slow(X, y):\n    return means_of(X, y)\n",
            "train_nb+predict, train_slow+predict",
        ),
    ],
)
def test_of_two_candidates_none_is_guessed(
    source: str, named: str, write: Callable[..., Path]
) -> None:
    with pytest.raises(GnbBenchError) as caught:
        implementation(str(write(source)))

    assert f"contains several implementations ({named})" in str(caught.value)


def test_nothing_is_left_of_what_was_tried(write: Callable[..., Path]) -> None:
    """A class that keeps what it saw in itself has not seen the samples it was tried on."""
    source = (
        CLASS
        + "    seen = []\n"
        + FIT.replace("self.means", "self.seen.append(len(X)); self.means")
        + PREDICT
    )
    state = str(np.random.get_state())  # noqa: NPY002
    model = implementation(str(write(source)), (X, CODES)).make()

    model.fit(X, CODES)

    assert model.seen == [150]
    assert str(np.random.get_state()) == state  # noqa: NPY002


def test_a_wrong_one_is_not_bent_until_it_is_right(write: Callable[..., Path]) -> None:
    """One label for all, or none that is known, remain what they are."""
    for answer in ("self.y[:1].tolist() * len(X)", "[None] * len(X)", "[-1] * len(X)"):
        body = "    def fit(self, X, y): self.y = y\n    def predict(self, X): return "
        entry = implementation(str(write(f"{CLASS}{body}{answer}\n")), (X, NAMES))

        assert entry.adaptations == ()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("getPredictions", ["get", "predictions"]),
        ("X_train", ["x", "train"]),
        ("xtest", ["x", "test"]),
        ("naive_bayes_2", ["naive", "bayes", "2"]),
        ("fit", ["fit"]),
    ],
)
def test_names_are_words(name: str, words: list[str]) -> None:
    assert words_of(name) == words
