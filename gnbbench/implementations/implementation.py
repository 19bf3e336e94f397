"""What is compared: a name and a way to make a fresh, unfitted estimator."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


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
    """

    name: str
    make: Callable[[], Any]
    description: str = ""
