"""The datasets there are, by name; imports nothing heavy, as `--help` reads it."""

from dataclasses import dataclass

UCI_LICENCE = "CC BY 4.0, as far as known"


@dataclass(frozen=True)
class CatalogueEntry:
    """One dataset that can be asked for by name."""

    name: str  # What a user types
    description: str  # What the samples are, in one line
    n_samples: int  # Sizes; the defaults where they are options
    n_features: int  # Sizes; the defaults where they are options
    n_classes: int  # Sizes; the defaults where they are options
    loader: str  # The function that returns the Dataset, as ``module:function``
    # Keywords of `gnbbench.data.loading.load` that the loader takes
    options: tuple[str, ...] = ()


DATASETS: tuple[CatalogueEntry, ...] = (
    CatalogueEntry(
        name="iris",
        description="Flowers of three iris species, measured in cm",
        n_samples=150,
        n_features=4,
        n_classes=3,
        loader="gnbbench.data.bundled:iris",
    ),
    CatalogueEntry(
        name="wine",
        description="Chemical analysis of wines from three growers",
        n_samples=178,
        n_features=13,
        n_classes=3,
        loader="gnbbench.data.bundled:wine",
    ),
    CatalogueEntry(
        name="breast_cancer",
        description="Cell nuclei of breast masses, malignant or benign",
        n_samples=569,
        n_features=30,
        n_classes=2,
        loader="gnbbench.data.bundled:breast_cancer",
    ),
    CatalogueEntry(
        name="digits",
        description="Handwritten digits as 8 × 8 grey values, some pixels constant",
        n_samples=1797,
        n_features=64,
        n_classes=10,
        loader="gnbbench.data.bundled:digits",
    ),
    CatalogueEntry(
        name="gaussians",
        description="Drawn from independent normal distributions with known parameters",
        n_samples=1000,
        n_features=5,
        n_classes=3,
        loader="gnbbench.data.gaussians:gaussians",
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
