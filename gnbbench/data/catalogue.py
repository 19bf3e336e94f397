"""The catalogue of datasets; imports nothing heavy, since ``--help`` needs it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gnbbench.data.sources import one_line
from gnbbench.errors import DatasetError, OptionError, meant
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
    # Key after the name -> keyword of the function that generates the samples
    parameters: Mapping[str, str] = field(default_factory=dict)


DATASETS = (
    CatalogueEntry("iris", "Sepals and petals of three iris species, in cm", 150, 4, 3),
    CatalogueEntry("wine", "Chemical analysis of wines from three growers", 178, 13, 3),
    CatalogueEntry(
        "breast_cancer", "Cell nuclei of breast masses, malignant or benign", 569, 30, 2
    ),
    CatalogueEntry(
        "digits",
        "Handwritten digits as 8 × 8 grey values, some pixels constant",
        1797,
        64,
        10,
    ),
    CatalogueEntry(
        "gaussians",
        "Drawn from normal distributions: 'gaussians?n=1000&d=5&k=3&seed=0&offset=0'",
        1000,
        5,
        3,
        parameters={
            "n": "n_samples",
            "d": "n_features",
            "k": "n_classes",
            "seed": "seed",
            "offset": "offset",
        },
    ),
)


@dataclass(frozen=True)
class Repository:
    """An online repository from which datasets are downloaded by number or name."""

    prefix: str  # What users type before the dataset's name or number
    wanted: str  # Placeholder for the name or number
    description: str  # One line
    called: str  # Its name in messages
    site: str  # Its server
    names: str  # Pattern of its datasets' names; numbers are always accepted
    impossible: tuple[str, str]  # Message and remedy for an impossible name


OPENML = Repository(
    "openml:",
    "NAME",
    "Fetched from OpenML, by name or number, such as openml:61",
    "OpenML",
    "www.openml.org",
    r"[A-Za-z0-9_.(),-]{1,128}",
    (
        "this cannot be the name of an OpenML dataset",
        "Give a number or a name, such as openml:61 or openml:iris.",
    ),
)
UCI = Repository(
    "uci:",
    "NUMBER",
    "Fetched from UCI, such as uci:320; needs ucimlrepo",
    "UCI",
    "archive.ics.uci.edu",
    "(?!)",
    (
        "UCI datasets are identified by number",
        "Give one, such as uci:320; archive.ics.uci.edu shows it in the address.",
    ),
)
REPOSITORIES = (OPENML, UCI)


def refuse_impossible(source: str) -> None:
    """Raise if no dataset of the repository can have that name."""
    prefix, separator, wanted = source.partition(":")
    repository = next(r for r in REPOSITORIES if r.prefix == prefix + separator)
    is_possible = re.fullmatch(repository.names, wanted) is not None
    if wanted.isdigit() and wanted.isascii():
        is_possible = 0 < int(wanted[:12]) < 10**9
    if not is_possible:
        raise DatasetError(f"{prefix}:{one_line(wanted[:80])}", *repository.impossible)


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
