"""Code is called by its own convention, and adaptations are described."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from faults.as_people_write import PEOPLE
from sklearn.datasets import load_iris

from gnbbench.errors import GnbBenchError
from gnbbench.implementations import implementation
from gnbbench.implementations.adapting import AdaptedModel
from gnbbench.implementations.lookup import named_code
from gnbbench.implementations.objects import Code
from gnbbench.implementations.roles import last_step, words_of
from gnbbench.measurement.predictions import predictions
from gnbbench.words import listing

X, CODES = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[CODES]

# Nearest class mean in each convention -> source and description; the pieces come first.
BLOCKS = (PEOPLE / "manners.txt").read_text().split("### ")[1:]
MANNERS = {
    name: (source, tuple(filter(None, told.strip().split("; "))))
    for block in BLOCKS
    for title, source in [block.split("\n", 1)]
    for name, told in [title.split(" |")]
}
HEAD, _ = MANNERS.pop("pieces")
CLASS = "class NB:\n"
FIT = "    def fit(self, X, y):\n        self.means = means_of(X, y)\n"
PREDICT = "    def predict(self, X): return [best_of(self.means, row) for row in X]\n"
WORDS, _ = MANNERS.pop("words")
for fit, ask in map(str.split, WORDS.splitlines()):
    source = (CLASS + FIT + PREDICT).replace(" fit(", f" {fit}(")
    texts = f"`{fit}` was called to fit", f"`{ask}` was called to predict"
    MANNERS[ask] = source.replace(" predict(", f" {ask}("), (*texts, "never: by trial")


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Give what writes a file that starts with the pieces."""

    def give(source: str, name: str = "mine.py") -> Path:
        path = tmp_path / name
        path.write_text(HEAD + source)
        return path

    return give


@pytest.mark.parametrize(
    "labels", [CODES, pytest.param(NAMES, marks=pytest.mark.slow)], ids=["codes", "names"]
)
@pytest.mark.parametrize("manner", MANNERS)
def test_every_convention_gives_the_same_labels_and_is_described(
    manner: str, labels: Any, write: Callable[..., Path]
) -> None:
    source, texts = MANNERS[manner]

    entry = implementation(str(write(source)), (X, labels))
    found = predictions(entry, X, labels, X, np.unique(labels))

    centres = np.array([X[code == CODES].mean(axis=0) for code in range(3)])
    expected = ((X[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    assert found.test.tolist() == expected.tolist()
    as_wanted = NAMES if manner == "labels that must be text" else CODES
    wanting = {"places", "codes", "a table and places", "labels that must be text"}
    if manner not in wanting or labels is not as_wanted:
        for words in texts:
            is_told = words.removeprefix("never: ") in "; ".join(entry.adaptations)
            assert is_told != words.startswith("never: ")
        assert bool(texts) == bool(entry.adaptations) or labels is NAMES
    assert entry.name == ("NB" if "class NB" in source else "mine.py")


def test_a_private_class_is_taken_if_it_says_bayes_and_nothing_else_predicts(
    write: Callable[..., Path],
) -> None:
    private = CLASS.replace("NB", "_GaussianNB") + FIT + PREDICT
    makes = "def train(X, y): return _GaussianNB().fit(X, y)\n"

    assert implementation(str(write(private + makes)), (X, CODES)).name == "_GaussianNB"
    with pytest.raises(GnbBenchError, match="does not contain a class"):
        implementation(str(write(private.replace("_GaussianNB", "_Model"), "b.py")))


def test_functions_that_a_predictor_calls_are_part_of_it(
    write: Callable[..., Path],
) -> None:
    source = """
def shares_of(y): return {label: np.mean(y == label) for label in np.unique(y).tolist()}
def gaussian_probability(x, mean, share): return np.exp(-((x - mean) ** 2).sum()) * share
def predict_one(means, shares, row):
    return max(means, key=lambda k: gaussian_probability(row, means[k], shares[k]))
def predict(means, shares, X): return [predict_one(means, shares, row) for row in X]
means = means_of([[1.0]], [0])
shares = shares_of([0])
predict(means, shares, [[1.0]])
"""
    assert implementation(str(write(source)), (X, CODES)).not_judged == ()


def test_code_that_needs_no_adapter_is_called_directly(write: Callable[..., Path]) -> None:
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

    labels = predictions(entry, X, NAMES, X, np.unique(NAMES))

    assert labels.probabilities is not None
    assert labels.probabilities.sum(axis=1) == pytest.approx(np.ones(len(X)))
    assert labels.probabilities.argmax(axis=1).tolist() == labels.test.tolist()


def test_a_table_beside_places_of_labels_is_judged(write: Callable[..., Path]) -> None:
    table = MANNERS["a table"][0].replace("def predict(", "def predict_proba(")
    table = table.replace("return np.exp(s", "s = np.exp(s")
    table += "        return s / s.sum(axis=1, keepdims=True)\n"
    table += "    def predict(self, X): return self.predict_proba(X).argmax(axis=1)\n"

    entry = implementation(str(write(table)), (X, NAMES))

    assert not entry.not_judged
    assert predictions(entry, X, NAMES, X, np.unique(NAMES)).probabilities is not None


def test_a_dictionary_for_each_row_is_a_table(write: Callable[..., Path]) -> None:
    """Though labels need no adapter; one whose rows do not sum to 1 is said to do so."""
    body = "    def predict_proba(self, X): return [{} for row in X]\n"
    shares = "{k: (k == best_of(self.means, row)) * 0.9 + 0.1 / 3 for k in self.means}"
    in_array = body.format(shares).replace("[", "np.array([").replace("]", "])")
    given = [in_array, body.format(shares.replace("0.1", "0.4"))]
    sound, odd = (
        implementation(str(write(CLASS + FIT + PREDICT + text, f"m{place}.py")), (X, NAMES))
        for place, text in enumerate(given)
    )

    found = predictions(sound, X, NAMES, X, np.unique(NAMES))

    assert found.probabilities is not None
    assert found.probabilities.argmax(axis=1).tolist() == found.test.tolist()
    assert not sound.unnormalised
    text = "the dictionaries of `predict_proba` sum to 1.3 instead of 1"
    assert odd.unnormalised == (("dictionaries", text),)
    assert not hasattr(odd.make(), "predict_proba")


@pytest.mark.parametrize("labels", [CODES, CODES - 1, CODES == 0, CODES / 2, NAMES])
def test_labels_that_come_back_as_text_are_taken_for_those(
    labels: Any, write: Callable[..., Path]
) -> None:
    text = "    def predict(self, X): return [str(best_of(self.means, row)) for row in X]\n"

    entry = implementation(str(write(CLASS + FIT + text)), (X, labels))
    found = predictions(entry, X, labels, X, np.unique(labels))

    is_text = labels is NAMES
    assert (found.test == np.unique(labels, return_inverse=True)[1]).mean() > 0.8
    assert len(entry.adaptations) == (not is_text)
    assert is_text or "the labels of which they are the text" in entry.adaptations[0]


def test_wrong_labels_are_read_as_text_as_well(write: Callable[..., Path]) -> None:
    text = "    def predict(self, X): return [str([*self.means][0]) for row in X]\n"

    entry = implementation(str(write(CLASS + FIT + text)), (X, CODES))

    assert "the labels of which they are the text" in entry.adaptations[0]
    assert (predictions(entry, X, CODES, X, np.unique(CODES)).test >= 0).all()


@pytest.mark.parametrize(
    ("labels", "text", "told"),
    [
        (CODES, "np.array({}, dtype=float)", "the floats"),
        (CODES, "np.array({}, dtype=object)", "the array of objects"),
        (CODES, "{}", ""),
        (CODES, "np.array({})", ""),
        (CODES / 2, "np.array({}, dtype=float)", ""),
        (NAMES, "np.array({}, dtype=object)", ""),
    ],
)
def test_labels_of_another_type_than_those_given_are_told(
    labels: Any, text: str, told: str, write: Callable[..., Path]
) -> None:
    answer = text.format("[best_of(self.means, row) for row in X]")
    path = write(f"{CLASS}{FIT}    def predict(self, X): return {answer}\n")

    adaptations = implementation(str(path), (X, labels)).adaptations

    named = [re.split(" (?:was|were)", text)[0] for text in adaptations]
    assert named == [f"{told} that `predict` returns"] * bool(told)


def test_truth_values_for_labels_are_told(write: Callable[..., Path]) -> None:
    fit = "    def fit(self, X, y): self.middle = X[y < 2].mean()\n"
    ask = "    def predict(self, X): return X.mean(axis=1) > self.middle\n"
    told = implementation(str(write(CLASS + fit + ask)), (X, CODES)).adaptations
    assert any("the truth values that `predict` returns" in text for text in told)


def test_a_step_of_the_labels_is_not_called_unjudged(write: Callable[..., Path]) -> None:
    """A function of as many parameters that the labels do without is: the control."""
    source = (
        "def train(X, y): return means_of(X, y)\n"
        "def class_probability(x, mean): return 1 / ((x - mean) ** 2).sum()\n"
        "def predict(model, row):\n    row = np.reshape(row, 4)\n    return {}\n"
    )
    step = "max(model, key=lambda k: class_probability(row, model[k]))"
    for text, left in ((step, ()), ("best_of(model, row)", ("`class_probability`",))):
        path = write(source.format(text), f"m{len(left)}.py")
        assert implementation(str(path), (X, CODES)).not_judged == left


def test_answers_that_never_came_are_taken_for_nothing(write: Callable[..., Path]) -> None:
    make = f"{CLASS}    def __init__(self, table): self.table = table\n"
    fit = "    def fit(self): self.means = [*self.table['x']]\n"
    ask = "    def predict(self, row): return best_of(self.means, row)\n"
    path = write(make + fit + ask)
    told = str(implementation(str(path), (X, NAMES)).adaptations)
    assert ("DataFrames" in told, "taken for places" in told) == (True, False)


def test_what_a_script_feeds_makes_a_learner_only_if_it_makes_all_that_is_taken(
    write: Callable[..., Path],
) -> None:
    """And a function that does both, by calling the learner, comes before it."""
    source = (
        "def centres_by_class(data): return means_of(data[:, :-1], data[:, -1])\n"
        "def predict_label(model, row): return best_of(model, row)\n"
        "model = centres_by_class(train_data)\npickle.dump(model, open('kept.pkl', 'wb'))\n"
        "model = read('kept.pkl')\npredict_label(model, test_data[0])\n"
    )
    whole = (
        "def classifier(training_set, test_set):\n"
        "    model = centres_by_class(training_set)\n"
        "    return [predict_label(model, row) for row in test_set]\n"
    )
    more = source.replace("(model, row):", "(row, model, priors):")
    more = more.replace("model, test_data[0])", "test_data[0], model, shares)")

    pair = implementation(str(write(source, "pair.py")), (X, CODES))
    both = implementation(str(write(whole + source, "both.py")), (X, CODES))

    assert "`centres_by_class` was called to fit" in pair.adaptations
    assert "`classifier` was called to fit and predict" in both.adaptations
    with pytest.raises(GnbBenchError, match="makes priors, which `predict_label` takes"):
        implementation(str(write(more, "more.py")), (X, CODES))


def test_a_yielded_answer_is_worked_out_by_the_call(write: Callable[..., Path]) -> None:
    """Or its time would be that of nothing."""
    source, _ = MANNERS["answers one after another"]
    model = implementation(str(write(source)), (X, CODES)).make().fit(X, CODES)

    assert isinstance(model.prepared("predict", X)(), list)


SCORES = """
    def scores(self, X): return np.array([[*scores_of(self.means, x).values()] for x in X])
    def classify(self, X): return np.array([*self.means])[self.scores(X).argmax(axis=1)]
"""


@pytest.mark.parametrize(
    ("source", "contradicted", "not_judged"),
    [
        ("    def prob(s, X): return s.scores(X)\n    def probs(s, y): return y\n", "", ""),
        ("    def class_probs(self, X): return -self.scores(X)\n", "", "`class_probs`"),
        ("    def predict_prob(self, X): return -1 / self.scores(X)\n", "instead of 1", ""),
        (
            "    def class_probs(self, X): return self.scores(X) - [25, 0, 0]\n",
            "`classify` does not give the class with the largest of `class_probs` for",
            "",
        ),
        (
            "    def predict_all(self, X): return self.classify(X)[::-1]\n",
            "`predict_all` gives other labels than `classify` for ",
            "",
        ),
    ],
)
def test_other_answering_methods_are_called_too(
    source: str, contradicted: str, not_judged: str, write: Callable[..., Path]
) -> None:
    text = CLASS + FIT.replace("fit", "train") + SCORES + source
    entry = implementation(str(write(text)), (X, CODES))

    assert "`classify` was called to predict" in entry.adaptations
    texts = [*entry.contradictions, *(text for _, text in entry.unnormalised)]
    assert [contradicted in text for text in texts] == [True] * bool(contradicted)
    assert "; ".join(entry.not_judged) == not_judged


def test_logarithms_of_scores_need_not_sum_to_1(write: Callable[..., Path]) -> None:
    """Nothing in the name of the method says that they are probabilities."""
    scores = "    def {}(self, X): return [scores_of(self.means, row) for row in X]\n"
    for name, contradicts in (("predict_row", False), ("predict_proba", True)):
        entry = implementation(str(write(CLASS + FIT + scores.format(name))), (X, CODES))
        kinds = [kind for kind, text in entry.unnormalised if "instead of 1" in text]
        # Divided by their sums they mean nothing
        assert kinds == ["negative"] * contradicts


def test_nothing_is_suggested_that_takes_more_than_samples_and_labels(
    tmp_path: Path,
) -> None:
    method = "class NB:\n    def train(self, rows, y, test, out, log): open(out)\n"
    method += "    def predict(self, rows): return 1\n"
    functions = "def prior(labels): return 1\ndef predict(row, prior, kept): return 1\n"
    parts = "class NB:\n    def parted(self, train_ratio, test_ratio): raise OSError\n"
    parts += "    def choose(self, row): return 1\n"
    for source in (method, functions, parts):
        path = tmp_path / "mine.py"
        path.write_text(source)
        with pytest.raises(GnbBenchError, match="Write a class with fit") as caught:
            implementation(str(path), (X, CODES))
        assert "does not contain a class with fit and predict" in str(caught.value)


@pytest.mark.parametrize(
    ("fit", "predict"),
    [
        # For a table, not for a row.
        (
            "means_of(X, y)",
            "(X, means):\n    for place in range(10):\n"
            "        ((X - [*means.values()][place]) ** 2).sum(axis=1)\n",
        ),
        # In the other orders of arguments it gets further.
        (
            "[*means_of(X, y).values()], [*range(10)]",
            "(x_test, centres, places):\n    for place in range(10):\n"
            "        centre = centres[place]\n        places.index(place)\n",
        ),
        (
            "means_of(X, y)",
            "(model, X):\n    if isinstance(model, dict): [*model][3]\n    model.odd\n",
        ),
    ],
)
def test_the_error_of_the_likelier_manner_is_told(
    fit: str, predict: str, write: Callable[..., Path]
) -> None:
    source = f"def train(X, y): return {fit}\ndef predict{predict}"
    entry = implementation(str(write(source)), (X, CODES))

    with pytest.raises(IndexError, match="list index out of range"):
        entry.make().fit(X, CODES).predict(X)


def test_what_is_there_is_listed_where_only_the_script_needs_a_lost_import(
    write: Callable[..., Path],
) -> None:
    script = "from absent_data import load\nX = load()\n"
    for needs, said in (("1", "mean_of(rows)"), ("load()", "needs 'absent_data'")):
        path = write(f"{script}def mean_of(rows): return {needs}\n")
        with pytest.raises(GnbBenchError, match=re.escape(said)):
            implementation(str(path), (X, CODES))


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        ("KVecinos BayesIngenuo", "BayesIngenuo"),
        ("KVecinos BayesIngenuo GaussBayes", "GaussBayes"),
        ("BayesPleno BayesIngenuo", "BayesIngenuo"),
        ("LinearGaussianNB GaussianNB", "GaussianNB"),
        ("GaussPleno GaussComum LostNaiveBayes MyNaiveBayes", "MyNaiveBayes"),
    ],
)
def test_of_several_classes_one_named_bayes_is_chosen_and_the_others_listed(
    names: str, chosen: str, write: Callable[..., Path]
) -> None:
    methods = FIT.replace("fit(", "entrenar(") + PREDICT.replace("predict(", "predecir(")
    source = "".join(CLASS.replace("NB", name) + methods for name in names.split())
    lost = "LostNaiveBayes:\n    def kept(self): return lost.tensor\n"
    path = write(f"import lost\n{source.replace('LostNaiveBayes:', lost)}")
    entry = implementation(str(path), (X, CODES))

    left = [name for name in names.split() if name != chosen]
    assert (entry.name, entry.not_judged) == (chosen, (listing(left),))


def test_another_model_does_not_stand_for_one_that_says_bayes(
    write: Callable[..., Path],
) -> None:
    source = CLASS.replace("NB", "NBRanking") + FIT + PREDICT.replace("(", "_proba(", 1)
    source += CLASS.replace("NB", "LogisticRegression") + FIT + PREDICT
    entry = implementation(str(write(source)), (X, CODES))

    assert (entry.name, entry.not_judged[0]) == ("NBRanking", "LogisticRegression")


PAIR = "def nb_fit(X, y):\n    return means_of(X, y)\n" + (
    "def nb_predict(model, X):\n    return [best_of(model, row) for row in X]\n"
)
OF_LIBRARY = (
    "from sklearn.naive_bayes import GaussianNB\n"
    "def train_library(X, y):\n    GaussianNB().fit(X, y)\n    return means_of(X, y)\n"
)


@pytest.mark.parametrize(
    ("source", "fit", "left"),
    [
        (
            PAIR.replace("nb_", "gaussian_nb_") + PAIR.replace("nb_", "bernoulli_nb_"),
            "gaussian_nb_fit",
            ("bernoulli_nb_fit+bernoulli_nb_predict",),
        ),
        (
            PAIR.replace("nb_fit", "train_mine").replace("nb_predict", "predict")
            + OF_LIBRARY,
            "train_mine",
            ("train_library+predict",),
        ),
        (
            PAIR.replace("nb_fit", "train_naive_bayes").replace("nb_predict", "predict")
            + "def create_train_data(X, y):\n    return X\n",
            "train_naive_bayes",
            ("create_train_data+predict",),
        ),
    ],
    ids=["another model", "scikit-learn inside", "without Bayes"],
)
def test_of_several_learners_the_one_written_here_is_taken(
    source: str, fit: str, left: tuple[str, ...], write: Callable[..., Path]
) -> None:
    """And names that share most words belong together."""
    entry = implementation(str(write(source)), (X, CODES))

    assert f"`{fit}` was called to fit" in entry.adaptations
    assert entry.not_judged == left


def test_another_class_that_runs_is_named_beside_one_that_fails(
    write: Callable[..., Path],
) -> None:
    fails = CLASS.replace("NB", "BayesSk") + FIT.replace("means_of", "self.check") + PREDICT
    other = CLASS.replace("NB", "Bayes") + FIT.replace(" fit(", " train(") + PREDICT

    entry = implementation(str(path := write(fails + other)), (X, CODES))

    assert (entry.name, entry.called[:1]) == ("BayesSk", ("fit",))
    assert f"`Bayes` beside it can be run: {path}:Bayes" in entry.adaptations


def test_a_base_class_is_no_other_model(write: Callable[..., Path]) -> None:
    base = "class Base:\n    def fit(self, X, y): pass\n    def predict(self, X): pass\n"
    mine = CLASS.replace("NB", "Bayes(Base)") + FIT + PREDICT

    entry = implementation(str(write(base + mine)), (X, CODES))

    assert (entry.name, entry.not_judged) == ("Bayes", ())


def test_rows_to_label_may_need_labels_as_well(write: Callable[..., Path]) -> None:
    """And an error that comes later with them is the code's own."""
    body = (
        "    means = train.iloc[:, :-1].mean().to_numpy()\n"
        "    gaps = test.iloc[:, :-1].to_numpy() - means\n"
        "    return gaps[{}['width']]\n"
    )
    entry = implementation(str(write(f"def gnb(train, test):\n{body}")), (X, CODES))

    with pytest.raises(KeyError, match="width"):
        entry.make().fit(X, CODES).predict(X)
    assert "a last column of labels that are not the true ones" in str(entry.adaptations)


@pytest.mark.skipif(
    pd.__version__ < "3", reason="in pandas 2, a number in [] is a place in a row as well"
)
def test_a_table_and_an_array_may_be_given_where_the_table_has_named_labels(
    write: Callable[..., Path],
) -> None:
    source = (
        "def bayes(df, X_test):\n"
        "    means = df.groupby('type').mean()\n"
        "    answers = []\n"
        "    for i in range(len(X_test)):\n"
        "        answers.append(((means - X_test[i]) ** 2).sum(axis=1).idxmin())\n"
        "    return answers\n"
    )

    entry = implementation(str(write(source)), (X, CODES))

    told = "; ".join(entry.adaptations)
    assert "training data were given as pandas DataFrames" in told
    assert "the column of the labels was called 'type'" in told
    assert np.mean(entry.make().fit(X, CODES).predict(X) == CODES) > 0.9


def test_a_model_that_predicts_the_worst_class_is_not_replaced_by_its_scores(
    write: Callable[..., Path],
) -> None:
    source, _ = MANNERS["a labeller beside its scores"]
    entry = implementation(str(write(source.replace("max(", "min("))), (X, CODES))

    found = predictions(entry, X, CODES, X, np.unique(CODES))

    assert np.mean(found.test == CODES) < 0.1
    assert "largest of `row_probabilities`" in entry.contradictions[0]


def test_labels_one_hot_are_not_probabilities(write: Callable[..., Path]) -> None:
    """Though they sum to one."""
    entry = implementation(str(write(MANNERS["labels one-hot"][0])), (X, CODES))

    assert not hasattr(entry.make().fit(X, CODES), "predict_proba")


@pytest.mark.parametrize(
    ("typed", "manner"),
    [
        (":NB?fit=aprende&predict=dice", "plain"),
        ("?fit=aprende&predict=dice", "plain"),
        (":aprende+dice", "two functions"),
        ("?fit=aprende&predict=dice", "two functions"),
    ],
)
def test_names_can_be_chosen(typed: str, manner: str, write: Callable[..., Path]) -> None:
    source, _ = MANNERS[manner]
    path = write(source.replace("fit(", "aprende(").replace("predict(", "dice("))
    other = "class Other:\n    def some(self, X, y): pass\n    def any(self, x): pass\n"
    path.write_text(path.read_text() + other * (manner == "plain"))

    entry = implementation(f"{path}{typed}", (X, CODES))

    assert predictions(entry, X, CODES, X, np.unique(CODES)).test.shape == (150,)
    assert "`aprende` was called to fit" in entry.adaptations


def test_unknown_names_are_tried_and_taken_only_if_they_label_well(tmp_path: Path) -> None:
    """What labels badly by the names that a refusal suggests runs if it is named."""
    source = "def make(X, y): return {k: X[y == k].mean(axis=0) for k in set(y.tolist())}\n"
    source += "def guess(model, row): return min(model, key=lambda k: KEY)\n"
    good, bad, broken = (tmp_path / f"{name}.py" for name in ("good", "bad", "broken"))
    good.write_text(source.replace("KEY", "((model[k] - row) ** 2).sum()"))
    bad.write_text(source.replace("KEY", "k"))
    broken.write_text(source.replace("KEY", "k.absent"))

    entry = implementation(str(good), (X, CODES))
    with pytest.raises(GnbBenchError, match=r"such as \S+:make\+guess$"):
        implementation(str(bad))
    with pytest.raises(
        GnbBenchError, match=r"no right labels came from make\+guess\. Write"
    ):
        implementation(str(broken))

    assert "`make` was called to fit" in entry.adaptations
    named = implementation(f"{bad}:make+guess", (X, CODES))
    assert set(predictions(named, X, CODES, X, np.unique(CODES)).test) == {0}


@pytest.mark.parametrize(
    ("source", "called", "told"),
    [
        # The author's labelling comes before the scores that it takes, right or wrong.
        (
            "def centres_of_class(X, y): return means_of(X, y)\n"
            "def table_of(model, row): return scores_of(model, row)\n"
            "def guess_class(model, row):\n"
            "    table = table_of(model, row)\n    return min(table, key=table.get)\n",
            ("centres_of_class", "guess_class"),
            "found by trial",
        ),
        # What a predictor calls does not hide its error, nor does another model.
        (
            "def train(X, y): return means_of(X, y)\n"
            "def predict_one(model, row): return best_of(model, row)\n"
            "def predict(model, X): return [predict_one(absent, row) for row in X]\n",
            ("train", "predict"),
            "`train` was called to fit",
        ),
        (
            "def knn_train(X, y): return means_of(X, y)\n"
            "def knn_predict(model, row): return best_of(model, row)\n"
            "def gnb_train(X, y): return means_of(X, absent)\n"
            "def gnb_predict(model, row): return best_of(model, row)\n",
            ("gnb_train", "gnb_predict"),
            "`gnb_predict` was called to predict",
        ),
        (
            CLASS + FIT + "    def predict(self, X): return absent\n"
            "def make(X, y): return means_of(X, y)\n"
            "def guess(model, row): return best_of(model, row)\n",
            ("fit", "predict"),
            "",
        ),
    ],
)
def test_what_is_found_by_trial_hides_neither_labels_nor_errors(
    source: str, called: tuple[str, ...], told: str, write: Callable[..., Path]
) -> None:
    entry = implementation(str(write(source)), (X, CODES))

    assert entry.called == called
    assert told in "; ".join(entry.adaptations)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("knn(X_train, y_train, X_test)\nnaive_bayes(X, y)", "knn.* Write a class"),
        ("train_all(dataset)\nprobability(x, mean, stdev)", "train_all.* Write a class"),
        ("prepare(data)\nprobabilities(x, y)", "prepare.* Write a class"),
        ("predict(row)", "no function makes mean, which `predict` reads. Write a class"),
        ("decider(row)", "no function makes mean, which `decider` reads"),
        ("mean(x)\npredict(row, shares)", "makes shares, which `predict` takes. Write"),
        ("fit(X, y)\npredict(X, prior, mean)", "makes prior, which `predict` takes"),
        ("fit(X, y)\npredict(X, probs_classes, mean)", "makes probs_classes, which"),
        ("read(data)\nmodel(part)\nnearest(test, model)", "contains functions read"),
        ("train_nb(X, y)\nasked(row)\nmean(val)", r"train_nb\+asked"),
    ],
)
def test_another_model_or_a_density_predicts_nothing(
    source: str, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.py"
    path.write_text("".join(f"def {line}: return mean\n" for line in source.split("\n")))
    script = "part = read(data)\nnearest(test, model(part))\n" if "part" in source else ""
    for held in {"prior", "probs_classes"} & {*re.findall(r"\w+", source)}:
        script += f"{held} = 1\npredict(X, {held}, fit(X, y))\n"
    path.write_text(path.read_text() + script)

    with pytest.raises(GnbBenchError, match=words):
        implementation(str(path))


@pytest.mark.parametrize("row", ["(chance, 'long')", "{'chance': chance, 'name': 'long'}"])
def test_a_chance_that_is_0_or_1_where_classes_lie_apart_is_no_label(
    row: str, write: Callable[..., Path]
) -> None:
    source = f"{CLASS}{FIT}    def predict(self, X):\n        for x in X:\n"
    source += "            scores = scores_of(self.means, x)\n"
    source += "            chance = 1 / (1 + np.exp(9 * (scores[0] - scores[1])))\n"
    path = write(f"{source}            yield {row}\n")

    entry = implementation(str(path), (X[:100], CODES[:100]))

    assert not any("of the values" in text for text in entry.adaptations)


def test_the_first_of_several_values_may_be_a_chance(write: Callable[..., Path]) -> None:
    """And code whose answers are no labels is told what it gave, not what holds it."""
    source = CLASS + FIT + "    def predict_row(self, x):\n"
    source += "        first, second = scores_of(self.means, x).values()\n"
    source += "        return 1 / (1 + np.exp(first - second)), x - 1.0\n"
    data = X[:100], CODES[:100]
    entry = implementation(str(write(source)), data)
    text = source.replace("1 / (1 + np.exp", "f'{x[0]:f}' * int(2 + np.tanh")
    other = implementation(str(write(text, "other.py")), data)

    told, labels = "; ".join(entry.adaptations), entry.make().fit(*data)

    assert "first of the values that `predict_row` gives a row was taken for" in told
    assert labels.predict(data[0]).tolist() == data[1].tolist()
    with pytest.raises(GnbBenchError, match="gave a tuple for a row, which is no label"):
        other.make().fit(*data).predict(X)


def test_the_error_of_a_second_row_is_told_if_the_first_has_its_label(write: Any) -> None:
    source = f"{CLASS}{FIT}    def start(self): ...\n    def predict(self, X):\n"
    source += "        self.start = self.start() or []\n"
    path = write(f"{source}        return best_of(self.means, np.atleast_2d(X)[0])\n")

    with pytest.raises(TypeError, match="'list' object is not callable"):
        implementation(str(path), (X, CODES)).make().fit(X, CODES).predict(X)


def test_code_that_fails_is_not_told_what_labels_must_be(write: Any) -> None:
    fit = "    def fit(self, X, y): self.means = np.zeros(3)[y]\n"
    path = write(f"{CLASS}{fit}    def predict(self, X): raise ValueError\n")

    told = "; ".join(implementation(str(path), (X, NAMES)).adaptations)

    assert "labels were encoded as 0, 1, 2" in told
    assert "must be" not in told


def test_a_parameter_of_the_constructor_comes_first(write: Callable[..., Path]) -> None:
    source = f"{CLASS}    def __init__(self, fit='x'): assert fit == 'odd'\n{FIT}{PREDICT}"

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


def test_a_class_that_makes_the_other_is_taken(write: Callable[..., Path]) -> None:
    holder = "class Holder:\n    def __init__(self): self.model = NB()\n"
    holder += "    def fit(self, X, y): self.model.fit(X, y)\n"
    holder += "    def predict(self, X): return self.model.predict(X)\n"
    path = write(CLASS + FIT + PREDICT + holder)

    entry = implementation(str(path))

    assert entry.description == f"Holder of {path}"
    assert entry.adaptations == entry.not_judged == ()


def test_another_name_for_a_class_is_no_other_implementation(
    write: Callable[..., Path],
) -> None:
    path = write(CLASS + FIT + "    def predict(self, X): return X[:, 0]\nBayes = NB\n")

    assert implementation(str(path)).description == f"NB of {path}"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (
            CLASS + FIT + "    def classify(self, row, row_id, label): return 0\n",
            "`classify`: takes row_id, which `fit` does not return. Let it return row_id, "
            "or give it a default.",
        ),
        (
            MANNERS["two functions"][0]
            + "def predict(X, means, table, y):\n    return 0\n",
            "`predict`: takes means and table, which `fit` does not return. Let it return "
            "means and table, or give them defaults.",
        ),
        (
            CLASS + FIT + "    def predict(self, X): return 3\n",
            "`predict`: gave an int, which has no label for each row",
        ),
        (
            CLASS + FIT + "    def predict(self, X): return {'answer': 'many words'}\n"
            "def plot(predict): ...\ndef classifier(predict): ...\n",
            "`predict`: gave a dict, which has no label for each row. Return one label "
            "per row, such as what `classifier(predict)` gives.",
        ),
    ],
)
def test_objects_that_cannot_be_called_are_reported(
    source: str, text: str, write: Callable[..., Path]
) -> None:
    """And not as an error of the code that tried to call it."""
    code = named_code(str(write(source)))
    assert isinstance(code, Code)
    model = AdaptedModel(code.make, code.conventions[0])

    with pytest.raises(GnbBenchError) as caught:
        model.fit(X, CODES).predict(X)

    assert str(caught.value).startswith(text)


def test_the_last_step_is_named_also_for_a_function_that_is_bound() -> None:
    scope: dict[str, Any] = {}
    exec("def prob(a): ...\ndef plot(prob): ...\ndef classify(prob): ...\n", scope)  # noqa: S102

    assert last_step(partial(scope["prob"], a=1)) == "classify"
    assert last_step(scope["plot"]) == ""


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (
            "def main(k):\n    class NB:\n        def fit(self, X, y): self.k = k\n"
            "        def predict(self, X): pass\n",
            "makes NB within the function main. Move it out of main, and let it take what",
        ),
        (
            "def main(k):\n    def fit_nb(X, y): return k\n"
            "    def predict_nb(X, m): return k\n",
            "makes fit_nb and predict_nb within the function main",
        ),
        (CLASS + FIT + "    def predict(self): pass\n", "`predict` takes nothing"),
        (
            CLASS + FIT + "    async def predict(self, X): pass\n",
            "`predict` is an async def",
        ),
        (
            CLASS + FIT.replace("y)", "y, sample_weight)", 1) + PREDICT,
            "`fit` takes sample_weight besides samples and labels",
        ),
        (
            CLASS + FIT.replace("y)", "y, folds, step)", 1) + PREDICT,
            "`fit` takes folds and step besides samples and labels",
        ),
        (
            "class NB:\n    def bayes(df, X, Y): return X[:, 0]\n",
            "`NB.bayes` has no self before df",
        ),
        (
            "class NB:\n    @classmethod\n    def of(cls, data): return cls()\n"
            "    @staticmethod\n    def scaled(X): return X\n",
            "contains class NB (of(data) and scaled(X))",
        ),
        (
            "class NB:\n    def eerst(self, a, b): self.m = b\n"
            "    def dan(self, a, b): self.k = b\n    def nu(self, a): return a\n",
            "; no right labels came from eerst+nu and dan+nu. Write",
        ),
        (
            "class NB:\n    def toen(self, a, b): self.m = b\n    def zo(self, a): pass\n"
            "    def ja(self, a): pass\n    def en(self, a, b): self.m = b\n",
            "; no right labels came from toen+ja, toen+zo, en+ja and 1 more",
        ),
        (
            f"{CLASS}    def __init__(self, n_dim, k): assert k == 'all'\n{FIT}{PREDICT}",
            "its parameter 'k'. Give it a default, or a value: {path}:NB?k=all",
        ),
        (
            f"{CLASS}    def __init__(self, k): assert k in ('full', 'diag')\n"
            f"{FIT}{PREDICT}",
            "its parameter 'k'. Give it a default, or a value: {path}:NB?k=diag",
        ),
        (
            CLASS + "    def __init__(self, mean, eps): pass\n" + FIT + PREDICT,
            "made without its parameters 'mean' and 'eps'. Give them a default, or ",
        ),
        (
            f"{CLASS}    def __init__(self, df, x_train, x_test): assert 0\n{FIT}{PREDICT}",
            "and 'x_test'. Take samples and labels in fit, and rows to label in predict.",
        ),
        (
            f"{CLASS}    def __init__(self, X, y, names): assert 0\n{FIT}"
            "    def predict(self, X): pass\n",
            "`predict` is unwritten. Let it return one label per row, from samples that",
        ),
        (
            CLASS + FIT.replace("X, y", "class0, class1", 1) + PREDICT,
            "`fit` takes class0 and class1, not samples and their labels. Let it take "
            "both: def fit(self, X, y).",
        ),
        (
            CLASS + FIT.replace("X, y", "pos, neg", 1) + PREDICT,
            "`fit` takes pos and neg, n",
        ),
        (
            CLASS + "    def __init__(self, means): self.means = means\n"
            "    @staticmethod\n    def of(X, y): return NB(means_of(X, y))\n"
            "    def get_probabilities(self, row): return [*self.means]\n",
            "contains class NB (get_probabilities(row) and of(X, y)); ",
        ),
        (
            CLASS + "    def __init__(self, feature_types): pass\n" + FIT + PREDICT,
            "cannot be made without its parameter 'feature_types'",
        ),
        (
            "def bayes(dataset, num_of_class, num_of_columns): pass\n",
            "and bayes(dataset, num_of_class, num_of_columns)",
        ),
        (
            "def split_rows(table, category): pass\ndef sort_out(rows, m, s): pass\n",
            "sort_out(rows, m, s). Write a class",
        ),
        (
            CLASS + PREDICT + "    def score(self, X, y): self.last = y\n",
            "best_of(means, row). Write a class",
        ),
        (
            "def nb_train(table): return table\ndef nb_test(rows, model): print(model)\n"
            "def parsed(path): return open(path)\nnb_train(table := parsed('a'))\n"
            "table = parsed('a')\nnb_train(table)\n",
            "no right labels came from nb_train+nb_test",
        ),
        ("def NB(data, t): print(t)\n", "and NB(data, t) (returns nothing)"),
        ("def NB(a, b, c): yield a\n", "and NB(a, b, c). Write"),
        ("for part in open(__file__):\n    def steps(a, b): pass\n", "and steps(a, b)"),
        ((FIT + PREDICT).replace("    def", "def"), "self in fit and predict, outside of"),
    ],
)
def test_obstacles_are_named(
    source: str, text: str, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(source)
    monkeypatch.setattr("gnbbench.implementations.trials.TRYING_SECONDS", 60.0)

    with pytest.raises(GnbBenchError) as caught:
        implementation(str(path))

    assert text.format(path=path) in str(caught.value)


def test_functions_that_say_they_predict_are_offered_whatever_they_take(
    write: Callable[..., Path],
) -> None:
    source = "def fit_nb(X, y, m):\n    classes = np.unique(y)\n"
    source += "    means = np.array([X[y == k].mean(0) for k in classes]) / m\n"
    source += "    return classes, means\n"
    source += "def predict_nb(X, classes, means):\n"
    source += "    return classes[((X[:, None] - means) ** 2).sum(2).argmin(1)]\n"

    with pytest.raises(GnbBenchError, match=r"such as \S+:fit_nb\+predict_nb\?m=1"):
        implementation(str(write(source)))


def test_a_column_of_labels_is_read_whatever_it_says(write: Callable[..., Path]) -> None:
    source = CLASS + FIT + "    def predict(self, X): return np.full((len(X), 1), 9)\n"
    entry = implementation(str(write(source)))

    labels = entry.make().fit(X, 9 - CODES).predict(X)
    assert labels.tolist() == [9] * len(X)


def test_code_that_knows_only_its_own_labels_says_so(write: Callable[..., Path]) -> None:
    source = CLASS + "    def __init__(self): self.class_names = ['left', 'right']\n"
    known = "[self.class_names.index(label) for label in y]"
    source += FIT.replace("(X, y)\n", f"(X, {known})\n") + PREDICT
    entry = implementation(str(write(source)))

    with pytest.raises(GnbBenchError, match="knows only the labels 'left' and 'right'"):
        entry.make().fit(X, CODES)


@pytest.mark.parametrize("where", ["fit", "constructor"])
def test_a_number_of_classes_is_given_though_it_has_a_default(
    where: str, write: Callable[..., Path]
) -> None:
    fits = "def fit_nb(X, y, K=5): return np.array([X[y == k].mean(0) for k in range(K)])\n"
    source = (
        fits + "def pred_nb(X, m): return [((row - m) ** 2).sum(1).argmin() for row in X]"
    )
    if where == "constructor":
        source = f"{CLASS}    def __init__(self, n_labels=5, eps=1e-9): self.K = n_labels\n"
        source += "    def fit(self, X, y):\n        self.m = fit_nb(X, y, self.K)\n"
        source += f"    def predict(self, X): return _pred(X, self.m)\n{fits}"
        source += "def _pred(X, m): return [((row - m) ** 2).sum(1).argmin() for row in X]"
    entry = implementation(str(write(source)), (X, NAMES))

    model = entry.make().fit(X, NAMES)

    assert np.mean(model.predict(X) == NAMES) > 0.9
    assert any("the number of classes" in text for text in entry.adaptations)


def test_limits_of_code_are_noted(write: Callable[..., Path]) -> None:
    """A column counted in the source, and two classes at most."""
    fixed = "def train(data): return means_of(data[:, :4], data[:, 4])\n"
    source = fixed + "def predict(means, row): return best_of(means, row)\n"
    model = implementation(str(write(source)), (X, CODES)).make().fit(X, CODES)
    with pytest.raises(GnbBenchError, match="works with 4 features alone, not with 3"):
        model.fit(X[:, :3], CODES)
    assert np.mean(model.predict(X) == CODES) > 0.9

    # The labels of a table of one feature are in its column 1.
    alone = "def train(data): return means_of(data[:, :1], data[:, 1])\n"
    alone += "def predict(means, row):\n    a, b = means\n    return best_of(means, row)\n"
    model = implementation(str(write(alone, "alone.py")), (X, CODES)).make()
    with pytest.raises(GnbBenchError, match="works with 1 feature alone, not with 4"):
        model.fit(X, CODES)

    source = FIT.replace("self.means", "assert len(set(y)) == 2; self.means")
    pair = implementation(str(write(CLASS + source + PREDICT)), (X, CODES))
    told = "on synthetic data it runs with two classes, but fails with three"
    assert told in pair.adaptations
    source = PREDICT.replace("best_of(self.means, row)", "min(best_of(self.means, row), 1)")
    source += "    def set_predict_request(self, X): return X\n"
    least = implementation(str(write(CLASS + FIT + source, "least.py")), (X, NAMES))
    told = "on synthetic data it labels two classes right, but not three"
    assert told in least.adaptations
    assert not least.not_judged
    # A column that it asks for by name, with three classes too
    source = "def fit(df):\n    X = df.drop(columns='diagnosis')\n"
    source += "    of = {k: X[df['diagnosis'] == k] for k in (0, 1)}\n"
    source += "    return {k: rows.mean().to_numpy() for k, rows in of.items()}\n"
    source += "def predict(row, means): return best_of(means, row)\n"
    pair = implementation(str(write(source, "pair.py")), (X, CODES))
    assert told in pair.adaptations
    # Three that it mixes up are three.
    source = "    def fit(self, X, y):\n        k = range(len({*y}))\n"
    source += "        self.m = [X[y == label].mean() for label in k]\n"
    source += "    def predict(self, X):\n        a, b, *more = self.m\n"
    source += "        X = 1.5 * (X.mean(1) - a) / (b - a) + 0.5\n"
    source += "        return np.clip(X, 0, 1 + len(more)).astype(int)"
    mixed = implementation(str(write(CLASS + source, "mixed.py")), (X, NAMES))
    assert any("labels must be 0, 1, 2, … for" in text for text in mixed.adaptations)
    assert told not in mixed.adaptations
    whole = implementation(str(write(CLASS + FIT + PREDICT, "whole.py")), (X, CODES))
    assert not whole.adaptations


def test_a_label_beside_scores_is_no_score(write: Callable[..., Path]) -> None:
    """Though with it there are as many values as classes; the largest is often right."""
    source = """
    def fit(self, X, y): self.at = [X[y == code].mean(axis=0) for code in (0, 1)]
    def predict(self, row):
        one, two = (9 * np.exp(-((row - at) ** 2).sum() / 9) for at in self.at)
        return one, two, 0 if one > two else 1
"""
    entry = implementation(str(write("class Bayes:" + source)), (X, CODES))

    assert any("third of the values" in text for text in entry.adaptations)


def test_code_that_always_fails_is_called_as_it_gets_furthest(
    write: Callable[..., Path],
) -> None:
    """So that the error comes from the code, not from arrays in place of DataFrames."""
    source = CLASS + FIT.replace("(X, y)\n", "(X.values, y.values)\n")
    source += "    def predict(self, X): return X['x9']\n"
    removed = CLASS + FIT.replace("(X, y)\n", "(X.ix[:], y)\n") + PREDICT
    lacking = "from absent_tools import best\ndef classify(X_train, y_train, X_test):\n"
    lacking += "    return best(X_train[:, y_train == 0], X_test)\n"
    for place, text in enumerate((source, removed, lacking)):
        entry = implementation(str(write(text, f"m{place}.py")), (X, CODES))

        how = ["data were given as pandas DataFrames", "samples were given as columns"]
        assert how[text == lacking] in entry.adaptations


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("float(row[0]) * undefined", "undefined"),
        ("row['width']", "width"),
        ("row[0, 0, 0]", "too many indices"),
    ],
)
def test_of_failures_in_one_line_the_later_is_reported(
    line: str, error: str, write: Callable[..., Path]
) -> None:
    """And of those in one step that of the container that the code was written for."""
    source = f"    def predict(self, row): return {line}\n"

    entry = implementation(str(write(CLASS + FIT + source)), (X, CODES))

    model = entry.make()
    model.fit(X, CODES)
    with pytest.raises((NameError, LookupError), match=error):
        model.predict(X)


def test_an_exit_while_it_is_tried_is_the_codes_and_found_in_the_study(
    write: Callable[..., Path],
) -> None:
    fit = FIT.replace("self.means", "raise Stop; self.means")
    source = f"class Stop(BaseException): pass\n{CLASS}{fit}"

    entry = implementation(str(write(source + PREDICT)), (X, CODES))

    with pytest.raises(BaseException, match=r"^$") as caught:
        entry.make().fit(X, CODES)
    assert type(caught.value).__name__ == "Stop"


def test_nothing_is_left_of_failed_attempts(write: Callable[..., Path]) -> None:
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


def test_a_wrong_label_beside_a_table_is_read(write: Callable[..., Path]) -> None:
    body = "    def predict(self, x):\n        scores = scores_of(self.means, x)\n"
    body += "        return scores, min(scores, key=scores.get)\n"
    entry = implementation(str(write(CLASS + FIT + body)), (X, CODES))

    assert "the second of the values that `predict` gives a row" in str(entry.adaptations)


@pytest.mark.parametrize(("before", "told"), [(1, "second"), (4, "5th"), (5, "6th")])
def test_labels_in_any_place_of_a_tuple_are_read_and_it_is_told_which(
    before: int, told: str, write: Callable[..., Path]
) -> None:
    body = "    def predict(self, X):\n"
    body += "        labels = [best_of(self.means, x) for x in X]\n"
    body += f"        return (*range({before}), labels, 7)\n"

    entry = implementation(str(write(CLASS + FIT + body)), (X, CODES))

    assert f"the {told} of the tuple that `predict` gave" in str(entry.adaptations)


def test_the_label_in_the_last_column_of_an_answer_is_read_whatever_its_place(
    write: Callable[..., Path],
) -> None:
    """Rows come back with it, as many features as they may have."""
    body = (
        "    def predict(self, X):\n        labels = [best_of(self.means, x) for x in X]\n"
    )
    body += "        return np.column_stack([X, labels])\n"
    entry = implementation(str(write(CLASS + FIT + body)), (X, CODES))

    model = entry.make()
    model.fit(np.hstack([X, X]), CODES)

    assert "the last of the values that `predict` gives a row" in str(entry.adaptations)
    assert set(model.predict(np.hstack([X, X])).tolist()) <= set(CODES.tolist())


def test_a_column_of_labels_is_read_and_no_row_of_scores(
    write: Callable[..., Path],
) -> None:
    """Of one row it gives as many answers as there are classes, none of which is taken."""
    body = "    def predict(self, X):\n        if len(X) == 1: X = X.repeat(3, axis=0)\n"
    body += "        return np.array([[best_of(self.means, x)] for x in X])\n"
    entry = implementation(str(write(CLASS + FIT + body)), (X, CODES))

    model = entry.make()
    model.fit(X, CODES)

    (told,) = entry.adaptations
    assert told.startswith(
        "the column that `predict` returns was taken for one label a row"
    )
    assert model.predict(X[:2]).tolist() == CODES[:2].tolist()
    with pytest.raises(GnbBenchError, match=r"shape \(3, 1\) for 1 row"):
        model.predict(X[:1])


def test_numbers_of_classes_and_features_are_given_whatever_their_defaults(
    write: Callable[..., Path],
) -> None:
    body = "    def __init__(self, k=2, d=8): self.shape = k, d\n" + FIT
    body += "        if self.shape != (len(self.means), X.shape[1]): raise ValueError\n"

    entry = implementation(str(write(CLASS + body + PREDICT)), (X, CODES))

    assert "the number of classes and the number of features" in str(entry.adaptations)


IN_COLUMNS = {
    "def nb_odds(DTR, LTR, DTE):\n"
    "    means = [DTR[:, LTR == k].mean(axis=1, keepdims=True) for k in (0, 1)]\n"
    "    away = [((DTE - mean) ** 2).sum(axis=0) for mean in means]\n"
    "    return away[0] - away[1]\n": "what `nb_odds` gave was taken for log-odds",
    "class NB:\n"
    "    def __init__(self, X_train, y_train): self.X, self.y = X_train, y_train[0]\n"
    "    def fit(self):\n"
    "        kinds = np.unique(self.y)\n"
    "        self.means = [self.X[:, self.y == k].mean(axis=1)[:, None] for k in kinds]\n"
    "    def predict(self, x):\n"
    "        if x.shape != self.means[0].shape: raise ValueError('one column')\n"
    "        return int(np.argmin([((x - m) ** 2).sum() for m in self.means])) + 1\n": (
        "labels were given as a row of a table"
    ),
}


@pytest.mark.parametrize("source", IN_COLUMNS)
def test_samples_in_columns_are_given_so_with_labels_in_a_row(
    source: str, write: Callable[..., Path]
) -> None:
    of_two = CODES < 2
    y = CODES[of_two]

    entry = implementation(str(write(source)), (X[of_two], y))
    model = entry.make()
    model.fit(X[of_two], y)

    told = str(entry.adaptations)
    assert "samples were given as columns" in told
    assert IN_COLUMNS[source] in told
    assert model.predict(X[of_two]).tolist() == y.tolist()


def test_scores_of_samples_alone_come_before_labels_that_need_what_is_not_learned(
    write: Callable[..., Path],
) -> None:
    body = "    def predict_weighted(self, model, X, weights): return model\n"
    body += "    def predict_proba(self, X):\n"
    body += "        away = np.array([[*scores_of(self.means, x).values()] for x in X])\n"
    body += "        return np.exp(away) / np.exp(away).sum(axis=1, keepdims=True)\n"

    entry = implementation(str(write(CLASS + FIT + body)), (X, CODES))

    assert "`predict_proba` was called to predict" in entry.adaptations


def test_probabilities_of_one_class_alone_are_said_not_to_be_judged(
    write: Callable[..., Path],
) -> None:
    """Also where labels are made of them."""
    body = "    def predict_proba(self, X):\n"
    body += "        away = [[*scores_of(self.means, row).values()] for row in X]\n"
    body += (
        "        return np.array([1 / (1 + np.exp((a[0] - a[1]) / 99)) for a in away])\n"
    )
    body += "    def predict(self, X): return (self.predict_proba(X) > 0.5).astype(int)\n"
    of_two = CODES < 2

    entry = implementation(str(write(CLASS + FIT + body)), (X[of_two], CODES[of_two] + 5))

    assert "`predict_proba`" in entry.not_judged


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("DTR", ["x", "tr"]),
        ("LTrain", ["y", "train"]),
        ("getPredictions", ["get", "predictions"]),
        ("X_train", ["x", "train"]),
        ("xtest", ["x", "test"]),
        ("naive_bayes_2", ["naive", "bayes", "2"]),
        ("fit", ["fit"]),
    ],
)
def test_names_are_words(name: str, words: list[str]) -> None:
    assert [*words_of(name)] == words


LIMITED = {
    (2, 0): "    def predict(self, a, b): return best_of(self.means, [a, float(b)])\n",
    (0, 3): PREDICT.replace("self.means,", "{k: self.means[k] for k in (0, 1, 2)},"),
    (4, 0): PREDICT.replace("row)", "(a, b, c, d))").replace("for row", "for a, b, c, d"),
    (0, 2): PREDICT.replace("best_of", "self.name").replace("self.means, ", "")
    + "    def name(self, x): return 'yes' if best_of(self.means, x) == 'yes' else 'no'\n",
    (0, 10): "    def fit(self, X, y):\n"
    "        self.means = [X[y == c].mean(axis=0) for c in range(10)]\n"
    "    def predict(self, X):\n"
    "        return [np.argmin([((x - m) ** 2).sum() for m in self.means]) for x in X]\n",
    (0, 0): PREDICT,
}


@pytest.mark.parametrize("limits", LIMITED)
def test_numbers_of_features_and_classes_that_code_is_written_for_are_limits(
    limits: tuple[int, int], write: Callable[..., Path]
) -> None:
    """And code that takes any has none: the control."""
    path = write(CLASS + FIT + LIMITED[limits])
    assert implementation(str(path)).limits == limits


SECOND = "sorted(scores_of(self.means, x), key=scores_of(self.means, x).get)[1]"
SECOND_OF_THREE = {
    "a class": f"{FIT}    def predict(self, X): return [{SECOND} for x in X]\n",
    "a table": "    def fit(self, data): self.means = means_of(data[:, :-1], data[:, -1])\n"
    f"    def predict(self, x): return {SECOND}\n",
    "a frame": "    def fit(self, df):\n"
    "        self.means = means_of(df.drop(columns='kind'), df['kind'])\n"
    f"    def predict(self, df): return [{SECOND} for x in df.values]\n",
}


@pytest.mark.parametrize("source", SECOND_OF_THREE.values(), ids=SECOND_OF_THREE)
def test_code_that_is_wrong_with_three_classes_is_not_limited_to_two(
    source: str, write: Callable[..., Path]
) -> None:
    assert implementation(str(write(CLASS + source))).limits == (0, 0)


PRIOR_IN_COVARIANCE = """
import numpy as np
from scipy.stats import multivariate_normal


class Bayes:
    def fit(self, X, y):
        self.groups = [X[y == label] for label in range(len(np.unique(y)))]
        self.n = len(X)

    def predict(self, X):
        scores = np.zeros((len(X), len(self.groups)))
        for place, rows in enumerate(self.groups):
            spread = rows.var(axis=0) + 1e-3 + np.log(len(rows) / self.n)
            scores[:, place] = multivariate_normal.logpdf(X, rows.mean(axis=0), spread)
        return scores.argmax(axis=1)
"""


def test_code_that_fails_on_values_is_not_limited_to_one_feature(
    write: Callable[..., Path],
) -> None:
    """Masks of a DataFrame keep all rows, with which it does not fail."""
    assert implementation(str(write(PRIOR_IN_COVARIANCE))).limits == (0, 0)
