"""The visible table of libraries that are compared by name, installed or not."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from gnbbench.errors import MissingLibraryError
from gnbbench.implementations.declaration import Implementation


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


@dataclass(frozen=True)
class _Adapter:
    """An estimator of ours around a library's, imported when one is made."""

    module: str
    name: str

    def __call__(self) -> Any:
        module = import_module(f"gnbbench.implementations.{self.module}")
        return getattr(module, self.name)()


LIBRARIES = (
    Library(
        "dask-ml",
        _Adapter("library_adapters", "DaskMLGaussianNB"),
        "dask-ml",
        "dask-ml",
        "dask-ml's GaussianNB: lazy arrays in chunks, no smoothing",
    ),
    Library(
        "mixed-naive-bayes",
        _Adapter("library_adapters", "MixedGaussianNB"),
        "mixed-naive-bayes",
        "mixed-naive-bayes",
        "MixedNB without categories: densities multiplied",
    ),
    Library(
        "mlpack",
        _Adapter("library_adapters", "MlpackGaussianNB"),
        "mlpack",
        "mlpack",
        "mlpack's nbc, in C++: divisor n - 1, adds 1e-10 to variances",
    ),
    Library(
        "pomegranate",
        _Adapter("torch_adapters", "PomegranateGaussianNB"),
        "pomegranate",
        "pomegranate",
        "pomegranate's BayesClassifier: float32, no smoothing",
    ),
    Library(
        "river",
        _Adapter("library_adapters", "RiverGaussianNB"),
        "river",
        "river",
        "river's GaussianNB: one sample at a time, floor under the density",
    ),
    Library(
        "spark",
        _Adapter("library_adapters", "SparkGaussianNB"),
        "pyspark",
        "spark",
        "Spark ML's NaiveBayes on local[*]: variances as E[x²] − E[x]²",
    ),
    Library(
        "torch-tensors",
        _Adapter("torch_adapters", "TorchGaussianNB"),
        "torch",
        "torch",
        "torchml's formulas in a few lines of PyTorch",
    ),
    Library(
        "torchml",
        _Adapter("torch_adapters", "TorchMLGaussianNB"),
        "torchml",
        "torchml",
        "torchml's GaussianNB, in PyTorch: labels alone",
    ),
)
