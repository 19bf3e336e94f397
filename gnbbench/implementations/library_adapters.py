"""Libraries behind scikit-learn's contract: labels become codes 0, 1, … and come back."""

import math
import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.core.classifier import Classifier

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


class LibraryClassifier(Classifier, ABC):
    """scikit-learn's contract around a library that wants classes numbered from 0.

    Nothing of the library's numbers, defaults or checks is changed; what it cannot do, it
    cannot do here. `predict_proba` and the like exist only in adapters of libraries that
    give them. Samples that are not floating point become float64.
    """

    # Names of means, variances and class shares in the library's own model
    parameter_names: tuple[str, str, str]
    # (n_classes,): The distinct labels, sorted; a code is a position among them
    classes_: NDArray[Any]
    _model: Any  # The library's own, once fitted

    def __init__(self) -> None:
        super().__init__()

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Return the estimator, with the library's model of the samples learned."""
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self._fit_codes(as_floats(X), codes)
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the label that the library gives to each sample."""
        labels: NDArray[Any] = self.classes_[self._predict_codes(as_floats(X))]
        return labels

    @property
    def theta_(self) -> NDArray[Any]:
        """Means, of shape (n_classes, n_features)."""
        return self._parameter(self.parameter_names[0])

    @property
    def var_(self) -> NDArray[Any]:
        """Variances, of shape (n_classes, n_features), as the library uses them."""
        return self._parameter(self.parameter_names[1])

    @property
    def class_prior_(self) -> NDArray[Any]:
        """Share of each class among the training samples."""
        return self._parameter(self.parameter_names[2])

    def _parameter(self, name: str) -> NDArray[Any]:
        return np.asarray(getattr(self._model, name))

    @abstractmethod
    def _fit_codes(self, X: NDArray[Any], codes: Codes) -> None:
        """Make and fit the library's own model."""

    @abstractmethod
    def _predict_codes(self, X: NDArray[Any]) -> Codes:
        """Return the code of the library's label for each row."""


def as_floats(X: ArrayLike) -> NDArray[Any]:
    """samples in the floating point precision they have, float64 if they have none."""
    samples = np.asarray(X)
    return samples if samples.dtype.kind == "f" else samples.astype(np.float64)


class DaskMLGaussianNB(LibraryClassifier):
    """``dask_ml.naive_bayes.GaussianNB`` on Dask arrays in Dask's own chunks.

    Unlike scikit-learn's it has no smoothing: a feature that is constant within a class
    divides by zero. It declares as many priors as there are features, so that more classes
    than features end in an IndexError.

    Its fit only plans, and its predictions would learn again each time; the parameters are
    computed here at the end of `fit`, which changes where time is spent and no number.
    """

    parameter_names = ("theta_", "sigma_", "class_prior_")

    def _fit_codes(self, X: NDArray[Any], codes: Codes) -> None:
        import dask
        import dask.array as da
        from dask_ml.naive_bayes import GaussianNB

        model = GaussianNB().fit(da.from_array(X), da.from_array(codes))
        model.theta_, model.sigma_, model.class_count_, model.class_prior_ = dask.persist(
            model.theta_, model.sigma_, model.class_count_, model.class_prior_
        )
        self._model = model

    def fit_arrays(self, X: Any, codes: Any, classes: NDArray[Any]) -> Self:
        """Return the estimator, learned from Dask arrays where they lie."""
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

    def _predict_codes(self, X: NDArray[Any]) -> Codes:
        import dask.array as da

        codes: Codes = self._model.predict(da.from_array(X)).compute()
        return codes

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the posterior probability of each class."""
        import dask.array as da

        shares: Array = self._model.predict_proba(da.from_array(as_floats(X))).compute()
        return shares


class MixedGaussianNB(LibraryClassifier):
    """``mixed_naive_bayes.MixedNB`` without categorical features.

    Unlike scikit-learn's it multiplies densities: with many features, or far from all
    classes, every product is 0, the posterior 0/0 and the label that of the first class.
    Its smoothing is 1e-9 of the largest feature variance with divisor n - 1. It refuses a
    single class, and ends in an AxisError for a single sample to predict.
    """

    parameter_names = ("theta", "sigma", "priors")

    def _fit_codes(self, X: NDArray[Any], codes: Codes) -> None:
        from mixed_naive_bayes import MixedNB

        self._model = MixedNB().fit(X, codes)

    def _predict_codes(self, X: NDArray[Any]) -> Codes:
        codes: Codes = self._model.predict(X)
        return codes

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the posterior probability of each class."""
        shares: Array = self._model.predict_proba(as_floats(X))
        return shares

    @property
    def var_(self) -> Array:
        """Variances as the densities use them: smoothing included."""
        return np.asarray(self._model.sigma + self._model.epsilon)


class MlpackGaussianNB(LibraryClassifier):
    """``mlpack.nbc`` with its two-pass variances.

    Unlike scikit-learn's it divides variances by n - 1 (by 1 where a class has one sample)
    and adds 1e-10 to each, whatever the scale of the data. Of equal classes it predicts the
    one seen first.
    """

    parameter_names = ("means", "variances", "probabilities")

    def _fit_codes(self, X: NDArray[Any], codes: Codes) -> None:
        from mlpack import nbc

        self._model = nbc(training=X, labels=codes)["output_model"]
        first_rows = np.unique(codes, return_index=True)[1]
        self._columns = first_rows.argsort().argsort()

    def _predict_codes(self, X: NDArray[Any]) -> Codes:
        codes: Codes = self._scored(X)["predictions"]
        return codes

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the posterior probability of each class."""
        shares: Array = self._scored(as_floats(X))["probabilities"]
        return shares[:, self._columns]

    @property
    def class_prior_(self) -> Array:
        """Share of each class among the training samples."""
        return self._parameter("probabilities").ravel()

    def _scored(self, X: NDArray[Any]) -> dict[str, Any]:
        from mlpack import nbc

        scored: dict[str, Any] = nbc(input_model=self._model, test=X)
        return scored

    def _parameter(self, name: str) -> Array:
        """Return a parameter, one row a class, whose order is that of first appearance."""
        values = self._model.get_cpp_params()["NBCModel"]["nbc"][name]
        rows: Array = values.reshape(len(self.classes_), -1)[self._columns]
        return rows


class RiverGaussianNB(LibraryClassifier):
    """``river.naive_bayes.GaussianNB``, by ``learn_one`` and ``predict_one``.

    Unlike scikit-learn's it has no smoothing, and sums log(density + 1e-9) over features,
    taking the density of a feature without variance for 0. Far from all classes only the
    priors count, and of equal classes the one seen first is predicted. Variances are
    updated with every sample, by Welford's rule.
    """

    def _fit_codes(self, X: NDArray[Any], codes: Codes) -> None:
        from river.naive_bayes import GaussianNB

        self._model = GaussianNB()
        self._n_features = X.shape[1]
        for sample, code in zip(_samples(X), codes.tolist(), strict=True):
            self._model.learn_one(sample, code)

    def _predict_codes(self, X: NDArray[Any]) -> Codes:
        best = [self._model.predict_one(sample) for sample in _samples(X)]
        return np.array(best, dtype=np.intp)

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the posterior probability of each class."""
        return self._table(map(self._model.predict_proba_one, _samples(as_floats(X))))

    def predict_joint_log_proba(self, X: ArrayLike) -> Array:
        """Return ``log P(c)`` plus the sum of ``log(p(x_j | c) + 1e-9)``."""
        return self._table(map(self._model.joint_log_likelihood, _samples(as_floats(X))))

    @property
    def theta_(self) -> Array:
        """Means, of shape (n_classes, n_features)."""
        return np.array([[gaussian.mu for gaussian in row] for row in self._gaussians])

    @property
    def var_(self) -> Array:
        """Variances, of shape (n_classes, n_features)."""
        return np.array(
            [[gaussian.sigma**2 for gaussian in row] for row in self._gaussians]
        )

    @property
    def class_prior_(self) -> Array:
        """Share of each class among the training samples."""
        return np.array([self._model.p_class(code) for code in range(len(self.classes_))])

    @property
    def _gaussians(self) -> list[list[Any]]:
        of_class = self._model.gaussians
        return [
            [of_class[code][feature] for feature in range(self._n_features)]
            for code in range(len(self.classes_))
        ]

    def _table(self, scores: Iterable[Mapping[int, float]]) -> Array:
        """Return scores by code, whose order is that of first appearance, as columns."""
        n_classes = len(self.classes_)
        rows = [[score[code] for code in range(n_classes)] for score in scores]
        return np.array(rows, dtype=np.float64).reshape(-1, n_classes)


def _samples(X: NDArray[Any]) -> Iterator[dict[int, float]]:
    """Yield each row as river takes it: a value by the number of its column."""
    return (dict(enumerate(row)) for row in X.tolist())


class SparkGaussianNB(LibraryClassifier):
    """``pyspark.ml.classification.NaiveBayes(modelType="gaussian")`` on ``local[*]``.

    Unlike scikit-learn's it computes variances as E[x²] − E[x]², which cancel under an
    offset. Its smoothing is scikit-learn's rule. An active session of the process is used
    and left alone; else one is started, which takes seconds, and ends with the process.
    """

    parameter_names = ("theta", "sigma", "pi")

    def _fit_codes(self, X: NDArray[Any], codes: Codes) -> None:
        from pyspark.ml.classification import NaiveBayes

        frame = _frame(X, codes)  # first: without a session there is no estimator
        self._model = NaiveBayes(modelType="gaussian").fit(frame)

    def _predict_codes(self, X: NDArray[Any]) -> Codes:
        rows = self._model.transform(_frame(X)).select("prediction").collect()
        return np.array([row.prediction for row in rows]).astype(np.intp)

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the posterior probability of each class."""
        rows = self._model.transform(_frame(as_floats(X))).select("probability").collect()
        shares: Array = np.array([row.probability.toArray() for row in rows])
        return shares

    def predict_joint_log_proba(self, X: ArrayLike) -> Array:
        """Return ``log P(c) + log p(x | c)``: Spark's raw prediction less its constant.

        Spark leaves out the term ``-n_features / 2 * log(2 pi)``, the same for all classes.
        """
        frame = self._model.transform(_frame(as_floats(X)))
        rows = frame.select("rawPrediction").collect()
        raw: Array = np.array([row.rawPrediction.toArray() for row in rows])
        n_features: int = self._model.numFeatures
        return raw - 0.5 * n_features * math.log(2.0 * math.pi)

    @property
    def class_prior_(self) -> Array:
        """Share of each class among the training samples."""
        return np.exp(self._parameter("pi"))

    def _parameter(self, name: str) -> Array:
        values: Array = getattr(self._model, name).toArray()
        return values


def _frame(X: NDArray[Any], codes: Codes | None = None) -> Any:
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
    """Start Spark on all cores of this computer; what its Java process logs is dropped."""
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
