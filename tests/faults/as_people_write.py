"""Gaussian naive Bayes as people write and publish it, each with its truth.

The sources stand in `people/` as text, what is true of each in its `persons.toml`: manners
of interface and of formula, crossed. What their labels must be is worked out by
`plain_bayes.py` from the formula alone.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from faults.plain_bayes import Formula

PEOPLE = Path(__file__).with_name("people")
NO_PACKAGE: Mapping[str, str] = {}


@dataclass(frozen=True, eq=False)
class Person:
    """What somebody wrote, on which data it shows, and what a right answer may say."""

    source: str  # A file in `people/`, without its suffix; the file's name as well
    where: str  # A dataset on which it shows
    runs: int
    # How it computes; None if it is not Gaussian naive Bayes, or draws labels.
    formula: Formula | None
    # Causes that labels prove here, then those that are true and move few labels or none.
    shows: frozenset[str] = frozenset()
    may: frozenset[str] = frozenset()
    other: frozenset[str] = frozenset()  # What may be said in place of all these
    amount: tuple[float, float] | None = None  # Interval of what is added to variances
    told: tuple[str, ...] = ()  # Words of every adaptation that a user is told
    select: str = ""  # What follows the file's path on the command line
    fails_in: str = ""  # Its line that cannot run with today's Python or NumPy
    beside: Mapping[str, str] = field(default_factory=lambda: NO_PACKAGE)
    path: str = ""  # Below the folder, where it is not the source's name

    @property
    def text(self) -> str:
        return _text(self.source)

    def write(self, folder: Path) -> str:
        """Write it and what stands beside it; return what a user types."""
        path = self.path or f"{self.source}.py"
        for place, source in {path: self.source, **self.beside}.items():
            file = folder / place
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(_text(source) if source else "")
        return f"{folder / path}{self.select}"


def _text(source: str) -> str:
    return (PEOPLE / f"{source}.txt").read_text()


TABLE = tomllib.loads((PEOPLE / "persons.toml").read_text())


def _persons(group: str) -> tuple[Person, ...]:
    """Return the persons of a group of the table; a formula is given as what differs."""
    found = []
    for source, row in TABLE[group].items():
        given = {key: _frozen(value) for key, value in row.items()}
        formula = row.get("formula")
        steps = {key: _frozen(value) for key, value in (formula or {}).items()}
        given["formula"] = None if formula is None else Formula(**steps)
        for key in ("shows", "may", "other"):
            given[key] = frozenset(row.get(key, ()))
        found.append(Person(source, **given))
    return tuple(found)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


RULE, PRIOR, NOT_GNB, CONSTANT = "smoothing-rule", "prior", "not-gnb", "constant"
GROUPS = {name: _persons(name) for name in TABLE}
BROKEN = GROUPS["broken"]
PERSONS = tuple(person for group in GROUPS.values() for person in group)
