"""What is compared: a name and a way to make a fresh, unfitted estimator."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Implementation:
    """One competitor of a study.

    Parameters
    ----------
    name : str
        Unique within a study; shown in tables and figures.
    make : callable
        Returns an unfitted object with ``fit(X, y)`` and ``predict(X)``; if it also has
        ``predict_proba`` or ``predict_joint_log_proba``, these are compared too.
    description : str, default=""
        One line on what it is.
    specification : str, default=""
        What a user types to have it again; empty for an object of a Python session.
    digest : str, default=""
        SHA-256 of the sources, for what comes from a file: an edited file is another
        implementation.
    foreign : bool, default=False
        Whether it is code of others, which may hang or crash.
    direct : callable or None, default=None
        Makes a model in this very process, where `make` keeps its models in another.
    posterior : callable or None, default=None
        Turns its joint log-likelihoods, shape (n_samples, n_classes) and finite, into its
        ``predict_proba``, bit for bit; its labels are then the first largest. None where
        that is not known.
    together : callable or None, default=None
        Takes all samples, class codes and train masks of shape (n_runs, n_samples);
        yields labels and probabilities of all samples for some runs at a time (see
        `gnbbench.implementations.together`). None where runs can only be fitted one by one.
    """

    name: str
    make: Callable[[], Any]
    description: str = ""
    specification: str = ""
    digest: str = ""
    foreign: bool = False
    direct: Callable[[], Any] | None = None
    posterior: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None
    together: Callable[..., Iterator[tuple[NDArray[Any], NDArray[np.float64]]]] | None = (
        None
    )
