"""From what a user names or hands over to the implementations of a study."""

import copy
from collections.abc import Mapping
from functools import partial
from typing import Any

from gnbbench.errors import OptionError, UnknownNameError
from gnbbench.implementations.catalogue import IMPLEMENTATIONS
from gnbbench.implementations.implementation import Implementation


def implementation(given: Any) -> Implementation:
    """Return the implementation that a name or an object stands for.

    Parameters
    ----------
    given : str, Implementation, class or estimator instance
        A name of the catalogue, or something with ``fit`` and ``predict``; an instance is
        copied unfitted for every run.

    Returns
    -------
    Implementation

    Raises
    ------
    UnknownNameError
        If a name is in no list.
    OptionError
        If an object lacks ``fit`` or ``predict``.

    Examples
    --------
    >>> implementation("numpy").make()
    GaussianNB()
    """
    if isinstance(given, Implementation):
        return given
    if isinstance(given, str):
        known = {entry.name: entry for entry in IMPLEMENTATIONS}
        if given not in known:
            raise UnknownNameError("implementation", given, known)
        return known[given]
    _check_contract(given)
    if isinstance(given, type):
        return Implementation(
            given.__name__, given, f"class {given.__module__}.{given.__name__}"
        )
    kind = type(given)
    return Implementation(
        kind.__name__,
        partial(_fresh_copy, given),
        f"object of {kind.__module__}.{kind.__name__}",
    )


def implementations(reference: Any, against: Any) -> tuple[Implementation, ...]:
    """Return the reference and its competitors, under names that differ.

    Parameters
    ----------
    reference : str, class or estimator instance
        What the others are held against.
    against : one of these, a sequence of them, or a mapping of names to them
        The competitors.

    Returns
    -------
    tuple of Implementation
        The reference first.

    Raises
    ------
    UnknownNameError, OptionError
        If one of them cannot be used, or a name is given twice.

    Examples
    --------
    >>> [entry.name for entry in implementations("sklearn", ["numpy"])]
    ['sklearn', 'numpy']
    """
    if isinstance(against, Mapping):
        competitors = [_renamed(implementation(one), name) for name, one in against.items()]
    else:
        given = list(against) if isinstance(against, list | tuple) else [against]
        _check_named_once([reference, *given])
        competitors = [implementation(one) for one in given]
    if not competitors:
        raise OptionError("--against", "nothing to compare", "Name an implementation.")
    return _with_distinct_names([implementation(reference), *competitors])


def _check_named_once(given: list[Any]) -> None:
    names = [one for one in given if isinstance(one, str)]
    for name in names:
        if names.count(name) > 1:
            raise OptionError(
                "--against",
                f"'{name}' is named twice, the reference included",
                "Name each implementation once.",
            )


def _with_distinct_names(given: list[Implementation]) -> tuple[Implementation, ...]:
    """Return implementations of equal name as Mine, Mine 2, Mine 3."""
    taken: dict[str, int] = {}
    result = []
    for entry in given:
        taken[entry.name] = taken.get(entry.name, 0) + 1
        count = taken[entry.name]
        result.append(entry if count == 1 else _renamed(entry, f"{entry.name} {count}"))
    return tuple(result)


def _renamed(entry: Implementation, name: str) -> Implementation:
    return Implementation(str(name), entry.make, entry.description)


def _check_contract(given: Any) -> None:
    missing = [
        name for name in ("fit", "predict") if not callable(getattr(given, name, None))
    ]
    if missing:
        raise OptionError(
            "against",
            f"{given!r} has no {' and no '.join(missing)}",
            "Give a name of the catalogue, or an object with fit(X, y) and predict(X).",
        )


def _fresh_copy(given: Any) -> Any:
    """Return an unfitted copy, by its parameters where it tells them."""
    if hasattr(given, "get_params"):
        from sklearn.base import clone

        return clone(given)
    return copy.deepcopy(given)
