"""Gaussian naive Bayes with one planted fault each, pairs of faults, and strangers to it.

Written without the textbook family: a fault overrides one step of a sound class.
"""

from typing import Any

import numpy as np


class PlainGNB:
    """Computes like scikit-learn; each fault overrides one step."""

    def fit(self, X: Any, y: Any) -> "PlainGNB":
        X, y = self.cast(np.asarray(X)), np.asarray(y)
        self.classes_ = np.unique(y)
        groups = [X[y == label] for label in self.classes_]
        self.counts = np.array([len(rows) for rows in groups])
        self.theta_ = np.array([rows.sum(axis=0) / len(rows) for rows in groups])
        self.var_ = np.array([self.variance(rows) for rows in groups])
        self.var_ = self.smoothed(self.var_, X)
        self.class_prior_ = self.prior()
        return self

    def cast(self, X: Any) -> Any:
        return X.astype(float)

    def variance(self, rows: Any) -> Any:
        return np.square(rows - rows.sum(axis=0) / len(rows)).sum(axis=0) / len(rows)

    def smoothed(self, var: Any, X: Any) -> Any:
        return var + 1e-9 * X.var(axis=0).max()

    def prior(self) -> Any:
        return self.counts / self.counts.sum()

    def log_density(self, X: Any, theta: Any, var: Any) -> Any:
        """Return the log-density of each feature."""
        return -(np.log(2 * np.pi * var) + (X - theta) ** 2 / var) / 2

    def joint(self, X: Any) -> Any:
        X = self.cast(np.asarray(X))
        return np.stack(
            [
                np.log(prior) + self.log_density(X, theta, var).sum(axis=1)
                for prior, theta, var in zip(
                    self.class_prior_, self.theta_, self.var_, strict=True
                )
            ],
            axis=1,
        )

    def predict(self, X: Any) -> Any:
        return self.classes_[self.joint(X).argmax(axis=1)]

    def predict_proba(self, X: Any) -> Any:
        joint = self.joint(X)
        shares = np.exp(joint - joint.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)


def fault(name: str, **steps: Any) -> type:
    """Return the sound class with some steps of its own."""
    return type(name, (PlainGNB,), steps)


Unsmoothed = fault("Unsmoothed", smoothed=lambda _self, var, _X: var)
HeavilySmoothed = fault(
    "HeavilySmoothed", smoothed=lambda _self, var, X: var + 1e-3 * X.var(axis=0).max()
)
AddsConstant = fault("AddsConstant", smoothed=lambda _self, var, _X: var + 0.05)
SmoothedPerFeature = fault(
    "SmoothedPerFeature", smoothed=lambda _self, var, X: var + 0.02 * X.var(axis=0)
)
FlooredVariance = fault(
    "FlooredVariance", smoothed=lambda _self, var, _X: np.maximum(var, 0.1)
)
SwappedPrior = fault("SwappedPrior", prior=lambda self: PlainGNB.prior(self)[::-1])
CancellingVariance = fault(
    "CancellingVariance",
    variance=lambda _self, rows: (rows * rows).mean(axis=0) - rows.mean(axis=0) ** 2,
)
LabelsPermuted = fault(
    "LabelsPermuted",
    predict=lambda self, X: np.roll(self.classes_, 1)[self.joint(X).argmax(axis=1)],
)
ColumnsPermuted = fault(
    "ColumnsPermuted",
    predict_proba=lambda self, X: PlainGNB.predict_proba(self, X)[:, ::-1],
)
FeaturesReversed = fault(
    "FeaturesReversed", joint=lambda self, X: PlainGNB.joint(self, np.asarray(X)[:, ::-1])
)
FeaturesShifted = fault(
    "FeaturesShifted",
    fit=lambda self, X, y: PlainGNB.fit(self, np.roll(np.asarray(X), 1, axis=1), y),
)
WrongShape = fault("WrongShape", predict=lambda self, X: PlainGNB.predict(self, X)[:-1])
DeviationForVariance = fault(
    "DeviationForVariance", variance=lambda _self, rows: rows.std(axis=0)
)
MissingHalf = fault(
    "MissingHalf",
    log_density=lambda _self, X, theta, var: (
        -np.log(2 * np.pi * var) / 2 - (X - theta) ** 2 / var
    ),
)
MissingSquare = fault(
    "MissingSquare",
    log_density=lambda _self, X, theta, var: (
        -(np.log(2 * np.pi * var) + np.abs(X - theta) / var) / 2
    ),
)
BinaryLogarithm = fault(
    "BinaryLogarithm",
    log_density=lambda _self, X, theta, var: (
        -(np.log2(2 * np.pi * var) + (X - theta) ** 2 / var) / 2
    ),
)
PriorForgottenInPredict = fault(
    "PriorForgottenInPredict",
    joint=lambda self, X: PlainGNB.joint(self, X) - np.log(self.class_prior_),
)


class SampleVariance(PlainGNB):
    def variance(self, rows: Any) -> Any:
        return rows.var(axis=0, ddof=1)


class UniformPrior(PlainGNB):
    def prior(self) -> Any:
        return np.ones(len(self.counts)) / len(self.counts)


class WrongPrior(PlainGNB):
    def prior(self) -> Any:
        odds = np.arange(1.0, len(self.counts) + 1) ** 3
        return odds / odds.sum()


class FlooredDensity(PlainGNB):
    def log_density(self, X: Any, theta: Any, var: Any) -> Any:
        density = np.exp(-((X - theta) ** 2) / (2 * var)) / np.sqrt(2 * np.pi * var)
        return np.log(density + 1e-4)


class MultipliesDensities(PlainGNB):
    def densities(self, X: Any) -> Any:
        X = np.asarray(X)
        columns = []
        parts = zip(self.class_prior_, self.theta_, self.var_, strict=True)
        for prior, theta, var in parts:
            density = np.full(len(X), prior)
            for j in range(X.shape[1]):
                gap = X[:, j] - theta[j]
                density = density * (
                    np.exp(-gap * gap / (2 * var[j])) / np.sqrt(2 * np.pi * var[j])
                )
            columns.append(density)
        return np.stack(columns, axis=1)

    def predict(self, X: Any) -> Any:
        return self.classes_[self.densities(X).argmax(axis=1)]

    def predict_proba(self, X: Any) -> Any:
        densities = self.densities(X)
        return densities / densities.sum(axis=1, keepdims=True)


class SinglePrecision(PlainGNB):
    def cast(self, X: Any) -> Any:
        return X.astype(np.float32)

    def prior(self) -> Any:
        return super().prior().astype(np.float32)


class LastOfEquals(PlainGNB):
    def predict(self, X: Any) -> Any:
        joint = self.joint(X)
        return self.classes_[::-1][joint[:, ::-1].argmax(axis=1)]


class NanProbabilities(PlainGNB):
    def predict_proba(self, X: Any) -> Any:
        probabilities = super().predict_proba(X)
        probabilities[np.asarray(X).sum(axis=1) * 100 % 7 < 1] = np.nan
        return probabilities


class InventsLabel(PlainGNB):
    def predict(self, X: Any) -> Any:
        labels = super().predict(X)
        labels[np.asarray(X).sum(axis=1) * 100 % 9 < 1] = 99
        return labels


class ChangesItsInput(PlainGNB):
    def fit(self, X: Any, y: Any) -> PlainGNB:
        super().fit(X, y)
        X[:] = 0.0
        return self


class RaisesInFit(PlainGNB):
    def fit(self, X: Any, y: Any) -> PlainGNB:  # noqa: ARG002
        raise RuntimeError("no memory of this")


def both(first: type, second: type) -> type:
    """Return a class with two faults."""
    return type(first.__name__ + second.__name__, (first, second), {})


class NearestMean(UniformPrior):
    def smoothed(self, var: Any, X: Any) -> Any:  # noqa: ARG002
        return np.ones_like(var)


class MedianForMean(PlainGNB):
    def fit(self, X: Any, y: Any) -> PlainGNB:
        super().fit(X, y)
        X, y = np.asarray(X), np.asarray(y)
        self.theta_ = np.array([np.median(X[y == c], axis=0) for c in self.classes_])
        return self


class AlwaysFirst(PlainGNB):
    def joint(self, X: Any) -> Any:
        scores = np.full((len(X), len(self.classes_)), -1e3)
        scores[:, 0] = 0.0
        return scores


class OneLabel(PlainGNB):
    """Gives one label to all rows."""

    def __init__(self, label: int) -> None:
        self.label = label

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.label)


class ForgetsWhilePredicting(PlainGNB):
    def predict(self, X: Any) -> Any:
        found = super().predict(X)
        self.var_, self.theta_ = self.var_ * 30.0, self.theta_[::-1]
        return found


class LooksAtItsNeighbours(PlainGNB):
    """Gives a row predicted on its own a different label, and counts predicted rows."""

    def __init__(self, asked: list[int]) -> None:
        self.asked = asked

    def predict(self, X: Any) -> Any:
        self.asked.append(len(X))
        return super().predict(X - X.mean(axis=0) + 1.0 if len(X) == 1 else X)


class SlightlyOffProbabilities(PlainGNB):
    def predict_proba(self, X: Any) -> Any:
        shares = super().predict_proba(X) + 2e-7
        return shares / shares.sum(axis=1, keepdims=True)


class NoLabelForLostScores(PlainGNB):
    def predict(self, X: Any) -> Any:
        joint = self.joint(X)
        found = self.classes_[joint.argmax(axis=1)].astype(object)
        found[(joint < -745.13).all(axis=1)] = None
        return found


class OnlyParameters(SampleVariance):
    """Offers labels and parameters, but no probabilities."""

    predict_proba = property()


class DeviationsAsSigma(PlainGNB):
    """Sound; its standard deviations go by the name of sigma."""

    def fit(self, X: Any, y: Any) -> PlainGNB:
        super().fit(X, y)
        self.sigma_ = np.sqrt(self.__dict__.pop("var_"))
        return self

    def joint(self, X: Any) -> Any:
        self.var_ = self.sigma_**2
        scores = super().joint(X)
        del self.var_
        return scores


class LabelsOnly:
    """Offers fit and predict of a model and nothing else."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def fit(self, X: Any, y: Any) -> "LabelsOnly":
        self._model.fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        return self._model.predict(X)


class ProbabilitiesOnly(LabelsOnly):
    """Offers fit, predict and predict_proba of a model and nothing else."""

    def predict_proba(self, X: Any) -> Any:
        return self._model.predict_proba(X)


OFFERS = {
    "everything": lambda model: model,
    "probabilities": ProbabilitiesOnly,
    "labels": LabelsOnly,
}
