"""Libraries behind scikit-learn's contract: labels become codes 0, 1, … and come back."""

import math
import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from gnbbench.arrays import Array, CodeArray
from gnbbench.core.classifier import Classifier

Parameters = tuple[Any, Any, Any]  # Means, variances and class shares


def _parameter(place: int, text: str) -> property:
    """Return an attribute for one of the parameters that a library's model learned."""
    return property(lambda model: np.asarray(model._parameters()[place]), doc=text)


class LibraryClassifier(Classifier, ABC):
    """scikit-learn's contract around a library that wants classes numbered from 0.

    The library's numbers, defaults, checks and limits are unchanged. Only adapters of
    libraries with probabilities have `predict_proba` and the like, by `_shares` and
    `_joint`. Samples that are not floating point become float64.
    """

    # (n_classes,): The distinct labels, sorted; a code is a position among them
    classes_: Array
    _model: Any  # The library's own, once fitted
    _shares: Callable[[Array], Any]  # Posterior probabilities of the rows of samples
    _joint: Callable[[Array], Any]  # Their joint log-likelihoods

    def __init__(self) -> None:
        super().__init__()

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit the library's model."""
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self._fit_codes(as_floats(X), codes)
        return self

    def predict(self, X: ArrayLike) -> Array:
        """Return the label that the library gives to each sample."""
        return np.asarray(self.classes_[self._predict_codes(as_floats(X))])

    @property
    def predict_proba(self) -> Callable[[ArrayLike], Array]:
        """Gives the posterior probability of each class."""
        shares = self._shares
        return lambda X: np.asarray(shares(as_floats(X)))

    @property
    def predict_joint_log_proba(self) -> Callable[[ArrayLike], Array]:
        """Gives ``log P(c) + log p(x | c)``."""
        joint = self._joint
        return lambda X: np.asarray(joint(as_floats(X)))

    theta_ = _parameter(0, "Means, of shape (n_classes, n_features).")
    var_ = _parameter(1, "Variances of that shape, as the library uses them.")
    class_prior_ = _parameter(2, "Share of each class among the training samples.")

    @abstractmethod
    def _fit_codes(self, X: Array, codes: CodeArray) -> None:
        """Make and fit the library's own model."""

    def _predict_codes(self, X: Array) -> Any:
        """Return the code of the library's label for each row."""
        return self._model.predict(X)

    @abstractmethod
    def _parameters(self) -> Parameters:
        """Return what the library's model learned."""


def as_floats(X: ArrayLike) -> Array:
    """Return samples in their floating-point precision, float64 if they have none."""
    samples = np.asarray(X)
    return samples if samples.dtype.kind == "f" else samples.astype(np.float64)


class DaskMLGaussianNB(LibraryClassifier):
    """``dask_ml.naive_bayes.GaussianNB`` on Dask arrays in Dask's own chunks.

    Unlike scikit-learn's it has no smoothing: a feature that is constant within a class
    divides by zero. It declares as many priors as there are features, so that more classes
    than features end in an IndexError.

    Its fit is lazy, and its predictions would learn again each time; here the parameters
    are computed at the end of `fit`, which changes where time is spent, but no number.
    Both are computed here, whatever cluster Dask is connected to.
    """

    def _fit_codes(self, X: Array, codes: CodeArray) -> None:
        import dask
        import dask.array as da
        from dask_ml.naive_bayes import GaussianNB

        with dask.config.set(scheduler="threads"):
            model = GaussianNB().fit(da.from_array(X), da.from_array(codes))
            learned = model.theta_, model.sigma_, model.class_count_, model.class_prior_
            model.theta_, model.sigma_, model.class_count_, model.class_prior_ = (
                dask.persist(*learned)
            )
        self._model = model

    def fit_arrays(self, X: Any, codes: Any, classes: Array) -> Self:
        """Fit to Dask arrays without moving them."""
        import dask
        import dask.array as da
        from dask_ml.naive_bayes import GaussianNB

        model = GaussianNB(classes=np.arange(len(classes))).fit(X, codes)
        learned = ("theta_", "sigma_", "class_count_", "class_prior_")
        values = dask.compute(*(getattr(model, name) for name in learned))
        for name, value in zip(learned, values, strict=True):
            setattr(model, name, da.from_array(value))
        self.classes_, self._model = classes, model
        return self

    def _predict_codes(self, X: Array) -> Any:
        import dask.array as da

        return self._model.predict(da.from_array(X)).compute(scheduler="threads")

    def _shares(self, X: Array) -> Any:
        import dask.array as da

        shares = self._model.predict_proba(da.from_array(X))
        return shares.compute(scheduler="threads")

    def _parameters(self) -> Parameters:
        import dask

        held = self._model.theta_, self._model.sigma_, self._model.class_prior_
        theta, sigma, prior = dask.compute(*held, scheduler="threads")
        return theta, sigma, prior


class MixedGaussianNB(LibraryClassifier):
    """``mixed_naive_bayes.MixedNB`` without categorical features.

    Unlike scikit-learn's it multiplies densities: with many features, or far from all
    classes, every product is 0, the posterior 0/0 and the label that of the first class.
    Its smoothing is 1e-9 of the largest feature variance with divisor n - 1. It refuses a
    single class, and ends in an AxisError for a single sample to predict.
    """

    def _fit_codes(self, X: Array, codes: CodeArray) -> None:
        from mixed_naive_bayes import MixedNB

        self._model = MixedNB().fit(X, codes)

    def _shares(self, X: Array) -> Any:
        return self._model.predict_proba(X)

    def _parameters(self) -> Parameters:
        model = self._model
        return model.theta, model.sigma + model.epsilon, model.priors


class MlpackGaussianNB(LibraryClassifier):
    """``mlpack.nbc`` with its two-pass variances.

    Unlike scikit-learn's it divides variances by n - 1 (by 1 where a class has one sample)
    and adds 1e-10 to each, whatever the scale of the data. Among equal classes it predicts
    the one seen first.
    """

    def _fit_codes(self, X: Array, codes: CodeArray) -> None:
        from mlpack import nbc

        self._model = nbc(training=X, labels=codes)["output_model"]
        # Its parameters and scores have the classes in order of their first appearance.
        first_rows = np.unique(codes, return_index=True)[1]
        self._columns = first_rows.argsort().argsort()

    def _predict_codes(self, X: Array) -> Any:
        return self._scored(X)["predictions"]

    def _shares(self, X: Array) -> Any:
        return self._scored(X)["probabilities"][:, self._columns]

    def _scored(self, X: Array) -> Any:
        from mlpack import nbc

        return nbc(input_model=self._model, test=X)

    def _parameters(self) -> Parameters:
        values = self._model.get_cpp_params()["NBCModel"]["nbc"]
        means, variances, shares = (
            values[name].reshape(len(self.classes_), -1)[self._columns]
            for name in ("means", "variances", "probabilities")
        )
        return means, variances, shares.ravel()


class RiverGaussianNB(LibraryClassifier):
    """``river.naive_bayes.GaussianNB``, by ``learn_one`` and ``predict_one``.

    Unlike scikit-learn's it has no smoothing, and sums log(density + 1e-9) over features,
    with a density of 0 for a feature without variance. Far from all classes only the priors
    count, and among equal classes the one seen first is predicted. Variances are updated
    with every sample, by Welford's rule.
    """

    def _fit_codes(self, X: Array, codes: CodeArray) -> None:
        from river.naive_bayes import GaussianNB

        self._model = GaussianNB()
        self._n_features = X.shape[1]
        for sample, code in zip(_samples(X), codes.tolist(), strict=True):
            self._model.learn_one(sample, code)

    def _predict_codes(self, X: Array) -> Any:
        best = [self._model.predict_one(sample) for sample in _samples(X)]
        return np.array(best, dtype=np.intp)

    def _shares(self, X: Array) -> Any:
        return self._table(map(self._model.predict_proba_one, _samples(X)))

    def _joint(self, X: Array) -> Any:
        return self._table(map(self._model.joint_log_likelihood, _samples(X)))

    def _parameters(self) -> Parameters:
        model, codes = self._model, range(len(self.classes_))
        rows = [
            [model.gaussians[code][place] for place in range(self._n_features)]
            for code in codes
        ]
        means = [[gaussian.mu for gaussian in row] for row in rows]
        variances = [[gaussian.sigma**2 for gaussian in row] for row in rows]
        return means, variances, [model.p_class(code) for code in codes]

    def _table(self, scores: Iterable[Mapping[int, float]]) -> Array:
        """Return scores by code, whose order is that of first appearance, as columns."""
        n_classes = len(self.classes_)
        rows = [[score[code] for code in range(n_classes)] for score in scores]
        return np.array(rows, dtype=np.float64).reshape(-1, n_classes)


def _samples(X: Array) -> Iterator[dict[int, float]]:
    """Yield each row in river's format: values by the number of their column."""
    return (dict(enumerate(row)) for row in X.tolist())


class SparkGaussianNB(LibraryClassifier):
    """``pyspark.ml.classification.NaiveBayes(modelType="gaussian")`` on ``local[*]``.

    Unlike scikit-learn's it computes variances as E[x²] − E[x]², which cancel under an
    offset. Its smoothing is scikit-learn's rule. An active session of the process is used
    and left alone; else one is started, which takes seconds, and ends with the process.
    """

    def _fit_codes(self, X: Array, codes: CodeArray) -> None:
        from pyspark.ml.classification import NaiveBayes

        frame = _frame(X, codes)  # first: without a session there is no estimator
        self._model = NaiveBayes(modelType="gaussian").fit(frame)

    def _predict_codes(self, X: Array) -> Any:
        return np.array(self._column("prediction", X)).astype(np.intp)

    def _shares(self, X: Array) -> Any:
        return np.array([values.toArray() for values in self._column("probability", X)])

    def _joint(self, X: Array) -> Any:
        raw = np.array([values.toArray() for values in self._column("rawPrediction", X)])
        # Spark leaves out this term, the same for all classes.
        return raw - 0.5 * self._model.numFeatures * math.log(2.0 * math.pi)

    def _column(self, name: str, X: Array) -> list[Any]:
        rows = self._model.transform(_frame(X)).select(name).collect()
        return [row[name] for row in rows]

    def _parameters(self) -> Parameters:
        model = self._model
        return model.theta.toArray(), model.sigma.toArray(), np.exp(model.pi.toArray())


def _frame(X: Array, codes: CodeArray | None = None) -> Any:
    """Return the samples as a data frame of the process's session, in their order."""
    from pyspark.ml.linalg import Vectors
    from pyspark.sql import SparkSession

    labels = [0.0] * len(X) if codes is None else codes.astype(float).tolist()
    vectors = map(Vectors.dense, X.tolist())
    session = SparkSession.getActiveSession() or _own_session()
    return session.createDataFrame(
        list(zip(labels, vectors, strict=True)), ["label", "features"]
    )


@cache
def _own_session() -> Any:
    """Start Spark on all cores of this computer; discard the log of its Java process."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        raise RuntimeError("Spark needs Java 17 or newer: no java on PATH, no JAVA_HOME")
    settings = {
        "spark.app.name": "gnbbench",
        "spark.master": "local[*]",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    conf = SparkConf().setAll(list(settings.items()))
    with Path(os.devnull).open("wb") as nothing:
        gateway = launch_gateway(conf, popen_kwargs={"stderr": nothing})
    return SparkSession(SparkContext(conf=conf, gateway=gateway))


class PomegranateGaussianNB(LibraryClassifier):
    """``pomegranate.bayes_classifier.BayesClassifier`` of ``Normal`` distributions.

    Unlike scikit-learn's it computes in float32, takes variances as E[x²] − E[x]², which
    cancel under an offset (a negative one is a ValueError), and has no smoothing.
    """

    def _fit_codes(self, X: Array, codes: CodeArray) -> None:
        from pomegranate.bayes_classifier import BayesClassifier
        from pomegranate.distributions import Normal

        normals = [Normal(covariance_type="diag") for _ in self.classes_]
        self._model = BayesClassifier(normals).fit(X, codes)

    def _predict_codes(self, X: Array) -> Any:
        return self._model.predict(X).numpy()

    def _shares(self, X: Array) -> Any:
        return self._model.predict_proba(X).numpy()

    def _joint(self, X: Array) -> Any:
        normals = self._model.distributions
        densities = [normal.log_probability(X).numpy() for normal in normals]
        return np.stack(densities, axis=1) + self._model.priors.log().numpy()

    def _parameters(self) -> Parameters:
        normals = self._model.distributions
        means = [normal.means.numpy() for normal in normals]
        return means, [normal.covs.numpy() for normal in normals], self._model.priors


class TorchGaussianNB(LibraryClassifier):
    """Means, variances and scores computed by PyTorch's functions.

    For users of PyTorch without torchml and its requirements. Everything stays in the
    samples' own precision.
    """

    def __init__(self, *, var_smoothing: float = 1e-9) -> None:
        self.var_smoothing = var_smoothing

    def _fit_codes(self, X: Array, codes: CodeArray) -> None:
        import torch

        samples, labels = torch.tensor(X), torch.tensor(codes)
        of_each_class = [samples[labels == code] for code in range(len(self.classes_))]
        counts = samples.new_tensor([len(rows) for rows in of_each_class])
        epsilon = self.var_smoothing * torch.var(samples, dim=0, unbiased=False).max()
        variances = [torch.var(rows, dim=0, unbiased=False) for rows in of_each_class]
        means = torch.stack([torch.mean(rows, dim=0) for rows in of_each_class])
        self._model = means, torch.stack(variances) + epsilon, counts / counts.sum()

    def _predict_codes(self, X: Array) -> Any:
        return self._joint(X).argmax(axis=1)

    def _shares(self, X: Array) -> Any:
        import torch

        return torch.tensor(self._joint(X)).softmax(dim=1).numpy()

    def _joint(self, X: Array) -> Any:
        import torch

        samples = torch.tensor(X)
        scores = [
            torch.log(prior)
            - 0.5 * torch.log(2.0 * math.pi * var).sum()
            - 0.5 * ((samples - theta) ** 2 / var).sum(dim=1)
            for theta, var, prior in zip(*self._model, strict=True)
        ]
        return torch.stack(scores, dim=1).numpy()

    def _parameters(self) -> Parameters:
        means, variances, shares = self._model
        return means, variances, shares


class TorchMLGaussianNB(LibraryClassifier):
    """``torchml.naive_bayes.GaussianNB`` on tensors of the samples' own precision.

    Formulas and smoothing are scikit-learn's, moments in the precision of the samples and
    scores in float64. It offers only labels.
    """

    def _fit_codes(self, X: Array, codes: CodeArray) -> None:
        import torch
        from torchml.naive_bayes import GaussianNB

        self._model = GaussianNB()
        self._model.fit(torch.tensor(X), torch.tensor(codes))

    def _predict_codes(self, X: Array) -> Any:
        import torch

        return self._model.predict(torch.tensor(X)).numpy()

    def _parameters(self) -> Parameters:
        return self._model.theta, self._model.var, self._model.class_prior
