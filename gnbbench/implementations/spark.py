"""Spark ML: data frames in a Java virtual machine on this computer."""

import math
import os
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.implementations.library_classifier import (
    Array,
    Codes,
    LibraryClassifier,
    as_floats,
)


class SparkGaussianNB(LibraryClassifier):
    """``pyspark.ml.classification.NaiveBayes(modelType="gaussian")`` on ``local[*]``.

    Unlike scikit-learn's it computes variances as E[x²] − E[x]², which cancel under an
    offset. Its smoothing is scikit-learn's rule. An active session of the process is used
    and left alone; else one is started, which takes seconds, and ends with the process.
    """

    _model: Any

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
    def theta_(self) -> Array:
        """Means, of shape (n_classes, n_features)."""
        theta: Array = self._model.theta.toArray()
        return theta

    @property
    def var_(self) -> Array:
        """Variances, of shape (n_classes, n_features), smoothing included."""
        var: Array = self._model.sigma.toArray()
        return var

    @property
    def class_prior_(self) -> Array:
        """Share of each class among the training samples."""
        log_priors: Array = self._model.pi.toArray()
        return np.exp(log_priors)


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
