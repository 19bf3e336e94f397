"""``gnbbench list``: what there is to compare, and on what."""

from collections.abc import Iterator
from typing import Annotated

import typer

from gnbbench.cli.exits import user_errors
from gnbbench.errors import OptionError


def _known(kind: str) -> str:
    """Return the kind, if there is a list of it."""
    with user_errors():
        if kind not in {"datasets", "implementations"}:
            remedy = "Give datasets or implementations."
            raise OptionError("list", f"there is no list of {kind!r}", remedy)
    return kind


def listing(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND", callback=_known, help="datasets or implementations."
        ),
    ],
) -> None:
    """List datasets or implementations.

    Example: gnbbench list datasets
    """
    rows = list(_datasets() if kind == "datasets" else _implementations())
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)]
        typer.echo("  ".join(cells).rstrip())


def _datasets() -> Iterator[tuple[str, str]]:
    from gnbbench.data.catalogue import DATASETS, REPOSITORIES

    for entry in DATASETS:
        size = f"{entry.n_samples:,} x {entry.n_features}, {entry.n_classes} classes"
        yield entry.name, f"{entry.description} ({size})"
    for repository in REPOSITORIES:
        yield f"{repository.prefix}{repository.wanted}", repository.description
    yield "FILE", "CSV or TSV with --target COLUMN; Parquet, .npy: compare --stream"


def _implementations() -> Iterator[tuple[str, str, str]]:
    """Yield name, version and description, and in a row below how to install it."""
    from gnbbench.implementations.catalogue import IMPLEMENTATIONS, Library

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
