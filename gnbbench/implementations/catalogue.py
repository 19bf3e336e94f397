"""The class of implementations, and the catalogue of those in ``catalogue.toml``.

Neither NumPy nor a library is imported before a model is created.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from gnbbench.errors import MissingLibraryError, install_command
from gnbbench.files import toml_beside

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Implementation:
    """One competitor of a study."""

    name: str  # Unique within a study; shown in tables and figures
    # Returns an unfitted object with ``fit(X, y)`` and ``predict(X)``; if it also has
    # ``predict_proba`` or ``predict_joint_log_proba``, these are compared too
    make: Callable[[], Any]
    description: str = ""  # One line on what it is
    # What a user types to name it; empty for an object of a Python session
    specification: str = ""
    # SHA-256 of the sources, for what comes from a file: an edited file is another
    # implementation
    digest: str = ""
    foreign: bool = False  # Whether it is third-party code, which may hang or crash
    called: tuple[str, ...] = ()  # The methods or functions that are called
    # How it was adapted to be usable, a short sentence each
    adaptations: tuple[str, ...] = ()
    # How other functions in it contradict its labels, a clause each
    contradictions: tuple[str, ...] = ()
    # Tables of probabilities whose rows do not sum to 1, with a clause on each
    unnormalised: tuple[tuple[str, str], ...] = ()
    not_judged: tuple[str, ...] = ()  # What in it predicts, but is not compared
    remark: str = ""  # What it is, if no Gaussian naive Bayes
    # The only numbers of features and classes that it works with; 0 for any
    limits: tuple[int, int] = (0, 0)
    # Makes a model in this process, if `make` makes models in another
    direct: Callable[[], Any] | None = None
    # Takes the implementation and the questions of all splits; returns one that knows the
    # answers. None if asking split by split is as fast
    ahead: "Callable[..., Implementation] | None" = None
    # Turns its joint log-likelihoods, shape (n_samples, n_classes) and finite, into its
    # ``predict_proba``, bit for bit; its labels are then the first largest. None if that
    # is not known.
    posterior: "Callable[[FloatArray], FloatArray] | None" = None
    # Takes all samples, class codes and train masks of shape (n_runs, n_samples); yields
    # labels and probabilities of all samples for some runs at a time. None if runs can
    # only be fitted one by one.
    together: "Callable[..., Iterator[tuple[NDArray[Any], FloatArray]]] | None" = None


@dataclass(frozen=True)
class Library:
    """A library with a Gaussian naive Bayes; calling it makes an unfitted estimator."""

    name: str  # Of the implementation
    adapter: str  # Class of the estimator, as ``module:name``; imported when one is made
    description: str  # One line on what it is
    distribution: str  # Name of the package to install
    extra: str = ""  # Extra of gnbbench that installs it, if that has another name

    @property
    def version(self) -> str | None:
        """The installed version; None if the library is not installed."""
        try:
            return version(self.distribution)
        except PackageNotFoundError:
            return None

    @property
    def install_command(self) -> str:
        """The command that installs it."""
        return install_command(self.distribution)

    def __call__(self) -> Any:
        """Return an unfitted estimator, which imports the library when it is fitted."""
        check_installed(Implementation(self.name, self))
        return _made(self.adapter)


def missing_libraries(*entries: Implementation) -> list[Library]:
    """Return the libraries that are not installed."""
    libraries = [entry.make for entry in entries if isinstance(entry.make, Library)]
    return [library for library in libraries if library.version is None]


def check_installed(*entries: Implementation) -> None:
    """Raise one error for all missing libraries, with the command that installs them."""
    if missing := missing_libraries(*entries):
        command = install_command(*(library.distribution for library in missing))
        raise MissingLibraryError({n.name: n.distribution for n in missing}, command)


def _made(place: str, **knobs: Any) -> Any:
    """Import a class and return an estimator."""
    return resolve_name(place)(**knobs)


def core_posterior(scores: "FloatArray") -> "FloatArray":
    """Return our core's ``predict_proba`` for these scores, bit for bit."""
    import numpy as np

    from gnbbench.core.likelihood import posterior

    return posterior(np.array(scores.T, order="C")).T


def core_together(
    X: "FloatArray", y: "NDArray[Any]", train_masks: "NDArray[np.bool_]"
) -> "Iterator[tuple[NDArray[np.unsignedinteger], FloatArray]]":
    """Yield our core's labels and probabilities of all samples, some runs at a time."""
    from gnbbench.core.many_splits import many_splits

    for block in many_splits(X, y, train_masks):
        yield block.labels, block.predict_proba()


def sklearn_posterior(scores: "FloatArray") -> "FloatArray":
    """Return scikit-learn's ``predict_proba`` for these scores, bit for bit."""
    import numpy as np

    from gnbbench.core.likelihood import exact_posterior

    # In scikit-learn's memory layout, which decides the order of sums.
    return np.ascontiguousarray(exact_posterior(np.ascontiguousarray(scores.T)).T)


_PLACE = "gnbbench.implementations."
_ROWS = toml_beside(__file__, "catalogue.toml")
LIBRARIES = tuple(
    Library(name, **{"distribution": name, **row, "adapter": _PLACE + row["adapter"]})
    for name, row in _ROWS["library"].items()
)


def _textbook(name: str, description: str, **knobs: Any) -> Implementation:
    place = f"{_PLACE}textbook:TextbookGaussianNB"
    return Implementation(name, partial(_made, place, **knobs), description)


TEXTBOOK = tuple(_textbook(name, **row) for name, row in _ROWS["textbook"].items())
IMPLEMENTATIONS = (
    Implementation(
        "numpy",
        partial(_made, "gnbbench.core:GaussianNB"),
        "gnbbench's own implementation; needs only NumPy",
        posterior=core_posterior,
        together=core_together,
    ),
    Implementation(
        "sklearn",
        partial(_made, "sklearn.naive_bayes:GaussianNB"),
        "scikit-learn's sklearn.naive_bayes.GaussianNB",
        posterior=sklearn_posterior,
    ),
    *TEXTBOOK,
    *(Implementation(library.name, library, library.description) for library in LIBRARIES),
)


def by_name() -> Mapping[str, Implementation]:
    """Return the implementations of the catalogue by name."""
    return {entry.name: entry for entry in IMPLEMENTATIONS}
