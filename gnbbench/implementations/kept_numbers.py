"""Numbers that a fitted model keeps, each with its path, and tables that these make."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from inspect import isroutine
from itertools import combinations, islice
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from gnbbench.arrays import FloatArray
from gnbbench.implementations.adapting import AdaptedModel

# So many numbers of an attribute are read, and no deeper: more are samples, not parameters.
MOST_NUMBERS, DEEPEST = 20_000, 7
# Tables of parameters that may differ in places alone.
MOST_TABLES = 10
OPEN = "…"  # Stands in a path for the keys of a table's rows or columns
Place = tuple[tuple[str, ...], tuple[int, ...], bool]  # Path, its open places, turned


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
    if isinstance(whole, bool | str | bytes | type | ModuleType) or isroutine(whole):
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
    if isinstance(whole, np.ndarray | np.void) and whole.dtype.names:
        whole = {name: whole[name] for name in whole.dtype.names}
    if isinstance(whole, np.ndarray):
        is_short = whole.dtype.kind in "biufO" and whole.size <= MOST_NUMBERS
        whole = whole.tolist() if is_short else ()
    if isinstance(whole, Mapping):
        return iter([*whole.items()])
    if isinstance(whole, list | tuple):
        return enumerate(whole)
    slots = (n for kind in type(whole).__mro__ for n in getattr(kind, "__slots__", ()))
    held = {name: getattr(whole, name) for name in slots if hasattr(whole, name)}
    held |= getattr(whole, "__dict__", {})
    return iter([(f".{name}", value) for name, value in held.items()])


@dataclass(frozen=True, eq=False)
class KeptTable:
    """Numbers for classes and features: (n_classes, n_features), or one of them 1."""

    place: Place
    classes: tuple[str, ...]  # Their keys
    features: tuple[str, ...]
    numbers: FloatArray

    @property
    def name(self) -> str:
        """Where the model keeps it, as code."""
        (root, *keys), _, _ = self.place
        while keys and keys[-1] == OPEN:
            keys.pop()
        return root + "".join(map(_written, keys))

    def is_beside(self, means: "KeptTable") -> bool:
        """Return whether it may hold the deviations from these means, by its keys."""
        pairs = ((self.classes, means.classes), (self.features, means.features))
        return all(
            len(own) == 1 or set(own) in ({*keys}, {*map(str, range(len(keys)))})
            for own, keys in pairs
        )

    def in_order(self, places: Mapping[str, int]) -> FloatArray:
        """Return the numbers with each class in its place, if that is known."""
        if {*self.classes} != {*places}:
            return self.numbers
        return self.numbers[np.argsort([places[key] for key in self.classes])]


def _written(key: str) -> str:
    """Return a key of a path as code: of an attribute, a place, or text."""
    is_place = key == OPEN or key.lstrip("-").isdigit()
    return key if key.startswith(".") else f"[{key}]" if is_place else f"[{key!r}]"


def _pattern(path: list[str]) -> tuple[str, ...]:
    """Return a path with all its places open."""
    return tuple(OPEN if key.isdigit() else key for key in path)


def tables_in(kept: KeptNumbers, n_classes: int, n_features: int) -> Iterator[KeptTable]:
    """Yield tables with a number for each class and feature, for each class, or feature.

    Paths that differ in two places, with all pairs of keys there, make a table; in one
    place a row or a column. Numbers that are so many that they must be samples make none.
    """
    groups: dict[Any, dict[tuple[str, str], float]] = {}
    n_alike = Counter(map(_pattern, kept.paths))
    for path, value in zip(kept.paths, kept.values.tolist(), strict=True):
        is_few = n_alike[_pattern(path)] <= MOST_TABLES * n_classes * n_features
        free = range(1, len(path)) if is_few else range(0)
        for places in (*combinations(free, 2), *((place,) for place in free)):
            rest = tuple(OPEN if n in places else key for n, key in enumerate(path))
            at = (path[places[0]], path[places[1]] if len(places) == 2 else "")
            groups.setdefault((rest, places), {})[at] = value
    shapes = {(n_classes, n_features), (n_classes, 1), (1, n_features)}
    for (rest, places), values in groups.items():
        first, second = (tuple(dict.fromkeys(keys)) for keys in zip(*values, strict=True))
        if len(values) == len(first) * len(second):
            table = np.array([[values[a, b] for b in second] for a in first])
            if table.shape in shapes:
                yield KeptTable((rest, places, False), first, second, table)
            if table.shape[::-1] in shapes:
                yield KeptTable((rest, places, True), second, first, table.T)
