"""A hand-written equivalent of ``gnbbench sweep-split wine --runs 1000``.

Splits, both fits, labels of both sides and probabilities of both, at nine train
fractions; no report. ``make bench-commands`` times it against the command.
"""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

from gnbbench import GaussianNB

RUNS = 1000
FRACTIONS = np.arange(1, 10) / 10
MODELS = {"numpy": GaussianNB, "sklearn": ScikitLearnGaussianNB}


def loop(X, y, fraction):
    """Return accuracies of both, mismatches and largest probability differences."""
    accuracy = {name: [] for name in MODELS}
    mismatches, gaps = [], []
    for run in range(RUNS):
        X_train, X_test, y_train, y_test = train_test_split(
            X, y, train_size=fraction, random_state=42 + run, stratify=y
        )
        labels, probabilities = {}, {}
        for name, make in MODELS.items():
            model = make().fit(X_train, y_train)
            labels[name] = model.predict(X_test)
            probabilities[name] = model.predict_proba(X_test)
            train = np.mean(model.predict(X_train) == y_train)
            accuracy[name].append((train, np.mean(labels[name] == y_test)))
        mismatches.append(np.sum(labels["numpy"] != labels["sklearn"]))
        gaps.append(np.abs(probabilities["numpy"] - probabilities["sklearn"]).max())
    return accuracy, mismatches, gaps


if __name__ == "__main__":
    X, y = load_wine(return_X_y=True)
    for fraction in FRACTIONS:
        accuracy, mismatches, gaps = loop(X, y, fraction)
        means = {name: np.mean(values, axis=0) for name, values in accuracy.items()}
        print(fraction, means, np.mean(mismatches), np.max(mismatches), np.max(gaps))
