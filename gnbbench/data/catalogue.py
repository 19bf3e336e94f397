"""The catalogue of datasets, of ``catalogue.toml``; ``--help`` needs it, so it is light."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gnbbench.data.sources import one_line
from gnbbench.errors import DatasetError, OptionError, meant
from gnbbench.files import toml_beside
from gnbbench.parameters import parameters_in

UCI_LICENCE = "CC BY 4.0, as far as known"


@dataclass(frozen=True)
class CatalogueEntry:
    """A dataset that can be loaded by name."""

    name: str  # As users type it
    description: str  # What the samples are, in one line
    n_samples: int  # The sizes; for generated data the defaults
    n_features: int
    n_classes: int
    # Of those that scikit-learn ships: what the labels are, and where the samples come from
    target: str = ""
    origin: str = ""
    # Key after the name -> keyword of the function that generates the samples
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Repository:
    """An online repository from which datasets are downloaded by number or name."""

    called: str  # Its name in messages
    prefix: str  # What users type before the dataset's name or number
    wanted: str  # Placeholder for the name or number
    description: str  # One line
    site: str  # Its server
    names: str  # Pattern of its datasets' names; numbers are always accepted
    fault: str  # Message and remedy for an impossible name
    remedy: str


_ROWS = toml_beside(__file__, "catalogue.toml")
DATASETS = tuple(CatalogueEntry(name, **row) for name, row in _ROWS["dataset"].items())
REPOSITORIES = OPENML, UCI = tuple(
    Repository(name, **row) for name, row in _ROWS["repository"].items()
)


def refuse_impossible(source: str) -> None:
    """Raise if no dataset of the repository can have that name."""
    prefix, separator, wanted = source.partition(":")
    repository = next(r for r in REPOSITORIES if r.prefix == prefix + separator)
    is_possible = re.fullmatch(repository.names, wanted) is not None
    if wanted.isdigit() and wanted.isascii():
        is_possible = 0 < int(wanted[:12]) < 10**9
    if not is_possible:
        where = f"{prefix}:{one_line(wanted[:80])}"
        raise DatasetError(where, repository.fault, repository.remedy)


def is_of_repository(name: str) -> bool:
    """Return whether a name is that of a dataset in an online repository."""
    return name.startswith(tuple(repository.prefix for repository in REPOSITORIES))


def names() -> tuple[str, ...]:
    """Return the names of all datasets, in catalogue order."""
    return tuple(entry.name for entry in DATASETS)


def find(text: str) -> CatalogueEntry | None:
    """Return the entry of a name; a question mark and parameters may follow the name."""
    name = text.partition("?")[0]
    return next((entry for entry in DATASETS if entry.name == name), None)


def drawn_with(entry: CatalogueEntry, text: str) -> dict[str, Any]:
    """Return the parameters after a dataset's name as keyword arguments."""
    _, mark, query = text.partition("?")
    parameters = parameters_in(query, entry.name, OptionError) if mark else {}
    for key in parameters:
        if key not in entry.parameters:
            known = f"It has {', '.join(entry.parameters)}."
            remedy = meant(key, entry.parameters, instead=known)
            if not entry.parameters:
                remedy = f"Write {entry.name} alone."
            raise OptionError(entry.name, f"it has no parameter '{key}'", remedy)
    return {entry.parameters[key]: value for key, value in parameters.items()}
