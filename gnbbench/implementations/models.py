"""The models that a worker process keeps: made, called, read and let go of by number."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gnbbench.implementations.adapting import ATTRIBUTES, fitted_model
from gnbbench.implementations.conventions import Convention
from gnbbench.implementations.lookup import forget, named_code
from gnbbench.implementations.probing import found_convention
from gnbbench.processes.messages import packed

# What a model may offer; nothing else passes between a study and a worker process.
METHODS = (
    "fit",
    "partial_fit",
    "predict",
    "predict_proba",
    "predict_log_proba",
    "predict_joint_log_proba",
)
# Those of this process: one implementation, and its models by number.
_makers: list[Callable[[], Any]] = []
_models: dict[int, Any] = {}


def describe(text: str) -> dict[str, Any]:
    """Return the fields of the code that a text stands for, but what makes it."""
    found = named_code(text)
    lists = {name: list(getattr(found, name, ())) for name in ("conventions", "notes")}
    fields = {name: getattr(found, name) for name in ("name", "description", "digest")}
    return {**fields, **lists}


def settle(
    make: Callable[..., Any], ways: list[dict[str, Any]], text: str, *data: Any
) -> Convention:
    """Return the way in which code wants to be called; a text is loaded anew after it."""
    known = [Convention.from_plain(fields) for fields in ways]
    found = found_convention(make, known, data or None)
    if text:
        forget(text)
    return found


def load(make: Callable[[], Any]) -> None:
    """Take the maker that the study sent; a first model shows that it works."""
    make()
    _makers[:] = [make]


def new(number: int, forgotten: list[int]) -> list[str]:
    """Make a model, after others were let go of; return what it offers."""
    for other in forgotten:
        _models.pop(other, None)
    (make,) = _makers
    _models[number] = make()
    return _offered(number)


def call(number: int, name: str, given: list[Any], named: dict[str, Any]) -> Any:
    """Return the array that a method gave; after a fit, what the model offers now."""
    answer = getattr(_models[number], name)(*given, **named)
    if name not in {"fit", "partial_fit"}:
        return _as_array(name, answer)
    _models[number] = fitted_model(_models[number], answer)
    return _offered(number)


def read(number: int, name: str) -> Any:
    """Return an attribute."""
    return _as_array(name, getattr(_models[number], name))


def _offered(number: int) -> list[str]:
    def offers(name: str) -> bool:
        try:
            return hasattr(_models[number], name)
        except Exception:  # noqa: BLE001  reading it will say what is wrong
            return True

    return list(filter(offers, (*METHODS, *ATTRIBUTES)))


def _as_array(name: str, answer: Any) -> Any:
    """Return the answer as an array; what NumPy can only wrap is none."""
    array = np.asarray(answer)
    if array.dtype == object and array.ndim == 0:
        raise TypeError(f"{name} gave a {type(answer).__name__} instead of an array")
    try:
        packed(array)
    except TypeError as error:
        raise TypeError(f"{name} gave {error}") from error
    return array
