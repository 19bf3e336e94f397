"""The datasets there are, by name; imports nothing heavy, as `--help` reads it."""

from dataclasses import dataclass

UCI_LICENCE = "CC BY 4.0, as far as known"


@dataclass(frozen=True)
class CatalogueEntry:
    """One dataset that can be asked for by name."""

    name: str  # What a user types
    description: str  # What the samples are, in one line
    n_samples: int  # Sizes; the defaults where they are options
    n_features: int
    n_classes: int
    options: tuple[str, ...] = ()  # Keywords of `gnbbench.data.loading.load` that it takes


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
        "Samples of independent normal distributions with known parameters",
        *(1000, 5, 3),
        options=("n_samples", "n_features", "n_classes", "seed", "offset"),
    ),
)


@dataclass(frozen=True)
class Repository:
    """Where datasets are fetched from, over the network."""

    prefix: str  # What a user types before the dataset's name or number
    wanted: str  # What follows, as it is shown
    description: str  # One line


REPOSITORIES: tuple[Repository, ...] = (
    Repository(
        "openml:", "NAME", "Fetched from OpenML, by name or number, such as openml:61"
    ),
    Repository("uci:", "NUMBER", "Fetched from UCI, such as uci:320; needs gnbbench[uci]"),
)


def is_of_repository(name: str) -> bool:
    """Tell whether a dataset is asked for from a repository on the network."""
    return name.startswith(tuple(repository.prefix for repository in REPOSITORIES))


def names() -> tuple[str, ...]:
    """Return the names of all datasets, in catalogue order."""
    return tuple(entry.name for entry in DATASETS)


def find(name: str) -> CatalogueEntry | None:
    """Return the entry of that name, or None where there is none."""
    return next((entry for entry in DATASETS if entry.name == name), None)
