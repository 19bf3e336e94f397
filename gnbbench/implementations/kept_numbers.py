"""Numbers that a fitted model keeps, each with the path by which code reaches it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from gnbbench.arrays import FloatArray
from gnbbench.implementations.adapting import AdaptedModel

# So many numbers of an attribute are read, and no deeper: more are samples, not parameters.
MOST_NUMBERS, DEEPEST = 20_000, 7


@dataclass(frozen=True)
class KeptNumbers:
    """Numbers and their paths: an attribute, or a call, then keys and places."""

    paths: list[list[str]]
    values: FloatArray


def kept_numbers(model: Any) -> KeptNumbers:
    """Return the numbers in a model's attributes and in what its functions returned.

    >>> class Model:
    ...     mean = {"a": [1.5, 2.0]}
    >>> kept_numbers(Model()).paths
    [['self.mean', 'a', '0'], ['self.mean', 'a', '1']]
    """
    roots: dict[str, Any] = {}
    if isinstance(model, AdaptedModel):
        roots = {f"{name}()": value for name, value in model._made.items()}
        model = model.model
    if not isinstance(model, ModuleType | SimpleNamespace):
        held = {**vars(type(model)), **getattr(model, "__dict__", {})}
        roots |= {f"self.{n}": value for n, value in held.items() if n[:2] != "__"}
    numbers = [
        one
        for root, value in roots.items()
        for one in islice(_numbers(value, (root,), {id(model)}), MOST_NUMBERS)
    ]
    values = np.array([value for _, value in numbers], dtype=np.float64)
    return KeptNumbers([[*path] for path, _ in numbers], values)


def _numbers(
    whole: Any, path: tuple[str, ...], seen: set[int]
) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield the numbers in nested containers and objects."""
    if isinstance(whole, bool | str | bytes | type | ModuleType) or callable(whole):
        return
    if isinstance(whole, int | float | np.number):
        yield path, float(np.real(whole))
        return
    if len(path) == DEEPEST or id(whole) in seen:
        return
    parts = _parts(whole)
    inner = {*seen, id(whole)}
    for key, part in parts:
        yield from _numbers(part, (*path, str(key)), inner)


def _parts(whole: Any) -> Iterator[tuple[Any, Any]]:
    """Return the parts of a container, an array, a table or an object, with their keys."""
    if not isinstance(whole, Mapping | list | tuple) and hasattr(whole, "to_numpy"):
        whole = whole.to_numpy()
    if isinstance(whole, np.ndarray):
        is_short = whole.dtype.kind in "biufO" and whole.size <= MOST_NUMBERS
        whole = whole.tolist() if is_short else ()
    if isinstance(whole, Mapping):
        return iter([*whole.items()])
    if isinstance(whole, list | tuple):
        return enumerate(whole)
    held = getattr(whole, "__dict__", {})
    return iter([(f".{name}", value) for name, value in held.items()])
