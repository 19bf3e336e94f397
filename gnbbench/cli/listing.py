"""``gnbbench list``: what there is to compare, and on what."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated

import typer


class Kind(StrEnum):
    """What can be listed."""

    datasets = "datasets"
    implementations = "implementations"


def listing(
    kind: Annotated[Kind, typer.Argument(help="datasets or implementations.")],
) -> None:
    """List datasets or implementations by name.

    Example: gnbbench list datasets
    """
    rows = list(_datasets() if kind is Kind.datasets else _implementations())
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)]
        typer.echo("  ".join(cells).rstrip())


def _datasets() -> Iterator[tuple[str, str]]:
    from gnbbench.datasets.catalogue import DATASETS, REPOSITORIES

    for entry in DATASETS:
        size = f"{entry.n_samples:,} x {entry.n_features}, {entry.n_classes} classes"
        yield entry.name, f"{entry.description} ({size})"
    for repository in REPOSITORIES:
        yield f"{repository.prefix}{repository.wanted}", repository.description
    yield "FILE", "Any CSV or TSV file, with --target COLUMN"


def _implementations() -> Iterator[tuple[str, str, str]]:
    """Yield name, version and description, and in a row below how to install it."""
    from gnbbench.implementations.catalogue import IMPLEMENTATIONS
    from gnbbench.implementations.libraries import Library

    for entry in IMPLEMENTATIONS:
        if not isinstance(entry.make, Library):
            yield entry.name, _version(entry.name), entry.description
            continue
        yield entry.name, entry.make.version or "not installed", entry.description
        if entry.make.version is None:
            yield "", "", entry.make.install_command


def _version(name: str) -> str:
    """Return the version of what is always installed."""
    from importlib.metadata import version

    return version("scikit-learn" if name == "sklearn" else "gnbbench")
