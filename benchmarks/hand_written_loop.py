"""A hand-written equivalent of ``gnbbench compare iris --runs 1000``.

Splits, both fits, labels and probabilities of both, accuracies, a timing loop and the
four plots of a course report. ``make bench-commands`` times it against the command.
"""

import sys
import time
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris
from sklearn.metrics import accuracy_score, confusion_matrix
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

from gnbbench import GaussianNB

RUNS = 1000
MODELS = {"numpy": GaussianNB, "sklearn": ScikitLearnGaussianNB}


def loop(X, y):
    """Return accuracies, confidences, confusion matrices and fit times of both."""
    train, test = {name: [] for name in MODELS}, {name: [] for name in MODELS}
    confidence = {name: [] for name in MODELS}
    confusion = {name: np.zeros((3, 3), int) for name in MODELS}
    seconds = {name: [] for name in MODELS}
    agreement = []
    for run in range(RUNS):
        X_train, X_test, y_train, y_test = train_test_split(
            X, y, test_size=0.3, random_state=42 + run, stratify=y
        )
        labels = {}
        for name, make in MODELS.items():
            begin = time.perf_counter()
            model = make().fit(X_train, y_train)
            seconds[name].append(time.perf_counter() - begin)
            labels[name] = model.predict(X_test)
            train[name].append(accuracy_score(y_train, model.predict(X_train)))
            test[name].append(accuracy_score(y_test, labels[name]))
            confidence[name].append(model.predict_proba(X_test).max(axis=1).mean())
            confusion[name] += confusion_matrix(y_test, labels[name])
        agreement.append(np.mean(labels["numpy"] == labels["sklearn"]))
    print("agreement", np.mean(agreement))
    for name in MODELS:
        print(name, np.mean(train[name]), np.mean(test[name]), np.mean(confidence[name]))
        print(name, "fit", np.mean(seconds[name]), "+-", np.std(seconds[name]))
    return train, test, confusion, seconds


def plots(X, y, results, directory):
    """Write the four plots."""
    train, test, confusion, seconds = results
    figure, axes = plt.subplots()
    for place, name in enumerate(MODELS):
        values = [np.mean(train[name]), np.mean(test[name])]
        axes.bar(np.arange(2) + 0.35 * place, values, 0.35, label=name)
    axes.set_xticks(np.arange(2) + 0.17, ["train", "test"])
    axes.legend()
    figure.savefig(directory / "accuracy.png", dpi=150)
    figure, panels = plt.subplots(1, 2)
    for axes, name in zip(panels, MODELS, strict=True):
        axes.imshow(confusion[name])
        axes.set_title(name)
        for (row, column), count in np.ndenumerate(confusion[name]):
            axes.text(column, row, count, ha="center")
    figure.savefig(directory / "confusion.png", dpi=150)
    figure, axes = plt.subplots()
    axes.bar(
        list(MODELS),
        [np.mean(seconds[name]) for name in MODELS],
        yerr=[np.std(seconds[name]) for name in MODELS],
    )
    figure.savefig(directory / "time.png", dpi=150)
    figure, panels = plt.subplots(1, 2)
    pair = X[:, [2, 3]]
    horizontal, vertical = np.meshgrid(np.linspace(0, 7, 200), np.linspace(0, 3, 200))
    grid = np.column_stack([horizontal.ravel(), vertical.ravel()])
    for axes, (name, make) in zip(panels, MODELS.items(), strict=True):
        regions = make().fit(pair, y).predict(grid).reshape(horizontal.shape)
        axes.contourf(horizontal, vertical, regions, alpha=0.4)
        axes.scatter(*pair.T, c=y, s=8)
        axes.set_title(name)
    figure.savefig(directory / "regions.png", dpi=150)


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    X, y = load_iris(return_X_y=True)
    plots(X, y, loop(X, y), target)
