"""Names of the columns of a data frame, remembered and compared as scikit-learn does."""

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

SHOWN = 5


def feature_names_of(X: Any) -> NDArray[np.object_] | None:
    """Return the column names of `X`, None where it has none or they are no strings."""
    if type(X) is np.ndarray or not hasattr(X, "columns"):
        return None
    names = np.asarray(list(X.columns), dtype=object)
    kinds = sorted({type(name).__qualname__ for name in names})
    if kinds == ["str"]:
        return names
    if "str" in kinds:
        raise TypeError(
            "Feature names are only supported if all input features have string names, but "
            f"your input has {kinds} as feature name / column name types. Convert all of "
            "them to strings, for example by X.columns = X.columns.astype(str), or none."
        )
    return None


def check_feature_names(
    given: NDArray[np.object_] | None, fitted: NDArray[np.object_] | None, estimator: str
) -> None:
    """Warn where only one side has names; raise where they differ."""
    if given is None and fitted is None:
        return
    if fitted is None:
        message = f"X has feature names, but {estimator} was fitted without feature names"
        warnings.warn(message, UserWarning, stacklevel=5)
    elif given is None:
        message = (
            "X does not have valid feature names, but "
            f"{estimator} was fitted with feature names"
        )
        warnings.warn(message, UserWarning, stacklevel=5)
    elif given.tolist() != fitted.tolist():
        raise ValueError(_mismatch(set(given), set(fitted)))


def _mismatch(given: set[str], fitted: set[str]) -> str:
    message = "The feature names should match those that were passed during fit.\n"
    if given - fitted:
        message += "Feature names unseen at fit time:\n" + _listed(given - fitted)
    if fitted - given:
        message += "Feature names seen at fit time, yet now missing:\n" + _listed(
            fitted - given
        )
    if given == fitted:
        message += "Feature names must be in the same order as they were in fit.\n"
    return message


def _listed(names: Iterable[str]) -> str:
    lines = [f"- {name}\n" for name in sorted(names)]
    return "".join(lines[:SHOWN] + ["- ...\n"] * (len(lines) > SHOWN))
