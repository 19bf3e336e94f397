"""The visible table of libraries that are compared by name, installed or not."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from gnbbench.errors import MissingLibraryError
from gnbbench.implementations.dask_ml import DaskMLGaussianNB
from gnbbench.implementations.implementation import Implementation
from gnbbench.implementations.mixed_naive_bayes import MixedGaussianNB
from gnbbench.implementations.mlpack import MlpackGaussianNB
from gnbbench.implementations.pomegranate import PomegranateGaussianNB
from gnbbench.implementations.river import RiverGaussianNB
from gnbbench.implementations.spark import SparkGaussianNB
from gnbbench.implementations.torch_tensors import TorchGaussianNB
from gnbbench.implementations.torchml import TorchMLGaussianNB


@dataclass(frozen=True)
class Library:
    """A library with a Gaussian naive Bayes; calling it makes an unfitted estimator."""

    name: str  # Of the implementation
    estimator: Callable[..., Any]  # Makes an unfitted estimator
    distribution: str  # What the package is called where it is installed from
    extra: str  # Extra of gnbbench that installs it
    description: str  # One line on what it is

    @property
    def version(self) -> str | None:
        """The installed version; None where the library is not installed."""
        try:
            return version(self.distribution)
        except PackageNotFoundError:
            return None

    @property
    def install_command(self) -> str:
        """What to type where it is not installed."""
        return f'pip install "gnbbench[{self.extra}]"'

    def check_installed(self) -> None:
        """Raise an error that says how to install the library, unless it is installed."""
        if self.version is None:
            raise MissingLibraryError(self.name, self.distribution, self.install_command)

    def __call__(self) -> Any:
        """Return an unfitted estimator, which imports the library when it is fitted."""
        self.check_installed()
        return self.estimator()


def check_installed(entry: Implementation) -> None:
    """Raise an error where the implementation's library is missing; nothing is imported."""
    if isinstance(entry.make, Library):
        entry.make.check_installed()


LIBRARIES = (
    Library(
        "dask-ml",
        DaskMLGaussianNB,
        "dask-ml",
        "dask-ml",
        "dask-ml's GaussianNB: lazy arrays in chunks, no smoothing",
    ),
    Library(
        "mixed-naive-bayes",
        MixedGaussianNB,
        "mixed-naive-bayes",
        "mixed-naive-bayes",
        "MixedNB without categories: densities multiplied",
    ),
    Library(
        "mlpack",
        MlpackGaussianNB,
        "mlpack",
        "mlpack",
        "mlpack's nbc, in C++: divisor n - 1, adds 1e-10 to variances",
    ),
    Library(
        "pomegranate",
        PomegranateGaussianNB,
        "pomegranate",
        "pomegranate",
        "pomegranate's BayesClassifier: float32, no smoothing",
    ),
    Library(
        "river",
        RiverGaussianNB,
        "river",
        "river",
        "river's GaussianNB: one sample at a time, floor under the density",
    ),
    Library(
        "spark",
        SparkGaussianNB,
        "pyspark",
        "spark",
        "Spark ML's NaiveBayes on local[*]: variances as E[x²] − E[x]²",
    ),
    Library(
        "torch-tensors",
        TorchGaussianNB,
        "torch",
        "torch",
        "torchml's formulas in a few lines of PyTorch",
    ),
    Library(
        "torchml",
        TorchMLGaussianNB,
        "torchml",
        "torchml",
        "torchml's GaussianNB, in PyTorch: labels alone",
    ),
)
