"""What is examined: implementations under names that differ, checks, a time limit."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from gnbbench.conformance import CHECKS, Check
from gnbbench.errors import MissingLibraryError, OptionError
from gnbbench.implementations import Implementation, implementation, isolated
from gnbbench.implementations.catalogue import IMPLEMENTATIONS
from gnbbench.implementations.libraries import check_installed
from gnbbench.implementations.lookup import fresh_model, is_foreign
from gnbbench.implementations.specifications import parsed
from gnbbench.interface.expected_failures import unknown_check_remedy
from gnbbench.report.conformance_summary import directory_name


@dataclass(frozen=True)
class ConformancePlan:
    """What is examined: implementations under names that differ, checks, a time limit."""

    entries: tuple[Implementation, ...]
    # Families and ids of the checks that were asked for; empty for all
    only: tuple[str, ...] = ()
    timeout_seconds: float = 30.0  # Limit of each check
    expected: tuple[str, ...] = ()  # Ids of the checks whose failure is known
    # Implementations of the catalogue that are not installed
    left_out: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The implementations' names."""
        return tuple(entry.name for entry in self.entries)

    @property
    def checks(self) -> tuple[Check, ...]:
        """The checks asked for, in the order of the battery."""
        return chosen_checks(self.only)

    @property
    def directory_name(self) -> str:
        """Usual name of the results directory."""
        return directory_name(self.names)

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as JSON can hold it."""
        return {
            "implementations": list(self.names),
            "only": list(self.only),
            "timeout_seconds": self.timeout_seconds,
        }


def conformance_plan(
    given: Sequence[Any] | None,
    *,
    only: Sequence[str] = (),
    timeout_seconds: float = 30.0,
    expected: Sequence[str] = (),
) -> ConformancePlan:
    """Return a plan that is possible, with nothing examined yet."""
    chosen_checks(only)
    if not 0.0 < timeout_seconds < float("inf"):
        what = f"{timeout_seconds:g} is no time limit"
        raise OptionError("--timeout", what, "Give seconds above 0.")
    left_out: tuple[str, ...] = ()
    if given is None:
        given = [entry for entry in IMPLEMENTATIONS if _is_installed(entry)]
        left_out = tuple(one.name for one in IMPLEMENTATIONS if one not in given)
    _check_named_once(given)
    entries = _with_distinct_names([_entry(one, timeout_seconds) for one in given])
    return ConformancePlan(entries, tuple(only), timeout_seconds, tuple(expected), left_out)


def chosen_checks(only: Sequence[str]) -> tuple[Check, ...]:
    """Return the checks of these families or ids, in the order of the battery."""
    known = {name for check in CHECKS for name in (check.id, check.family)}
    for name in only:
        if name not in known:
            what = f"there is no check or family '{name}'"
            raise OptionError("--only", what, unknown_check_remedy(name, sorted(known)))
    return tuple(
        check for check in CHECKS if not only or {check.id, check.family} & set(only)
    )


def _check_named_once(given: Sequence[Any]) -> None:
    if not given:
        raise OptionError("NAME", "nothing to examine", "Name an implementation.")
    names = [one for one in given if isinstance(one, str)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        remedy = "Name each implementation once."
        raise OptionError("NAME", f"'{twice}' is named twice", remedy)


def _entry(given: Any, timeout_seconds: float) -> Implementation:
    """Return the implementation; a text for code of others is not loaded in this process.

    The isolated one proves, in its own process, that it loads; what is examined is the
    model itself, whose signatures checks ask for.
    """
    if isinstance(given, str) and is_foreign(given):
        loaded = isolated(given, timeout_seconds=timeout_seconds)
        text = parsed(given).absolute
        return replace(loaded, make=partial(fresh_model, text, loaded.digest))
    entry = implementation(given)
    check_installed(entry)
    return entry


def _is_installed(entry: Implementation) -> bool:
    try:
        check_installed(entry)
    except MissingLibraryError:
        return False
    return True


def _with_distinct_names(given: list[Implementation]) -> tuple[Implementation, ...]:
    """Return implementations of equal name as Mine, Mine 2, Mine 3."""
    result: list[Implementation] = []
    for entry in given:
        taken = {one.name for one in result}
        name, number = entry.name, 2
        while name in taken:
            name, number = f"{entry.name} {number}", number + 1
        result.append(replace(entry, name=name))
    return tuple(result)
