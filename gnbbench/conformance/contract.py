"""What a check may ask of a model by scikit-learn's contract; missing parts are named."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Make = Callable[[], Any]
Array = NDArray[Any]
FloatArray = NDArray[np.float64]


class NotOffered(Exception):  # noqa: N818  no error: the check does not apply
    """The implementation has no such method, argument, parameter or attribute."""


class BrokenContract(Exception):  # noqa: N818  a finding about the model, not our error
    """The implementation gave something that cannot be its answer."""


def fitted(make: Make, X: ArrayLike, y: ArrayLike, **arguments: Any) -> Any:
    """Return a fresh model fitted to the samples."""
    model = make()
    for name in arguments:
        require_argument(model, "fit", name)
    model.fit(X, y, **arguments)
    return model


def learned_in_batches(
    make: Make, batches: list[tuple[Array, Array]], classes: ArrayLike, **arguments: Any
) -> Any:
    """Return a fresh model that was given one batch after the other."""
    model = make()
    require(model, "partial_fit")
    for name in arguments:
        require_argument(model, "partial_fit", name)
    first = {"classes": classes} if has_argument(model, "partial_fit", "classes") else {}
    for number, (X, y) in enumerate(batches):
        given = {name: values[number] for name, values in arguments.items()}
        model.partial_fit(X, y, **(first if number == 0 else {}), **given)
    return model


def configured(make: Make, **parameters: Any) -> Any:
    """Return a fresh model with constructor parameters set as scikit-learn names them."""
    model = make()
    by_name = hasattr(model, "get_params") and hasattr(model, "set_params")
    known = model.get_params() if by_name else vars(model)
    for name in parameters:
        if name not in known:
            raise NotOffered(f"it has no parameter {name}")
    if by_name:
        model.set_params(**parameters)
    else:
        for name, value in parameters.items():
            setattr(model, name, value)
    return model


def require_batches(make: Make) -> None:
    """Raise NotOffered unless models take batches, with their classes announced."""
    model = make()
    require(model, "partial_fit")
    require_argument(model, "partial_fit", "classes")


def require(model: Any, *names: str) -> None:
    """Raise NotOffered unless the model has each attribute or method."""
    for name in names:
        if not hasattr(model, name):
            raise NotOffered(f"it has no {name}")


def require_argument(model: Any, method: str, name: str) -> None:
    """Raise NotOffered unless a method takes an argument of that name."""
    if not has_argument(model, method, name):
        raise NotOffered(f"{method} takes no {name}")


def has_argument(model: Any, method: str, name: str) -> bool:
    """Return whether a method takes an argument of that name."""
    try:
        return name in inspect.signature(getattr(model, method)).parameters
    except (TypeError, ValueError):
        return False


def labels_of(model: Any, X: ArrayLike) -> Array:
    """Return the predicted labels."""
    labels = np.asarray(model.predict(X))
    if labels.shape != (np.shape(X)[0],):
        raise BrokenContract(f"predict gave shape {labels.shape} for {np.shape(X)[0]} rows")
    return labels


def parameters_of(model: Any, y: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the learned means and variances in float64, classes in sorted order."""
    require(model, "theta_")
    spread = "sigma_" if hasattr(model, "sigma_") and not hasattr(model, "var_") else "var_"
    require(model, spread)
    order = class_order(model, y)
    theta, var = (
        np.asarray(getattr(model, name), dtype=np.float64)[order]
        for name in ("theta_", spread)
    )
    return theta, var


def class_order(model: Any, y: ArrayLike) -> NDArray[np.intp]:
    """Return where the model keeps each class, in sorted order of the labels."""
    expected = np.unique(y)
    given = np.asarray(getattr(model, "classes_", expected))
    order = np.argsort(given)
    if not np.array_equal(given[order], expected):
        raise BrokenContract(f"classes_ is {given!r} for labels {expected!r}")
    return order


def table_of(model: Any, method: str, X: ArrayLike, y: ArrayLike) -> FloatArray:
    """Return what a method like ``predict_proba`` gives, columns in order of the labels."""
    require(model, method)
    order = class_order(model, y)
    try:
        table = np.asarray(getattr(model, method)(X), dtype=np.float64)
    except NotImplementedError as error:
        raise NotOffered(f"its {method} is not implemented") from error
    if table.shape != (np.shape(X)[0], len(order)):
        raise BrokenContract(
            f"{method} gave shape {table.shape} for {np.shape(X)[0]} rows and "
            f"{len(order)} classes"
        )
    return table[:, order]
