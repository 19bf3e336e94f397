"""Statements of a script that train or predict are called as functions."""

import ast
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from gnbbench.errors import ImplementationError
from gnbbench.implementations import implementation
from gnbbench.implementations.scripts import make_function

X, Y = load_iris(return_X_y=True)
HEAD = """
import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

data = load_wine()
X_train, X_test, y_train, y_test = train_test_split(data.data, data.target)

def log_density(x, mean, var):
    return -0.5 * np.sum(np.log(var) + (x - mean) ** 2 / var)
"""
TRAIN = """
classes = np.unique(y_train)
means, variances = [], []
for c in classes:
    X_c = X_train[y_train == c]
    means.append(X_c.mean(axis=0))
    variances.append(X_c.var(axis=0))
priors = {c: np.mean(y_train == c) for c in classes}
"""
GLOBAL = """
def predict(X):
    table = [[np.log(priors[c]) + log_density(x, m, v)
              for c, m, v in zip(classes, means, variances)] for x in X]
    return classes[np.argmax(table, axis=1)]

print("accuracy", np.mean(predict(X_test) == y_test))
"""
GIVEN = """
def predict_one(x, m, v, p):
    return max(p, key=lambda c: np.log(p[c]) + log_density(x, m[c], v[c]))
"""
ASK = "\nprint([predict_one(row, means, variances, priors) for row in X_test])\n"
LINEAR = """
y_pred = []
for x in X_test:
    scores = [np.log(priors[c]) + log_density(x, means[c], variances[c]) for c in classes]
    y_pred.append(classes[np.argmax(scores)])
print("accuracy", np.mean(np.array(y_pred) == y_test))
"""

COUNTING = """
right = 0
for x, truth in zip(X_test, y_test):
    scores = [np.log(priors[c]) + log_density(x, means[c], variances[c]) for c in classes]
    if truth == classes[np.argmax(scores)]:
        right = right + 1
print(right / len(y_test))
"""
FOLDS = """
for train_rows, test_rows in KFold(5).split(data.data):
    X_train, y_train = data.data[train_rows], data.target[train_rows]
    X_test = data.data[test_rows]
"""
IN_ROWS = """
train, test = np.split(np.column_stack((data.data, data.target)), [100])
grouped_by_class = {}
for row in train:
    grouped_by_class.setdefault(row[-1], []).append(row[:-1])
kept = {}
for c, g in grouped_by_class.items():
    kept[c] = len(g), np.mean(g, axis=0), np.var(g, axis=0)
wrong = 0
for row in test:
    best = max(kept, key=lambda c: np.log(kept[c][0]) + log_density(row[:4], *kept[c][1:]))
    wrong += best != row[-1]
print(wrong)
"""

SCORES = """
grouped_train = {c: X_train[y_train == c] for c in set(y_train)}
moments = {}
for c, rows in grouped_train.items():
    moments[c] = rows.mean(axis=0), rows.var(axis=0), len(rows)

def class_probabilities(row, moments):
    return {c: np.log(n) + log_density(row, m, v) for c, (m, v, n) in moments.items()}

n_right = 0
for row, label in zip(X_test, y_test):
    probabilities = class_probabilities(row, moments)
    n_right += max(probabilities, key=probabilities.get) == label
"""
WHOLES = """
from scipy.stats import norm
X, y = load_wine(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y)
"""
LOGS = """
params = {}
for c in np.unique(y):
    params[c] = [norm.fit(X_train[y_train == c][:, j]) for j in range(X.shape[1])]
prior = {c: (y_train == c).mean() for c in params}
y_hat = []
n_done = 0
for x in X_test:
    n_done += 1
    sums = {c: sum(norm.logpdf(v, *p) for v, p in zip(x, params[c])) for c in params}
    y_hat.append(max(params, key=lambda c: np.log(prior[c]) + sums[c]))
print(np.mean(y_hat == y_test))
"""
COUNTS = """
n_classes = len(data.target_names)
n_rows, n_features = data.data.shape
means = np.zeros((n_classes, n_features))
variances, class_weights = means.copy(), np.zeros(n_classes)
for c in range(n_classes):
    means[c] = X_train[y_train == c].mean(axis=0)
    variances[c] = X_train[y_train == c].var(axis=0)
    class_weights[c] = np.mean(y_train == c)
table = np.zeros((len(X_test), n_classes))
for i in range(len(X_test)):
    for c in range(n_classes):
        table[i, c] = np.log(class_weights[c])
        table[i, c] += log_density(X_test[i], means[c], variances[c])
print((table.argmax(axis=1) == y_test).mean())
"""
OBJECT = """
class Bayes:
    def fit(self, first, second, third):
        groups = [first, second, third]
        self.own = [(np.log(len(g)), g.mean(axis=0), g.var(axis=0)) for g in groups]

    def predict(self, rows):
        table = [[p + log_density(x, m, v) for p, m, v in self.own] for x in rows]
        return np.argmax(table, axis=1)

model = Bayes()
model.fit(*(X_train[y_train == c] for c in sorted(set(y_train))))
y_pred = model.predict(X_test)
"""


def _in_main(body: str) -> str:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"def main():\n{lines}\nif __name__ == '__main__':\n    main()\n"


@pytest.mark.parametrize(
    "source",
    {
        "read": HEAD + TRAIN + GLOBAL,
        "given": HEAD + TRAIN + GIVEN + ASK,
        "in main": HEAD + GIVEN + _in_main(TRAIN + ASK),
        "neither": HEAD + TRAIN + LINEAR,
        "scores": HEAD + SCORES,
        "wholes": HEAD + WHOLES + LOGS,
        "counts": HEAD + COUNTS,
        "later": HEAD
        + TRAIN
        + LINEAR.replace("y_pred", "pred")
        + "y_pred = np.array(pred)",
        "object": HEAD + OBJECT,
        "counting": HEAD + TRAIN + COUNTING,
        "in rows": HEAD + IN_ROWS,
        "folds": HEAD.replace("X_train, X_test, y", "#")
        + FOLDS
        + (TRAIN + LINEAR.replace("print", "shares.append")).replace("\n", "\n    "),
        "tried": HEAD
        + GIVEN
        + "try:\n"
        + TRAIN.replace("\n", "\n    ")
        + "\nfinally: 1"
        + ASK,
    }.values(),
    ids=[
        "read",
        "given",
        "in main",
        "neither",
        "scores",
        "wholes",
        "counts",
        "later",
        "object",
        "counting",
        "in rows",
        "folds",
        "tried",
    ],
)
def test_a_script_that_trains_labels_as_scikit_learn_does(
    source: str, tmp_path: Path
) -> None:
    path = tmp_path / "homework.py"
    path.write_text(source)
    entry = implementation(str(path))
    halves = np.arange(len(X)) % 2 == 0, np.arange(len(X)) % 2 == 1

    models = [entry.make().fit(X[half], Y[half]) for half in halves]

    for model, half in zip(models, halves, strict=True):
        expected = GaussianNB(var_smoothing=0.0).fit(X[half], Y[half]).predict(X)
        np.testing.assert_array_equal(model.predict(X), expected)
    assert any("_in_script` stands for statements of" in note for note in entry.adaptations)


@pytest.mark.parametrize(
    "source",
    [
        HEAD + GLOBAL,  # Nothing trains
        HEAD + "table = load_wine().data\nclasses = np.unique(table)\n" + GIVEN + ASK,
        HEAD + "model = GaussianNB().fit(X_train, y_train)\ny_pred = model.predict(X_test)",
        HEAD + TRAIN + LINEAR.replace("X_test", "X_train"),
        HEAD + TRAIN + LINEAR.replace("scores =", "os.system('touch me')\n    scores ="),
        HEAD
        + TRAIN
        + COUNTING.replace("truth == classes[np.argmax(scores)]", "truth == 1"),
        HEAD + "y_pred = [y_train[neighbours(X_train, x)[0]] for x in X_test]",
    ],
)
def test_other_scripts_stay_as_they_are(source: str) -> None:
    tree = ast.parse(source)

    assert make_function(tree) is None
    assert ast.unparse(tree) == ast.unparse(ast.parse(source))


def test_a_script_whose_function_gives_no_labels_is_refused_as_before(
    tmp_path: Path,
) -> None:
    path = tmp_path / "homework.py"
    path.write_text(HEAD + TRAIN + LINEAR.replace("argmax", "absent"))

    with pytest.raises(ImplementationError, match=r"function log_density\(x, mean, var\)"):
        implementation(str(path))


@pytest.mark.parametrize(
    ("of_y_pred", "compared"),
    [
        ("result", "np.mean(np.array(result) == y_test)"),
        ("out", "sum(1 for a, b in zip(y_test, out) if a == b)"),
        ("guess", "[y_test[i] == guess[i] for i in range(len(y_test))]"),
        ("y_pred", "1"),
    ],
)
def test_what_is_compared_with_labels_of_rows_to_label_is_the_answer(
    of_y_pred: str, compared: str
) -> None:
    script = LINEAR.partition("print")[0].replace("y_pred", of_y_pred)

    part = make_function(ast.parse(f"{HEAD}{TRAIN}right = 0\n{script}print({compared})"))

    assert part is not None
    assert part.returns == [of_y_pred]


def test_a_function_that_predicts_comes_before_its_parts() -> None:
    part = "def naive_bayes(x, c):\n    return log_density(x, means[c], variances[c])\n"
    ask = "def predict(x):\n    return max(priors, key=lambda c: naive_bayes(x, c))\n"

    found = make_function(ast.parse(HEAD + TRAIN + part + ask))

    assert found is not None
    assert found.ask == "predict"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (
            "rows = open('iris.csv').read().split()",
            "make y_pred of X_train, y_train and X_",
        ),
        ("def main(): print(open('iris.csv').read())", "or let the script make y_pred"),
        ("X_test = open('iris.csv').read().split()", r"fit\(X, y\) and predict\(X\)\.$"),
    ],
)
def test_a_script_is_told_which_names_to_use_unless_it_has_them(
    source: str, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "homework.py"
    path.write_text(source)

    with pytest.raises(ImplementationError, match=words):
        implementation(str(path))


def test_a_function_of_a_library_is_no_container_that_is_filled() -> None:
    part = make_function(ast.parse(f"{HEAD}grown = np.append([1.0], 2.0)\n{TRAIN}{GLOBAL}"))

    assert part is not None
    assert part.returns == ["classes", "means", "priors", "variances"]
