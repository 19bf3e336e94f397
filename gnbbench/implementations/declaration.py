"""What is compared: a name and a way to make a fresh, unfitted estimator."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # so that names are told right or wrong before NumPy is loaded
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Implementation:
    """One competitor of a study."""

    name: str  # Unique within a study; shown in tables and figures
    # Returns an unfitted object with ``fit(X, y)`` and ``predict(X)``; if it also has
    # ``predict_proba`` or ``predict_joint_log_proba``, these are compared too
    make: Callable[[], Any]
    description: str = ""  # One line on what it is
    # What a user types to have it again; empty for an object of a Python session
    specification: str = ""
    # SHA-256 of the sources, for what comes from a file: an edited file is another
    # implementation
    digest: str = ""
    foreign: bool = False  # Whether it is code of others, which may hang or crash
    # Makes a model in this very process, where `make` keeps its models in another
    direct: Callable[[], Any] | None = None
    # Turns its joint log-likelihoods, shape (n_samples, n_classes) and finite, into its
    # ``predict_proba``, bit for bit; its labels are then the first largest. None where that
    # is not known.
    posterior: "Callable[[NDArray[np.float64]], NDArray[np.float64]] | None" = None
    # Takes all samples, class codes and train masks of shape (n_runs, n_samples); yields
    # labels and probabilities of all samples for some runs at a time. None where runs can
    # only be fitted one by one.
    together: "Callable[..., Iterator[tuple[NDArray[Any], NDArray[np.float64]]]] | None" = (
        None
    )
